"""The options of one session: what the adapter reads from its ConfigProto.

`SessionOptions.from_config` reads the parameter map of NpuOptimizer as the real adapter
does, key by key from one proto field each, and adds what the adapter keeps silent
about: a value in the wrong field, an unknown key, a value that is moved. Where the
adapter raises or ends the process, an exception is raised here, with the mend. All keys
are rows of `option_table`; the demands that join several are in `option_rules`.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from npu_lab.device.option_rules import RULES, Rule
from npu_lab.device.option_table import (
    NO_UPPER_END,
    OPTIONS,
    WRITTEN_BUT_NEVER_READ,
    Allowed,
    Described,
    Fault,
    Option,
    Value,
)
from npu_lab.diagnostics import Diagnostic, diagnose

OPTIMIZER = "NpuOptimizer"
LONGEST_SHOWN = 200  # characters of a value in an error
ZERO: Mapping[str, Value] = {"b": False, "i": 0, "s": ""}
VENDOR: Mapping[Fault, Mapping[str, str]] = {
    "fatal": {"en": "aborts the process", "zh": "直接终止进程"},
    "internal": {"en": "raises InternalError", "zh": "抛出 InternalError"},
    "invalid": {
        "en": "raises InvalidArgumentError",
        "zh": "抛出 InvalidArgumentError",
    },
}


def find_npu_optimizer(config: Any) -> list[Any]:
    """The custom optimizers called NpuOptimizer in a ConfigProto (or None), in order.

    There may be several: the vendor's Estimator adds one without looking for another.
    """
    if config is None:
        return []
    optimizers = config.graph_options.rewrite_options.custom_optimizers
    return [one for one in optimizers if one.name == OPTIMIZER]


@dataclass(frozen=True)
class SessionOptions:
    """The options that count in a session, by key: `options["precision_mode"]`.

    Attributes:
        values: every key of the table; None where the adapter leaves an option unset.
        given: the known keys that the user's config holds.
        diagnostics: what the adapter would not say: wrong fields, unknown keys.
    """

    values: Mapping[str, Value] = field(
        default_factory=lambda: {key: row.default for key, row in OPTIONS.items()}
    )
    given: frozenset[str] = frozenset()
    diagnostics: tuple[Diagnostic, ...] = ()

    @classmethod
    def from_config(cls, config: Any) -> SessionOptions | None:
        """Read a ConfigProto; None when it holds no NpuOptimizer.

        Of several optimizers the later wins, key by key.

        Raises:
            ValueError: a value for which the adapter ends the process.
            tf.errors.InternalError, tf.errors.InvalidArgumentError: as the adapter,
                there at the first run of a graph.
            Each has the `diagnostic` that its text comes from.
        """
        optimizers = find_npu_optimizer(config)
        if not optimizers:
            return None
        given: dict[str, Any] = {}
        for optimizer in optimizers:
            given.update(optimizer.parameter_map)
        options = cls(*_read(given))
        for row in OPTIONS.values():
            options._check_value(row)
        for rule in RULES:
            if rule.broken(options):
                raise options._error(rule.fault, options._broken(rule))
        return options

    def __getitem__(self, key: str) -> Value:
        if key not in self.values:
            raise KeyError(f"No session option is called {key!r}.{_hint(key)}")
        return self.values[key]

    @property
    def use_off_line(self) -> bool:
        """False: the graph stays on the host."""
        return bool(self["use_off_line"])

    @property
    def enable_data_pre_proc(self) -> bool:
        """True: GetNext is sunk."""
        return bool(self["enable_data_pre_proc"])

    @property
    def iterations_per_loop(self) -> int:
        """Above 1 the loop is permitted."""
        return cast("int", self["iterations_per_loop"])

    @property
    def mix_compile_mode(self) -> bool:
        """True: mixed compute, no loop."""
        return bool(self["mix_compile_mode"])

    @property
    def graph_run_mode(self) -> int:
        """0 inference, 1 training."""
        return cast("int", self["graph_run_mode"])

    @property
    def dynamic_input(self) -> bool:
        """True: `dynamic_graph_execute_mode` counts."""
        return bool(self["dynamic_input"])

    @property
    def dynamic_graph_execute_mode(self) -> str:
        """What a change of shapes does: "dynamic_execute" or "lazy_recompile"."""
        return cast("str", self["dynamic_graph_execute_mode"])

    @property
    def deprecated(self) -> tuple[str, ...]:
        """The given keys for which the adapter prints a notice, in table order."""
        return tuple(
            key
            for key, row in OPTIONS.items()
            if key in self.given and row.deprecated is not None
        )

    def _check_value(self, row: Option) -> None:
        value = self[row.key]
        if row.only_with:
            looked_at = any(self[key] for key in row.only_with)
        else:
            # A value that the user did not give can come from the environment.
            looked_at = row.key in self.given or value != row.default
        if not looked_at or row.fault is None or allows(row.allowed, value):
            return
        if row.key == "iterations_per_loop":
            fault = diagnose("SINK032", value=value)
        else:
            fault = _bad_value(row.key, value, row.allowed, row.fault)
        raise self._error(row.fault, fault)

    def _broken(self, rule: Rule) -> Diagnostic:
        if rule.key == "dynamic_graph_execute_mode":
            return diagnose("SINK035", option=self.iterations_per_loop)
        return _bad_value(rule.key, self[rule.key], rule.needs, rule.fault)

    def _error(self, fault: Fault, diagnostic: Diagnostic) -> Exception:
        # A zero may come from a wrong field: then both belong together.
        about = diagnostic.facts.get("key", "iterations_per_loop")
        related = [one for one in self.diagnostics if one.facts["key"] == about]
        return _exception(fault, diagnostic, *related)


def _read(
    parameters: Mapping[str, Any],
) -> tuple[dict[str, Value], frozenset[str], tuple[Diagnostic, ...]]:
    values: dict[str, Value] = {}
    found: list[Diagnostic] = list(_unknown_keys(parameters))
    for key, row in OPTIONS.items():
        if key in parameters:
            values[key] = _value(row, parameters[key], found)
        else:
            given = os.environ.get(row.environment) if row.environment else None
            from_outside = given == "true" if given and row.field == "b" else given
            values[key] = from_outside or row.default
    # Small channels are always on for inference.
    if values["graph_run_mode"] == 0:
        values["enable_small_channel"] = 1
    return values, frozenset(OPTIONS.keys() & parameters.keys()), tuple(found)


def _unknown_keys(parameters: Mapping[str, Any]) -> Iterator[Diagnostic]:
    for key in sorted(parameters.keys() - OPTIONS.keys() - WRITTEN_BUT_NEVER_READ):
        yield diagnose("SINK023", key=key, suggestion=_closest(key))


def _value(row: Option, parameter: Any, found: list[Diagnostic]) -> Value:
    """What the adapter reads for a key that is there, and what to say about it."""
    filled = parameter.WhichOneof("value") or ""
    if filled == row.field:
        value = getattr(parameter, row.field)
        if isinstance(value, bytes):
            value = os.fsdecode(value)
        if value == "" and row.wrong_field == "default":
            return row.default
        return _clamped(row, value, found) if row.fault == "clamp" else value
    if row.wrong_field == "invalid":
        needs = {
            "en": f"a text in the field {row.field}",
            "zh": f"字段 {row.field} 中的字符串",
        }
        given = getattr(parameter, filled) if filled else ""
        raise _exception("invalid", _bad_value(row.key, given, needs, "invalid"))
    value = row.default if row.wrong_field == "default" else ZERO[row.field]
    found.append(
        diagnose(
            "SINK022",
            key=row.key,
            given=filled,
            expected=row.field,
            effective=_shown(value),
        )
    )
    return value


def _clamped(row: Option, value: int, found: list[Diagnostic]) -> int:
    allowed = cast("range", row.allowed)
    nearest = min(max(value, allowed[0]), allowed[-1])
    if nearest != value:
        found.append(
            diagnose(
                "SINK037",
                key=row.key,
                value=value,
                allowed=_in_words(allowed),
                effective=nearest,
            )
        )
    return nearest


def allows(allowed: Allowed, value: Value) -> bool:
    """Whether the adapter takes the value."""
    if allowed is None:
        return True
    if isinstance(allowed, Described):
        return allowed.accepts(cast("str", value))
    return value in allowed


def _bad_value(
    key: str, value: object, allowed: Allowed | Mapping[str, str], fault: Fault
) -> Diagnostic:
    return diagnose(
        "SINK036",
        key=key,
        value=_shown(value),
        allowed=allowed if isinstance(allowed, Mapping) else _in_words(allowed),
        vendor=VENDOR[fault],
    )


def _in_words(allowed: Allowed) -> Mapping[str, str]:
    if isinstance(allowed, Described):
        return {"en": allowed.en, "zh": allowed.zh}
    if isinstance(allowed, range):
        first, end = allowed.start, allowed.stop
        if end == NO_UPPER_END:
            return {"en": f"at least {first}", "zh": f"大于等于 {first}"}
        return {"en": f"{first} to {end - 1}", "zh": f"{first} 到 {end - 1}"}
    names = [_shown(one) for one in allowed or ()]
    return {"en": ", ".join(names), "zh": "、".join(names)}


def _shown(value: object) -> str:
    text = str(value)
    if len(text) > LONGEST_SHOWN:
        text = f"{text[:LONGEST_SHOWN]}..."
    return f'"{text}"' if isinstance(value, str) else text


def _closest(key: str) -> str:
    found = difflib.get_close_matches(key.lower(), OPTIONS, n=1)
    return found[0] if found else ""


def _hint(key: str) -> str:
    closest = _closest(key)
    return f" Did you mean {closest!r}?" if closest else ""


def _exception(fault: Fault, diagnostic: Diagnostic, *related: Diagnostic) -> Exception:
    text = "\n".join(str(one) for one in (diagnostic, *related))
    error: Any
    if fault == "fatal":
        error = ValueError(text)
    else:
        # Only here is TensorFlow needed, and only when something is wrong.
        from npu_lab._tensorflow import tf

        raised = {
            "internal": tf.errors.InternalError,
            "invalid": tf.errors.InvalidArgumentError,
        }
        error = raised[fault](None, None, text)
    error.diagnostic = diagnostic
    return cast("Exception", error)
