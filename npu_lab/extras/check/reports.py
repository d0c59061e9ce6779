"""What was found, as lines for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from npu_lab.extras.check._texts import text
from npu_lab.extras.check.checking import Checked
from npu_lab.extras.source.places import Place


def lines(checked: Checked) -> Iterator[str]:
    """What was found in a file, a line for each finding."""
    for problem in checked.problems:
        reason = text(problem.reason, detail=problem.detail)
        yield text("not checked", place=problem.place, reason=reason)
    for place in checked.without_reason:
        yield text("no reason", place=place)
    for one in checked.findings:
        kind = text(one.diagnostic.severity)
        if one.possible:
            kind = text("possible", kind=kind)
        yield f"{one.place}: {kind} {one.diagnostic.text()}"


def summary(results: Sequence[Checked]) -> str:
    """How much was found, in a line."""
    found = [one for checked in results for one in checked.findings]
    possible = sum(one.possible for one in found)
    return text(
        "summary",
        files=len(results),
        sure=len(found) - possible,
        possible=possible,
        ignored=sum(len(one.ignored) for one in results),
    )


def as_json(results: Sequence[Checked]) -> str:
    """One object: `findings`, `not_checked`, `ignored` (a number), `files`, `ok`.

    A finding has path, cell (0 in a module), line, column, code, severity, possible,
    message, why and mend; lines and columns count from 1. `ok` is exit status 0.
    """
    found = [
        {
            **_place(one.place),
            **one.diagnostic.as_dict(),
            "why": one.diagnostic.why,
            "possible": one.possible,
        }
        for checked in results
        for one in checked.findings
    ]
    unread = [
        {**_place(one.place), "reason": text(one.reason, detail=one.detail)}
        for checked in results
        for one in checked.problems
    ]
    result = {
        "files": len(results),
        "ok": not any(one.fails for one in results),
        "findings": found,
        "not_checked": unread,
        "ignored": sum(len(one.ignored) for one in results),
    }
    return json.dumps(result, indent=1)


def _place(place: Place) -> dict[str, object]:
    return {
        "path": place.path,
        "cell": place.cell,
        "line": place.line,
        "column": place.column,
    }
