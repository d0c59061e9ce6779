"""Variables of the environment, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from npu_lab.extras.distributed._texts import text


def required(environ: Mapping[str, str], size: int, names: Iterable[str]) -> None:
    """Raise ValueError for the first of `names` that is not set."""
    for name in names:
        if not environ.get(name):
            rule = text("needed", size=size)
            raise ValueError(text("not set", name=name, rule=rule))


def number(environ: Mapping[str, str], name: str, least: int, most: int) -> int:
    """A whole number from `least` to `most`; else ValueError."""
    given = environ.get(name, "")
    if not (given.isascii() and given.isdecimal() and least <= int(given) <= most):
        rule = text("whole", least=least, most=most)
        raise ValueError(text("variable", name=name, given=repr(given), rule=rule))
    return int(given)


def seconds(environ: Mapping[str, str], name: str, default: float) -> float:
    """A time above 0, or `default` where none is given; else ValueError."""
    given = environ.get(name)
    if not given:
        return default
    try:
        value = float(given)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        rule = text("seconds")
        raise ValueError(text("variable", name=name, given=repr(given), rule=rule))
    return value
