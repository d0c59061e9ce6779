"""The script that is started: what is set up before it, and taken down after it."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from npu_lab.extras.migrate.imports import insertion_point
from npu_lab.extras.migrate.rules.base import CONVERTER, CallRule, takes
from npu_lab.extras.migrate.rules.dropping import Editing
from npu_lab.extras.source.scopes import dotted

KERAS = "set_keras_session_npu_config"
_TRAINS = (
    "fit", "fit_generator", "train_on_batch", "compile", "evaluate", "predict",
    "evaluate_generator", "predict_generator",
)  # fmt: skip


def option_lines(config: str, operation: str, loop: int = 1) -> list[str]:
    """The statements that make a ConfigProto one for the NPU."""
    rewrites = f"{config}.graph_options.rewrite_options"
    lines = [
        f"{operation} = {rewrites}.custom_optimizers.add()",
        f'{operation}.name = "NpuOptimizer"',
        f'{operation}.parameter_map["use_off_line"].b = True',
    ]
    if loop > 1:
        lines += [
            f'{operation}.parameter_map["enable_data_pre_proc"].b = True',
            f'{operation}.parameter_map["iterations_per_loop"].i = {loop}',
        ]
    return [
        *lines,
        f"{rewrites}.remapping = RewriterConfig.OFF",
        f"{rewrites}.memory_optimization = RewriterConfig.OFF",
    ]


class Card(CallRule):
    """A rule of whole files, for `--explain`; what does the work is `plan`."""

    def matches(self, path: str) -> bool:
        """No single call is its own."""
        del path
        return False


class NpuInit(Card):
    """I1: the adapter's names."""

    id = "I1"
    trigger = "a script that another rule changes, or that is started"
    before = "import tensorflow as tf\ns = tf.Session()\n"
    after = (
        "from npu_bridge.npu_init import *\nimport tensorflow as tf\n"
        "s = tf.Session(config=npu_config_proto())\n"
    )
    reason = (
        "names of the adapter; importing it also gives every session made later the"
        " adapter's defaults",
        "引入适配器的名称；导入后创建的会话都会带上适配器的默认配置",
    )
    source = CONVERTER


class KerasSession(Card):
    """I5: Keras's session, opened before the script and closed after it."""

    id = "I5"
    trigger = "if __name__ == '__main__', where Keras trains"
    before = (
        "import tensorflow as tf\n\n\ndef main():\n"
        "    tf.keras.Sequential([]).fit(x)\n\n\n"
        "if __name__ == '__main__': main()\n"
    )
    after = (
        "from npu_bridge.npu_init import *\n"
        "import tensorflow as tf\n\n\ndef main():\n"
        "    tf.keras.Sequential([]).fit(x)\n\n\n"
        "if __name__ == '__main__':\n"
        "    npu_keras_sess = set_keras_session_npu_config()\n"
        "    try:\n        main()\n"
        "    finally:\n        close_session(npu_keras_sess)\n"
    )
    reason = (
        "Keras trains in the session that it is given; it is closed even when the"
        " script ends by sys.exit, as tf.app.run() does",
        "Keras 在指定的会话中训练；即使脚本以 sys.exit 结束（如 tf.app.run()）"
        "也会关闭会话",
    )
    source = CONVERTER


class KerasMain(Card):
    """I7: as I5, for a main script without a guard."""

    id = "I7"
    trigger = "-m MAIN without if __name__ == '__main__', where Keras trains"
    before = "import tensorflow as tf\ntf.keras.Sequential([]).fit(x)\n"
    after = (
        "from npu_bridge.npu_init import *\nimport tensorflow as tf\nimport atexit\n"
        "npu_keras_sess = set_keras_session_npu_config()\n"
        "atexit.register(close_session, npu_keras_sess)\n"
        "tf.keras.Sequential([]).fit(x)\n"
    )
    reason = KerasSession.reason
    source = CONVERTER


class Frame:
    """What is to be done before and after the body of a guard."""

    def __init__(self) -> None:
        self.before: list[str] = []
        self.after: list[str] = []

    def wrap(self, guard: cst.If) -> cst.If:
        """The guard with its body between `before` and `after`."""
        body = guard.body
        if isinstance(body, cst.SimpleStatementSuite):
            line = cst.SimpleStatementLine(
                body.body, trailing_whitespace=body.trailing_whitespace
            )
            inner = cst.IndentedBlock([line])
            header, indent = cst.TrailingWhitespace(), None
        else:
            assert isinstance(body, cst.IndentedBlock)  # noqa: S101
            header, indent = body.header, body.indent
            inner = body.with_changes(header=cst.TrailingWhitespace())
        before = [cst.parse_statement(line) for line in self.before]
        if not self.after:
            block = inner.with_changes(body=[*before, *inner.body], header=header)
            return guard.with_changes(body=block)
        after = [cst.parse_statement(line) for line in self.after]
        protected = cst.Try(
            body=inner,
            finalbody=cst.Finally(cst.IndentedBlock(after, indent=indent)),
        )
        block = cst.IndentedBlock([*before, protected], header=header, indent=indent)
        return guard.with_changes(body=block)


def guards(module: cst.Module) -> list[cst.If]:
    """The statements `if __name__ == "__main__"`, either way round."""
    return [
        node for node in module.body if isinstance(node, cst.If) and _is_guard(node)
    ]


def _is_guard(node: cst.If) -> bool:
    test = node.test
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    target = test.comparisons[0]
    sides = (test.left, target.comparator)
    return (
        isinstance(target.operator, cst.Equal)
        and any(isinstance(s, cst.Name) and s.value == "__name__" for s in sides)
        and any(
            isinstance(s, cst.SimpleString) and s.raw_value == "__main__" for s in sides
        )
    )


def after_imports(
    work: Editing, lines: Sequence[str], rule: str, node: cst.CSTNode
) -> None:
    """Put statements after the first run of imports of the module."""
    module = work.context.names.module
    made = [cst.parse_statement(line) for line in lines]
    body = list(module.body)
    start = next((i for i, s in enumerate(body) if is_import(s)), None)
    end = start if start is not None else 0
    while end < len(body) and is_import(body[end]):
        end += 1
    if end == 0:
        index = insertion_point(body)
        work.add(module, lambda m: _inserted(m, index, made))
    else:
        work.context.after.setdefault(body[end - 1], []).append(lambda: list(lines))
    found = work.context.say(rule, "changed", node, f"rule {rule}")
    found.after = "\n".join(lines)


def _inserted(
    module: cst.Module,
    index: int,
    made: Sequence[cst.SimpleStatementLine | cst.BaseCompoundStatement],
) -> cst.Module:
    body = list(module.body)
    return module.with_changes(body=[*body[:index], *made, *body[index:]])


def is_import(statement: cst.CSTNode) -> bool:
    """Whether a statement of a module is an import."""
    return isinstance(statement, cst.SimpleStatementLine) and any(
        isinstance(small, (cst.Import, cst.ImportFrom)) for small in statement.body
    )


def keras_trains(work: Editing) -> bool:
    """Whether the file trains or runs a Keras model, and gives it no session itself."""
    names, trains = work.context.names, False
    mentions = any(
        path.startswith(("tf.keras", "keras")) for _, path in names.references()
    )
    for node in names.nodes:
        if not isinstance(node, cst.Call):
            continue
        last = dotted(node.func) or ""
        if last.rpartition(".")[2] in {KERAS, "set_session"}:
            return False
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in _TRAINS:
            path = names.path(node.func) or ""
            known = path.startswith(("tf.keras.Model()", "keras.Model()"))
            unknown = mentions and not names.foreign(node.func.value)
            unknown = unknown and not path.startswith("tf.")
            trains = trains or known or unknown
    return trains


def plan(work: Editing) -> None:
    """Give Keras its session, and a script that is started the adapter's import."""
    context = work.context
    module = context.names.module
    found = guards(module)
    uses = _uses_tensorflow(work)
    if context.options.no_entry == context.path:
        context.say("V2", "hand", module, "no entry")
    if not context.options.tf1:
        chosen = context.options.main
        context.started = context.is_main or (bool(found) and uses and not chosen)
        return
    context.started = uses and (bool(found) or context.is_main)
    frame = Frame()
    trains = keras_trains(work)
    if context.is_main and not trains and context.options.keras_trains:
        trains = KERAS not in module.code and "set_session" not in module.code
    if trains and not takes(context.names, "npu_keras_sess"):
        lines = session_lines(work)
        line = lines[-1]
        close = "atexit.register(close_session, npu_keras_sess)"
        if len(found) > 1:  # the last may train in what the first has opened
            frame.before += ["import atexit", *lines, close]
            work.add(found[0], frame.wrap, "I5", line)
        elif found:
            frame.before += lines
            frame.after.append("close_session(npu_keras_sess)")
            work.add(found[0], frame.wrap, "I5", line)
        elif context.is_main:
            after_imports(work, ["import atexit", *lines, close], "I7", module)
        else:
            context.say("I5", "warning", module, "no guard")


def session_lines(work: Editing) -> list[str]:
    """What opens Keras's session: one call, or what that does written out."""
    context = work.context
    context.emitted.add("close_session")
    if context.options.profile == "auto":
        context.emitted.add(KERAS)
        return [f"npu_keras_sess = {KERAS}()"]
    context.emitted |= {"RewriterConfig", "config_pb2", "backend", "session"}
    return [
        "npu_keras_config = config_pb2.ConfigProto()",
        *option_lines("npu_keras_config", "npu_keras_op"),
        "npu_keras_sess = session.Session(config=npu_keras_config)",
        "backend.set_session(npu_keras_sess)",
    ]


def _uses_tensorflow(work: Editing) -> bool:
    scopes = work.context.names.scopes
    roots = ("tf", "keras", "tensorflow", "horovod.tensorflow", "horovod.keras")
    return any(
        (binding.path or "").startswith(roots)
        for scope in {id(s): s for s in scopes.of.values()}.values()
        for bindings in scope.bindings.values()
        for binding in bindings
    )


RULES = (NpuInit, KerasSession, KerasMain)
