"""train_and_evaluate, its exporters, and the hooks that stop it early."""

from __future__ import annotations

import pytest

import npu_lab.tf1 as tf
from tests.tf1.estimator import models
from tests.tf1.estimator.models import X, endless, model_fn, once, run_config

pytestmark = pytest.mark.usefixtures("device")
TrainSpec, EvalSpec = tf.estimator.TrainSpec, tf.estimator.EvalSpec


@pytest.fixture
def estimator(tmp_path):
    config = run_config(save_checkpoints_steps=5, save_summary_steps=0)
    return tf.estimator.Estimator(model_fn, str(tmp_path), config)


def receiver():
    return tf.estimator.export.build_raw_serving_input_receiver_fn({"x": X})()


def evaluated(folder, name="eval"):
    return [step for step, _ in models.points(folder / name, "loss")]


def test_every_checkpoint_but_the_first_is_evaluated(estimator, tmp_path):
    spec = EvalSpec(once, steps=None, name="val", throttle_secs=0)
    metrics, exported = tf.estimator.train_and_evaluate(
        estimator, TrainSpec(endless, 12), spec
    )
    assert evaluated(tmp_path, "eval_val") == [5, 10, 12]
    assert metrics == estimator.evaluate(once)
    assert exported == []
    # Nothing is left to train
    again = tf.estimator.train_and_evaluate(estimator, TrainSpec(endless, 12), spec)
    assert again == (None, None)


def test_checkpoints_that_come_too_soon_are_left_out_but_the_last_is_not(
    estimator, tmp_path
):
    tf.estimator.train_and_evaluate(
        estimator, TrainSpec(endless, 22), EvalSpec(once, throttle_secs=1000)
    )
    assert evaluated(tmp_path) == [5, 22]


def test_exporters_write_when_they_should(estimator, tmp_path):
    exporters = [
        tf.estimator.FinalExporter("final", receiver),
        tf.estimator.LatestExporter("latest", receiver, exports_to_keep=2),
        tf.estimator.BestExporter(serving_input_receiver_fn=receiver),
    ]
    _, exported = tf.estimator.train_and_evaluate(
        estimator,
        TrainSpec(endless, 15),
        EvalSpec(once, exporters=exporters, throttle_secs=0),
    )
    folders = {
        name: sorted(path.name for path in (tmp_path / "export" / name).iterdir())
        for name in ("final", "latest", "best_exporter")
    }
    assert len(folders["final"]) == 1
    assert len(folders["latest"]) == 2
    losses = [loss for _, loss in models.points(tmp_path / "eval", "loss")]
    better = [loss for i, loss in enumerate(losses) if loss <= min(losses[: i + 1])]
    assert len(folders["best_exporter"]) == len(better) == 3
    newest = [path and path.decode()[-10:] for path in exported]
    assert newest == [
        folders["final"][0],
        folders["latest"][1],
        folders["best_exporter"][2],
    ]


class Told(tf.estimator.BestExporter):
    """Says whether it would export, and leaves it at that."""

    def __init__(self, **values):
        super().__init__(serving_input_receiver_fn=receiver, **values)

    def told(self, estimator, loss):
        return self._wanted(estimator, {"loss": loss}, False)


def test_only_a_better_model_is_exported_also_after_a_restart(estimator, tmp_path):
    exporter = Told()
    assert [exporter.told(estimator, loss) for loss in (3.0, 2.0, 2.5, 1.0)] == [
        True,
        True,
        False,
        True,
    ]
    writer = tf.summary.FileWriter(str(tmp_path / "eval"))
    for step, loss in enumerate([4.0, 1.0]):
        value = tf.Summary.Value(tag="loss", simple_value=loss)
        writer.add_summary(tf.Summary(value=[value]), step)
    writer.close()
    assert not Told().told(estimator, 3.0)
    assert Told().told(estimator, 0.5)
    assert Told(event_file_pattern=None).told(estimator, 3.0)

    def larger(best_eval_result, current_eval_result):
        return current_eval_result["loss"] > best_eval_result["loss"]

    assert Told(compare_fn=larger).told(estimator, 5.0)
    with pytest.raises(ValueError, match="best_eval_result"):
        Told(compare_fn=lambda a, b: True)
    with pytest.raises(ValueError, match="must be positive"):
        Told(exports_to_keep=0)
    with pytest.raises(ValueError, match="no loss"):
        Told(event_file_pattern=None)._better({}, {"loss": 1})


def final(name="a"):
    return tf.estimator.FinalExporter(name, receiver)


@pytest.mark.parametrize(
    ("kind", "values", "error", "text"),
    [
        (TrainSpec, {"input_fn": 3}, TypeError, "must be a function"),
        (TrainSpec, {"max_steps": 0}, ValueError, "max_steps > 0"),
        (TrainSpec, {"hooks": [3]}, TypeError, "SessionRunHook"),
        (TrainSpec, {"saving_listeners": [3]}, TypeError, "CheckpointSaverListener"),
        (EvalSpec, {"input_fn": None}, TypeError, "must be a function"),
        (EvalSpec, {"steps": 0}, ValueError, "steps > 0"),
        (EvalSpec, {"name": 3}, TypeError, "must be a string"),
        (EvalSpec, {"exporters": [3]}, TypeError, "must be Exporters"),
        (EvalSpec, {"exporters": [final(), final()]}, ValueError, "of its own"),
        (EvalSpec, {"exporters": final("")}, ValueError, "of its own"),
        (EvalSpec, {"start_delay_secs": -1}, ValueError, "start_delay_secs >= 0"),
        (EvalSpec, {"throttle_secs": -1}, ValueError, "throttle_secs >= 0"),
    ],
)
def test_wrong_specs_are_refused(kind, values, error, text):
    with pytest.raises(error, match=text):
        kind(**{"input_fn": once, **values})


def test_the_defaults_of_the_specs():
    assert TrainSpec(once) == (once, None, (), ())
    assert EvalSpec(once) == (once, 100, None, (), (), 120, 600)


def test_arguments_of_another_kind_are_refused(estimator):
    for given in (
        (3, TrainSpec(once), EvalSpec(once)),
        (estimator, 3, EvalSpec(once)),
        (estimator, TrainSpec(once), 3),
    ):
        with pytest.raises(TypeError, match=r"must be a .*, not 3"):
            tf.estimator.train_and_evaluate(*given)


experimental = tf.estimator.experimental


def stopped_at(estimator, hook, max_steps=40):
    tf.estimator.train_and_evaluate(
        estimator,
        TrainSpec(endless, max_steps, hooks=[hook]),
        EvalSpec(once, throttle_secs=0),
    )
    return estimator.get_variable_value("global_step")


def test_a_training_stops_when_a_metric_is_good_enough(estimator):
    how = {"run_every_secs": None, "run_every_steps": 1}
    hook = experimental.stop_if_lower_hook(estimator, "loss", 100, **how)
    # The checkpoint is written, and evaluated, before the hooks of the user
    assert stopped_at(estimator, hook) == 5
    assert "signal_early_stopping/STOP" in estimator.get_variable_names()


def test_evaluations_before_the_first_steps_do_not_count(estimator):
    how = {"run_every_secs": None, "run_every_steps": 1, "min_steps": 10}
    hook = experimental.stop_if_lower_hook(estimator, "loss", 100, **how)
    assert stopped_at(estimator, hook) == 10


def test_a_training_stops_when_a_metric_no_longer_improves(estimator):
    how = {"run_every_secs": None, "run_every_steps": 1}
    hook = experimental.stop_if_no_increase_hook(estimator, "loss", 10, **how)
    assert stopped_at(estimator, hook) == 15  # it was never higher than at step 5


def test_hooks_that_see_no_reason_do_not_stop(estimator):
    how = {"run_every_secs": None, "run_every_steps": 1}
    hook = experimental.stop_if_higher_hook(estimator, "loss", 100, **how)
    assert stopped_at(estimator, hook, 12) == 12
    hook = experimental.stop_if_no_decrease_hook(estimator, "loss", 100, **how)
    assert stopped_at(estimator, hook, 24) == 24
    hook = experimental.make_stop_at_checkpoint_step_hook(estimator, 30)
    assert stopped_at(estimator, hook) == 30


def test_wrong_hooks_are_refused(estimator):
    make = experimental.make_early_stopping_hook
    with pytest.raises(TypeError, match="must be an Estimator"):
        make(3, lambda: True)
    with pytest.raises(TypeError, match="must be a function"):
        make(estimator, 3)
    with pytest.raises(ValueError, match="run_every_secs or run_every_steps"):
        make(estimator, lambda: True, 1, 1)
