"""The one language switch: English or Chinese for every text the lab shows.

`current()` is asked each time a text is rendered. The first of these that answers
decides: the variable `NPU_LAB_LANG`, the folder of the running notebook (the course
lies in `notebooks`, its Chinese twin in `notebooks/zh`), the locale.
"""

from __future__ import annotations

import locale
import os
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Literal

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")

VARIABLE = "NPU_LAB_LANG"
# Set by Jupyter in the kernel's environment: the path of the notebook.
NOTEBOOK_VARIABLE = "JPY_SESSION_NAME"
COURSE_FOLDER = "notebooks"
# In the order in which gettext looks at them.
LOCALE_VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


def current() -> Language:
    """The language of texts shown now: "en" or "zh".

    A value of `NPU_LAB_LANG` that is neither ("zh_CN" counts as "zh") does not decide.
    """
    return (
        _from_name(os.environ.get(VARIABLE, ""))
        or _from_folder(os.environ.get(NOTEBOOK_VARIABLE, ""))
        or _from_folder(_working_folder())
        or _from_locale()
    )


def teller(
    texts: Mapping[str, tuple[str, str]] | Mapping[str, Mapping[Language, str]],
) -> Callable[..., str]:
    """The function that tells a text of a table in the language of the moment.

    Args:
        texts: by key the texts of both languages, `str.format` templates: English and
            Chinese in this order, or by language.

    Returns:
        A function of a key, and of the facts to fill in by name.
    """

    def tell(key: str, /, **facts: object) -> str:
        both, now = texts[key], current()
        own = both[now] if isinstance(both, Mapping) else both[LANGUAGES.index(now)]
        return own.format(**facts)

    return tell


def _from_name(name: str) -> Language | None:
    name = name.strip().lower()
    # Windows spells the locale out: "Chinese (Simplified)_China".
    if name.startswith(("zh", "chinese")):
        return "zh"
    return "en" if name.startswith("en") else None


def _from_folder(path: str) -> Language | None:
    parts = PurePath(path).parts
    for position in range(len(parts) - 1, -1, -1):
        if parts[position] == COURSE_FOLDER:
            if parts[position + 1 : position + 2] == ("zh",):
                return "zh"
            # Anyone may call a folder "notebooks"; the course begins with lesson 00.
            course = Path(*parts[: position + 1])
            return "en" if any(course.glob("00_*.ipynb")) else None
    return None


def _working_folder() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return ""


def _from_locale() -> Language:
    for variable in LOCALE_VARIABLES:
        if os.environ.get(variable):
            return _from_name(os.environ[variable]) or "en"
    return _from_name(locale.getlocale()[0] or "") or "en"
