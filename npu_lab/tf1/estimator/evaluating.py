"""The metrics and summaries of an evaluation."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from tensorflow.python.training import evaluation

from npu_lab._tensorflow import tf
from npu_lab.tf1.estimator.spec import is_keras_metric

logging = tf.compat.v1.logging
train = tf.compat.v1.train
LOSS, GLOBAL_STEP = "loss", "global_step"


def metrics(spec: Any) -> tuple[Any, dict[str, Any]]:
    """The operation that updates all metrics, and their values.

    Raises:
        ValueError: a metric has the name of one of the Estimator's own.
    """
    found = dict(spec.eval_metric_ops)
    for name in (LOSS, GLOBAL_STEP):
        if name in found:
            raise ValueError(
                f"A metric must not be named {name}: the Estimator has one of that "
                "name. Name yours otherwise."
            )
    found[LOSS] = tf.compat.v1.metrics.mean(spec.loss)
    values, updates = {}, []
    for name, metric in sorted(found.items()):
        if is_keras_metric(metric):
            values[name] = metric.result()
            updates += metric.updates
        else:
            values[name], update = metric
            updates.append(update)
    values[GLOBAL_STEP] = train.get_global_step()
    return tf.group(*updates), values


def local_init(scaffold: Any) -> Any:
    """The scaffold; local variables made since are initialised as well."""
    if scaffold.local_init_op is None:
        return scaffold
    evaluation._get_or_create_eval_step()
    both = tf.group(scaffold.local_init_op, train.Scaffold.default_local_init_op())
    return train.Scaffold(local_init_op=both, copy_from_scaffold=scaffold)


def write(folder: str, results: dict[str, Any], checkpoint: str | None) -> None:
    """Add one event with the results of an evaluation to the event file in `folder`."""
    step = results[GLOBAL_STEP]
    shown = ", ".join(f"{name} = {results[name]}" for name in sorted(results))
    logging.info("Saving dict for global step %d: %s", step, shown)
    writer = tf.compat.v1.summary.FileWriterCache.get(folder)
    summary = tf.compat.v1.Summary()
    for name, value in results.items():
        if name == GLOBAL_STEP or value is None:
            continue
        if isinstance(value, bytes):
            for each in tf.compat.v1.Summary.FromString(value).value:
                summary.value.add(tag=f"{name}/{each.tag}").MergeFrom(each)
        elif isinstance(value, (numbers.Real, np.number)):
            summary.value.add(tag=name, simple_value=float(value))
        elif isinstance(value, np.ndarray):
            tensor = tf.make_tensor_proto(value)
            summary.value.add(tag=name, node_name=name, tensor=tensor)
        else:
            logging.warning("Metric %s is no number or array: no summary.", name)
    writer.add_summary(summary, step)
    if checkpoint:
        logging.info("Saving checkpoint_path summary for step %d: %s", step, checkpoint)
        tensor = tf.make_tensor_proto(checkpoint, dtype=tf.string)
        summary = tf.compat.v1.Summary()
        summary.value.add(tag="checkpoint_path", tensor=tensor)
        writer.add_summary(summary, step)
    writer.flush()
