"""Functions of Python and its flag libraries: numbers, clocks, arguments, main."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from npu_lab.extras.check.values import (
    Function,
    Mapping,
    Namespace,
    Sequence,
    Value,
    constant,
    unknown,
)

if TYPE_CHECKING:
    from npu_lab.extras.check.calls import Call
    from npu_lab.extras.check.machine import Machine

Handler = Callable[["Machine", "Call"], Value]


def _same(machine: Machine, call: Call) -> Value:
    """`as_bytes`, `str`: the text stays what it is."""
    return call.given[0] if call.given else call.result("builtins")


def _clock(machine: Machine, call: Call) -> Value:
    now = unknown("time")
    now.sources = frozenset({now})
    machine.world.clocks.add(now)
    return now


def _whole(machine: Machine, call: Call) -> Value:
    """`int`, `floor`: keeps what is known of the number."""
    given = call.get(0, "x")
    if given is None:
        return constant(0)
    made = unknown(given.text, given)
    made.leaves, made.quotient = given.leaves, given.quotient
    if isinstance(given.known, (int, float, str)):
        try:
            made.known = int(given.known)
        except (ValueError, OverflowError):
            return made
    return made


def _derived(machine: Machine, call: Call) -> Value:
    """`ceil`, `max`: a number made of the arguments."""
    made = call.result("builtins")
    for value in call.values:
        for one in value.flat():
            made.leaves |= one.leaves
            if one.is_known and call.name in {"calls", "plan.calls", "divmod"}:
                made.leaves |= {f"/{one.known}"}
    if call.name == "divmod":
        machine.world.remainders += call.given[1:]
    return made


def _app_run(machine: Machine, call: Call) -> Value:
    main = call.get(0, "main") or machine.scope.module.names.get("main")
    if isinstance(main, Function):
        machine.call(main, [unknown("argv")], {})
    return constant(None)


def _define(machine: Machine, call: Call) -> Value:
    name, default = call.get(0, "name"), call.get(1, "default")
    if name is not None and isinstance(name.known, str):
        text = f"FLAGS.{name.known}"
        flag = unknown(text) if default is None else flag_of(default, text)
        machine.flags[name.known] = flag
    return constant(None)


def flag_of(default: Value, text: str) -> Value:
    """A command-line argument that has its default; None leaves it open."""
    if default.known is None or not default.is_known:
        return unknown(text, default)
    return constant(default.known, text, {text})


def _namespace(machine: Machine, call: Call) -> Value:
    return Namespace("flags", flags=dict(call.named))


def _parser(machine: Machine, call: Call) -> Value:
    made = Namespace("parser")
    made.attributes["<parser>"] = made
    return made


def _dictionary(machine: Machine, call: Call) -> Value:
    made = Mapping("dict", whole=not call.unpacks)
    fill(made, call)
    return made


def fill(mapping: Mapping, call: Call) -> None:
    """Put in what `dict` or `update` is given."""
    for given in call.given:
        if isinstance(given, Mapping):
            mapping.items += given.items
            mapping.whole &= given.whole
        else:
            mapping.whole = False
    mapping.items += [(constant(name), value) for name, value in call.named.items()]


def _sequence(machine: Machine, call: Call) -> Value:
    given = call.get(0, "iterable")
    return given if isinstance(given, Sequence) else call.result("builtins")


def _super(machine: Machine, call: Call) -> Value:
    return machine.scope.names.get("self") or unknown("super()")


def of(root: str, handler: Handler, *names: str) -> dict[tuple[str, str], Handler]:
    """Rows of a table: one handler for several names of a library."""
    return dict.fromkeys(((root, name) for name in names), handler)


FUNCTIONS: dict[tuple[str, str], Handler] = {
    **of("tensorflow", _app_run, "run"),
    **of("tensorflow", _define, "DEFINE_integer", "DEFINE_bool", "DEFINE_boolean"),
    **of("tensorflow", _define, "DEFINE_float", "DEFINE_string", "DEFINE_enum"),
    **of("tensorflow", _namespace, "HParams"),
    **of("absl", _app_run, "run"),
    **of("absl", _define, "DEFINE_integer", "DEFINE_bool", "DEFINE_boolean"),
    **of("absl", _define, "DEFINE_float", "DEFINE_string", "DEFINE_enum"),
    **of("argparse", _parser, "ArgumentParser"),
    **of("types", _namespace, "SimpleNamespace"),
    **of("tensorflow", _same, "as_bytes", "as_str", "as_text"),
    **of("builtins", _dictionary, "dict"),
    **of("builtins", _sequence, "list", "tuple"),
    **of("builtins", _whole, "int", "round"),
    **of("math", _whole, "floor"),
    **of("numpy", _whole, "floor"),
    **of("builtins", _derived, "max", "min", "divmod", "abs", "float", "sum", "len"),
    **of("math", _derived, "ceil"),
    **of("numpy", _derived, "ceil"),
    **of("npu_lab", _derived, "calls"),
    **of("builtins", _super, "super"),
    **of("time", _clock, "time", "perf_counter", "monotonic"),
    **of("timeit", _clock, "default_timer"),
    **of("datetime", _clock, "now"),
}
