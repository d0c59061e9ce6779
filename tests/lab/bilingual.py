"""What a text of a lesson must hold."""

from __future__ import annotations

import re
from collections.abc import Mapping

from npu_lab.language import LANGUAGES

HANZI = re.compile(r"[\u4e00-\u9fff]")


def assert_in_both_languages(text: Mapping[str, str]) -> None:
    """It is there in each; numbers, code and a single term need no hanzi."""
    assert sorted(text) == sorted(LANGUAGES)
    assert all(text.values())
    assert not HANZI.search(text["en"]), text
    short = len(re.findall(r"[A-Za-z]{2,}", text["zh"])) <= 1
    assert short or text["zh"] == text["en"] or HANZI.search(text["zh"]), text
