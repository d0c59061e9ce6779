"""The seam: where the emulated device hooks into TensorFlow, all of it in this file.

The real plugin sits below Python, so every session is affected, whoever made it.  Here
each way from Python into a session is patched: `run`, `make_callable`, the callables
of Keras in graph mode, and `partial_run`; and, once `npu_bridge.npu_init` has been
imported, the session constructors, which only get the adapter's defaults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorflow.python.client import session as tf_session

from npu_lab.device import defaults
from npu_lab.device.subgraph import Subgraph

if TYPE_CHECKING:
    from npu_lab.device.device import Device

BASE = tf_session.BaseSession
_patched: dict[tuple[type, str], Any] = {}
_device: Device | None = None


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
        _patch(kind, "__init__", defaults.with_defaults(kind.__init__))


def uninstall() -> None:
    """Restore everything that was patched; idempotent."""
    global _device
    _device = None
    while _patched:
        (owner, name), original = _patched.popitem()
        setattr(owner, name, original)


def _patch(owner: type, name: str, replacement: Any) -> None:
    if (owner, name) not in _patched:
        _patched[owner, name] = getattr(owner, name)
        setattr(owner, name, replacement)


def _usable(session: Any) -> bool:
    """Whether TensorFlow would get as far as running something."""
    return _device is not None and not session._closed and session.graph.version != 0


def _run(
    self: Any,
    fetches: Any,
    feed_dict: Any = None,
    options: Any = None,
    run_metadata: Any = None,
) -> Any:
    plain = _patched[BASE, "run"]
    if _device is None or not _usable(self):
        return plain(self, fetches, feed_dict, options, run_metadata)
    return _device.session(self, plain).run(fetches, feed_dict, options, run_metadata)


def _make_callable(
    self: Any, fetches: Any, feed_list: Any = None, accept_options: bool = False
) -> Any:
    made = _patched[BASE, "make_callable"](self, fetches, feed_list, accept_options)
    if feed_list is not None:
        return made  # TensorFlow builds this one over `run`
    if accept_options:
        return lambda options=None, run_metadata=None: self.run(
            fetches, options=options, run_metadata=run_metadata
        )
    return lambda: self.run(fetches)


def _make_callable_from_options(self: Any, callable_options: Any) -> Any:
    made = _patched[BASE, "_make_callable_from_options"](self, callable_options)
    if _device is None:
        return made
    names = [*callable_options.fetch, *callable_options.target]
    fetches = [self.graph.as_graph_element(name) for name in names]
    feeds = [self.graph.as_graph_element(name) for name in callable_options.feed]
    kind = Subgraph.of(self.graph, fetches, feeds).kind
    return _Callable(made, self, kind)


class _Callable:
    """A session's callable that is counted as a host call and never sunk."""

    def __init__(self, made: Any, session: Any, kind: str) -> None:
        self._made, self._session, self._kind = made, session, kind

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _device is not None:
            side = _device.session(self._session, _patched[BASE, "run"])
            waited = _device.wait(on_device=side.on_device)
            _device.ledger.cross(self._kind, waited)
        return self._made(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)


def _partial_run(self: Any, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
    plain = _patched[BASE, "partial_run"]
    if _device is not None and _usable(self):
        side = _device.session(self, _patched[BASE, "run"])
        side.note_door("partial_run")
        _device.ledger.cross("partial", _device.wait(on_device=side.on_device))
    return plain(self, handle, fetches, feed_dict)
