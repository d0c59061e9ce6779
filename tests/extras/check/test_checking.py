"""Files, notebooks, folders, comments that silence, and what cannot be read."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("libcst")

from npu_lab.extras.check import check_paths, check_source
from npu_lab.extras.check.checking import check_file, files

BAD = "config = NPURunConfig(iterations_per_loop=0)"
TEN = "config = NPURunConfig(iterations_per_loop=10, mix_compile_mode=True)"


def codes(checked):
    return [one.code for one in checked.findings]


def notebook(*cells):
    made = [
        {"cell_type": kind, "source": text, "metadata": {}, "outputs": []}
        for kind, text in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4})


@pytest.mark.parametrize(
    "text",
    [
        f"{BAD}  # npu-lab: ignore[SINK032] tested elsewhere",
        f"{BAD}  # noqa # npu-lab: ignore[SINK001, SINK032]: tested elsewhere",
        f"# npu-lab: ignore[sink032] tested elsewhere\n{BAD}",
        "config = NPURunConfig(\n    iterations_per_loop=0,"
        "  # npu-lab: ignore[SINK032] tested\n)",
    ],
)
def test_a_comment_with_a_reason_silences(text):
    checked = check_source(text)
    assert codes(checked) == []
    assert [one.code for one in checked.ignored] == ["SINK032"]
    assert not checked.fails


@pytest.mark.parametrize(
    "text",
    [
        f"{BAD}  # npu-lab: ignore[SINK001] another code",
        f"# npu-lab: ignore[SINK032] too far above\n\n{BAD}",
        f"{BAD}\n# npu-lab: ignore[SINK032] below",
        f"x = '# npu-lab: ignore[SINK032] in a text'; {BAD}",
    ],
)
def test_what_silences_nothing(text):
    assert codes(check_source(text)) == ["SINK032"]


def test_a_comment_without_a_reason_silences_nothing_and_is_told():
    checked = check_source(f"\n{BAD}  # npu-lab: ignore[SINK032]", "a.py")
    assert codes(checked) == ["SINK032"]
    assert list(map(str, checked.without_reason)) == ["a.py:2:1"]


def test_a_notebook_is_one_program_and_its_places_are_those_of_cells():
    text = notebook(
        ("code", "%load_ext npu_lab\nfrom npu_bridge.npu_init import *\nN = 0"),
        ("markdown", "iterations_per_loop"),
        ("code", "%%bash\nthis is no Python ("),
        ("code", "files = !ls\n\nconfig = NPURunConfig(iterations_per_loop=N)"),
    )
    checked = check_source(text, "a.ipynb")
    assert codes(checked) == ["SINK032"]
    assert str(checked.findings[0].place) == "a.ipynb#cell4:3:10"
    assert not checked.problems


def test_a_cell_that_cannot_be_read_is_told_and_the_rest_is_checked():
    text = notebook(("code", "x = (\n"), ("code", BAD))
    checked = check_source(text, "a.ipynb")
    assert codes(checked) == ["SINK032"]
    assert [(one.place.cell, one.reason) for one in checked.problems] == [(1, "syntax")]


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b"print 'iterations_per_loop'\n", 1, "python 2"),
        (b"x = 1\niterations_per_loop = (\n", 2, "syntax"),
        (b"# iterations_per_loop\n\n\nx = '\xff'\n", 4, "encoding"),
        (b"# coding: klingon\niterations_per_loop = 1\n", 1, "encoding"),
        (b"iterations_per_loop = 1\x00", 1, "syntax"),
    ],
)
def test_what_cannot_be_read_says_where_and_why(tmp_path, data, line, reason):
    path = tmp_path / "a.py"
    path.write_bytes(data)
    checked = check_file(path)
    assert [(one.place.line, one.reason) for one in checked.problems] == [
        (line, reason)
    ]
    assert checked.fails


def test_a_file_without_a_loop_is_not_even_parsed(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"print 'Python 2', \xff\n")
    assert not check_file(path).problems


def test_a_broken_notebook_is_told():
    checked = check_source("{'iterations_per_loop'", "a.ipynb")
    assert [one.reason for one in checked.problems] == ["not a notebook"]


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "utf-8-sig"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_places_count_characters_in_any_encoding(tmp_path, encoding, end):
    head = "" if encoding.startswith("utf") else f"# -*- coding: {encoding} -*-{end}"
    path = tmp_path / "训练.py"
    text = f"{head}# 注释{end}名称 = '迭代'; {BAD}{end}"
    path.write_bytes(text.encode(encoding))
    (one,) = check_file(path).findings
    assert one.place.line == 2 + bool(head)
    assert one.place.column == len("名称 = '迭代'; config = ") + 1


def test_lines_are_those_of_python():
    (one,) = check_source(f"x = '\u2028'\f\n\f\n名 = 1; {BAD}\n").findings
    assert (one.place.line, one.place.column) == (3, 17)


def test_folders_are_gone_through_in_order_and_each_file_once(tmp_path):
    for name in (
        "b.py",
        "a.ipynb",
        "sub/c.py",
        ".git/d.py",
        "__pycache__/e.py",
        "f.txt",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(BAD if path.suffix != ".ipynb" else notebook(("code", BAD)))
    found = files([tmp_path / "b.py", tmp_path])
    names = [path.relative_to(tmp_path).as_posix() for path in found]
    assert names == ["b.py", "a.ipynb", "sub/c.py"]
    assert [codes(one) for one in check_paths(found)] == [["SINK032"]] * 3


def test_findings_stand_in_the_order_of_the_program():
    checked = check_source(f"{TEN}\n{BAD}")
    assert codes(checked) == ["SINK010", "SINK032"]


def test_info_and_possible_do_not_fail():
    possible = check_source(
        "config = NPURunConfig(mix_compile_mode=True, iterations_per_loop=n())"
    )
    assert [one.possible for one in possible.findings] == [True]
    assert not possible.fails
    assert check_source(TEN).fails


@pytest.mark.parametrize(
    "text",
    [
        "x = []\nfor i in range(3):\n    x.append(x)\ny = f(x)\n",
        "def f():\n    return f()\nf()\n",
        "def f(): g()\ndef g(): f()\nf()\n",
        "class A(A): pass\nA().x = A()\nA().x.x = A().x\ng(A())\n",
        "x = {}\nx['x'] = x\nsess.run(x)\n",
        "while x:\n    x = [x, x]\nelse:\n    del x\n",
        "a, *b = f()\nasync def g():\n    async with a as b:\n        await b\n",
        "match x:\n    case [1, *r]: y = r\n    case _: pass\n",
        "try:\n    pass\nexcept* E:\n    pass\n",
        "lambda: (yield)\n",
        "def f(a, /, b, *, c=1, **d): return a + b\nf(1, *x, **y)\n",
        "x: int\nx += 1\nglobal x\n",
        "1 / 0, 1 // 0, 1 % 0, -'a', 'a' * 3, 1 < 'a'\nint('x' + 1)\n",
    ],
)
def test_any_program_can_be_gone_through(text):
    text = f"{text}\nN = 'iterations_per_loop'\n"
    checked = check_source(text)
    assert checked.findings == ()
    assert checked.problems == ()


def test_a_program_that_calls_itself_broadly_ends_soon():
    functions = "".join(f"def f{i}():\n" + f"    f{i + 1}()\n" * 20 for i in range(12))
    text = f"{functions}\nf0()\n{BAD}\n"
    assert codes(check_source(text)) in ([], ["SINK032"])


def test_of_a_program_too_long_to_be_seen_whole_nothing_is_sure(monkeypatch):
    monkeypatch.setattr("npu_lab.extras.check.machine.MOST_STATEMENTS", 1)
    checked = check_source(f"{BAD}\n{TEN}\n{BAD}\n")
    assert [one.possible for one in checked.findings] == [True]


def test_a_folder_that_cannot_be_read_is_a_problem(tmp_path, monkeypatch):
    (tmp_path / "closed").mkdir()
    monkeypatch.setattr("os.access", lambda path, _: path.name != "closed")
    (checked,) = check_paths([tmp_path])
    assert checked.fails
    assert checked.name.endswith("closed")
