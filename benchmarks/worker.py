"""The process of one contestant: `python -m benchmarks.worker NAME ARGUMENTS`.

It builds the contestant, then answers one JSON line with another: ``{"measure": 2.0}``
with what was done in at least that many seconds, ``{"variables": 200}`` with the
model after so many steps from its start.  In between it waits for input.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SENT = 100_000  # values to compare, those nearest to the loss


@dataclass
class Contestant:
    """What a contestant can do; `about` is said of it in the table.

    `measure` works for at least so many seconds and returns figures by name, such as
    the seconds for one step; `variables` trains so many steps and returns what the
    variables are then.
    """

    measure: Callable[[float], dict[str, float]]
    variables: Callable[[int], list[Any]] | None = None
    about: str = ""


def repeat(call: Callable[[], object], units: int = 1) -> Callable[[float], float]:
    """Return what calls `call` for so many seconds, and gives the seconds for a unit.

    A call is worth `units`.
    """

    def measure(seconds: float) -> float:
        clock = time.perf_counter
        calls = 0
        start = now = clock()
        while now - start < seconds:
            call()
            calls += 1
            now = clock()
        return (now - start) / (calls * units)

    return measure


def answer(contestant: Contestant, request: dict[str, Any]) -> dict[str, Any]:
    """Carry out one request."""
    if "variables" in request:
        if contestant.variables is None:
            return {"variables": None}
        arrays = contestant.variables(request["variables"])
        flat = np.concatenate([np.asarray(a, np.float32).ravel() for a in arrays])
        sent = flat[-SENT:].tobytes()
        return {"variables": base64.b64encode(sent).decode()}
    return {"figures": contestant.measure(request["measure"])}


def main() -> None:
    """Serve the contestant named on the command line until the input ends."""
    home, _, factory = sys.argv[1].rpartition(".")
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no reply
    module = importlib.import_module(f"benchmarks.{home}")
    contestant = getattr(module, factory)(**json.loads(sys.argv[2]))
    reply: dict[str, Any] = {"ready": contestant.about}
    while True:
        print(json.dumps(reply), file=replies, flush=True)
        used = time.process_time()
        line = sys.stdin.readline()
        idle = time.process_time() - used
        if not line:
            return
        reply = answer(contestant, json.loads(line)) | {"idle_cpu": idle}


if __name__ == "__main__":
    main()
