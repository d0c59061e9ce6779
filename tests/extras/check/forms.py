"""The labelled programs in other forms, of which the same should be said."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.extras.check.labelled import Snippet

_STAR = "from npu_bridge.npu_init import *"


def in_a_function(snippet: Snippet) -> Snippet:
    """All of it in `main`, which nothing calls."""
    inside = []
    for line in snippet.text.splitlines():
        kept = "pass" if line == _STAR else line
        inside.append(f"    {kept}" if kept else "")
    star = _STAR if _STAR in snippet.text.splitlines() else "import os"
    text = "\n".join([star, "def main():", *inside]) + "\n"
    labels = frozenset((line + 2, *rest) for line, *rest in snippet.labels)
    return Snippet(f"in a function, {snippet.title}", text, labels)


def called(snippet: Snippet) -> Snippet:
    """All of it in `main`, which is called."""
    made = in_a_function(snippet)
    guard = "if __name__ == '__main__':\n    main()\n"
    return Snippet(f"called, {snippet.title}", made.text + guard, made.labels)


def other_alias(snippet: Snippet) -> Snippet:
    """TensorFlow under its other name."""
    text = re.sub(r"\btf\.", "tf1.", snippet.text)
    text = text.replace("import tensorflow as tf\n", _ALIASED)
    return Snippet(f"other alias, {snippet.title}", text, snippet.labels)


_ALIASED = "import tensorflow.compat.v1 as tf1\n"


def by_keyword(snippet: Snippet) -> Snippet:
    """The setter and the runs by keyword, the setter's arguments in another order."""
    text = re.sub(
        r"set_iteration_per_loop\((\w+), ([\w.]+), ([\w.]+)\)",
        r"set_iteration_per_loop(iterations_per_loop=\3, sess=\1, train_op=\2)",
        snippet.text,
    )
    text = re.sub(r"\bsess\.run\((\[?[\w, ]+\]?)\)", r"sess.run(fetches=\1)", text)
    return Snippet(f"by keyword, {snippet.title}", text, snippet.labels)


def from_import(snippet: Snippet) -> Snippet:
    """The setter without its module."""
    lines = snippet.text.splitlines()
    if _STAR not in lines:
        return snippet
    at = lines.index(_STAR) + 1
    lines.insert(at, "from npu_bridge.estimator.npu.util import *  # noqa")
    text = "\n".join(lines) + "\n"
    text = text.replace("util.set_iteration_per_loop", "set_iteration_per_loop")
    labels = frozenset((line + (line > at), *rest) for line, *rest in snippet.labels)
    return Snippet(f"from-import, {snippet.title}", text, labels)


FORMS: tuple[Callable[[Snippet], Snippet], ...] = (
    in_a_function,
    called,
    other_alias,
    by_keyword,
    from_import,
)
