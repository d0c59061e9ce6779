"""Nothing ends the run, all output parses, comments and bytes survive."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings

import pytest

pytest.importorskip("libcst")

from npu_lab.extras.migrate import files
from npu_lab.extras.migrate.finding import Options
from npu_lab.extras.source import reading
from tests.extras.migrate.corpus import CASES


@pytest.fixture(params=CASES)
def name(request):
    return request.param


def run(folder, name, data):
    path = folder / f"{name}.py"
    path.write_bytes(data)
    return files.migrate(folder, path.name, Options(**CASES[name].options))


def comments(text):
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sorted(t.string for t in tokens if t.type == tokenize.COMMENT)


def test_there_are_enough():
    assert len(CASES) >= 60


def test_a_case(name, tmp_path):
    case = CASES[name]
    result = run(tmp_path, name, case.data)
    found = {each.reason for each in result.findings}
    assert set(case.reasons) <= found
    assert "failed" not in found
    assert result.unread == case.unread
    assert (result.data is None) == case.same
    if case.same:
        assert not [f for f in result.findings if f.level == "changed"]
    for text in case.holds:
        assert text in result.after
    for text in case.lacks:
        assert text not in result.after


def test_what_changed_parses_and_keeps_its_comments(name, tmp_path):
    case = CASES[name]
    result = run(tmp_path, name, case.data)
    if result.data is None:
        return
    source = reading.decode(result.data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(source.text, name, "exec", dont_inherit=True)
        ast.parse(source.text)
    before = reading.decode(case.data)
    assert comments(source.text) == comments(before.text)
    assert (source.encoding, source.bom) == (before.encoding, before.bom)
    assert source.text.endswith("\n") == before.text.endswith("\n")
    assert source.text.count("\f") == before.text.count("\f")


def test_what_changed_is_not_changed_again(name, tmp_path):
    first = run(tmp_path, name, CASES[name].data)
    if first.data is not None:
        assert run(tmp_path, name, first.data).data is None


def test_every_line_that_changed_is_one_that_was_reported(name, tmp_path):
    result = run(tmp_path, name, CASES[name].data)
    if result.data is not None:
        assert [f for f in result.findings if f.level == "changed"]


def test_nothing_that_is_not_bound_is_left_of_horovod(name, tmp_path):
    result = run(tmp_path, name, CASES[name].data)
    if result.data is None or CASES[name].options.get("mode") != "horovod":
        return
    tree = ast.parse(result.after)
    bound = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    used = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    assert not {"hvd", "hv"} & (used - bound)
