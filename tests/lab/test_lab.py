"""The face of the package, and what it may cost."""

from __future__ import annotations

import string
import subprocess
import sys
from importlib import resources

import pytest

from npu_lab import lab
from npu_lab.lab import pages
from npu_lab.lab._texts import TEXTS


@pytest.mark.parametrize("name", lab.__all__)
def test_every_name_of_the_face_exists(name: str) -> None:
    assert getattr(lab, name) is not None
    assert name in dir(lab)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        lab.no_such_name  # noqa: B018


def test_pictures_and_tables_need_no_tensorflow() -> None:
    code = (
        "import sys; from npu_lab import lab; lab.plot_migration_stages();"
        "lab.round_trip_table; sys.exit('tensorflow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_texts_have_the_same_facts_in_both_languages() -> None:
    for key, texts in TEXTS.items():
        fields = {
            language: sorted(
                name for _, name, _, _ in string.Formatter().parse(text) if name
            )
            for language, text in texts.items()
        }
        assert sorted(fields) == ["en", "zh"], key
        assert set(fields["en"]) >= set(fields["zh"]), key


def test_assets_hold_no_code_and_no_address() -> None:
    for asset in resources.files("npu_lab.lab").joinpath("assets").iterdir():
        text = asset.read_text(encoding="utf-8")
        assert "http" not in text
        assert "<script" not in text


def test_a_missing_value_is_an_error_and_not_a_gap() -> None:
    with pytest.raises(KeyError):
        pages.fill("table_cell")
