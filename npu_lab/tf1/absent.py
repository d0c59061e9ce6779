"""What TensorFlow 1.15 had and this view has not: one table, and the errors made of it.

A name that the code asks for, as in ``tf.contrib.layers.flatten(x)``, is told in full,
with its replacement. ``hasattr(tf, "contrib")`` is False, and ``from tensorflow.contrib
import slim`` is an ImportError, so code that has a second way takes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npu_lab.tf1 import calling
from npu_lab.tf1.absent_names import ABSENT, PRESENT


class AbsentNameError(AttributeError):
    """A name of TensorFlow 1.15 that the view does not supply."""


def explain(path: str) -> str | None:
    """What to do about `path` (dotted, without "tf"), or None when it is not absent."""
    known = path
    while known and known not in ABSENT and known not in PRESENT:
        known = known.rpartition(".")[0]
    if not known or known in PRESENT:
        return None
    advice = ABSENT[path] if path in ABSENT else _renamed(path) or ABSENT[known]
    return f"tf.{path} is not in the TF 1.15 view. {advice}"


def _renamed(path: str) -> str | None:
    """The new name, where TensorFlow's own upgrade table has one."""
    from tensorflow.tools.compatibility import all_renames_v2

    new = all_renames_v2.symbol_renames.get(f"tf.{path}")
    return f"Use {new.replace('tf.compat.v1.', 'tf.')}." if new else None


def asked(path: str) -> str:
    """The whole name that the code asks for, where it is on its way through `path`."""
    names = calling.attributes_asked()
    if names and names[0] == path.rpartition(".")[2]:
        return ".".join([path, *names[1:]])
    return path


def error(path: str) -> AbsentNameError:
    """The error for an attribute access, with the whole name that the code asks for."""
    return AbsentNameError(explain(asked(path)))


def teller(path: str) -> Callable[[str], Any]:
    """A ``__getattr__`` for the module of the view that is `path`."""

    def __getattr__(name: str) -> Any:  # noqa: N807
        if explain(f"{path}.{name}"):
            raise error(f"{path}.{name}")
        message = f"module 'tensorflow.{path}' has no attribute {name!r}"
        raise AttributeError(message, name=name)

    return __getattr__
