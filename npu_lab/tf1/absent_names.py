"""The names of TensorFlow 1.15 that the view lacks, and what to do without them.

Every name outside tf.contrib and tf.estimator that compat.v1 of TensorFlow 2.21 lost
stands here; of the other two, those that scripts use most.
"""

from __future__ import annotations

NO_TWIN = (
    "TensorFlow 2 dropped tf.contrib. What is left of it moved to tf.layers, "
    "tf.nn.rnn_cell, tf.data.experimental, tf.nest and tf.train."
)
PIPELINE_STATISTICS = (
    "TensorFlow 2 dropped the statistics of input pipelines. Time the pipeline alone."
)
DROPPED_BY_KERAS = "Keras 2 dropped it."
DROPPED = "TensorFlow 2 dropped it."
TPU = "TensorFlow 2 has it only under tf.tpu.experimental.embedding."

CANNED = (
    "Write the model as a model_fn for tf.estimator.Estimator, or convert a model of "
    "tf.keras with tf.keras.estimator.model_to_estimator."
)
HEAD = (
    "Return tf.estimator.EstimatorSpec from model_fn, with a loss of tf.losses and "
    "metrics of tf.metrics."
)

PRESENT = frozenset({"contrib.summary"})
"""What the view has of a module that is absent but for this."""

ABSENT: dict[str, str] = {
    "config.experimental_list_devices": "Use tf.config.list_logical_devices().",
    "contrib": NO_TWIN,
    "contrib.autograph": "Use tf.autograph.",
    "contrib.checkpoint": "Use tf.train.Checkpoint and Python lists and dicts.",
    "contrib.cudnn_rnn": "Use tf.keras.layers.LSTM, or a cell of tf.nn.rnn_cell.",
    "contrib.data": "Use tf.data.experimental.",
    "contrib.data.Dataset": "Use tf.data.Dataset.",
    "contrib.data.Iterator": "Use tf.data.Iterator.",
    "contrib.data.batch_and_drop_remainder": (
        "Use dataset.batch(size, drop_remainder=True)."
    ),
    "contrib.distribute": "Use tf.distribute.",
    "contrib.distributions": "Use tf.distributions.",
    "contrib.eager": "The view has no eager execution. Build a graph.",
    "contrib.estimator": "It became part of tf.estimator.",
    "contrib.framework": "See tf.train, tf.nest and functools.partial.",
    "contrib.framework.add_arg_scope": "Use functools.partial.",
    "contrib.framework.arg_scope": "Use functools.partial.",
    "contrib.framework.assign_from_checkpoint": "Use tf.train.init_from_checkpoint.",
    "contrib.framework.assign_from_checkpoint_fn": (
        "Use tf.train.init_from_checkpoint."
    ),
    "contrib.framework.get_global_step": "Use tf.train.get_global_step.",
    "contrib.framework.get_or_create_global_step": (
        "Use tf.train.get_or_create_global_step."
    ),
    "contrib.framework.get_trainable_variables": "Use tf.trainable_variables.",
    "contrib.framework.get_variables": (
        "Use tf.get_collection with tf.GraphKeys.GLOBAL_VARIABLES and a scope."
    ),
    "contrib.framework.get_variables_to_restore": "Use tf.global_variables.",
    "contrib.framework.init_from_checkpoint": "Use tf.train.init_from_checkpoint.",
    "contrib.framework.list_variables": "Use tf.train.list_variables.",
    "contrib.framework.load_checkpoint": "Use tf.train.load_checkpoint.",
    "contrib.framework.model_variable": "Use tf.get_variable.",
    "contrib.framework.variable": "Use tf.get_variable.",
    "contrib.image": "See tf.image.",
    "contrib.layers": "See tf.layers and tf.keras.layers.",
    "contrib.layers.apply_regularization": (
        "Give tf.get_variable a regularizer; tf.losses.get_regularization_loss adds up."
    ),
    "contrib.layers.avg_pool2d": "Use tf.layers.average_pooling2d.",
    "contrib.layers.batch_norm": "Use tf.layers.batch_normalization.",
    "contrib.layers.conv2d": (
        "Use tf.layers.conv2d with padding='same' and activation=tf.nn.relu."
    ),
    "contrib.layers.conv2d_transpose": (
        "Use tf.layers.conv2d_transpose with padding='same' and activation=tf.nn.relu."
    ),
    "contrib.layers.convolution2d": (
        "Use tf.layers.conv2d with padding='same' and activation=tf.nn.relu."
    ),
    "contrib.layers.dropout": (
        "Use tf.layers.dropout with training=True; contrib's keep_prob is 1 - rate."
    ),
    "contrib.layers.embed_sequence": "Use tf.nn.embedding_lookup.",
    "contrib.layers.flatten": "Use tf.layers.flatten.",
    "contrib.layers.fully_connected": (
        "Use tf.layers.dense with activation=tf.nn.relu."
    ),
    "contrib.layers.l1_regularizer": "Use tf.keras.regularizers.l1(scale).",
    "contrib.layers.l2_regularizer": (
        "Use tf.keras.regularizers.l2(0.5 * scale); contrib's has the factor 1/2 in it."
    ),
    "contrib.layers.layer_norm": "Use tf.keras.layers.LayerNormalization.",
    "contrib.layers.max_pool2d": "Use tf.layers.max_pooling2d.",
    "contrib.layers.one_hot_encoding": "Use tf.one_hot.",
    "contrib.layers.optimize_loss": (
        "Use the minimize method of an optimizer of tf.train."
    ),
    "contrib.layers.separable_conv2d": "Use tf.layers.separable_conv2d.",
    "contrib.layers.variance_scaling_initializer": (
        "Use tf.variance_scaling_initializer(scale=2.0)."
    ),
    "contrib.layers.xavier_initializer": "Use tf.glorot_uniform_initializer.",
    "contrib.layers.xavier_initializer_conv2d": "Use tf.glorot_uniform_initializer.",
    "contrib.learn": "It became tf.estimator.",
    "contrib.lookup": "See tf.lookup.",
    "contrib.lookup.HashTable": "Use tf.lookup.StaticHashTable.",
    "contrib.lookup.index_table_from_tensor": "Use tf.lookup.StaticVocabularyTable.",
    "contrib.losses": "Use tf.losses.",
    "contrib.metrics": "Use tf.metrics; contrib's names begin with streaming_.",
    "contrib.opt": "See the optimizers of tf.train.",
    "contrib.opt.MomentumWOptimizer": (
        "Use tf.train.MomentumOptimizer and subtract the decay in an assign_sub."
    ),
    "contrib.rnn": "Use tf.nn.rnn_cell.",
    "contrib.rnn.LayerNormBasicLSTMCell": NO_TWIN,
    "contrib.rnn.stack_bidirectional_dynamic_rnn": (
        "Use tf.nn.bidirectional_dynamic_rnn, once for each layer."
    ),
    "contrib.saved_model": "See tf.saved_model.",
    "contrib.seq2seq.sequence_loss": (
        "Use tf.losses.sparse_softmax_cross_entropy with weights=mask."
    ),
    "contrib.slim": "Write the model with tf.layers, or with tf.keras.layers.",
    "contrib.stateless": "Use the names of tf.random that begin with stateless_.",
    "contrib.tpu": "There is no TPU here. Use tf.estimator.Estimator.",
    "contrib.training": "See tf.train.",
    "contrib.training.HParams": "Use argparse.Namespace or types.SimpleNamespace.",
    "contrib.training.create_train_op": (
        "Use the minimize method of an optimizer of tf.train, below "
        "tf.control_dependencies of tf.GraphKeys.UPDATE_OPS."
    ),
    "contrib.training.train": "Use tf.train.MonitoredTrainingSession.",
    "contrib.util.make_tensor_proto": "Use tf.make_tensor_proto.",
    "data.experimental.CheckpointInputPipelineHook": (
        "Add tf.data.experimental.make_saveable_from_iterator(iterator) to the "
        "collection tf.GraphKeys.SAVEABLE_OBJECTS; a Saver then keeps its position."
    ),
    "data.experimental.MapVectorizationOptions": DROPPED,
    "data.experimental.StatsAggregator": PIPELINE_STATISTICS,
    "data.experimental.StatsOptions": PIPELINE_STATISTICS,
    "data.experimental.bytes_produced_stats": PIPELINE_STATISTICS,
    "data.experimental.latency_stats": PIPELINE_STATISTICS,
    **dict.fromkeys(
        (
            "estimator.BaselineClassifier",
            "estimator.BaselineEstimator",
            "estimator.BaselineRegressor",
            "estimator.BoostedTreesClassifier",
            "estimator.BoostedTreesEstimator",
            "estimator.BoostedTreesRegressor",
            "estimator.DNNClassifier",
            "estimator.DNNEstimator",
            "estimator.DNNLinearCombinedClassifier",
            "estimator.DNNLinearCombinedEstimator",
            "estimator.DNNLinearCombinedRegressor",
            "estimator.DNNRegressor",
            "estimator.LinearClassifier",
            "estimator.LinearEstimator",
            "estimator.LinearRegressor",
            "estimator.experimental.KMeans",
            "estimator.experimental.LinearSDCA",
            "estimator.experimental.dnn_logit_fn_builder",
            "estimator.experimental.linear_logit_fn_builder",
        ),
        CANNED,
    ),
    **dict.fromkeys(
        (
            "estimator.BinaryClassHead",
            "estimator.Head",
            "estimator.LogisticRegressionHead",
            "estimator.MultiClassHead",
            "estimator.MultiHead",
            "estimator.MultiLabelHead",
            "estimator.PoissonRegressionHead",
            "estimator.RegressionHead",
            "estimator.experimental.call_logit_fn",
        ),
        HEAD,
    ),
    "estimator.add_metrics": (
        "Return them as eval_metric_ops of tf.estimator.EstimatorSpec."
    ),
    "estimator.classifier_parse_example_spec": (
        "Use tf.feature_column.make_parse_example_spec, and add the label's feature."
    ),
    "estimator.experimental.InMemoryEvaluatorHook": (
        "Use tf.estimator.train_and_evaluate."
    ),
    "estimator.regressor_parse_example_spec": (
        "Use tf.feature_column.make_parse_example_spec, and add the label's feature."
    ),
    "estimator.tpu": "There is no TPU here. Use tf.estimator.Estimator.",
    "keras.experimental.PeepholeLSTMCell": (
        "Use tf.nn.rnn_cell.LSTMCell with use_peepholes=True."
    ),
    "keras.experimental.export_saved_model": (
        "Use tf.keras.models.save_model with save_format='tf'."
    ),
    "keras.experimental.load_from_saved_model": "Use tf.keras.models.load_model.",
    "keras.experimental.terminate_keras_multiprocessing_pools": DROPPED_BY_KERAS,
    "keras.utils.HDF5Matrix": f"{DROPPED_BY_KERAS} Read the file with h5py.",
    "keras.utils.convert_all_kernels_in_model": (
        f"{DROPPED_BY_KERAS} It served weights that Theano had trained."
    ),
    "keras.utils.multi_gpu_model": f"{DROPPED_BY_KERAS} See tf.distribute.",
    "keras.wrappers": (
        f"{DROPPED_BY_KERAS} scikit-learn takes any class with fit and predict."
    ),
    "lite.experimental.get_potentially_supported_ops": DROPPED,
    "lite.experimental.nn": DROPPED,
    "tpu.experimental.AdagradParameters": TPU,
    "tpu.experimental.AdamParameters": TPU,
    "tpu.experimental.StochasticGradientDescentParameters": TPU,
}
"""Names without "tf."; a name stands for all below it that are not listed."""
