"""Model families by their layers and their input; see `zoo`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import npu_lab.tf1 as tf
from tests.device.training import Kept
from tests.device.zoo_pieces import (
    BATCH,
    CLASSES,
    LABELS,
    LENGTHS,
    PIXELS,
    TIME,
    TOKENS,
    WIDTH,
    WORDS,
    ZEROS,
    accuracy,
    classifier,
    cross_entropy,
    dense,
    iterator_of,
    linear,
    sgd,
    weight,
)


def cnn_batch_norm(training: Any = True) -> Kept:
    def logits(x: Any) -> Any:
        image = tf.reshape(x, [-1, 4, 4, 1])
        kernel = tf.random_normal_initializer(stddev=0.3, seed=4)
        hidden = tf.layers.conv2d(
            image, 3, 3, padding="same", kernel_initializer=kernel, use_bias=False
        )
        hidden = tf.layers.batch_normalization(hidden, training=training)
        hidden = tf.layers.max_pooling2d(tf.nn.relu(hidden), 2, 2)
        return dense(tf.layers.flatten(hidden), CLASSES, "out")

    def minimize(loss: Any, optimizer: Any, count: Any) -> Any:
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            return optimizer.minimize(loss, global_step=count)

    return classifier(
        logits, lambda: tf.train.MomentumOptimizer(0.1, 0.9), minimize=minimize
    )


def cnn_batch_norm_switched() -> Kept:
    """Whether it trains is fed, as many scripts do."""
    training = tf.placeholder(tf.bool, [], name="training")
    model = cnn_batch_norm(training)
    model.feed = lambda opened: {training: True}
    return model


def recurrence_by_while_loop() -> Kept:
    def logits(x: Any) -> Any:
        steps = tf.transpose(tf.reshape(x, [BATCH, 4, 4]), [1, 0, 2])
        into, back = weight("into", 4, 6), weight("back", 6, 6, seed=2)
        sequence = tf.TensorArray(tf.float32, 4).unstack(steps)
        outputs = tf.TensorArray(tf.float32, 4)

        def one(i: Any, hidden: Any, outputs: Any) -> Any:
            hidden = tf.tanh(
                tf.matmul(sequence.read(i), into) + tf.matmul(hidden, back)
            )
            return i + 1, hidden, outputs.write(i, hidden)

        _, _, outputs = tf.while_loop(
            lambda i, *_: i < 4, one, [0, tf.zeros([BATCH, 6]), outputs]
        )
        return tf.matmul(
            tf.reduce_mean(outputs.stack(), 0), weight("out", 6, CLASSES, seed=3)
        )

    return classifier(logits)


def recurrent(cell: Callable[[], Any]) -> Callable[[], Kept]:
    def logits(tokens: Any, lengths: Any) -> Any:
        embedded = tf.nn.embedding_lookup(weight("words", WORDS, 6), tokens)
        outputs, _ = tf.nn.dynamic_rnn(
            cell(), embedded, sequence_length=lengths, dtype=tf.float32
        )
        return dense(tf.reduce_sum(outputs, 1), CLASSES, "out")

    return lambda: classifier(
        logits,
        lambda: tf.train.AdamOptimizer(0.02),
        (TOKENS, LENGTHS, LABELS),
    )


def lstm() -> Any:
    start_value = tf.random_uniform_initializer(-0.3, 0.3, seed=5)
    return tf.nn.rnn_cell.LSTMCell(5, initializer=start_value)


def grus() -> Any:
    start_value = tf.random_uniform_initializer(-0.3, 0.3, seed=6)
    cells = [tf.nn.rnn_cell.GRUCell(4, kernel_initializer=start_value) for _ in "ab"]
    return tf.nn.rnn_cell.MultiRNNCell(cells)


def recurrence_that_keeps_its_state() -> Kept:
    """Truncated back-propagation: the state lives in a variable between steps."""

    def logits(x: Any) -> Any:
        kept = tf.get_variable("kept", [BATCH, 6], trainable=False, initializer=ZEROS)
        new = tf.tanh(
            tf.matmul(x, weight("into", WIDTH, 6))
            + tf.matmul(kept, weight("back", 6, 6, seed=2))
        )
        with tf.control_dependencies([tf.assign(kept, new)]):
            return tf.matmul(new, weight("out", 6, CLASSES, seed=3))

    return classifier(logits)


def attention() -> Kept:
    def logits(tokens: Any, lengths: Any) -> Any:
        x = tf.nn.embedding_lookup(weight("words", WORDS, 8), tokens)
        q, k, v = (
            tf.einsum("btd,dhe->bthe", x, weight(name, 8, 2, 4, seed=i))
            for i, name in enumerate("qkv", 2)
        )
        scores = tf.einsum("bqhe,bkhe->bhqk", q, k) / 2.0
        mask = tf.sequence_mask(lengths, TIME, dtype=tf.float32)
        scores += (1.0 - mask[:, None, None, :]) * -1e4
        mixed = tf.einsum("bhqk,bkhe->bqhe", tf.nn.softmax(scores), v)
        x += tf.reshape(mixed, [BATCH, TIME, 8])
        mean, variance = tf.nn.moments(x, [-1], keep_dims=True)
        x = (x - mean) * tf.rsqrt(variance + 1e-6)
        return dense(x[:, 0], CLASSES, "out", activation=None)

    return classifier(
        logits, lambda: tf.train.AdamOptimizer(0.01), (TOKENS, LENGTHS, LABELS)
    )


def keras_layers() -> Kept:
    def logits(x: Any) -> Any:
        start_value = tf.keras.initializers.glorot_uniform(seed=3)
        hidden = tf.keras.layers.Dense(5, "tanh", kernel_initializer=start_value)(x)
        return tf.keras.layers.Dense(CLASSES, kernel_initializer=start_value)(hidden)

    return classifier(logits)


# --- embeddings and ragged input ---


def embedding(optimizer: Callable[[], Any]) -> Callable[[], Kept]:
    def logits(tokens: Any) -> Any:
        table = weight("words", WORDS, CLASSES)
        return tf.reduce_sum(tf.nn.embedding_lookup(table, tokens), 1)

    return lambda: classifier(logits, optimizer, (TOKENS, LABELS))


def embedding_lookup_sparse() -> Kept:
    def logits(tokens: Any, lengths: Any) -> Any:
        kept = tf.where(tf.sequence_mask(lengths, TIME))
        ids = tf.SparseTensor(
            kept, tf.gather_nd(tokens, kept), tf.constant([BATCH, TIME], tf.int64)
        )
        table = weight("words", WORDS, CLASSES)
        return tf.nn.embedding_lookup_sparse(table, ids, None, combiner="mean")

    return classifier(
        logits, lambda: tf.train.AdagradOptimizer(0.1), (TOKENS, LENGTHS, LABELS)
    )


def ragged_input() -> Kept:
    def logits(tokens: Any, lengths: Any) -> Any:
        words = tf.RaggedTensor.from_tensor(tokens, lengths=lengths)
        table = weight("words", WORDS, 4)
        mean = tf.reduce_mean(tf.ragged.map_flat_values(tf.gather, table, words), 1)
        return tf.matmul(mean, weight("out", 4, CLASSES, seed=2))

    return classifier(logits, columns=(TOKENS, LENGTHS, LABELS))


def padded_batches() -> Kept:
    """Rows of unequal length, padded to a fixed one by the Dataset."""
    data = tf.data.Dataset.from_tensor_slices((TOKENS, LENGTHS, LABELS))
    data = data.map(lambda words, length, label: (words[:length], length, label))
    data = data.repeat().padded_batch(BATCH, ([TIME], [], []), drop_remainder=True)
    iterator = tf.data.make_initializable_iterator(data)
    tokens, lengths, labels = iterator.get_next()
    vectors = tf.nn.embedding_lookup(weight("words", WORDS, CLASSES), tokens)
    mask = tf.sequence_mask(lengths, TIME, dtype=tf.float32)[:, :, None]
    logits = tf.reduce_sum(vectors * mask, 1)
    loss = cross_entropy(logits, labels)
    return Kept(sgd().minimize(loss), loss, [tokens], [iterator.initializer])


def noise_contrast() -> Kept:
    """Sampled negatives, as word2vec does; the sampler is a random operator."""
    iterator = iterator_of(TOKENS)
    (tokens,) = iterator.get_next()
    vectors = tf.nn.embedding_lookup(weight("words", WORDS, 4), tokens[:, 0])
    targets = tf.cast(tokens[:, 1:2], tf.int64)
    sampled = tf.random.log_uniform_candidate_sampler(
        targets, 1, 3, True, WORDS, seed=7
    )
    loss = tf.reduce_mean(
        tf.nn.nce_loss(
            weight("nce", WORDS, 4, seed=2),
            weight("bias", WORDS, seed=3),
            targets,
            vectors,
            3,
            WORDS,
            sampled_values=sampled,
        )
    )
    return Kept(sgd().minimize(loss), loss, [vectors], [iterator.initializer])


def table_in_the_model() -> Kept:
    iterator = iterator_of(TOKENS, LABELS)
    tokens, labels = iterator.get_next()
    keys = tf.constant([f"word{i}" for i in range(WORDS)])
    entries = tf.lookup.KeyValueTensorInitializer(keys, tf.range(WORDS))
    table = tf.lookup.StaticHashTable(entries, 0)
    ids = table.lookup(tf.string_join(["word", tf.as_string(tokens)]))
    logits = tf.reduce_sum(tf.nn.embedding_lookup(weight("w", WORDS, CLASSES), ids), 1)
    loss = cross_entropy(logits, labels)
    setup = [iterator.initializer, tf.tables_initializer()]
    return Kept(sgd().minimize(loss), loss, [ids], setup)


# --- kinds of iterators ---


def feedable_iterator() -> Kept:
    handle = tf.placeholder(tf.string, [], name="handle")
    chosen = iterator_of(PIXELS, LABELS)
    types, shapes = tf.int32, tf.TensorShape([BATCH])
    iterator = tf.data.Iterator.from_string_handle(
        handle, (tf.float32, types), (tf.TensorShape([BATCH, WIDTH]), shapes)
    )
    x, y = iterator.get_next()
    logits = linear(x)
    loss = cross_entropy(logits, y)
    return Kept(
        sgd().minimize(loss),
        loss,
        [accuracy(logits, y)],
        [chosen.initializer],
        lambda opened: {handle: opened.run(chosen.string_handle())},
    )
