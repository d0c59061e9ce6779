"""`tf.estimator.inputs`, and how what an `input_fn` returns becomes tensors."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from tensorflow.python.util import function_utils

from npu_lab._tensorflow import tf

train = tf.compat.v1.train
FEATURES_AND_LABELS = 2
ALONE = "__direct_np_input__"


class DatasetInitializerHook(train.SessionRunHook):  # type: ignore[misc,name-defined]
    """Starts an iterator in a session run of its own, after the session is made."""

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator

    def begin(self) -> None:  # noqa: D102
        self._initializer = self._iterator.initializer

    def after_create_session(self, session: Any, coord: Any) -> None:  # noqa: ARG002, D102
        session.run(self._initializer)


def call(input_fn: Any, mode: str, params: Any, config: Any) -> Any:
    """What `input_fn` returns; it gets those of the arguments that it names."""
    offered = {"mode": mode, "params": params, "config": config}
    wanted = function_utils.fn_args(input_fn)
    with tf.device("/cpu:0"):
        return input_fn(**{n: v for n, v in offered.items() if n in wanted})


def parse(result: Any) -> tuple[Any, Any, list[Any]]:
    """Features, labels and hooks, of what an `input_fn` returned.

    Raises:
        ValueError: it is a list or tuple of another length than 2.
    """
    hooks: list[Any] = []
    if isinstance(result, tf.data.Dataset):
        iterator = tf.compat.v1.data.make_initializable_iterator(result)
        hooks.append(DatasetInitializerHook(iterator))
        result = iterator.get_next()
    if not isinstance(result, (list, tuple)):
        return result, None, hooks
    if len(result) != FEATURES_AND_LABELS:
        raise ValueError(
            "input_fn must return a Dataset of (features, labels), or the two as a "
            f"tuple, or features alone; it gave {len(result)} elements."
        )
    return result[0], result[1], hooks


def ends(graph: Any, hooks: list[Any]) -> bool:
    """Whether the input in `graph` has an end, being a Dataset or a queue."""
    runners = graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)
    kinds = {operation.type for operation in graph.get_operations()}
    return bool(hooks or runners or "IteratorGetNext" in kinds)


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """An `input_fn` that reads batches of arrays through a queue, as 1.15's does.

    A queue cannot be sunk into a device loop; a Dataset can.

    Args:
        x: an array, or a dict of them; the first dimension is that of the examples.
        y: labels, likewise.
        batch_size: examples of a batch.
        num_epochs: how often the data are read; None means for ever.
        shuffle: whether the order is random; must be given.
        queue_capacity: examples in the queue.
        num_threads: threads that fill it, each with all epochs.

    Raises:
        ValueError: `shuffle` is not given.  When the function is called: there are no
            data, numbers of examples differ, or `x` and `y` share a name.
        TypeError: when it is called: `x` is neither array nor dict.
    """
    _check_shuffle(shuffle)

    def input_fn() -> Any:
        if not isinstance(x, (dict, np.ndarray)):
            raise TypeError(f"x must be an array or a dict of them, not {type(x)}.")
        columns, labels = _columns(x, "x"), {} if y is None else _columns(y, "y")
        if both := columns.keys() & labels.keys() - {ALONE}:
            raise ValueError(f"x and y both have the names {sorted(both)}.")
        return _queued(
            (columns, isinstance(x, dict)),
            None if y is None else (labels, isinstance(y, dict)),
            batch_size,
            num_epochs,
            bool(shuffle),
            queue_capacity,
            num_threads,
        )

    return input_fn


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """As `numpy_input_fn`, for a DataFrame `x` and a Series or DataFrame `y` of pandas.

    Raises:
        ValueError: `shuffle` is not given, `x` has a column named as `target_column`,
            or the indexes differ.
        TypeError: `x` is no DataFrame.
    """
    _check_shuffle(shuffle)
    if not hasattr(x, "columns"):
        raise TypeError(f"x must be a pandas DataFrame, not {type(x)}.")
    if y is not None and target_column in x.columns:
        raise ValueError(
            f"x has a column named {target_column!r}. Give another target_column."
        )
    if y is not None and not np.array_equal(x.index, y.index):
        raise ValueError("The indexes of x and y differ.")
    features = {name: np.asarray(x[name]) for name in x.columns}
    labels = y
    if hasattr(y, "columns"):
        labels = {name: np.asarray(y[name]) for name in y.columns}
    elif y is not None:
        labels = np.asarray(y)
    return numpy_input_fn(
        features, labels, batch_size, num_epochs, shuffle, queue_capacity, num_threads
    )


def _check_shuffle(shuffle: Any) -> None:
    if not isinstance(shuffle, bool):
        raise ValueError(  # noqa: TRY004  (so does TensorFlow)
            f"shuffle must be True (for training, say) or False, not {shuffle!r}."
        )


def _columns(values: Any, name: str) -> dict[str, Any]:
    columns = values if isinstance(values, dict) else {ALONE: np.asarray(values)}
    if not columns or any(len(column) == 0 for column in columns.values()):
        raise ValueError(f"{name} is empty.")
    return dict(sorted(columns.items()))


def _queued(
    features: tuple[dict[str, Any], bool],
    labels: tuple[dict[str, Any], bool] | None,
    batch_size: int,
    num_epochs: int | None,
    shuffle: bool,
    capacity: int,
    threads: int,
) -> Any:
    parts = [features] if labels is None else [features, labels]
    arrays = [array for columns, _ in parts for array in columns.values()]
    if len({len(array) for array in arrays}) > 1:
        shapes = [{n: a.shape for n, a in columns.items()} for columns, _ in parts]
        raise ValueError(f"x and y have different numbers of examples: {shapes}.")
    kinds = [tf.int64, *(tf.as_dtype(array.dtype) for array in arrays)]
    queued: list[Any] = [(), *(array.shape[1:] for array in arrays)]
    least = capacity // 4 if shuffle else 0
    with tf.name_scope("enqueue_input"):
        if shuffle:
            queue = tf.queue.RandomShuffleQueue(capacity, least, kinds, queued)
        else:
            queue = tf.queue.FIFOQueue(capacity, kinds, queued)
        fills = []
        for _ in range(threads):
            rows = _rows(len(arrays[0]), batch_size, num_epochs, shuffle)
            pull = _puller(rows, arrays)
            fills.append(queue.enqueue_many(tf.compat.v1.py_func(pull, [], kinds)))
        train.add_queue_runner(train.QueueRunner(queue, fills))
        filled = tf.cast(tf.maximum(0, queue.size() - least), tf.float32)
        span = capacity - least
        name = f"queue/{queue.name}fraction_over_{least}_of_{span}_full"
        tf.compat.v1.summary.scalar(name, filled / span)
    take = queue.dequeue_many if num_epochs is None else queue.dequeue_up_to
    batch = iter(take(batch_size)[1:])
    results = []
    for columns, named in parts:
        values = {name: next(batch) for name in columns}
        results.append(values if named else values[ALONE])
    return results[0] if labels is None else tuple(results)


def _rows(
    number: int, batch_size: int, epochs: int | None, shuffle: bool
) -> Iterator[Any]:
    """The numbers of the rows of each batch; batches do not stop at epochs' ends."""
    first = random.randrange(number) if shuffle else 0  # noqa: S311
    done = 0
    while epochs is None or done < number * epochs:
        size = batch_size if epochs is None else min(batch_size, number * epochs - done)
        yield (np.arange(done, done + size) + first) % number
        done += size


def _puller(batches: Iterator[Any], arrays: list[Any]) -> Callable[[], list[Any]]:
    def pull() -> list[Any]:
        rows = next(batches)  # its end becomes the queue's
        return [rows.astype(np.int64), *(array[rows] for array in arrays)]

    return pull
