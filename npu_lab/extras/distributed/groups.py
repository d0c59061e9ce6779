"""Groups of ranks, and who one is in them: what scripts import as `hccl.manage.api`.

All of it can be asked once the communication is set up, on one rank too.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from npu_lab.device.seam import active_device
from npu_lab.extras.distributed import ranks
from npu_lab.extras.distributed._texts import text

WORLD = "hccl_world_group"
NAME_LIMIT = 127  # bytes
NOT_READY = 5  # the code that stands in the error's text; made up
WORLD_KEY = 1


@dataclass(frozen=True)
class Group:
    """Ranks that communicate; `key` is what TensorFlow knows them by."""

    name: str
    ranks: tuple[int, ...]
    key: int

    @property
    def size(self) -> int:
        """How many they are."""
        return len(self.ranks)


_made: dict[str, Group] = {}
_set_up: list[bool] = [False]


def set_up(ready: bool) -> None:
    """Note that the communication has been set up, or shut down."""
    _set_up[0] = ready


def forget() -> None:
    """As in a new process: no groups, and nothing set up."""
    _made.clear()
    set_up(False)


def find(name: str, group: str) -> Group:
    """The group, of which this rank must be one; `name` is what asks for it.

    Raises:
        ValueError: there is no such group, or this rank is not in it.
    """
    known = ranks.current()
    if group == WORLD:
        return Group(WORLD, tuple(range(known.size)), WORLD_KEY)
    if group not in _made:
        _refuse(name, group, "no group")
    found = _made[group]
    if known.rank not in found.ranks:
        _refuse(name, group, "no member", rank=known.rank)
    return found


def create_group(group: str, rank_num: int, rank_ids: Sequence[int]) -> None:
    """Make a group; each of its ranks must do so.

    Args:
        group: its name, at most 127 bytes.
        rank_num: how many ranks it has.
        rank_ids: their world ranks, ascending.

    Raises:
        ValueError: there is such a group, the name is too long, or the ranks are wrong.
    """
    _ready("create group")
    name, size = "create group", ranks.current().size
    if group == WORLD:
        _refuse(name, group, "world group")
    if not isinstance(group, str) or not 1 <= len(group.encode()) <= NAME_LIMIT:
        _refuse(name, group, "group name", limit=NAME_LIMIT)
    if group in _made:
        _refuse(name, group, "group exists")
    ids = list(rank_ids)
    if len(ids) != rank_num or not ids or ids != sorted(set(ids) & set(range(size))):
        _refuse(name, group, "group ranks", count=rank_num, ranks=ids, size=size)
    key = WORLD_KEY + 1 + zlib.crc32(f"{group} {ids}".encode()) % (2**31 - 3)
    _made[group] = Group(group, tuple(ids), key)


def destroy_group(group: str) -> None:
    """Take a group away.

    Raises:
        ValueError: there is no such group, or it is the one of all ranks.
    """
    _ready("destroy group")
    if group == WORLD:
        _refuse("destroy group", group, "world group")
    if _made.pop(group, None) is None:
        _refuse("destroy group", group, "no group")


def get_rank_size(group: str = WORLD) -> int:
    """How many ranks the group has; ValueError as `find`, or before the set-up."""
    return _ready("get rank size", group).size


def get_rank_id(group: str = WORLD) -> int:
    """The rank of this process in the group; ValueError as `get_rank_size`."""
    return _ready("get rank id", group).ranks.index(ranks.current().rank)


def get_local_rank_size(group: str = WORLD) -> int:
    """How many ranks of the group are on this server; ValueError as there."""
    return len(_local("get local rank size", group))


def get_local_rank_id(group: str = WORLD) -> int:
    """This process among those on its server; ValueError as `get_rank_size`."""
    return _local("get local rank id", group).index(ranks.current().rank)


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """The world rank of a rank of the group; ValueError where there is none."""
    name = "get world rank from group rank"
    found = _ready(name, group)
    if not 0 <= group_rank_id < found.size:
        _refuse(name, group, "no member", rank=group_rank_id)
    return found.ranks[group_rank_id]


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """The rank in the group of a world rank; ValueError where it is not in it."""
    name = "get group rank from world rank"
    found = _ready(name, group)
    if world_rank_id not in found.ranks:
        _refuse(name, group, "no member", rank=world_rank_id)
    return found.ranks.index(world_rank_id)


def _local(name: str, group: str) -> list[int]:
    found = _ready(name, group)
    return [rank for rank in ranks.current().local if rank in found.ranks]


def _ready(name: str, group: str = WORLD) -> Group:
    device = active_device()
    training = device is not None and device.ledger.training_calls
    if not (_set_up[0] or training):
        raise ValueError(text("not ready", name=name, code=NOT_READY))
    return find(name, group)


def _refuse(name: str, group: object, rule: str, **facts: object) -> NoReturn:
    shown = text(rule, **facts)
    raise ValueError(text("group", name=name, group=repr(group), rule=shown))
