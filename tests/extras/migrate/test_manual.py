"""The form by hand, and the sunk loop where it is safe."""

from __future__ import annotations

import pytest

pytest.importorskip("libcst")

from npu_lab.extras.migrate.engine import migrate
from npu_lab.extras.migrate.finding import Options

TF = "import tensorflow as tf\n"


def run(text, loop=1, **facts):
    return migrate(TF + text, Options(profile="manual", loop=loop, **facts), "a.py")


def hands(made):
    return [found.reason for found in made.findings if found.level == "hand"]


@pytest.mark.parametrize(
    "text",
    [
        "s = [tf.Session() for _ in x]\n",
        "s = tf.Session() if x else None\n",
        "s = lambda: tf.Session()\n",
        "while tf.Session():\n    pass\n",
        "if x: s = tf.Session()\n",
        "s = x and tf.Session()\n",
        "def f(s=tf.Session()):\n    pass\n",
    ],
)
def test_where_nothing_can_stand_before_it_is_left(text):
    made = run(text)
    assert made.text == TF + text
    assert hands(made) == ["no place"]


@pytest.mark.parametrize(
    "text",
    [
        "def f(c):\n    return tf.Session(config=c)\n",
        "c = make()\ns = tf.Session(config=c)\n",
        "c = tf.ConfigProto()\nc = tf.ConfigProto()\ns = tf.Session(config=c)\n",
        "e = tf.estimator.Estimator(fn, config=make())\n",
    ],
)
def test_a_config_that_is_made_elsewhere_is_left(text):
    made = run(text)
    assert made.text == TF + text
    assert hands(made) == ["config unknown"]


def test_an_inline_config_is_written_out_before_the_statement_and_its_comments():
    made = run(
        "\n\ndef f():\n    # Train.\n"
        "    with g, tf.Session(config=tf.ConfigProto(a=1)) as s:\n        s.run(x)\n"
    )
    assert (
        "    # Train.\n    npu_config = tf.ConfigProto(a=1)\n    custom_op = "
    ) in made.text
    assert "    with g, tf.Session(config=npu_config) as s:\n" in made.text
    assert not hands(made)


def test_two_sessions_of_one_config_write_it_once():
    made = run(
        "c = tf.ConfigProto()\na = tf.Session(config=c)\nb = tf.Session(config=c)\n"
    )
    assert made.text.count("NpuOptimizer") == 1


def test_two_sessions_without_a_config_have_one_each():
    made = run("a = tf.Session()\nb = tf.Session()\n")
    assert "b = tf.Session(config=npu_config_2)\n" in made.text


def test_what_a_wrapped_part_became_is_kept():
    made = run(
        "s = tf.Session(config=tf.ConfigProto(graph_options=tf.GraphOptions()))\n"
    )
    assert (
        "npu_config = tf.ConfigProto(graph_options=npu_graph_options("
        "graph_options=tf.GraphOptions()))\n"
    ) in made.text


def test_positions_of_the_run_configuration_become_names():
    made = run("c = tf.estimator.RunConfig('d', 1, train_distribute=s)\n")
    assert "c = NPURunConfig(model_dir='d', tf_random_seed=1)\n" in made.text


HEAD = (
    "it = tf.compat.v1.data.make_initializable_iterator(ds)\nSTEPS = 200\n"
    "op = tf.train.AdamOptimizer(.1).minimize(loss)\n"
)
LOOP = "with tf.Session() as s:\n    for i in range({}):\n        {}\n"


@pytest.mark.parametrize(
    ("steps", "body", "fewer", "after"),
    [
        ("200", "s.run(op)", "20", "s.run(npu_train_op)"),
        ("STEPS", "s.run([op])", "STEPS // 10", "s.run([npu_train_op])"),
        ("200", "_, v = s.run((op, loss))", "20", "_, v = s.run((npu_train_op, loss))"),
        ("200", "s.run(fetches=op)", "20", "s.run(fetches=npu_train_op)"),
    ],
)
def test_a_loop_that_only_trains_is_sunk(steps, body, fewer, after):
    made = run(HEAD + LOOP.format(steps, body), loop=10)
    assert not hands(made)
    assert f"    for i in range({fewer}):\n        {after}\n" in made.text
    assert (
        "    npu_train_op = util.set_iteration_per_loop(s, op, 10)\n    for"
        in made.text
    )
    assert 'parameter_map["iterations_per_loop"].i = 10' in made.text
    assert 'parameter_map["enable_data_pre_proc"].b = True' in made.text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HEAD + LOOP.format(205, "s.run(op)"), "no multiple"),
        (HEAD + LOOP.format("n()", "s.run(op)"), "steps unknown"),
        (HEAD + LOOP.format("0, 200", "s.run(op)"), "no range"),
        (HEAD + LOOP.format(200, "print(s.run(op))"), "does more"),
        (HEAD + LOOP.format(200, "s.run(op); print(1)"), "does more"),
        (HEAD + LOOP.format(200, "x[i] = s.run(op)"), "does more"),
        (HEAD + LOOP.format(200, "s.run(op, {x: 1})"), "fed"),
        (HEAD + LOOP.format(200, "s.run(op, feed_dict={x: 1})"), "fed"),
        (HEAD + "s = tf.Session()\ns.run(op)\n", "no loop"),
        (HEAD + "s = tf.Session()\nwhile x:\n    s.run(op)\n", "no loop"),
        (HEAD + "for e in range(3):\n  with tf.Session() as s:\n"
         "    for i in range(20):\n      s.run(op)\n", "repeated"),
        (HEAD.replace("initializable", "one_shot") + LOOP.format(200, "s.run(op)"),
         "one shot"),
        (HEAD.replace("make_initializable_iterator", "f")
         + LOOP.format(200, "s.run(op)"),
         "no iterator"),
        (HEAD + "with tf.train.MonitoredTrainingSession() as s:\n"
         "    for i in range(200):\n        s.run(op)\n", "finalised"),
        (HEAD
         + LOOP.format(200, "s.run(op)").replace("Session()", "Session(config=c())"),
         "config unknown"),
    ],
)  # fmt: skip
def test_what_is_in_the_way_is_said_and_nothing_is_sunk(text, reason):
    made = run(text, loop=10)
    assert reason in hands(made)
    assert "set_iteration_per_loop" not in made.text
    assert "iterations_per_loop" not in made.text


ESTIMATOR = (
    "rc = tf.estimator.RunConfig(save_checkpoints_steps={})\n"
    "e = tf.estimator.Estimator(fn, config=rc)\ne.train(f, steps={})\n"
)


def test_an_estimator_is_sunk_by_its_configuration():
    made = run(ESTIMATOR.format(100, 200), loop=10)
    assert (
        "rc = NPURunConfig(save_checkpoints_steps=100, iterations_per_loop=10)\n"
    ) in made.text
    assert not hands(made)


@pytest.mark.parametrize(("save", "steps"), [(105, 200), (100, 205), ("n", 200)])
def test_an_estimator_whose_steps_do_not_fit_is_not_sunk(save, steps):
    made = run(ESTIMATOR.format(save, steps), loop=10)
    assert "iterations_per_loop" not in made.text
    assert hands(made)
