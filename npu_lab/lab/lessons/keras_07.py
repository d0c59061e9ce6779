"""What lesson 07 keeps out of its cells: a diff, and a model that can be measured."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.lab.measurement import Build


def changes(before: Callable[..., Any], after: Callable[..., Any]) -> str:
    """The lines of code that differ, without comments: - of `before`, + of `after`."""
    lines = difflib.unified_diff(_code(before), _code(after), lineterm="", n=0)
    return "\n".join(
        line if not line.startswith("@@") else ""
        for line in list(lines)[3:]  # without the names of files and the first place
    )


def _code(function: Callable[..., Any]) -> list[str]:
    return re.sub(r"  # .*", "", inspect.getsource(function)).splitlines()


def model_of(estimator: Any, input_fn: Callable[[], Any]) -> Build:
    """A function for `lab.measure` that builds what an `Estimator` trains at N = 1."""

    def build() -> tuple[Any, Any, Any]:
        iterator = tf.compat.v1.data.make_initializable_iterator(input_fn())
        tf.compat.v1.train.create_global_step()
        spec = estimator.model_fn(
            *iterator.get_next(),
            "train",
            estimator.config,
        )
        return iterator, spec.train_op, spec.loss

    return build
