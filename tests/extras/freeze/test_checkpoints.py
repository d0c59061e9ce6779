"""Checkpoints of scripts: the inference graph from a function, or the meta file."""

from __future__ import annotations

import os

import pytest

import npu_lab.tf1 as tf
from npu_lab.extras.freeze import FreezeError, freeze
from tests.device.models import IMAGES, config, dataset_input
from tests.extras.freeze import networks

pytestmark = pytest.mark.usefixtures("device")


def test_a_model_function_with_the_checkpoint_of_a_script(tmp_path):
    prefix = networks.train(tmp_path, keep=0.5)
    made = freeze(prefix, tmp_path / "m.pb", "logits", model=networks.inference)
    assert [one.name for one in made.inputs] == ["input"]
    assert [(one.name, one.shape) for one in made.outputs] == [("logits", "[?, 4]")]
    assert made.constants == 2 + 4 + 2
    assert made.difference <= 1e-6
    live = networks.live(prefix, IMAGES)
    assert networks.near(networks.frozen(made.path, IMAGES), live)
    assert live.std() > 0.1


def test_the_device_sees_nothing_of_it(device, tmp_path):
    import npu_bridge.npu_init  # noqa: F401  (it changes how sessions are made)

    prefix = networks.train(tmp_path)
    before = device.ledger.as_dict(), len(device.verdicts)
    freeze(prefix, tmp_path / "m.pb", model=networks.inference)
    assert (device.ledger.as_dict(), len(device.verdicts)) == before


def test_the_outputs_may_be_those_that_the_function_returns(tmp_path):
    prefix = networks.train(tmp_path)
    made = freeze(tmp_path, tmp_path / "m.pb", model=networks.inference)
    assert [one.name for one in made.outputs] == ["logits"]
    live = networks.live(prefix, IMAGES)
    assert networks.near(networks.frozen(made.path, IMAGES), live)


@pytest.mark.parametrize("ending", ["", ".index", ".meta", ".data-00000-of-00001"])
def test_any_file_of_the_checkpoint_leads_to_it(ending, tmp_path):
    prefix = networks.train(tmp_path)
    made = freeze(prefix + ending, tmp_path / "m.pb", model=networks.inference)
    assert made.constants == 8


def test_the_meta_file_with_placeholders_that_decide(tmp_path):
    prefix = networks.train(
        tmp_path, source="fed", training="placeholder", keep="placeholder"
    )
    with pytest.raises(FreezeError) as stopped:
        freeze(prefix, tmp_path / "m.pb", "logits")
    assert "--set is_training=False" in str(stopped.value)
    assert "--set keep_prob=1.0" in str(stopped.value)
    assert not (tmp_path / "m.pb").exists()
    made = freeze(
        prefix,
        tmp_path / "m.pb",
        "logits:0",
        constants={"is_training": False, "keep_prob:0": 1.0},
    )
    assert [one.name for one in made.inputs] == ["x"]
    assert made.random == ()
    live = networks.live(prefix, IMAGES)
    assert networks.near(networks.frozen(made.path, IMAGES), live)


@pytest.mark.parametrize(
    ("how", "key"),
    [
        ({"training": True}, "training batch norm"),
        ({"training": False, "keep": 0.5}, "training dropout"),
    ],
)
def test_the_graph_of_the_training_is_refused(how, key, tmp_path):
    prefix = networks.train(tmp_path, source="fed", **how)
    with pytest.raises(FreezeError) as stopped:
        freeze(prefix, tmp_path / "m.pb", "logits")
    assert stopped.value.key == key
    assert "--model" in str(stopped.value)
    assert not list(tmp_path.glob("*m.pb*"))


def test_what_a_placeholder_ends_and_what_it_does_not(tmp_path):
    prefix = networks.train(tmp_path, source="fed", training="placeholder", keep=0.5)
    with pytest.raises(FreezeError) as stopped:
        freeze(prefix, tmp_path / "m.pb", "logits")
    first, second = str(stopped.value).splitlines()
    assert "--set is_training=False" in first
    assert "batch_normalization" in first
    assert "dropout/GreaterEqual" in second
    assert "--model" in second


def test_it_may_be_frozen_as_it_is(tmp_path):
    prefix = networks.train(tmp_path, source="fed", training=True, keep=0.5)
    made = freeze(prefix, tmp_path / "m.pb", "logits", allow_training=True)
    assert {one.kind for one in made.findings} == {"dropout", "batch norm"}
    assert len(made.random) == 1


def test_an_iterator_is_refused_or_replaced(tmp_path):
    prefix = networks.train(tmp_path, training=False)
    with pytest.raises(FreezeError) as stopped:
        freeze(prefix, tmp_path / "m.pb", "logits")
    assert stopped.value.key == "iterator"
    assert "IteratorGetNext:0 (float32 (8, 12))" in str(stopped.value)
    assert "--iterator-inputs input" in str(stopped.value)
    assert not (tmp_path / "m.pb").exists()
    made = freeze(prefix, tmp_path / "m.pb", "logits", iterator_inputs=["image"])
    assert [(one.name, one.shape) for one in made.inputs] == [("image", "[8, 12]")]
    live = networks.live(prefix, IMAGES[:21])
    assert networks.near(networks.frozen(made.path, IMAGES[:21]), live)


def test_the_components_of_an_iterator_keep_their_order(tmp_path):
    prefix = networks.train(tmp_path, training=False)
    loss = "softmax_cross_entropy_loss/value"
    with pytest.raises(FreezeError) as stopped:
        freeze(prefix, tmp_path / "m.pb", loss, iterator_inputs=["image"])
    assert stopped.value.key == "wrong names"
    made = freeze(prefix, tmp_path / "m.pb", loss, iterator_inputs=["image", "label"])
    assert [(one.name, one.shape) for one in made.inputs] == [
        ("image", "[8, 12]"),
        ("label", "[8, 4]"),
    ]


@pytest.mark.parametrize("name", ["logits", "two names", "image,image", ""])
def test_names_that_cannot_be_those_of_placeholders(name, tmp_path):
    prefix = networks.train(tmp_path, training=False)
    loss = "softmax_cross_entropy_loss/value"
    chosen = name.split(",") if "," in name else [name, "label"]
    with pytest.raises(FreezeError) as stopped:
        freeze(prefix, tmp_path / "m.pb", loss, iterator_inputs=chosen)
    assert stopped.value.key == "bad name"


def test_names_for_no_iterator(tmp_path):
    prefix = networks.train(tmp_path, source="fed", training=False)
    with pytest.raises(FreezeError) as stopped:
        freeze(prefix, tmp_path / "m.pb", "logits", iterator_inputs=["image"])
    assert stopped.value.key == "no iterator"


def test_a_sunk_training_can_be_frozen_from_its_meta_file(device, tmp_path):
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        iterator = dataset_input()
        x, y = iterator.get_next()
        step = networks.train_op(networks.scores(x, training=False), y)
        saver = tf.train.Saver()
        with tf.Session(config=config(5)) as session:
            session.run(tf.global_variables_initializer())
            session.run(iterator.initializer)
            sunk = util.set_iteration_per_loop(session, step, 5)
            for _ in range(4):
                session.run(sunk)
            prefix = saver.save(session, str(tmp_path / "model.ckpt"))
    assert device.ledger.device_iterations == 20
    made = freeze(prefix, tmp_path / "m.pb", "logits", iterator_inputs=["image"])
    live = networks.live(prefix, IMAGES)
    assert networks.near(networks.frozen(made.path, IMAGES), live)


def test_the_checkpoint_of_a_monitored_training_session(tmp_path):
    with tf.Graph().as_default():
        x, y = tf.data.make_one_shot_iterator(
            tf.data.Dataset.from_tensors((IMAGES[:8], IMAGES[:8, :4])).repeat()
        ).get_next()
        step = networks.train_op(networks.scores(x, training=True, keep=0.5), y)
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path / "run"),
            config=config(),
            hooks=[tf.train.StopAtStepHook(10)],
            save_summaries_steps=None,
        ) as session:
            while not session.should_stop():
                session.run(step)
    made = freeze(tmp_path / "run", tmp_path / "m.pb", model=networks.inference)
    live = networks.live(str(tmp_path / "run" / "model.ckpt-10"), IMAGES)
    assert networks.near(networks.frozen(made.path, IMAGES), live)


def test_control_flow_and_partitioned_variables(tmp_path):
    def model():
        x = tf.placeholder(tf.float32, [None, 6], name="x")
        table = tf.get_variable(
            "table",
            [6, 3],
            initializer=tf.glorot_uniform_initializer(3),
            partitioner=tf.fixed_size_partitioner(2),
        )
        weights = tf.get_variable(
            "w", [3, 3], initializer=tf.glorot_uniform_initializer(4)
        )
        start = tf.matmul(x, tf.convert_to_tensor(table))
        _, looped = tf.while_loop(
            lambda i, _: i < 3,
            lambda i, y: (i + 1, tf.tanh(tf.matmul(y, weights))),
            (0, start),
        )
        chosen = tf.cond(
            tf.reduce_sum(x) > 0,
            lambda: tf.matmul(looped, weights),
            lambda: -looped,
        )
        return {"y": tf.identity(chosen, name="y")}

    with tf.Graph().as_default(), tf.Session() as session:
        out = model()["y"]
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, str(tmp_path / "c"))
        x = IMAGES[:5, :6]
        expected = [session.run(out, {"x:0": one}) for one in (x, -x)]
    for how in ({"model": model}, {}):
        made = freeze(prefix, tmp_path / "m.pb", "y", **how)
        assert made.constants == 3
        for one, right in zip((x, -x), expected, strict=True):
            assert networks.near(networks.frozen(made.path, one), right)


def test_the_procedure_of_the_guide_gives_the_same_graph(tmp_path):
    from tensorflow.python.tools import freeze_graph

    prefix = networks.train(tmp_path)
    with tf.Graph().as_default() as graph:
        networks.inference()
        tf.train.Saver()
        tf.train.write_graph(graph.as_graph_def(), str(tmp_path), "model.pbtxt")
    freeze_graph.freeze_graph(
        input_graph=str(tmp_path / "model.pbtxt"),
        input_saver="",
        input_binary=False,
        input_checkpoint=prefix,
        output_node_names="logits",
        restore_op_name="save/restore_all",
        filename_tensor_name="save/Const:0",
        output_graph=str(tmp_path / "guide.pb"),
        clear_devices=False,
        initializer_nodes="",
    )
    ours = freeze(prefix, tmp_path / "m.pb", "logits", model=networks.inference).path
    nodes = []
    for path in (tmp_path / "guide.pb", ours):
        graph_def = tf.GraphDef.FromString(path.read_bytes())
        nodes.append({one.name: (one.op, list(one.input)) for one in graph_def.node})
    assert nodes[0] == nodes[1]
    one, other = (networks.frozen(p, IMAGES) for p in (tmp_path / "guide.pb", ours))
    assert (one == other).all()


@pytest.mark.skipif(os.name != "posix", reason="there are no such paths")
def test_a_path_may_be_bytes(tmp_path):
    prefix = networks.train(tmp_path)
    made = freeze(
        os.fsencode(prefix),
        os.fsencode(tmp_path / "m.pb"),
        model=networks.inference,
    )
    assert made.path == tmp_path / "m.pb"
