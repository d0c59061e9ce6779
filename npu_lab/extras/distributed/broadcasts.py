"""All ranks begin with the variables of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tf_keras.src import backend

from npu_lab._tensorflow import tf
from npu_lab.extras.distributed import collectives
from npu_lab.extras.distributed._texts import text

v1 = tf.compat.v1


def broadcast_global_variables(root_rank: int, index: int | None = None) -> Any:
    """An operation that gives each rank the trainable variables of `root_rank`.

    Despite the name it leaves the others alone, as in the adapter: moving averages,
    the optimizer's slots, and the step.
    """
    del index
    trained = v1.trainable_variables()
    # What an optimizer keeps is named after its variable, and begins the same for all.
    covered = tuple(variable.op.name for variable in trained)
    slots = tuple(f"{name}/" for name in covered)
    left = [
        variable.op.name
        for variable in v1.global_variables()
        if variable.dtype.is_floating
        and variable.op.name not in covered
        and not variable.op.name.startswith(slots)
    ]
    if left:
        v1.logging.warning("%s", text("not covered", names=", ".join(left)))
    return _assigned(trained, root_rank)


def broadcast_keras_variables(root_rank: int) -> None:
    """Give each rank, now, the variables of Keras' session that are initialised."""
    session = backend.get_session()
    with session.graph.as_default():
        variables = v1.global_variables()
        known = [v for v in variables if getattr(v, "_keras_initialized", False)]
        session.run(_assigned(known, root_rank))


def _assigned(variables: Sequence[Any], root_rank: int) -> Any:
    values = collectives.broadcast(list(variables), root_rank)
    pairs = zip(variables, values, strict=True)
    return tf.group([v1.assign(variable, value) for variable, value in pairs])
