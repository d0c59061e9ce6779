"""What a profile of a real training holds, and that it changes no number."""

from __future__ import annotations

import csv
import json
import threading
from pathlib import Path
from typing import Any

import pytest

import npu_lab.tf1 as tf
from npu_lab.extras.tuning import profiling
from npu_lab.extras.tuning.profiling import collecting, tables
from tests.device import models


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where profiles go; the log is beside it."""
    made = tmp_path / "profiles"
    made.mkdir()
    return made


def npu() -> Any:
    from npu_bridge import npu_init

    return npu_init


def train(n: int, steps: int, config: Any, build: Any = models.mlp) -> list[float]:
    with tf.Graph().as_default():
        model = build()
        with models.session(model, config) as session:
            sunk = npu().util.set_iteration_per_loop(session, model.train, n)
            found = [session.run([sunk, model.loss])[1] for _ in range(steps // n)]
            return [*found, float(session.run(model.weights).sum())]


def config(n: int, folder: Path, **options: str) -> Any:
    given = json.dumps({"output": str(folder), **options})
    return models.config(n, profiling_mode=True, profiling_options=given)


def names(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()}


def rows(profile: Any, name: str) -> list[dict[str, str]]:
    with (profile.folder / f"{name}.csv").open(newline="") as opened:
        return list(csv.DictReader(opened))


@pytest.mark.parametrize("n", [1, 10])
def test_a_profiled_training_has_its_folder_and_the_same_numbers(device, folder, n):
    got = train(n, 60, config(n, folder))
    assert got == train(n, 60, models.config(n))
    (made,) = folder.iterdir()
    assert made.name.startswith("PROF_000001_")
    tables_there = {f"{name}.csv" for name in tables.COLUMNS}
    assert names(made) == tables_there | {"profile.json"}
    profile = profiling.read(made)
    assert profile.model is not None
    about = json.loads((made / "profile.json").read_text("utf-8"))
    mine = about["models"][str(profile.model)]
    assert mine["iterations"] == 60
    steps = [r for r in profile.step_trace if r["Model ID"] == profile.model]
    assert len(steps) == mine["recorded"] >= 10
    recorded = [row["Iteration ID"] for row in steps]
    assert recorded == sorted({*recorded})
    assert recorded[0] == 1
    assert recorded[-1] <= 60
    del device


def test_the_tables_agree_with_each_other(device, folder):
    del device
    train(10, 100, config(10, folder))
    profile = profiling.read(profiling.latest(folder))
    end = 0.0
    for row in profile.step_trace:
        begin, back, finish = (
            row[name] for name in ("FP Start(us)", "BP End(us)", "Iteration End(us)")
        )
        assert begin <= back <= finish
        assert row["Iteration Time(us)"] == pytest.approx(finish - begin, abs=1)
        parts = row["FP to BP Time(us)"] + row["Iteration Refresh(us)"]
        assert row["Iteration Time(us)"] == pytest.approx(parts, abs=0.01)
        assert begin >= end  # one after the other
        end = finish
        assert row["Reduce Start(us)"] is None
    by_type: dict[str, list[float]] = {}
    for row in profile.op_summary:
        by_type.setdefault(row["OP Type"], []).append(row["Task Duration(us)"])
        assert row["Task Wait Time(us)"] >= 0
        assert "npu_lab" not in row["Op Name"]
    assert sum(r["Ratio(%)"] for r in profile.op_statistic) == pytest.approx(100, 1e-3)
    for row in profile.op_statistic:
        found = by_type.pop(row["OP Type"])
        assert row["Count"] == len(found)
        assert row["Total Time(us)"] == pytest.approx(sum(found), abs=0.1)
        assert row["Min Time(us)"] == pytest.approx(min(found), abs=0.01)
        assert row["Max Time(us)"] == pytest.approx(max(found), abs=0.01)
    assert not by_type


def test_operators_have_the_users_names_and_shapes(device, folder):
    del device
    train(10, 20, config(10, folder))
    profile = profiling.read(profiling.latest(folder))
    made = [row for row in profile.op_summary if row["Op Name"] == "MatMul"]
    assert len(made) == 20  # calls 1 and 2, each of ten
    for row in made:
        assert row["OP Type"] == "MatMul"
        assert row["Input Shapes"] == "8,12;12,16"
        assert row["Output Shapes"] == "8,16"
        assert row["Output Data Types"] == "float32"
        for absent in ("Stream ID", "Task Type", "Block Dim", "Input Formats"):
            assert row[absent] is None


def test_a_slow_pipeline_is_seen_and_told(device, folder, monkeypatch):
    del device
    monkeypatch.setenv("NPU_LAB_LANG", "en")

    def slow() -> Any:
        def wait(value: Any) -> Any:
            threading.Event().wait(0.01)
            return value

        data = tf.data.Dataset.from_tensors((models.IMAGES[:8], models.LABELS[:8]))
        data = data.repeat().map(
            lambda x, y: (tf.reshape(tf.py_func(wait, [x], tf.float32), [8, 12]), y)
        )
        iterator = tf.data.make_initializable_iterator(data)
        x, y = iterator.get_next()
        w = tf.get_variable("w", [12, 4], initializer=tf.zeros_initializer())
        return models._model(
            tf.matmul(x, w), y, w, {"initializer": iterator.initializer}
        )

    train(10, 20, config(10, folder), slow)
    profile = profiling.read(profiling.latest(folder))
    assert profile.medians["Data Aug Bound"] > 8
    assert profile.get_next > 8
    assert [key for key, _ in profiling.findings(profile)] == ["data bound"]
    said = profiling.report(profile)
    assert "the input pipeline is too slow" in said
    assert "measured" in said
    for picture in (
        profiling.plot_step_trace(profile),
        profiling.plot_operators(profile),
    ):
        assert picture.png.startswith(b"\x89PNG")
        assert "measured" in picture.provenance
    assert "Data Aug Bound" in profiling.plot_step_trace(profile).alt


def test_a_long_way_to_the_device_is_no_slow_pipeline(device, folder):
    device.link_delay = 0.01
    train(1, 30, config(1, folder))
    profile = profiling.read(profiling.latest(folder))
    assert profile.medians["Data Aug Bound"] > 10
    assert [key for key, _ in profiling.findings(profile)] == ["interval bound"]


def test_what_is_switched_off_is_not_written(device, folder):
    del device
    train(10, 20, config(10, folder, training_trace="off"))
    (made,) = folder.iterdir()
    assert "step_trace.csv" not in names(made)
    other = folder / "other"
    other.mkdir()
    train(10, 20, config(10, other, task_time="off"))
    (made,) = other.iterdir()
    assert names(made) == {"profile.json", "step_trace.csv"}
    profiling.read(made)


def test_the_points_can_be_given(device, folder):
    del device
    train(10, 20, config(10, folder, fp_point="MatMul_1", bp_point="Relu"))
    profile = profiling.read(profiling.latest(folder))
    first = {
        row["Task Start Time(us)"]
        for row in profile.op_summary
        if row["Op Name"] == "MatMul_1"
    }
    for row in profile.iterations:
        assert min(abs(row["FP Start(us)"] - one) for one in first) < 1


def test_the_environment_asks_and_the_code_decides(device, folder, monkeypatch):
    del device
    monkeypatch.setenv("PROFILING_MODE", "true")
    options = json.dumps({"output": str(folder)})
    monkeypatch.setenv("PROFILING_OPTIONS", options)
    train(10, 20, models.config(10))
    assert len(names(folder)) == 1
    train(10, 20, models.config(10, profiling_mode=False))
    assert len(names(folder)) == 1
    monkeypatch.setenv("PROFILING_MODE", "false")
    train(10, 20, models.config(10))
    assert len(names(folder)) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("{", "no JSON"),
        ("[]", "no JSON"),
        ('{"outptu": "."}', "outptu"),
        ('{"output": 3}', "string"),
        ('{"aicpu": "maybe"}', "aicpu"),
        ('{"storage_limit": "3"}', "storage_limit"),
        ('{"output": "/no/such/folder"}', "/no/such/folder"),
    ],
)
def test_wrong_options_are_an_internal_error(device, options, said):
    del device
    proto = models.config(10, profiling_mode=True, profiling_options=options)
    with pytest.raises(tf.errors.InternalError, match=said):
        train(10, 20, proto)


def test_a_storage_limit_ends_recording(device, folder, monkeypatch):
    del device
    monkeypatch.setattr("npu_lab.extras.tuning.profiling.settings.MEGABYTE", 1)
    train(1, 30, config(1, folder, storage_limit="10MB"))
    profile = profiling.read(profiling.latest(folder))
    found = [r for r in profile.step_trace if r["Model ID"] == profile.model]
    assert len(found) < 3


def test_recording_is_within_its_budget(device, folder, monkeypatch):
    del device
    monkeypatch.setattr(collecting, "FIRST", 4)
    monkeypatch.setattr(collecting, "BUDGET", 0.0)
    made = collecting.Collection(
        profiling.collecting.Settings(folder)  # type: ignore[attr-defined]
    )
    made._spent = 1.0
    kinds = [made._records(collecting._Model(1, calls=n)) for n in range(8)]
    assert kinds == [True, True, False, False, False, False, False, False]


def test_nothing_is_half_written(device, folder, monkeypatch, capsys):
    del device

    def fail(*_: Any) -> str:
        raise OSError("no space left")

    monkeypatch.setattr(tables, "written", fail)
    train(10, 20, config(10, folder))
    assert list(folder.iterdir()) == []
    assert "no space left" in capsys.readouterr().err


class TestProfiler:
    def test_it_profiles_its_block_only(self, device, folder):
        with tf.Graph().as_default():
            model = models.softmax()
            with models.session(model, models.config(10)) as session:
                sunk = npu().util.set_iteration_per_loop(session, model.train, 10)
                session.run(sunk)
                with npu().profiler.Profiler(output_path=str(folder)) as made:
                    session.run(sunk)
                    session.run(sunk)
                assert made.folder == profiling.latest(folder)
                session.run(sunk)
        steps = profiling.read(made.folder).step_trace
        assert [row["Iteration ID"] for row in steps] == [*range(1, 21)]
        assert device.ledger.device_iterations == 40

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"level": "L3"}, "level"),
            ({"aic_metrics": "Memory"}, "L1"),
            ({"level": "L1", "aic_metrics": "Speed"}, "aic_metrics"),
            ({"output_path": "/no/such"}, "/no/such"),
        ],
    )
    def test_wrong_arguments_are_refused_when_it_begins(self, device, given, said):
        del device
        made = npu().profiler.Profiler(**given)
        with pytest.raises(RuntimeError, match=said), made:
            pass

    def test_only_strings_are_options(self, device):
        del device
        for name in ("level", "aic_metrics", "output_path"):
            with pytest.raises(ValueError, match=name):
                npu().profiler.Profiler(**{name: 1})
        with pytest.raises(TypeError):
            npu().profiler.Profiler("L0")

    def test_two_are_not_nested(self, device, folder):
        del device
        profiler = npu().profiler.Profiler
        with (
            profiler(output_path=str(folder)),
            pytest.raises(RuntimeError, match="nested"),
            profiler(),
        ):
            pass
        with profiler(output_path=str(folder)):
            pass
        assert list(folder.iterdir()) == []  # nothing ran

    def test_it_does_not_go_with_profiling_mode(self, device, folder):
        del device
        with (
            npu().profiler.Profiler(output_path=str(folder)),
            pytest.raises(tf.errors.InvalidArgumentError, match="profiling_mode"),
        ):
            train(10, 20, config(10, folder))


def test_the_users_own_run_options_are_left_alone(device, folder):
    del device
    with tf.Graph().as_default():
        model = models.softmax()
        with models.session(model, config(1, folder)) as session:
            metadata = tf.RunMetadata()
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            session.run(model.train, options=options, run_metadata=metadata)
            assert metadata.step_stats.dev_stats
    profile = profiling.read(profiling.latest(folder))
    kinds = {row["OP Type"] for row in profile.op_summary}
    assert "ResourceApplyMomentum" not in kinds


def test_without_profiling_the_quick_path_is_open(device, folder):
    train(1, 5, models.config(1))
    assert device.observer is None
    assert device.undisturbed
    train(1, 5, config(1, folder))
    assert device.observer is not None
