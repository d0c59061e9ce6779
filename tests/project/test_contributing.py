"""What CONTRIBUTING.md sends its reader to is there."""

from __future__ import annotations

import re

import pytest

from tests.project.tree import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
# Files that a reader makes have NN in their names.
PATHS = sorted(
    {
        one
        for one in re.findall(r"[\w./]+/[\w./]*", TEXT)
        if not re.search(r"NN|ID", one) and one.strip("./")
    }
)
# A short name of a module is looked for in the package.
PLACES = (ROOT, ROOT / "npu_lab")


def section(title: str) -> str:
    return TEXT.partition(f"## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_there(path: str) -> None:
    found = [one / path for one in PLACES]
    assert any(one.exists() or one.with_suffix(".py").exists() for one in found)


@pytest.mark.parametrize("what", ["diagnostic", "rule", "option", "lesson", "exercise"])
def test_each_recipe_is_under_a_page(what: str) -> None:
    recipe = section(f"Add {'an' if what[0] in 'aeo' else 'a'} {what}")
    assert recipe
    assert len(recipe.split()) < 350
    assert "pytest tests/" in recipe
