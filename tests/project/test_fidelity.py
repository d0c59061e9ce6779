"""FIDELITY.md names what is missing, no more and no less."""

from __future__ import annotations

import re

from npu_lab.bridge import later
from npu_lab.device.option_table import OPTIONS
from tests.project.tree import ROOT


def test_every_name_that_is_not_carried_out_is_listed():
    text = (ROOT / "FIDELITY.md").read_text("utf-8")
    _, listed = text.split("raise NotImplementedError when used:")
    assert set(re.findall(r"`([^`]+)`", listed)) == set(later.names())


def test_the_number_of_options_is_that_of_the_table():
    text = (ROOT / "FIDELITY.md").read_text("utf-8")
    assert re.findall(r"all (\d+) keys", text) == [str(len(OPTIONS))]


def test_codes_that_are_mentioned_exist():
    from npu_lab.diagnostics import CATALOGUE

    text = (ROOT / "FIDELITY.md").read_text("utf-8")
    assert set(re.findall(r"SINK\d+", text)) <= set(CATALOGUE)
