"""Opening the device: the rules on ids, options and workers."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any

from npu_lab.bridge.extra import extra
from npu_lab.extras.tf2._texts import text
from npu_lab.extras.tf2.npu_device.npu_device_handle import NpuDeviceHandle
from npu_lab.extras.tf2.npu_device.npu_options import OPTIONS
from npu_lab.extras.tf2.state import STATE

LOGGER = logging.getLogger("npu_device")
CHIEF = ("CM_CHIEF_PORT", "CM_CHIEF_DEVICE")


def open_device(device_id: int | None) -> NpuDeviceHandle:
    """The handle; see `npu_device.open`."""
    environ = os.environ
    wanted = (
        int(environ.get("ASCEND_DEVICE_ID") or 0) if device_id is None else device_id
    )
    known: NpuDeviceHandle | None = STATE.handle
    if known is not None:
        if known.device_id != wanted:
            facts = {"known": known.device_id, "wanted": wanted}
            raise RuntimeError(text("another device", **facts))
        LOGGER.info("Already opened npu device %s", known.name())
        return known
    workers = _workers(environ)
    problem = OPTIONS.problem()
    if problem:
        raise RuntimeError(f"Failed open npu device {wanted} : {problem}")
    for line in OPTIONS.deprecated():
        LOGGER.warning(line)
    worker = 0 if workers == 1 else _join(workers)
    OPTIONS.freeze()
    STATE.handle = NpuDeviceHandle(wanted, workers, worker)
    return STATE.handle


def _workers(environ: Mapping[str, str]) -> int:
    """How many workers there are, checked with the variables that go with it."""
    ours, theirs = environ.get("RANK_SIZE"), environ.get("CM_WORKER_SIZE")
    if ours and theirs:
        raise ValueError(text("both sizes"))
    workers = int(ours or theirs or 1)
    if workers <= 1:
        return 1
    chief, table = environ.get("CM_CHIEF_IP"), environ.get("RANK_TABLE_FILE")
    if chief and table:
        raise RuntimeError(text("both ways", workers=workers))
    if not chief and not table:
        raise RuntimeError(text("no way", workers=workers))
    for name in CHIEF if chief else ("RANK_ID",):
        if not environ.get(name):
            raise RuntimeError(text("missing", name=name, workers=workers))
    return workers


def _join(workers: int) -> int:
    """Meet the other workers; return the number of this one."""
    distributed: Any = extra("distributed")
    if distributed is None:
        raise RuntimeError(text("not distributed", workers=workers))
    from npu_lab.extras.tf2 import cluster

    return cluster.join()
