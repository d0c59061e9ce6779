"""Fetches, feeds and errors of every kind through a sunk call, as from TensorFlow."""

from __future__ import annotations

import collections
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import attr
import numpy as np
import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.device import Device
from npu_lab.diagnostics import NpuLabWarning
from tests.device.counting import N, fetched

ignored = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")


class Pair(NamedTuple):
    """A fetch structure with names."""

    first: Any
    second: Any


@attr.s
class Attrs:
    """A fetch structure of the attrs package."""

    first = attr.ib()
    second = attr.ib()


class Unequal:
    """A key that cannot be sorted beside others."""

    def __repr__(self) -> str:
        return "Unequal"


KEY = Unequal()


STRUCTURES: dict[str, Callable[[Any], Any]] = {
    "tensor": lambda m: m.float,
    "operation": lambda m: m.float.op,
    "operation of a group": lambda m: tf.group(m.float, m.text),
    "names": lambda m: ["number:0", "text:0", "float"],
    "list": lambda m: [m.number, m.float],
    "tuple": lambda m: (m.number, [m.float, (m.text,)]),
    "empty list": lambda m: [],
    "empty parts": lambda m: [[], (), {}, m.number],
    "dict": lambda m: {"b": m.number, "a": {"c": [m.float]}},
    "keys that cannot be sorted": lambda m: {1: m.number, "a": m.float, KEY: m.text},
    "tuples and None as keys": lambda m: {(1, 2): m.number, None: m.train},
    "OrderedDict": lambda m: collections.OrderedDict(z=m.number, a=m.float),
    "defaultdict": lambda m: collections.defaultdict(list, z=m.number),
    "namedtuple": lambda m: Pair(m.number, Pair(m.float, m.train)),
    "attrs": lambda m: Attrs(m.number, {"x": m.float}),
    "duplicates": lambda m: [m.number, m.number, {"again": m.number}, "number:0"],
    "SparseTensor": lambda m: m.sparse,
    "SparseTensor that grows": lambda m: {"s": [m.grown_sparse, m.grown_sparse]},
    "IndexedSlices": lambda m: [m.slices, m.open_slices],
    "RaggedTensor": lambda m: [m.ragged, m.words],
    "strings": lambda m: [m.text, tf.stack([m.text, "b"]), tf.fill([m.number], "x")],
    "unknown shape": lambda m: [m.grown, tf.where(m.vector < 0)],
    "unknown rank": lambda m: m.rankless,
    "nothing inside": lambda m: tf.zeros([0, 3]) + m.float,
    "constant": lambda m: [tf.constant([1, 2]), m.number],
    "variable's initial value": lambda m: m.variable.initial_value,
    "resource handle": lambda m: [tf.is_variable_initialized(m.variable), m.number],
    "gradient": lambda m: tf.gradients(tf.square(m.float), [m.float]),
    "no-op": lambda m: [m.same_op, m.number],
    "bool": lambda m: [m.number > 2, tf.less(m.vector, 0.0)],
    **{
        dtype: lambda m, dtype=dtype: tf.cast(m.vector, dtype)
        for dtype in (
            *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
            *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
        )
    },
}


def parts(value: Any) -> Any:
    """A fetched value, taken apart into plain containers that say their types."""
    if isinstance(value, dict):
        inner: Any = [(key, parts(part)) for key, part in value.items()]
    elif isinstance(value, Attrs):
        inner = [parts(value.first), parts(value.second)]
    elif isinstance(value, tf.ragged.RaggedTensorValue):
        inner = [parts(value.values), parts(value.row_splits)]
    elif isinstance(value, (list, tuple)):  # namedtuples, and the values of composites
        inner = [parts(part) for part in value]
    elif isinstance(value, (np.ndarray, np.generic)):
        inner = [value.dtype, value.shape, value.tolist()]
    else:
        inner = value
    return type(value), inner


@pytest.fixture(params=list(STRUCTURES))
def stock(request: pytest.FixtureRequest) -> tuple[Any, list[Any]]:
    npu_lab.deactivate()
    shape = STRUCTURES[request.param]
    return shape, fetched(shape, sunk=False)


@ignored
def test_every_structure_comes_back_as_from_tensorflow(
    stock: tuple[Any, list[Any]], device: Device
) -> None:
    shape, theirs = stock
    mine = fetched(shape, sunk=True)
    assert device.ledger.device_iterations == 2 * N
    assert parts(mine) == parts(theirs)


def test_a_variable_is_read_after_the_loop(sunk: SimpleNamespace) -> None:
    variable = sunk.variable
    reads = [variable, variable.value(), variable.read_value(), tf.identity(variable)]
    assert sunk.opened.run([sunk.sunk, {"v": reads}]) == [None, {"v": [6] * 4}]
    assert sunk.opened.run({1: sunk.sunk, "v": variable}) == {1: None, "v": 21}
    sunk.sunk.run(session=sunk.opened)
    assert variable.eval(session=sunk.opened) == 45


@pytest.mark.parametrize(
    "fetch",
    [
        lambda m: "IterationOp",
        lambda m: m.sunk,
        lambda m: {1: [m.sunk], "a": (m.number,), KEY: m.sunk},
        lambda m: Pair(m.sunk, Attrs("IterationOp", "text:0")),
    ],
    ids=["name", "operation", "keys that cannot be sorted", "nested"],
)
def test_the_training_operation_is_found_wherever_it_stands(
    sunk: SimpleNamespace, device: Device, fetch: Callable[[Any], Any]
) -> None:
    sunk.opened.run(fetch(sunk))
    assert sunk.opened.run(sunk.variable) == 1 + 2 + 3
    assert device.ledger.device_iterations == N


def test_callables_of_a_session_are_sunk(sunk: SimpleNamespace, device: Device) -> None:
    assert sunk.opened.make_callable([sunk.sunk, sunk.number])() == [None, 3]
    assert sunk.opened.make_callable(sunk.sunk)() is None
    metadata = tf.RunMetadata()
    traced = sunk.opened.make_callable([sunk.sunk, sunk.number], accept_options=True)
    full = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    assert traced(options=full, run_metadata=metadata) == [None, 9]
    assert metadata.step_stats.dev_stats
    assert device.ledger.device_iterations == 9


def test_a_quantized_value_beside_the_training(sunk: SimpleNamespace) -> None:
    value = tf.quantize_v2(sunk.vector, -9.0, 9.0, tf.quint8)[0]
    sunk.opened.run([sunk.sunk, value])


# --- options, metadata, summaries ---


def test_a_full_trace_of_a_sunk_call(sunk: SimpleNamespace) -> None:
    full = tf.RunOptions(
        trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True
    )
    for first in (1, 4):
        metadata = tf.RunMetadata()
        values = sunk.opened.run(
            [sunk.sunk, sunk.number, sunk.variable], options=full, run_metadata=metadata
        )
        assert values[1:] == [first + 2, sum(range(first + 3))]
        names = [
            node.node_name
            for stats in metadata.step_stats.dev_stats
            for node in stats.node_stats
        ]
        assert len([n for n in names if n.endswith("AssignAddVariableOp")]) >= N
        assert sum(len(graph.node) for graph in metadata.partition_graphs) > 0


def test_merged_summaries_are_those_of_the_last_step(sunk: SimpleNamespace) -> None:
    tf.summary.scalar("seen", sunk.number)
    tf.summary.histogram("values", sunk.vector)
    merged = tf.summary.merge_all()
    with pytest.warns(NpuLabWarning, match="SINK028"):
        _, text = sunk.opened.run([sunk.sunk, merged])
    by_tag = {value.tag: value for value in tf.Summary.FromString(text).value}
    assert by_tag["seen"].simple_value == 3.0
    assert by_tag["values"].histo.max == 3.0
