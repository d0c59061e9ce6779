"""Arguments by position and by keyword, and names by every way of import."""

from __future__ import annotations

import pytest

pytest.importorskip("libcst")

from npu_lab.extras.migrate.engine import migrate
from npu_lab.extras.migrate.finding import Options

NPU = "from npu_bridge.npu_init import *\n"
TF = "import tensorflow as tf\n"
STRATEGY = {"mode": "tf_strategy"}
HOROVOD = {"mode": "horovod"}


def outcome(text, **facts):
    return migrate(text, Options(**facts), "a.py")


def said(text, **facts):
    return [(f.rule, f.level, f.reason) for f in outcome(text, **facts).findings]


# What stands in the call, and what it becomes.
CALLS = [
    ("tf.Session()", "tf.Session(config=npu_config_proto())"),
    ("tf.Session('', g)", "tf.Session('', g, config=npu_config_proto())"),
    ("tf.Session('', g, c)",
     "tf.Session('', g, config=npu_config_proto(config_proto=c))"),
    ("tf.Session(config=c, graph=g)",
     "tf.Session(config=npu_config_proto(config_proto=c), graph=g)"),
    ("tf.train.SingularMonitoredSession(h, None, '', c)",
     "tf.train.SingularMonitoredSession(h, None, '',"
     " config=npu_config_proto(config_proto=c))"),
    ("tf.train.MonitoredTrainingSession(m, True, d, s, h, c, 1, 2, 3, cfg, 5)",
     "tf.train.MonitoredTrainingSession(m, True, d, s, h, c, 1, 2, 3,"
     " npu_config_proto(config_proto=cfg), 5)"),
    ("tf.train.Supervisor(logdir=d).managed_session(m, c)",
     "tf.train.Supervisor(logdir=d).managed_session(m,"
     " config=npu_config_proto(config_proto=c))"),
    ("tf.contrib.slim.learning.train(t, d, session_config=c)",
     "tf.contrib.slim.learning.train(t, d,"
     " session_config=npu_config_proto(config_proto=c))"),
    ("tf.estimator.Estimator(fn, 'dir', rc)",
     "tf.estimator.Estimator(fn, 'dir', npu_run_config_init(run_config=rc))"),
    ("tf.estimator.Estimator(model_fn=fn)",
     "tf.estimator.Estimator(model_fn=fn, config=npu_run_config_init())"),
    ("tf.estimator.DNNClassifier([1], f, config=rc)",
     "tf.estimator.DNNClassifier([1], f, config=npu_run_config_init(run_config=rc))"),
    ("tf.nn.dropout(x, 0.5)", "npu_ops.dropout(x, 0.5)"),
    ("tf.nn.dropout(x, keep_prob=p)", "npu_ops.dropout(x, keep_prob=p)"),
    ("tf.nn.dropout(x, rate=r)", "npu_ops.dropout(x, keep_prob=1 - r)"),
    ("tf.nn.dropout(x, rate=a - b)", "npu_ops.dropout(x, keep_prob=1 - (a - b))"),
    ("tf.nn.dropout(x, rate=0.5 if t else 0.)",
     "npu_ops.dropout(x, keep_prob=1 - (0.5 if t else 0.))"),
    ("tf.nn.dropout(x, rate=a or b)", "npu_ops.dropout(x, keep_prob=1 - (a or b))"),
    ("tf.train.experimental.FixedLossScale(128)", "FixedLossScaleManager(128)"),
    ("tf.train.experimental.DynamicLossScale(1, 2, 3)",
     "ExponentialUpdateLossScaleManager(init_loss_scale=1, incr_every_n_steps=2,"
     " incr_ratio=3)"),
]  # fmt: skip
PLAIN = [
    ("tf.device('/gpu:0')", "tf.device('/cpu:0')"),
    ("tf.device(device_name_or_function='/gpu:0')",
     "tf.device(device_name_or_function='/cpu:0')"),
    ("tf.config.experimental.VirtualDeviceConfiguration(1024)",
     "tf.config.experimental.VirtualDeviceConfiguration(None)"),
    ("tf.config.experimental.VirtualDeviceConfiguration()",
     "tf.config.experimental.VirtualDeviceConfiguration(memory_limit=None)"),
    ("tf.config.set_soft_device_placement(enabled=False)",
     "tf.config.set_soft_device_placement(enabled=True)"),
    ("tf.xla.experimental.jit_scope(True)", "tf.xla.experimental.jit_scope(False)"),
    ("tf.estimator.RunConfig('d', 1)",
     "tf.estimator.RunConfig('d', 1, save_summary_steps=0)"),
    ("tf.estimator.RunConfig('d', 1, 100)", "tf.estimator.RunConfig('d', 1, 100)"),
    ("tf.data.Dataset.range(9).batch(8, False)",
     "tf.data.Dataset.range(9).batch(8, True)"),
    ("tf.data.Dataset.range(9).batch(8, True)",
     "tf.data.Dataset.range(9).batch(8, True)"),
    ("tf.data.Dataset.range(9).batch(drop_remainder=False, batch_size=8)",
     "tf.data.Dataset.range(9).batch(drop_remainder=True, batch_size=8)"),
    ("tf.data.Dataset.range(9).padded_batch(8, s, 0, False)",
     "tf.data.Dataset.range(9).padded_batch(8, s, 0, True)"),
    ("tf.data.experimental.map_and_batch(f, 8, 4, False)",
     "tf.data.experimental.map_and_batch(f, 8, 4, True)"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), CALLS)
def test_a_call(before, after):
    assert outcome(f"{TF}x = {before}\n").text == f"{NPU}{TF}x = {after}\n"


@pytest.mark.parametrize(("before", "after"), PLAIN)
def test_a_call_that_needs_no_import(before, after):
    assert outcome(f"{TF}x = {before}\n").text == f"{TF}x = {after}\n"


STRATEGY_CALLS = [
    ("m.compile(optimizer=o)",
     "m.compile(optimizer=npu_distributed_optimizer_wrapper(optimizer=o))"),
    ("m.compile('sgd', 'mse')",
     "m.compile(npu_distributed_optimizer_wrapper(optimizer='sgd'), 'mse')"),
    ("m.compile()", "m.compile(optimizer=npu_distributed_optimizer_wrapper())"),
    ("m.fit(x, y, 8, 1, 1, cb)",
     "m.fit(x, y, 8, 1, 1, npu_callbacks_append(callbacks_list=cb))"),
    ("m.fit(x, y)", "m.fit(x, y, callbacks=npu_callbacks_append())"),
    ("m.fit_generator(g, callbacks=cb)",
     "m.fit_generator(g, callbacks=npu_callbacks_append(callbacks_list=cb))"),
    ("e.train(f, h)", "e.train(f, npu_hooks_append(hooks_list=h))"),
    ("tf.estimator.TrainSpec(f, 9, h)",
     "tf.estimator.TrainSpec(f, 9, npu_hooks_append(hooks_list=h))"),
    ("tf.estimator.EvalSpec(f, 9, hooks=h)",
     "tf.estimator.EvalSpec(f, 9, hooks=npu_hooks_append(hooks_list=h))"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), STRATEGY_CALLS)
def test_a_call_with_a_strategy(before, after):
    made = (
        "m = tf.keras.Sequential([])\n"
        "e = tf.estimator.Estimator(fn, config=npu_run_config_init())\n"
    )
    text = outcome(f"{TF}{made}{before}\n", **STRATEGY).text
    assert text == f"{NPU}{TF}{made}{after}\n"


# Ways of import, and how the session is then called.
SPELLINGS = [
    ("import tensorflow as tf", "tf.Session"),
    ("import tensorflow", "tensorflow.Session"),
    ("import tensorflow.compat.v1 as tf1", "tf1.Session"),
    ("import tensorflow.compat.v1", "tensorflow.compat.v1.Session"),
    ("from tensorflow import Session", "Session"),
    ("from tensorflow import Session as S", "S"),
    ("from tensorflow.compat import v1", "v1.Session"),
    ("from tensorflow.compat.v1 import InteractiveSession", "InteractiveSession"),
    ("import tensorflow as tf\nmake = tf.Session", "make"),
    ("import tensorflow as tf\nother = tf", "other.Session"),
    ("try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n"
     "    import tensorflow as tf", "tf.Session"),
    ("try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None",
     "tf.Session"),
    ("import tensorflow as tf\nfrom tensorflow.python.client.session import Session",
     "Session"),
]  # fmt: skip


@pytest.mark.parametrize(("imported", "name"), SPELLINGS)
def test_a_session_by_any_name(imported, name):
    text = outcome(f"{imported}\ns = {name}()\n").text
    assert f"s = {name}(config=npu_config_proto())\n" in text


NOT_OURS = [
    "import requests\nimport tensorflow as tf\ns = requests.Session()\n",
    "from requests import Session\nimport tensorflow as tf\ns = Session()\n",
    "import tensorflow as tf\n\n\nclass Session:\n    pass\n\n\ns = Session()\n",
    "import tensorflow as tf\n\n\ndef f(tf):\n    return tf.Session()\n",
    "import tensorflow as tf\ntf = object()\ns = tf.Session()\n",
    "import re\nimport tensorflow as tf\np = re.compile('x')\n",
    "import regex\nimport tensorflow as tf\np = regex.compile('y')\n",
    "import tensorflow as tf\nc = compile(s, 'f', 'exec')\n",
    "import builtins\nimport tensorflow as tf\nc = builtins.compile(s, 'f', 'exec')\n",
    "from sklearn.svm import SVC\nimport tensorflow as tf\nc = SVC()\nc.fit(x, y)\n",
    "import tensorflow as tf\nimport torch\nd = torch.device('cuda')\n",
    "import tensorflow as tf\nimport pyspark\nb = pyspark.get().batch(3)\n",
    "import tensorflow as tf\nimport os\nh = os.environ.get('HOME')\n",
    "import tensorflow as tf\nimport torch.nn as nn\ny = nn.dropout(x, 0.5)\n",
    "import tensorflow as tf\nfrom other import create_Optimizer\n"
    "o = create_Optimizer(loss)\n",
    "import torch\nimport tensorflow as tf\n\n\ndef gelu(x):\n"
    "    return x * torch.tanh(x)\n",
    "import horovod.torch as hvd\nimport tensorflow as tf\nhvd.init()\n",
    "import tensorflow as tf\nbatches = [].batch(3)\n",
    "import tensorflow as tf\nb = tf.train.batch([x], 8)\n",
]


@pytest.mark.parametrize("mode", ["", "tf_strategy", "horovod"])
@pytest.mark.parametrize("text", NOT_OURS)
def test_what_is_another_librarys_stays(text, mode):
    made = outcome(text, mode=mode)
    assert made.text == text
    assert not [f for f in made.findings if f.rule != "API"]


STARRED = [
    "tf.Session(*a)", "tf.Session(**kw)", "tf.estimator.Estimator(fn, **kw)",
    "tf.nn.dropout(x, **kw)", "tf.device(*a)", "tf.data.Dataset.range(9).batch(*a)",
    "tf.train.experimental.FixedLossScale(**kw)", "tf.estimator.RunConfig(**kw)",
    "tf.contrib.tpu.TPUEstimator(*a)", "tf.train.MonitoredTrainingSession(**kw)",
]  # fmt: skip


@pytest.mark.parametrize("call", STARRED)
def test_hidden_arguments_are_reported_and_left(call):
    text = f"{TF}x = {call}\n"
    made = outcome(text)
    assert made.text == text
    assert {f.reason for f in made.findings if f.level == "hand"} == {"starred"}


UNKNOWN = [
    ("", "def f(ds):\n    return ds.batch(8)\n"),
    ("", "from local import make\nds = make().batch(8)\n"),
    ("", "def f(sv):\n    return sv.managed_session(m)\n"),
    ("tf_strategy", "def f(model):\n    model.fit(x, epochs=3)\n"),
    ("tf_strategy", "def f(model):\n    model.compile(optimizer='sgd')\n"),
    ("tf_strategy", "def f(e):\n    e.train(input_fn=g)\n"),
    ("tf_strategy", "from local import MyOptimizer\no = MyOptimizer(.1)\n"),
    ("horovod", "def f(ds):\n    return ds.shard(2, 0)\n"),
]


@pytest.mark.parametrize(("mode", "text"), UNKNOWN)
def test_an_unknown_receiver_is_reported_and_left(mode, text):
    made = outcome(TF + text, mode=mode, local=frozenset({"local"}))
    assert made.text == TF + text
    assert [f.reason for f in made.findings] == ["receiver unknown"]


RECEIVERS = [
    "ds = tf.data.TFRecordDataset(f).map(g)\nx = ds.batch(8{})\n",
    "def make():\n    return tf.data.Dataset.range(9)\n\n\nx = make().batch(8{})\n",
    "def f(ds: tf.data.Dataset):\n    return ds.batch(8{})\n",
    "class A:\n    def __init__(self):\n        self.ds = tf.data.Dataset.range(9)\n\n"
    "    def b(self):\n        return self.ds.batch(8{})\n",
    "from tensorflow.data import Dataset as D\nx = D.range(9).batch(8{})\n",
    "ds = tf.data.Dataset.range(9)\nfor _ in y:\n    ds = ds.map(f)\n"
    "x = ds.batch(8{})\n",
    "ds = tf.data.Dataset.range(9) if a else tf.data.Dataset.range(8)\n"
    "x = (ds\n     .shuffle(3)  # mixed\n     .batch(8{}))\n",
    "x = (lambda d: d)(tf.data.Dataset.range(9).batch(8{}))\n",
]


@pytest.mark.parametrize("text", RECEIVERS)
def test_a_data_set_is_known_however_it_was_made(text):
    made = outcome(TF + text.format(""))
    assert made.text == TF + text.format(", drop_remainder=True")


@pytest.mark.parametrize(
    "text",
    [
        "def eval_input_fn():\n    return tf.data.Dataset.range(9).batch(8)\n",
        "test_ds = tf.data.Dataset.range(9).batch(8)\n",
        "def predict():\n    return tf.data.Dataset.range(9).batch(8, False)\n",
        "def f(flag):\n    return tf.data.Dataset.range(9).batch(8, flag)\n",
    ],
)
def test_no_sample_is_lost_without_being_asked(text):
    made = outcome(TF + text)
    assert made.text == TF + text
    assert [(f.rule, f.level) for f in made.findings] == [("B1", "warning")]


def test_a_switch_for_training_decides():
    text = "def f(is_training):\n    return tf.data.Dataset.range(9).batch(8{})\n"
    made = outcome(TF + text.format(""))
    assert made.text == TF + text.format(", drop_remainder=is_training")


@pytest.mark.parametrize("name", ["npu_config_proto", "npu_ops"])
def test_a_script_that_has_the_adapters_names_is_left(name):
    text = f"{TF}{name} = 3\ns = tf.Session()\ny = tf.nn.dropout(x, .5)\n"
    assert ("hand", "name taken") in [(lv, why) for _, lv, why in said(text)]


def test_what_a_hand_has_configured_is_left():
    text = (
        f"{NPU}{TF}config = tf.ConfigProto()\n"
        "op = config.graph_options.rewrite_options.custom_optimizers.add()\n"
        "op.name = 'NpuOptimizer'\ns = tf.Session(config=config)\n"
    )
    assert outcome(text).text == text


def test_an_optimizer_is_wrapped_once():
    text = (
        f"{TF}m = tf.keras.Sequential([])\n"
        "m.compile(optimizer=tf.train.AdamOptimizer(.1))\n"
    )
    made = outcome(text, **STRATEGY).text
    assert made.count("npu_distributed_optimizer_wrapper(") == 1


def test_gradients_of_a_penalty_are_left():
    assert said(f"{TF}g = tf.gradients(d, x)\n", **STRATEGY) == [
        ("O2", "hand", "gradients not applied")
    ]


def test_sharding_is_left_without_a_mode():
    text = f"{TF}ds = tf.data.Dataset.range(9).shard(3, 1)\n"
    assert outcome(text).text == text
