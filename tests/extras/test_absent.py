"""The commands of extras, where what they need is not installed."""

from __future__ import annotations

import sys

import pytest

from npu_lab import cli

WITH_LIBCST = ("migrate", "check")


@pytest.mark.parametrize("name", WITH_LIBCST)
def test_without_libcst_a_command_says_how_to_get_it(name, monkeypatch, capsys):
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    monkeypatch.setitem(sys.modules, "libcst", None)
    for module in [n for n in sys.modules if n.startswith("npu_lab.extras.")]:
        monkeypatch.delitem(sys.modules, module)
    assert cli.main([name, "-i", "in"]) == 2
    said = capsys.readouterr().err
    assert 'pip install "npu-lab[migrate]"' in said
    assert "Traceback" not in said


def test_the_help_names_them(capsys):
    assert cli.main(["--help"]) == 0
    said = capsys.readouterr().out
    for name in cli.EXTRAS:
        assert name in said
