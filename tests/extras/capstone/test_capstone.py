"""Each bundled script, from as it is found to the receipt; and what goes wrong."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

pytest.importorskip("libcst")

from npu_lab.extras import capstone
from npu_lab.extras.capstone import bundled, models, running
from npu_lab.extras.capstone._texts import TEXTS
from npu_lab.language import LANGUAGES

pytestmark = pytest.mark.slow

# Where each script stands once the tool has done its part, and what is said there.
AFTER_THE_TOOL = {
    "one_shot": ("sinks", "each call runs one step"),
    "fed": ("sinks", "each call runs one step"),
    "half_way": ("sinks", "SINK001"),
    "estimator": ("sinks", "each call runs one step"),
    "too_large": ("accurate", "0.098 of the test digits"),
}
NAMES = [*AFTER_THE_TOOL]


@pytest.fixture(autouse=True)
def in_english(monkeypatch):
    monkeypatch.setenv("NPU_LAB_LANG", "en")


def begun(name: str, folder: Path) -> capstone.Project:
    project = capstone.begin(name, folder)
    project.migrate()
    return project


def edited(project: capstone.Project, old: str, new: str) -> capstone.Standing:
    script = project.script
    assert script.count(old) == 1
    project.path.write_text(script.replace(old, new))
    return project.standing()


def test_every_script_is_tried() -> None:
    assert [*bundled.SCRIPTS] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_from_as_found_to_the_receipt(device, tmp_path: Path, name: str) -> None:
    project = begun(name, tmp_path)
    stage, seen = AFTER_THE_TOOL[name]
    standing = project.standing()
    assert standing.next.name == stage
    assert seen in standing.next.seen
    said = project.receipt()
    assert said.path is None
    assert not (tmp_path / "receipt.html").exists()
    assert not (tmp_path / "model.pb").exists()

    project.edit(bundled.SCRIPTS[name].edits)
    standing = project.standing()
    assert standing.passed, str(standing)
    facts = {one.name: one.facts for one in standing.stages}
    assert facts["accurate"]["apart"] <= (1e-3 if name == "too_large" else 0)
    assert facts["frozen"]["difference"] <= 1e-6
    assert facts["proved"]["done"] == 400

    said = project.receipt()
    page = said.path.read_text("utf-8")
    assert running.digest(project.script) in page
    assert page.count("<svg role") == 2
    assert "FlowCtrl" in page
    assert not re.search(r"(src|href)=|@import|url\(", page)
    assert "✓" in said.html
    told = f"{facts['faster']['before']:,}"
    assert told in html.unescape(page)


def test_half_mended_scripts_stop_where_they_should(device, tmp_path: Path) -> None:
    project = begun("one_shot", tmp_path)
    project.edit(bundled.SCRIPTS["one_shot"].edits)
    right = project.script

    standing = edited(project, "STEPS // 10", "STEPS")
    assert standing.next.name == "proved"
    assert "4000 steps were trained, not 400" in standing.next.seen

    project.path.write_text(right)
    option = 'custom_op.parameter_map["enable_data_pre_proc"].b = True\n'
    standing = edited(project, option, "")
    assert standing.next.name == "sinks"
    assert "one batch serves all 10 iterations (SINK005)" in standing.next.seen

    project.path.write_text(right)
    standing = edited(project, "(0.5)", "(0.0)")
    assert standing.next.name == "accurate"
    assert "before 0.895" in standing.next.seen

    project.path.write_text(right)
    standing = edited(project, '    saver.save(sess, "model.ckpt")\n', "    pass\n")
    assert standing.next.seen == TEXTS["no checkpoint"]["en"]

    project.path.write_text(right.replace("def network", "def model"))
    edited(project, "logits = network(images)", "logits = model(images)")
    standing = project.standing()
    assert standing.next.seen == TEXTS["no network"]["en"]


@pytest.mark.parametrize(
    ("script", "stage", "seen"),
    [
        ("import tensorflow as tf\nprint(", "migrated", "is no Python source"),
        ("import tensorflow as tf\n", "migrated", "nothing of the adapter"),
        (
            "import tensorflow as tf\nfrom npu_bridge.npu_init import *\n1 / 0\n",
            "sinks",
            "ended with ZeroDivisionError: division by zero",
        ),
        (
            "import tensorflow as tf\nfrom npu_bridge.npu_init import *\n",
            "sinks",
            "ran no training operation",
        ),
    ],
)
def test_a_script_of_ones_own(device, tmp_path: Path, script, stage, seen) -> None:
    own = tmp_path / "mine.py"
    own.write_text(script)
    project = capstone.begin(own, tmp_path / "project", steps=7)
    project.path.write_text(script)
    assert project.steps == 7
    missing = project.standing().next
    assert missing.name == stage
    assert seen in missing.seen


def test_nothing_of_the_learners_is_overwritten(device, tmp_path: Path) -> None:
    project = capstone.begin("fed", tmp_path)
    project.path.write_text("mine\n")
    again = capstone.begin("fed", tmp_path)
    assert again.script == "mine\n"
    with pytest.raises(ValueError, match="holds a capstone of another script"):
        capstone.begin("one_shot", tmp_path)
    assert json.loads((tmp_path / "capstone.json").read_text())["name"] == "fed"


@pytest.mark.parametrize(
    ("name", "steps", "match"),
    [
        ("no_such", 400, "neither a script there is"),
        ("fed", 0, "steps is 0"),
        ("fed", True, "steps is True"),
        ("fed", 2.5, "steps is 2.5"),
    ],
)
def test_bad_input(tmp_path: Path, name, steps, match) -> None:
    with pytest.raises(ValueError, match=match):
        capstone.begin(name, tmp_path / "new", steps)
    assert not (tmp_path / "new").exists()


def test_edits_are_done_whole_or_not_at_all(device, tmp_path: Path) -> None:
    project = capstone.begin("fed", tmp_path)
    before = project.script
    with pytest.raises(ValueError, match="has no such piece"):
        project.edit({"STEPS, BATCH": "BATCH, STEPS", "nowhere": "here"})
    with pytest.raises(ValueError, match="has this piece 2 times"):
        project.edit({"kernel_initializer": "kernel"})
    assert project.edit(...) == TEXTS["no edits"]["en"]
    assert project.script == before


def test_a_run_is_kept_and_a_change_is_run_anew(device, tmp_path: Path) -> None:
    first = running.run("print(1)\n", tmp_path)
    assert running.run("print(1)\n", tmp_path) == first
    assert running.run("print(2)\n", tmp_path).said != first.said


def test_the_digits_are_not_those_of_the_training() -> None:
    images, labels = models.unseen_digits()
    assert images.shape == (1000, 784)
    assert images.max() <= 1
    assert len(labels) == 1000


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_has_the_same_facts(language) -> None:
    for one in TEXTS.values():
        english = sorted(re.findall(r"{(\w+)", one["en"]))
        assert sorted(re.findall(r"{(\w+)", one[language])) == english
