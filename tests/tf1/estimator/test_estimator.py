"""Training, evaluation and prediction are those of TensorFlow 1.15's Estimator."""

from __future__ import annotations

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.tf1.estimator import estimator as module
from tests.tf1.estimator import models
from tests.tf1.estimator.models import Y, endless, model_fn, once, run_config

pytestmark = pytest.mark.usefixtures("device")


def make(folder, fn=model_fn, **values):
    values = {"save_checkpoints_steps": 5, "save_summary_steps": 0, **values}
    return tf.estimator.Estimator(fn, str(folder), run_config(**values))


def weights(estimator):
    return estimator.get_variable_value("dense/kernel").ravel().tolist()


@pytest.fixture
def lines(caplog):
    """What TensorFlow logged, if it begins so."""
    tf.logging.set_verbosity(tf.logging.INFO)

    def lines(start=""):
        texts = [r.getMessage() for r in caplog.records]
        return [text for text in texts if text.startswith(start)]

    yield lines
    tf.logging.set_verbosity(tf.logging.WARN)


def by_hand(folder, steps):
    """The same training in a MonitoredTrainingSession."""
    with tf.Graph().as_default():
        tf.train.create_global_step()
        iterator = tf.data.make_initializable_iterator(endless())
        features, labels = iterator.get_next()
        spec = model_fn(features, labels, "train")
        tf.summary.scalar("loss", spec.loss)
        scaffold = tf.train.Scaffold(
            local_init_op=tf.group(
                iterator.initializer, tf.train.Scaffold.default_local_init_op()
            )
        )
        hooks = [tf.train.StopAtStepHook(steps)]
        losses = []
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(folder), hooks=hooks, scaffold=scaffold
        ) as session:
            while not session.should_stop():
                losses.append(session.run([spec.train_op, spec.loss])[1])
    return losses, tf.train.load_variable(str(folder), "dense/kernel").ravel().tolist()


class Record(tf.train.SessionRunHook):
    def __init__(self, name="", order=None):
        self.order, self.name = [] if order is None else order, name
        self.values = []

    def begin(self):
        self.order.append(self.name)

    def before_run(self, run_context):
        self.values.append(run_context.original_args.fetches)


def test_a_training_equals_one_in_a_monitored_session_bit_for_bit(tmp_path):
    losses, expected = by_hand(tmp_path / "hand", 20)
    seen = []

    class Losses(tf.train.SessionRunHook):
        def before_run(self, run_context):
            return tf.train.SessionRunArgs(run_context.original_args.fetches[1])

        def after_run(self, run_context, run_values):
            seen.append(run_values.results)

    estimator = make(tmp_path / "lab")
    assert estimator.train(endless, steps=20, hooks=[Losses()]) is estimator
    assert [float(each) for each in seen] == [float(each) for each in losses]
    assert weights(estimator) == expected


@pytest.mark.parametrize("n", [1, 10])
def test_a_loop_changes_the_host_calls_and_not_the_numbers(tmp_path, device, n):
    from npu_bridge.estimator.npu.npu_hook import SetIterationsVarHook

    def looped(features, labels, mode):
        spec = model_fn(features, labels, mode)
        if mode != "train":
            return spec
        return spec._replace(train_op=tf.group(spec.train_op, name="IterationOp"))

    estimator = make(tmp_path / "n", looped, n=n, save_checkpoints_steps=20)
    hooks = [SetIterationsVarHook(n)] if n > 1 else []
    estimator.train(endless, hooks, steps=40)
    calls, iterations = device.ledger.training_calls, device.ledger.device_iterations
    assert (calls, iterations) == (40 // n, 40 if n > 1 else 0)
    assert models.checkpoints(tmp_path / "n") == [0, 20, 40]
    assert weights(estimator) == by_hand(tmp_path / "hand", 40)[1]
    # Neither of these loops
    assert estimator.evaluate(once)["global_step"] == 40
    assert len(list(estimator.predict(once))) == len(Y)
    assert device.ledger.device_iterations == iterations


def test_hooks_run_in_the_order_of_1_15(tmp_path, monkeypatch):
    order, told = [], []
    hooks = {
        name: Record(name, order) for name in ("user", "training", "chief", "saver")
    }

    def with_hooks(features, labels, mode):
        return model_fn(features, labels, mode)._replace(
            training_hooks=(hooks["training"],), training_chief_hooks=(hooks["chief"],)
        )

    def announce(*values):
        told.append(values)

    monkeypatch.setattr(module.loop_rules, "announce", announce)
    estimator = make(tmp_path, with_hooks, save_summary_steps=7)
    estimator.train(endless, [hooks["user"]], steps=6)
    assert order == ["chief", "user", "training"]
    (all_hooks, first, last, batch, *_) = told[0]
    assert [type(hook).__name__ for hook in all_hooks] == [
        "CheckpointSaverHook",
        "Record",  # training_chief_hooks
        "StepCounterHook",
        "SummarySaverHook",
        "DatasetInitializerHook",
        "Record",  # those given to train
        "StopAtStepHook",
        "NanTensorHook",
        "LoggingTensorHook",
        "Record",  # training_hooks
    ]
    assert (first, last, batch) == (0, 6, models.BATCH)
    estimator.train(endless, max_steps=10)
    assert told[1][1:3] == (6, 10)
    with pytest.raises(tf.errors.OutOfRangeError):
        make(tmp_path, with_hooks).train(lambda: once().take(0), [StopNever()])
    assert told[2][1:3] == (10, None)


class StopNever(tf.train.SessionRunHook):
    """Asks for data after the session is made, where the Estimator would just stop."""

    def after_create_session(self, session, coord):
        session.run(session.graph.get_tensor_by_name("IteratorGetNext:1"))


def test_a_saver_hook_of_the_user_takes_the_place_of_the_estimators(tmp_path):
    seen = []

    class Listener(tf.train.CheckpointSaverListener):
        def after_save(self, session, global_step_value):
            seen.append(int(global_step_value))

    mine = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=4)
    make(tmp_path).train(endless, [mine], steps=6, saving_listeners=[Listener()])
    assert models.checkpoints(tmp_path) == seen == [0, 4, 6]


def test_listeners_need_checkpoints(tmp_path):
    estimator = make(tmp_path, save_checkpoints_steps=None, save_checkpoints_secs=None)
    listener = tf.train.CheckpointSaverListener()
    with pytest.raises(ValueError, match="save_checkpoints_steps"):
        estimator.train(endless, steps=1, saving_listeners=[listener])
    estimator.train(endless, steps=1)
    assert estimator.latest_checkpoint() is None


def test_old_checkpoints_go_and_the_models_own_saver_is_left_alone(tmp_path):
    make(tmp_path / "kept", keep_checkpoint_max=2).train(endless, steps=20)
    assert models.checkpoints(tmp_path / "kept") == [15, 20]

    def own_saver(features, labels, mode):
        spec = model_fn(features, labels, mode)
        saver = tf.train.Saver(max_to_keep=1)
        return spec._replace(scaffold=tf.train.Scaffold(saver=saver))

    make(tmp_path / "own", own_saver).train(endless, steps=20)
    assert models.checkpoints(tmp_path / "own") == [20]


def test_training_goes_on_from_the_newest_checkpoint(tmp_path, lines):
    make(tmp_path / "two").train(endless, steps=8)
    estimator = make(tmp_path / "two").train(endless, steps=8)
    assert estimator.get_variable_value("global_step") == 16
    estimator.train(endless, max_steps=16)
    assert lines("Skipping training since max_steps has already saved.")
    assert models.checkpoints(tmp_path / "two") == [0, 5, 8, 13, 16]


def test_the_end_of_the_data_ends_the_training(tmp_path, lines):
    estimator = make(tmp_path).train(once)
    assert estimator.get_variable_value("global_step") == 8
    estimator.train(lambda: once().take(0))
    assert lines("Training made no steps.")
    assert lines("Loss for final step: None.")


def test_the_step_is_read_before_it_advances_and_never_races(tmp_path, lines):
    """Runs of a tiny model; without an order the two race in one of some ten."""
    estimator = make(tmp_path, log_step_count_steps=1, save_summary_steps=10)
    estimator.train(endless, steps=200)
    steps = [line.split("step = ")[1].split(" ")[0] for line in lines("loss = ")]
    assert steps == [str(step) for step in range(200)]
    assert not lines("It seems that global step")
    assert [s for s, _ in models.points(tmp_path, "loss")] == [1, *range(11, 200, 10)]


def advance(step):
    return tf.assign_add(step, 1)


@pytest.mark.parametrize(
    "made",
    [
        advance,  # a variable
        lambda step: tf.identity(advance(step)),  # a tensor
        lambda step: tf.group(advance(step)),  # an operation
        lambda step: tf.cond(step < 1000, lambda: advance(step), lambda: step + 0),
    ],
)
def test_whatever_a_train_op_is_the_step_is_read_before_it(tmp_path, lines, made):
    def fn(features, labels, mode):
        train_op = made(tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(
            mode, loss=tf.constant(1.0), train_op=train_op
        )

    make(tmp_path, fn, log_step_count_steps=1).train(endless, steps=30)
    found = [line.split("step = ")[1].split(" ")[0] for line in lines("loss = ")]
    assert found == [str(step) for step in range(30)]


def test_log_lines_count_runs(tmp_path, lines):
    make(tmp_path, log_step_count_steps=4).train(endless, steps=9)
    found = [line.split("step = ")[1].split(" ")[0] for line in lines("loss = ")]
    assert found == ["0", "4", "8"]
    before = len(lines("loss = "))
    make(tmp_path, log_step_count_steps=None).train(endless, steps=9)
    assert len(lines("loss = ")) == before


def test_a_loss_that_is_no_number_stops_the_training(tmp_path):
    def bad(features, labels, mode):
        spec = model_fn(features, labels, mode)
        return spec._replace(loss=spec.loss * float("nan"))

    with pytest.raises(tf.train.NanLossDuringTrainingError):
        make(tmp_path, bad).train(endless, steps=3)


def test_an_evaluation_gives_metrics_and_writes_summaries(tmp_path, device):
    estimator = make(tmp_path).train(endless, steps=10)
    assert estimator.eval_dir("val") == str(tmp_path / "eval_val")
    before = device.ledger.training_calls
    result = estimator.evaluate(once, name="val")
    assert device.ledger.training_calls == before
    assert set(result) == {"loss", "mae", "global_step"}
    assert result["global_step"] == 10
    predicted = np.array([each["y"] for each in estimator.predict(once)])
    assert result["loss"] == pytest.approx(np.mean((predicted - Y) ** 2), rel=1e-5)
    assert models.points(tmp_path / "eval_val", "mae") == [(10, result["mae"])]
    ((step, path),) = models.points(tmp_path / "eval_val", "checkpoint_path")
    assert (step, path.item().decode()) == (10, estimator.latest_checkpoint())
    few = estimator.evaluate(once, steps=2)
    assert few["loss"] == pytest.approx(np.mean((predicted - Y)[:16] ** 2), rel=1e-5)
    assert models.points(tmp_path / "eval", "mae") == [(10, few["mae"])]


def test_the_newest_checkpoint_is_evaluated_unless_one_is_named(tmp_path):
    estimator = make(tmp_path).train(endless, steps=10)
    old = str(tmp_path / "model.ckpt-5")
    assert estimator.evaluate(once, checkpoint_path=old)["global_step"] == 5
    assert estimator.evaluate(once)["global_step"] == 10
    at_five = next(estimator.predict(once, checkpoint_path=old))["y"]
    assert at_five != next(estimator.predict(once))["y"]


def test_without_a_checkpoint_fresh_variables_are_used_with_a_warning(tmp_path, lines):
    estimator = make(tmp_path)
    assert estimator.evaluate(once)["loss"] == pytest.approx(np.mean(Y**2))
    assert next(estimator.predict(once))["y"] == 0
    assert len(lines("No trained model in")) == 2


def test_keras_metrics_start_anew_in_each_evaluation(tmp_path):
    def with_metric(features, labels, mode):
        spec = model_fn(features, labels, mode)
        metric = tf.keras.metrics.MeanSquaredError()
        metric.update_state(labels, spec.predictions["y"])
        return spec._replace(eval_metric_ops={"mse": metric})

    def evaluated(features, labels, mode):
        spec = with_metric(features, labels, mode)
        if mode == "eval":
            return tf.estimator.EstimatorSpec(
                mode, loss=spec.loss, eval_metric_ops=spec.eval_metric_ops
            )
        return spec

    estimator = make(tmp_path, evaluated).train(endless, steps=5)
    first, second = (estimator.evaluate(once) for _ in range(2))
    assert first["mse"] == second["mse"] == pytest.approx(first["loss"], rel=1e-6)


@pytest.mark.parametrize("name", ["loss", "global_step"])
def test_a_metric_cannot_have_the_name_of_the_estimators(tmp_path, name):
    def clash(features, labels, mode):
        spec = model_fn(features, labels, mode)
        return spec._replace(eval_metric_ops={name: tf.metrics.mean(spec.loss)})

    with pytest.raises(ValueError, match=f"must not be named {name}"):
        make(tmp_path, clash).evaluate(once, steps=1)


def test_a_local_init_op_of_the_model_keeps_evaluation_working(tmp_path):
    def with_table(features, labels, mode):
        keys = tf.constant(["a"])
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(keys, tf.constant([3.0])), 0.0
        )
        spec = model_fn(features, labels, mode)
        mine = tf.metrics.mean(table.lookup(keys))
        return spec._replace(
            eval_metric_ops={"three": mine},
            scaffold=tf.train.Scaffold(local_init_op=tf.tables_initializer()),
        )

    assert make(tmp_path, with_table).evaluate(once)["three"] == 3


def test_predictions_come_one_by_one_or_in_batches(tmp_path):
    estimator = make(tmp_path).train(endless, steps=3)
    examples = list(estimator.predict(once))
    assert len(examples) == len(Y)
    assert set(examples[0]) == {"x", "y"}
    batches = list(estimator.predict(once, yield_single_examples=False))
    assert [len(batch["y"]) for batch in batches] == [8] * 8
    assert batches[0]["y"][3] == examples[3]["y"]
    assert set(next(estimator.predict(once, predict_keys="y"))) == {"y"}
    with pytest.raises(ValueError, match=r"None of predict_keys \['z'\].*'x', 'y'"):
        next(estimator.predict(once, ["z"]))


def test_code_between_two_predictions_has_its_own_default_graph(tmp_path):
    estimator = make(tmp_path).train(endless, steps=1)
    mine = tf.get_default_graph()
    for _ in estimator.predict(once):
        assert tf.get_default_graph() is mine
        break
    assert tf.get_default_graph() is mine


def test_predictions_of_unequal_length_are_refused_one_by_one(tmp_path):
    def unequal(features, labels, mode):
        spec = model_fn(features, labels, mode)
        few = {**spec.predictions, "y": spec.predictions["y"][:3]}
        return spec._replace(predictions=few)

    with pytest.raises(ValueError, match="yield_single_examples=False"):
        next(make(tmp_path, unequal).predict(once))


def test_input_functions_and_model_functions_get_what_they_name(tmp_path):
    seen = []

    def input_fn(mode, params, config):
        seen.append((mode, params, config.save_summary_steps))
        return endless()

    def fn(features, labels, mode, params, config):
        seen.append((mode, params, config.save_summary_steps))
        return model_fn(features, labels, mode)

    estimator = tf.estimator.Estimator(
        fn, str(tmp_path), run_config(save_summary_steps=3), {"rate": 1}
    )
    estimator.train(input_fn, steps=1)
    assert seen == [("train", {"rate": 1}, 3)] * 2
    estimator.params["rate"] = 2
    assert estimator.params == {"rate": 1}


def test_warm_start_takes_values_where_there_is_no_checkpoint(tmp_path):
    old = make(tmp_path / "old").train(endless, steps=5)
    for given in (
        str(tmp_path / "old"),
        tf.estimator.WarmStartSettings(str(tmp_path / "old"), ".*kernel"),
    ):
        estimator = tf.estimator.Estimator(
            model_fn, str(tmp_path / f"new{type(given)}"), warm_start_from=given
        )
        before = next(estimator.predict(once))["y"]
        bias = old.get_variable_value("dense/bias")[0]
        full = next(old.predict(once))["y"]
        assert before == pytest.approx(full if isinstance(given, str) else full - bias)
        estimator.train(endless, steps=1)
        assert estimator.get_variable_value("global_step") == 1
    with pytest.raises(ValueError, match="warm_start_from must be a path"):
        tf.estimator.Estimator(model_fn, str(tmp_path), warm_start_from=3)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda e: e.train(endless, steps=1, max_steps=1), ValueError, "not both"),
        (lambda e: e.train(endless, steps=0), ValueError, "steps > 0"),
        (lambda e: e.train(endless, max_steps=-1), ValueError, "max_steps > 0"),
        (lambda e: e.evaluate(once, steps=0), ValueError, "steps > 0"),
        (lambda e: e.train(endless, hooks=[3]), TypeError, "SessionRunHook"),
        (
            lambda e: e.train(endless, saving_listeners=[3]),
            TypeError,
            "CheckpointSaverListener",
        ),
        (lambda e: e.train(lambda: (1, 2, 3), steps=1), ValueError, "3 elements"),
        (lambda e: e.get_variable_value("x"), ValueError, "no trained model"),
    ],
)
def test_wrong_calls_are_refused(tmp_path, call, error, text):
    with pytest.raises(error, match=text):
        call(make(tmp_path))


@pytest.mark.parametrize(
    ("fn", "values", "text"),
    [
        (None, {}, "needs a model_fn"),
        (lambda labels: 0, {}, "argument named features"),
        (lambda features, size: 0, {}, r"\['size'\]"),
        (lambda features: 0, {"params": {}}, "no argument named params"),
        (model_fn, {"config": 3}, "config must be a"),
        (model_fn, {"model_dir": "other"}, "one of the two places"),
    ],
)
def test_wrong_arguments_are_refused(tmp_path, fn, values, text):
    values = {"config": run_config(model_dir=str(tmp_path)), **values}
    with pytest.raises(ValueError, match=text):
        tf.estimator.Estimator(fn, **values)


def test_what_a_model_function_must_give(tmp_path):
    with pytest.raises(ValueError, match="EstimatorSpec, not 3"):
        make(tmp_path, lambda features, labels: 3).train(endless, steps=1)
    with pytest.raises(ValueError, match="takes no labels"):
        make(tmp_path, lambda features: 3).train(endless, steps=1)


def test_a_subclass_may_not_change_what_an_estimator_does():
    class Mine(tf.estimator.Estimator):
        def train(self, *args):
            pass

    with pytest.raises(ValueError, match=r"Mine overrides .*'train'"):
        Mine(model_fn)


def test_without_a_folder_a_temporary_one_is_made(lines):
    estimator = tf.estimator.Estimator(model_fn)
    assert lines("Using temporary folder")[0].endswith(estimator.model_dir)
    assert estimator.config.model_dir == estimator.model_dir
