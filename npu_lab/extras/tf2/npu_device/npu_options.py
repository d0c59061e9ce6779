"""`global_options()`: the options of the adapter, checked when they are set."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from npu_lab.extras.tf2._texts import text
from npu_lab.extras.tf2.option_table import (
    DEPRECATED,
    EXPERIMENTAL,
    EXPERIMENTAL_NESTED,
    NESTED,
    Row,
)
from npu_lab.extras.tf2.option_table import (
    OPTIONS as TABLE,
)

LOGGER = logging.getLogger("npu_device")


class OptionValue:
    """An option's value; `value` is the text that the engine gets, or None."""

    def __init__(self, value: Any, optional: tuple[Any, ...] | None = None) -> None:
        self._value, self.optional = value, optional

    @property
    def value(self) -> str | None:
        """The text of it: "1" and "0" for True and False, None for None."""
        if self._value is None:
            return None
        if isinstance(self._value, bool):
            return "1" if self._value else "0"
        return str(self._value)

    def __str__(self) -> str:
        return str(self.value)

    def __repr__(self) -> str:
        return f"OptionValue({self._value!r})"


class NpuBaseConfig:
    """Options that belong together; an attribute each, checked when it is set.

    Raises:
        ValueError: there is no such option, or it does not take the value.
        TypeError: it does not take the value, whose type is not the default's.
    """

    def __init__(
        self, rows: Mapping[str, Row], nested: Mapping[str, NpuBaseConfig], name: str
    ) -> None:
        given = {
            key: OptionValue(row.default, row.allowed) for key, row in rows.items()
        }
        vars(self).update(_rows=rows, _name=name, _set={}, **given, **nested)

    def __setattr__(self, name: str, value: Any) -> None:
        row = self._rows.get(name)  # type: ignore[attr-defined]
        if row is None:
            where = self._name  # type: ignore[attr-defined]
            known = ", ".join(self._rows)  # type: ignore[attr-defined]
            raise ValueError(text("no option", name=name, where=where, known=known))
        if isinstance(value, OptionValue):
            value = value._value
        if row.allowed is not None and value not in row.allowed:
            kinds = isinstance(value, type(row.default))
            told = text("bad option", name=name, given=value, allowed=row.allowed)
            raise ValueError(told) if kinds else TypeError(told)
        vars(self)[name] = OptionValue(value, row.allowed)
        self._set[name] = value  # type: ignore[attr-defined]

    def as_dict(self) -> dict[str, str]:
        """What the engine gets: the options that have a value, as texts."""
        return {
            name: found.value
            for name, found in vars(self).items()
            if isinstance(found, OptionValue) and found.value is not None
        }


def _nested(table: Mapping[str, Mapping[str, Row]], name: str) -> dict[str, Any]:
    return {
        key: NpuBaseConfig(rows, {}, f"{name}.{key}") for key, rows in table.items()
    }


class NpuDeviceOptions(NpuBaseConfig):
    """All options; those set after the device is opened have no effect."""

    def __init__(self) -> None:
        name = "global_options()"
        experimental = f"{name}.experimental"
        inner = _nested(EXPERIMENTAL_NESTED, experimental)
        nested: dict[str, NpuBaseConfig] = _nested(NESTED, name)
        nested["experimental"] = NpuBaseConfig(EXPERIMENTAL, inner, experimental)
        super().__init__(TABLE, nested, name)
        vars(self)["_opened"] = False

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if vars(self)["_opened"]:
            LOGGER.warning(text("option late", name=name))

    def freeze(self) -> None:
        """The device is open: it has read the options."""
        vars(self)["_opened"] = True

    def problem(self) -> str:
        """Why the device cannot be opened with them; "" if it can."""
        both = ("precision_mode", "precision_mode_v2")
        if all(vars(self)[name].value is not None for name in both):
            return text("both precisions")
        return ""

    def deprecated(self) -> Iterator[str]:
        """A line for each deprecated option that is set."""
        for name, instead in DEPRECATED.items():
            if name in vars(self)["_set"]:
                key = "deprecated for" if instead else "deprecated"
                yield text(key, name=name, instead=instead)


OPTIONS = NpuDeviceOptions()


def global_options() -> NpuDeviceOptions:
    """The options of the process; set them before `npu_device.open`."""
    return OPTIONS


def forget() -> None:
    """All options as at first, as in a new process."""
    OPTIONS.__init__()  # type: ignore[misc]
