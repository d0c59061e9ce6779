"""Profiles: small TOML files with the figures of a timing model, each with its source.

    title = "A host made up for teaching"

    [step_seconds]
    value = 0.002
    unit = "s"
    provenance = "assumed"
    source = "made up for teaching"

`title_zh` and `source_zh` may give the same in Chinese.  The profiles that come with
npu_lab lie beside this module, the user's own in `user_folder()`; a user's profile goes
before one of the same name.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

from npu_lab import files, language
from npu_lab._texts import text
from npu_lab.timeline import Provenance

OWN = Path(__file__).parent / "profiles"
THIS_MACHINE = "this_machine"
UNITS = {
    "step_seconds": "s",
    "launch_seconds": "s",
    "loop_seconds": "s",
    "round_trip_seconds": "s",
    "bytes_per_call": "B",
    "bandwidth": "B/s",
    "pipeline_seconds": "s",
    "get_next_seconds": "s",
    "queue_depth": "batches",
}
PROVENANCES = (*get_args(Provenance), "injected")


class Figure(NamedTuple):
    """One figure: its value and unit, how it was had, and from where."""

    value: float
    unit: str
    provenance: str
    source: str


class Profile(NamedTuple):
    """A profile as read: its texts are in the current language."""

    path: Path
    title: str
    figures: dict[str, Figure]


def user_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Where a user's own profiles lie; the folder need not be there."""
    given = environ.get("APPDATA" if sys.platform == "win32" else "XDG_DATA_HOME", "")
    # A relative path is to be ignored, by the XDG specification.
    data = Path(given) if Path(given).is_absolute() else Path.home() / ".local/share"
    return data / "npu_lab" / "profiles"


def found() -> dict[str, Path]:
    """The profiles that there are, by name."""
    return {
        path.stem: path
        for folder in (OWN, user_folder())
        for path in sorted(folder.glob("*.toml"))
    }


def read(profile: str | Path) -> Profile:
    """The profile of that name, or in that file.

    Raises:
        ValueError: there is no such profile, or something in it is wrong.
    """
    path = found().get(str(profile), Path(profile))
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as problem:
        names = ", ".join(found())
        message = text("no profile", profile=profile, names=names)
        raise ValueError(message) from problem
    except ValueError as problem:  # not UTF-8, or no TOML
        raise ValueError(f"{path}: {problem}") from problem
    title = _said(content, "title", path, "")
    tables = {k: v for k, v in content.items() if k not in {"title", "title_zh"}}
    for key in ("step_seconds", *tables):
        if key not in tables:
            raise ValueError(text("no figure", path=path, where=key))
        if key not in UNITS:
            known = ", ".join(UNITS)
            raise ValueError(text("bad figure", path=path, where=key, known=known))
    return Profile(
        path, title, {key: _figure(one, path, key) for key, one in tables.items()}
    )


def _figure(table: Any, path: Path, key: str) -> Figure:
    table = table if isinstance(table, dict) else {}
    if "value" not in table:
        raise ValueError(text("no figure", path=path, where=f"{key}.value"))
    for name, allowed in (("unit", (UNITS[key],)), ("provenance", PROVENANCES)):
        if table.get(name) not in allowed:
            wanted = ", ".join(f'"{one}"' for one in allowed)
            word = f"{key}.{name}"
            raise ValueError(text("bad word", path=path, where=word, wanted=wanted))
    source = _said(table, "source", path, f"{key}.")
    return Figure(table["value"], table["unit"], table["provenance"], source)


def _said(table: dict[str, Any], name: str, path: Path, inside: str) -> str:
    said = language.current() == "zh" and table.get(f"{name}_zh")
    said = said or table.get(name)
    if not isinstance(said, str) or not said.strip():
        raise ValueError(text("no text", path=path, where=f"{inside}{name}"))
    return said


def write(
    path: Path, title: Mapping[str, str], figures: Mapping[str, Mapping[str, Any]]
) -> None:
    """Write a profile, whole or not at all; its folder is made.

    `title` and each of `figures` hold the keys that stand in the file.

    Raises:
        OSError: the file cannot be written.
    """
    lines = _lines(title)
    for key, table in figures.items():
        lines += ["", f"[{key}]", *_lines(table)]
    path.parent.mkdir(parents=True, exist_ok=True)
    files.replace(path, "\n".join(lines) + "\n")


def _lines(table: Mapping[str, Any]) -> list[str]:
    # What JSON writes for texts and finite numbers is TOML as well.
    return [f"{k} = {json.dumps(v, ensure_ascii=False)}" for k, v in table.items()]
