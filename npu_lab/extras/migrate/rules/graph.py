"""Parts of a script that are no calls: a function of its own, a constant."""

from __future__ import annotations

import libcst as cst

from npu_lab.extras.migrate.rules.base import CONVERTER, Context, takes
from npu_lab.extras.migrate.rules.dropping import Editing
from npu_lab.extras.migrate.rules.entry import Card
from npu_lab.extras.source.names import text_of
from npu_lab.extras.source.walking import walk

_COMPUTES = {
    "tf.tanh", "tf.math.tanh", "tf.nn.tanh", "tf.erf", "tf.math.erf",
    "tf.keras.activations.tanh",
}  # fmt: skip


class Gelu(Card):
    """N2: gelu by the NPU's own operation."""

    id = "N2"
    trigger = "def gelu(x), computed by TensorFlow's tanh or erf"
    before = "import tensorflow as tf\n\n\ndef gelu(x):\n    return x * tf.tanh(x)\n"
    after = (
        "from npu_bridge.npu_init import *\nimport tensorflow as tf\n\n\n"
        "def gelu(x):\n    return npu_unary_ops.gelu(x)\n"
    )
    reason = (
        "one operation of the NPU in place of several",
        "以一个 NPU 算子替代多个算子",
    )
    source = CONVERTER


class JitLevel(Card):
    """S14: a constant that turns the JIT compiler on."""

    id = "S14"
    trigger = "tf.OptimizerOptions.ON_1, ON_2"
    before = (
        "import tensorflow as tf\n"
        "c.graph_options.optimizer_options.global_jit_level ="
        " tf.OptimizerOptions.ON_1\n"
    )
    after = (
        "import tensorflow as tf\n"
        "c.graph_options.optimizer_options.global_jit_level ="
        " tf.OptimizerOptions.OFF\n"
    )
    reason = (
        "the JIT compiler of XLA is turned off: the NPU compiles the graph itself",
        "关闭 XLA 的 JIT 编译：图由 NPU 自行编译",
    )
    source = (
        "section 6.4 of the observed rules, which leave it out",
        "观察所得规则的 6.4 节，其中没有包括它",
    )


def plan(work: Editing) -> None:
    """Change what is no call."""
    context = work.context
    if not context.options.tf1:
        return
    off = cst.Name("OFF")
    for node in context.names.nodes:
        if isinstance(node, cst.FunctionDef) and node.name.value == "gelu":
            _gelu(work, node)
        elif isinstance(node, cst.Attribute) and node.attr.value in {"ON_1", "ON_2"}:
            path = context.names.path(node) or ""
            if path.startswith("tf.OptimizerOptions."):
                after = text_of(node.with_changes(attr=off))
                work.add(node, lambda n: n.with_changes(attr=off), "S14", after)


def _gelu(work: Editing, node: cst.FunctionDef) -> None:
    context = work.context
    paths = {
        context.names.path(n.func) for n in walk(node.body) if isinstance(n, cst.Call)
    }
    if not any((path or "").startswith("tf.") for path in paths):
        return  # another library's, or converted before
    parameter = _parameter(context, node)
    if parameter is None or not paths & _COMPUTES:
        context.say("N2", "hand", node, "gelu")
        return
    if takes(context.names, "npu_unary_ops"):
        context.say("N2", "hand", node, "name taken", {"name": "npu_unary_ops"})
        return
    context.emitted.add("npu_unary_ops")
    line = f"return npu_unary_ops.gelu({parameter})"
    work.add(node, lambda now: _with_body(now, line), "N2", line)


def _parameter(context: Context, node: cst.FunctionDef) -> str | None:
    """The one tensor that the function takes; None where there are more, or none."""
    params = node.params
    if params.kwonly_params or params.star_kwarg is not None:
        return None
    if isinstance(params.star_arg, cst.Param) or node.asynchronous is not None:
        return None
    every = [*params.posonly_params, *params.params]
    if context.names.scopes.of[node].kind == "class" and every:
        static = any(text_of(d.decorator) == "staticmethod" for d in node.decorators)
        every = every if static else every[1:]
    needed = [p for p in every if p.default is None or p.name.value == "name"]
    named = [p.name.value for p in every if p.name.value != "name"]
    return named[0] if len(named) == 1 and len(needed) == len(every) else None


def _with_body(node: cst.FunctionDef, line: str) -> cst.FunctionDef:
    """The function with one statement, below its docstring and all its comments."""
    statement = cst.parse_statement(line)
    if not isinstance(node.body, cst.IndentedBlock):
        small = cst.ensure_type(statement, cst.SimpleStatementLine).body
        return node.with_changes(body=cst.SimpleStatementSuite(small))
    body = list(node.body.body)
    kept = body[:1] if node.get_docstring() is not None else []
    comments = [
        cst.EmptyLine(comment=each.comment)
        for removed in body[len(kept) :]
        for each in walk_all(removed)
        if isinstance(each, (cst.EmptyLine, cst.TrailingWhitespace))
        and each.comment is not None
    ]
    statement = statement.with_changes(leading_lines=comments)
    return node.with_changes(body=node.body.with_changes(body=[*kept, statement]))


def walk_all(node: cst.CSTNode) -> list[cst.CSTNode]:
    """`node` and all nodes below it, white space as well."""
    found = [node]
    for child in node.children:
        found += walk_all(child)
    return found


RULES = (Gelu, JitLevel)
