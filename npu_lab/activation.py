"""Turns the emulated device on and off."""

from __future__ import annotations

from typing import Any

from npu_lab import bridge, modes
from npu_lab._texts import text
from npu_lab.bridge.extra import extra
from npu_lab.device import Device, data_queue, link, seam
from npu_lab.modes import ModeError
from npu_lab.tf1 import process
from npu_lab.tf1 import view as tf1_view


def activate(
    *,
    mode: str | None = None,
    view: bool | None = None,
    link_delay: float | None = None,
    bandwidth: float | None = None,
    queue_depth: int | None = None,
) -> Device:
    """Put an emulated NPU below every session; make `npu_bridge` importable.

    Args:
        mode: "tf1" is all of this; "tf2" leaves TensorFlow 2 as it is and makes
            `npu_device` importable instead.  None leaves it as it is; at first that is
            "tf1".  A process has one at a time.
        view: with True, user code that imports ``tensorflow`` gets the TF 1.15 view
            (eager execution off and so on, process-wide).  None leaves it as it is;
            at first that is off.
        link_delay: seconds to wait, for real, at each host call; an injected figure.
            None leaves it as it is; at first that is 0.
        bandwidth: bytes a second of the link, injected as well: each byte that is fed
            or fetched is waited for.  None leaves it as it is; at first bytes cost
            nothing, as with ``math.inf``.
        queue_depth: batches that the host prepares ahead for a sunk GetNext.  None
            leaves it as it is; at first that is 2 (assumed).

    Returns:
        The device.  A second call returns the same one, with what was given changed.

    Raises:
        TypeError, ValueError: `view` is no switch, or another argument is not a number
            of its kind.
        ViewError: the view cannot be started or ended here.
        ModeError: the device is active in the other mode, or the mode's extra is not
            installed.  In each case nothing has been changed.
    """
    chosen = modes.checked(mode, view)
    if chosen == "tf2" and modes.current() is None and process.entered():
        raise ModeError(text("mode graph"))
    side = _side(chosen)
    _check_switch(view)
    if link_delay is not None:
        link.checked_delay(link_delay)
    link.checked_bandwidth(bandwidth)
    if queue_depth is not None:
        data_queue.checked_depth(queue_depth)
    if view:
        tf1_view.install()
    elif view is False:
        tf1_view.uninstall()
    device = seam.active_device()
    if device is None:
        device = Device()
        seam.install(device)
        side.install(device)
        modes.set_current(chosen)
    if link_delay is not None:
        device.link_delay = link_delay
    if bandwidth is not None:
        device.bandwidth = bandwidth
    if queue_depth is not None:
        device.queue_depth = queue_depth
    return device


def deactivate() -> None:
    """Restore TensorFlow, the importers and `npu_bridge`; harmless when not active.

    Raises:
        ViewError: a graph or session of the view is still open; nothing is restored.
    """
    device = seam.active_device()
    if device is None:
        return
    tf1_view.uninstall()
    _side(modes.current()).uninstall()
    bridge.uninstall()
    seam.uninstall()
    modes.set_current(None)
    device.log.close()


def _side(mode: str | None) -> Any:
    """What makes the vendor's names of a mode importable."""
    if mode != "tf2":
        return bridge
    found = extra("tf2")
    if found is None:
        raise ModeError(text("mode not installed"))
    return found


def _check_switch(view: object) -> None:
    if view is not None and not isinstance(view, bool):
        message = f"view must be True, False or None, not {view!r}"
        raise TypeError(message)


def active_device() -> Device | None:
    """The device that `activate` returned, or None."""
    return seam.active_device()
