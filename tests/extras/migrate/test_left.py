"""What has to stay as it is: last batches, whole Horovods, names that nothing shows."""

from __future__ import annotations

import pytest

pytest.importorskip("libcst")

from npu_lab.extras.migrate import files, tree
from npu_lab.extras.migrate.command import main
from npu_lab.extras.migrate.engine import migrate
from npu_lab.extras.migrate.finding import Options
from npu_lab.extras.source import reading

TF = "import tensorflow as tf\n"
HVD = f"{TF}import horovod.tensorflow as hvd\n"
NO_COUNTERPART = "c = hvd.callbacks.MetricAverageCallback()\n"


def outcome(text, **facts):
    return migrate(text, Options(**facts), "a.py")


def said(text, **facts):
    return [(f.rule, f.level) for f in outcome(text, **facts).findings]


@pytest.mark.parametrize(
    "line",
    [
        "m.fit(ds, validation_data=ds.batch(8))",
        "m.evaluate(ds.batch(8))",
        "m.predict(ds.batch(8))",
        "val_ds = ds\ny = val_ds.batch(8)",
        "y = tf.data.Dataset.from_tensor_slices((x_test, y_test)).batch(8)",
        "def getTestData():\n    return ds.batch(8)",
        "class EvalSet:\n    def make(self):\n        return ds.batch(8)",
        "TEST = ds.batch(8)",
    ],
)
def test_an_evaluation_keeps_its_last_batch(line):
    text = f"{TF}ds = tf.data.Dataset.range(9)\n{line}\n"
    assert outcome(text).text == text
    assert ("B1", "warning") in said(text)


@pytest.mark.parametrize("name", ["device_ds", "values", "latest", "dev2"])
def test_other_names_are_of_training(name):
    kept = name == "dev2"
    text = f"{TF}{name} = tf.data.Dataset.range(9).batch(8)\n"
    assert ("drop_remainder=True" not in outcome(text).text) == kept


@pytest.mark.parametrize("mode", ["horovod", "tf_strategy"])
@pytest.mark.parametrize(
    "line",
    [
        "ds = tf.data.Dataset.range(9).shard(hvd.size(), hvd.rank())",
        "o = hvd.DistributedOptimizer(tf.train.AdamOptimizer(1.0))",
    ],
)
def test_a_horovod_that_is_left_is_left_whole(line, mode):
    text = f"{HVD}{NO_COUNTERPART}{line}\n"
    assert outcome(text, mode=mode).text == text


def test_a_loss_scale_is_not_distributed_where_horovod_is_left():
    scale = "o = tf.train.experimental.MixedPrecisionLossScaleOptimizer(o, a)\n"
    text = outcome(f"{HVD}{NO_COUNTERPART}{scale}", mode="horovod").text
    assert "NPULossScaleOptimizer(o, a)" in text


def test_a_shard_stays_where_another_file_keeps_its_horovod():
    text = f"{TF}ds = tf.data.Dataset.range(9).shard(n, i)\n"
    facts = {"mode": "horovod", "horovod_refused": "b.py:1:1"}
    assert outcome(text, **facts).text == text


def test_horovod_in_tensorflow_2_needs_a_hand():
    assert ("H6", "hand") in said(f"{HVD}hvd.init()\n", tf=2)


GUARDS = "if __name__ == '__main__':\n    a()\nif __name__ == '__main__':\n    b()\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{TF}m = tf.keras.Sequential()\ndef b(): m.fit(x)\n{GUARDS}",
        f"{HVD}def b(): hvd.init()\n{GUARDS}",
    ],
)
def test_nothing_is_closed_between_two_guards(text):
    made = outcome(text, mode="horovod").text
    assert "atexit.register(close_session" in made
    assert "finally" not in made
    assert reading.problem_of(made) is None
    assert outcome(made, mode="horovod").text == made


@pytest.mark.parametrize(
    "text",
    [
        "from common import *\ns = tf.Session()\n",
        "from tensorflow import *\ns = Session()\n",
        "from npu_bridge.npu_init import *\nfrom common import *\ns = tf.Session()\n",
    ],
)
def test_what_a_star_may_have_brought_is_reported(text):
    assert outcome(text).text == text
    assert said(text) == [("S1", "hand")]


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        ("o = {'a': tf.train.AdamOptimizer}[n](1.0)", True),
        ("if a: c = tf.train.AdamOptimizer\nelse: c = tf.train.FtrlOptimizer", True),
        ("c = tf.train.AdamOptimizer\nc(1.0)", False),
        ("class C(tf.train.AdamOptimizer): pass", False),
        ("def f(o: tf.train.Optimizer): return isinstance(o, tf.train.AdamOptimizer)",
         False),
    ],
)  # fmt: skip
def test_an_optimizer_handed_on_as_a_class_is_reported(line, reported):
    found = said(f"{TF}{line}\n", mode="tf_strategy")
    assert (("O1", "hand") in found) == reported
    assert ("O1", "hand") not in said(f"{TF}{line}\n")


@pytest.mark.parametrize(
    "line", ["import requests\ns = requests.Session()", "import horovod.tensorflow"]
)
def test_tensorflow_2_is_known_beside_other_sessions(line, tmp_path):
    text = f"{TF}{line}\nwith tf.GradientTape() as t: pass\n"
    (tmp_path / "a.py").write_text(text)
    assert tree.facts(tmp_path, ["a.py"], Options(), 0).tf == 2


def test_a_folder_that_cannot_be_read_is_among_the_sources(tmp_path, monkeypatch):
    (tmp_path / "closed").mkdir()
    listed = tree.os.scandir

    def scandir(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(tree.os, "scandir", scandir)
    (tmp_path / "a.py").write_text(TF)
    assert tree.sources(tmp_path)[1] == ["a.py", "closed"]


@pytest.mark.parametrize("profile", ["auto", "manual"])
@pytest.mark.parametrize(
    "bound",
    [
        "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = mock\n",
        "try: import tensorflow as tf\nexcept ImportError: tf = mock\n",
        "try:\n    import tensorflow as tf\nexcept OSError:\n    import mock as tf\n",
        "import tensorflow as tf\nif a:\n    import torch as tf\n",
        "if a:\n    import tensorflow.compat.v1 as tf\nelse:\n    tf = m\n",
    ],
)
@pytest.mark.parametrize(
    "use", ["s = tf.Session()\n", "def f():\n    return tf.Session()\n"]
)
def test_a_name_that_may_be_another_librarys_is_reported(bound, use, profile):
    assert outcome(bound + use, profile=profile).text == bound + use
    rule = "M1" if profile == "manual" else "S1"
    assert said(bound + use, profile=profile) == [(rule, "hand")]


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\ntf = mock\ns = tf.Session()\n",
        "if a:\n    import numpy as np\nelse:\n    np = m\ns = np.Session()\n",
        "if a:\n    import tensorflow as tf\nelse:\n    tf = m\ns = tf.zeros()\n",
        "def f():\n    import tensorflow as tf\n    tf = m\n    tf.Session()\n",
    ],
)
def test_a_name_that_has_one_meaning_or_is_no_trigger_is_not(text):
    assert outcome(text).text == text
    assert said(text) == []


def test_a_name_that_branches_import_alike_is_known():
    text = (
        "try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n"
        "    import tensorflow as tf\ns = tf.Session()\n"
    )
    assert [f.level for f in outcome(text).findings] == ["changed", "changed"]


GUARDED = (
    f"{HVD}\n\ndef main():\n    hvd.init()\n    go(hvd.rank())\n\n\n"
    "if __name__ == '__main__':\n    main()\n"
)


@pytest.mark.parametrize(
    ("path", "importing", "data"),
    [
        ("train.py", "run.py", "import train\ntrain.main()\n"),
        ("train.py", "sub/run.py", "from ..train import main\nmain()\n"),
        ("job/train.py", "run.py", "from job import (\n    model,\n    train,\n)\n"),
        ("train.py", "run.py", "importlib.import_module('train').main()\n"),
        ("job/__init__.py", "run.py", "import job\n"),
        ("train.py", "run.ipynb", '{"source": [\n  "import train\\n"]}\n'),
    ],
)
def test_horovod_is_set_up_where_it_was_if_others_import_the_file(
    path, importing, data, tmp_path
):
    for name, text in ((path, GUARDED), (importing, data)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = files.imported(tmp_path, [path, importing])
    assert found == {path}
    made = migrate(GUARDED, Options(mode="horovod", imported=found), path)
    head, _, guard = made.text.partition("if __name__")
    assert "    (npu_sess, npu_shutdown) = init_resource()\n" in head
    assert "atexit.register(close_session, npu_sess)" in head
    assert guard == " == '__main__':\n    main()\n"


def test_horovod_is_set_up_in_the_guard_if_nobody_imports_the_file(tmp_path):
    (tmp_path / "a.py").write_text(GUARDED)
    (tmp_path / "b.py").write_text("x.train.a()\n# import a\n")
    found = files.imported(tmp_path, ["a.py", "b.py"])
    assert found == frozenset()
    _, _, guard = outcome(GUARDED, mode="horovod").text.partition("if __name__")
    assert "init_resource()" in guard


def test_a_project_of_horovod_is_read_for_who_imports_whom(tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    (source / "train.py").write_text(GUARDED)
    (source / "run.py").write_text("import train\ntrain.main()\n")
    out = tmp_path / "out"
    given = ["-i", source, "-o", out, "-r", tmp_path / "rep", "-d", "horovod"]
    assert main([str(each) for each in given]) == 0
    (made,) = out.glob("*/train.py")
    assert "init_resource()" in made.read_text().partition("if __name__")[0]


@pytest.mark.parametrize("extra", ["", "def other():\n    hvd.init()\n"])
def test_set_up_in_several_functions_is_warned_of(extra):
    text = f"{HVD}def main():\n    hvd.init()\n{extra}"
    warned = ("H1", "warning") in said(text, mode="horovod")
    assert warned == bool(extra)
    made = outcome(text, mode="horovod").text
    assert made.count("init_resource()") == 1
