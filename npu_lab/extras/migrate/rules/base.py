"""What a rule is, and what it is given to work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import libcst as cst

from npu_lab.extras.migrate.finding import Finding, Level, Options
from npu_lab.extras.source import arguments
from npu_lab.extras.source.names import Names, text_of
from npu_lab.extras.source.places import Place, Positions

# Takes a node whose inner parts may have changed already, gives what replaces it.
Edit = Callable[[Any], Any]
Texts = tuple[str, str]
CONVERTER = (
    "the vendor's script converter, observed",
    "厂商的脚本转换工具（观察所得）",
)
"""The `source` of most rules."""


class Refused(Exception):  # noqa: N818  (it says what became of a site or a file)
    """A site that cannot be proved safe; `reason` is a key of the texts."""

    def __init__(self, reason: str, level: Level = "hand", **facts: object) -> None:
        super().__init__(reason)
        self.reason, self.level, self.facts = reason, level, facts


@dataclass
class Context:
    """One module under migration: its names, and what its rules have asked for."""

    names: Names
    options: Options
    path: str
    cell: int = 0
    findings: list[Finding] = field(default_factory=list)
    emitted: set[str] = field(default_factory=set)
    imports: dict[str, None] = field(default_factory=dict)  # lines to be added
    horovod_left: bool = False  # this file keeps its Horovod
    started: bool = False  # the file is started, and uses TensorFlow
    sunk: bool = False  # the loop that trains is given to the device
    # Statements to put before and after others, made when those are done.
    before: dict[cst.CSTNode, list[Callable[[], list[str]]]] = field(
        default_factory=dict
    )
    after: dict[cst.CSTNode, list[Callable[[], list[str]]]] = field(
        default_factory=dict
    )
    made: set[str] = field(default_factory=set)  # names of variables that were added
    _positions: Positions | None = None

    @property
    def alone(self) -> bool:
        """Whether Horovod is left, here or elsewhere, and all that is distributed."""
        return self.horovod_left or bool(self.options.horovod_refused)

    @property
    def is_main(self) -> bool:
        """Whether the file is the one that `-m` names."""
        return bool(self.options.main) and self.options.main == self.path

    def place(self, node: cst.CSTNode) -> Place:
        """Where `node` of the original stands."""
        if self._positions is None:
            self._positions = Positions(self.names.module)
        return Place(self.path, *self._positions.of(node), cell=self.cell)

    def say(
        self,
        rule: str,
        level: Level,
        node: cst.CSTNode,
        reason: str,
        facts: Mapping[str, object] | None = None,
    ) -> Finding:
        """Add a line about `node`."""
        shown = node if isinstance(node, cst.BaseExpression) else None
        before = text_of(shown) if shown is not None else ""
        found = Finding(rule, level, self.place(node), reason, facts or {}, before)
        self.findings.append(found)
        return found


@dataclass
class Site:
    """A call that a rule may change; `path` is what it calls."""

    rule: str
    call: cst.Call
    path: str
    context: Context

    def value(self, name: str, signature: Sequence[str] = ()) -> Any:
        """The expression given for an argument, by position or keyword."""
        return arguments.value(self.call, name, signature)

    def refuse_starred(self) -> None:
        """Refuse a call whose arguments cannot be seen."""
        if arguments.starred(self.call):
            raise Refused("starred")

    def emit(self, name: str) -> cst.BaseExpression:
        """An adapter's name in the output; refused where the module takes it."""
        root = name.partition(".")[0]
        if takes(self.context.names, root):
            raise Refused("name taken", name=root)
        self.context.emitted.add(root)
        return cst.parse_expression(name)

    def called(self, node: cst.CSTNode | None, *names: str) -> bool:
        """Whether an expression already is, or holds, a call of an adapter's name."""
        if node is None:
            return False
        path = self.context.names.path(node) or ""
        written = {f"npu.{name}()" for name in names}
        if path in written:
            return True
        return isinstance(node, cst.Call) and _last(node.func) in names

    @property
    def wrapped_by(self) -> str:
        """The last name of the call that has this one as an argument, or ""."""
        parent = self.context.names.scopes.parent
        above = parent.get(parent.get(self.call, self.call))
        inside = isinstance(parent.get(self.call), cst.Arg)
        return _last(above.func) if inside and isinstance(above, cst.Call) else ""

    def warn(self, reason: str, **facts: object) -> None:
        """Say that what the site means may change."""
        self.context.say(self.rule, "warning", self.call, reason, facts)


class Rule(Protocol):
    """One rewriting rule; its `before` becomes its `after` (and is its test)."""

    id: ClassVar[str]
    trigger: ClassVar[str]
    before: ClassVar[str]
    after: ClassVar[str]
    reason: ClassVar[Texts]
    source: ClassVar[str]
    modes: ClassVar[tuple[str, ...]]  # empty: in every mode
    versions: ClassVar[tuple[int, ...]]

    def matches(self, path: str) -> bool:
        """Whether a call of `path` is this rule's."""

    def edit(self, site: Site) -> Edit | None:
        """How to change the call; None when nothing has to be.

        Raises:
            Refused: it has to be, and cannot be proved safe.
        """


class CallRule:
    """A rule for calls of the given paths."""

    id: ClassVar[str] = ""
    trigger: ClassVar[str] = ""
    paths: ClassVar[tuple[str, ...]] = ()
    before: ClassVar[str] = ""
    after: ClassVar[str] = ""
    reason: ClassVar[Texts] = ("", "")
    source: ClassVar[Texts] = ("", "")
    modes: ClassVar[tuple[str, ...]] = ()
    versions: ClassVar[tuple[int, ...]] = (1,)
    compat: ClassVar[bool] = True  # holds with -c as well
    profiles: ClassVar[tuple[str, ...]] = ("auto", "manual")
    # Last names of methods: a call of one on something unknown is reported.
    possible: ClassVar[tuple[str, ...]] = ()

    def matches(self, path: str) -> bool:
        """Whether a call of `path` is this rule's."""
        return path in self.paths

    def holds(self, options: Options) -> bool:
        """Whether the rule is for this version of TensorFlow and this mode."""
        held = {1} if options.tf1 else set()
        version = not (held | {options.tf}).isdisjoint(self.versions)
        if options.compat and not self.compat:
            return False
        if options.profile not in self.profiles:
            return False
        return version and (not self.modes or options.mode in self.modes)

    def edit(self, site: Site) -> Edit | None:
        """How to change the call; None when nothing has to be."""
        raise NotImplementedError

    def suspects(self, call: cst.Call) -> bool:
        """Whether a call of one of `possible` on something unknown looks like ours."""
        del call
        return True


def takes(names: Names, name: str) -> bool:
    """Whether the module binds an adapter's name to something of its own."""
    for scope in {id(s): s for s in names.scopes.of.values()}.values():
        for binding in scope.bindings.get(name, []):
            path = binding.path or ""
            if path != name and "npu" not in path:
                return True
    return False


def wrapped(
    call: cst.Call,
    index: int | None,
    argument: str,
    wrapper: cst.BaseExpression,
    keyword: str,
) -> cst.Call:
    """The call with its argument handed through `wrapper`, or added as an empty one."""
    if index is None:
        return arguments.with_keyword(call, argument, cst.Call(func=wrapper))
    inner = cst.Arg(value=call.args[index].value, **_keyword(keyword))
    around = cst.Call(func=wrapper, args=[inner])
    return arguments.with_value(call, index, around)


def _keyword(name: str) -> dict[str, Any]:
    tight = cst.SimpleWhitespace("")
    return {"keyword": cst.Name(name), "equal": cst.AssignEqual(tight, tight)}


def named(name: str, value: cst.BaseExpression) -> cst.Arg:
    """The argument `name=value`."""
    return cst.Arg(value=value, **_keyword(name))


def as_keyword(call: cst.Call, index: int, name: str) -> cst.Call:
    """The call with its last positional argument given by keyword."""
    args = list(call.args)
    if args[index].keyword is None and index == arguments.positional(call) - 1:
        args[index] = args[index].with_changes(**_keyword(name))
    return call.with_changes(args=args)


def setting(
    call: cst.Call, name: str, value: cst.BaseExpression, signature: Sequence[str] = ()
) -> cst.Call:
    """The call with `name` set to `value`, wherever it was given, else added."""
    index = arguments.find(call, name, signature)
    if index is None:
        return arguments.with_keyword(call, name, value)
    return arguments.with_value(call, index, value)


def is_name(node: cst.CSTNode | None, value: str) -> bool:
    """Whether an expression is this plain name, such as True."""
    return isinstance(node, cst.Name) and node.value == value


def _last(node: cst.CSTNode) -> str:
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""
