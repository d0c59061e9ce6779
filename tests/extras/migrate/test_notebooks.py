"""Notebooks cell by cell: magics stay, nothing but changed sources does."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("libcst")

from npu_lab.extras.migrate import files
from npu_lab.extras.migrate.finding import Options

FORMATS = [
    {"indent": 1, "ensure_ascii": False},
    {"indent": 2, "ensure_ascii": True},
    {"separators": (",", ":")},
]


def code(*lines, outputs=()):
    return {
        "cell_type": "code", "execution_count": 3, "metadata": {"x": 1},
        "outputs": list(outputs), "source": [*lines],
    }  # fmt: skip


def notebook(*cells):
    text = {
        "cell_type": "markdown",
        "metadata": {},
        "source": ["# 标题\n", "tf.Session()"],
    }
    return {"cells": [text, *cells], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def run(folder, content, end="\n", **style):
    data = (json.dumps(content, **style) + end).encode()
    (folder / "n.ipynb").write_bytes(data)
    return data, files.migrate(folder, "n.ipynb", Options())


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize("end", ["", "\n"])
def test_only_the_sources_that_change_do(tmp_path, style, end):
    cells = (
        code("%matplotlib inline\n", "import tensorflow as tf\n", "!ls\n", "x = !ls"),
        code("%%bash\n", "tf.Session()"),
        code("%%time\n", "if x:\n", "    %ls\n", "    s = tf.Session()\n", "s?",
             outputs=[{"output_type": "stream", "text": "tf.Session()"}]),
        code("y = '''\n", "%s\n", "''' % x"),
    )  # fmt: skip
    expected = notebook(*json.loads(json.dumps(cells)))
    expected["cells"][1]["source"].insert(1, "from npu_bridge.npu_init import *\n")
    expected["cells"][3]["source"][3] = (
        "    s = tf.Session(config=npu_config_proto())\n"
    )
    _, result = run(tmp_path, notebook(*cells), end, **style)
    assert result.data.decode() == json.dumps(expected, **style) + end
    changed = {(f.rule, str(f.place)) for f in result.findings}
    assert changed == {("I1", "n.ipynb#cell2:2:1"), ("S1", "n.ipynb#cell4:4:9")}


def test_a_second_run_finds_nothing(tmp_path):
    _, first = run(
        tmp_path, notebook(code("import tensorflow as tf\n", "tf.Session()"))
    )
    (tmp_path / "n.ipynb").write_bytes(first.data)
    assert files.migrate(tmp_path, "n.ipynb", Options()).data is None


def test_a_cell_that_is_no_python_is_named_and_the_others_are_done(tmp_path):
    content = notebook(
        code("import tensorflow as tf"),
        code("ok = 1\n", "print 'x'"),
        code("tf.Session()"),
    )
    _, result = run(tmp_path, content)
    assert b"npu_config_proto" in result.data
    (hand,) = [f for f in result.findings if f.level == "hand"]
    assert (str(hand.place), hand.reason) == ("n.ipynb#cell3:2:1", "python 2")


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"cells": 3}', b"\xff", b'{"cells": [{}]}']
)
def test_what_is_no_notebook_is_listed(tmp_path, data):
    (tmp_path / "n.ipynb").write_bytes(data)
    result = files.migrate(tmp_path, "n.ipynb", Options())
    assert result.unread
    assert [f.reason for f in result.findings] == ["not a notebook"]


def test_without_tensorflow_nothing_changes(tmp_path):
    _, result = run(tmp_path, notebook(code("import os\n", "%ls")))
    assert result.data is None
    assert not result.findings


@pytest.mark.parametrize(
    "lines",
    [
        ("!pip install a \\\n", "    b\n"),
        ("!ls\n", "print('%d'\n", "      % 3)\n"),
        ("%time x\n", "a = (b\n", "     != c)\n"),
        ("n = !ls \\\n", "  -l\n"),
    ],
)
def test_a_magic_goes_on_and_an_expression_is_none(tmp_path, lines):
    content = notebook(code(*lines, "s = tf.Session()"))
    _, result = run(tmp_path, content, indent=1)
    made = json.loads(result.data)["cells"][1]["source"]
    assert set(lines) <= set(made)
    assert made[-1] == "s = tf.Session(config=npu_config_proto())"
    assert [f for f in result.findings if f.level == "hand"] == []
