"""Online inference: batches, what is compiled, and the numbers of plain TensorFlow."""

from __future__ import annotations

import os

import numpy as np
import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab import hostlog
from npu_lab.extras.freeze import FreezeError, FrozenModel, freeze, inference_config
from npu_lab.tf1 import view
from tests.device.models import IMAGES
from tests.extras.freeze import networks


@pytest.fixture
def path(device, tmp_path):
    prefix = networks.train(tmp_path)
    return freeze(prefix, tmp_path / "m.pb", model=networks.inference).path


def plain(path, images):
    """What TensorFlow gives with the frozen graph, without the device."""
    npu_lab.deactivate()
    view.install()
    try:
        graph_def = tf.GraphDef.FromString(path.read_bytes())
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(graph_def, name="")
        config = tf.ConfigProto()
        rewrite = config.graph_options.rewrite_options
        rewrite.remapping = rewrite.memory_optimization = rewrite.OFF
        with tf.Session(graph=graph, config=config) as session:
            return session.run("logits:0", {"input:0": images})
    finally:
        view.uninstall()


def of_model(device, model):
    (verdict,) = [v for v in device.verdicts if v.fetches == ("logits",)]
    assert verdict.messages == model.compiled
    return verdict


def test_the_last_batch_is_filled_up_and_one_graph_is_compiled(device, path):
    with FrozenModel(path, batch=16) as model:
        before = device.ledger.session_runs
        found = model(IMAGES[:45])
        assert device.ledger.session_runs - before == 3
        assert len(model.compiled) == 1
        assert "compiled on the Ascend AI processor" in model.compiled[0]
        assert of_model(device, model).calls == 3
    records = hostlog.read(device.log.folder, pid=os.getpid())
    assert not hostlog.judge(records).markers
    assert found.shape == (45, 4)
    assert (found[:16] == plain(path, IMAGES[:16])).all()
    last = np.concatenate([IMAGES[32:45], IMAGES[[44, 44, 44]]])
    assert (found[32:] == plain(path, last)[:13]).all()


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 16, 17])
def test_any_number_of_examples(device, path, rows):
    with FrozenModel(path, batch=8) as model:
        found = model(IMAGES[:rows])
    assert networks.near(found, plain(path, IMAGES[:rows]))


def test_the_first_call_fixes_the_batch(device, path):
    with FrozenModel(path) as model:
        assert model.batch is None
        model(IMAGES[:10])
        assert model.batch == 10
        model(IMAGES[:3])
        model(IMAGES[:25])
        assert len(model.compiled) == 1


def test_each_shape_is_compiled_without_a_fixed_batch(device, path):
    with FrozenModel(path) as model:
        for rows in (4, 5, 4):
            model.session.run("logits:0", {"input:0": IMAGES[:rows]})
        assert len(model.compiled) == 2


def test_inputs_and_outputs_by_name(device, path):
    with FrozenModel(path, ["logits", "dense/Relu"], batch=4) as model:
        assert model.inputs == ["input"]
        assert model.outputs == ["logits", "dense/Relu"]
        found = model({"input:0": IMAGES[:6]})
    assert found["logits"].shape == (6, 4)
    assert found["dense/Relu"].shape == (6, 16)


def test_a_batch_that_the_graph_fixes(device, tmp_path):
    prefix = networks.train(tmp_path, training=False)
    made = freeze(prefix, tmp_path / "m.pb", "logits", iterator_inputs=["image"])
    with FrozenModel(made.path) as model:
        assert model.batch == 8
        assert model(IMAGES[:5]).shape == (5, 4)
    with pytest.raises(FreezeError, match="has to be 8"):
        FrozenModel(made.path, batch=16)


def test_an_output_without_rows_needs_whole_batches(device, tmp_path):
    prefix = networks.train(tmp_path, training=False)
    loss = "softmax_cross_entropy_loss/value"
    made = freeze(prefix, tmp_path / "m.pb", loss, iterator_inputs=["image", "label"])
    with FrozenModel(made.path) as model:
        whole = {"image": IMAGES[:8], "label": IMAGES[:8, :4]}
        assert model(whole).shape == ()
        with pytest.raises(FreezeError, match="not a row for each"):
            model({name: array[:5] for name, array in whole.items()})
        with pytest.raises(FreezeError, match="same number of rows"):
            model({**whole, "label": IMAGES[:5, :4]})
        with pytest.raises(FreezeError, match="nothing given for label"):
            model({"image": IMAGES[:8]})
        with pytest.raises(FreezeError, match="by name"):
            model(IMAGES[:8])


def test_scalars_go_with_every_batch(device, tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        factor = tf.placeholder(tf.float32, name="factor")
        w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
        tf.multiply(x * w, factor, name="y")
        session.run(w.initializer)
        prefix = tf.train.Saver().save(session, str(tmp_path / "c"))
    made = freeze(prefix, tmp_path / "m.pb", "y")
    with FrozenModel(made.path, batch=3) as model:
        found = model({"x": np.ones([7, 2]), "factor": 3})
    assert (found == np.full([7, 2], 3)).all()


@pytest.mark.parametrize("rows", [0])
def test_no_examples(device, path, rows):
    with FrozenModel(path) as model, pytest.raises(FreezeError, match="at least one"):
        model(IMAGES[:rows])


def test_names_that_are_not_there(device, path):
    with pytest.raises(FreezeError, match="logits"):
        FrozenModel(path, "logit")
    with FrozenModel(path) as model, pytest.raises(FreezeError, match="has input"):
        model({"inputs": IMAGES})


def test_a_file_that_is_no_graph(device, tmp_path):
    (tmp_path / "m.pb").write_bytes(b"nonsense")
    with pytest.raises(FreezeError, match="no graph"):
        FrozenModel(tmp_path / "m.pb")
    with pytest.raises(FreezeError) as stopped:
        FrozenModel(tmp_path / "none.pb")
    assert stopped.value.key == "no file"


def test_without_the_device_it_is_plain_tensorflow(device, path):
    with FrozenModel(path, batch=8) as model:
        there = model(IMAGES)
    npu_lab.deactivate()
    with FrozenModel(path, batch=8) as model:
        found = model(IMAGES)
        assert model.compiled == []
    assert (found == there).all()


def test_the_configuration_is_that_of_the_guide(device):
    config = inference_config(
        precision_mode="force_fp16", graph_max_parallel_model_num=2
    )
    rewrite = config.graph_options.rewrite_options
    (optimizer,) = rewrite.custom_optimizers
    assert optimizer.name == "NpuOptimizer"
    assert optimizer.parameter_map["use_off_line"].b is True
    assert optimizer.parameter_map["graph_run_mode"].i == 0
    assert optimizer.parameter_map["precision_mode"].s == b"force_fp16"
    assert optimizer.parameter_map["graph_max_parallel_model_num"].i == 2
    assert rewrite.remapping == rewrite.memory_optimization == rewrite.OFF


def test_an_inference_session_builds_no_loop(device, path):
    options = {"iterations_per_loop": 10}
    with FrozenModel(path, batch=8, options=options) as model:
        found = model(IMAGES)
    assert device.ledger.device_iterations == 0
    assert networks.near(found, plain(path, IMAGES))
