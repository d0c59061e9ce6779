"""`tf.contrib.summary` of TensorFlow 1.15, which lives on inside TensorFlow 2."""

from __future__ import annotations

from tensorflow.python.ops import summary_ops_v2
from tensorflow.python.ops.summary_ops_v2 import (
    always_record_summaries,
    audio,
    create_file_writer,
    create_summary_file_writer,
    eval_dir,
    generic,
    histogram,
    image,
    import_event,
    initialize,
    never_record_summaries,
    record_summaries_every_n_global_steps,
    scalar,
    summary_writer_initializer_op,
)

all_summary_ops = summary_ops_v2.all_v2_summary_ops
flush = summary_ops_v2.legacy_raw_flush
graph = summary_ops_v2.graph_v1
should_record_summaries = summary_ops_v2._legacy_contrib_should_record_summaries

__all__ = [
    "all_summary_ops",
    "always_record_summaries",
    "audio",
    "create_file_writer",
    "create_summary_file_writer",
    "eval_dir",
    "flush",
    "generic",
    "graph",
    "histogram",
    "image",
    "import_event",
    "initialize",
    "never_record_summaries",
    "record_summaries_every_n_global_steps",
    "scalar",
    "should_record_summaries",
    "summary_writer_initializer_op",
]
