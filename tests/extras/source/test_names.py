"""What an expression stands for, and what is not known."""

from __future__ import annotations

import pytest

pytest.importorskip("libcst")
import libcst as cst

from npu_lab.extras.source.names import Names, text_of
from npu_lab.extras.source.places import Positions
from npu_lab.extras.source.reading import parse

TF = "import tensorflow as tf\n"


def path(text, local=()):
    """The path of what stands between the last parentheses of `mark(...)`."""
    module = parse(text)
    names = Names(module, local)
    found = [
        node.args[0].value
        for node in names.nodes
        if isinstance(node, cst.Call) and text_of(node.func) == "mark"
    ]
    return names.path(found[-1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import tensorflow as t\nmark(t.Session)", "tf.Session"),
        ("import tensorflow.compat.v1 as t\nmark(t.Session)", "tf.Session"),
        ("import tensorflow as t\nmark(t.compat.v1.Session)", "tf.Session"),
        ("import tensorflow.keras.layers as L\nmark(L.Dense)", "tf.keras.layers.Dense"),
        ("from tensorflow.keras import layers\nmark(layers.Dense)",
         "tf.keras.layers.Dense"),
        ("import horovod.keras as h\nmark(h.rank)", "hvd.rank"),
        ("import horovod.torch as h\nmark(h.rank)", "horovod.torch.rank"),
        ("from . import x\nmark(x.y)", ".x.y"),
        ("import a.b\nmark(a.b.c)", "a.b.c"),
        ("mark(print)", "builtins.print"),
        ("mark([1])", "builtins.literal"),
        (TF + "s = tf.Session()\nmark(s)", "tf.Session()"),
        (TF + "with tf.Session() as s:\n    mark(s)", "tf.Session()"),
        (TF + "v = tf.train.Supervisor()\nwith v.managed_session() as s:\n    mark(s)",
         "tf.Session()"),
        (TF + "m = tf.keras.models.load_model(p)\nmark(m)", "tf.keras.Model()"),
        (TF + "e = tf.estimator.DNNClassifier()\nmark(e)", "tf.estimator.Estimator()"),
        (TF + "a, b = tf.Session(), 3\nmark(a)", "tf.Session()"),
        (TF + "a, b = f()\nmark(a)", None),
        (TF + "def f(x):\n    mark(x)", None),
        (TF + "def f(x: tf.Session):\n    mark(x)", "tf.Session()"),
        (TF + "x = tf.Session()\nx = 3\nmark(x)", None),
        (TF + "x = 3\ndef f():\n    global x\n    x = tf.Session()\nmark(x)", None),
        (TF + "[mark(tf) for tf in y]", None),
        (TF + "class A:\n    tf = 3\n    def f(self):\n        mark(tf)", "tf"),
        (TF + "class A:\n    tf = None or 3\n    mark(tf)", None),
        (TF + "class A(tf.keras.Model):\n    pass\nmark(A().fit)",
         "tf.keras.Model().fit"),
        (TF + "class A(tf.keras.Model):\n    def fit(self): pass\nmark(A().fit)",
         "def@0"),
        (TF + "class A(tf.keras.Model):\n    def f(self):\n        mark(super().fit)",
         "tf.keras.Model().fit"),
        ("from npu_bridge.npu_init import *\nmark(tf.abs)", "tf.abs"),
        ("from npu_bridge.npu_init import *\nmark(npu_ops)", "npu.npu_ops"),
        ("from npu_bridge.npu_init import npu_ops\nmark(npu_ops)", "npu.npu_ops"),
        ("from other import *\nmark(tf.abs)", None),
        ("x = x\nmark(x)", None),
        ("def f(): return g()\ndef g(): return f()\nmark(f())", None),
    ],
)  # fmt: skip
def test_a_path(text, expected):
    assert path(text) == expected


def test_what_a_module_of_the_project_gives_is_not_known():
    text = "import data\nmark(data.make())"
    assert path(text, local={"data"}) is None
    assert path(text) == "data.make()"


def test_places_count_characters_as_the_parser_does():
    text = "# 中文\n\f\nx = '中文', f(1)\nif x:\n\tg()\r\n\th(\n  i())\n"
    module = parse(text)
    positions = Positions(module)
    found = {
        text_of(node.func): positions.of(node)
        for node in Names(module).nodes
        if isinstance(node, cst.Call)
    }
    assert found == {"f": (3, 11), "g": (5, 2), "h": (6, 2), "i": (7, 3)}


def test_a_thousand_names_deep_is_no_error():
    text = (
        TF + "x0 = tf.Session()\n" + "".join(f"x{n + 1} = x{n}\n" for n in range(1000))
    )
    assert path(text + "mark(x1000)") in {"tf.Session()", None}
