"""The stages, each checked by facts of runs, whatever the script looks like."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from npu_lab.extras.capstone import models, running
from npu_lab.extras.capstone._texts import text
from npu_lab.extras.check import check_source
from npu_lab.extras.freeze import FreezeError, FrozenModel, freeze
from npu_lab.extras.migrate.engine import migrate
from npu_lab.extras.migrate.finding import Options
from npu_lab.lab import pages

if TYPE_CHECKING:
    from npu_lab.extras.capstone.project import Project

FEWER = 4
"""Times fewer host calls that there should be."""
LOST = 0.01
"""The accuracy that may be lost."""
SIGNS = {True: "✓", False: "✗", None: "○"}


class Missed(Exception):  # noqa: N818  (a verdict, no fault of the program)
    """A stage is not passed; the text says why, and how to mend it."""


@dataclass(frozen=True)
class Stage:
    """One stage; `passed` is None where its turn has not come. `facts` are numbers."""

    name: str
    passed: bool | None
    seen: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Its name in the current language."""
        return text(self.name)


@dataclass(frozen=True)
class Standing(pages.Shown):
    """Where the learner stands."""

    stages: tuple[Stage, ...]
    name: str

    @property
    def passed(self) -> bool:
        """Whether all stages are."""
        return all(one.passed for one in self.stages)

    @property
    def next(self) -> Stage | None:
        """The first stage that is not passed."""
        return next((one for one in self.stages if not one.passed), None)

    def __str__(self) -> str:
        lines = [f"{SIGNS[s.passed]} {s.title}: {s.seen}" for s in self.stages]
        return "\n".join(lines)

    @property
    def html(self) -> pages.Html:
        """A paragraph for each stage: what was seen can be long."""
        lines = [
            pages.fill("line", text=f"{SIGNS[s.passed]} {s.title}: {s.seen}")
            for s in self.stages
        ]
        note = pages.fill("line", text=text("caption", name=self.name))
        return pages.Html(f'<div class="npu-lab">{pages.join([*lines, note])}</div>')


def standing(project: Project, asked: Collection[str] = ()) -> Standing:
    """Check stage after stage, up to the first that is not passed.

    `asked` are names of `STAGES`; by default all.
    """
    found: list[Stage] = []
    for name, check in STAGES.items():
        if asked and name not in asked:
            continue
        if found and not found[-1].passed:
            found.append(Stage(name, None, text("not yet")))
            continue
        try:
            seen, facts = check(project)
        except Missed as missed:
            found.append(Stage(name, False, str(missed)))
        else:
            found.append(Stage(name, True, seen, facts))
    return Standing(tuple(found), project.path.name)


Found = tuple[str, dict[str, Any]]


def _migrated(project: Project) -> Found:
    script = project.script
    try:
        tree = ast.parse(script)
    except SyntaxError as problem:
        raise Missed(text("unreadable", problem=problem)) from problem
    done = migrate(script, Options(), project.path.name)
    rules = [one.rule for one in done.findings if one.level == "changed"]
    if done.text != script:
        told = ", ".join(sorted(set(rules))) or "-"
        raise Missed(text("tool would change", count=len(rules), rules=told))
    imported = {
        getattr(one, "module", None) or alias.name
        for one in ast.walk(tree)
        if isinstance(one, (ast.Import, ast.ImportFrom))
        for alias in one.names
    }
    if not any(name.startswith("npu_bridge") for name in imported):
        raise Missed(text("no adapter"))
    codes = sorted({one.code for one in check_source(script).findings})
    if codes:
        return text("is migrated", codes=", ".join(codes)), {"codes": codes}
    return text("is clean"), {"codes": []}


def _sinks(project: Project) -> Found:
    report = project.run().report
    if report["exit"] != "ok":
        raise Missed(text("failed", **report["error"]))
    if not report["training_calls"]:
        raise Missed(text("no training"))
    # Besides the loop, a script may run single reads of its step.
    trained = [one for one in report["loops"] if one["diagnostics"] or _sunk(one)]
    for one in trained or report["loops"]:
        fetches, n = ", ".join(one["fetches"]), one["iterations_per_loop"]
        first = next(iter(one["diagnostics"]), None)
        if not _sunk(one):
            if first is None:
                raise Missed(text("one step", fetches=fetches))
            raise Missed(text("does not sink", fetches=fetches, **_told(first)))
        if one["data"] == "repeated":
            told = _told(first or {"code": "", "message": "", "mend": ""})
            raise Missed(text("repeated", fetches=fetches, n=n, **told))
    sunk = [one for one in trained if _sunk(one)]
    if not sunk:
        raise Missed(text("one step", fetches="-"))
    n, fetches = sunk[0]["iterations_per_loop"], ", ".join(sunk[0]["fetches"])
    return text("does sink", fetches=fetches, n=n), {"n": n}


def _sunk(loop: Mapping[str, Any]) -> bool:
    return bool(loop["in_effect"])


def _told(diagnostic: Mapping[str, str]) -> dict[str, str]:
    return {key: diagnostic[key] for key in ("code", "message", "mend")}


def _proved(project: Project) -> Found:
    report = project.run().report
    n = next(one["iterations_per_loop"] for one in report["loops"] if _sunk(one))
    done, calls = report["device_iterations"], report["training_calls"]
    facts = {"done": done, "steps": project.steps, "calls": calls, "n": n}
    if done != project.steps:
        key = "too many" if done > project.steps else "too few"
        raise Missed(text(key, **facts))
    if report["batches_pulled"] != done:
        raise Missed(text("unbalanced", batches=report["batches_pulled"], done=done))
    markers = report["log"]["markers"]
    if not markers:
        raise Missed(text("no markers"))
    facts |= {"markers": markers, "batches": report["batches_pulled"]}
    return text("is proved", **facts), facts


def _faster(project: Project) -> Found:
    after = project.run().report["session_runs"]
    before = project.run_before().report["session_runs"]
    facts = {"before": before, "after": after}
    if after * FEWER > before:
        raise Missed(text("too slow", **facts))
    saved = running.DELAY * (before - after)
    return text("is faster", saved=saved, **facts), facts


def _accurate(project: Project) -> Found:
    scripts, runs = (
        (project.before, project.script),
        (project.run_before(), project.run()),
    )
    checkpoints = [one.checkpoint or "" for one in runs]
    if not all(checkpoints):
        raise Missed(text("no checkpoint"))
    try:
        before, after = (
            models.accuracy(*pair) for pair in zip(scripts, checkpoints, strict=True)
        )
    except ValueError as problem:
        if str(problem) == models.FUNCTION:
            raise Missed(text("no network")) from problem
        raise Missed(text("other model", problem=problem)) from problem
    apart = models.apart(checkpoints[0], checkpoints[1])
    facts = {"before": before, "after": after, "apart": apart}
    if math.isnan(after) or after < before - LOST:
        raise Missed(text("less accurate", **facts))
    return text("less accurate", **facts), facts


def _frozen(project: Project) -> Found:
    checkpoint = project.run().checkpoint
    path = project.folder / "model.pb"
    inference = models.builder(project.script)
    try:
        made = freeze(checkpoint, path, models.OUTPUT, model=inference)
    except FreezeError as problem:
        raise Missed(text("not frozen", problem=problem)) from problem
    images, labels = models.unseen_digits()
    with FrozenModel(path, models.OUTPUT, batch=100) as model:
        right = float((model(images).argmax(1) == labels).mean())
    facts = {"difference": made.difference, "right": right}
    return text("is frozen", **facts), facts


STAGES: Mapping[str, Callable[[Project], Found]] = {
    "migrated": _migrated,
    "sinks": _sinks,
    "proved": _proved,
    "faster": _faster,
    "accurate": _accurate,
    "frozen": _frozen,
}
