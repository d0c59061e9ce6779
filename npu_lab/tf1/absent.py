"""What TensorFlow 1.15 had and this view has not: one table, and the errors made of it.

A name that the code asks for, as in ``tf.contrib.layers.flatten(x)``, is told in full,
with its replacement. ``hasattr(tf, "contrib")`` is False, and ``from tensorflow.contrib
import slim`` is an ImportError, so code that has a second way takes it.
"""

from __future__ import annotations

from npu_lab.tf1 import calling
from npu_lab.tf1.absent_names import ABSENT


class AbsentNameError(AttributeError):
    """A name of TensorFlow 1.15 that the view does not supply."""


def explain(path: str) -> str | None:
    """What to do about `path` (dotted, without "tf"), or None when it is not absent."""
    known = path
    while known and known not in ABSENT:
        known = known.rpartition(".")[0]
    if not known:
        return None
    advice = ABSENT[path] if path in ABSENT else _renamed(path) or ABSENT[known]
    return f"tf.{path} is not in the TF 1.15 view. {advice}"


def _renamed(path: str) -> str | None:
    """The new name, where TensorFlow's own upgrade table has one."""
    from tensorflow.tools.compatibility import all_renames_v2

    new = all_renames_v2.symbol_renames.get(f"tf.{path}")
    return f"Use {new.replace('tf.compat.v1.', 'tf.')}." if new else None


def error(path: str) -> AbsentNameError:
    """The error for an attribute access, with the whole name that the code asks for."""
    asked = calling.attributes_asked()
    if asked and asked[0] == path.rpartition(".")[2]:
        full = ".".join([path, *asked[1:]])
    else:
        full = path
    return AbsentNameError(explain(full))
