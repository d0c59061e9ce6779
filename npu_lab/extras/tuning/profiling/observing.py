"""Which sessions are profiled: those that ask for it, and those in a `Profiler`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from weakref import WeakKeyDictionary

from npu_lab._tensorflow import tf
from npu_lab.device import seam
from npu_lab.device.options import SessionOptions
from npu_lab.device.programs import Program
from npu_lab.device.session import DeviceSession
from npu_lab.extras.tuning.profiling import settings
from npu_lab.extras.tuning.profiling._texts import text
from npu_lab.extras.tuning.profiling.collecting import Collection, closing

LEVELS = ("L0", "L1", "L2")
MODE = "profiling_mode"


class Observer:
    """Gives each host call to the profile that it belongs to, if any."""

    def __init__(self) -> None:
        self.profiler: Collection | None = None
        self._own: WeakKeyDictionary[Any, Collection] = WeakKeyDictionary()

    def __call__(
        self, side: DeviceSession, program: Program, call: Callable[..., Any]
    ) -> Any:
        """Carry out a host call."""
        asks = side.options is not None and bool(side.options[MODE])
        if asks and self.profiler is not None:
            raise tf.errors.InvalidArgumentError(None, None, text("both"))
        if asks:
            return self._collection(side).observe(program, call)
        if self.profiler is not None:
            return self.profiler.observe(program, call)
        return call()

    def _collection(self, side: DeviceSession) -> Collection:
        session = side.session
        if session not in self._own:
            given = cast("SessionOptions", side.options)["profiling_options"]
            self._own[session] = Collection(settings.parsed(str(given)))
            closing(session, self._own[session])
        return self._own[session]


def opened(options: SessionOptions) -> None:
    """Profile the session that is opened with these options, if they ask for it.

    Raises:
        tf.errors.InternalError: `profiling_options` is wrong.
    """
    if not options[MODE]:
        return
    try:
        settings.parsed(str(options["profiling_options"]))
    except ValueError as error:
        raise tf.errors.InternalError(None, None, str(error)) from error
    _observer()


class Profiler:
    """Profiles the calls of `Session.run` in a ``with`` block.

    Args:
        level: "L0", "L1" or "L2"; here all record the same.
        aic_metrics: recorded, and not measured here; only with L1 and L2.
        output_path: an existing folder, by default ASCEND_WORK_PATH or where one is.

    Raises:
        ValueError: an argument is no string.
        RuntimeError: by ``with``: an argument is none of those there are, the folder is
            not there, another profiler is open, or no device is active.
    """

    def __init__(
        self, *, level: str = "L0", aic_metrics: str = "", output_path: str = ""
    ) -> None:
        given = {"level": level, "aic_metrics": aic_metrics, "output_path": output_path}
        for name, value in given.items():
            if not isinstance(value, str):
                raise ValueError(text("no string", name=name, given=repr(value)))  # noqa: TRY004
        self._given, self._collection = given, cast("Collection | None", None)
        self.folder: Path | None = None
        """The `PROF_*` folder, once the block has been left."""

    def __enter__(self) -> Self:
        """Begin."""
        given = self._given
        _check("level", given["level"], LEVELS)
        if given["aic_metrics"]:
            _check("aic_metrics", given["aic_metrics"], settings.METRICS)
            if given["level"] == LEVELS[0]:
                raise RuntimeError(text("metrics at L0"))
        if seam.active_device() is None:
            raise RuntimeError(text("no device"))
        observer = _observer()
        if observer.profiler is not None:
            raise RuntimeError(text("nested"))
        try:
            folder = settings.folder("Profiler", given["output_path"])
        except ValueError as error:
            raise RuntimeError(str(error)) from error
        observer.profiler = Collection(settings.Settings(folder, given=given))
        self._collection = observer.profiler
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the folder."""
        _observer().profiler = None
        if self._collection is not None:
            self.folder = self._collection.finish()


def _observer() -> Observer:
    device = seam.active_device()
    if device is None:  # it was deactivated meanwhile
        return Observer()
    if not isinstance(device.observer, Observer):
        device.observer = Observer()
    return device.observer


def _check(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        facts = {"name": name, "given": repr(value), "allowed": ", ".join(allowed)}
        raise RuntimeError(text("bad option", **facts))
