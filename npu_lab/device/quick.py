"""Knows again, in a microsecond or two, a call that is run just as the user wrote it.

Most host calls have nothing to sink and come again and again with the same objects.
Such a call needs no more than to be counted.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.device import calls
from npu_lab.device.programs import Program

ELEMENTS = (tf.Tensor, tf.Operation, tf.Variable)


class Quick:
    """The calls of one session that need nothing but counting."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[Program, tuple[int, ...], Any]] = {}

    def find(self, fetches: Any, feed_dict: Any) -> Program | None:
        """The program of a call that is known, with fed shapes that are compiled."""
        if feed_dict and type(feed_dict) is not dict:
            return None
        found = self._known.get(_key(fetches, feed_dict))
        if found is None:
            return None
        program, places, _ = found
        if places:
            fed = [*feed_dict.values()]
            if tuple(_shape(fed[i]) for i in places) not in program.compiled:
                return None
        return program

    def remember(self, program: Program, fetches: Any, feed_dict: Any) -> None:
        """Know the call from now on, if it is as simple as that."""
        arranged, feeds = program.arranged, [*(feed_dict or ())]
        flat = fetches if type(fetches) in (list, tuple) else [fetches]
        simple = all(isinstance(one, ELEMENTS) for one in [*flat, *feeds])
        simple = simple and type(feed_dict) in (dict, type(None))
        more = arranged.substitutes or arranged.counted or program.lost
        if not simple or more or program.watched:
            return
        names = [feed.name for feed in feeds]
        places: tuple[int, ...] = ()
        if program.device_graph:
            places = tuple(names.index(t.name) for t in program.open_shapes)
        # The objects are kept, or their ids might be used again.
        self._known[_key(fetches, feed_dict)] = program, places, (fetches, flat, feeds)


def _key(fetches: Any, feed_dict: Any) -> Hashable:
    kind = type(fetches)
    what = (kind, *map(id, fetches)) if kind in (list, tuple) else id(fetches)
    return (what, *map(id, feed_dict or ()))


def _shape(value: Any) -> tuple[int, ...]:
    return value.shape if type(value) is np.ndarray else calls.shape(value)
