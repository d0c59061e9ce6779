"""Tries a script at several N and says which one to take."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npu_lab.extras.tuning.tune import rules
from npu_lab.extras.tuning.tune._texts import text

SCOUT_CALLS = 6
WARM_STEPS = 20
NOISE = 0.3  # from which the times of one N are said to differ
TAIL = 15  # lines of what a failed script wrote
MICROSECONDS = 1e6


class TuneError(RuntimeError):
    """There is nothing to recommend; the text says why."""


@dataclass(frozen=True)
class Asked:
    """What the command line says."""

    script: Path
    arguments: Sequence[str] = ()
    steps: int | None = None
    interval: int | None = None
    numbers: Sequence[int] = ()
    seconds: float = 2.0
    repeats: int = 3
    link_delay: float = 0.0


@dataclass
class Tuned:
    """What was found; times are seconds per step, the shortest of each N."""

    n: int
    own: int
    times: dict[int, float]
    predicted: dict[int, float]
    trial_steps: int
    steps: int | None
    interval: int | None
    repeated: bool
    all_times: dict[int, list[float]]

    @property
    def best(self) -> int:
        """The fastest N."""
        return min(self.times, key=lambda n: (self.times[n], n))

    @property
    def noise(self) -> float:
        """By which share the times of one N differ at most."""
        return max(max(one) / min(one) - 1 for one in self.all_times.values())

    @property
    def price(self) -> rules.Price:
        """What the recommended N costs."""
        return rules.price(self.n, self.times[self.n], self.steps, self.interval)

    def as_dict(self) -> dict[str, Any]:
        """For the report."""
        return {
            "recommended": self.n,
            "own": self.own,
            "fastest": self.best,
            "steps": self.steps,
            "save_interval": self.interval,
            "data": "repeated" if self.repeated else "fresh",
            "trial_steps": self.trial_steps,
            "seconds_per_step": {str(n): self.all_times[n] for n in self.times},
            "provenance": "measured",
            "predicted": {str(n): one for n, one in self.predicted.items()},
        }


def tune(asked: Asked, say: Callable[[str], None]) -> Tuned:
    """Try the script; `say` gets a line for each trial.

    Raises:
        TuneError: it fails, trains too little, or has no loop that sinks.
    """
    say(text("looking", script=asked.script))
    scout = _trial(asked, 0, 1, SCOUT_CALLS)
    own = _own(scout)
    steps = asked.steps or (scout["stops"] or [None])[-1]
    interval = asked.interval or (scout["saves"] or [None])[-1]
    seconds = _timed(scout, own)
    limit = rules.limit(seconds, asked.seconds)
    if asked.numbers:
        numbers = _safe(asked.numbers, steps, interval, say)
        limit = max(limit, rules.CALLS * max(numbers))
    else:
        intervals = [interval] if interval else []
        numbers = rules.candidates(
            own=own, limit=limit, steps=steps, intervals=intervals
        )
    length = rules.trial_steps(numbers, limit)
    times: dict[int, list[float]] = {n: [] for n in numbers}
    repeated = any(loop["data"] == "repeated" for loop in scout["loops"])
    for number in range(1, asked.repeats + 1):
        for n in numbers:
            calls = length // n
            facts = {"number": number, "rounds": asked.repeats}
            say(text("trying", n=n, calls=calls, **facts))
            found = _trial(asked, n, max(1, math.ceil(WARM_STEPS / n)), calls)
            if n > 1:
                _check_loop(found, n)
            times[n].append(_timed(found, n))
    shortest = {n: min(times[n]) for n in numbers}
    chosen = 1 if repeated and 1 in shortest else rules.recommended(shortest)
    return Tuned(
        n=chosen,
        own=own,
        times=shortest,
        predicted=rules.predicted(shortest),
        trial_steps=length,
        steps=steps,
        interval=interval,
        repeated=repeated,
        all_times=times,
    )


def lines(tuned: Tuned, repeats: int, link_delay: float = 0.0) -> list[str]:
    """The result for a terminal, in the current language."""
    rows = [tuple(text("header").split("|"))]
    best = tuned.times[tuned.best]
    for n, seconds in tuned.times.items():
        modelled = tuned.predicted.get(n)
        rows.append(
            (
                f"{n}{' *' if n == tuned.n else '  '}",
                str(tuned.trial_steps // n),
                f"{seconds * MICROSECONDS:.1f}",
                "-" if modelled is None else f"{modelled * MICROSECONDS:.1f}",
                f"{seconds / best:.2f}",
            )
        )
    facts = {"repeats": repeats, "steps": tuned.trial_steps}
    told = ["  ".join(f"{cell:>18}" for cell in row) for row in rows]
    told.append(text("provenance", **facts))
    if tuned.noise > NOISE:
        told.append(text("noise", percent=100 * tuned.noise))
    if link_delay:
        told.append(text("injected", delay=link_delay))
    return [*told, "", text("recommended", n=tuned.n), *_reasons(tuned), *_costs(tuned)]


def _reasons(tuned: Tuned) -> list[str]:
    n, best = tuned.n, tuned.best
    said = []
    if tuned.repeated:
        said.append(text("reason repeated"))
    elif n == best:
        said.append(text("reason best"))
    else:
        slower = tuned.times[n] / tuned.times[best] - 1
        close = n < best and slower <= rules.TOLERANCE
        reason = "reason close" if close else "reason modelled"
        said.append(text(reason, n=n, best=best, percent=100 * slower))
    if n == 1 and not tuned.repeated:
        said.append(text("reason heavy", milliseconds=1000 * tuned.times[1]))
    divided = []
    if tuned.steps and tuned.steps % n == 0:
        divided.append(text("the steps", steps=tuned.steps))
    if tuned.interval and tuned.interval % n == 0:
        divided.append(text("the interval", interval=tuned.interval))
    if divided and n > 1:
        said.append(text("reason divides", what=text("and").join(divided)))
    return [f"  {one}" for one in said]


def _costs(tuned: Tuned) -> list[str]:
    n, price = tuned.n, tuned.price
    if n == 1:
        return []
    said = [text("price log", n=n, own=tuned.own)]
    if price.checkpoint is not None:
        facts = {"checkpoint": price.checkpoint, "interval": tuned.interval}
        said.append(text("price checkpoint", **facts))
    if price.calls is None:
        said.append(text("price unknown", n=n))
    elif price.left_over:
        said.append(text("price tail", left=price.left_over))
    else:
        said.append(text("price no tail"))
    said.append(text("price stop", milliseconds=1000 * price.stop_seconds))
    if price.calls is None:
        divide = text("divide", n=n)
    else:
        divide = text("divide known", n=n, calls=price.calls, steps=price.calls * n)
    return [text("price"), *(f"  {one}" for one in said), divide]


def _trial(asked: Asked, n: int, warm: int, calls: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="npu_lab_tune_") as folder:
        result, log = Path(folder) / "result.json", Path(folder) / "log"
        command = [sys.executable, "-m", "npu_lab.extras.tuning.tune.trial"]
        numbers = [str(one) for one in (n, warm, calls, asked.link_delay)]
        command += [str(result), *numbers, str(asked.script), *asked.arguments]
        with log.open("wb") as written:
            status = subprocess.call(
                command,
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
                env={"ASCEND_PROCESS_LOG_PATH": folder, **os.environ},
            )
        tail = log.read_text("utf-8", "replace").splitlines()[-TAIL:]
        found: dict[str, Any] = {"error": f"exit {status}", "calls": 0}
        if result.exists():
            found = json.loads(result.read_text("utf-8"))
        if (status or found["error"]) and not found.get("seconds_per_step"):
            facts = {"n": n or "-", "error": found["error"], "tail": "\n".join(tail)}
            raise TuneError(text("failed", **facts))
        return found


def _own(scout: dict[str, Any]) -> int:
    if not scout["calls"]:
        raise TuneError(text("no training"))
    if not scout["options"]:
        raise TuneError(text("no loop"))
    own = int(scout["options"][-1])
    _check_loop(scout, own)
    return own


def _check_loop(found: dict[str, Any], n: int) -> None:
    bad = [loop for loop in found["loops"] if not loop["in_effect"]]
    if bad or not found["loops"]:
        why = " ".join(one for loop in bad for one in loop["why"])
        raise TuneError(text("not in effect", n=n, why=why or "-"))


def _timed(found: dict[str, Any], n: int) -> float:
    seconds = found["seconds_per_step"]
    if not seconds:
        raise TuneError(text("too short", calls=found["calls"], n=n))
    return float(seconds)


def _safe(
    numbers: Sequence[int],
    steps: int | None,
    interval: int | None,
    say: Callable[[str], None],
) -> tuple[int, ...]:
    kept = []
    for n in sorted({*numbers}):
        odd = [whole for whole in (steps, interval) if whole and whole % n]
        if odd:
            say(text("not safe", n=n, of=odd[0]))
        else:
            kept.append(n)
    return tuple(kept) or (1,)
