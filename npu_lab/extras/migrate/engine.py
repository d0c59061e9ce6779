"""Migrates the text of one module: names, then rules, then one pass that rewrites."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import libcst as cst

from npu_lab.extras.migrate import imports
from npu_lab.extras.migrate.finding import Finding, Options
from npu_lab.extras.migrate.rules import CALL_RULES, FILE_RULES
from npu_lab.extras.migrate.rules.base import CallRule, Context, Edit, Refused, Site
from npu_lab.extras.migrate.rules.manual import surrounded
from npu_lab.extras.source import reading
from npu_lab.extras.source.names import STAR, STARS, Names, dotted, text_of
from npu_lab.extras.source.paths import canonical

# Only a file with one of these can hold anything for a rule.
MATCHING = re.compile(
    r"tensorflow|keras|horovod|npu_bridge|tf_slim|npu_lab\.tf1|\btf\.[a-zA-Z]"
)
_FORM_FEED = re.compile(r"^[ \t\f]*\f[ \t\f]*(?=\r?$)", re.MULTILINE)
_ASIDE = "#npu-lab-form-feed:"
NPU_INIT = f"from {STAR} import *"


@dataclass
class Outcome:
    """What came of one module."""

    text: str
    findings: list[Finding] = field(default_factory=list)
    context: Context | None = None


def migrate(text: str, options: Options, path: str, cell: int = 0) -> Outcome:
    """The migrated text of a module; the text as it is when nothing has to change.

    Raises:
        Unreadable: the text is no Python source.
    """
    if not MATCHING.search(text) and options.main != path:
        refused = reading.problem_of(text)
        if refused is not None:
            raise refused
        return Outcome(text)
    kept = text.rstrip(" \t\f")
    if _FORM_FEED.search(text) and not _returns(kept):
        return _with_form_feeds_aside(text, options, path, cell)
    text, tail = kept, text[len(kept) :]
    module = reading.parse(text)
    context = Context(Names(module, options.local), options, path, cell)
    work = Work(context)
    work.plan()
    changed = work.apply(module)
    result = changed.code
    if result != text and reading.problem_of(result) is not None:
        context.findings = [f for f in context.findings if f.level != "changed"]
        context.say("-", "hand", module, "would not parse")
        result = text
    context.findings.sort(key=lambda found: found.place)
    return Outcome(result + tail, context.findings, context)


def _returns(text: str) -> bool:
    """Whether libcst gives a text back as it is, or has another fault to find."""
    try:
        reading.parse(text)
    except reading.Unreadable as problem:
        return problem.reason != "not the same"
    return True


def _with_form_feeds_aside(
    text: str, options: Options, path: str, cell: int
) -> Outcome:
    """As `migrate`, where libcst would lose form feeds on lines of their own."""
    lines: list[str] = []

    def aside(line: re.Match[str]) -> str:
        lines.append(line[0])
        return f"{_ASIDE}{len(lines) - 1}"

    outcome = migrate(_FORM_FEED.sub(aside, text), options, path, cell)
    outcome.text = re.sub(
        rf"{_ASIDE}(\d+)", lambda found: lines[int(found[1])], outcome.text
    )
    return outcome


class Work:
    """The edits of one module, by the node that each changes."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.edits: dict[cst.CSTNode, list[tuple[Edit, Finding | None]]] = defaultdict(
            list
        )
        self._rules = [rule for rule in CALL_RULES if rule.holds(context.options)]
        self._possible = {name: rule for rule in self._rules for name in rule.possible}
        self._by_path: dict[str, list[CallRule]] = {}

    def plan(self) -> None:
        """Ask every rule about every call, and the rules of whole files."""
        names = self.context.names
        for theme in FILE_RULES:
            theme.plan(self)
        if self.context.alone:
            # What trains on several devices stays as it is, all of it.
            self._rules = [rule for rule in self._rules if not rule.modes]
            self._possible = {
                name: rule for rule in self._rules for name in rule.possible
            }
        for node in names.nodes:
            if isinstance(node, cst.Call):
                path = names.path(node.func)
                if path is None and isinstance(node.func, cst.Name):
                    path = f"?.{node.func.value}"
                if path is None or path.startswith(("?.", "npu.tf.")):
                    self._by_chance(node)
                if path is not None:
                    for rule in self._for(path):
                        self._ask(rule, node, path)
                else:
                    self._suspect(node)

    def add(
        self, node: cst.CSTNode, edit: Edit, rule: str = "", shown: str = ""
    ) -> None:
        """Change `node` by `edit`; with a rule's name, say so."""
        found = None
        if rule:
            found = self.context.say(rule, "changed", node, f"rule {rule}")
            found.after = shown
        self.edits[node].append((edit, found))

    def _for(self, path: str) -> list[CallRule]:
        if path not in self._by_path:
            self._by_path[path] = [r for r in self._rules if r.matches(path)]
        return self._by_path[path]

    def _ask(self, rule: CallRule, node: cst.Call, path: str) -> None:
        site = Site(rule.id, node, path, self.context)
        try:
            edit = rule.edit(site)
        except Refused as refused:
            self.context.say(
                rule.id, refused.level, node, refused.reason, refused.facts
            )
            return
        if edit is not None:
            found = self.context.say(rule.id, "changed", node, f"rule {rule.id}")
            self.edits[node].append((edit, found))

    def _by_chance(self, node: cst.Call) -> None:
        """Report a call of what a star import or one of several branches may bring."""
        names, name = self.context.names, dotted(node.func) or ""
        paths = sorted(names.possible(node.func))
        stars = [star for star in names.scopes.stars if star not in STARS]
        if stars and not names.bound(name.partition(".")[0]):
            paths += [name, *(canonical(f"{star}.{name}") for star in stars)]
        for path in paths:
            rules = self._for(path) if path.startswith(("tf.", "keras.")) else []
            if rules:
                self.context.say(rules[0].id, "hand", node, "receiver unknown")
                return

    def _suspect(self, node: cst.Call) -> None:
        """Report a call that has the name of a rule's method on something unknown."""
        func = node.func
        if not isinstance(func, cst.Attribute):
            return
        rule = self._possible.get(func.attr.value)
        if rule is None or self.context.names.foreign(func.value):
            return
        if rule.suspects(node):
            self.context.say(rule.id, "hand", node, "receiver unknown")

    def apply(self, module: cst.Module) -> cst.Module:
        """The module with all edits made and all lines of import added."""
        context = self.context
        for statement in {**context.before, **context.after}:
            before, after = (
                d.get(statement, []) for d in (context.before, context.after)
            )
            self.add(statement, partial(surrounded, before=before, after=after))
        if self.edits:
            around = set()
            parent = self.context.names.scopes.parent
            for node in self.edits:
                above: cst.CSTNode | None = node
                while above is not None and above not in around:
                    around.add(above)
                    above = parent.get(above)
            visited = module.visit(_Rewriter(self.edits, around))
            assert isinstance(visited, cst.Module)  # noqa: S101
            module = visited
        lines = self._lines()
        if lines:
            body = self.context.names.module.body
            index = imports.insertion_point(body)
            node = body[index] if index < len(body) else self.context.names.module
            for line, rule in lines.items():
                found = self.context.say(rule, "changed", node, f"rule {rule}")
                found.after = line
        return imports.with_lines(module, lines)

    def _lines(self) -> dict[str, str]:
        """The lines to add, each with the rule that wants it, in their order."""
        context = self.context
        has_star = bool(set(context.names.scopes.stars) & set(STARS))
        lines: dict[str, str] = {}
        started = context.started and not context.horovod_left
        if context.options.tf == 1:
            if (context.emitted or started) and not has_star:
                lines[NPU_INIT] = "I1"
        elif context.emitted or started or context.imports:
            bound = "npu_device" in imported(context.names)
            if not bound:
                lines["import npu_device as npu"] = "V1"
            if context.options.compat and not has_star:
                lines[f"from {STARS[1]} import *"] = "V10"
                lines["npu.compat.enable_v1()"] = "V10"
            elif started and not bound and not context.options.compat:
                lines["npu.open().as_default()"] = "V2"
        rule = "I2" if context.options.tf == 1 else "V1"
        return {**lines, **dict.fromkeys(context.imports, rule)}


def imported(names: Names) -> set[str]:
    """What the module's own level imports, by the full names."""
    return {
        binding.path
        for bindings in names.scopes.module.bindings.values()
        for binding in bindings
        if binding.path is not None
    }


class _Rewriter(cst.CSTTransformer):
    """Makes the edits, inner nodes first, and skips what holds none."""

    def __init__(
        self,
        edits: dict[cst.CSTNode, list[tuple[Edit, Finding | None]]],
        around: set[cst.CSTNode],
    ) -> None:
        super().__init__()
        self._edits, self._around = edits, around

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node in self._around

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        made: Any = updated_node
        for edit, found in self._edits.get(original_node, ()):
            made = edit(made)
            if found is not None and isinstance(made, cst.BaseExpression):
                found.after = text_of(made)
        return made
