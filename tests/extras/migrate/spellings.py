"""Other spellings of a program: names by other imports, arguments by other ways."""

from __future__ import annotations

import ast
from collections.abc import Callable

import libcst as cst

_ROOT = {"tensorflow", "horovod", "keras"}
# What is called, by its path or by the name of a method, and what it takes. An
# adapter's function takes None as nothing given.
_TAKES = """
tf.Session(target='', graph=None, config=None)
tf.InteractiveSession(target='', graph=None, config=None)
tf.train.MonitoredTrainingSession(master='', is_chief=True, checkpoint_dir=None,\
 scaffold=None, hooks=None, chief_only_hooks=None, save_checkpoint_secs=600,\
 save_summaries_steps=100, save_summaries_secs=None, config=None)
tf.train.MonitoredSession(session_creator=None, hooks=None)
tf.config.optimizer.set_experimental_options(options)
tf.config.experimental.VirtualDeviceConfiguration(memory_limit=None)
tf.config.set_soft_device_placement(enabled)
tf.config.experimental.set_memory_growth(device, enable)
tf.xla.experimental.jit_scope(compile_ops=True, separate_compiled_gradients=False)
tf.device(device_name_or_function)
tf.estimator.Estimator(model_fn, model_dir=None, config=None, params=None)
tf.contrib.tpu.TPUEstimator(model_fn=None, model_dir=None, config=None, params=None,\
 use_tpu=True, train_batch_size=None, eval_batch_size=None, predict_batch_size=None,\
 batch_axis=None, eval_on_tpu=True, export_to_tpu=True)
tf.estimator.RunConfig(model_dir=None, tf_random_seed=None, save_summary_steps=100)
tf.estimator.TrainSpec(input_fn, max_steps=None, hooks=None)
tf.train.AdamOptimizer(learning_rate=0.001)
tf.gradients(ys, xs)
tf.train.experimental.FixedLossScale(loss_scale_value)
tf.train.experimental.DynamicLossScale(initial_loss_scale=2**15,\
 increment_period=2000, multiplier=2)
tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, loss_scale)
tf.train.experimental.enable_mixed_precision_graph_rewrite(opt,\
 loss_scale='dynamic')
tf.distribute.MirroredStrategy(devices=None, cross_device_ops=None)
tf.distribute.OneDeviceStrategy(device)
tf.nn.dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None)
tf.layers.dropout(inputs, rate=0.5, noise_shape=None, seed=None)
tf.data.experimental.prefetch_to_device(device, buffer_size=None)
tf.keras.mixed_precision.LossScaleOptimizer(inner_optimizer, dynamic=True)
tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, loss_scale)
tf.keras.optimizers.Adam(learning_rate=0.001)
tf.keras.optimizers.get(identifier)
hvd.DistributedOptimizer(optimizer, name=None, use_locking=False)
hvd.BroadcastGlobalVariablesHook(root_rank)
hvd.callbacks.BroadcastGlobalVariablesCallback(root_rank)
hvd.allreduce(tensor, average=None)
_.compile(optimizer='rmsprop', loss=None, metrics=None)
_.fit(x=None, y=None, batch_size=None, epochs=1, verbose=1, callbacks=None)
_.train(input_fn, hooks=None, steps=None)
_.batch(batch_size, drop_remainder=False)
_.shard(num_shards, index)
NPUEstimator(model_fn, model_dir=None, config=None, params=None)
NPURunConfig(model_dir=None, tf_random_seed=None, save_summary_steps=0)
FixedLossScaleManager(loss_scale)
NPULossScaleOptimizer(opt, loss_scale_manager)
NpuExperimentalLossScaleOptimizer(optimizer, loss_scale)
npu.train.optimizer.NpuLossScaleOptimizer(inner_optimizer, dynamic=True)
npu_ops.dropout(x, keep_prob)
npu_distributed_optimizer_wrapper(optimizer)
npu_hooks_append(hooks_list=None)
npu_callbacks_append(callbacks_list=None)
npu_config_proto(config_proto=None)
npu_run_config_init(run_config=None)
"""


def _signatures() -> dict[str, list[tuple[str, cst.BaseExpression | None]]]:
    found = {}
    for line in _TAKES.strip().splitlines():
        name = line.partition("(")[0]
        text = f"def f{line.removeprefix(name)}: pass"
        arguments = ast.parse(text).body[0].args
        names = [each.arg for each in arguments.args]
        missing = [None] * (len(names) - len(arguments.defaults))
        written = [ast.get_source_segment(text, each) for each in arguments.defaults]
        values = [cst.parse_expression(each) for each in written]
        found[name] = list(zip(names, [*missing, *values], strict=True))
    return found


SIGNATURES = _signatures()


def dotted(node: cst.CSTNode) -> str:
    """`a.b.c` as text; `_.c` where it is called on anything else than names."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        return f"{dotted(node.value)}.{node.attr.value}"
    return "_"


def signature(call: cst.Call) -> list[tuple[str, cst.BaseExpression | None]] | None:
    """What is called takes these, with their defaults; None where it is not listed."""
    name = dotted(call.func)
    return SIGNATURES.get(name) or SIGNATURES.get(f"_.{name.rpartition('.')[2]}")


def _same(one: cst.CSTNode, other: cst.CSTNode | None) -> bool:
    return other is not None and one.deep_equals(other)


class _Calls(cst.CSTTransformer):
    def __init__(self, change: Callable) -> None:
        super().__init__()
        self._change = change
        self.seen = 0

    def leave_Call(self, original_node, updated_node):  # noqa: N802
        takes = signature(original_node)
        if takes is None or any(arg.star for arg in original_node.args):
            return updated_node
        self.seen += bool(original_node.args)
        return updated_node.with_changes(args=self._change(updated_node, takes))


def _given(call, takes):
    """The arguments by their names, in the order of the call."""
    return {
        arg.keyword.value if arg.keyword else takes[index][0]: arg.value
        for index, arg in enumerate(call.args)
    }


def _keyword(name, value):
    tight = cst.SimpleWhitespace("")
    return cst.Arg(value, cst.Name(name), equal=cst.AssignEqual(tight, tight))


def _all_by_keyword(call, takes):
    return [_keyword(name, value) for name, value in _given(call, takes).items()]


def _all_by_position(call, takes):
    given = _given(call, takes)
    known = [name for name, _ in takes]
    last = max((known.index(name) for name in given if name in known), default=-1)
    if any(
        default is None and name not in given for name, default in takes[: last + 1]
    ):
        return call.args
    args = [cst.Arg(given.pop(name, value)) for name, value in takes[: last + 1]]
    return [*args, *(_keyword(name, value) for name, value in given.items())]


def _plain(call, takes):
    defaults = dict(takes)
    given = sorted(_given(call, takes).items())
    return [
        _keyword(name, value)
        for name, value in given
        if not _same(value, defaults.get(name))
    ]


def _changed(text: str, change: Callable) -> str:
    return cst.parse_module(text).visit(_Calls(change)).code


def by_keyword(text: str) -> str:
    """Every argument of a listed call given by keyword."""
    return _changed(text, _all_by_keyword)


def by_position(text: str) -> str:
    """Every argument of a listed call given by position, defaults in between."""
    return _changed(text, _all_by_position)


def plain(text: str) -> str:
    """The one form that all ways of giving the same arguments have."""
    return _changed(text, _plain)


def has_arguments(text: str) -> bool:
    """Whether a call of something listed has any."""
    calls = _Calls(lambda call, takes: call.args)
    cst.parse_module(text).visit(calls)
    return calls.seen > 0


def roots(text: str) -> dict[str, str]:
    """The libraries' modules that a program imports, by the names it gives them."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            pairs = [(each.name, each) for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            pairs = [(f"{node.module}.{each.name}", each) for each in node.names]
        else:
            continue
        for full, each in pairs:
            if full.partition(".")[0] in _ROOT:
                found[each.asname or each.name] = full
    return found


class _Rename(cst.CSTTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        super().__init__()
        self._names = names

    def leave_Attribute(self, original_node, updated_node):  # noqa: N802
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node, updated_node):  # noqa: N802
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Name(self, original_node, updated_node):  # noqa: N802
        new = self._names.get(original_node.value)
        return updated_node if new is None else updated_node.with_changes(value=new)


def _with_imports(text: str, names: dict[str, str], lines: dict[str, list[str]]) -> str:
    """The program with the import of each of `names` replaced by `lines`."""
    body = []
    for statement in cst.parse_module(text).body:
        bound = roots(cst.Module([statement]).code)
        ours = [n for n in bound if bound[n] == names.get(n) and lines[n]]
        if isinstance(statement, cst.SimpleStatementLine) and ours:
            made = [cst.parse_statement(line) for line in lines[ours[0]]]
            made[0] = made[0].with_changes(leading_lines=statement.leading_lines)
            body += made
        else:
            body.append(statement)
    return cst.Module(body).code


def other_module(text: str, like: str, module: Callable[[str], str]) -> str:
    """The same names, of other modules than the program `like` imports."""
    names = roots(like)
    lines = {name: [f"import {module(full)} as {name}"] for name, full in names.items()}
    return _with_imports(text, names, lines)


def renamed(text: str, like: str, module: Callable[[str], str] = str) -> str:
    """Another name for each module that the program `like` imports.

    With `module` giving `a.b:c` the import is `from a.b import c`.
    """
    names = roots(like)
    lines = {}
    for name, full in names.items():
        parent, colon, last = module(full).partition(":")
        said = f"from {parent} import {last}" if colon else f"import {parent}"
        lines[name] = [f"{said} as {name}_"]
    renaming = {name: f"{name}_" for name in names}
    text = cst.parse_module(text).visit(_Rename(renaming)).code
    back = {f"{name}_": name for name in names}
    text = _unrenamed_imports(text, back)
    return _with_imports(text, names, lines)


def _unrenamed_imports(text: str, back: dict[str, str]) -> str:
    body = [
        statement.visit(_Rename(back))
        if isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], (cst.Import, cst.ImportFrom))
        else statement
        for statement in cst.parse_module(text).body
    ]
    return cst.Module(body).code


def _parts(path: str) -> tuple[str, str, str]:
    """Module, name to import, and what follows: `("tf.data", "Dataset", ".range")`."""
    pieces = path.split(".")
    at = next(
        (i for i, piece in enumerate(pieces) if i and piece[:1].isupper()),
        len(pieces) - 1,
    )
    return ".".join(pieces[:at]), pieces[at], "".join(f".{p}" for p in pieces[at + 1 :])


class _Paths(cst.CSTTransformer):
    """Collects or replaces the longest dotted names that begin with a module."""

    def __init__(self, names: dict[str, str], imported: dict[str, str] | None) -> None:
        super().__init__()
        self._names, self._imported = names, imported
        self.found: list[str] = []

    def visit_Import(self, node):  # noqa: N802
        return False

    visit_ImportFrom = visit_Import  # noqa: N815

    def visit_Attribute(self, node):  # noqa: N802
        return dotted(node).startswith("_") or "_." in dotted(node)

    def leave_Attribute(self, original_node, updated_node):  # noqa: N802
        path = dotted(original_node)
        if path.partition(".")[0] not in self._names:
            return updated_node
        self.found.append(path)
        module, name, rest = _parts(path)
        key = f"{module}.{name}"
        if self._imported is None or key not in self._imported:
            return updated_node
        return cst.parse_expression(f"{self._imported[key]}{rest}")


def from_imported(text: str, like: str, suffix: str = "") -> str:
    """What the program `like` uses of its modules, imported by name.

    With a suffix each is given another name.
    """
    names = roots(like)
    seen = _Paths(names, None)
    cst.parse_module(like).visit(seen)
    imported, lines = {}, {name: [] for name in names}
    for path in dict.fromkeys(seen.found):
        module, name, _ = _parts(path)
        if f"{module}.{name}" in imported:
            continue
        imported[f"{module}.{name}"] = f"{name}{suffix}"
        root, _, rest = module.partition(".")
        full = names[root] + (f".{rest}" if rest else "")
        alias = f" as {name}{suffix}" if suffix else ""
        lines[root].append(f"from {full} import {name}{alias}")
    text = cst.parse_module(text).visit(_Paths(names, imported)).code
    return _with_imports(text, names, lines)
