"""`npu-lab export`: to the terminal or to a file; what is wrong is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from npu_lab import cli


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "en")


def test_to_the_terminal_and_to_a_file_it_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["export", "00_start_here"]) == 0
    shown = capsys.readouterr().out
    assert "import tensorflow as tf" in shown
    target = tmp_path / "script.py"
    assert cli.main(["export", "00_start_here", "-o", str(target)]) == 0
    assert capsys.readouterr().out == ""
    assert target.read_text("utf-8") == shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["99"], "There is no lesson '99'; there are: 00_start_here"),
        (
            ["00_start_here", "-o", "no/folder/x.py"],
            "-o no/folder/x.py: the script was",
        ),
    ],
)
def test_what_is_wrong_is_told(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["export", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"npu-lab export: {message}")
    assert said.count("\n") == 1
