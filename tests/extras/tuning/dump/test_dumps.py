"""Data dump: what `enable_dump` writes, by its options, and how it fails."""

from __future__ import annotations

import csv
import errno
import shutil
import subprocess

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab import files
from npu_lab.extras.tuning import dump
from tests.device import models

X = np.array([[1, 2], [3, -4]], np.float32)


def _run(folder, calls=1, build=None, **options):
    """Run a small graph `calls` times in one session."""
    from npu_bridge.npu_init import util  # noqa: F401

    given = {"enable_dump": True, "dump_path": str(folder), **options}
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, X.shape, name="x")
        y = build(x) if build else _two(x)
        with tf.Session(config=models.config(**given)) as session:
            for number in range(calls):
                session.run(y, {x: X + number})


def _two(x):
    return tf.nn.relu(tf.add(x, x, name="double"), name="relu")


def test_the_outputs_of_every_operator_are_dumped(device, folder):
    _run(folder, 2)
    found = dump.dumps(folder)
    assert [(one.step, one.op_name) for one in found] == [
        (0, "double"),
        (0, "relu"),
        (1, "double"),
        (1, "relu"),
    ]
    np.testing.assert_array_equal(found[3].outputs[0].value, np.maximum(2 * X + 2, 0))
    assert found[0].inputs == ()
    assert not any(one.overflow for one in found)


@pytest.mark.parametrize(
    ("mode", "inputs", "outputs"), [("input", 2, 0), ("output", 0, 1), ("all", 2, 1)]
)
def test_dump_mode(device, folder, mode, inputs, outputs):
    _run(folder, dump_mode=mode)
    first = dump.dumps(folder)[0]
    assert (len(first.inputs), len(first.outputs)) == (inputs, outputs)


def test_dump_step_names_the_folders(device, folder):
    _run(folder, 8, dump_step="0|3-4|6|20-30")
    assert sorted({one.step for one in dump.dumps(folder)}) == [0, 3, 4, 6]
    assert {one.path.parent.name for one in dump.dumps(folder)} == {*"0346"}


def test_dump_layer(device, folder):
    _run(folder, dump_layer="relu other")
    assert [one.op_name for one in dump.dumps(folder)] == ["relu"]


@pytest.mark.parametrize("option", [1, 10])
def test_the_steps_of_a_loop_are_dumped_as_those_of_runs(device, folder, option):
    given = {"enable_dump": True, "dump_path": str(folder), "dump_step": "1|3-5"}
    models.train(
        models.softmax,
        [option] * (10 // option),
        option=option,
        dump_layer="MatMul loss",
        **given,
    )
    found = [one for one in dump.dumps(folder) if one.op_name == "loss"]
    got = [(one.step, float(one.outputs[0].value)) for one in found]
    plain = models.train(models.softmax, [1] * 10, option=1)
    # At N = 1 each third call fetches the accuracy too, and is a graph of its own.
    assert len({one.model for one in found}) == (2 if option == 1 else 1)
    assert got == [(step, float(plain.losses[step])) for step in (1, 3, 4, 5)]


def test_with_a_mode_the_types_are_those_of_the_device(device, folder):
    _run(folder, precision_mode="force_fp16", dump_mode="all")
    found = {one.op_name: one for one in dump.dumps(folder)}
    assert [t.dtype for t in found["double"].inputs] == ["float16"] * 2
    assert found["relu"].outputs[0].value.dtype == np.float16
    cast = found["x_trans_Cast"]
    assert (cast.op_type, cast.inputs[0].dtype) == ("Cast", "float32")


def test_bfloat16_is_written_as_float32(device, folder):
    _run(
        folder,
        build=lambda x: tf.matmul(x, x, name="product"),
        precision_mode="allow_fp32_to_bf16",
    )
    (found,) = [one for one in dump.dumps(folder) if one.op_name == "product"]
    np.testing.assert_array_equal(found.outputs[0].value, X @ X)


def test_figures_instead_of_values(device, folder):
    def build(x):
        return tf.math.log(tf.nn.relu(x - 1, name="relu"), name="log")

    _run(folder, 2, build, dump_data="stats", dump_layer="relu log")
    assert [path.name for path in folder.rglob("*") if path.is_file()] == [
        "statistic.csv"
    ] * 2
    rows = dump.statistics(folder)
    assert [(row["Op Name"], row["IO"]) for row in rows] == [
        ("relu", "output"),
        ("log", "output"),
    ] * 2
    log = rows[1]
    assert log["Shape"] == "[2, 2]"
    assert float(log["Max Value"]) == pytest.approx(np.log(2))
    assert (log["Count"], log["Negative Inf Count"], log["NaN Count"]) == (
        "4",
        "2",
        "0",
    )
    assert rows[0]["Zero Count"] == "2"


def test_a_name_that_is_too_long_is_in_the_mapping(device, folder):
    name = "/".join(["layer"] * 60)
    _run(folder, build=lambda x: tf.add(x, x, name=name))
    (found,) = dump.dumps(folder)
    assert found.op_name == name
    with (found.path.parent / "mapping.csv").open() as lines:
        ((number, right),) = csv.reader(lines)
    assert found.path.name == f"{number}.json"
    assert number.isdecimal()
    assert right.startswith(f"AddV2.{name.replace('/', '_')}.")


def test_initializers_and_saves_are_not_dumped(device, folder):
    given = {"enable_dump": True, "dump_path": str(folder)}
    with tf.Graph().as_default():
        model = models.softmax()
        with models.session(model, models.config(**given)):
            pass
    assert [*folder.iterdir()] == []


@pytest.mark.parametrize("given", ["", "missing", "file"])
def test_the_folder_is_checked_before_anything_runs(device, tmp_path, given):
    path = tmp_path / given if given else ""
    if given == "file":
        path.touch()
    with pytest.raises(tf.errors.InternalError, match="dump_path"):
        _run(path)


def test_a_folder_that_is_lost_is_an_error(device, tmp_path):
    from npu_bridge.npu_init import util  # noqa: F401

    folder = tmp_path / "dumps"
    folder.mkdir()
    config = models.config(enable_dump=True, dump_path=str(folder))
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        session.run(tf.constant(0))
        shutil.rmtree(folder)
        folder.touch()
        with pytest.raises(tf.errors.OpError, match="cannot be written") as raised:
            session.run(tf.constant(1.0) + 1.0)
        assert str(folder) in str(raised.value)
        assert "dump_step" in str(raised.value)


@pytest.mark.parametrize("data", ["tensor", "stats"])
def test_a_full_disk_leaves_no_part_of_a_dump(device, folder, monkeypatch, data):
    calls = []
    write = files.replace

    def full(path, content):
        calls.append(path)
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, content)

    monkeypatch.setattr(files, "replace", full)
    if data == "stats":
        monkeypatch.setattr("pathlib.Path.open", _full)
    with pytest.raises(tf.errors.OpError, match="No space left on device") as raised:
        _run(folder, dump_mode="all", dump_data=data)
    assert "double (AddV2)" in str(raised.value)
    assert not [path for path in folder.rglob("*") if path.is_file()]


def _full(*_arguments, **_options):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_disk_that_is_really_full(device, folder):
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:

        def build(x):
            return tf.add(tf.fill([200, 200], x[0, 0]), 1.0, name="large")

        with pytest.raises(tf.errors.OpError, match="No space left on device"):
            _run(folder, build=build)
        assert not list(folder.rglob("*large*"))
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_no_folder_to_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="dump_path"):
        dump.dumps(tmp_path / "none")


def test_a_foreign_file_among_dumps(tmp_path):
    (tmp_path / "notes.json").write_text("{}")
    with pytest.raises(ValueError, match=r"notes\.json"):
        dump.dumps(tmp_path)
