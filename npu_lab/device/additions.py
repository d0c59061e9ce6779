"""What the device adds to a user's graph: under its own names, and each thing once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from npu_lab._tensorflow import tf

Made = TypeVar("Made")


@contextmanager
def additions(graph: Any) -> Iterator[None]:
    """Add operations to `graph`: finalized or not, and free of the user's scopes.

    Its lock is held, so that a thread which writes the graph meanwhile, as the one that
    saves checkpoints for a Supervisor, sees all that is added or nothing.
    """
    with graph._lock, _unfinalized(graph), ExitStack() as scopes:
        scopes.enter_context(graph.as_default())
        scopes.enter_context(tf.control_dependencies(None))
        scopes.enter_context(graph.name_scope(None))
        scopes.enter_context(graph.colocate_with(None, ignore_existing=True))
        scopes.enter_context(graph.device(None))
        yield


@contextmanager
def _unfinalized(graph: Any) -> Iterator[None]:
    if not graph.finalized:
        yield
        return
    graph._unsafe_unfinalize()
    try:
        yield
    finally:
        graph.finalize()


def once(graph: Any, key: Hashable, make: Callable[[], Made]) -> Made:
    """What `make` adds to `graph`, made at the first call with this `key`.

    It is kept with the graph, so sessions of one graph share it, and it goes with it.
    """
    made: dict[Hashable, Made] | None = getattr(graph, "_npu_lab_additions", None)
    if made is None:
        made = graph._npu_lab_additions = {}
    if key not in made:
        with additions(graph):
            made[key] = make()
    return made[key]
