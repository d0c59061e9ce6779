"""`tf.estimator.train_and_evaluate`, on one machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple, Self

from npu_lab._tensorflow import tf
from npu_lab.tf1.estimator import checks
from npu_lab.tf1.estimator.estimator import Estimator
from npu_lab.tf1.estimator.exporter import Exporter

logging = tf.compat.v1.logging
train = tf.compat.v1.train
GLOBAL_STEP = tf.compat.v1.GraphKeys.GLOBAL_STEP


class _TrainFields(NamedTuple):
    input_fn: Callable[..., Any]
    max_steps: int | None
    hooks: tuple[Any, ...]
    saving_listeners: tuple[Any, ...]


class TrainSpec(_TrainFields):
    """How `train_and_evaluate` trains: up to `max_steps`, or for ever.

    Raises:
        ValueError: `max_steps` is not positive.
        TypeError: `input_fn`, a hook or a listener is none.
    """

    __slots__ = ()

    def __new__(  # noqa: D102
        cls,
        input_fn: Callable[..., Any],
        max_steps: int | None = None,
        hooks: Any = None,
        saving_listeners: Any = None,
    ) -> Self:
        _check_callable(input_fn)
        checks.check_positive("max_steps", max_steps)
        return super().__new__(
            cls,
            input_fn,
            max_steps,
            tuple(checks.checked_hooks(hooks)),
            tuple(checks.checked_listeners(saving_listeners)),
        )


class _EvalFields(NamedTuple):
    input_fn: Callable[..., Any]
    steps: int | None
    name: str | None
    hooks: tuple[Any, ...]
    exporters: tuple[Any, ...]
    start_delay_secs: float
    throttle_secs: float


class EvalSpec(_EvalFields):
    """How `train_and_evaluate` evaluates.

    Args:
        input_fn: gives the data.
        steps: batches of an evaluation; None means all of the data.
        name: of the evaluation's folder, ``eval_<name>``.
        hooks: hooks of the evaluation.
        exporters: one Exporter, or several.
        start_delay_secs: has no effect on one machine.
        throttle_secs: seconds from one evaluation to the next at least; a checkpoint
            that is written sooner is not evaluated, unless it is the last.

    Raises:
        ValueError: a number is out of its range, or two exporters share a name.
        TypeError: an argument has the wrong type.
    """

    __slots__ = ()

    def __new__(  # noqa: D102
        cls,
        input_fn: Callable[..., Any],
        steps: int | None = 100,
        name: str | None = None,
        hooks: Any = None,
        exporters: Any = None,
        start_delay_secs: float = 120,
        throttle_secs: float = 600,
    ) -> Self:
        _check_callable(input_fn)
        checks.check_positive("steps", steps)
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name must be a string, not {name!r}.")
        for what, seconds in (
            ("start_delay_secs", start_delay_secs),
            ("throttle_secs", throttle_secs),
        ):
            if seconds < 0:
                raise ValueError(f"Must specify {what} >= 0, not {seconds}.")
        return super().__new__(
            cls,
            input_fn,
            steps,
            name,
            tuple(checks.checked_hooks(hooks)),
            _checked_exporters(exporters),
            start_delay_secs,
            throttle_secs,
        )


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> tuple[dict[str, Any] | None, list[Any] | None]:
    """Train, and evaluate and export the checkpoints written meanwhile.

    Returns:
        The metrics of the last evaluation and what its exporters gave; None for both
        where nothing was left to train.

    Raises:
        TypeError: an argument has the wrong type.
    """
    for name, value, kind in (
        ("eval_spec", eval_spec, EvalSpec),
        ("estimator", estimator, Estimator),
        ("train_spec", train_spec, TrainSpec),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"{name} must be a {kind.__name__}, not {value!r}.")
    listener = _EvaluatingListener(estimator, eval_spec, train_spec.max_steps)
    estimator.train(
        train_spec.input_fn,
        hooks=train_spec.hooks,
        max_steps=train_spec.max_steps,
        saving_listeners=(*train_spec.saving_listeners, listener),
    )
    return listener.metrics, listener.exported


class _EvaluatingListener(train.CheckpointSaverListener):  # type: ignore[misc,name-defined]
    """Evaluates each checkpoint but the first of a training, unless it is too soon."""

    def __init__(self, estimator: Any, spec: EvalSpec, max_steps: int | None) -> None:
        self._estimator, self._spec, self._max_steps = estimator, spec, max_steps
        self.metrics: dict[str, Any] | None = None
        self.exported: list[Any] | None = None

    def begin(self) -> None:
        self._timer = train.SecondOrStepTimer(every_secs=self._spec.throttle_secs)
        self._first = True

    def after_save(self, session: Any, global_step_value: int) -> None:  # noqa: ARG002
        if self._first:
            self._first = False
        elif self._timer.should_trigger_for_step(global_step_value):
            self._evaluate(global_step_value)
        else:
            logging.info(
                "Skip the current checkpoint eval due to throttle secs (%s secs).",
                self._spec.throttle_secs,
            )

    def end(self, session: Any, global_step_value: int) -> None:  # noqa: ARG002
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate(global_step_value)

    def _evaluate(self, step: int) -> None:
        self._timer.update_last_triggered_step(step)
        spec, estimator = self._spec, self._estimator
        checkpoint = estimator.latest_checkpoint()
        self.metrics = estimator.evaluate(
            spec.input_fn, spec.steps, spec.hooks, checkpoint, spec.name
        )
        final = bool(self._max_steps and self.metrics[GLOBAL_STEP] >= self._max_steps)
        self.exported = [
            exporter.export(
                estimator=estimator,
                export_path=os.path.join(estimator.model_dir, "export", exporter.name),
                checkpoint_path=checkpoint,
                eval_result=self.metrics,
                is_the_final_export=final,
            )
            for exporter in spec.exporters
        ]


def _check_callable(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError(f"input_fn must be a function, not {input_fn!r}.")


def _checked_exporters(exporters: Any) -> tuple[Any, ...]:
    if isinstance(exporters, Exporter):
        exporters = [exporters]
    exporters = tuple(exporters or ())
    for exporter in exporters:
        if not isinstance(exporter, Exporter):
            raise TypeError(f"exporters must be Exporters, not {exporter!r}.")
    names = [exporter.name for exporter in exporters]
    if len(set(names)) < len(names) or not all(isinstance(n, str) and n for n in names):
        raise ValueError(f"Each exporter needs a name of its own, not {names}.")
    return exporters
