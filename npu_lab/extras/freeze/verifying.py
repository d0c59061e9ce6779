"""Runs a frozen graph beside the live model, and compares what they give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.extras.freeze import names, training
from npu_lab.extras.freeze._texts import text
from npu_lab.extras.freeze.errors import FreezeError
from npu_lab.extras.freeze.graph_defs import PLACEHOLDERS, HostSession

v1 = tf.compat.v1
WITHIN = 1e-6
"""The difference that is allowed: of the value where that is above 1."""
BATCHES = (2, 3)
"""How many random examples are given, where that is open."""
OTHER = (8, 64)
"""What any other open dimension of random inputs is; the first that will do."""


def difference(
    live: Any,
    frozen: Any,
    outputs: Sequence[str],
    constants: Mapping[str, Any],
    iterators: Mapping[str, str],
    feeds: Mapping[str, Any],
) -> float:
    """The largest difference between `live` and the graph `frozen`.

    `iterators` has the live tensor that each new placeholder stands for.

    Raises:
        FreezeError: one is too large, or the comparison cannot be made.
    """
    graph = v1.Graph()
    with graph.as_default():
        v1.import_graph_def(frozen, name="")
    always = {live.graph.get_tensor_by_name(f"{n}:0"): v for n, v in constants.items()}
    random = _random(live, graph, frozen, outputs)
    largest = 0.0
    with HostSession(graph) as session:

        def compare(given: Mapping[Any, Any]) -> float:
            drawn = session.run(random, given)
            same = {**given, **dict(zip(random, drawn, strict=True))}
            fed = {
                live.graph.get_tensor_by_name(
                    iterators.get(tensor.op.name, tensor.name)
                ): array
                for tensor, array in same.items()
            }
            expected = live.session.run(list(outputs), {**always, **fed})
            _check_usable(expected, live.session.run(list(outputs), {**always, **fed}))
            found = session.run(list(outputs), same)
            return max(map(_compared, outputs, expected, found))

        if feeds:
            given = _given(graph, feeds)
            largest = _run(compare, "fed", [given])
        for choices in _made_up(graph, bool(feeds)):
            largest = max(largest, _run(compare, "made up", choices))
    return largest


def _run(
    compare: Callable[[Mapping[Any, Any]], float],
    key: str,
    choices: Iterable[Mapping[Any, Any]],
) -> float:
    """Compare on the first of `choices` that the model can be run on."""
    stopped: Exception | None = None
    for given in choices:
        try:
            return compare(given)
        except FreezeError:
            raise
        except (tf.errors.OpError, ValueError, TypeError) as error:
            stopped = error
    raise FreezeError(key, detail=_gist(stopped)) from stopped


def _check_usable(once: Sequence[Any], again: Sequence[Any]) -> None:
    """Raise ValueError where the live model cannot be compared with anything.

    Empty pictures, as after too many convolutions, give what is left in the memory.
    """
    for one, other in zip(map(np.asarray, once), map(np.asarray, again), strict=True):
        numbers = one.dtype.kind in "fc"
        if not one.size or (numbers and not np.isfinite(one).any()):
            raise ValueError(text("empty"))
        same = (
            np.allclose(one, other, rtol=WITHIN, atol=WITHIN, equal_nan=True)
            if numbers
            else np.array_equal(one, other)
        )
        if not same:
            raise ValueError(text("unstable"))


def _gist(error: Exception | None) -> str:
    """The line that says what is wrong: TensorFlow has it before the node's."""
    lines = [one.strip() for one in str(error).splitlines() if one.strip()]
    marked = [number for number, line in enumerate(lines) if line.startswith("[[{{")]
    return lines[max(0, marked[0] - 1) if marked else 0].removesuffix(".")


def _random(live: Any, graph: Any, frozen: Any, outputs: Sequence[str]) -> list[Any]:
    """The random tensors, which are to be the same on both sides."""
    inside = training.random_functions(frozen, outputs)
    tops = training.random_operators(frozen, outputs)
    known = {one.name for one in live.graph.get_operations()}
    hidden = [*inside, *(name for name in tops if name not in known)]
    if hidden:
        raise FreezeError("hidden random", names=names.listed(hidden))
    return [graph.get_tensor_by_name(f"{name}:0") for name in tops]


def _placeholders(graph: Any) -> list[Any]:
    return [one for one in graph.get_operations() if one.type in PLACEHOLDERS]


def _given(graph: Any, feeds: Mapping[str, Any]) -> dict[Any, Any]:
    operations = {one.name: one for one in _placeholders(graph)}
    given = {name.removesuffix(":0"): array for name, array in feeds.items()}
    for name in given:
        if name not in operations:
            suggested = names.near(name, operations) or names.listed(operations)
            raise FreezeError("no input", name=name, near=suggested)
    missing = [
        name
        for name, one in operations.items()
        if name not in given and one.type != "PlaceholderWithDefault"
    ]
    if missing:
        raise FreezeError("missing feeds", names=names.listed(missing))
    return {operations[name].outputs[0]: array for name, array in given.items()}


def _made_up(graph: Any, given: bool) -> Iterator[list[dict[Any, Any]]]:
    """Random inputs; each time with others that a table of rows can be asked for.

    Without any where texts are taken.
    """
    tensors = [one.outputs[0] for one in _placeholders(graph)]
    texts = [one.op.name for one in tensors if one.dtype == tf.string]
    if texts and not given:
        raise FreezeError("strings", names=names.listed(texts))
    rng = np.random.default_rng(0)
    for batch in () if texts else BATCHES:
        choices = []
        for size in OTHER:
            shapes = {one: _shape(one, batch, size) for one in tensors}
            whole = {one: rng.integers(0, 2, shape) for one, shape in shapes.items()}
            normal = {
                one: rng.standard_normal(shapes[one])
                if one.dtype.is_floating or one.dtype.is_complex
                else number
                for one, number in whole.items()
            }
            choices += [_typed(normal), _typed(whole)]
        yield choices


def _typed(values: Mapping[Any, Any]) -> dict[Any, Any]:
    return {t: np.asarray(v, t.dtype.as_numpy_dtype) for t, v in values.items()}


def _shape(tensor: Any, batch: int, other: int) -> list[int]:
    dimensions = [] if tensor.shape.rank is None else tensor.shape.as_list()
    return [
        (other if number else batch) if size is None else size
        for number, size in enumerate(dimensions)
    ]


def _compared(name: str, live: Any, frozen: Any) -> float:
    live, frozen = np.asarray(live), np.asarray(frozen)
    if live.shape != frozen.shape:
        raise FreezeError("shapes", name=name, live=live.shape, frozen=frozen.shape)
    if live.dtype.kind not in "fc" and live.dtype.name != "bfloat16":
        if not np.array_equal(live, frozen):
            raise FreezeError("differs", name=name, by="==")
        return 0.0
    one, other = live.astype("complex128"), frozen.astype("complex128")
    with np.errstate(invalid="ignore"):
        apart = np.abs(one - other)
        allowed = WITHIN * np.maximum(1, np.abs(one))
        same = (one == other) | (np.isnan(one) & np.isnan(other))
    apart = np.where(same, 0, apart)
    if not np.all(same | (apart <= allowed)):
        raise FreezeError("differs", name=name, by=f"{np.nanmax(apart):.3g}")
    return float(apart.max(initial=0))
