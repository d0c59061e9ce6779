"""`npu-lab tune`, end to end and with made-up trials."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from npu_lab import cli
from npu_lab.extras.tuning.tune import tuning
from npu_lab.extras.tuning.tune._texts import TEXTS
from npu_lab.extras.tuning.tune.tuning import Asked, TuneError
from npu_lab.timing import TimingModel

SCRIPT = """
import sys
from npu_bridge.npu_init import *
import tensorflow as tf

data = tf.data.Dataset.range(1000).repeat().batch(4, drop_remainder=True)
iterator = tf.data.make_initializable_iterator(data)
x = tf.cast(iterator.get_next(), tf.float32)
w = tf.get_variable("w", [], tf.float32, tf.zeros_initializer())
step = tf.train.get_or_create_global_step()
loss = tf.reduce_mean((w - x) ** 2)
train = tf.train.GradientDescentOptimizer(1e-6).minimize(loss, global_step=step)
config = tf.ConfigProto()
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["use_off_line"].b = True
npu.parameter_map["enable_data_pre_proc"].b = True
if "plain" not in sys.argv:
    npu.parameter_map["iterations_per_loop"].i = 10
with tf.Session(config=config) as session:
    session.run(tf.global_variables_initializer())
    session.run(iterator.initializer)
    first = train
    if "plain" not in sys.argv:
        train = util.set_iteration_per_loop(session, train, 10)
    if "wrong" in sys.argv:
        train = first
    for number in range(100000):
        session.run(train)
        if number % 10 == 0:
            tf.train.Saver().save(session, "model")
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(SCRIPT, "utf-8")
    return path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "npu_lab", "tune", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )


def test_a_script_is_tuned_and_left_as_it_is(script, monkeypatch):
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    folder = script.parent
    ended = run(
        folder, "--numbers", "1,10,30", "--steps", "200", "--seconds", "0.05",
        "--repeats", "1", "--report", "r.json", str(script),
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert "N = 30 is not tried: 200 is no multiple of it." in ended.stderr
    found = json.loads((folder / "r.json").read_text("utf-8"))
    assert found["own"] == 10
    assert set(found["seconds_per_step"]) == {"1", "10"}
    assert found["recommended"] in (1, 10)
    assert f"iterations_per_loop = {found['recommended']}" in ended.stdout
    assert not list(folder.glob("model*"))  # checkpoints went elsewhere
    assert not (folder / "checkpoint").exists()
    assert script.read_text("utf-8") == SCRIPT


@pytest.mark.parametrize(
    ("argument", "said"),
    [("plain", "sets up no loop"), ("wrong", "SINK001"), ("", "no such script")],
)
def test_where_nothing_can_be_recommended_it_says_why(
    script, monkeypatch, argument, said
):
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    given = [str(script), argument] if argument else ["missing.py"]
    ended = run(script.parent, *given)
    assert ended.returncode == (1 if argument else 2)
    assert said in ended.stderr


@pytest.mark.parametrize(
    "given", [["--steps", "0"], ["--numbers", "1,x"], ["--seconds", "-1"], []]
)
def test_wrong_usage_is_status_2(given, script):
    assert cli.main(["tune", *given, *([str(script)] if given else [])]) == 2


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Trials that take what a model says."""
    model = TimingModel(2e-4, launch_seconds=1e-3)
    scout = {"options": [10], "saves": [], "logs": [], "stops": [], "data": "fresh"}
    asked: list[tuple[int, int]] = []

    def trial(given: Asked, n: int, warm: int, calls: int) -> dict[str, Any]:
        del given
        asked.append((n, n * calls if n else 0))
        loop = {"state": "", "in_effect": n != 1, "data": scout["data"], "why": []}
        return {
            **scout,
            "calls": warm + calls,
            "loops": [loop],
            "seconds_per_step": model.seconds_per_step(n or 10),
        }

    monkeypatch.setenv("NPU_LAB_LANG", "en")
    monkeypatch.setattr(tuning, "_trial", trial)
    scout["asked"] = asked
    return scout


def test_all_trials_run_the_same_steps_in_turns(made_up):
    tuned = tuning.tune(Asked(Path("x.py"), steps=1000, repeats=2), print)
    trials = made_up["asked"][1:]
    assert len({steps for _, steps in trials}) == 1
    half = len(trials) // 2
    assert trials[:half] == trials[half:]
    assert (tuned.n, tuned.best) == (100, 200)  # 2.1e-4 is near enough to 2.05e-4


def test_the_hooks_of_the_script_tell_steps_and_interval(made_up):
    made_up["stops"], made_up["saves"] = [600], [20]
    tuned = tuning.tune(Asked(Path("x.py"), repeats=1), print)
    assert set(tuned.times) <= {1, 2, 4, 5, 10, 20}
    said = "\n".join(tuning.lines(tuned, 1))
    assert "the 600 steps of the training and the checkpoint interval, 20" in said
    assert "Checkpoints are 20 steps apart (asked for: 20)." in said
    assert "30 calls of sess.run train 600 steps" in said


def test_without_steps_it_says_what_to_choose(made_up):
    del made_up
    said = "\n".join(tuning.lines(tuning.tune(Asked(Path("x.py")), print), 3, 0.01))
    assert "choose them as a multiple of 100" in said
    assert "divide the number of calls of sess.run by 100" in said
    assert "injected: 0.01 s" in said


def test_repeated_data_keep_n_at_1(made_up):
    made_up["data"] = "repeated"
    tuned = tuning.tune(Asked(Path("x.py"), steps=1000), print)
    assert tuned.n == 1
    assert "The data are repeated" in "\n".join(tuning.lines(tuned, 3))


# Microseconds per step. In the first the timing model takes another N than the clock.
@pytest.mark.parametrize(
    ("times", "n", "reason"),
    [
        (
            {1: 5953, 10: 1625, 40: 740, 100: 820},
            100,
            "N = 40 was 10.8 % faster in these trials, but by the timing model fitted"
            " to all of them N = 100 is",
        ),
        (
            {1: 1200, 10: 300, 100: 210, 200: 205},
            100,
            "N = 200 is the fastest, but only 2.4 % faster",
        ),
        ({1: 4000, 10: 2000, 100: 1000}, 100, "It is the fastest of those tried"),
    ],
)
def test_the_reason_given_is_the_one_that_decided(
    made_up, monkeypatch, times, n, reason
):
    del made_up
    trial = tuning._trial

    def timed(asked: Asked, n: int, warm: int, calls: int) -> dict[str, Any]:
        found = trial(asked, n, warm, calls)
        return {**found, "seconds_per_step": times[n or 10] / 1e6}

    monkeypatch.setattr(tuning, "_trial", timed)
    tuned = tuning.tune(Asked(Path("x.py"), numbers=tuple(times), repeats=1), print)
    assert tuned.n == n
    assert reason in "\n".join(tuning.lines(tuned, 1))


def test_a_loop_that_is_not_in_effect_ends_it(monkeypatch, made_up):
    del made_up
    good = tuning._trial

    def bad(given: Asked, n: int, warm: int, calls: int) -> dict[str, Any]:
        found = good(given, n, warm, calls)
        return {**found, "loops": []} if n > 5 else found

    monkeypatch.setattr(tuning, "_trial", bad)
    with pytest.raises(TuneError, match="not in effect at N = 10"):
        tuning.tune(Asked(Path("x.py")), print)


def test_both_languages_have_every_text_with_the_same_facts():
    for key, row in TEXTS.items():
        assert set(row) == {"en", "zh"}, key
