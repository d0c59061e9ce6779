"""Ranks that train: what the launcher says of the ways in which that can fail."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.extras.distributed.launcher.repeated import KINDS, TROUBLE, run, wrong

VARIANTS = [
    (kind, *variant) for kind, variants in KINDS.items() for variant in variants
]


@pytest.mark.parametrize(
    ("kind", "launched", "message"),
    VARIANTS,
    ids=[f"{kind} {n}" for n, (kind, _, _) in enumerate(VARIANTS)],
)
def test_a_failure_ends_in_time_with_the_right_message(
    tmp_path: Path, kind, launched, message
):
    outcome = launched(tmp_path)
    # A busy machine may take its time to import TensorFlow; the time is for `repeated`.
    faults = [name for name in wrong(outcome, message) if "longer" not in name]
    assert not faults, outcome.said


def test_a_rank_with_fewer_batches_is_the_first(tmp_path: Path):
    outcome = run(tmp_path, "--ranks", 2, TROUBLE, "fewer")
    assert outcome.status == 1
    message = (
        "npu-lab: rank 1 failed first, after step 137 (training calls: 14): OutOfR"
    )
    assert outcome.message.startswith(message)
    said = outcome.said.splitlines()
    assert said[1] == outcome.message
    assert said[2] == f"npu-lab: the end of {tmp_path}/job/rank_1.log:"
    assert any("[rank 1] " in line and "SINK030" in line for line in said[3:])
    assert not [line for line in said if line.startswith("[rank 0]")]


def test_all_is_well_and_the_reports_say_so(tmp_path: Path):
    report = tmp_path / "report.json"
    options = ("--ranks", 2, "--report", report, "--trace")
    outcome = run(tmp_path, *options, TROUBLE, "ends")
    assert outcome.status == 0, outcome.said
    told = json.loads(report.read_text("utf-8"))
    assert (told["exit"], told["first_failure"]) == ("ok", None)
    assert told["totals"]["training_calls"] == 10
    assert told["totals"]["batches_pulled"] == 100
    for number, rank in enumerate(told["ranks"]):
        assert (rank["status"], rank["steps"], rank["calls"]) == (0, 50, 5)
        own = json.loads((tmp_path / f"job/rank_{number}.json").read_text("utf-8"))
        assert rank["report"] == own
        assert own["loops"][0]["in_effect"]
        assert own["log"]["path"].startswith(f"{tmp_path}/job/rank_{number}.plog")
        assert json.loads(Path(rank["trace"]).read_text("utf-8"))["traceEvents"]
        assert f"[rank {number}] npu-lab: IterationOp: loop in effect" in outcome.out
    rows = outcome.said.splitlines()[1:5]
    assert [" ".join(row.split()) for row in rows] == [
        "rank ended steps training calls host calls batches loop",
        "0 ok 50 5 11 50 in effect, N 10",
        "1 ok 50 5 11 50 in effect, N 10",
        "job ok 50 10 22 100 in effect, N 10",
    ]


def test_ctrl_c_in_the_sunk_loop_does_not_wait_for_the_collective(
    tmp_path: Path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    launcher = subprocess.Popen(
        [
            *(sys.executable, "-m", "npu_lab", "launch", "--ranks", "2"),
            *("--folder", "job", TROUBLE, "long"),
        ],
        env={**os.environ},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while not all((tmp_path / f"trains_{rank}").exists() for rank in (0, 1)):
        assert launcher.poll() is None
        assert time.monotonic() < until
        time.sleep(0.05)
    sent = time.monotonic()
    launcher.send_signal(signal.SIGINT)
    said = launcher.communicate(timeout=60)[1]
    assert time.monotonic() - sent < 8  # a collective may take 10 s to give up
    assert launcher.returncode == 130
    assert "npu-lab: ended by SIGINT" in said
    for rank in (0, 1):
        told = json.loads((tmp_path / f"job/rank_{rank}.json").read_text("utf-8"))
        assert told["exit"] == "error"
        assert told["device_iterations"] >= 10
