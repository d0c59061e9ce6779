"""Methods that the rules ask about, by name and by what they are called on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from npu_lab.extras.check import effects, framework_functions, python_functions
from npu_lab.extras.check.values import (
    Function,
    Mapping,
    Namespace,
    Path,
    Sequence,
    Value,
    constant,
    unknown,
)
from npu_lab.extras.check.world import (
    Config,
    ConfigPart,
    DataIterator,
    Dataset,
    Estimator,
    KerasModel,
    Run,
    Session,
    Sunk,
    Training,
)

if TYPE_CHECKING:
    from npu_lab.extras.check.calls import Call
    from npu_lab.extras.check.machine import Machine

Method = Callable[["Machine", Value, "Call"], "Value | None"]


def _run(machine: Machine, receiver: Value, call: Call) -> Value | None:
    """`session.run(fetches, feed_dict)` or `operation.run(feed_dict, session)`."""
    fetches = call.get(0, "fetches")
    sunk_itself = isinstance(receiver, Sunk)
    if sunk_itself or (
        not call.given and "feed_dict" in call.named and fetches is None
    ):
        fetches, feed = receiver, call.get(0, "feed_dict")
        session = call.get(1, "session") or unknown()
    elif fetches is None or not _is_session(receiver, call):
        return None
    else:
        feed, session = call.get(1, "feed_dict"), receiver
    for one in fetches.flat():
        if isinstance(one, Sunk):
            one.fetched = True
    machine.world.runs.append(Run(machine.where(call.node), session, fetches, feed))
    if call.unpacks:
        effects.escape(fetches)
    # What comes back is a number on the host: nothing of the graph flows on with it.
    return unknown(f"{call.name}(...)", made_by="tensorflow")


def _is_session(receiver: Value, call: Call) -> bool:
    if isinstance(receiver, Session) or "feed_dict" in call.named:
        return True
    return bool(receiver.made_by) or "sess" in receiver.text.lower()


def _callable(machine: Machine, receiver: Value, call: Call) -> Value | None:
    for value in call.values:
        effects.escape(value)
    return unknown("callable")


def _managed(machine: Machine, receiver: Value, call: Call) -> Value | None:
    if "Supervisor" not in receiver.made_by:
        return None
    return framework_functions.monitored_session(machine, call)


def _finalize(machine: Machine, receiver: Value, call: Call) -> Value | None:
    if "graph" not in (receiver.made_by + receiver.text).lower():
        return None
    machine.frozen_by = machine.where(call.node)
    return constant(None)


def _unfinalize(machine: Machine, receiver: Value, call: Call) -> Value | None:
    machine.frozen_by = None
    for session in machine.world.sessions:
        session.finalizes = False
    return constant(None)


def _dataset(machine: Machine, receiver: Value, call: Call) -> Value | None:
    """A method that gives a dataset again."""
    if not isinstance(receiver, Dataset):
        return None
    made = Dataset("dataset", made_by=receiver.made_by, ragged=receiver.ragged)
    name = call.name
    if name in {"batch", "padded_batch"}:
        position = 1 if name == "batch" else 3
        drop = call.get(position, "drop_remainder")
        if drop is None or drop.known is False:
            made.ragged = machine.where(call.node)
    elif name in {"map", "flat_map", "interleave"}:
        made.ragged = None
    elif name == "apply":
        step = call.get(0, "transformation_func")
        ragged = None if step is None else step.attributes.get("<ragged>")
        if ragged is not None and ragged.known:
            made.ragged = machine.where(call.node)
    if isinstance(step := call.get(0, "map_func"), Function) and name != "batch":
        machine.call(step, [unknown("element")], {})
    return made


def _iterator(machine: Machine, receiver: Value, call: Call) -> Value | None:
    return framework_functions.iterator(machine, call, receiver)


def _get_next(machine: Machine, receiver: Value, call: Call) -> Value | None:
    if not isinstance(receiver, DataIterator):
        return None
    made = unknown("next", made_by="tensorflow")
    made.sources = receiver.sources
    return made


def _as_default(machine: Machine, receiver: Value, call: Call) -> Value | None:
    return receiver if isinstance(receiver, Session) or receiver.made_by else None


def _set_shape(machine: Machine, receiver: Value, call: Call) -> Value | None:
    # The output of GetNext itself now has this shape.
    receiver.sources = frozenset(
        one for one in receiver.sources if not isinstance(one, Dataset)
    )
    return constant(None)


def _add(machine: Machine, receiver: Value, call: Call) -> Value | None:
    if isinstance(receiver, ConfigPart) and receiver.path == "custom_optimizers":
        receiver.config.on_npu = True
        receiver.config.seen_whole &= "parameter_map" not in call.named
        return ConfigPart(config=receiver.config, path="custom_op")
    return None


def _copy(machine: Machine, receiver: Value, call: Call) -> Value | None:
    if isinstance(receiver, (Config, ConfigPart)):
        effects.escape(receiver)
        return constant(None)
    return None


def _fit(machine: Machine, receiver: Value, call: Call) -> Value | None:
    if isinstance(receiver, KerasModel):
        machine.world.keras_fits.append(machine.where(call.node))
        return unknown("history", made_by="keras")
    return None


def _train(machine: Machine, receiver: Value, call: Call) -> Value | None:
    if not isinstance(receiver, Estimator):
        return None
    steps = call.get(3, "max_steps") or call.get(2, "steps")
    train(machine, receiver, call, steps, call.get(0, "input_fn"))
    return receiver


def train(
    machine: Machine,
    estimator: Estimator,
    call: Call,
    steps: Value | None,
    input_fn: Value | None,
) -> None:
    """Note a training; its input function is called, with no argument that is known."""
    data = None
    if isinstance(input_fn, Function):
        data = machine.call(input_fn, [], {})
    where = machine.where(call.node)
    machine.world.trainings.append(Training(where, estimator, steps, data))


def _argument(machine: Machine, receiver: Value, call: Call) -> Value | None:
    if not (isinstance(receiver, Namespace) and "<parser>" in receiver.attributes):
        return None
    options = [one.known for one in call.given if isinstance(one.known, str)]
    long = [one for one in options if one.startswith("--")]
    name = (long or options or [""])[0].lstrip("-").replace("-", "_")
    dest = call.get(None, "dest")
    if dest is not None and isinstance(dest.known, str):
        name = dest.known
    text, default = f"args.{name}", call.get(None, "default")
    action = call.get(None, "action")
    if default is None and action is not None and action.known == "store_true":
        default = constant(False)
    flag = unknown(text) if default is None else python_functions.flag_of(default, text)
    kind = call.get(None, "type")
    if isinstance(flag.known, str) and isinstance(kind, Path) and kind.text == "int":
        flag = constant(int(flag.known), text, {text}) if flag.known.isdigit() else flag
    receiver.flags[name] = flag
    return unknown("argument", made_by="argparse")


def _group(machine: Machine, receiver: Value, call: Call) -> Value | None:
    return receiver if "<parser>" in receiver.attributes else None


def _parse(machine: Machine, receiver: Value, call: Call) -> Value | None:
    if not (isinstance(receiver, Namespace) and "<parser>" in receiver.attributes):
        return None
    made = Namespace("args", flags=receiver.flags)
    if call.name == "parse_known_args":
        return Sequence("parsed", items=[made, unknown("rest")])
    return made


def _append(machine: Machine, receiver: Value, call: Call) -> Value | None:
    if not isinstance(receiver, Sequence):
        return None
    if call.name == "extend" and call.given:
        receiver.items += call.given[0].inside()
    else:
        receiver.items += call.given[-1:]
    return constant(None)


def _get(machine: Machine, receiver: Value, call: Call) -> Value | None:
    key = call.get(0, "key")
    if isinstance(receiver, Mapping) and key is not None:
        for mine, value in receiver.items:
            if key.is_known and mine.known == key.known:
                return value
    return None


def _update(machine: Machine, receiver: Value, call: Call) -> Value | None:
    if not isinstance(receiver, Mapping):
        return None
    python_functions.fill(receiver, call)
    return constant(None)


def _setter(machine: Machine, receiver: Value, call: Call) -> Value | None:
    return framework_functions.set_iteration_per_loop(machine, call)


def _create(machine: Machine, receiver: Value, call: Call) -> Value | None:
    return framework_functions.create(machine, call)


def _load(machine: Machine, receiver: Value, call: Call) -> Value | None:
    return framework_functions.load(machine, call)


_OF_DATASETS = (
    "apply",
    "batch",
    "cache",
    "filter",
    "flat_map",
    "interleave",
    "map",
    "padded_batch",
    "prefetch",
    "repeat",
    "shard",
    "shuffle",
    "skip",
    "take",
    "with_options",
)

METHODS: dict[str, Method] = {
    **dict.fromkeys(_OF_DATASETS, _dataset),
    "CopyFrom": _copy,
    "MergeFrom": _copy,
    "_unsafe_unfinalize": _unfinalize,
    "add": _add,
    "add_argument": _argument,
    "add_argument_group": _group,
    "append": _append,
    "as_default": _as_default,
    "create_iteration_per_loop_var": _create,
    "extend": _append,
    "finalize": _finalize,
    "fit": _fit,
    "fit_generator": _fit,
    "get": _get,
    "get_next": _get_next,
    "load_iteration_per_loop_var": _load,
    "make_callable": _callable,
    "make_initializable_iterator": _iterator,
    "make_one_shot_iterator": _iterator,
    "managed_session": _managed,
    "parse_args": _parse,
    "parse_known_args": _parse,
    "prepare_or_wait_for_session": _managed,
    "run": _run,
    "set_iteration_per_loop": _setter,
    "set_shape": _set_shape,
    "train": _train,
    "update": _update,
}
