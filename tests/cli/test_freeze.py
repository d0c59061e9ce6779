"""`npu-lab freeze`: writing, listing, and exit statuses."""

from __future__ import annotations

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab import cli
from npu_lab.extras.freeze import FrozenModel
from tests.device.models import IMAGES
from tests.extras.freeze import networks

MODEL = """
import tensorflow as tf
import helper


def inference():
    x = tf.placeholder(tf.float32, [None, 12], name="input")
    return helper.scores(x)


def with_arguments(x):
    return x


number = 3
if __name__ == "__main__":
    raise SystemExit("this is the training")
"""
HELPER = """
import tensorflow as tf


def scores(x):
    hidden = tf.layers.dense(x, 16, tf.nn.relu)
    hidden = tf.layers.batch_normalization(hidden, training=False)
    return tf.identity(tf.layers.dense(hidden, 4), name="logits")
"""


@pytest.fixture
def prefix(device, tmp_path):
    return networks.train(tmp_path, training=False)


@pytest.fixture
def command(prefix, tmp_path, capsys, monkeypatch):
    """Run it in `tmp_path`, which has a checkpoint and a script: (status, out, err)."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "helper.py").write_text(HELPER)
    monkeypatch.setattr("sys.path", ["", *__import__("sys").path])

    def run(*arguments):
        capsys.readouterr()
        status = cli.main(["freeze", *map(str, arguments)])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def left(folder):
    return sorted(one.name for one in folder.glob("*.pb*"))


def test_a_function_in_a_file(command, prefix, tmp_path):
    how = ["--model", "model.py:inference", "-o", "m.pb"]
    status, out, err = command(prefix, *how)
    assert status == 0, err
    lines = out.splitlines()
    assert lines[0].startswith("m.pb: 8 variables became constants; largest diff")
    assert lines[1:] == [
        "  input input  float32 [?, 12]",
        "  output logits  float32 [?, 4]",
    ]
    found = networks.frozen(tmp_path / "m.pb", IMAGES)
    assert networks.near(found, networks.live(prefix, IMAGES))


def test_a_file_without_a_function(command, prefix, tmp_path):
    (tmp_path / "graph.py").write_text(MODEL + "\ninference()\n")
    how = ["--model", "graph.py", "--outputs", "logits", "-o", "m.pb"]
    assert command(prefix, *how)[0] == 0
    assert left(tmp_path) == ["m.pb"]


def test_iterators_with_given_inputs(command, prefix, tmp_path):
    np.savez(tmp_path / "x.npz", image=IMAGES[:8])
    how = ["-o", "m.pb", "--outputs", "logits:0"]
    status, _, err = command(prefix, *how)
    assert (status, left(tmp_path)) == (1, [])
    assert "--iterator-inputs input" in err
    assert err.startswith("npu-lab freeze: ")
    status, out, err = command(
        prefix, *how, "--iterator-inputs", "image", "--feed", "x.npz"
    )
    assert status == 0, err
    assert "  input image  float32 [8, 12]" in out


def test_placeholders_set(command, tmp_path):
    folder = tmp_path / "two"
    folder.mkdir()
    prefix = networks.train(
        folder, source="fed", training="placeholder", keep="placeholder"
    )
    how = ["-o", "m.pb", "--outputs", "logits"]
    status, _, err = command(prefix, *how)
    assert (status, left(tmp_path)) == (1, [])
    proposed = [word for word in err.split() if "=" in word and "(" not in word]
    given = [word for one in proposed for word in ("--set", one)]
    assert len(given) == 4
    status, out, err = command(prefix, *how, *given)
    assert status == 0, err
    assert "  input x  float32 [?, 12]" in out
    with FrozenModel(tmp_path / "m.pb", batch=8) as model:
        found = model(IMAGES)
    assert networks.near(found, networks.live(prefix, IMAGES))


def test_what_is_allowed_is_told(command, tmp_path):
    folder = tmp_path / "two"
    folder.mkdir()
    prefix = networks.train(folder, source="fed", training=True, keep=0.5)
    how = ["-o", "m.pb", "--outputs", "logits", "--allow-training"]
    status, out, err = command(prefix, *how)
    assert status == 0, err
    assert "warning: frozen as in training:" in out
    assert "draw random numbers" in out


def test_listing(command, prefix, tmp_path):
    status, out, err = command("--list", prefix)
    assert status == 0, err
    assert out.splitlines() == [
        "inputs:",
        "  IteratorGetNext  IteratorGetNext  float32 [8, 12]",
        "  IteratorGetNext:1  IteratorGetNext  float32 [8, 4]",
        "outputs to choose from:",
        "  logits  Identity  float32 [8, 4]",
        "  softmax_cross_entropy_loss/value  DivNoNan  float32 []",
    ]
    assert left(tmp_path) == []


def test_listing_a_frozen_graph(command, prefix, tmp_path):
    how = ["--model", "model.py:inference", "-o", "m.pb"]
    assert command(prefix, *how)[0] == 0
    _, short, _ = command("--list", "m.pb")
    assert short.splitlines() == [
        "inputs:",
        "  input  Placeholder  float32 [?, 12]",
        "outputs to choose from:",
        "  logits  Identity  float32 [?, 4]",
    ]
    status, whole, _ = command("--list", "--all", "m.pb")
    assert status == 0
    assert whole.startswith(short)
    graph_def = tf.GraphDef.FromString((tmp_path / "m.pb").read_bytes())
    assert len(whole.splitlines()) == 5 + len(graph_def.node)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "SOURCE"),
        (["{prefix}"], "--list"),
        (["{prefix}", "--list", "-o", "m.pb"], "--list"),
        (["{prefix}", "-o", "m.pb", "--set", "keep_prob"], "NAME=VALUE"),
        (["{prefix}", "-o", "m.pb", "--feed", "none.npz"], "none.npz"),
        (["{prefix}", "-o", "m.pb", "--feed", "model.py"], "model.py"),
        (["{prefix}", "-o", "m.pb", "--model", "none.py:f"], "none.py"),
        (["{prefix}", "-o", "m.pb", "--model", "model.py:nothing"], "callable"),
        (["{prefix}", "-o", "m.pb", "--model", "model.py:number"], "callable"),
        (["{prefix}", "-o", "m.pb", "--model", "model.py:with_arguments"], "param"),
    ],
)
def test_wrong_usage(arguments, said, command, prefix, tmp_path):
    status, out, err = command(*(one.format(prefix=prefix) for one in arguments))
    assert status == 2
    assert said in err
    assert "Traceback" not in err
    assert not out
    assert left(tmp_path) == []


def test_chinese(command, prefix, monkeypatch):
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    status, _, err = command(prefix, "-o", "m.pb", "--outputs", "logit")
    assert status == 1
    assert "图中没有节点 logit。名称相近的有：logits" in err


def test_as_a_process_of_its_own(npu_lab, prefix, tmp_path):
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "helper.py").write_text(HELPER)
    ran = npu_lab("freeze", prefix, "--model", "model.py:inference", "-o", "m.pb")
    assert ran.status == 0, ran.err
    assert ran.err == ""
    assert left(tmp_path) == ["m.pb"]
    ran = npu_lab("freeze", "--help")
    assert ran.status == 0
    for words in ("ATC", "graph_run_mode 0", "--iterator-inputs"):
        assert words in ran.out


def test_listing_a_training_graph_leaves_its_updates_out(command, tmp_path):
    folder = tmp_path / "two"
    folder.mkdir()
    prefix = networks.train(folder, source="fed", training="placeholder", keep=0.5)
    _, out, _ = command("--list", prefix)
    assert [line.split()[0] for line in out.splitlines()] == [
        "inputs:",
        "x",
        "y",
        "is_training",
        "outputs",
        "logits",
        "softmax_cross_entropy_loss/value",
    ]
