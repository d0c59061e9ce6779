"""What is said before a training with a loop, without running one."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.device import Device
from npu_lab.diagnostics import Diagnostic, NpuLabWarning
from npu_lab.language import LANGUAGES, VARIABLE
from npu_lab.tf1.estimator import loop_rules


class Loads(tf.train.SessionRunHook):
    def __init__(self, iterations_per_loop: int | None) -> None:
        self.iterations_per_loop = iterations_per_loop


def session_config(n: int, **switches: bool) -> Any:
    config = tf.ConfigProto()
    optimizer = config.graph_options.rewrite_options.custom_optimizers.add()
    optimizer.name = "NpuOptimizer"
    optimizer.parameter_map["iterations_per_loop"].i = n
    for key, value in switches.items():
        optimizer.parameter_map[key].b = value
    return config


def hooks(**intervals: Any) -> list[Any]:
    """Hooks as an Estimator makes them: saver, lines, summaries."""
    made = {
        "save": lambda steps: tf.train.CheckpointSaverHook(".", save_steps=steps),
        "save_secs": lambda secs: tf.train.CheckpointSaverHook(".", save_secs=secs),
        "lines": lambda calls: tf.train.LoggingTensorHook([], every_n_iter=calls),
        "at_end": lambda at_end: tf.train.LoggingTensorHook([], at_end=at_end),
        "summary": lambda steps: tf.train.SummarySaverHook(
            save_steps=steps, output_dir=".", summary_op="loss"
        ),
    }
    return [made[name](value) for name, value in intervals.items()]


def say(
    device: Device,
    more: list[Any],
    first: int = 0,
    last: int | None = 60,
    *,
    n: int | None = 10,
    option: int = 10,
    batch: int | None = 4,
    name: str = "IterationOp",
    **switches: bool,
) -> list[Diagnostic]:
    """What is reported about a training; the note is looked at and left out."""
    del device.diagnostics[:]
    with tf.Graph().as_default(), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        tf.group(tf.no_op(), name=name)
        config = session_config(option, **switches)
        loop_rules.announce([Loads(n), *more], first, last, batch, config)
    note, *rest = device.diagnostics
    assert (note.code, note.severity) == ("SINK050", "info")
    assert [str(one.message) for one in warned] == [one.text() for one in rest]
    assert all(one.category is NpuLabWarning for one in warned)
    return rest


def outcome(found: list[Diagnostic]) -> str:
    (one,) = found
    return str(one.facts["outcome"]["en"])


def test_nothing_is_said_of_a_training_that_fits(device: Device) -> None:
    fits = hooks(save=20, lines=100)
    assert say(device, fits) == []
    assert say(device, hooks(save=20, lines=2)) == []
    assert say(device, fits, first=25, last=65) == []


@pytest.mark.parametrize(
    ("code", "intervals", "last", "broken", "says"),
    [
        ("SINK045", {"save": 20}, 55, "steps=55", "6 host calls and ends at step 60"),
        (
            "SINK046",
            {"save": 15},
            60,
            "save_checkpoints_steps=15",
            "checkpoints are written at the steps 0, 20, 40, 60 (4 in all)",
        ),
        (
            "SINK046",
            {"save": 3},
            60,
            "save_checkpoints_steps=3",
            "written at the steps 0, 10, 20, ..., 60 (7 in all)",
        ),
        (
            "SINK047",
            {"summary": 9},
            60,
            "save_summary_steps=9",
            "land at the steps 10, 30, 50 (3 in all)",
        ),
        (
            "SINK048",
            {"lines": 50},
            60,
            "log_step_count_steps=50",
            "lines with the loss come at the steps 10 (1 in all)",
        ),
    ],
)
def test_a_broken_rule_is_one_warning(
    device: Device,
    code: str,
    intervals: dict[str, int],
    last: int,
    broken: str,
    says: str,
) -> None:
    found = say(device, hooks(**intervals), last=last)
    assert [(one.code, one.severity) for one in found] == [(code, "warning")]
    assert broken in found[0].message
    assert says in outcome(found)
    assert says in found[0].message
    assert say(device, hooks(**intervals), last=last, n=1, option=1) == []


def test_several_broken_rules_are_one_warning_that_names_all(device: Device) -> None:
    found = say(device, hooks(save=15, lines=40, summary=1), first=5, last=60)
    assert [one.code for one in found] == ["SINK049"]
    for text in (
        "steps=55, save_checkpoints_steps=15, save_summary_steps=1,"
        " log_step_count_steps=40",
        "training makes 6 host calls and ends at step 65",
        "checkpoints are written at the steps 5, 25, 45, 65 (4 in all)",
        "the lines with the loss come at the steps 15 (1 in all)",
        "points of summaries land at the steps 15, 25, 35, ..., 65 (6 in all)",
    ):
        assert text in found[0].message


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_the_warning_is_in_one_language(
    device: Device, monkeypatch: pytest.MonkeyPatch, spoken: str
) -> None:
    monkeypatch.setenv(VARIABLE, spoken)
    (found,) = say(device, hooks(save=15, lines=40, summary=1), last=55)
    chinese = any("\u4e00" <= letter <= "\u9fff" for letter in found.text())
    assert chinese == (spoken == "zh")
    assert ("checkpoints are written" in found.text()) == (spoken == "en")


def test_an_open_ended_training_has_no_end_to_speak_of(device: Device) -> None:
    said = outcome(say(device, hooks(save=15, lines=3, summary=9), last=None))
    assert said == (
        "checkpoints are written at the steps 0, 20, 40, ...;"
        " the lines with the loss come at the steps 10, 40, 70, ...;"
        " points of summaries land at the steps 10, 30, 50, ..."
    )
    assert say(device, hooks(save=20, lines=50), last=None) == []


def test_hooks_that_go_by_the_clock_have_no_steps(device: Device) -> None:
    found = say(device, hooks(save_secs=60, at_end=True), last=55)
    assert outcome(found) == "training makes 6 host calls and ends at step 60"


def test_of_several_savers_the_one_that_does_not_fit_is_named(device: Device) -> None:
    found = say(device, [*hooks(save=10), *hooks(save=25), *hooks(save=30)])
    assert "save_checkpoints_steps=25" in found[0].message


def test_of_several_hooks_with_lines_the_most_frequent_counts(device: Device) -> None:
    assert say(device, [*hooks(lines=5), *hooks(lines=50)]) == []


@pytest.mark.parametrize(
    "without",
    [
        {"n": None},
        {"option": 1},
        {"name": "train"},
        {"mix_compile_mode": True},
        {"use_off_line": False},
    ],
)
def test_without_a_loop_no_rule_is_broken(
    device: Device, without: dict[str, Any]
) -> None:
    assert say(device, hooks(save=15, summary=1, lines=40), last=55, **without) == []
    assert device.diagnostics[0].facts["updates"] == 55


def test_the_loaded_number_counts_where_the_option_is_another(device: Device) -> None:
    found = say(device, hooks(save=10), last=55, n=5, option=10)
    assert found == []
    assert device.diagnostics[0].facts["updates"] == 55


def test_no_loop_is_expected_where_the_first_run_will_fail(device: Device) -> None:
    with tf.Graph().as_default():
        data = tf.data.Dataset.range(9)
        value = tf.data.make_one_shot_iterator(data).get_next()
        tf.group(value, name="IterationOp")
        loop_rules.announce([Loads(10)], 0, 55, None, session_config(10))
    assert [one.code for one in device.diagnostics] == ["SINK050"]


@pytest.mark.parametrize(
    ("size", "ranks"), [(None, 1), ("", 1), ("2", 2), ("two", 1), ("0", 1)]
)
def test_the_note_has_all_the_numbers(
    device: Device, monkeypatch: pytest.MonkeyPatch, size: str | None, ranks: int
) -> None:
    monkeypatch.delenv("RANK_SIZE", raising=False)
    if size is not None:
        monkeypatch.setenv("RANK_SIZE", size)
    say(device, hooks(save=15), first=5, last=60)
    assert device.diagnostics[0].facts == {
        "updates": 60,
        "batch": 4,
        "ranks": ranks,
        "global_batch": 4 * ranks,
        "samples": 240 * ranks,
    }


def test_what_is_not_known_is_called_unknown(device: Device) -> None:
    say(device, [], last=60, batch=None)
    assert "60 updates with a batch of unknown" in device.diagnostics[0].message
    say(device, [], last=None, batch=4)
    text = device.diagnostics[0].message
    assert "unknown updates with a batch of 4; devices: 1, global batch: 4" in text
    assert "samples in all: unknown" in text


def test_the_note_is_logged_where_the_lines_with_the_loss_are(
    device: Device, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", logger="tensorflow"):
        say(device, [])
    assert device.diagnostics[0].text() in caplog.messages


def test_without_a_device_nothing_is_said() -> None:
    npu_lab.deactivate()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loop_rules.announce([Loads(10), *hooks(save=15)], 0, 55, 4)
