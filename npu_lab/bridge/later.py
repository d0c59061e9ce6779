"""The vendor's names that npu_lab does not carry out yet.

A module of `npu_lab.bridge` takes its missing names from here:

    __getattr__ = fill(__name__)

Importing or naming one of them is harmless, and a class may be derived from; calling it
raises NotImplementedError, which says what the name will belong to.  Who builds a name
takes it out of the table, `later_names`; one that an extra has comes from there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal, NoReturn

from npu_lab import language
from npu_lab.bridge.extra import extra
from npu_lab.bridge.later_names import FEATURES, HOME, MESSAGE, MODULES, TABLE, Row


def later(
    name: str,
    *,
    feature: str,
    kind: Literal["class", "function"] = "class",
    module: str = __name__,
) -> Any:
    """A stand-in for the vendor's `name`: using it raises NotImplementedError.

    Args:
        name: as a script writes it.
        feature: a key of `FEATURES`: what the name will belong to.
        kind: what it will be.  A class may be derived from, but not instantiated.
        module: the module it is to be found in.
    """

    def refuse(*_arguments: object, **_options: object) -> NoReturn:
        raise NotImplementedError(_message(name, feature))

    bare = name.rpartition(".")[2]
    about = {
        "__module__": module,
        "__doc__": MESSAGE["en"].format(name=name, feature=FEATURES[feature]["en"]),
    }
    if kind == "class":
        return type(bare, (), {"__new__": refuse, **about})
    refuse.__name__ = refuse.__qualname__ = bare
    refuse.__module__, refuse.__doc__ = about["__module__"], about["__doc__"]
    return refuse


def fill(module: str) -> Callable[[str], NoReturn]:
    """Put the missing names of `module` into it; return its `__getattr__`.

    Those that an extra carries out are its own.
    """
    for name, thing in things(module).items():
        setattr(sys.modules[module], name, thing)

    def no_such_name(name: str) -> NoReturn:
        message = (
            f"module {vendors_name(module)!r} has no attribute {name!r} in npu_lab."
            " FIDELITY.md lists what there is and what is missing."
        )
        raise AttributeError(message, name=name, obj=sys.modules[module])

    return no_such_name


def refuse_import(module: str) -> NoReturn:
    """Raise NotImplementedError for a module that is missing as a whole."""
    feature = MODULES[module.removeprefix(HOME)]
    raise NotImplementedError(_message(vendors_name(module), feature))


def vendors_name(module: str) -> str:
    """The name that scripts use for a module of `npu_lab.bridge`."""
    name = module.removeprefix(HOME)
    is_library = name.startswith(("hccl.manage", "hccl.split"))
    return name if is_library else f"npu_bridge.{name}"


def things(module: str) -> dict[str, Any]:
    """The names of one module: what an extra carries out, and stand-ins."""
    stand_ins = {
        name: later(_written(row, name), feature=row.feature, kind=kind, module=module)
        for row, name, kind in _entries()
        if HOME + row.module == module
    }
    return stand_ins | _supplied(module)


def _supplied(module: str) -> dict[str, Any]:
    rows = [(row, name) for row, name, _ in _entries() if HOME + row.module == module]
    extras = {row.feature: extra(row.feature) for row, _ in rows}
    return {n: getattr(extras[r.feature], n) for r, n in rows if supplied(r, n)}


def supplied(row: Row, name: str) -> bool:
    """Whether an extra carries out this name of the table."""
    return hasattr(extra(row.feature), name)


def names() -> tuple[str, ...]:
    """All names of the table that nothing carries out, sorted, as a script writes them.

    That is the bare name where `npu_init` exports it, else with its module in front:
    "NPURunConfig", "npu_ops.dropout"; a whole module has its full name.
    """
    modules = [vendors_name(module) for module in MODULES]
    missing = [_written(r, n) for r, n, _ in _entries() if not supplied(r, n)]
    return tuple(sorted([*modules, *missing]))


def _entries() -> list[tuple[Row, str, Literal["class", "function"]]]:
    classes = [(r, n, "class") for r in TABLE for n in r.classes.split()]
    functions = [(r, n, "function") for r in TABLE for n in r.functions.split()]
    return [*classes, *functions]  # type: ignore[list-item]


def _written(row: Row, name: str) -> str:
    return name if row.exported else f"{row.module.rpartition('.')[2]}.{name}"


def _message(name: str, feature: str) -> str:
    spoken = language.current()
    return MESSAGE[spoken].format(name=name, feature=FEATURES[feature][spoken])
