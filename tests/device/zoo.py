"""Model families as scripts write them, each small enough to train in a test.

A builder adds one model to the default graph and returns what a script keeps of it.
"""

from __future__ import annotations

from collections.abc import Callable

import npu_lab.tf1 as tf
from tests.device import zoo_networks as networks
from tests.device import zoo_trainings as trainings
from tests.device.training import Kept
from tests.device.zoo_pieces import sgd

FAMILIES: dict[str, Callable[[], Kept]] = {
    "cnn with batch norm": networks.cnn_batch_norm,
    "cnn with a fed training flag": networks.cnn_batch_norm_switched,
    "while_loop rnn": networks.recurrence_by_while_loop,
    "dynamic_rnn of LSTM": networks.recurrent(networks.lstm),
    "dynamic_rnn of two GRUs": networks.recurrent(networks.grus),
    "rnn with kept state": networks.recurrence_that_keeps_its_state,
    "attention": networks.attention,
    "keras layers": networks.keras_layers,
    "embedding, sgd": networks.embedding(sgd),
    "embedding, adam": networks.embedding(lambda: tf.train.AdamOptimizer(0.02)),
    "embedding, momentum": networks.embedding(
        lambda: tf.train.MomentumOptimizer(0.05, 0.9)
    ),
    "embedding_lookup_sparse": networks.embedding_lookup_sparse,
    "ragged": networks.ragged_input,
    "padded batches": networks.padded_batches,
    "table": networks.table_in_the_model,
    "two inputs, two losses": trainings.two_inputs_two_losses,
    "adversaries": trainings.adversaries,
    "momentum": trainings.optimized(
        lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True)
    ),
    "adam": trainings.optimized(lambda: tf.train.AdamOptimizer(0.05)),
    "rmsprop": trainings.optimized(
        lambda: tf.train.RMSPropOptimizer(0.02, momentum=0.9, centered=True)
    ),
    "adagrad": trainings.optimized(lambda: tf.train.AdagradOptimizer(0.1)),
    "adadelta": trainings.optimized(lambda: tf.train.AdadeltaOptimizer(1.0)),
    "ftrl": trainings.optimized(
        lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01)
    ),
    "exponential decay": trainings.decayed(
        lambda count: tf.train.exponential_decay(0.3, count, 7, 0.5, staircase=True)
    ),
    "piecewise rate": trainings.decayed(
        lambda count: tf.train.piecewise_constant(count, [4, 15], [0.3, 0.1, 0.02])
    ),
    "cosine decay": trainings.decayed(
        lambda count: tf.train.cosine_decay(0.3, count, 40)
    ),
    "moving average": trainings.moving_average,
    "clipping": trainings.clipping,
    "accumulation": trainings.accumulation,
    "regularised": trainings.regularised,
    "decoupled decay": trainings.decoupled_decay,
    "loss scaling": trainings.loss_scaling,
    "dropout": trainings.dropout,
    "augmentation": trainings.augmentation,
    "branches": trainings.branches,
    "scan and map_fn": trainings.scan_and_map,
    "tf.function": trainings.function_in_the_graph,
    "custom gradient": trainings.own_gradient,
    "py_func": trainings.python_in_the_model,
    "streaming metrics": trainings.streaming_metrics,
    "checked": trainings.checked,
    "partitioned variable": trainings.partitioned_variable,
    "feedable iterator": networks.feedable_iterator,
}
