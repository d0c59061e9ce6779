"""Answers of learners to lesson 14's exercise with a function, right ones and wrong.

They are kept as text and run as a cell is: AutoGraph reads the source of a function to
make a loop in the graph of it, and leaves what belongs to npu_lab as it is.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping
from typing import Any

from npu_lab._tensorflow import tf


def run_as_cell(source: str, names: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Run a piece of code so that its source can be read; the names that it leaves."""
    place = f"<answer {hash(source):x}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[place] = (len(source), None, lines, place)
    found = {"__name__": "__answer__", "tf": tf, **(names or {})}
    exec(compile(source, place, "exec"), found)  # noqa: S102 (ours)
    return found


def _written(loop: str, after: str = "", head: str = "@tf.function") -> Any:
    """`mended` with this body in its loop, and these lines after it."""

    def mended(step: Callable[..., Any], last_loss: Any) -> Any:
        source = PATTERN.format(loop=loop, after=after, head=head)
        return run_as_cell(source)["mended"](step, last_loss)

    return mended


PATTERN = """\
def mended(step, last_loss):
    {head}
    def loop_train(iterator, steps):
        loss = 0.0
        {loop}
        {after}

    return loop_train
"""
LOOP = """for _ in tf.range(steps):
            loss = step(*next(iterator))
            {keep}"""
KEEP = LOOP.format(keep="last_loss.assign(loss)")

right = _written(KEEP)
in_one_line = _written(
    "for _ in tf.range(steps):\n            last_loss.assign(step(*next(iterator)))"
)
while_loop = _written(
    "for _ in tf.range(0, steps):\n"
    "            x, y = next(iterator)\n"
    "            last_loss.assign(step(x, y))",
    "return None",
)

still_returned = _written(KEEP, "return loss")
variable_returned = _written(KEEP, "return last_loss")
after_the_loop = _written(LOOP.format(keep="pass"), "last_loss.assign(loss)")
counted_beside = _written(KEEP, "last_loss.assign_add(0.0)")
printed = _written(KEEP + "\n            tf.print(loss)")
twice = _written(
    f"{KEEP}\n        for _ in tf.range(steps):\n            step(1.0, 1.0)"
)
unrolled = _written(KEEP.replace("tf.range(steps)", "range(3)"))
one_step = _written("last_loss.assign(step(*next(iterator)))")
summed = _written(LOOP.format(keep="last_loss.assign_add(loss)"))
not_kept = _written(LOOP.format(keep="pass"))
not_trained = _written(
    "for _ in tf.range(steps):\n"
    "            last_loss.assign(tf.reduce_sum(next(iterator)[0]))"
)
no_tf_function = _written(KEEP, head="# no decorator")


def nothing(step: Callable[..., Any], last_loss: Any) -> None:
    """Gives nothing back."""
    del step, last_loss
