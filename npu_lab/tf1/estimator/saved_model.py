"""How an Estimator is exported as a SavedModel."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tensorflow.python.saved_model import model_utils

from npu_lab._tensorflow import tf
from npu_lab.tf1.estimator.spec import ModeKeys

v1 = tf.compat.v1


def write(
    estimator: Any,
    folder: Any,
    receivers: dict[str, Callable[[], Any]],
    assets_extra: dict[str, Any] | None,
    as_text: bool,
    checkpoint: Any,
    strip_default_attrs: bool = True,
) -> bytes:
    """Write a SavedModel with a graph for each mode of `receivers`; its path."""
    modes = [
        m for m in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT) if m in receivers
    ]
    if not modes:
        raise ValueError(f"No mode to export in {sorted(receivers)}.")
    checkpoint = checkpoint or estimator._trained()
    final = model_utils.get_timestamped_export_dir(folder)
    temporary = model_utils.get_temp_export_dir(final)
    builder = v1.saved_model.Builder(temporary)
    for mode in modes:
        _add(estimator, builder, mode, receivers[mode], checkpoint, strip_default_attrs)
    builder.save(as_text)
    for name, source in (assets_extra or {}).items():
        to = os.path.join(os.fsdecode(temporary), "assets.extra", os.fsdecode(name))
        tf.io.gfile.makedirs(os.path.dirname(to))
        tf.io.gfile.copy(source, to)
    tf.io.gfile.rename(temporary, final)
    return final


def _add(
    estimator: Any,
    builder: Any,
    mode: str,
    receiver_fn: Callable[[], Any],
    checkpoint: str,
    strip_default_attrs: bool,
) -> None:
    with tf.Graph().as_default() as graph:
        estimator._create_global_step(graph)
        v1.set_random_seed(estimator._config.tf_random_seed)
        receiver = receiver_fn()
        labels = getattr(receiver, "labels", None)
        spec = estimator._call_model_fn(
            receiver.features, labels, mode, estimator.config
        )
        outputs = model_utils.export_outputs_for_mode(
            mode, spec.export_outputs, spec.predictions, spec.loss, spec.eval_metric_ops
        )
        signatures = model_utils.build_all_signature_defs(
            receiver.receiver_tensors,
            outputs,
            getattr(receiver, "receiver_tensors_alternatives", None),
            serving_only=mode == ModeKeys.PREDICT,
        )
        saver = spec.scaffold.saver or v1.train.Saver(sharded=True)
        default_init = v1.train.Scaffold.default_local_init_op
        how = {
            "signature_def_map": signatures,
            "assets_collection": v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
            "main_op": spec.scaffold.local_init_op or default_init(),
            "saver": saver,
            "strip_default_attrs": strip_default_attrs,
        }
        tags = model_utils.EXPORT_TAG_MAP[mode]
        with v1.Session(config=estimator._session_config) as session:
            saver.restore(session, checkpoint)
            if builder._has_saved_variables:
                builder.add_meta_graph(tags, **how)
            else:
                builder.add_meta_graph_and_variables(session, tags, **how)
