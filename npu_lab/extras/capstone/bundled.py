"""The scripts that one can pick, and how each can be mended after the tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("scripts")
Text = Mapping[str, str]
STEPS = 400

_SESSION = "with tf.Session(config=npu_config_proto()) as sess:"
_CONFIGURED = """\
config = npu_config_proto()
custom_op = config.graph_options.rewrite_options.custom_optimizers[0]
custom_op.parameter_map["enable_data_pre_proc"].b = True
custom_op.parameter_map["iterations_per_loop"].i = 10

with tf.Session(config=config) as sess:"""
_LOOP = """\
    sess.run(iterator.initializer)
    train_op = util.set_iteration_per_loop(sess, train_op, 10)
    for step in range(STEPS // 10):"""


@dataclass(frozen=True)
class Script:
    """One script.

    Attributes:
        title: what it trains.
        faults: how many places keep it from the goal once the tool has moved it.
        edits: what mends it after the tool: pieces of its text, and what they become.
    """

    title: Text
    faults: int
    edits: Mapping[str, str]


SCRIPTS: Mapping[str, Script] = {
    "one_shot": Script(
        {
            "en": "softmax regression, a one-shot iterator",
            "zh": "softmax 回归，OneShotIterator",
        },
        3,
        {
            "images, labels = tf.data.make_one_shot_iterator(data).get_next()": (
                "iterator = tf.data.make_initializable_iterator(data)\n"
                "images, labels = iterator.get_next()"
            ),
            _SESSION: _CONFIGURED,
            "    for step in range(STEPS):": _LOOP,
        },
    ),
    "fed": Script(
        {"en": "a hidden layer, fed batches", "zh": "一个隐藏层，用 feed_dict 送数据"},
        4,
        {
            "images = tf.placeholder(tf.float32, [None, 784])\n"
            "labels = tf.placeholder(tf.int64, [None])": (
                'answers = digits.labels.astype("int64")\n'
                "data = tf.data.Dataset.from_tensor_slices((digits.images, answers))\n"
                "data = data.repeat().batch(BATCH, drop_remainder=True)\n"
                "iterator = tf.data.make_initializable_iterator(data)\n"
                "images, labels = iterator.get_next()"
            ),
            _SESSION: _CONFIGURED,
            "    for step in range(STEPS):\n"
            "        first = step * BATCH % len(digits.images)\n"
            "        batch = digits.images[first : first + BATCH]\n"
            "        answers = digits.labels[first : first + BATCH]\n"
            "        sess.run(train_op, feed_dict={images: batch, labels: answers})": (
                f"{_LOOP}\n        sess.run(train_op)"
            ),
        },
    ),
    "half_way": Script(
        {
            "en": "softmax regression, begun to be moved by hand",
            "zh": "softmax 回归，手工迁移了一半",
        },
        4,
        {
            'custom_op.parameter_map["use_off_line"].b = True\n'
            'custom_op.parameter_map["iterations_per_loop"].i = 20': (
                'custom_op.parameter_map["use_off_line"].b = True\n'
                'custom_op.parameter_map["enable_data_pre_proc"].b = True\n'
                'custom_op.parameter_map["iterations_per_loop"].i = 20'
            ),
            "    loop_op = util.set_iteration_per_loop(sess, train_op, 10)": (
                "    train_op = util.set_iteration_per_loop(sess, train_op, 20)"
            ),
            "range(STEPS)": "range(STEPS // 20)",
        },
    ),
    "estimator": Script(
        {
            "en": "an Estimator that saves every 125 steps",
            "zh": "Estimator，每 125 步保存一次",
        },
        2,
        {
            "config = tf.estimator.RunConfig(\n"
            '    model_dir="model", tf_random_seed=4, save_checkpoints_steps=125,'
            " save_summary_steps=0\n)": (
                'os.environ["JOB_ID"] = "10086"\n'
                "config = NPURunConfig(\n"
                '    model_dir="model",\n'
                "    tf_random_seed=4,\n"
                "    save_checkpoints_steps=200,\n"
                "    save_summary_steps=0,\n"
                "    iterations_per_loop=10,\n)"
            ),
            "estimator = tf.estimator.Estimator(model_fn,"
            " config=npu_run_config_init(run_config=config))": (
                "estimator = NPUEstimator(model_fn, config=config)"
            ),
        },
    ),
    "too_large": Script(
        {
            "en": "energies of pixels in mixed precision",
            "zh": "混合精度下的像素能量",
        },
        1,
        {
            "    energy = tf.square(255 * images)\n"
            "    wide = tf.layers.dense(energy, 10, None, False, start)\n"
            "    scores = wide / 65025": (
                "    energy = tf.square(images)\n"
                "    scores = tf.layers.dense(energy, 10, None, False, start)"
            ),
        },
    ),
}


def text_of(name: str) -> str:
    """A script as one picks it."""
    return (FOLDER / f"{name}.txt").read_text("utf-8")


def before(name: str) -> str:
    """The script as it was on the GPU: whose numbers count."""
    path = FOLDER / f"{name}.before.txt"
    return path.read_text("utf-8") if path.exists() else text_of(name)
