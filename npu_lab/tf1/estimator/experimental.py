"""`tf.estimator.experimental`: hooks that stop a training early."""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.tf1 import absent
from npu_lab.tf1.estimator.estimator import Estimator
from npu_lab.tf1.estimator.export import build_raw_supervised_input_receiver_fn

__all__ = [
    "build_raw_supervised_input_receiver_fn",
    "make_early_stopping_hook",
    "make_stop_at_checkpoint_step_hook",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
]

__getattr__ = absent.teller("estimator.experimental")

logging = tf.compat.v1.logging
train = tf.compat.v1.train


def make_early_stopping_hook(
    estimator: Estimator,
    should_stop_fn: Callable[[], bool],
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """A hook that asks `should_stop_fn` now and then, and stops when it says so.

    Raises:
        TypeError: `estimator` is no Estimator, or `should_stop_fn` no function.
        ValueError: both intervals are given.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"estimator must be an Estimator, not {estimator!r}.")
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError(
            "Give run_every_secs or run_every_steps, and None for the other."
        )
    return _StopHook(should_stop_fn, run_every_secs, run_every_steps)


def make_stop_at_checkpoint_step_hook(
    estimator: Estimator,  # noqa: ARG001  (as in TensorFlow)
    last_step: int,
    wait_after_file_check_secs: int = 30,  # noqa: ARG001
) -> Any:
    """A hook that stops at `last_step`, as on the chief of a cluster."""
    return train.StopAtStepHook(last_step=last_step)


def stop_if_higher_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """A hook that stops when an evaluation's metric was above `threshold`.

    Evaluations at less than `min_steps` steps do not count.
    """
    return _threshold(operator.gt, **locals())


def stop_if_lower_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """A hook that stops when an evaluation's metric was below `threshold`."""
    return _threshold(operator.lt, **locals())


def stop_if_no_increase_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_increase: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """A hook that stops when a metric has had no new maximum for so many steps."""
    values = locals()
    patience = values.pop("max_steps_without_increase")
    return _improvement(operator.gt, patience, **values)


def stop_if_no_decrease_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_decrease: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """A hook that stops when a metric has had no new minimum for so many steps."""
    values = locals()
    patience = values.pop("max_steps_without_decrease")
    return _improvement(operator.lt, patience, **values)


def read_eval_metrics(eval_dir: str) -> dict[int, dict[str, float]]:
    """The metrics of the evaluations in a folder of summaries, by global step."""
    found: dict[int, dict[str, float]] = defaultdict(dict)
    for file in tf.io.gfile.glob(f"{eval_dir}/*.tfevents.*"):
        try:
            for event in train.summary_iterator(file):
                for value in event.summary.value:
                    if value.HasField("simple_value"):
                        found[event.step][value.tag] = value.simple_value
        except tf.errors.DataLossError as error:  # perhaps not written to its end yet
            logging.warning("The rest of %s cannot be read: %s", file, error)
    return dict(sorted(found.items()))


def _threshold(
    beyond: Callable[[float, float], bool],
    *,
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None,
    min_steps: int,
    run_every_secs: float | None,
    run_every_steps: int | None,
) -> Any:
    folder = eval_dir or estimator.eval_dir()

    def should_stop() -> bool:
        return any(
            beyond(metrics[metric_name], threshold)
            for step, metrics in read_eval_metrics(folder).items()
            if step >= min_steps
        )

    return make_early_stopping_hook(
        estimator, should_stop, run_every_secs, run_every_steps
    )


def _improvement(
    better: Callable[[float, float], bool],
    patience: int,
    *,
    estimator: Estimator,
    metric_name: str,
    eval_dir: str | None,
    min_steps: int,
    run_every_secs: float | None,
    run_every_steps: int | None,
) -> Any:
    folder = eval_dir or estimator.eval_dir()

    def should_stop() -> bool:
        best = None
        for step, metrics in read_eval_metrics(folder).items():
            if step < min_steps:
                continue
            value = metrics[metric_name]
            if best is None or better(value, best[0]):
                best = value, step
            if step - best[1] >= patience:
                return True
        return False

    return make_early_stopping_hook(
        estimator, should_stop, run_every_secs, run_every_steps
    )


class _StopHook(train.SessionRunHook):  # type: ignore[misc,name-defined]
    """Stops when a function says so; marks it in a variable, as TensorFlow does."""

    def __init__(
        self,
        should_stop_fn: Callable[[], bool],
        run_every_secs: float | None,
        run_every_steps: int | None,
    ) -> None:
        if not callable(should_stop_fn):
            raise TypeError("should_stop_fn must be a function.")
        self._should_stop = should_stop_fn
        self._timer = train.SecondOrStepTimer(run_every_secs, run_every_steps)

    def begin(self) -> None:
        self._step = train.get_global_step()
        with tf.compat.v1.variable_scope(
            "signal_early_stopping", reuse=tf.compat.v1.AUTO_REUSE
        ):
            stop = tf.compat.v1.get_variable(
                "STOP",
                shape=[],
                dtype=tf.bool,
                initializer=tf.compat.v1.constant_initializer(value=False),
                trainable=False,
            )
        self._mark = tf.compat.v1.assign(stop, value=True)

    def before_run(self, run_context: Any) -> Any:  # noqa: ARG002
        return train.SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = run_values.results
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._should_stop():
            logging.info("Requesting early stopping at global step %d", step)
            run_context.session.run(self._mark)
            run_context.request_stop()
