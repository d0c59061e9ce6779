"""What a file uses of Horovod, and which of it has a counterpart."""

from __future__ import annotations

import libcst as cst

from npu_lab.extras.migrate.rules.base import takes
from npu_lab.extras.migrate.rules.entry import guards
from npu_lab.extras.migrate.rules.training import WRAPPER
from npu_lab.extras.source import arguments
from npu_lab.extras.source.names import Names, dotted, text_of
from npu_lab.extras.source.paths import canonical

RANKS = {
    "hvd.rank": "get_npu_rank_id",
    "hvd.local_rank": "get_npu_local_rank_id",
    "hvd.size": "get_npu_rank_size",
    "hvd.local_size": "get_npu_local_rank_size",
}
OPTIMIZER = "hvd.DistributedOptimizer"
HOOK = "hvd.BroadcastGlobalVariablesHook"
CALLBACK = "hvd.callbacks.BroadcastGlobalVariablesCallback"
_COLLECTIVES = ("hvd.allreduce", "hvd.allgather", "hvd.broadcast")
CALLED = (OPTIMIZER, HOOK, CALLBACK, *_COLLECTIVES)
_STATEMENTS = ("hvd.init", "hvd.shutdown")
# Values that may stand in arguments that the conversion leaves out.
_VALUES = ("hvd.Average", "hvd.Sum", "hvd.Compression")


def uses(names: Names) -> list[tuple[cst.BaseExpression, str]]:
    """All uses of Horovod for TensorFlow, with their paths."""
    return [
        (node, path)
        for node, path in names.references()
        if (path == "hvd" or path.startswith("hvd.")) and "()" not in path
    ]


def imports(names: Names) -> list[cst.Import | cst.ImportFrom]:
    """The statements that import Horovod for TensorFlow."""
    return [
        node
        for node in names.nodes
        if isinstance(node, (cst.Import, cst.ImportFrom)) and any(parts(node))
    ]


def parts(node: cst.Import | cst.ImportFrom) -> list[bool]:
    """For each name that is imported, whether it is Horovod's."""
    if isinstance(node, cst.Import):
        return [_ours(dotted(alias.name) or "") for alias in node.names]
    module = dotted(node.module) if node.module and not node.relative else ""
    if isinstance(node.names, cst.ImportStar):
        return [_ours(module or "")]
    return [_ours(f"{module}.{dotted(alias.name)}") for alias in node.names]


def _ours(full: str) -> bool:
    path = canonical(full)
    return path == "hvd" or path.startswith("hvd.") or full == "horovod"


def blockers(names: Names) -> list[tuple[cst.CSTNode, str]]:
    """What of the file's Horovod has no counterpart, with the path of each."""
    found: list[tuple[cst.CSTNode, str]] = []
    for node, path in uses(names):
        above = names.scopes.parent.get(node)
        call = above if isinstance(above, cst.Call) and above.func is node else None
        if not _convertible(names, node, path, call):
            found.append((node, path))
    found += [
        (node, "import *")
        for node in imports(names)
        if isinstance(node, cst.ImportFrom) and isinstance(node.names, cst.ImportStar)
    ]
    if found or not imports(names):
        return found
    outside = [n for n, p in uses(names) if p in RANKS and runs_at_import(names, n)]
    early = [n for n, p in uses(names) if p == "hvd.init" and runs_at_import(names, n)]
    if outside and not early:
        found.append((outside[0], "rank before init"))
    for name in ("npu_sess", "npu_shutdown", *RANKS.values(), WRAPPER, "hccl_ops"):
        if takes(names, name):
            found.append((names.module, name))
    return found


def _convertible(  # noqa: PLR0911
    names: Names, node: cst.CSTNode, path: str, call: cst.Call | None
) -> bool:
    if path in RANKS:
        return call is None or not call.args
    if path in _STATEMENTS:
        return call is not None and isinstance(names.scopes.parent.get(call), cst.Expr)
    if path.startswith(_VALUES):
        return _inside_dropped(names, node)
    if path not in CALLED or call is None or arguments.starred(call):
        return False
    if path == OPTIMIZER:
        return _optimizer_fits(names, call)
    if path in _COLLECTIVES:
        return collective(names, call, path) is not None
    return True


def _inside_dropped(names: Names, node: cst.CSTNode) -> bool:
    """Whether a value stands in an argument of a call that is converted."""
    above: cst.CSTNode | None = node
    while above is not None and not isinstance(above, cst.BaseStatement):
        above = names.scopes.parent.get(above)
        if isinstance(above, cst.Call) and names.path(above.func) in CALLED:
            return True
    return False


def _optimizer_fits(names: Names, call: cst.Call) -> bool:
    op = arguments.value(call, "op")
    fits = op is None or names.path(op) == "hvd.Average"
    passes = arguments.value(call, "backward_passes_per_step")
    once = passes is None or text_of(passes) == "1"
    return fits and once and arguments.find(call, "optimizer", ("optimizer",)) == 0


def collective(names: Names, call: cst.Call, path: str) -> cst.BaseExpression | None:  # noqa: PLR0911
    """What stands for a collective, None where its arguments have no counterpart."""
    kind = path.rpartition(".")[2]
    signature = {
        "allreduce": ("tensor", "average"),
        "allgather": ("tensor",),
        "broadcast": ("tensor", "root_rank"),
    }[kind]
    tensor = arguments.value(call, "tensor", signature)
    known = {*signature, "name", *(("op",) if kind == "allreduce" else ())}
    given = {a.keyword.value for a in call.args if a.keyword is not None}
    if tensor is None or not given <= known:
        return None
    said = text_of(tensor)
    if kind == "allgather":
        return cst.parse_expression(f"hccl_ops.allgather({said}, get_npu_rank_size())")
    if kind == "broadcast":
        root = arguments.value(call, "root_rank", signature)
        if root is None:
            return None
        return cst.parse_expression(f"hccl_ops.broadcast([{said}], {text_of(root)})[0]")
    op, average = (arguments.value(call, n, signature) for n in ("op", "average"))
    summed = f'hccl_ops.allreduce({said}, "sum")'
    adds = (op is not None and names.path(op) == "hvd.Sum") or (
        isinstance(average, cst.Name) and average.value == "False"
    )
    if adds:
        return cst.parse_expression(summed)
    plain = op is None or names.path(op) == "hvd.Average"
    constant = average is None or text_of(average) in {"True", "None"}
    if not plain or not constant:
        return None
    return cst.parse_expression(f"({summed} / get_npu_rank_size())")


def runs_at_import(names: Names, node: cst.CSTNode) -> bool:
    """Whether a node stands outside of functions and of the guard."""
    scope = names.scopes.of.get(node)
    while scope is not None:
        if scope.kind == "function":
            return False
        scope = scope.parent
    inside = guards(names.module)
    above: cst.CSTNode | None = node
    while above is not None:
        if above in inside:
            return False
        above = names.scopes.parent.get(above)
    return True
