"""`tf.estimator.Estimator` of TensorFlow 1.15, on TensorFlow's sessions and hooks."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tensorflow.python.training import evaluation
from tensorflow.python.util import function_utils

from npu_lab._tensorflow import tf
from npu_lab.tf1.estimator import (
    checks,
    evaluating,
    inputs,
    loop_rules,
    predicting,
    run_config,
    saved_model,
    training_run,
    warm_start,
)
from npu_lab.tf1.estimator.spec import EstimatorSpec, ModeKeys

logging = tf.compat.v1.logging
train = tf.compat.v1.train
GLOBAL_STEP = tf.compat.v1.GraphKeys.GLOBAL_STEP


class Estimator:
    """Trains, evaluates and runs the model that `model_fn` builds.

    Args:
        model_fn: builds the model; takes ``features``, and where it names them
            ``labels``, ``mode``, ``params`` and ``config``.  Returns an EstimatorSpec.
        model_dir: folder of the checkpoints and summaries; by default that of `config`,
            else a temporary one.
        config: a RunConfig.
        params: passed to `model_fn`.
        warm_start_from: a checkpoint, a folder of one or of a SavedModel, or
            WarmStartSettings, from which variables get their first values.

    Raises:
        ValueError: an argument does not fit; the text says which.
    """

    _wrong_spec: type[Exception] = ValueError

    def __init__(
        self,
        model_fn: Callable[..., Any],
        model_dir: Any = None,
        config: run_config.RunConfig | None = None,
        params: Any = None,
        warm_start_from: Any = None,
    ) -> None:
        checks.refuse_overridden(type(self), Estimator)
        self._config = checks.completed(config, model_dir)
        self._model_dir = self._config.model_dir
        self._session_config = self._config.session_config
        if model_fn is None:
            raise ValueError("Estimator needs a model_fn.")
        checks.check_model_fn(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_settings = warm_start.settings(warm_start_from)

    @property
    def model_dir(self) -> str:
        """Folder of the checkpoints and summaries."""
        return self._model_dir

    @property
    def config(self) -> Any:
        """A copy of the configuration."""
        return copy.deepcopy(self._config)

    @property
    def params(self) -> Any:
        """A copy of the parameters of `model_fn`."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., Any]:
        """The model function, as a function of features, labels, mode and config."""
        return self._call_model_fn

    def train(
        self,
        input_fn: Callable[..., Any],
        hooks: Sequence[Any] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Sequence[Any] | None = None,
    ) -> Estimator:
        """Train until `steps` more steps, or `max_steps` in all, or the data's end.

        It goes on from the newest checkpoint in the model folder.  With a device loop
        of N steps a run is N steps, so that the last run may go beyond.

        Raises:
            ValueError: `steps` and `max_steps` are both given, or one is not positive;
                `input_fn` or `model_fn` return something else than they should; or
                there are saving listeners but no checkpoints.
            TypeError: a hook or listener is none.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Estimator.train: give steps or max_steps, not both.")
        checks.check_positive("steps", steps)
        checks.check_positive("max_steps", max_steps)
        first_step = self._first_step()
        if max_steps is not None and max_steps <= first_step:
            logging.info("Skipping training since max_steps has already saved.")
            return self
        hooks = checks.checked_hooks(hooks)
        listeners = checks.checked_listeners(saving_listeners)
        last_step = max_steps
        if steps is not None or max_steps is not None:
            hooks.append(train.StopAtStepHook(steps, max_steps))
            last_step = max_steps or first_step + (steps or 0)
        with tf.Graph().as_default() as graph, graph.device(self._config.device_fn):
            features, labels, input_hooks = self._begin(input_fn, ModeKeys.TRAIN)
            spec = self._call_model_fn(features, labels, ModeKeys.TRAIN, self.config)
            self._maybe_warm_start(None)
            config = self._config
            training_run.prepare(config, spec)
            hooks = [*input_hooks, *hooks]
            hooks = training_run.all_hooks(config, spec, hooks, listeners)
            batch = training_run.batch(features)
            self._about_to_train(hooks, first_step, last_step, batch)
            training_run.order_step_reads(spec.train_op)
            loss = training_run.run(config, self._session_config, spec, hooks)
        if loss is None:
            logging.warning(
                "Training made no steps, or its first call was not completed. Perhaps"
                " the input is empty or misspecified, or ends within a device loop."
            )
        logging.info("Loss for final step: %s.", loss)
        return self

    def evaluate(
        self,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Sequence[Any] | None = None,
        checkpoint_path: Any = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """The metrics of `steps` batches, or all of the data, with ``global_step``.

        The newest checkpoint is evaluated unless `checkpoint_path` names one; where
        there is none, fresh variables are.  The metrics also go to ``eval_<name>``
        below the model folder, as summaries.

        Raises:
            ValueError: `steps` is not positive, or a metric is named as one of the
                Estimator's own.
            TypeError: a hook is none.
        """
        checks.check_positive("steps", steps)
        hooks = checks.checked_hooks(hooks)
        if steps is not None:
            hooks.append(evaluation._StopAfterNEvalsHook(num_evals=steps))
        checkpoint_path = checkpoint_path or self._newest("evaluate")
        with tf.Graph().as_default() as graph, graph.device(self._config.device_fn):
            features, labels, input_hooks = self._begin(input_fn, ModeKeys.EVAL)
            spec = self._call_model_fn(features, labels, ModeKeys.EVAL, self.config)
            self._maybe_warm_start(checkpoint_path)
            update_op, values = evaluating.metrics(spec)
            results = evaluation._evaluate_once(
                checkpoint_path=checkpoint_path,
                master=self._config.evaluation_master,
                scaffold=evaluating.local_init(spec.scaffold),
                eval_ops=update_op,
                final_ops=values,
                hooks=[*input_hooks, *hooks, *spec.evaluation_hooks],
                config=self._session_config,
            )
            evaluating.write(self.eval_dir(name), results, checkpoint_path)
        return results

    def predict(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Any = None,
        hooks: Sequence[Any] | None = None,
        checkpoint_path: Any = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """The predictions for the examples of `input_fn`, one at a time.

        Variables come from the newest checkpoint unless `checkpoint_path` names one;
        where there is none, they are fresh.

        Args:
            input_fn: gives the examples.
            predict_keys: names of the predictions wanted; all by default.
            hooks: hooks of the session.
            checkpoint_path: the checkpoint to take.
            yield_single_examples: with False, whole batches are yielded.

        Raises:
            ValueError: none of `predict_keys` is there, or predictions have different
                numbers of examples.
            TypeError: a hook is none.
        """
        hooks = checks.checked_hooks(hooks)
        checkpoint_path = checkpoint_path or self._newest("predict")
        with tf.Graph().as_default() as graph, graph.device(self._config.device_fn):
            features, _, input_hooks = self._begin(input_fn, ModeKeys.PREDICT)
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self.config)
            self._maybe_warm_start(checkpoint_path)
            predictions = predicting.chosen(spec.predictions, predict_keys)
            session = train.MonitoredSession(
                train.ChiefSessionCreator(
                    scaffold=spec.scaffold,
                    master=self._config.master,
                    config=self._session_config,
                    checkpoint_filename_with_path=checkpoint_path,
                ),
                hooks=[*input_hooks, *hooks, *spec.prediction_hooks],
            )
        with session:  # but not the graph: the caller's code runs between two batches
            while not session.should_stop():
                values = session.run(predictions)
                if yield_single_examples:
                    yield from predicting.examples(values)
                else:
                    yield values

    def eval_dir(self, name: str | None = None) -> str:
        """Folder of the summaries of `evaluate` with that name."""
        return os.path.join(self._model_dir, f"eval_{name}" if name else "eval")

    def latest_checkpoint(self) -> str | None:
        """The newest checkpoint in the model folder, or None."""
        return tf.train.latest_checkpoint(self._model_dir)

    def get_variable_names(self) -> list[str]:
        """Names of the variables of the newest checkpoint.

        Raises:
            ValueError: there is none.
        """
        return [name for name, _ in tf.train.list_variables(self._trained())]

    def get_variable_value(self, name: str) -> Any:
        """The value of a variable in the newest checkpoint, as an array.

        Raises:
            ValueError: there is no checkpoint.
            NotFoundError: it has no such variable.
        """
        return tf.train.load_variable(self._trained(), name)

    def export_saved_model(
        self,
        export_dir_base: Any,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: dict[str, Any] | None = None,
        as_text: bool = False,
        checkpoint_path: Any = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> bytes:
        """Write a SavedModel of one mode; the path of its new folder, as bytes.

        The folder is named for the time in seconds, below `export_dir_base`.

        Raises:
            ValueError: there is no checkpoint, or nothing to export.
        """
        return saved_model.write(
            self,
            export_dir_base,
            {experimental_mode: serving_input_receiver_fn},
            assets_extra,
            as_text,
            checkpoint_path,
        )

    def export_savedmodel(
        self,
        export_dir_base: Any,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: dict[str, Any] | None = None,
        as_text: bool = False,
        checkpoint_path: Any = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """The older name of `export_saved_model`, which can keep default attributes."""
        return saved_model.write(
            self,
            export_dir_base,
            {ModeKeys.PREDICT: serving_input_receiver_fn},
            assets_extra,
            as_text,
            checkpoint_path,
            strip_default_attrs,
        )

    def experimental_export_all_saved_models(
        self,
        export_dir_base: Any,
        input_receiver_fn_map: dict[str, Callable[[], Any]],
        assets_extra: dict[str, Any] | None = None,
        as_text: bool = False,
        checkpoint_path: Any = None,
    ) -> bytes:
        """As `export_saved_model`, for each mode of `input_receiver_fn_map`."""
        return saved_model.write(
            self,
            export_dir_base,
            input_receiver_fn_map,
            assets_extra,
            as_text,
            checkpoint_path,
        )

    def _about_to_train(
        self,
        hooks: list[Any],
        first_step: int,
        last_step: int | None,
        batch: int | None,
    ) -> None:
        """Called once a training, when graph and hooks are made, before any run.

        `hooks` are all, in running order; `last_step` is None for open-ended training;
        `batch` is the number of examples in a step, where it is known.
        """
        loop_rules.announce(hooks, first_step, last_step, batch, self._session_config)
        loop_rules.report_unread(self._config, hooks)

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> Any:
        """What the model function returns for the tensors of one mode.

        Raises:
            ValueError: there are labels, but the function takes none, or it returned
                something else than an EstimatorSpec.
        """
        names = function_utils.fn_args(self._model_fn)
        if labels is not None and "labels" not in names:
            raise ValueError("model_fn takes no labels, but input_fn returns labels.")
        offered = {"labels": labels, "mode": mode, "config": config}
        offered["params"] = self.params
        logging.info("Calling model_fn.")
        wanted = {name: value for name, value in offered.items() if name in names}
        spec = self._model_fn(features=features, **wanted)
        logging.info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            message = f"model_fn must return an EstimatorSpec, not {spec!r}."
            raise self._wrong_spec(message)
        return spec

    def _create_global_step(self, graph: Any) -> Any:
        return train.create_global_step(graph)

    def _begin(self, input_fn: Any, mode: str) -> tuple[Any, Any, list[Any]]:
        """Seed and step of a new graph; then features, labels and their hooks."""
        graph = tf.compat.v1.get_default_graph()
        tf.compat.v1.set_random_seed(self._config.tf_random_seed)
        self._create_global_step(graph)
        if mode == ModeKeys.TRAIN:
            training_run.cache_step_read(graph)
        result = inputs.call(input_fn, mode, self.params, self.config)
        features, labels, hooks = inputs.parse(result)
        if mode == ModeKeys.PREDICT and not inputs.ends(graph, hooks):
            logging.warning(
                "The input of predict is neither a Dataset nor a queue: it never ends."
            )
        return features, labels, hooks

    def _first_step(self) -> int:
        checkpoint = self.latest_checkpoint()
        if checkpoint is None:
            return 0
        reader = tf.train.load_checkpoint(checkpoint)
        known = reader.has_tensor(GLOBAL_STEP)
        return int(reader.get_tensor(GLOBAL_STEP)) if known else 0

    def _newest(self, what: str) -> str | None:
        checkpoint = self.latest_checkpoint()
        if checkpoint is None:
            text = "No trained model in %s: %s runs on freshly initialised variables."
            logging.warning(text, self._model_dir, what)
        return checkpoint

    def _trained(self) -> str:
        checkpoint = self.latest_checkpoint()
        if checkpoint is None:
            raise ValueError(f"There is no trained model in {self._model_dir}.")
        return checkpoint

    def _maybe_warm_start(self, checkpoint_path: Any) -> None:
        if self._warm_start_settings and not checkpoint_path:
            warm_start.start(self._warm_start_settings)
