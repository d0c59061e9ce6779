"""The files that change what a precision mode does: `modify_mixlist` and its kin."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.extras.tuning.precision._texts import text
from npu_lab.extras.tuning.precision.table import OPERATORS, VENDORS, List

NAMES: dict[str, List] = {
    "black-list": "black",
    "white-list": "white",
    "gray-list": "grey",
    "grey-list": "grey",
}
TYPES = ("float32", "float16", "bfloat16")
_LINE = re.compile(
    r"(?:OpType::(?P<type>[^:]+):|(?P<name>.+?)::)"
    r"(?:InputDtype:(?P<inputs>[\w,\s]*?))?,?\s*(?:OutputDtype:(?P<outputs>[\w,\s]*))?"
)


@dataclass(frozen=True)
class Types:
    """The types of an operator's inputs and outputs that a file asks for, in order."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass
class Lists:
    """What the files say.

    `moved` has the list of each operator type that changes it, `unknown` the names that
    no operator of the table has; `by_type` and `by_name` are of `customize_dtypes`.
    """

    moved: dict[str, List] = field(default_factory=dict)
    by_type: dict[str, Types] = field(default_factory=dict)
    by_name: dict[str, Types] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)

    def list_of(self, kind: str) -> List:
        """The list that operators of this type, one of the table, are on."""
        return self.moved.get(kind, OPERATORS[kind].list)

    def read_mixlist(self, path: str) -> None:
        """Read a `modify_mixlist` file.

        Raises:
            tf.errors.InternalError: it cannot be read, or is not as documented.
        """
        content = _read("modify_mixlist", path)
        try:
            found = json.loads(content)
        except ValueError as error:
            raise _error(
                "no json", option="modify_mixlist", path=path, reason=error
            ) from None
        _check_mixlist(path, found)
        added: dict[str, str] = {}
        for listed, changes in found.items():
            for name in changes.get("to-remove", ()):
                for kind in self._types(name):
                    if self.list_of(kind) == NAMES[listed]:
                        self.moved[kind] = "grey"
        for listed, changes in found.items():
            for name in changes.get("to-add", ()):
                if added.setdefault(name, listed) != listed:
                    rule = text("twice", other=added[name])
                    raise _mixlist(path, f"{listed}.to-add", name, rule)
                self.moved |= dict.fromkeys(self._types(name), NAMES[listed])

    def read_dtypes(self, path: str) -> None:
        """Read a `customize_dtypes` file.

        Raises:
            tf.errors.InternalError: it cannot be read, or is not as documented.
        """
        lines = _read("customize_dtypes", path).splitlines()
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            match = _LINE.fullmatch(line.strip())
            types = [_listed(match and match[part]) for part in ("inputs", "outputs")]
            known = {*types[0], *types[1]}.issubset(TYPES)
            if match is None or not (types[0] or types[1]) or not known:
                facts = {"given": repr(line), "types": ", ".join(TYPES)}
                raise _error("dtypes", path=path, number=number, **facts)
            asked = Types(*types)
            if match["name"]:
                self.by_name[match["name"]] = asked
            else:
                self.by_type |= dict.fromkeys(self._types(match["type"]), asked)

    def _types(self, name: str) -> tuple[str, ...]:
        found = VENDORS.get(name, ())
        if not found and name not in self.unknown:
            self.unknown.append(name)
        return found


def _listed(names: str | None) -> tuple[str, ...]:
    return tuple(n.strip() for n in (names or "").split(",") if n.strip())


def _read(option: str, path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        raise _error(
            "no file", option=option, path=path, reason=error.strerror
        ) from error
    except UnicodeDecodeError as error:
        raise _error("no file", option=option, path=path, reason=error) from error


def _check_mixlist(path: str, found: Any) -> None:
    if not isinstance(found, dict):
        raise _mixlist(path, "$", found, text("object"))
    for listed, changes in found.items():
        if listed not in NAMES:
            raise _mixlist(path, "$", listed, text("lists"))
        if not isinstance(changes, dict):
            raise _mixlist(path, listed, changes, text("object"))
        for change, names in changes.items():
            if change not in ("to-add", "to-remove"):
                raise _mixlist(path, listed, change, text("changes"))
            if not isinstance(names, list) or not all(
                isinstance(n, str) for n in names
            ):
                raise _mixlist(path, f"{listed}.{change}", names, text("types"))


def _mixlist(path: str, where: str, given: Any, rule: str) -> Exception:
    shown = json.dumps(given, ensure_ascii=False)
    return _error("mixlist", path=path, where=where, given=shown[:200], rule=rule)


def _error(key: str, **facts: object) -> Exception:
    error: Exception = tf.errors.InternalError(None, None, text(key, **facts))
    return error
