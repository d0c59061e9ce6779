"""Programs written for TensorFlow 1.15 run as they are, without a line on stderr."""

from __future__ import annotations

DATA = """
import os
import tempfile
import numpy as np

folder = tempfile.mkdtemp(dir=".")
random = np.random.RandomState(0)
images = random.rand(200, 16).astype("float32")
labels = np.eye(10, dtype="float32")[random.randint(0, 10, 200)]
"""


def program(start, body):
    return start + DATA + body


def test_softmax_with_saver_supervisor_summaries_and_monitored_session(run):
    source = """
x = tf.placeholder(tf.float32, [None, 16])
y = tf.placeholder(tf.float32, [None, 10])
W = tf.Variable(tf.zeros([16, 10]))
b = tf.get_variable("b", [10], initializer=tf.zeros_initializer())
pred = tf.nn.softmax(tf.matmul(x, W) + b)
cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(pred), reduction_indices=1))
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.5).minimize(cost, global_step=step)
init = tf.global_variables_initializer()
saver = tf.train.Saver()
tf.summary.scalar("cost", cost)
merged = tf.summary.merge_all()
feed = {x: images, y: labels}
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(init)
    first = sess.run(cost, feed)
    assert abs(first - np.log(10)) < 1e-5
    writer = tf.summary.FileWriter(folder + "/summaries", sess.graph)
    for i in range(5):
        _, summary = sess.run([train, merged], feed_dict=feed)
        writer.add_summary(summary, i)
    writer.close()
    assert sess.run(cost, feed) < first
    saver.save(sess, folder + "/model", global_step=step)
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    sess.run(train, feed, options=options, run_metadata=metadata)
    assert metadata.step_stats.dev_stats
with tf.Session() as sess:
    saver.restore(sess, tf.train.latest_checkpoint(folder))
    assert sess.run(step) == 5
supervisor = tf.train.Supervisor(logdir=folder + "/sv", init_op=init, summary_op=None)
with supervisor.managed_session() as sess:
    sess.run(train, feed)

with tf.Graph().as_default():
    data = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(50, seed=1)
    data = data.repeat().batch(20, drop_remainder=True).map(lambda a, c: (a * 2.0, c))
    iterator = data.prefetch(2).make_initializable_iterator()
    x, y = iterator.get_next()
    assert x.shape[0].value == 20
    W = tf.Variable(tf.zeros([16, 10]))
    cost = tf.losses.softmax_cross_entropy(y, tf.matmul(x, W))
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.1, step, 10, 0.9)
    train = tf.train.MomentumOptimizer(rate, 0.9).minimize(cost, global_step=step)
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=folder + "/monitored",
        hooks=[tf.train.StopAtStepHook(last_step=7), tf.train.NanTensorHook(cost)],
        save_summaries_steps=2,
        log_step_count_steps=3,
    ) as sess:
        while not sess.should_stop():
            sess.run(train)
assert tf.train.load_variable(folder + "/monitored", "global_step") == 7
"""
    start = "from npu_lab.tf1 import view; view.install(); import tensorflow as tf"
    run(program(start, source))


def test_layers_cells_keras_and_control_flow(run):
    source = """
data = tf.data.Dataset.from_tensor_slices((images, labels)).repeat().batch(20)
iterator = tf.data.make_initializable_iterator(data)
x, y = iterator.get_next()
hidden = tf.layers.dense(x, 8, activation=tf.nn.relu)
hidden = tf.layers.batch_normalization(hidden, training=True)
hidden = tf.layers.dropout(hidden, 0.5, training=True)
hidden = tf.reshape(hidden, [-1, 4, 2, 1])
hidden = tf.layers.conv2d(hidden, 4, 2, padding="same")
hidden = tf.layers.max_pooling2d(hidden, 2, 1)
logits = tf.layers.dense(tf.layers.flatten(hidden), 10)
cost = tf.losses.softmax_cross_entropy(y, logits)
accuracy, update = tf.metrics.accuracy(tf.argmax(y, 1), tf.argmax(logits, 1))
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = tf.train.AdamOptimizer().minimize(cost)
assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 2
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    sess.run(iterator.initializer)
    sess.run([train, update])
    assert np.isfinite(sess.run(cost))

tf.reset_default_graph()
cell = tf.nn.rnn_cell
cells = cell.MultiRNNCell([
    cell.DropoutWrapper(cell.BasicLSTMCell(4), 0.5),
    cell.GRUCell(4),
    cell.LSTMCell(4, use_peepholes=True),
])
pictures = tf.reshape(tf.constant(images), [200, 4, 4])
outputs, state = tf.nn.dynamic_rnn(cells, pictures, dtype=tf.float32)
gradient = tf.gradients(outputs, tf.trainable_variables())
tf.nn.static_rnn(cell.BasicRNNCell(3), [tf.constant(images)], dtype=tf.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    assert sess.run([outputs, gradient])[0].shape == (200, 4, 4)

tf.reset_default_graph()
layers = tf.keras.layers
model = tf.keras.Sequential([
    layers.Dense(8, input_shape=(16,), activation="relu"),
    layers.BatchNormalization(),
    layers.Dense(10, activation="softmax"),
])
model.compile(tf.keras.optimizers.Adam(), "categorical_crossentropy", ["accuracy"])
history = model.fit(images, labels, epochs=1, batch_size=50, verbose=0).history
assert sorted(history) == ["acc", "loss"]
model.save(folder + "/model.h5")
again = tf.keras.models.load_model(folder + "/model.h5")
assert np.array_equal(again.predict(images), model.predict(images))
model.fit_generator(((images, labels) for _ in range(3)), steps_per_epoch=2, verbose=0)
tf.keras.backend.set_learning_phase(1)
assert isinstance(tf.keras.backend.get_session(), tf.Session)
tf.keras.backend.clear_session()

tf.disable_v2_behavior()
count = tf.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)])
doubled = tf.cond(tf.less(count, 9), lambda: count * 2, lambda: count)
python = tf.py_func(lambda a: a + 1, [doubled], tf.int32)
array = tf.TensorArray(tf.int32, 2).write(0, python).write(1, count).stack()
with tf.Session() as sess:
    assert sess.run(array).tolist() == [11, 5]
"""
    run(program("import npu_lab.tf1 as tf", source))


def test_a_training_script_of_the_vendors_guide_reads_the_tutorial_data(run, tmp_path):
    (tmp_path / "helper.py").write_text(
        "import tensorflow as tf\n"
        "def softmax(x):\n"
        "    return tf.nn.softmax(tf.layers.dense(x, 10, name='last'))\n",
        "utf-8",
    )
    run(
        """
        from npu_lab.tf1 import view
        view.install()
        import contextlib, io
        with contextlib.redirect_stdout(io.StringIO()):
            import input_data
            mnist = input_data.read_data_sets("no_such_folder", one_hot=True)
        import tensorflow as tf
        from helper import softmax
        x = tf.placeholder(tf.float32, [None, 784])
        y = tf.placeholder(tf.float32, [None, 10])
        cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(softmax(x)), axis=1))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(cost)
        costs = []
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(30):
                images, labels = mnist.train.next_batch(100)
                costs.append(sess.run([train, cost], {x: images, y: labels})[1])
        assert costs[-1] < costs[0]
        """
    )
