"""FIDELITY.md names what is missing, no more and no less."""

from __future__ import annotations

import re

from npu_lab.bridge import later
from tests.project.tree import ROOT


def test_every_name_that_is_not_carried_out_is_listed():
    text = (ROOT / "FIDELITY.md").read_text("utf-8")
    _, listed = text.split("raise NotImplementedError when used:")
    assert set(re.findall(r"`([^`]+)`", listed)) == set(later.names())


def test_codes_that_are_mentioned_exist():
    from npu_lab.diagnostics import CATALOGUE

    text = (ROOT / "FIDELITY.md").read_text("utf-8")
    assert set(re.findall(r"SINK\d+", text)) <= set(CATALOGUE)
