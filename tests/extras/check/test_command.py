"""`npu-lab check`: what it prints, in which language, and its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from string import Formatter

import pytest

pytest.importorskip("libcst")

from npu_lab import cli, language
from npu_lab.extras.check._texts import TEXTS
from npu_lab.extras.check.command import main

BAD = "config = NPURunConfig(iterations_per_loop=0)\n"
POSSIBLE = "config = NPURunConfig(mix_compile_mode=True, iterations_per_loop=n())\n"


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv(language.VARIABLE, "en")


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "a.py"
        path.write_text(text, "utf-8")
        return str(path)

    return write


@pytest.mark.parametrize(
    ("text", "status", "summary"),
    [
        (BAD, 1, "files 1, findings 1, possible 0, ignored 0"),
        (POSSIBLE, 0, "files 1, findings 0, possible 1, ignored 0"),
        ("x = 1\n", 0, "files 1, findings 0, possible 0, ignored 0"),
        ("iterations_per_loop = (\n", 1, "files 1, findings 0, possible 0, ignored 0"),
        (
            f"# npu-lab: ignore[SINK032] meant\n{BAD}",
            0,
            "files 1, findings 0, possible 0, ignored 1",
        ),
    ],
)
def test_exit_status_and_summary(script, capsys, text, status, summary):
    path = script(text)
    assert cli.main(["check", path]) == status
    assert summary in capsys.readouterr().err


def test_a_line_says_place_kind_code_and_mend(script, capsys):
    path = script(BAD)
    main([path])
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{path}:1:10: error SINK032 iterations_per_loop is 0")
    main([script(POSSIBLE)])
    assert ":1:10: possible error SINK010 " in capsys.readouterr().out


def test_chinese(script, capsys, monkeypatch):
    monkeypatch.setenv(language.VARIABLE, "zh")
    main([script(POSSIBLE)])
    printed = capsys.readouterr()
    assert "可能的错误 SINK010" in printed.out
    assert "可能的问题 1 项" in printed.err


def test_what_cannot_be_read_is_printed(script, capsys):
    path = script("print 'iterations_per_loop'\n")
    assert main([path]) == 1
    assert f"{path}:1:1: not checked: this is Python 2" in capsys.readouterr().out


def test_a_comment_without_a_reason_is_printed(script, capsys):
    main([script(BAD.strip() + "  # npu-lab: ignore[SINK032]\n")])
    assert "gives no reason" in capsys.readouterr().out


def test_json(script, capsys):
    path = script(BAD)
    assert main([path, "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["files"] == 1
    assert result["ok"] is False
    assert result["not_checked"] == []
    assert result["ignored"] == 0
    (one,) = result["findings"]
    assert {key: one[key] for key in ("path", "cell", "line", "column")} == {
        "path": path,
        "cell": 0,
        "line": 1,
        "column": 10,
    }
    assert (one["code"], one["severity"], one["possible"]) == (
        "SINK032",
        "error",
        False,
    )
    assert one["message"]
    assert one["why"]
    assert one["mend"]


def test_json_of_what_cannot_be_read(script, capsys):
    main([script("iterations_per_loop = (\n"), "--json"])
    result = json.loads(capsys.readouterr().out)
    assert result["ok"] is False
    (one,) = result["not_checked"]
    assert one["line"] == 1
    assert "no Python 3" in one["reason"]


def test_wrong_usage(tmp_path, capsys):
    missing = tmp_path / "missing.py"
    assert main([str(missing)]) == 2
    assert str(missing) in capsys.readouterr().err
    assert main([]) == 2
    assert main(["--unknown"]) == 2


def test_help_tells_how_to_silence(capsys):
    assert main(["--help"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "# npu-lab: ignore[SINK004] the reason" in printed


@pytest.mark.parametrize("encoding", ["gbk", "ascii", "utf-8"])
@pytest.mark.parametrize("chosen", language.LANGUAGES)
def test_any_console(tmp_path, encoding, chosen):
    path = tmp_path / "训练.py"
    text = f"# -*- coding: gbk -*-\n名称 = '循环'\n{BAD}"
    path.write_bytes(text.encode("gbk"))
    variables = {**os.environ, "PYTHONIOENCODING": encoding, language.VARIABLE: chosen}
    command = [sys.executable, "-m", "npu_lab.extras.check", str(tmp_path)]
    ended = subprocess.run(command, env=variables, capture_output=True, check=False)
    assert ended.returncode == 1, ended.stderr
    printed = ended.stdout.decode(encoding)
    assert "SINK032" in printed
    if encoding != "ascii":
        assert "训练.py:3:10" in printed


@pytest.mark.parametrize("key", TEXTS)
def test_both_languages_have_the_same_fields(key):
    english, chinese = (
        {name for _, name, _, _ in Formatter().parse(one) if name} for one in TEXTS[key]
    )
    assert english == chinese
