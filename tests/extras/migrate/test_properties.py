"""Programs made at random: the result parses, and a second run finds nothing."""

from __future__ import annotations

import ast

import pytest

pytest.importorskip("libcst")
from hypothesis import given, settings
from hypothesis import strategies as st

from npu_lab.extras.migrate import files
from npu_lab.extras.migrate.engine import migrate
from npu_lab.extras.migrate.finding import Options
from npu_lab.extras.migrate.rules import RULES

IMPORTS = st.sampled_from(
    [
        "import tensorflow as tf", "import tensorflow.compat.v1 as tf",
        "from tensorflow.compat import v1 as tf", "import numpy as np",
        "from tensorflow import keras", "import horovod.tensorflow as hvd",
        "import os, sys", "from keras import backend as K",
    ]
)  # fmt: skip
VALUES = st.recursive(
    st.sampled_from(["x", "c", "None", "0.5", "'s'", "a - b", "[x]", "lambda: x"]),
    lambda inner: st.one_of(
        st.builds("({})".format, inner),
        st.builds("{} if x else {}".format, inner, inner),
        st.builds(
            "{}({})".format,
            st.sampled_from(
                [
                    "tf.Session", "tf.InteractiveSession", "tf.GraphOptions",
                    "tf.device",
                    "tf.OptimizerOptions", "tf.estimator.Estimator", "tf.nn.dropout",
                    "tf.estimator.RunConfig", "tf.train.AdamOptimizer", "hvd.rank",
                    "tf.data.Dataset.range(9).batch", "hvd.DistributedOptimizer",
                    "tf.data.Dataset.range(9).shard", "K.clear_session",
                    "hvd.allreduce",
                    "tf.train.MonitoredTrainingSession", "tf.contrib.tpu.TPUEstimator",
                    "tf.keras.layers.Dropout", "tf.keras.Sequential([]).fit",
                    "tf.keras.optimizers.Adam", "tf.train.experimental.FixedLossScale",
                    "tf.distribute.MirroredStrategy", "unknown.batch", "unknown.fit",
                    "tf.train.experimental.MixedPrecisionLossScaleOptimizer",
                    "tf.config.experimental.set_memory_growth", "tf.gradients",
                ]
            ),
            st.lists(
                st.one_of(
                    inner,
                    st.builds(
                        "{}={}".format,
                        st.sampled_from(["config", "rate", "keep_prob", "graph"]),
                        inner,
                    ),
                    st.just("*x"),
                    st.just("**c"),
                ),
                max_size=3,
            ).map(", ".join),
        ),
    ),
    max_leaves=6,
)  # fmt: skip
STATEMENTS = st.one_of(
    st.builds("x = {}".format, VALUES),
    st.builds("{}  # said".format, VALUES),
    st.builds("with {} as s:\n    pass".format, VALUES),
    st.builds(
        "def eval_fn(x, is_training):\n    # why\n\n    return {}".format, VALUES
    ),
    st.builds("class A(tf.keras.Model):\n    y = {}\n\n\n".format, VALUES),
    st.builds("if __name__ == '__main__':\n    y = {}\n".format, VALUES),
    st.builds("if __name__ == '__main__': y = {}; z = 1".format, VALUES),
    st.sampled_from(
        ["hvd.init()", "hvd.init(); hvd.shutdown()", "def gelu(x): return tf.erf(x)",
         "\f", "try:\n    import horovod.tensorflow as hvd\nexcept ImportError: pass",
         "tf = None", "npu_ops = 1", "if x:\n\thvd.init()", "def f(): hvd.init()"]
    ),
)  # fmt: skip
PROGRAMS = st.builds(
    lambda head, imports, body, end, last: (
        head
        + end.join(line.replace("\n", end) for line in [*imports, *body])
        + last * end
    ),
    st.sampled_from(
        ["", '"""Doc."""\n', "from __future__ import division\n", "# c\n\n"]
    ),
    st.lists(IMPORTS, min_size=1, max_size=4),
    st.lists(STATEMENTS, min_size=1, max_size=6),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
OPTIONS = st.builds(
    lambda mode, tf, compat, main, keras, profile, loop: Options(
        mode=mode, tf=2 if compat else tf, compat=compat, main=main, keras_trains=keras,
        profile="manual" if loop > 1 else profile, loop=loop,
    ),
    st.sampled_from(["", "horovod", "tf_strategy"]),
    st.sampled_from([1, 2]),
    st.booleans(),
    st.sampled_from(["", "a.py"]),
    st.booleans(),
    st.sampled_from(["auto", "manual"]),
    st.sampled_from([1, 10]),
)  # fmt: skip


def parses(text):
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@settings(max_examples=400, deadline=None)
@given(PROGRAMS.filter(parses), OPTIONS)
def test_the_result_parses_and_a_second_run_finds_nothing(program, options):
    made = migrate(program, options, "a.py")
    assert parses(made.text)
    assert not [f for f in made.findings if f.reason == "would not parse"]
    again = migrate(made.text, options, "a.py")
    assert again.text == made.text
    changes = [f for f in made.findings if f.level == "changed"]
    assert bool(changes) == (made.text != program)


@settings(max_examples=100, deadline=None)
@given(PROGRAMS.filter(parses), OPTIONS, st.sampled_from(["utf-8", "utf-8-sig", "gbk"]))
def test_bytes_that_do_not_change_are_the_same(
    tmp_path_factory, program, options, code
):
    folder = tmp_path_factory.mktemp("bytes")
    cookie = "# coding: gbk\n" if code == "gbk" else ""
    data = (f"{cookie}# 中文\n" + program.replace('"""Doc."""\n', "")).encode(code)
    (folder / "a.py").write_bytes(data)
    result = files.migrate(folder, "a.py", options)
    if result.unread or result.data is None:
        return
    kept = set(result.before.split("\n")) & set(result.after.split("\n"))
    old, new = set(data.split(b"\n")), set(result.data.split(b"\n"))
    bom = b"\xef\xbb\xbf"
    assert {line.encode("utf-8" if code == "utf-8-sig" else code) for line in kept} <= {
        line.removeprefix(bom) for line in old & new
    }


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
@pytest.mark.parametrize("mode", ["", "horovod", "tf_strategy"])
@pytest.mark.parametrize("version", [1, 2])
def test_every_example_holds_in_every_mode(rule, mode, version):
    for text in (rule.before, rule.after):
        made = migrate(text, Options(mode=mode, tf=version), "a.py")
        assert parses(made.text)
        assert (
            migrate(made.text, Options(mode=mode, tf=version), "a.py").text == made.text
        )
