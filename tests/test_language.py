"""Which language texts are shown in: variable, then course folder, then locale."""

from __future__ import annotations

import locale
import os
from typing import TYPE_CHECKING

import pytest

from npu_lab import language

if TYPE_CHECKING:
    from pathlib import Path

VARIABLES = (language.VARIABLE, language.NOTEBOOK_VARIABLE, *language.LOCALE_VARIABLES)


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(locale, "getlocale", lambda *_: (None, None))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    folder = tmp_path / "notebooks"
    (folder / "zh").mkdir(parents=True)
    (folder / "00_start_here.ipynb").touch()
    (folder / "zh" / "00_start_here.ipynb").touch()
    return folder


def test_english_when_nothing_says_otherwise() -> None:
    assert language.current() == "en"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("zh", "zh"),
        ("zh_CN.UTF-8", "zh"),
        (" ZH ", "zh"),
        ("en", "en"),
        ("en_GB", "en"),
    ],
)
def test_the_variable_decides(
    monkeypatch: pytest.MonkeyPatch, course: Path, value: str, expected: str
) -> None:
    monkeypatch.chdir(course if expected == "zh" else course / "zh")
    monkeypatch.setenv(language.VARIABLE, value)
    assert language.current() == expected


def test_a_variable_in_another_language_does_not_decide(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(language.VARIABLE, "fr")
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert language.current() == "zh"


def test_the_folder_of_the_notebook_decides_over_the_locale(
    monkeypatch: pytest.MonkeyPatch, course: Path
) -> None:
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.chdir(course / "zh")
    assert language.current() == "zh"
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    monkeypatch.chdir(course)
    assert language.current() == "en"


def test_the_path_that_jupyter_gives_decides_over_the_working_folder(
    monkeypatch: pytest.MonkeyPatch, course: Path
) -> None:
    monkeypatch.chdir(course)
    monkeypatch.setenv(
        language.NOTEBOOK_VARIABLE, str(course / "zh" / "00_start_here.ipynb")
    )
    assert language.current() == "zh"


def test_a_session_name_without_a_course_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, course: Path
) -> None:
    monkeypatch.setenv(language.NOTEBOOK_VARIABLE, "7c9e6679-7425-40de-944b")
    monkeypatch.chdir(course / "zh")
    assert language.current() == "zh"


def test_any_other_folder_called_notebooks_leaves_it_to_the_locale(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mine = tmp_path / "mine" / "notebooks"
    mine.mkdir(parents=True)
    monkeypatch.chdir(mine)
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert language.current() == "zh"


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LC_ALL": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LANGUAGE": "zh_CN:en", "LC_ALL": "en_US.UTF-8"}, "zh"),
        ({"LANGUAGE": "", "LANG": "zh_CN.UTF-8"}, "zh"),
    ],
)
def test_the_locale_variables(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str
) -> None:
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    assert language.current() == expected


@pytest.mark.parametrize("name", ["Chinese (Simplified)_China", "zh_CN"])
def test_the_locale_of_windows(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(locale, "getlocale", lambda *_: (name, "936"))
    assert language.current() == "zh"


def test_a_working_folder_that_is_gone_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(os, "getcwd", gone)
    assert language.current() == "en"
