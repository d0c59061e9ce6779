"""The seam: where the emulated device hooks into TensorFlow, all of it in this file.

The real plugin sits below Python, so every session is affected, whoever made it.  Here
each way from Python into a session is patched: `run`, `make_callable`, the callables
of Keras in graph mode, and `partial_run`; and, once `npu_bridge.npu_init` has been
imported, the session constructors, which only get the adapter's defaults.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorflow.python.client import session as tf_session

from npu_lab._tensorflow import tf
from npu_lab.device import defaults, doors

if TYPE_CHECKING:
    from npu_lab.device.device import Device
    from npu_lab.device.session import DeviceSession

BASE = tf_session.BaseSession
_patched: set[tuple[type, str]] = set()
# Kept when nothing is patched: a bound `session.run` may have been taken before.
_originals: dict[tuple[type, str], Any] = {}
_device: Device | None = None


def active_device() -> Device | None:
    """The device that calls are routed to, or None."""
    return _device


def install(device: Device) -> None:
    """Route every session's calls to `device`; idempotent."""
    global _device
    _device = device
    _patch(BASE, "run", _run)
    _patch(BASE, "make_callable", _make_callable)
    _patch(BASE, "_make_callable_from_options", _make_callable_from_options)
    _patch(BASE, "partial_run", _partial_run)


def install_defaults() -> None:
    """From now on every new session gets the adapter's defaults; idempotent."""
    for kind in (tf_session.Session, tf_session.InteractiveSession):
        _patch(kind, "__init__", defaults.with_defaults(kind.__init__, _place))


def plain_run(session: Any, *given: Any) -> Any:
    """TensorFlow's own `Session.run`, which the device neither sees nor counts."""
    return _originals.get((BASE, "run"), BASE.run)(session, *given)


def _place(config: Any, graph: Any) -> str:
    """The target of a new session: "" runs it in this process."""
    if _device is None or _device.place is None:
        return ""
    return _device.place(config, graph or tf.compat.v1.get_default_graph())


def uninstall() -> None:
    """Restore everything that was patched; idempotent."""
    global _device
    _device = None
    while _patched:
        owner, name = _patched.pop()
        setattr(owner, name, _originals[owner, name])


def _patch(owner: type, name: str, replacement: Any) -> None:
    if (owner, name) not in _patched:
        _originals[owner, name] = getattr(owner, name)
        _patched.add((owner, name))
        setattr(owner, name, replacement)


def _side(session: Any) -> DeviceSession | None:
    """The device's side of `session`; None where TensorFlow would not run anything."""
    device = _device
    if device is None or session._closed or session.graph.version == 0:
        return None
    return device.session(session, _originals[BASE, "run"])


def _run(
    self: Any,
    fetches: Any,
    feed_dict: Any = None,
    options: Any = None,
    run_metadata: Any = None,
) -> Any:
    side = _side(self)
    if side is None:
        return _originals[BASE, "run"](self, fetches, feed_dict, options, run_metadata)
    return side.run(fetches, feed_dict, options, run_metadata)


def _make_callable(
    self: Any, fetches: Any, feed_list: Any = None, accept_options: bool = False
) -> Any:
    made = _originals[BASE, "make_callable"](self, fetches, feed_list, accept_options)
    if feed_list is not None:
        return made  # TensorFlow builds this one over `run`
    if accept_options:
        return lambda options=None, run_metadata=None: self.run(
            fetches, options=options, run_metadata=run_metadata
        )
    return lambda: self.run(fetches)


def _make_callable_from_options(self: Any, callable_options: Any) -> Any:
    side = _side(self)
    if side is not None:
        with suppress(KeyError):  # no such name: TensorFlow says so better
            return doors.SessionCallable(side, callable_options, _side)
    return _originals[BASE, "_make_callable_from_options"](self, callable_options)


def _partial_run(self: Any, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
    plain = _originals[BASE, "partial_run"]
    side = _side(self)
    if side is None:
        return plain(self, handle, fetches, feed_dict)
    call = partial(plain, self, handle, fetches, feed_dict)
    return doors.partial_run(side, call, fetches, feed_dict)
