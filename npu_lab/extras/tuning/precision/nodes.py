"""Nodes of a graph's definition, and of a function's body, in one form.

In a graph an input is `name:number`, in a function `name:argument:number`.  `Body` has
both in the first form, with `:0` written out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tensorflow.core.framework import attr_value_pb2
from tensorflow.python.framework import op_def_registry

from npu_lab._tensorflow import tf

DTYPES = {name: tf.as_dtype(name).as_datatype_enum for name in ("float32", "float16")}


def node(kind: str, name: str, inputs: Iterable[str], **attributes: Any) -> Any:
    """A node; a type is given as a `tf.DType`, a constant as `value`."""
    made = tf.compat.v1.NodeDef(op=kind, name=name, input=inputs)
    for key, value in attributes.items():
        attribute = made.attr[key]
        if isinstance(value, tf.DType):
            attribute.type = value.as_datatype_enum
        elif isinstance(value, bool):
            attribute.b = value
        elif isinstance(value, str):
            attribute.s = value.encode()
        elif isinstance(value, np.generic | np.ndarray):
            attribute.tensor.CopyFrom(tf.make_tensor_proto(value))
        elif isinstance(value, attr_value_pb2.AttrValue):
            attribute.CopyFrom(value)
        else:
            types = [dtype.as_datatype_enum for dtype in value]
            attribute.list.CopyFrom(attr_value_pb2.AttrValue.ListValue(type=types))
    return made


def constant(name: str, value: Any) -> Any:
    """A node that gives `value`, a NumPy number or array."""
    dtype = tf.as_dtype(value.dtype)
    return node("Const", name, [], dtype=dtype, value=value)


class Definitions:
    """The definitions of operators, and of the functions of one library."""

    def __init__(self, library: Mapping[str, Any]) -> None:
        self._library = library

    def of(self, given: Any) -> Any:
        """The definition of a node's operator; None where there is none."""
        if given.op in self._library:
            return self._library[given.op].signature
        return op_def_registry.get(given.op)

    def inputs(self, given: Any) -> list[Any]:
        """The type of each input of data, None where it is not known."""
        definition = self.of(given)
        if definition is None:
            return [None for one in given.input if not one.startswith("^")]
        return [dtype for _, dtype in _arguments(definition.input_arg, given)]

    def outputs(self, given: Any) -> list[Any]:
        """The type of each output."""
        return [dtype for _, dtype in self._outputs(given)]

    def ports(self, given: Any) -> list[str]:
        """What a function writes behind the name of each output: `argument:number`."""
        ports: list[str] = []
        count: dict[str, int] = {}
        for name, _ in self._outputs(given):
            ports.append(f"{name}:{count.get(name, 0)}")
            count[name] = count.get(name, 0) + 1
        return ports

    def _outputs(self, given: Any) -> list[tuple[str, Any]]:
        definition = self.of(given)
        return [] if definition is None else _arguments(definition.output_arg, given)


def _arguments(arguments: Iterable[Any], given: Any) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for one in arguments:
        if one.type_list_attr:
            types = list(given.attr[one.type_list_attr].list.type)
        else:
            number = given.attr[one.number_attr].i if one.number_attr else 1
            single = given.attr[one.type_attr].type if one.type_attr else one.type
            types = [single] * number
        found += [(one.name, tf.as_dtype(t) if t else None) for t in types]
    return found


@dataclass
class Body:
    """The nodes of a graph or of a function, and what a function returns of them."""

    nodes: list[Any]
    definitions: Definitions
    returns: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_graph(cls, graph_def: Any, definitions: Definitions) -> Body:
        """Copies of the nodes of a graph's definition."""
        body = cls(list(_copies(graph_def.node)), definitions)
        body._rename(_whole)
        return body

    @classmethod
    def of_function(cls, function: Any, definitions: Definitions) -> Body:
        """Copies of the nodes of a function."""
        body = cls(list(_copies(function.node_def)), definitions, dict(function.ret))
        numbers = {
            f"{one.name}:{port}": f"{one.name}:{number}"
            for one in body.nodes
            for number, port in enumerate(definitions.ports(one))
        }
        body._rename(lambda source: numbers.get(source, _whole(source)))
        return body

    def write_graph(self, graph_def: Any) -> None:
        """Put the nodes in place of those of `graph_def`."""
        del graph_def.node[:]
        graph_def.node.extend(self.nodes)

    def write_function(self, function: Any) -> None:
        """Put the nodes in place of those of `function`."""
        ports = {
            f"{one.name}:{number}": f"{one.name}:{port}"
            for one in self.nodes
            for number, port in enumerate(self.definitions.ports(one))
        }
        self._rename(lambda source: ports.get(source, source.removesuffix(":0")))
        del function.node_def[:]
        function.node_def.extend(self.nodes)
        function.ret.update(self.returns)

    def _rename(self, new: Any) -> None:
        for one in self.nodes:
            one.input[:] = [i if i.startswith("^") else new(i) for i in one.input]
        self.returns = {key: new(source) for key, source in self.returns.items()}


def _copies(nodes: Iterable[Any]) -> Iterator[Any]:
    for one in nodes:
        copy = type(one)()
        copy.CopyFrom(one)
        yield copy


def _whole(source: str) -> str:
    return source if ":" in source or source.startswith("^") else f"{source}:0"


def data(given: Any) -> list[str]:
    """The inputs of a node that carry data."""
    return [one for one in given.input if not one.startswith("^")]


def controls(given: Any) -> list[str]:
    """The inputs of a node that it only waits for."""
    return [one for one in given.input if one.startswith("^")]


def called(given: Any) -> list[Any]:
    """The references of a node to functions."""
    found = [a.func for a in given.attr.values() if a.HasField("func")]
    return found + [one for a in given.attr.values() for one in a.list.func]
