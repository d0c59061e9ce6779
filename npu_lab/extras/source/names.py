"""What an expression stands for: a library's path, such as `tf.train.AdamOptimizer`.

An instance ends in "()": `tf.Session()` is a session, `tf.data.Dataset()` a data set,
however it was made. A class of the module itself passes for its base where it does
not define the attribute. What is bound to several things, to a parameter or to
another module's result has no path: None.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator

import libcst as cst

from npu_lab.extras.source.paths import canonical, entered, result_of
from npu_lab.extras.source.scopes import Binding, Scope, Scopes, dotted

# What `from npu_bridge.npu_init import *` brings besides the adapter's own names.
STAR = "npu_bridge.npu_init"
STARS = (STAR, "npu_device.compat.v1.npu_init")
_STAR_BRINGS = {"tf": "tf", "os": "os"}
_BUILTINS = frozenset(dir(builtins))
_LITERALS = (
    cst.BaseNumber, cst.BaseString, cst.Dict, cst.List, cst.Set, cst.Tuple,
    cst.Comparison, cst.Lambda, cst.ListComp, cst.DictComp, cst.SetComp,
)  # fmt: skip
LITERAL = "builtins.literal"
# Where a name is part of a longer one, or is bound and not used.
_NO_USE = (
    cst.Attribute, cst.ImportAlias, cst.ImportFrom, cst.AsName, cst.Param,
    cst.AssignTarget, cst.FunctionDef, cst.ClassDef, cst.NameItem,
)  # fmt: skip
_FREE = frozenset(STARS)
_DEEPEST = 60


class Names:
    """The names of one module; `local` are the roots of modules of the same project."""

    def __init__(self, module: cst.Module, local: Iterable[str] = ()) -> None:
        self.module = module
        self.scopes = Scopes(module)
        self.local = frozenset(local)
        self._known: dict[cst.CSTNode, str | None] = {}
        self._busy: set[int] = set()
        self._classes: list[Scope] = []
        self._functions: list[Scope] = []
        self._depth = 0

    @property
    def nodes(self) -> list[cst.CSTNode]:
        """All nodes of the module, parents first, in source order."""
        return self.scopes.nodes

    def path(self, node: cst.CSTNode) -> str | None:
        """The path of an expression of the module, None where it is not known."""
        found = self._path(node)
        return None if found == _CYCLE else found

    def foreign(self, node: cst.CSTNode) -> bool:
        """Whether an expression certainly is of no library that is migrated."""
        path = self.path(node)
        own = self.class_at(path) if path is not None else None
        if own is not None:
            return all(self.foreign(argument.value) for argument in own.bases)
        if path is None:
            return False
        root = path.lstrip(".").partition(".")[0].partition("(")[0]
        if path.startswith(".") or root in self.local:
            return False  # the project's own module may hand out anything
        return root not in {"tf", "keras", "hvd", "tensorflow_datasets"}

    def possible(self, node: cst.CSTNode) -> set[str]:
        """What a name, dotted or not, may be where branches import several things.

        Empty where there is one way to it, or none that imports.
        """
        written = dotted(node)
        root, _, rest = (written or "").partition(".")
        while isinstance(node, cst.Attribute):
            node = node.value
        scope = self.scopes.of.get(node)
        while scope is not None and root not in scope.bindings:
            scope = scope.parent
        bindings = scope.bindings[root] if scope is not None else []
        if scope is None or len(bindings) == 1 or not any(b.path for b in bindings):
            return set()
        if not self._branches(scope, root):
            return set()
        found = {self._binding(binding) for binding in bindings}
        return {canonical(f"{path}.{rest}".rstrip(".")) for path in found if path}

    def _branches(self, scope: Scope, name: str) -> bool:
        """Whether a name is bound by a statement inside of another of its scope."""
        parent = self.scopes.parent
        for node in self.nodes:
            if isinstance(node, cst.ImportAlias):
                bound = dotted(node.asname.name if node.asname else node.name)
            elif isinstance(node, cst.AssignTarget):
                bound = dotted(node.target)
            else:
                continue
            if bound != name or self.scopes.of[node] is not scope:
                continue
            block = parent[parent[parent[node]]]
            if block not in {scope.node, getattr(scope.node, "body", None)}:
                return True
        return False

    def bound(self, name: str) -> bool:
        """Whether any scope of the module binds `name` itself."""
        scopes = {id(s): s for s in self.scopes.of.values()}.values()
        return any(name in scope.bindings for scope in scopes)

    def references(self) -> Iterator[tuple[cst.BaseExpression, str]]:
        """The names and dotted names that are used, the longest of each, with paths."""
        for node in self.nodes:
            if not isinstance(node, (cst.Attribute, cst.Name)):
                continue
            above = self.scopes.parent.get(node)
            if isinstance(above, _NO_USE) or (
                isinstance(above, (cst.Arg, cst.NamedExpr))
                and node
                in {getattr(above, "keyword", None), getattr(above, "target", None)}
            ):
                continue
            path = self.path(node)
            if path is not None:
                yield node, path

    def class_at(self, path: str) -> cst.ClassDef | None:
        """The definition of a class of the module, by its path."""
        kind, _, number = path.partition("@")
        if kind not in {"class", "self"}:
            return None
        node = self._classes[int(number)].node
        return node if isinstance(node, cst.ClassDef) else None

    def base(self, node: cst.ClassDef) -> str | None:
        """The path of the first base of a class that is a library's, through others."""
        for argument in node.bases:
            path = self.path(argument.value)
            if path is not None and path.startswith("class@"):
                inner = self._classes[int(path[6:])].node
                path = self.base(inner) if isinstance(inner, cst.ClassDef) else None
            if path is not None and path != "builtins.object":
                return path
        return None

    def _path(self, node: cst.CSTNode) -> str | None:
        if node in self._known:
            return self._known[node]
        if id(node) in self._busy:
            return _CYCLE
        if self._depth > _DEEPEST:
            return None
        self._busy.add(id(node))
        self._depth += 1
        try:
            found = self._find(node)
        finally:
            self._busy.discard(id(node))
            self._depth -= 1
        if found != _CYCLE or not self._busy:
            self._known[node] = found
        return found

    def _find(self, node: cst.CSTNode) -> str | None:  # noqa: PLR0911
        if isinstance(node, cst.Name):
            return self._name(node.value, self.scopes.of.get(node))
        if isinstance(node, cst.Attribute):
            owner = self._path(node.value)
            return self._attribute(owner, node.attr.value)
        if isinstance(node, cst.Call):
            return self._called(self._path(node.func), node)
        if isinstance(node, cst.NamedExpr):
            return self._path(node.value)
        if isinstance(node, cst.IfExp):
            return _one({self._path(node.body), self._path(node.orelse)})
        if isinstance(node, cst.BooleanOperation):
            return _one({self._path(node.left), self._path(node.right)})
        return LITERAL if isinstance(node, _LITERALS) else None

    def _name(self, name: str, scope: Scope | None) -> str | None:
        first = True
        while scope is not None:
            home = scope.elsewhere.get(name, scope)
            if name in home.bindings and (first or home.kind != "class"):
                return self._bound(home.bindings[name])
            first = first and scope.kind == "comprehension"
            scope = scope.parent
        star = not _FREE.isdisjoint(self.scopes.stars)
        known = _FREE.issuperset(self.scopes.stars)
        if star and known and name in _STAR_BRINGS:
            return _STAR_BRINGS[name]
        if name == "tf" and not self.scopes.stars:
            return (
                name  # imported by what is not seen, such as a cell that is no Python
            )
        if name in _BUILTINS and known:
            return f"builtins.{name}"
        return f"npu.{name}" if star else None

    def _bound(self, bindings: list[Binding]) -> str | None:
        # `tf = None` where an import failed says nothing of what it is elsewhere.
        told = [b for b in bindings if not _is_none(b)] or bindings
        return _one({self._binding(binding) for binding in told})

    def _binding(self, binding: Binding) -> str | None:  # noqa: PLR0911
        if binding.path is not None:
            return canonical(binding.path)
        if binding.how in {"defined", "instance"} and binding.scope is not None:
            defined = self._defined(binding.scope)
            if binding.how == "instance":
                return defined.replace("class@", "self@")
            return defined
        if binding.value is None:
            return None
        found = self._path(binding.value)
        if found is None or found == _CYCLE:
            return found
        if binding.how == "annotated":
            if found.startswith("class@"):
                return found.replace("class@", "self@")
            return result_of(found) if _is_class(found) else None
        return entered(found) if binding.how == "entered" else found

    def _defined(self, scope: Scope) -> str:
        if scope.kind != "class":
            return f"def@{_number(self._functions, scope)}"
        number = _number(self._classes, scope)
        return f"class@{number}"

    def _attribute(self, owner: str | None, name: str) -> str | None:
        if owner is None or owner == _CYCLE:
            return owner
        if not owner.startswith(("self@", "class@")):
            return None if owner.startswith("def@") else canonical(f"{owner}.{name}")
        scope = self._classes[int(owner.partition("@")[2])]
        bindings = scope.attributes.get(name, []) + scope.bindings.get(name, [])
        if bindings:
            return self._bound(bindings)
        node = scope.node
        base = self.base(node) if isinstance(node, cst.ClassDef) else None
        if base is None or base.startswith(("def@", "class@", "self@")):
            return None
        made = result_of(base) if owner.startswith("self@") else base
        return None if made is None else f"{made}.{name}"

    def _called(self, function: str | None, call: cst.Call) -> str | None:  # noqa: PLR0911
        if function is None or function == _CYCLE:
            return function
        if function.startswith("class@"):
            return f"self@{function[6:]}"
        if function.startswith("def@"):
            return self._returned(self._functions[int(function[4:])])
        if function.startswith("self@"):
            return None
        if function == "builtins.super":
            return self._super(call)
        root = function.lstrip(".").partition(".")[0]
        if function.startswith(".") or root in self.local:
            return None
        return result_of(function)

    def _super(self, call: cst.Call) -> str | None:
        scope = self.scopes.of.get(call)
        while scope is not None:
            if scope.kind == "class" and isinstance(scope.node, cst.ClassDef):
                base = self.base(scope.node)
                return result_of(base) if base and "@" not in base else None
            scope = scope.parent
        return None

    def _returned(self, scope: Scope) -> str | None:
        node = scope.node
        decorated = isinstance(node, cst.FunctionDef) and node.decorators
        if scope.generator or decorated or not scope.returned:
            return None
        found = {None if r is None else self._path(r) for r in scope.returned}
        return _one(found)


_CYCLE = "<cycle>"


def _one(paths: set[str | None]) -> str | None:
    """The one path of several ways; a way that leads back to itself adds none."""
    straight = paths - {_CYCLE}
    if not straight:
        return _CYCLE
    return straight.pop() if len(straight) == 1 else None


def _number(scopes: list[Scope], scope: Scope) -> int:
    for number, each in enumerate(scopes):
        if each is scope:
            return number
    scopes.append(scope)
    return len(scopes) - 1


def _is_none(binding: Binding) -> bool:
    value = binding.value
    return isinstance(value, cst.Name) and value.value == "None"


def _is_class(path: str) -> bool:
    return "@" not in path and path.rpartition(".")[2][:1].isupper()


def text_of(node: cst.CSTNode) -> str:
    """The source of a node, for showing it."""
    return cst.Module(body=[]).code_for_node(node)


__all__ = ["LITERAL", "STAR", "STARS", "Names", "dotted", "text_of"]
