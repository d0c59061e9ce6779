"""Channels: what the device sends to the host while a loop runs.

A channel is one of TensorFlow's queues, which the device lets into its loops.  It has
no limit, so a loop never waits for the host, nor hangs when nobody takes what it sends.
Each session has its own channels.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.device.subgraph import CHANNEL

FOR_EVER = -1


def outfeed_enqueue_op(
    channel_name: str, inputs: Sequence[Any], name: str | None = None
) -> Any:
    """An operation that sends the `inputs`, tensors, to the host.

    Raises:
        RuntimeError: eager execution is on.
    """
    inputs = [tf.convert_to_tensor(tensor) for tensor in inputs]
    queue = _queue(channel_name, [tensor.dtype for tensor in inputs])
    return tf.raw_ops.QueueEnqueueV2(handle=queue, components=inputs, name=name)


def outfeed_dequeue_op(
    channel_name: str,
    output_types: Sequence[Any],
    output_shapes: Sequence[Any],
    name: str | None = None,
) -> list[Any]:
    """Tensors with what was sent first; a run of them waits until something is there.

    The run is the host's alone.  Once the channel is stopped and empty it ends with
    OutOfRangeError.

    Raises:
        RuntimeError: eager execution is on.
    """
    queue = _queue(channel_name, output_types)
    taken = tf.raw_ops.QueueDequeueV2(
        handle=queue, component_types=output_types, name=name
    )
    for tensor, shape in zip(taken, output_shapes, strict=True):
        tensor.set_shape(shape)
    return list(taken)


def stop_outfeed_dequeue_op(channel_name: str, name: str | None = None) -> Any:
    """An operation that ends the channel: what was sent before can still be taken.

    Raises:
        RuntimeError: eager execution is on.
        ValueError: the graph has no such channel.
    """
    return tf.raw_ops.QueueCloseV2(handle=_queue(channel_name), name=name)


def _queue(channel_name: str, types: Sequence[Any] | None = None) -> Any:
    """The queue of the channel in this graph, made on first use."""
    if tf.executing_eagerly():
        message = f"Channel {channel_name!r} can only be used in a graph, not eagerly."
        raise RuntimeError(message)
    graph, name = tf.compat.v1.get_default_graph(), CHANNEL + channel_name
    try:
        return graph.get_tensor_by_name(f"{name}:0")
    except KeyError:
        if types is None:
            message = (
                f"There is no channel {channel_name!r} in this graph: call"
                " outfeed_enqueue_op or outfeed_dequeue_op for it first."
            )
            raise ValueError(message) from None
    with graph.control_dependencies(None), graph.name_scope(None):
        return tf.raw_ops.FIFOQueueV2(
            component_types=types, capacity=FOR_EVER, shared_name=name, name=name
        )


class Outfeed:
    """Threads that run `operations` for all that comes, until the channel is stopped.

    They belong to the coordinator: when it stops, the channel does, and what was sent
    until then is still taken.  An error stops the coordinator.  `at_the_end` are
    operations for when all has been taken.
    """

    def __init__(
        self,
        session: Any,
        coord: Any,
        operations: Sequence[Any],
        stop: Any,
        at_the_end: Sequence[Any] = (),
    ) -> None:
        self._session, self._coord, self._stop = session, coord, stop
        self._operations, self._at_the_end = operations, at_the_end
        self._lock, self._stopped = threading.Lock(), False
        self._taker = threading.Thread(
            target=self._take, name="npu_lab_outfeed", daemon=True
        )
        closer = threading.Thread(
            target=self._close, name="npu_lab_outfeed_close", daemon=True
        )
        for thread in (self._taker, closer):
            coord.register_thread(thread)
            thread.start()

    def finish(self) -> None:
        """Stop the channel, and wait until all has been taken."""
        with self._lock:
            if not self._stopped:
                self._stopped = True
                self._session.run(self._stop)
        self._taker.join()

    def _take(self) -> None:
        with self._coord.stop_on_exception():
            try:
                while True:
                    self._session.run(self._operations)
            except tf.errors.OutOfRangeError:
                pass
            finally:
                self._session.run(self._at_the_end)

    def _close(self) -> None:
        self._coord.wait_for_stop()
        self.finish()
