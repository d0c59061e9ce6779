"""All ranks of a job in this process and one graph: for checkers, which cannot wait.

A function is called once as each rank.  Its collectives are not run but noted; then
they are carried out one after the other, each over what all ranks have given it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.bridge.hccl import hccl_ops
from npu_lab.extras.distributed import collectives, groups, ranks
from npu_lab.extras.distributed.rank_table import Entry, RankTable
from npu_lab.extras.distributed.ranks import Ranks

v1 = tf.compat.v1

REDUCE: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "max": np.max,
    "min": np.min,
    "prod": np.prod,
}


class Unequal(Exception):  # noqa: N818 (a finding, no fault of the program)
    """The ranks do not run the same collectives: on hardware they would hang."""


@dataclass(frozen=True)
class Call:
    """A collective of one rank: what it does, what it is given, what it gives."""

    kind: str
    given: Any
    made: Any


@contextmanager
def acting(rank: int, size: int) -> Iterator[None]:
    """This process is a rank of `size`, with its communication set up.

    Nothing may be run meanwhile: a session would wait for the others.
    """
    before, ready = ranks._current[:], groups._set_up[0]
    entries = tuple(Entry(n, "server", n, "127.0.0.1") for n in range(size))
    ranks._current[:] = [Ranks(rank, RankTable(entries), ("127.0.0.1:0",) * size)]
    groups.set_up(True)
    try:
        yield
    finally:
        ranks._current[:] = before
        groups.set_up(ready)


def play(
    size: int, build: Callable[[int], Any], prepare: Callable[[], Any] | None = None
) -> list[Any]:
    """Build a part of a graph as each rank, then run all of them in step.

    Args:
        size: how many ranks there are.
        build: gets the rank; returns what to run for it.
        prepare: gives what is run before, such as an initializer.

    Returns:
        What `build` returned, run, for each rank.

    Raises:
        Unequal: the ranks do not run the same collectives.
        Whatever `build` raises.
    """
    noted: list[list[Call]] = []
    fetches = []
    for rank in range(size):
        with acting(rank, size), _noting() as calls:
            fetches.append(build(rank))
        noted.append(calls)
    kinds = [[call.kind for call in calls] for calls in noted]
    if any(kind != kinds[0] for kind in kinds):
        raise Unequal("; ".join(f"rank {r}: {k}" for r, k in enumerate(kinds)))
    with v1.Session() as sess:
        if prepare is not None:
            sess.run(prepare())
        fed: dict[Any, Any] = {}
        for same in zip(*noted, strict=True):
            values = sess.run([call.given for call in same], fed)
            made = [call.made for call in same]
            fed.update(zip(made, _merged(same, values), strict=True))
        return [sess.run(fetch, fed) for fetch in fetches]


def _merged(calls: Sequence[Call], values: Sequence[Any]) -> list[Any]:
    kind, _, how = calls[0].kind.partition(" ")
    if kind == "broadcast":
        return [values[int(how)]] * len(calls)
    return [REDUCE[how](values, axis=0)] * len(calls)


@contextmanager
def _noting() -> Iterator[list[Call]]:
    """Note the collectives that are built meanwhile."""
    calls: list[Call] = []

    def note(kind: str, given: Any) -> Any:
        made = v1.placeholder(given.dtype, given.shape)
        calls.append(Call(kind, given, made))
        return made

    def allreduce(tensor: Any, reduction: str, *_: Any, **__: Any) -> Any:
        collectives._one_of("allreduce", "reduction", reduction, tuple(REDUCE))
        return note(f"allreduce {reduction}", tf.convert_to_tensor(tensor))

    def reduced(
        tensor: Any, reduction: str, *_: Any, final: str = "Id", **__: Any
    ) -> Any:
        made = allreduce(tensor, reduction)
        size = ranks.current().size
        return made / tf.cast(size, made.dtype) if final == "Div" else made

    def broadcast(tensor: Any, root_rank: int, *_: Any, **__: Any) -> list[Any]:
        with _one_rank():
            given = original["broadcast"](tensor, 0)  # it checks the list
        size = ranks.current().size
        collectives._one_of("broadcast", "root_rank", root_rank, tuple(range(size)))
        return [note(f"broadcast {root_rank}", one) for one in given]

    ours = {"allreduce": allreduce, "broadcast": broadcast}
    original = {name: getattr(collectives, name) for name in ours}
    homes = (collectives, hccl_ops)
    plain = collectives.reduced
    try:
        for home in homes:
            vars(home).update(ours)
        collectives.reduced = reduced
        yield calls
    finally:
        collectives.reduced = plain
        for home in homes:
            vars(home).update(original)


@contextmanager
def _one_rank() -> Iterator[None]:
    before = ranks._current[:]
    ranks._current[:] = [ranks.ONE]
    try:
        yield
    finally:
        ranks._current[:] = before
