"""The reports as files: one JSON, one page, and the names of the vendor's tool."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from npu_lab import files as whole
from npu_lab.extras.migrate import page
from npu_lab.extras.migrate._texts import TEXTS, pick, text
from npu_lab.extras.migrate.files import FileResult
from npu_lab.extras.migrate.finding import LEVELS, Finding, Options
from npu_lab.extras.migrate.rules import RULES

SCHEMA = 1


def reason(finding: Finding) -> str:
    """Why, in the current language."""
    if finding.reason.startswith("rule ") and finding.reason not in TEXTS:
        return pick(RULES[finding.reason.removeprefix("rule ")].reason)
    return text(finding.reason, **finding.facts)


def as_dict(results: Sequence[FileResult], options: Options) -> dict[str, Any]:
    """The report; `docs/migrate_report.md` says what each field means."""
    findings = [found for result in results for found in result.findings]
    levels = Counter(found.level for found in findings)
    return {
        "schema": SCHEMA,
        "tensorflow": options.tf,
        "mode": options.mode,
        "profile": options.profile,
        "files": [
            {
                "path": result.path,
                "lines": result.lines,
                "status": _status(result),
            }
            for result in results
        ],
        "counts": {
            "files": len(results),
            "changed": sum(result.data is not None for result in results),
            "unread": sum(result.unread for result in results),
            **{level: levels[level] for level in LEVELS if level != "changed"},
            "changes": levels["changed"],
        },
        "findings": [_finding(found) for found in findings],
        "api": [
            {
                "place": str(hit.place),
                "api": hit.api,
                "module": hit.module,
                "level": hit.level,
            }
            for result in results
            for hit in result.hits
        ],
    }


def _status(result: FileResult) -> str:
    if result.unread:
        return "unread"
    return "same" if result.data is None else "changed"


def _finding(found: Finding) -> dict[str, Any]:
    place = found.place
    return {
        "rule": found.rule,
        "level": found.level,
        "path": place.path,
        "cell": place.cell,
        "line": place.line,
        "column": place.column,
        "place": str(place),
        "reason": reason(found),
        "before": found.before,
        "after": found.after,
    }


def write(folder: Path, report: dict[str, Any]) -> None:
    """Write all reports into `folder`, which is made.

    Raises:
        OSError: one cannot be written.
    """
    folder.mkdir(parents=True)
    findings = report["findings"]
    contents = {
        "report.json": json.dumps(report, indent=1, ensure_ascii=False) + "\n",
        "report.html": page.page(report),
        "success_report.txt": _lines(findings, "changed"),
        "failed_report.txt": _lines(findings, "hand"),
        "need_migration_doc.txt": _lines(findings, "warning"),
        "api_analysis_report.csv": _analysis(report["api"]),
        "api_brief_report.txt": _brief(report["api"]),
    }
    for name, content in contents.items():
        # A file's name may hold bytes that are no UTF-8.
        whole.replace(folder / name, content.encode("utf-8", "backslashreplace"))


def _lines(findings: Sequence[dict[str, Any]], level: str) -> str:
    return "".join(
        f"{found['place']} [{found['rule']}] {found['reason']}\n"
        for found in findings
        if found["level"] == level
    )


def _analysis(hits: Sequence[dict[str, str]]) -> str:
    """As CSV; with a byte order mark, so that spreadsheets see that it is UTF-8."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["place", "module", "api", "level"])
    for hit in hits:
        rows.writerow([hit["place"], hit["module"], hit["api"], hit["level"]])
    return "\ufeff" + out.getvalue()


def _brief(hits: Sequence[dict[str, str]]) -> str:
    calls = Counter(hit["level"] for hit in hits)
    names = Counter({hit["api"]: hit["level"] for hit in hits}.values())
    return "".join(
        f"{level}: {calls[level]} ({names[level]})\n" for level in sorted(calls)
    )
