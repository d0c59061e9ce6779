"""Rounds what operators take and give, and sees to what overflows, in one body."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.extras.tuning.precision import status
from npu_lab.extras.tuning.precision.nodes import Body, called, constant, controls
from npu_lab.extras.tuning.precision.nodes import data as data_of
from npu_lab.extras.tuning.precision.nodes import node as make
from npu_lab.extras.tuning.precision.policy import ORIGIN, WIDE, Choice, Policy
from npu_lab.extras.tuning.precision.saturation import LARGEST
from npu_lab.extras.tuning.precision.table import MOVERS, OPERATORS, OTHERS

FLOATING = (tf.float32, tf.float16, tf.bfloat16, tf.float64)
HALF = Choice(("float16",), ("float16",))
NARROW = {"float16": tf.float16, "bfloat16": tf.bfloat16}
_OTHERS = re.compile(OTHERS)
Typed = list[tuple[str, Any]]  # tensors with their types


@dataclass
class Rules:
    """What is done: the types, whether the flag is set, what the `watcher` wants."""

    policy: Policy
    flags: bool
    watcher: Any = None


class Editor:
    """Changes one body; `above` stands before the names of its operators."""

    def __init__(self, body: Body, rules: Rules, above: str = "") -> None:
        self.body, self.rules, self.above = body, rules, above
        self.policy, self.definitions = rules.policy, body.definitions
        self.kinds = {node.name: node.op for node in body.nodes}
        self.made: list[Any] = []
        self.names: set[str] = set()
        self.chosen: dict[str, str] = {}  # what operators compute in, by their names
        # The type that the values of a float32 tensor are of, where it is a narrow one,
        # and the tensor of that type where there is one.
        self.types: dict[str, str] = {}
        # What a float32 tensor was computed in; nothing of constants and variables.
        self.computed: dict[str, str] = {}
        self.narrow: dict[tuple[str, str], str] = {}

    def run(self) -> None:
        """Change the body."""
        for node in self.body.nodes:
            self.made.append(node)
            if "/npu_lab/" not in node.name:  # not what the device put in
                self._edit(node)
        self.body.nodes = self.made

    def _edit(self, node: Any) -> None:
        if node.op in OPERATORS:
            self._operator(node)
        elif _is_cast(node):
            self._cast(node)
        elif node.op in MOVERS:
            self._carry(node)
            self._watch(node)
        elif called(node):
            self._wait_for_watcher(node)
        elif not _OTHERS.fullmatch(node.op):
            self._compute(node, WIDE)
            self._watch(node)

    # Operators of the table

    def _operator(self, node: Any) -> None:
        typed = [*zip(data_of(node), self.definitions.inputs(node), strict=True)]
        half = tf.float16 in [dtype for _, dtype in typed]
        if half and not (self.policy.active or self.policy.saturates):
            self._watch(node)
            return
        before = [self.computed.get(s, "") for s, t in typed if t == tf.float32]
        choice = self.policy.choice(node, self.above + node.name, before)
        if half:
            choice = HALF
        elif not before:
            self._watch(node)
            return
        self.chosen[node.name] = choice.inputs[0]
        self._compute(node, choice.outputs[0])
        if choice == ORIGIN:
            self._watch(node)
            return
        inputs, seen = self._inputs(typed, choice)
        outputs = self.definitions.outputs(node)
        inner = self._inner(node, inputs)
        if half:
            _widen(inner)
        self._finish(node, inner, outputs, choice, seen)

    def _inputs(self, typed: Typed, choice: Choice) -> tuple[list[str], Typed]:
        """What an operator takes, as float32, and the same in the types it is of."""
        number = itertools.count()
        inputs: list[str] = []
        seen: Typed = []
        for source, dtype in typed:
            if dtype == tf.float16:
                inputs.append(self._widened(source, dtype))
                seen.append((source, dtype))
            elif dtype == tf.float32:
                asked = choice.input(next(number))
                inputs.append(self._rounded(source, asked))
                shown = self._narrowed(source, asked) if self.rules.watcher else source
                seen.append((shown, NARROW.get(asked, dtype)))
            else:
                inputs.append(source)
                seen.append((source, dtype))
        return inputs, seen

    def _finish(
        self, node: Any, inner: Any, outputs: list[Any], choice: Choice, seen: Typed
    ) -> None:
        """Round the outputs, and put them in the place of `node`."""
        results: list[str] = []
        shown: Typed = []
        bad: list[str] = []
        number = itertools.count()
        for port, dtype in enumerate(outputs):
            source, whole = f"{inner.name}:{port}", f"{node.name}:{port}"
            asked = choice.output(next(number)) if dtype in FLOATING else WIDE
            if asked == WIDE or dtype not in (tf.float32, tf.float16):
                results.append(source)
                shown.append((source, dtype))
                if dtype in FLOATING:
                    bad += self._overflow(source, dtype)
                continue
            value, wrong = self._narrowing(source, f"{node.name}/npu_lab/{port}", asked)
            bad += wrong
            shown.append((value, NARROW[asked]))
            if dtype == tf.float16:
                results.append(value)
                continue
            self.types[whole], self.narrow[whole, asked] = asked, value
            name = f"{node.name}/npu_lab/{port}_wide"
            results.append(self._widened(value, NARROW[asked], name))
        described = type(node)()
        described.CopyFrom(node)
        waits = self._report(described, bad, seen, shown)
        self._identity(node, results, outputs, waits)

    def _inner(self, node: Any, inputs: list[str]) -> Any:
        """The operator itself, under another name; `node` is what is left of it."""
        inner = type(node)()
        inner.CopyFrom(node)
        inner.name = f"{node.name}/npu_lab/op"
        inner.input[:] = [*inputs, *controls(node)]
        self.made.append(inner)
        return inner

    def _identity(
        self, node: Any, results: list[str], types: list[Any], waits: list[str]
    ) -> None:
        """Turn `node` into what passes `results` on."""
        one = len(results) == 1
        attributes: Any = {"T": types[0] if one else types}
        kind = "Identity" if one else "IdentityN"
        inputs = [*results, *waits]
        node.CopyFrom(make(kind, node.name, inputs, **attributes))

    # Types

    def _rounded(self, source: str, asked: str) -> str:
        """`source`, float32, with values of the type `asked`."""
        if asked == WIDE or self.types.get(source) == asked:
            return source
        return self._widened(self._narrowed(source, asked), NARROW[asked])

    def _narrowed(self, source: str, asked: str) -> str:
        """`source`, float32, in the type `asked`."""
        if asked == WIDE:
            return source
        known = self.narrow.get((source, asked))
        if known is not None:
            return known
        name = f"{_flat(source)}/npu_lab/{asked}"
        if self.types.get(source) == asked:  # a moved value: nothing is lost
            value = self._add(
                "Cast", name, [source], SrcT=tf.float32, DstT=NARROW[asked]
            )
        else:
            value, bad = self._narrowing(source, name, asked)
            cast = make("Cast", f"{_flat(source)}_trans_Cast", [source])
            dtype = NARROW[asked]
            shown = [(value, dtype)]
            waits: list[str] = []
            # The cast of a constant is done when the graph is compiled.
            if self.kinds.get(source.partition(":")[0]) != "Const":
                waits = self._report(cast, bad, [(source, tf.float32)], shown)
            if waits:
                wide = self._widened(value, dtype)
                types = {"SrcT": tf.float32, "DstT": dtype}
                value = self._add("Cast", f"{name}_seen", [wide, *waits], **types)
        self.narrow[source, asked] = value
        return value

    def _narrowing(self, source: str, name: str, asked: str) -> tuple[str, list[str]]:
        """`source` in the type `asked`, and what tells of an overflow on the way."""
        dtype = NARROW[asked]
        plain = self._add("Cast", f"{name}_cast", [source], SrcT=tf.float32, DstT=dtype)
        bad = self._overflow(plain, dtype)
        if not (self.policy.saturates and asked == "float16"):
            return plain, bad
        ends = [self.constant(-LARGEST), self.constant(LARGEST)]
        clipped = self._add(
            "ClipByValue", f"{name}_clip", [source, *ends], T=tf.float32
        )
        nan = self._add("IsNan", f"{name}_nan", [source], T=tf.float32)
        zero = self.constant(0.0)
        kept = [nan, zero, clipped]
        clean = self._add("SelectV2", f"{name}_clean", kept, T=tf.float32)
        value = self._add("Cast", f"{name}_sat", [clean], SrcT=tf.float32, DstT=dtype)
        return value, bad

    def _widened(self, source: str, dtype: Any, name: str = "") -> str:
        """`source`, of a narrow type, as float32."""
        name = name or f"{_flat(source)}/npu_lab/wide"
        known = self.narrow.get((source, WIDE))
        if known is None:
            known = self._add("Cast", name, [source], SrcT=dtype, DstT=tf.float32)
            self.narrow[source, WIDE] = known
        return known

    def _carry(self, node: Any) -> None:
        """What moves values of a narrow type gives such values."""
        types = self.definitions.inputs(node)
        sources = [
            s for s, t in zip(data_of(node), types, strict=True) if t == tf.float32
        ]
        found = {self.types.get(source, WIDE) for source in sources}
        if len(found) == 1 and found != {WIDE}:
            for port, dtype in enumerate(self.definitions.outputs(node)):
                if dtype == tf.float32:
                    self.types[f"{node.name}:{port}"] = next(iter(found))
        computed = {self.computed[s] for s in sources if s in self.computed}
        if computed:
            self._compute(node, WIDE if WIDE in computed else computed.pop())

    def _compute(self, node: Any, dtype: str) -> None:
        """Remember what a node computes in, for those that follow their neighbours."""
        for port, given in enumerate(self.definitions.outputs(node)):
            if given == tf.float32:
                self.computed[f"{node.name}:{port}"] = dtype

    def _cast(self, node: Any) -> None:
        """The user's own cast from float32 to a narrow type, or from one."""
        to = tf.as_dtype(node.attr["DstT"].type)
        if not (self.policy.saturates and to == tf.float16):
            self._watch(node)
            return
        (source,) = data_of(node)
        if tf.as_dtype(node.attr["SrcT"].type) != tf.float32:
            attributes = {"SrcT": tf.as_dtype(node.attr["SrcT"].type)}
            name = f"{node.name}/npu_lab/wide"
            source = self._add("Cast", name, [source], DstT=tf.float32, **attributes)
        value, bad = self._narrowing(source, f"{node.name}/npu_lab/0", "float16")
        described = type(node)()
        described.CopyFrom(node)
        waits = self._report(
            described, bad, [(source, tf.float32)], [(value, tf.float16)]
        )
        waits += controls(node)
        self._identity(node, [value], [to], waits)

    # Overflows and dumps

    def _watch(self, node: Any) -> None:
        """See to a node that is left as it is."""
        outputs = self.definitions.outputs(node)
        checked = node.op not in MOVERS and any(t in FLOATING for t in outputs)
        wanted = self.rules.watcher and self.rules.watcher.wants(
            self.above + node.name, checked=checked
        )
        if not (wanted or (checked and self.rules.flags)) or not outputs:
            return
        described = type(node)()
        described.CopyFrom(node)
        seen = [*zip(data_of(node), self.definitions.inputs(node), strict=True)]
        inner = self._inner(node, data_of(node))
        results = [f"{inner.name}:{port}" for port in range(len(outputs))]
        # What an operator keeps for its gradient may have no values at all.
        kept = [p.startswith("reserve_space") for p in self.definitions.ports(node)]
        types = [None if k else t for t, k in zip(outputs, kept, strict=True)]
        shown = [*zip(results, types, strict=True)]
        bad = []
        for source, dtype in shown:
            if checked and dtype in FLOATING:
                bad += self._overflow(source, dtype)
        waits = self._report(described, bad, seen, shown)
        self._identity(node, results, outputs, waits)

    def _overflow(self, source: str, dtype: Any) -> list[str]:
        """A bool that is true where `source` has a value that is not finite."""
        if not (self.rules.flags or self.rules.watcher):
            return []
        name = f"{_flat(source)}/npu_lab/overflow"
        if dtype in (tf.float16, tf.bfloat16):  # for these oneDNN prints a notice
            source, dtype = self._widened(source, dtype), tf.float32
        finite = self._add("IsFinite", f"{name}_finite", [source], T=dtype)
        line = self.constant(np.array([-1], np.int32))
        reshape = {"T": tf.bool, "Tshape": tf.int32}
        flat = self._add("Reshape", f"{name}_flat", [finite, line], **reshape)
        axis = self.constant(np.array([0], np.int32))
        reduce = {"Tidx": tf.int32, "keep_dims": False}
        right = self._add("All", f"{name}_all", [flat, axis], **reduce)
        return [self._add("LogicalNot", name, [right])]

    def _report(
        self, node: Any, bad: list[str], inputs: Typed, outputs: Typed
    ) -> list[str]:
        """Set the flag and dump; returns what the result has to wait for."""
        waits: list[str] = []
        if bad and self.rules.flags:
            for number, one in enumerate(bad):
                waits.append(self._set_flag(f"{node.name}/npu_lab/flag_{number}", one))
        if self.rules.watcher:
            watched = self.rules.watcher.watch(self, node, bad, inputs, outputs)
            waits += watched
        return [f"^{name}" for name in waits]

    def _set_flag(self, name: str, bad: str) -> str:
        count = self._add("Cast", f"{name}_count", [bad], SrcT=tf.bool, DstT=tf.int32)
        handle = f"{status.NAME}:0"
        if self.above:
            handle = "npu_lab/float_status_handle:0"
            if "npu_lab/float_status_handle" not in self.names:
                self.names.add("npu_lab/float_status_handle")
                shape = tf.compat.v1.AttrValue(shape=tf.TensorShape([]).as_proto())
                attributes: Any = {"dtype": tf.int32, "shape": shape}
                attributes |= {"shared_name": status.NAME, "container": ""}
                self.made.append(make("VarHandleOp", handle[:-2], [], **attributes))
        self._add("AssignAddVariableOp", name, [handle, count], dtype=tf.int32)
        return name

    def _wait_for_watcher(self, node: Any) -> None:
        """What calls functions runs after the watcher's begin."""
        if self.rules.watcher:
            node.input.extend(self.rules.watcher.begin(self))

    # Nodes

    def add_call(
        self, name: str, token: str, tensors: Typed, waits: Sequence[str] = ()
    ) -> None:
        """Call a registered Python function, which returns nothing, with `tensors`."""
        inputs = [*(source for source, _ in tensors), *waits]
        types: Any = {"Tin": [dtype for _, dtype in tensors], "Tout": []}
        self._add("PyFunc", name, inputs, token=token, **types)

    def _add(self, kind: str, name: str, inputs: list[str], **attributes: Any) -> str:
        if name not in self.names:
            self.names.add(name)
            self.made.append(make(kind, name, inputs, **attributes))
        return f"{name}:0"

    def constant(self, value: Any) -> str:
        """The tensor of a constant: a float (float32), or a NumPy number or array."""
        value = np.float32(value) if isinstance(value, float) else value
        text = "_".join(str(n) for n in np.ravel(value)).replace("-", "minus_")
        name = f"npu_lab/constant_{text.replace('.', '_')}_{value.dtype}"
        if name not in self.names:
            self.names.add(name)
            self.made.append(constant(name, value))
        return f"{name}:0"


def _widen(node: Any) -> None:
    """Let an operator of float16 compute in float32."""
    for attribute in node.attr.values():
        if attribute.type == tf.float16.as_datatype_enum:
            attribute.type = tf.float32.as_datatype_enum


def _is_cast(node: Any) -> bool:
    if node.op != "Cast":
        return False
    return all(tf.as_dtype(node.attr[k].type) in FLOATING for k in ("SrcT", "DstT"))


def _flat(source: str) -> str:
    """A name for what is made of one output of a node."""
    name, _, port = source.partition(":")
    return name if port in ("", "0") else f"{name}_{port}"
