"""Horovod, converted as a whole or left as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import libcst as cst

from npu_lab.extras.migrate.rules.base import CONVERTER, named
from npu_lab.extras.migrate.rules.dropping import Dropping, Editing
from npu_lab.extras.migrate.rules.entry import Card, Frame, guards
from npu_lab.extras.migrate.rules.horovod_uses import (
    CALLBACK,
    CALLED,
    HOOK,
    OPTIMIZER,
    RANKS,
    blockers,
    collective,
    imports,
    parts,
    runs_at_import,
    uses,
)
from npu_lab.extras.migrate.rules.training import WRAPPER
from npu_lab.extras.source import arguments
from npu_lab.extras.source.names import text_of
from npu_lab.extras.source.walking import walk

_INIT = "(npu_sess, npu_shutdown) = init_resource()"
_SHUTDOWN = "shutdown_resource(npu_sess, npu_shutdown)"
_CLOSE = "close_session(npu_sess)"
_ATEXIT = (
    "import atexit",
    _INIT,
    "atexit.register(close_session, npu_sess)",
    "atexit.register(shutdown_resource, npu_sess, npu_shutdown)",
)


def plan(work: Editing) -> None:
    """Convert the file's Horovod, or say why it is left."""
    context = work.context
    statements = imports(context.names)
    if not statements:
        return
    context.horovod_left = True
    mode = "horovod" if context.options.tf1 else "horovod -c"
    if context.options.mode != "horovod":
        context.say("H6", "hand", statements[0], "needs mode", {"mode": mode})
        return
    stopped = blockers(context.names)
    for node, path in stopped:
        context.say("H6", "hand", node, "horovod blocked", {"api": path})
    if stopped:
        return
    if context.options.horovod_refused:
        facts = {"path": context.options.horovod_refused}
        context.say("H6", "hand", statements[0], "horovod elsewhere", facts)
        return
    context.horovod_left = False
    _Conversion(work).convert(statements)


class _Conversion:
    def __init__(self, work: Editing) -> None:
        self._work, self._context = work, work.context
        self._names = work.context.names
        self._dropping = Dropping(work)

    def convert(self, statements: list[cst.Import | cst.ImportFrom]) -> None:
        """Every use, then the imports, then set-up and teardown."""
        inits = []
        for node, path in uses(self._names):
            call = self._names.scopes.parent[node]
            if path == "hvd.init":
                inits.append(self._names.scopes.parent[call])
            elif path == "hvd.shutdown":
                self._dropping.drop(self._names.scopes.parent[call], "H1")
            elif path in RANKS:
                name = cst.Name(RANKS[path])
                self._context.emitted.add(name.value)
                self._work.add(node, partial(_instead_of, name), "H2", name.value)
            elif isinstance(call, cst.Call) and path in CALLED:
                self._call(call, path)
        for statement in statements:
            self._import(statement)
        self._frame(inits)

    def _call(self, call: cst.Call, path: str) -> None:
        emitted = self._context.emitted
        if path == OPTIMIZER:
            emitted.add(WRAPPER)
            if len(call.args) > 1:
                self._context.say("H3", "warning", call, "options dropped")
            self._work.add(call, _optimizer, "H3")
        elif path == HOOK:
            emitted |= {"NPUBroadcastGlobalVariablesHook", "os"}
            self._root(call, "H4")
            self._work.add(call, _hook, "H4")
        elif path == CALLBACK:
            emitted.add("NPUBroadcastGlobalVariablesCallback")
            self._root(call, "H5")
            self._work.add(call, _callback, "H5")
        else:
            emitted |= {"hccl_ops", "get_npu_rank_size"}
            self._context.say("H7", "warning", call, "collective")
            self._work.add(call, lambda now: self._collected(now, path, call), "H7")

    def _collected(
        self, now: cst.Call, path: str, original: cst.Call
    ) -> cst.BaseExpression:
        """The collective, its tensor as the inner edits have left it."""
        made = collective(self._names, original, path)
        old = arguments.find(original, "tensor", ("tensor",)) or 0
        assert made is not None  # noqa: S101
        replaced = made.deep_replace(_tensor(made), now.args[old].value)
        assert isinstance(replaced, cst.BaseExpression)  # noqa: S101
        return replaced

    def _root(self, call: cst.Call, rule: str) -> None:
        root = arguments.value(call, "root_rank", ("root_rank",))
        if root is not None and text_of(root) != "0":
            self._context.say(rule, "warning", call, "root rank")

    def _import(self, statement: cst.Import | cst.ImportFrom) -> None:
        ours = parts(statement)
        if all(ours):
            self._dropping.drop(statement, "H6")
            return
        assert not isinstance(statement.names, cst.ImportStar)  # noqa: S101
        kept = [a for a, mine in zip(statement.names, ours, strict=True) if not mine]
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        self._work.add(statement, lambda now: now.with_changes(names=kept), "H6")

    def _frame(self, inits: list[cst.CSTNode]) -> None:
        """Set-up where Horovod had it, or in the guard; teardown in any case."""
        if not inits:
            return
        self._context.emitted |= {
            "init_resource", "shutdown_resource", "close_session"
        }  # fmt: skip
        found = guards(self._names.module)
        early = [node for node in inits if runs_at_import(self._names, node)]
        # Who imports the file passes by its guard, and still needs the set-up.
        imported = self._context.path in self._context.options.imported
        if len(found) == 1 and not early and not imported:
            frame = Frame()
            frame.before, frame.after = [_INIT], [_SHUTDOWN, _CLOSE]
            self._work.add(found[0], frame.wrap, "I4", _INIT)
            for init in inits:
                self._dropping.drop(init, "H1")
            return
        here, *others = early or inits
        if others and not early:
            self._context.say("H1", "warning", here, "several inits")
        lines = [cst.parse_statement(line) for line in _ATEXIT]
        line = self._names.scopes.parent[here]
        if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
            self._work.add(line, lambda now: _instead(now, lines), "I6", _INIT)
        else:
            self._work.add(here, lambda _: _small(lines), "I6", _INIT)
        for init in others:
            self._dropping.drop(init, "H1")


def _tensor(made: cst.BaseExpression) -> cst.CSTNode:
    """The first argument, or the first element of it, of the call of hccl_ops."""
    call = next(n for n in walk(made) if isinstance(n, cst.Call))
    first = call.args[0].value
    return first.elements[0].value if isinstance(first, cst.List) else first


def _instead_of(name: cst.Name, _: cst.CSTNode) -> cst.Name:
    return name


def _instead(
    line: cst.SimpleStatementLine,
    lines: Sequence[cst.SimpleStatementLine | cst.BaseCompoundStatement],
) -> cst.FlattenSentinel[cst.BaseStatement]:
    made = [each.deep_clone() for each in lines]
    made[0] = made[0].with_changes(leading_lines=line.leading_lines)
    made[-1] = made[-1].with_changes(trailing_whitespace=line.trailing_whitespace)
    return cst.FlattenSentinel(made)


def _small(
    lines: Sequence[cst.SimpleStatementLine | cst.BaseCompoundStatement],
) -> cst.FlattenSentinel[cst.CSTNode]:
    """The statements for a line that holds others as well."""
    return cst.FlattenSentinel(
        [line.body[0] for line in lines if isinstance(line, cst.SimpleStatementLine)]
    )


def _optimizer(call: cst.Call) -> cst.Call:
    first = call.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return call.with_changes(func=cst.Name(WRAPPER), args=[first])


def _hook(call: cst.Call) -> cst.BaseExpression:
    made = cst.parse_expression(
        "NPUBroadcastGlobalVariablesHook(0, int(os.getenv('RANK_ID', '0')))"
    )
    return made.with_changes(lpar=call.lpar, rpar=call.rpar)


def _callback(call: cst.Call) -> cst.Call:
    name = cst.Name("NPUBroadcastGlobalVariablesCallback")
    return call.with_changes(func=name, args=[named("root_rank", cst.Integer("0"))])


_HVD = "import horovod.tensorflow as hvd\nimport tensorflow as tf\n"
_NPU = "from npu_bridge.npu_init import *\nimport tensorflow as tf\n"
_WHY = (
    "the adapter's own collectives take the place of Horovod's",
    "以适配器自己的集合通信替代 Horovod",
)


def _card(name: str, trigger: str, before: str, after: str) -> type[Card]:
    fields = {
        "id": name,
        "trigger": trigger,
        "modes": ("horovod",),
        "before": _HVD + before,
        "after": _NPU + after,
        "reason": _WHY,
        "source": CONVERTER,
    }
    return type(f"Horovod{name}", (Card,), fields)


_SETUP = "\n".join(_ATEXIT) + "\n"
RULES = (
    _card("I4", "if __name__ == '__main__'",
          "\n\ndef main():\n    hvd.init()\n    go()\n\n\n"
          "if __name__ == '__main__':\n    main()\n",
          "\n\ndef main():\n    go()\n\n\n"
          f"if __name__ == '__main__':\n    {_INIT}\n    try:\n        main()\n"
          f"    finally:\n        {_SHUTDOWN}\n        {_CLOSE}\n"),
    _card("I6", "a file without a guard", "hvd.init()\ngo()\n", f"{_SETUP}go()\n"),
    _card("H1", "hvd.init(), hvd.shutdown()", "hvd.init()\nhvd.shutdown()\n", _SETUP),
    _card("H2", "hvd.rank, size, local_rank, local_size",
          "hvd.init()\nr = hvd.rank()\n", f"{_SETUP}r = get_npu_rank_id()\n"),
    _card("H3", "hvd.DistributedOptimizer(...)",
          "o = hvd.DistributedOptimizer(o, op=hvd.Average)\n", f"o = {WRAPPER}(o)\n"),
    _card("H4", "hvd.BroadcastGlobalVariablesHook(...)",
          "h = [hvd.BroadcastGlobalVariablesHook(0)]\n",
          "h = [NPUBroadcastGlobalVariablesHook(0,"
          " int(os.getenv('RANK_ID', '0')))]\n"),
    _card("H5", "hvd.callbacks.BroadcastGlobalVariablesCallback(...)",
          "c = [hvd.callbacks.BroadcastGlobalVariablesCallback(0)]\n",
          "c = [NPUBroadcastGlobalVariablesCallback(root_rank=0)]\n"),
    _card("H6", "import horovod.tensorflow", "\n\ndef f():\n    return hvd.size()\n",
          "\n\ndef f():\n    return get_npu_rank_size()\n"),
    _card("H7", "hvd.allreduce, allgather, broadcast",
          "s = hvd.allreduce(t, average=False)\n",
          's = hccl_ops.allreduce(t, "sum")\n'),
)  # fmt: skip
