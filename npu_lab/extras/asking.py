"""What lessons ask of the migration and the checker; nothing is run or written."""

from __future__ import annotations

import difflib
import html
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from npu_lab import language
from npu_lab.extras.check import check_source
from npu_lab.extras.check.findings import Finding
from npu_lab.extras.migrate import engine, files, reports, tree
from npu_lab.extras.migrate._texts import text
from npu_lab.extras.migrate.files import FileResult
from npu_lab.extras.migrate.finding import Options
from npu_lab.extras.source import reading
from npu_lab.lab import pages
from npu_lab.lab.exercises import Text
from npu_lab.lab.tables import Table

WORDS: dict[str, Text] = {
    "support": {"en": "support", "zh": "支持度"},
    "uses": {"en": "uses", "zh": "次数"},
    "names": {"en": "interfaces", "zh": "接口"},
    "codes": {"en": "diagnostics", "zh": "诊断"},
    "and": {"en": "; ", "zh": "；"},
    "colon": {"en": ": ", "zh": "："},
    "unchanged": {"en": "(nothing: left as it is)", "zh": "（无：保持原样）"},
    "rewritten": {"en": "rewritten", "zh": "已改写"},
    "found": {
        "en": "{files} files: {changed} changed, {unread} not read.",
        "zh": "{files} 个文件：改写 {changed} 个，未能读取 {unread} 个。",
    },
    "levels": {
        "en": "From the vendor's tables, as the tool read them in the scripts.",
        "zh": "依据厂商的支持度表，由工具在脚本中逐一查得。",
    },
    "asked": {
        "en": "Asked of the tool; nothing was run.",
        "zh": "由工具判断，未运行。",
    },
    "pieces": {"en": "{count} pieces", "zh": "{count} 处改动"},
    "findings": {"en": "{count} findings", "zh": "{count} 处发现"},
}


def word(key: str, **facts: object) -> str:
    """One of the words, in the current language."""
    return WORDS[key][language.current()].format(**facts)


@dataclass(frozen=True)
class Listing(pages.Shown):
    """Places, or lines of code, and what is said of each."""

    rows: tuple[tuple[str, str], ...]
    caption: str

    def __str__(self) -> str:
        return "\n".join(
            [*(f"{head}: {said}" for head, said in self.rows), self.caption]
        )

    @property
    def html(self) -> pages.Html:
        """A paragraph for each, what it is about in bold type."""
        rows = [
            f"<p><strong>{html.escape(head)}</strong> {html.escape(said)}</p>"
            for head, said in self.rows
        ]
        lines = pages.Html("\n".join([*rows, pages.fill("line", text=self.caption)]))
        return pages.fill("cell_run", state="plain", lines=lines, table="")


@dataclass(frozen=True)
class Migrated:
    """What the tool makes of a folder; nothing is written."""

    report: Mapping[str, Any]
    results: Mapping[str, FileResult]

    @property
    def findings(self) -> Listing:
        """The findings of the report."""
        rows = tuple(
            (
                f"{found['place']} [{found['rule']}]",
                text("level " + found["level"]) + word("colon") + found["reason"],
            )
            for found in self.report["findings"]
        )
        return Listing(rows, word("found", **self.report["counts"]))

    @property
    def api(self) -> Table:
        """How many uses of TensorFlow there are at each level of support, and which."""
        uses = Counter(hit["level"] for hit in self.report["api"])
        names: dict[str, dict[str, None]] = {}
        for hit in self.report["api"]:
            names.setdefault(hit["level"], {})[hit["api"]] = None
        rows = tuple(
            (level, str(uses[level]), ", ".join(list(names[level])[:3]))
            for level in sorted(uses)
        )
        return Table(
            word("levels"), tuple(map(word, ("support", "uses", "names"))), rows
        )

    def said(self, rule: str) -> list[str]:
        """The place and reason of each finding of a rule."""
        return [
            f"{one['place']}: {one['reason']}"
            for one in self.report["findings"]
            if one["rule"] == rule
        ]

    def diff(self, path: str) -> Diff:
        """What is changed in a file."""
        result = self.results[path]
        return Diff(result.before, result.after)


def migrated(folder: Path | str, **options: Any) -> Migrated:
    """Ask the tool about a folder, with `mode`, `profile` and `loop` as its options.

    Raises:
        OSError: the folder cannot be read.
    """
    if options.get("loop", 1) > 1:
        options["profile"] = "manual"  # as the command does
    root, paths = tree.sources(Path(folder))
    known = tree.facts(root, paths, Options(**options), 0)
    if known.mode == "horovod":
        refused = files.horovod_refused(root, paths, known)
        known = replace(known, horovod_refused=refused)
    results = {path: files.migrate(root, path, known) for path in paths}
    return Migrated(reports.as_dict(list(results.values()), known), results)


@dataclass(frozen=True)
class Diff(pages.Shown):
    """Two versions of a text, and the pieces in which they differ."""

    before: str
    after: str

    @property
    def pieces(self) -> list[tuple[int, list[str], list[str]]]:
        """Of each piece the line in `before`, the lines removed, and those added."""
        old, new = self.before.splitlines(), self.after.splitlines()
        codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        return [(a + 1, old[a:b], new[c:d]) for t, a, b, c, d in codes if t != "equal"]

    def first(self, count: int) -> str:
        """The text with the first pieces only."""
        return self.only(*range(1, count + 1))

    def without(self, *numbers: int) -> str:
        """The text with all pieces but these; they count from 1."""
        return self.only(*set(range(1, len(self.pieces) + 1)).difference(numbers))

    def only(self, *numbers: int) -> str:
        """The text with these pieces."""
        lines = self.before.splitlines()
        for number, (line, old, new) in reversed([*enumerate(self.pieces, 1)]):
            if number in numbers:
                lines[line - 1 : line - 1 + len(old)] = new
        return "\n".join(lines) + "\n"

    @property
    def _lines(self) -> list[tuple[bool, str]]:
        found: list[tuple[bool, str]] = []
        for number, (line, old, new) in enumerate(self.pieces, 1):
            found.append((False, f"[{number}] line {line}"))
            found += [(False, f"- {one}") for one in old]
            found += [(True, f"+ {one}") for one in new]
        return found

    def __str__(self) -> str:
        lines = [one for _, one in self._lines]
        return "\n".join([*lines, word("pieces", count=len(self.pieces))])

    @property
    def html(self) -> pages.Html:
        """The pieces, what is added in bold type."""
        return _listing(self._lines, word("pieces", count=len(self.pieces)))


def _listing(lines: list[tuple[bool, str]], caption: str) -> pages.Html:
    made = [
        f"<strong>{html.escape(one)}</strong>" if bold else html.escape(one)
        for bold, one in lines
    ]
    return pages.fill("log", lines=pages.Html("\n".join(made)), caption=caption)


@dataclass(frozen=True)
class Checked(pages.Shown):
    """What the checker finds in a text."""

    findings: tuple[Finding, ...]

    @property
    def codes(self) -> list[str]:
        """The codes, in the order of the text."""
        return [one.code for one in self.findings]

    @property
    def _listing(self) -> Listing:
        rows = [
            (
                f"{one.place} {one.code}",
                f"{one.diagnostic.message} {one.diagnostic.mend}",
            )
            for one in self.findings
        ]
        return Listing(tuple(rows), word("findings", count=len(rows)))

    def __str__(self) -> str:
        return str(self._listing)

    @property
    def html(self) -> pages.Html:
        """Each finding with what mends it."""
        return self._listing.html


def checked(source: str, name: str = "train.py") -> Checked:
    """Ask the checker about a text."""
    return Checked(check_source(source, name).findings)


def judged(*snippets: str, **options: Any) -> Listing:
    """What the tool does with each of some lines, put below the usual import."""
    rows = []
    for snippet in snippets:
        source = f"import tensorflow as tf\n{snippet}\n"
        outcome = engine.migrate(source, Options(**options), "snippet.py")
        told = [
            f"[{one.rule}] {word('rewritten')}"
            if one.level == "changed"
            else f"[{one.rule}] {reports.reason(one)}"
            for one in outcome.findings
        ]
        rows.append((snippet, word("and").join(told) or word("unchanged")))
    return Listing(tuple(rows), word("asked"))


def is_python(source: str) -> bool:
    """Whether a text can be parsed."""
    return reading.problem_of(source) is None


def sunk(source: str, n: int) -> tuple[str, list[tuple[str, str]]]:
    """A text migrated with N = `n`; level and reason of each finding on its loop."""
    outcome = engine.migrate(source, Options(profile="manual", loop=n), "train.py")
    found = [one for one in outcome.findings if one.rule == "L1"]
    return outcome.text, [(one.level, reports.reason(one)) for one in found]
