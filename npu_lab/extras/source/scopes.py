"""Which names a module binds in which scope, and to what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import libcst as cst

from npu_lab.extras.source.walking import children

Kind = Literal["module", "function", "class", "comprehension"]


@dataclass
class Scope:
    """One region of names; `attributes` are those that methods set on `self`."""

    kind: Kind
    parent: Scope | None
    node: cst.CSTNode
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    elsewhere: dict[str, Scope] = field(default_factory=dict)
    attributes: dict[str, list[Binding]] = field(default_factory=dict)
    returned: list[cst.BaseExpression | None] = field(default_factory=list)
    generator: bool = False
    myself: str | None = None  # a method's first parameter, and what it stands for
    called: Literal["instance", "defined"] = "instance"

    def bind(self, name: str, binding: Binding) -> None:
        """Note that `name` is bound here, or where `global` says it lives."""
        scope = self.elsewhere.get(name, self)
        scope.bindings.setdefault(name, []).append(binding)


@dataclass(frozen=True)
class Binding:
    """What a name is bound to: a library's path, an expression, or a definition here.

    With none of the three nothing is known, as of a parameter.
    """

    path: str | None = None
    value: cst.BaseExpression | None = None
    scope: Scope | None = None  # of the expression, or the scope that is defined
    how: Literal["is", "entered", "annotated", "defined", "instance", "unknown"] = (
        "unknown"
    )


UNKNOWN = Binding()


class Scopes:
    """All scopes of a module and what stands in each, found in one walk."""

    def __init__(self, module: cst.Module) -> None:
        self.module = Scope("module", None, module)
        self.of: dict[cst.CSTNode, Scope] = {}
        self.stars: list[str] = []
        self.nodes: list[cst.CSTNode] = []
        self.parent: dict[cst.CSTNode, cst.CSTNode] = {}
        self._visit(module, self.module)

    def _visit(self, node: cst.CSTNode, scope: Scope) -> None:
        waiting: list[tuple[cst.CSTNode, Scope]] = [(node, scope)]
        while waiting:
            current, here = waiting.pop()
            self.nodes.append(current)
            self.of[current] = here
            inner = self._enter(current, here)
            below = list(children(current))
            for child in below:
                self.parent[child] = current
            if inner is here:
                waiting.extend((child, here) for child in reversed(below))
            else:
                waiting.extend(
                    (child, self._side(current, child, here, inner))
                    for child in reversed(below)
                )

    @staticmethod
    def _side(
        node: cst.CSTNode, child: cst.CSTNode, outer: Scope, inner: Scope
    ) -> Scope:
        """Decorators, defaults and bases belong to the scope outside."""
        if isinstance(node, (cst.FunctionDef, cst.Lambda)):
            return inner if child is node.body or child is node.params else outer
        if isinstance(node, cst.ClassDef):
            return inner if child is node.body else outer
        return inner

    def _enter(self, node: cst.CSTNode, here: Scope) -> Scope:
        handle = getattr(self, f"_{type(node).__name__}", None)
        inner = handle(node, here) if handle is not None else None
        return inner or here

    def _FunctionDef(self, node: cst.FunctionDef, here: Scope) -> Scope:  # noqa: N802
        inner = Scope("function", here, node)
        here.bind(node.name.value, Binding(scope=inner, how="defined"))
        first = [*node.params.posonly_params, *node.params.params][:1]
        decorators = {dotted(d.decorator) for d in node.decorators}
        if here.kind == "class" and first and "staticmethod" not in decorators:
            inner.myself = first[0].name.value
            if "classmethod" in decorators:
                inner.called = "defined"
        self._parameters(node.params, inner, here)
        return inner

    def _Lambda(self, node: cst.Lambda, here: Scope) -> Scope:  # noqa: N802
        inner = Scope("function", here, node, returned=[node.body])
        self._parameters(node.params, inner, here)
        return inner

    @staticmethod
    def _parameters(params: cst.Parameters, inner: Scope, outer: Scope) -> None:
        every = [*params.posonly_params, *params.params, *params.kwonly_params]
        every += [
            p for p in (params.star_arg, params.star_kwarg) if isinstance(p, cst.Param)
        ]
        for param in every:
            name, said = param.name.value, param.annotation
            if name == inner.myself:
                inner.bind(name, Binding(scope=outer, how=inner.called))
            elif said is not None and not param.star:
                inner.bind(name, Binding(None, said.annotation, outer, "annotated"))
            else:
                inner.bind(name, UNKNOWN)

    def _ClassDef(self, node: cst.ClassDef, here: Scope) -> Scope:  # noqa: N802
        inner = Scope("class", here, node)
        here.bind(node.name.value, Binding(scope=inner, how="defined"))
        return inner

    def _comprehension(self, node: cst.CSTNode, here: Scope) -> Scope:
        return Scope("comprehension", here, node)

    _ListComp = _SetComp = _DictComp = _GeneratorExp = _comprehension

    def _CompFor(self, node: cst.CompFor, here: Scope) -> None:  # noqa: N802
        self._target(node.target, None, here)

    def _For(self, node: cst.For, here: Scope) -> None:  # noqa: N802
        self._target(node.target, None, here)

    def _Assign(self, node: cst.Assign, here: Scope) -> None:  # noqa: N802
        for target in node.targets:
            self._target(target.target, node.value, here)

    def _AnnAssign(self, node: cst.AnnAssign, here: Scope) -> None:  # noqa: N802
        if node.value is not None:
            self._target(node.target, node.value, here)

    def _AugAssign(self, node: cst.AugAssign, here: Scope) -> None:  # noqa: N802
        self._target(node.target, None, here)

    def _NamedExpr(self, node: cst.NamedExpr, here: Scope) -> None:  # noqa: N802
        while here.kind == "comprehension" and here.parent is not None:
            here = here.parent
        self._target(node.target, node.value, here)

    def _WithItem(self, node: cst.WithItem, here: Scope) -> None:  # noqa: N802
        if node.asname is not None:
            self._target(node.asname.name, node.item, here, how="entered")

    def _ExceptHandler(self, node: cst.ExceptHandler, here: Scope) -> None:  # noqa: N802
        if node.name is not None:
            self._target(node.name.name, None, here)

    def _MatchAs(self, node: cst.MatchAs, here: Scope) -> None:  # noqa: N802
        if node.name is not None:
            here.bind(node.name.value, UNKNOWN)

    def _Global(self, node: cst.Global, here: Scope) -> None:  # noqa: N802
        for item in node.names:
            here.elsewhere[item.name.value] = self.module

    def _Nonlocal(self, node: cst.Nonlocal, here: Scope) -> None:  # noqa: N802
        outer = here.parent
        for item in node.names:
            if outer is not None:
                here.elsewhere[item.name.value] = outer

    def _Return(self, node: cst.Return, here: Scope) -> None:  # noqa: N802
        here.returned.append(node.value)

    def _Yield(self, node: cst.Yield, here: Scope) -> None:  # noqa: N802
        del node
        here.generator = True

    def _Import(self, node: cst.Import, here: Scope) -> None:  # noqa: N802
        for alias in node.names:
            full = dotted(alias.name) or ""
            if alias.asname is not None:
                self._target_path(alias.asname.name, full, here)
            else:
                root = full.partition(".")[0]
                here.bind(root, Binding(path=root))

    def _ImportFrom(self, node: cst.ImportFrom, here: Scope) -> None:  # noqa: N802
        module = dotted(node.module) if node.module is not None else ""
        module = "." * len(node.relative) + (module or "")
        if isinstance(node.names, cst.ImportStar):
            self.stars.append(module)
            return
        for alias in node.names:
            name = dotted(alias.name) or ""
            full = f"{module}{'' if module.endswith('.') else '.'}{name}"
            bound = alias.asname.name if alias.asname is not None else alias.name
            self._target_path(bound, full, here)

    @staticmethod
    def _target_path(target: cst.CSTNode, path: str, here: Scope) -> None:
        if isinstance(target, cst.Name):
            here.bind(target.value, Binding(path=path))

    def _target(
        self,
        target: cst.CSTNode,
        value: cst.BaseExpression | None,
        here: Scope,
        how: Literal["is", "entered"] = "is",
    ) -> None:
        """Bind all names of `target`, an expression that is assigned to."""
        binding = UNKNOWN if value is None else Binding(None, value, here, how)
        if isinstance(target, cst.Name):
            here.bind(target.value, binding)
        elif isinstance(target, (cst.Tuple, cst.List)):
            values: list[cst.BaseExpression | None] = [None] * len(target.elements)
            same = isinstance(value, (cst.Tuple, cst.List)) and len(
                value.elements
            ) == len(target.elements)
            if same and isinstance(value, (cst.Tuple, cst.List)):
                values = [
                    element.value if isinstance(element, cst.Element) else None
                    for element in value.elements
                ]
            for element, each in zip(target.elements, values, strict=True):
                self._target(element.value, each, here)
        elif isinstance(target, cst.Attribute) and isinstance(target.value, cst.Name):
            owner = _owner(here, target.value.value)
            if owner is not None:
                owner.attributes.setdefault(target.attr.value, []).append(binding)


def _owner(scope: Scope | None, name: str) -> Scope | None:
    """The class whose method, around `scope`, calls its instance `name`."""
    while scope is not None:
        if scope.myself == name:
            return scope.parent
        if name in scope.bindings:
            return None
        scope = scope.parent
    return None


def dotted(node: cst.CSTNode | None) -> str | None:
    """`a.b.c` as text, None for any other expression."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return None
    return ".".join([node.value, *reversed(parts)])
