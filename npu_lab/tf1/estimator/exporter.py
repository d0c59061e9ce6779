"""Exporters: when `train_and_evaluate` writes a SavedModel."""

from __future__ import annotations

import abc
import os
from collections.abc import Callable
from typing import Any

from tensorflow.python.util import function_utils

from npu_lab._tensorflow import tf

GLOBAL_STEP = tf.compat.v1.GraphKeys.GLOBAL_STEP
STAMP = 10  # digits of a folder named for the time


class Exporter(abc.ABC):
    """Something that exports a model after an evaluation."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Name of its folder, below ``export`` in the model folder."""

    @abc.abstractmethod
    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Export `checkpoint_path`, or not; the new folder, or None."""


class _SavedModelExporter(Exporter):
    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Any,
        assets_extra: dict[str, Any] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = None,
    ) -> None:
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError(
                f"exports_to_keep must be positive, not {exports_to_keep}."
            )
        self._name, self._receiver = name, serving_input_receiver_fn
        self._assets_extra, self._as_text = assets_extra, as_text
        self._exports_to_keep = exports_to_keep

    @property
    def name(self) -> str:
        return self._name

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        if not self._wanted(estimator, eval_result, is_the_final_export):
            return None
        result = estimator.export_saved_model(
            export_path,
            self._receiver,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )
        if self._exports_to_keep is not None:
            folders = [name.rstrip("/") for name in tf.io.gfile.listdir(export_path)]
            stamps = [n for n in folders if len(n) == STAMP and n.isdigit()]
            for old in sorted(stamps)[: -self._exports_to_keep]:
                tf.io.gfile.rmtree(os.path.join(export_path, old))
        return result

    def _wanted(self, estimator: Any, result: dict[str, Any], final: bool) -> bool:
        raise NotImplementedError


class FinalExporter(_SavedModelExporter):
    """Exports once, at the end of the training."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: dict[str, Any] | None = None,
        as_text: bool = False,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)

    def _wanted(self, estimator: Any, result: dict[str, Any], final: bool) -> bool:  # noqa: ARG002
        return final


class LatestExporter(_SavedModelExporter):
    """Exports after each evaluation, and keeps the newest `exports_to_keep`."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: dict[str, Any] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(
            name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep
        )

    def _wanted(self, estimator: Any, result: dict[str, Any], final: bool) -> bool:  # noqa: ARG002
        return True


def _loss_smaller(
    best_eval_result: dict[str, Any], current_eval_result: dict[str, Any]
) -> bool:
    for result in (best_eval_result, current_eval_result):
        if not result or "loss" not in result:
            raise ValueError(f"BestExporter: there is no loss in {result!r}.")
    return bool(best_eval_result["loss"] > current_eval_result["loss"])


class BestExporter(_SavedModelExporter):
    """Exports after an evaluation that is better than all before.

    Args:
        event_file_pattern: where, below the model folder, the summaries of earlier
            evaluations are, so that a new process knows the best one; or None.
        compare_fn: takes ``best_eval_result`` and ``current_eval_result``; whether the
            latter is better.  By default the one with the smaller loss is.
        exports_to_keep: the newest ones that are kept; None keeps all.

    Raises:
        ValueError: an argument does not fit.
    """

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Callable[[], Any] | None = None,
        event_file_pattern: str | None = "eval/*.tfevents.*",
        compare_fn: Callable[..., bool] = _loss_smaller,
        assets_extra: dict[str, Any] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(
            name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep
        )
        expected = {"best_eval_result", "current_eval_result"}
        if compare_fn is None or set(function_utils.fn_args(compare_fn)) != expected:
            raise ValueError(f"compare_fn must have the arguments {sorted(expected)}.")
        self._better, self._pattern = compare_fn, event_file_pattern
        self._model_dir: str | None = None
        self._best: dict[str, Any] | None = None
        self._exported = False

    def _wanted(self, estimator: Any, result: dict[str, Any], final: bool) -> bool:  # noqa: ARG002
        if self._pattern and self._model_dir != estimator.model_dir:
            self._model_dir = estimator.model_dir
            self._best = self._best_so_far(
                os.path.join(estimator.model_dir, self._pattern)
            )
        # The present evaluation is in the summaries already, but for its step
        shown = {n: v for n, v in result.items() if n != GLOBAL_STEP}
        first = not self._exported and self._best == shown
        if not (
            self._best is None
            or first
            or self._better(best_eval_result=self._best, current_eval_result=result)
        ):
            return False
        self._best, self._exported = result, True
        return True

    def _best_so_far(self, pattern: str) -> dict[str, Any] | None:
        best = None
        for file in tf.io.gfile.glob(pattern):
            for event in tf.compat.v1.train.summary_iterator(file):
                values = event.summary.value
                found = {
                    v.tag: v.simple_value for v in values if v.HasField("simple_value")
                }
                if found and (
                    best is None
                    or self._better(best_eval_result=best, current_eval_result=found)
                ):
                    best = found
        return best
