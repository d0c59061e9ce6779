"""What cannot be frozen or written: a clear error, and no file, whole or in part."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.extras.freeze import FreezeError, _texts, freeze
from npu_lab.language import LANGUAGES
from tests.device.models import IMAGES
from tests.extras.freeze import networks

pytestmark = pytest.mark.usefixtures("device")


def saved(folder, build):
    """A checkpoint of what `build` makes, which gives None or runs to be made."""
    with tf.Graph().as_default(), tf.Session() as session:
        build()
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return tf.train.Saver().save(session, str(folder / "c"))


def refused(source, folder, *arguments, **how):
    """The key of the error, and its text; nothing is left in the folder."""
    folder.mkdir()
    (folder / "m.pb").write_text("older")
    with pytest.raises(FreezeError) as stopped:
        freeze(source, folder / "m.pb", *arguments, **how)
    assert [one.name for one in folder.iterdir()] == ["m.pb"]
    assert (folder / "m.pb").read_text() == "older"
    return stopped.value.key, str(stopped.value)


@pytest.fixture
def prefix(tmp_path):
    return networks.train(tmp_path, source="fed", training=False)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("logit", "logits"),
        ("Logits:0", "logits"),
        ("model/logits", "logits"),
        ("dense1/BiasAdd", "dense/BiasAdd"),
        ("accuracy", ""),
    ],
)
def test_a_wrong_name(name, near, prefix, tmp_path):
    key, text = refused(prefix, tmp_path / "out", name)
    assert key == "no node"
    assert near in text


def test_an_operation_without_a_value(prefix, tmp_path):
    assert refused(prefix, tmp_path / "out", "Momentum")[0] == "no tensor"
    assert refused(prefix, tmp_path / "out2", "dense/kernel")[0] == "no value"


def test_an_output_number_that_is_not_there(prefix, tmp_path):
    key, text = refused(prefix, tmp_path / "out", "logits:1")
    assert (key, "logits:0" in text) == ("no output", True)


def test_no_outputs_shows_what_there_is(prefix, tmp_path):
    key, text = refused(prefix, tmp_path / "out")
    assert key == "no outputs"
    assert "logits" in text


def test_what_depends_on_no_input(prefix, tmp_path):
    assert refused(prefix, tmp_path / "out", "global_step/read")[0] in {
        "no inputs",
        "no node",
    }
    read = "dense/kernel/Read/ReadVariableOp"
    assert refused(prefix, tmp_path / "out2", read)[0] == "no inputs"


@pytest.mark.parametrize(
    ("constants", "key"),
    [
        ({"keep": 1.0}, "no node"),
        ({"logits": 1.0}, "no placeholder"),
        ({"x": "text"}, "bad constant"),
    ],
)
def test_constants_that_cannot_be_set(constants, key, prefix, tmp_path):
    assert refused(prefix, tmp_path / "o", "logits", constants=constants)[0] == key


def test_an_output_that_waits_for_an_update(tmp_path):
    def build():
        x = tf.placeholder(tf.float32, [None], name="x")
        count = tf.get_variable("count", [], initializer=tf.zeros_initializer())
        with tf.control_dependencies([count.assign_add(1.0)]):
            tf.identity(x * 2.0, name="y")

    key, text = refused(saved(tmp_path, build), tmp_path / "out", "y")
    assert key == "training update"
    assert "AssignAddVariableOp" in text


def test_a_python_function(tmp_path):
    def build():
        tf.get_variable("v", [])
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.identity(tf.py_func(np.sin, [x], tf.float32), name="y")

    assert refused(saved(tmp_path, build), tmp_path / "out", "y")[0] == "python"


def test_a_lookup_table(tmp_path):
    def build():
        tf.get_variable("v", [])
        rows = tf.lookup.KeyValueTensorInitializer(
            ["a", "b"], [1, 2], tf.string, tf.int64
        )
        table = tf.lookup.StaticHashTable(rows, -1)
        x = tf.placeholder(tf.string, [None], name="x")
        tf.identity(table.lookup(x), name="y")

    assert refused(saved(tmp_path, build), tmp_path / "out", "y")[0] == "table"


def test_an_old_dropout_and_one_inside_of_a_loop(tmp_path):
    def build():
        tf.get_variable("v", [])
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        keep = tf.placeholder(tf.float32, name="keep")
        mask = tf.floor(keep + tf.random_uniform(tf.shape(x)))
        tf.identity(tf.div(x, keep) * mask, name="old")
        _, looped = tf.while_loop(
            lambda i, _: i < 2,
            lambda i, y: (i + 1, tf.nn.dropout(y, rate=0.5)),
            (0, x),
        )
        tf.identity(looped, name="looped")

    source = saved(tmp_path, build)
    key, text = refused(source, tmp_path / "out", "old")
    assert (key, "--set keep=1.0" in text) == ("training set", True)
    made = freeze(source, tmp_path / "m.pb", "old", constants={"keep": 1.0})
    assert made.random == ()
    x = IMAGES[:4, :3]
    assert networks.near(networks.frozen(made.path, x), x)
    assert refused(source, tmp_path / "out2", "looped")[0] == "training dropout"


def test_a_random_number_that_is_no_dropout_is_allowed_and_told(tmp_path):
    def build():
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        tf.identity(x * w + tf.random_normal(tf.shape(x)), name="y")

    made = freeze(saved(tmp_path, build), tmp_path / "m.pb", "y")
    assert len(made.random) == 1
    assert made.difference <= 1e-6


def test_statistics_of_one_example_are_no_batch_norm(tmp_path):
    def build():
        x = tf.placeholder(tf.float32, [None, 4, 3], name="x")
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        mean, variance = tf.nn.moments(x, [1], keep_dims=True)
        tf.identity(w * (x - mean) / tf.sqrt(variance + 1e-3), name="y")

    made = freeze(saved(tmp_path, build), tmp_path / "m.pb", "y")
    assert made.findings == ()


def test_the_checkpoint_of_another_model(prefix, tmp_path):
    def other_names():
        x = tf.placeholder(tf.float32, [None, 12])
        return tf.layers.dense(x, 16, name="hidden/dense")

    def other_shapes():
        x = tf.placeholder(tf.float32, [None, 12])
        return tf.layers.dense(x, 5)

    key, text = refused(prefix, tmp_path / "out", model=other_names)
    assert key == "missing variables"
    assert "hidden/dense/bias" in text
    assert "dense/bias" in text
    assert refused(prefix, tmp_path / "out2", model=other_shapes)[0] == "no restore"


def test_a_checkpoint_of_objects(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable(1.0, name="w")
        session.run(w.initializer)
        path = tf.train.Checkpoint(weight=w).save(str(tmp_path / "c"), session)

    def model():
        return tf.Variable(1.0, name="w") * tf.placeholder(tf.float32, [2])

    assert refused(path, tmp_path / "out", model=model)[0] == "object checkpoint"


def test_what_is_not_there(prefix, tmp_path):
    key, text = refused(str(tmp_path / "model.ckpt-13"), tmp_path / "out", "logits")
    assert (key, "model.ckpt-12" in text) == ("no file", True)
    (tmp_path / "empty").mkdir()
    assert refused(tmp_path / "empty", tmp_path / "o2", "logits")[0] == "empty folder"
    Path(f"{prefix}.meta").unlink()
    assert refused(prefix, tmp_path / "o3", "logits")[0] == "no meta"
    Path(f"{prefix}.meta").write_bytes(b"nonsense")
    assert refused(prefix, tmp_path / "o4", "logits")[0] == "bad meta"
    assert refused(3, tmp_path / "o5", "logits")[0] == "no source"


def test_wrong_inputs_to_compare_with(prefix, tmp_path):
    for number, (feeds, key) in enumerate(
        [
            ({"X": IMAGES}, "no input"),
            ({"x": IMAGES[:, :3]}, "fed"),
        ]
    ):
        out = tmp_path / f"out{number}"
        assert refused(prefix, out, "logits", feeds=feeds)[0] == key


def test_a_model_that_random_inputs_do_not_fit(tmp_path):
    def build():
        x = tf.placeholder(tf.float32, [None, None], name="x")
        w = tf.get_variable("w", [5, 2], initializer=tf.ones_initializer())
        tf.matmul(x, w, name="y")

    source = saved(tmp_path, build)
    key, text = refused(source, tmp_path / "out", "y")
    assert (key, "--feed" in text) == ("made up", True)


def test_a_difference_is_an_error(prefix, tmp_path, monkeypatch):
    from npu_lab.extras.freeze import freezing

    stock = freezing.v1.graph_util.convert_variables_to_constants

    def wrong(*arguments):
        made = stock(*arguments)
        (node,) = [n for n in made.node if n.name == "dense/bias"]
        values = tf.make_ndarray(node.attr["value"].tensor) + 1e-4
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(values))
        return made

    monkeypatch.setattr(freezing.v1.graph_util, "convert_variables_to_constants", wrong)
    assert refused(prefix, tmp_path / "out", "logits")[0] == "differs"


def test_a_place_that_cannot_be_written(prefix, tmp_path):
    (tmp_path / "file").write_text("")
    for place in ("none/m.pb", "file/m.pb", "."):
        with pytest.raises(FreezeError) as stopped:
            freeze(prefix, tmp_path / place, "logits")
        assert stopped.value.key == "no write"


@pytest.fixture
def mounted(tmp_path):
    """A function that mounts a small file system, where that is allowed."""
    places = []

    def mount(options):
        place = tmp_path / "mounted"
        place.mkdir()
        how = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        try:
            done = subprocess.run(how, capture_output=True, check=False)
        except FileNotFoundError:
            pytest.skip("there is no mount here")
        if done.returncode:
            pytest.skip("nothing may be mounted here")
        places.append(place)
        return place

    yield mount
    for place in places:
        subprocess.run(["umount", str(place)], check=True)


def test_a_read_only_folder(prefix, tmp_path, mounted):
    with pytest.raises(FreezeError) as stopped:
        freeze(prefix, mounted("ro") / "m.pb", "logits")
    assert stopped.value.key == "no write"
    assert "Read-only" in str(stopped.value)


@pytest.mark.skipif(os.name != "posix", reason="there are no such permissions")
def test_a_folder_without_permission(prefix, tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir(0o555)
    if os.access(folder, os.W_OK):
        pytest.skip("root may write everywhere")
    with pytest.raises(FreezeError) as stopped:
        freeze(prefix, folder / "m.pb", "logits")
    assert stopped.value.key == "no write"


def test_a_full_disk(prefix, tmp_path, mounted):
    place = mounted("size=4k")
    with pytest.raises(FreezeError) as stopped:
        freeze(prefix, place / "m.pb", "logits")
    assert stopped.value.key == "no write"
    assert list(place.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="there is no such limit")
def test_a_file_that_may_not_grow(prefix, tmp_path):
    (tmp_path / "out").mkdir()
    program = f"""
        import resource, sys
        import npu_lab.tf1
        from npu_lab.extras.freeze import FreezeError, freeze
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            freeze({prefix!r}, {str(tmp_path / "out" / "m.pb")!r}, "logits")
        except FreezeError as error:
            print(error.key)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "no write", done.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_both_languages_have_the_same_facts():
    for key, both in _texts.TEXTS.items():
        assert len(both) == len(LANGUAGES)
        facts = [set(re.findall(r"{(\w+)", one)) for one in both]
        assert facts[0] == facts[1], key


def test_every_text_is_used():
    folder = Path(_texts.__file__).parent
    code = "".join(
        p.read_text("utf-8") for p in folder.glob("*.py") if "_texts" not in p.name
    )
    built = {f"training {kind}" for kind in ("dropout", "batch norm", "update")}
    unused = [k for k in _texts.TEXTS if f'"{k}"' not in code and k not in built]
    assert unused == []


def test_the_conditions_of_1_15(tmp_path):

    from tensorflow.python.ops import gen_control_flow_ops

    switch, merge = gen_control_flow_ops.switch, gen_control_flow_ops.merge

    def build():
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        training = tf.placeholder(tf.bool, [], name="is_training")
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        off, on = switch(x * w, training)
        pivot = tf.identity(switch(training, training)[1])
        with tf.control_dependencies([pivot]):
            rate = tf.constant(0.5)
        dropped = tf.nn.dropout(on, rate=rate)
        tf.identity(merge([tf.identity(off) * 2.0, dropped])[0], name="y")

    source = saved(tmp_path, build)
    key, text = refused(source, tmp_path / "out", "y")
    assert (key, "--set is_training=False" in text) == ("training set", True)
    made = freeze(source, tmp_path / "m.pb", "y", constants={"is_training": False})
    assert made.random == ()
    kinds = {n.op for n in tf.GraphDef.FromString(made.path.read_bytes()).node}
    assert not kinds & {"Switch", "Merge", "RandomUniform"}
    x = IMAGES[:4, :3]
    assert networks.near(networks.frozen(made.path, x), 2 * x)


def test_pictures_of_any_size(tmp_path):
    def build(layers=5):
        hidden = tf.placeholder(tf.float32, [None, None, None, 3], name="x")
        for _ in range(layers):
            hidden = tf.layers.conv2d(hidden, 4, 3, 2)
        tf.reduce_mean(hidden, [1, 2], name="y")

    # Smaller ones are empty after the fifth layer, and their mean is anything
    made = freeze(saved(tmp_path, build), tmp_path / "m.pb", "y")
    assert made.difference <= 1e-6


def test_a_model_that_gives_no_number(tmp_path):
    def build():
        x = tf.placeholder(tf.float32, [None], name="x")
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        tf.multiply(w * x, float("nan"), name="y")

    key, text = refused(saved(tmp_path, build), tmp_path / "out", "y")
    assert (key, "no finite number" in text) == ("made up", True)
