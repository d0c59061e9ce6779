"""Functions of TensorFlow, Keras and the vendor that the rules ask about."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from npu_lab.extras.check import python_functions
from npu_lab.extras.check.python_functions import Handler, of
from npu_lab.extras.check.values import (
    Path,
    Sequence,
    Value,
    constant,
    unknown,
)
from npu_lab.extras.check.world import (
    Config,
    DataIterator,
    Dataset,
    Estimator,
    KerasModel,
    Marked,
    Placeholder,
    RunConfig,
    Session,
    Setter,
    Sunk,
)

if TYPE_CHECKING:
    from npu_lab.extras.check.calls import Call
    from npu_lab.extras.check.machine import Machine

OP_NAME = "IterationOp"


def set_iteration_per_loop(machine: Machine, call: Call) -> Value:
    """The setter; `create_iteration_per_loop_var` marks only."""
    original = call.get(1, "train_op") or unknown()
    default = unknown("N") if call.unpacks else constant(1)
    n = call.get(2, "iterations_per_loop") or default
    session = call.get(0, "sess") or unknown()
    return _set(machine, call, "set", session, original, n)


def create(machine: Machine, call: Call) -> Value:
    """Mark the operation now; N is loaded later."""
    original = call.get(0, "train_op") or unknown()
    return _set(machine, call, "create", unknown(), original, unknown("N"))


def load(machine: Machine, call: Call) -> Value:
    """Load N for an operation that was marked before."""
    n = call.get(1, "iterations_per_loop") or constant(1)
    session = call.get(0, "sess") or unknown()
    setter = Setter(machine.where(call.node), "load", session, n)
    machine.world.setters.append(setter)
    return constant(None)


def _set(
    machine: Machine, call: Call, kind: str, session: Value, original: Value, n: Value
) -> Value:
    result = Sunk(original.text, original=original)
    result.sources = original.sources
    setter = Setter(machine.where(call.node), kind, session, n, result)
    setter.graph = machine.graph
    if machine.frozen_by is not None:
        setter.frozen_by = machine.frozen_by
    elif isinstance(session, Session) and session.finalizes and session.where:
        setter.frozen_by = session.where
    machine.world.setters.append(setter)
    return result


def _config(machine: Machine, call: Call) -> Value:
    made = Config("ConfigProto", where=machine.where(call.node))
    made.seen_whole = not call.unpacks
    machine.world.configs.append(made)
    return made


def _npu_config(machine: Machine, call: Call) -> Value:
    given = call.get(0, "config_proto")
    if given is None or given.known is None:
        given = _config(machine, call)
    if isinstance(given, Config):
        given.on_npu = True
    return given


def _session(machine: Machine, call: Call) -> Value:
    config = call.get(2, "config")
    return _new_session(machine, call, config)


def _new_session(
    machine: Machine, call: Call, config: Value | None, *, finalizes: bool = False
) -> Session:
    where = machine.where(call.node)
    made = Session("sess", where=where, config=config, finalizes=finalizes)
    made.escaped = call.unpacks
    machine.world.sessions.append(made)
    if finalizes:
        machine.frozen_by = where
    return made


def monitored_session(machine: Machine, call: Call) -> Value:
    """A session that freezes its graph."""
    _marked(machine, call)
    made = _new_session(machine, call, call.get(None, "config"), finalizes=True)
    hooks = call.get(None, "hooks")
    for one in () if hooks is None else hooks.flat():
        # A hook of another module may do anything with the session.
        made.escaped |= type(one) is Value and not (one.is_known or one.made_by)
    return made


def _supervisor(machine: Machine, call: Call) -> Value:
    machine.frozen_by = machine.where(call.node)
    return unknown("Supervisor", made_by="tensorflow.train.Supervisor")


def _graph(machine: Machine, call: Call) -> Value:
    machine.world.graphs.append(machine.where(call.node))
    made = unknown("Graph", made_by="tensorflow.Graph")
    made.attributes["<graph>"] = made
    return made


def _new_graph(machine: Machine, call: Call) -> Value:
    machine.world.graphs.append(machine.where(call.node))
    machine.graph, machine.frozen_by = unknown(), None
    return constant(None)


def _name_scope(machine: Machine, call: Call) -> Value:
    made = unknown("scope", made_by="tensorflow.name_scope")
    name = call.get(0, "name") or call.get(0, "name_or_scope")
    made.attributes["<scope>"] = constant(None) if name is None else name
    return made


def _group(machine: Machine, call: Call) -> Value:
    name = call.get(None, "name")
    if name is not None and name.known == OP_NAME:
        machine.world.iteration_ops.append(machine.where(call.node))
    return Sequence("group", items=list(call.given))


def _no_op(machine: Machine, call: Call) -> Value:
    name = call.get(None, "name")
    if name is not None and name.known == OP_NAME:
        machine.world.iteration_ops.append(machine.where(call.node))
    return call.result("tensorflow")


def _placeholder(machine: Machine, call: Call) -> Value:
    shape = call.get(1, "shape")
    rank = None
    if isinstance(shape, Sequence):
        rank = len(shape.items)
    kind = call.get(0, "dtype")
    made = Placeholder("placeholder", rank=rank, made_by="tensorflow.placeholder")
    machine.world.placeholders.append(made)
    made.of_text = isinstance(kind, Path) and kind.dotted.endswith(".string")
    return made


def _dataset(machine: Machine, call: Call) -> Value:
    made = Dataset(call.name, made_by="tensorflow.data.Dataset")
    machine.world.datasets.append(made)
    return made


def iterator(machine: Machine, call: Call, over: Value | None) -> DataIterator:
    """An iterator over a dataset, of the kind that its name says."""
    made = DataIterator(
        f"{ast.unparse(call.node.func)}(...)",
        where=machine.where(call.node),
        one_shot="one_shot" in call.name,
        made_by="tensorflow.data.Iterator",
    )
    made.sources = frozenset({made}) | (over.sources if over else frozenset())
    for one in [] if over is None else over.each():
        if isinstance(one, Dataset):
            made.sources |= {one}
    machine.world.iterators.append(made)
    return made


def _iterator(machine: Machine, call: Call) -> Value:
    return iterator(machine, call, call.get(0, "dataset"))


def _batching(machine: Machine, call: Call) -> Value:
    """`map_and_batch`: a transformation for `dataset.apply`."""
    made = call.result("tensorflow.data")
    drop = call.get(3, "drop_remainder")
    made.attributes["<ragged>"] = constant(drop is None or drop.known is False)
    return made


def _run_config(machine: Machine, call: Call) -> Value:
    vendor = call.name.endswith("NPURunConfig")
    made = RunConfig("config", where=machine.where(call.node), vendor=vendor)
    made.arguments = dict(call.named)
    if vendor and call.given:
        made.arguments.setdefault("iterations_per_loop", call.given[0])
    made.seen_whole = not call.unpacks
    machine.world.run_configs.append(made)
    return made


def _wrapped_run_config(machine: Machine, call: Call) -> Value:
    return call.get(0, "run_config") or _run_config(machine, call)


def _estimator(machine: Machine, call: Call) -> Value:
    made = Estimator(
        "estimator",
        where=machine.where(call.node),
        config=call.get(2, "config"),
        model_fn=call.get(0, "model_fn"),
        vendor=call.name.endswith("NPUEstimator"),
    )
    machine.world.estimators.append(made)
    return made


def _npu_estimator_of_keras(machine: Machine, call: Call) -> Value:
    config = call.get(None, "config") or call.get(4, "config")
    where = machine.where(call.node)
    made = Estimator("estimator", where=where, config=config, vendor=True)
    machine.world.estimators.append(made)
    return made


def _spec(machine: Machine, call: Call) -> Value:
    made = unknown("spec", made_by="tensorflow.estimator")
    data = call.get(0, "input_fn")
    if data is not None:
        made.attributes["<input_fn>"] = data
    steps = call.get(1, "max_steps")
    if steps is not None:
        made.attributes["<max_steps>"] = steps
    return made


def _train_and_evaluate(machine: Machine, call: Call) -> Value:
    from npu_lab.extras.check.methods import train

    estimator, spec = call.get(0, "estimator"), call.get(1, "train_spec")
    if isinstance(estimator, Estimator) and spec is not None:
        steps = spec.attributes.get("<max_steps>")
        train(machine, estimator, call, steps, spec.attributes.get("<input_fn>"))
    return constant(None)


def _keras_model(machine: Machine, call: Call) -> Value:
    return KerasModel("model", made_by="keras")


# What the hooks' arguments are called, in their order.
_ORDER = {
    "CheckpointSaverHook": ("checkpoint_dir", "save_secs", "save_steps"),
    "LoggingTensorHook": ("tensors", "every_n_iter"),
    "SetIterationsVarHook": ("iterations_per_loop",),
    "StopAtStepHook": ("num_steps", "last_step"),
    "SummarySaverHook": ("save_steps",),
}


def _marked(machine: Machine, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    arguments = dict(zip(_ORDER.get(name, ()), call.given, strict=False)) | call.named
    marked = Marked(machine.where(call.node), name, arguments)
    machine.world.hooks.append(marked)
    return call.result("tensorflow")


def _hooks(machine: Machine, call: Call) -> Value:
    return call.get(0, "hooks_list") or Sequence("hooks")


def _set_keras_session(machine: Machine, call: Call) -> Value:
    config = call.get(0, "config") or _config(machine, call)
    return _new_session(machine, call, config)


FUNCTIONS: dict[tuple[str, str], Handler] = {
    **python_functions.FUNCTIONS,
    **of("npu_bridge", set_iteration_per_loop, "set_iteration_per_loop"),
    **of("npu_bridge", _npu_config, "npu_config_proto"),
    **of("npu_bridge", _run_config, "NPURunConfig"),
    **of("npu_bridge", _wrapped_run_config, "npu_run_config_init"),
    **of("npu_bridge", _estimator, "NPUEstimator"),
    **of("npu_bridge", _npu_estimator_of_keras, "model_to_npu_estimator"),
    **of("npu_bridge", _marked, "SetIterationsVarHook"),
    **of("npu_bridge", _hooks, "npu_hooks_append"),
    **of("npu_bridge", _set_keras_session, "set_keras_session_npu_config"),
    **of("tensorflow", _config, "ConfigProto"),
    **of("tensorflow", _session, "Session", "InteractiveSession"),
    **of("tensorflow", monitored_session, "MonitoredTrainingSession"),
    **of("tensorflow", _supervisor, "Supervisor"),
    **of("tensorflow", _graph, "Graph"),
    **of("tensorflow", _new_graph, "reset_default_graph"),
    **of("tensorflow", _name_scope, "name_scope", "variable_scope"),
    **of("tensorflow", _group, "group"),
    **of("tensorflow", _no_op, "no_op", "identity"),
    **of("tensorflow", _placeholder, "placeholder"),
    **of("tensorflow", _dataset, "Dataset"),
    **of("tensorflow", _iterator, "make_one_shot_iterator"),
    **of("tensorflow", _iterator, "make_initializable_iterator", "from_structure"),
    **of("tensorflow", _batching, "map_and_batch"),
    **of("tensorflow", _run_config, "RunConfig"),
    **of("tensorflow", _estimator, "Estimator", "TPUEstimator"),
    **of("tensorflow", _spec, "TrainSpec"),
    **of("tensorflow", _train_and_evaluate, "train_and_evaluate"),
    **of("tensorflow", _marked, "StopAtStepHook", "CheckpointSaverHook"),
    **of("tensorflow", _marked, "LoggingTensorHook", "SummarySaverHook"),
    **of("keras", _keras_model, "Model", "Sequential", "load_model", "ResNet50"),
}
