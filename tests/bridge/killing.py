"""Trains in child processes that are killed: `python -m tests.bridge.killing FOLDER`.

TensorFlow is imported once; each child is a fork, made before any session is there.
Writes what happened to FOLDER/told.json.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

KILLS, STEPS, N, EVERY = 30, 6000, 10, 20
PATIENCE = 60  # seconds


def train(folder: Path, told: Path, every: int) -> None:
    """Train to the last step; tell which was to be the first, and which it was."""
    from npu_bridge.npu_init import NPUEstimator, NPURunConfig

    import npu_lab.tf1 as tf
    from tests.bridge import estimators

    class Telling(tf.train.SessionRunHook):  # type: ignore[misc]
        def after_create_session(self, session: Any, coord: Any) -> None:
            newest = tf.train.latest_checkpoint(str(folder))
            wanted = int(newest.rpartition("-")[2]) if newest else 0
            first = int(session.run(tf.train.get_global_step()))
            with told.open("a", encoding="utf-8") as file:
                file.write(f"{wanted} {first}\n")

    config = NPURunConfig(
        iterations_per_loop=N,
        save_checkpoints_steps=every,
        keep_checkpoint_max=3,
        log_step_count_steps=None,
    )
    estimator = NPUEstimator(estimators.model_fn, str(folder), config, {})
    estimator.train(estimators.one_batch, [Telling()], max_steps=STEPS)


def child(folder: Path, told: Path, every: int = EVERY) -> int:
    """The process that trains."""
    number = os.fork()
    if number:
        return number
    failed = 1
    try:
        train(folder, told, every)
        failed = 0
    finally:
        os._exit(failed)


def ended(number: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def saved(folder: Path) -> int:
    """The step of the newest checkpoint that can be seen."""
    steps = [int(p.stem.rpartition("-")[2]) for p in folder.glob("model.ckpt-*.index")]
    return max(steps, default=0)


def main(folder: Path) -> None:
    os.environ["JOB_ID"] = "1"
    import npu_lab

    npu_lab.activate(view=True)
    import npu_bridge.npu_init  # noqa: F401

    chance = random.Random(7)  # noqa: S311
    told, codes = folder / "told.txt", []
    for kill in range(KILLS):
        wanted = saved(folder / "killed") + EVERY * chance.randint(1, 9)
        number = child(folder / "killed", told)
        if kill % 3 == 2:
            time.sleep(chance.uniform(0, 1))  # while it makes itself ready
        else:
            until = time.monotonic() + PATIENCE
            while saved(folder / "killed") < wanted and time.monotonic() < until:
                time.sleep(0.002)
            time.sleep(chance.uniform(0, 0.03))  # in a loop, or while it saves
        os.kill(number, signal.SIGKILL)
        codes.append(ended(number))
    codes.append(ended(child(folder / "killed", told)))
    codes.append(ended(child(folder / "whole", folder / "other.txt", STEPS)))
    (folder / "codes.json").write_text(json.dumps(codes), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
