"""The levels of support of TensorFlow's API, and which of it a script calls."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from npu_lab.extras.migrate.finding import Finding, Level
from npu_lab.extras.migrate.rules.base import Context
from npu_lab.extras.source.places import Place

FOLDER = Path(__file__).parent / "data"
# Printed as a finding; the others are rows of the analysis only.
_LOUD: dict[str, Level] = {"unsupported": "warning", "analysing": "warning"}
_THIRD_PARTY = ("cupy", "cupyx", "pynvml")


@dataclass(frozen=True)
class Hit:
    """One use of an API."""

    place: Place
    api: str
    module: str
    level: str


class UnusableError(Exception):
    """A table given with -l that is none."""


@cache
def table(version: int, given: str = "") -> dict[str, tuple[str, str]]:
    """Module and level by API, of TensorFlow `version` or of the file `given`.

    Raises:
        UnusableError: `given` is no such table.
    """
    if given:
        return _from_csv(Path(given))
    packed = (FOLDER / f"tf{version}_levels.json.gz").read_bytes()
    found: dict[str, tuple[str, str]] = {}
    for level, modules in json.loads(gzip.decompress(packed)).items():
        for module, names in modules.items():
            for name in names.split():
                found[name if name.startswith(":") else f"{module}.{name}"] = (
                    module,
                    level,
                )
    return {name.lstrip(":"): row for name, row in found.items()}


def _from_csv(path: Path) -> dict[str, tuple[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        found = {row["api"]: (row["module"], row["level"]) for row in rows}
    except (OSError, UnicodeDecodeError, KeyError, csv.Error) as problem:
        raise UnusableError(str(problem)) from problem
    if not found:
        raise UnusableError("empty")
    return found


def scan(context: Context, given: str = "") -> list[Hit]:
    """All uses of an API that the table knows, by whatever name the module calls it."""
    names = context.names
    version = 1 if context.options.tf1 else 2  # with -c scripts use the names of 1
    known = table(version, given)
    hits = []
    for node, path in names.references():
        if path.endswith(")") or "@" in path:
            continue
        api = _spelling(path, known)
        if api is not None:
            hits.append(Hit(context.place(node), api, *known[api]))
        elif path.partition(".")[0] in _THIRD_PARTY:
            root = path.partition(".")[0]
            hits.append(Hit(context.place(node), path, root, "unsupported"))
    return hits


def _spelling(path: str, known: dict[str, tuple[str, str]]) -> str | None:
    if not path.startswith(("tf.", "hvd.")):
        return None
    if path in known:
        return path
    old = f"tf.compat.v1.{path[3:]}"
    return old if old in known else None


def findings(hits: list[Hit]) -> list[Finding]:
    """Those uses that will not work."""
    return [
        Finding(
            "API",
            _LOUD[hit.level],
            hit.place,
            "unsupported",
            {"api": hit.api, "level": hit.level},
            hit.api,
        )
        for hit in hits
        if hit.level in _LOUD
    ]
