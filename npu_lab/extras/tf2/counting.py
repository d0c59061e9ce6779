"""Writes counters into the functions of a graph: each GetNext and each pass counts.

Nothing else is changed.  The counters are variables of the runtime, which functions
find by their names; a device's figures are read from them.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensorflow.core.framework import node_def_pb2, types_pb2

from npu_lab.extras.tf2 import definitions, steps
from npu_lab.extras.tf2.definitions import GET_NEXT, Definition, Node

BOOL, INT64, FLOAT64 = types_pb2.DT_BOOL, types_pb2.DT_INT64, types_pb2.DT_DOUBLE
NOT_PUSHED = "npu_lab: a batch that was not pushed"
COUNTER, ONE = "npu_lab_counter", "npu_lab_one"
BEGUN, ARRIVED, ENDED = 0.0, 1.0, 2.0

_numbers = itertools.count()


@dataclass
class Counters:
    """The counters of one program, by name; `checked` are the iterators to check.

    With `stamps` each pass also tells when it began, had its batches and ended, to a
    queue.
    """

    checked: frozenset[int | None] = frozenset()
    stamps: bool = False
    prefix: str = field(default_factory=lambda: f"npu_lab/tf2/{next(_numbers)}")

    @property
    def passes(self) -> str:
        """Passes of the loop."""
        return f"{self.prefix}/passes"

    @property
    def stop(self) -> str:
        """Where the loop ends: 0, and the least number to interrupt it."""
        return f"{self.prefix}/stop"

    @property
    def times(self) -> str:
        """The queue of what happened when."""
        return f"{self.prefix}/times"

    def pulled(self, argument: int | None) -> str:
        """Batches that were taken from an iterator."""
        return f"{self.prefix}/pulled/{argument}"

    def pushed(self, argument: int | None) -> str:
        """Batches that are there to be taken."""
        return f"{self.prefix}/pushed/{argument}"


class Counting:
    """Copies of functions that count, under names of their own, in `made`."""

    def __init__(self, functions: Mapping[str, Definition], counters: Counters) -> None:
        self.functions, self.counters = functions, counters
        self.made: list[Definition] = []

    def copy(
        self,
        definition: Definition,
        arguments: Mapping[str, int | None],
        counted: str = "",
        *,
        body: bool = False,
    ) -> str:
        """Make the copy of a function and of those it calls; return its name.

        Args:
            definition: the function.
            arguments: for its arguments those of the outermost function, or None.
            counted: the name of a While of it whose passes are counted.
            body: whether it is itself the body of that While.
        """
        copy = type(definition)()
        copy.CopyFrom(definition)
        copy.signature.name = f"{self.counters.prefix}/{definition.signature.name}"
        copy.signature.name = f"{copy.signature.name}/{next(_numbers)}".replace(
            "/", "_"
        )
        copy.signature.is_stateful = True
        known = definitions.origins(definition, arguments)
        taken = [n for n in copy.node_def if n.op in GET_NEXT]
        for pull in taken:
            _let_effects_wait(copy, pull)
        for node in list(copy.node_def):
            self._calls(node, known, counted)
        begun = []
        if body and self.counters.stamps:
            begun = [f"^{self._stamp(copy, 'npu_lab/begun', BEGUN, [])}"]
        for node in taken:
            self._count(
                copy, node, known.get(definitions.operation(node.input[0])), begun
            )
        if body:
            self._count_pass(copy)
        self.made.append(copy)
        return str(copy.signature.name)

    def light_copy(self, body: Definition) -> str:
        """The body of a While whose passes take one batch each: it counts that alone.

        The copy takes the counter of batches and a 1 as well, so that they are made
        once, outside of the loop.
        """
        copy = type(body)()
        copy.CopyFrom(body)
        copy.signature.name = f"{self.counters.prefix}/{body.signature.name}".replace(
            "/", "_"
        )
        copy.signature.is_stateful = True
        for name, kind in ((COUNTER, types_pb2.DT_RESOURCE), (ONE, INT64)):
            argument = copy.signature.input_arg.add()
            argument.name, argument.type = name, kind
        (pull,) = [n for n in copy.node_def if n.op in GET_NEXT]
        _let_effects_wait(copy, pull)
        inputs = [COUNTER, ONE, f"^{pull.name}"]
        _add(copy, "npu_lab/add", "AssignAddVariableOp", inputs, dtype=INT64)
        copy.control_ret["npu_lab/add"] = "npu_lab/add"
        copy.signature.control_output.append("npu_lab/add")
        self.made.append(copy)
        return str(copy.signature.name)

    def _calls(self, node: Node, known: Mapping[str, int | None], counted: str) -> None:
        """Let a node call the copies of its functions, where these count something."""
        for attribute in node.attr.values():
            for function in [attribute.func, *attribute.list.func]:
                inner = self.functions.get(function.name)
                if inner is None:
                    continue
                given = definitions.passed_on(node)
                names = [a.name for a in inner.signature.input_arg]
                sources = [known.get(definitions.operation(g)) for g in given]
                mapped = dict(zip(names, sources, strict=False))
                body = node.name == counted and attribute is node.attr["body"]
                if body or definitions.pulls(inner, self.functions, mapped):
                    function.name = self.copy(inner, mapped, body=body)

    def _count(
        self, copy: Definition, pull: Node, argument: int | None, after: list[str]
    ) -> None:
        """Count a GetNext when it has its batch; check before that there is one."""
        name = f"{pull.name}/npu_lab"
        pull.input.extend(after)
        if argument in self.counters.checked:
            pull.input.append(f"^{self._check(copy, pull, argument)}")
        counter, came = self.counters.pulled(argument), f"^{pull.name}"
        if GET_NEXT[pull.op] == "optional":  # it may be empty: the data have ended
            ends = [_add_optional(copy, name, counter, f"{pull.name}:optional:0")]
        else:
            ends = [_add_one(copy, name, counter, [came])]
        if self.counters.stamps:
            ends.append(
                self._stamp(copy, f"{name}/arrived", ARRIVED, [f"^{pull.name}"])
            )
        waits = [f"^{end}" for end in ends]
        self._hand_on(copy, pull, waits)

    def _hand_on(self, copy: Definition, pull: Node, waits: list[str]) -> None:
        """Let whatever uses a GetNext wait until it is counted."""
        name, label = f"{pull.name}/npu_lab", GET_NEXT[pull.op]
        types = list(pull.attr["output_types"].list.type)
        if label == "optional":
            types = [types_pb2.DT_VARIANT]
        users = [
            n
            for n in copy.node_def
            if n.name != pull.name and not n.name.startswith(f"{name}/")
        ]
        places = {}
        for number, kind in enumerate(types):
            source = f"{pull.name}:{label}:{number}"
            places[source] = f"{name}/batch_{number}:output:0"
            _add(copy, f"{name}/batch_{number}", "Identity", [source, *waits], T=kind)
        for node in users:
            definitions.redirect(node, places, {pull.name: waits})
        for key, value in copy.ret.items():
            copy.ret[key] = places.get(value, value)
        for key, value in copy.control_ret.items():
            if value == pull.name:
                copy.control_ret[key] = waits[0][1:]

    def _check(self, copy: Definition, pull: Node, argument: int | None) -> str:
        """Fail where there is no batch; return the node that a GetNext waits for."""
        name = f"{pull.name}/npu_lab"
        before = [i for i in pull.input if i.startswith("^")]
        counter = self.counters.pulled(argument)
        pulled = _read(copy, f"{name}/taken", counter, before)
        pushed = _read(copy, f"{name}/there", self.counters.pushed(argument))
        _add(copy, f"{name}/less", "Less", [pulled, pushed], T=INT64)
        text = _constant(copy, f"{name}/text", NOT_PUSHED)
        test = f"{name}/less:z:0"
        kinds = [types_pb2.DT_STRING]
        _add(copy, f"{name}/check", "Assert", [test, text], T=kinds, summarize=3)
        return f"{name}/check"

    def _count_pass(self, copy: Definition) -> None:
        """Count a pass when all that it does is done."""
        first = copy.signature.output_arg[0]
        value = copy.ret[first.name]
        arguments = {a.name for a in copy.signature.input_arg}
        waits = [f"^{node}" for node in copy.control_ret.values()]
        if definitions.operation(value) not in arguments:
            waits.append(f"^{definitions.operation(value)}")
        end = _add_one(copy, "npu_lab/pass", self.counters.passes, waits)
        if self.counters.stamps:
            end = self._stamp(copy, "npu_lab/ended", ENDED, [f"^{end}"])
        _add(copy, "npu_lab/next", "Identity", [value, f"^{end}"], T=first.type)
        copy.ret[first.name] = "npu_lab/next:output:0"
        copy.control_ret["npu_lab/pass"] = end
        copy.signature.control_output.append("npu_lab/pass")

    def _stamp(self, copy: Definition, name: str, what: float, waits: list[str]) -> str:
        """Tell the queue what happened now."""
        _add(copy, f"{name}/now", "Timestamp", waits)
        kind = _constant(copy, f"{name}/what", what)
        pair = [kind, f"{name}/now:ts:0"]
        _add(copy, f"{name}/pair", "Pack", pair, T=FLOAT64, N=2, axis=0)
        _add(
            copy,
            f"{name}/queue",
            "FIFOQueueV2",
            [],
            component_types=[FLOAT64],
            shapes=(2,),
            shared_name=self.counters.times,
            capacity=-1,
        )
        inputs = [f"{name}/queue:handle:0", f"{name}/pair:output:0"]
        _add(copy, name, "QueueEnqueueV2", inputs, Tcomponents=[FLOAT64])
        return name


def _add_one(copy: Definition, name: str, counter: str, waits: list[str]) -> str:
    handle = _handle(copy, f"{name}/counter", counter)
    one = _constant(copy, f"{name}/one", 1)
    _add(copy, f"{name}/add", "AssignAddVariableOp", [handle, one, *waits], dtype=INT64)
    return f"{name}/add"


def _add_optional(copy: Definition, name: str, counter: str, optional: str) -> str:
    """Count an optional batch, if there is one."""
    handle = _handle(copy, f"{name}/counter", counter)
    _add(copy, f"{name}/there_is", "OptionalHasValue", [optional])
    source, kinds = f"{name}/there_is:has_value:0", {"SrcT": BOOL, "DstT": INT64}
    _add(copy, f"{name}/one", "Cast", [source], **kinds)
    inputs = [handle, f"{name}/one:y:0"]
    _add(copy, f"{name}/add", "AssignAddVariableOp", inputs, dtype=INT64)
    return f"{name}/add"


def _let_effects_wait(copy: Definition, pull: Node) -> None:
    """Let what changes something, and stands after a GetNext, wait for its batch.

    A pass without its batch has no effects then.
    """
    nodes = list(copy.node_def)
    later = [n.name for n in nodes].index(pull.name) + 1
    before, wait = definitions.upstream(copy, [pull.name]), f"^{pull.name}"
    for node in nodes[later:]:
        known = node.name in before or wait in node.input
        if steps.has_effect(node) and not known:
            node.input.append(wait)


def _read(copy: Definition, name: str, counter: str, waits: Sequence[str] = ()) -> str:
    handle = _handle(copy, f"{name}/counter", counter)
    _add(copy, name, "ReadVariableOp", [handle, *waits], dtype=INT64)
    return f"{name}:value:0"


def _handle(copy: Definition, name: str, counter: str) -> str:
    _add(copy, name, "VarHandleOp", [], dtype=INT64, shape=(), shared_name=counter)
    return f"{name}:resource:0"


def _constant(copy: Definition, name: str, value: Any) -> str:
    from npu_lab._tensorflow import tf

    kinds = {int: tf.int64, float: tf.float64, str: tf.string}
    proto = tf.make_tensor_proto(value, kinds[type(value)])
    _add(copy, name, "Const", [], value=proto, dtype=proto.dtype)
    return f"{name}:output:0"


def _add(
    copy: Definition, name: str, kind: str, inputs: list[str], **attributes: Any
) -> None:
    node = node_def_pb2.NodeDef(name=name, op=kind)
    data = [i for i in inputs if not i.startswith("^")]
    node.input.extend([*data, *dict.fromkeys(i for i in inputs if i.startswith("^"))])
    for key, value in attributes.items():
        attribute = node.attr[key]
        if key == "value":
            attribute.tensor.CopyFrom(value)
        elif key == "shape":
            attribute.shape.SetInParent()
        elif key == "shapes":
            attribute.list.shape.add().dim.add().size = value[0]
        elif isinstance(value, list):
            attribute.list.type.extend(value)
        elif isinstance(value, str):
            attribute.s = value.encode()
        elif key in {"T", "dtype", "SrcT", "DstT"}:
            attribute.type = value
        else:
            attribute.i = value
    copy.node_def.append(node)
