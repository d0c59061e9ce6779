"""`make` is the one door: its help is complete; it makes `.venv`, and mends it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.project.tree import ROOT

TARGETS = [
    "env", "lab", "test", "lint", "types", "notebooks", "notebooks-twice", "learner",
    "lessons", "coverage", "bench", "book", "classroom", "wheelhouse", "clean",
]  # fmt: skip

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs make and a shell")


def make(*arguments):
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize("arguments", [(), ("help",)], ids=["make", "make help"])
def test_help_lists_every_target(arguments):
    listed = re.findall(r"^  make ([a-z-]+) +\S", make(*arguments), flags=re.MULTILINE)
    assert set(TARGETS) <= set(listed)


@pytest.mark.parametrize("target", TARGETS)
def test_a_listed_target_exists(target):
    assert make("--dry-run", target)


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_a_readme_names_the_commands_and_only_real_ones(readme):
    text = (ROOT / readme).read_text("utf-8")
    named = set(re.findall(r"(?:^|`|\$ )make ([a-z-]+)", text, flags=re.MULTILINE))
    assert {"lab", "test"} <= named
    listed = re.findall(r"^  make ([a-z-]+) +\S", make("help"), flags=re.MULTILINE)
    assert named <= set(listed)
    assert "conda env create -f environment.yml" in text


def test_bench_hands_its_arguments_on():
    said = make("--dry-run", "bench", "ARGS=--only loop --rounds 3")
    assert "python -m benchmarks --only loop --rounds 3" in said


# Stands in for Python: notes what is asked of it, and fails as pip does when cut off.
STAND_IN = """#!/bin/sh
case "$1 $2" in
  "-c "*_base_executable*) [ -z "$OLD_PYTHON" ] && echo "$FIRST" ;;
  "-c "*ensurepip*) [ -z "$NO_ENSUREPIP" ] ;;
  "-c "*) echo 3.12 ;;
  "--version "*) echo Python 3.12.0 ;;
  "-m venv") mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; echo venv >>"$CALLS" ;;
  "-m pip") echo "pip $*" >>"$CALLS"; exit ${PIP_STATUS:-0} ;;
esac
"""


@pytest.fixture
def project(tmp_path):
    """A project of little more than its requirement files, and the calls it led to."""
    folder = tmp_path / "a project"
    shutil.copytree(ROOT / "requirements", folder / "requirements")
    shutil.copytree(ROOT / "jupyter-config", folder / "jupyter-config")
    (folder / "tools").mkdir()
    for name in ["pyproject.toml", "setup.py", "tools/environment.sh"]:
        shutil.copyfile(ROOT / name, folder / name)
    python = tmp_path / "python3.12"
    python.write_text(STAND_IN)
    python.chmod(0o755)
    calls = tmp_path / "calls"

    def run(level="lab", *, status=0, **environment):
        """Run the script; return the words of its calls, and what it said."""
        calls.write_text("")
        done = subprocess.run(
            ["sh", folder / "tools" / "environment.sh", level],
            env={
                **os.environ,
                "PYTHON": str(python),
                "FIRST": str(python),
                "CALLS": str(calls),
                **environment,
            },
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        words = ["venv", "lab.txt", "test.txt", "--editable"]
        made = [word for word in words if word in calls.read_text()]
        return made, done.stdout + done.stderr

    run.folder = folder
    run.python = python
    return run


def test_the_first_call_makes_it_and_the_second_does_nothing(project):
    made, said = project()
    assert made == ["venv", "lab.txt", "--editable"]
    assert "Making .venv with Python 3.12.0" in said
    assert project() == ([], "")


def test_tests_add_to_what_the_lab_has(project):
    project("lab")
    assert project("test")[0] == ["test.txt", "--editable"]
    assert project("test")[0] == []
    assert project("lab")[0] == []


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements/lab.txt"])
def test_an_edit_installs_again_in_place(project, name):
    project()
    with (project.folder / name).open("a") as file:
        file.write("\n# edited\n")
    assert project()[0] == ["lab.txt", "--editable"]
    assert project()[0] == []


@pytest.mark.parametrize("level", ["lab", "test"])
def test_an_interrupted_install_is_made_anew(project, level):
    project("lab", PIP_STATUS="1" if level == "lab" else "0", status=level == "lab")
    project(level, PIP_STATUS="1", status=1)
    made, said = project(level)
    assert made[0] == "venv"
    assert "incomplete" in said
    assert project(level)[0] == []


def test_an_environment_that_it_did_not_make_is_made_anew(project):
    (project.folder / ".venv" / "bin").mkdir(parents=True)
    (project.folder / ".venv" / "leftover").write_text("")
    assert project()[0][0] == "venv"
    assert not (project.folder / ".venv" / "leftover").exists()


def test_an_environment_whose_python_is_gone_is_made_anew(project):
    project()
    (project.folder / ".venv" / "bin" / "python").unlink()
    assert project()[0][0] == "venv"


def test_a_project_that_was_moved_gets_a_new_environment(project):
    project()
    note = project.folder / ".venv" / "lab.note"
    note.write_text(note.read_text().replace(str(project.folder), "/elsewhere"))
    assert project()[0][0] == "venv"


def test_another_python_makes_it_anew(project, tmp_path):
    project()
    other = tmp_path / "python3.13"
    other.write_text(STAND_IN.replace("$FIRST", str(tmp_path / "base3.13")))
    other.chmod(0o755)
    shutil.copyfile(other, tmp_path / "base3.13")
    (tmp_path / "base3.13").chmod(0o755)
    made, said = project(PYTHON=str(other))
    assert made[0] == "venv"
    assert "for another place or Python" in said
    assert project(PYTHON=str(other))[0] == []


def test_an_unfit_python_is_named_with_the_mend(project):
    made, said = project(OLD_PYTHON="yes", status=1)
    assert made == []
    assert str(project.python) in said
    assert "is not Python 3.11, 3.12 or 3.13" in said
    assert "make lab PYTHON=/path/to/python3.12" in said


def test_without_any_python_it_says_what_to_install(project, tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ["sh", "cat", "dirname", "head"]:
        (tools / name).symlink_to(shutil.which(name))
    made, said = project(PYTHON="", PATH=str(tools), status=1)
    assert made == []
    assert "No Python 3.11, 3.12 or 3.13 was found" in said
    assert "apt install python3 python3-venv" in said


def test_a_python_without_venv_names_the_package_to_install(project):
    made, said = project(NO_ENSUREPIP="yes", status=1)
    assert made == []
    assert "sudo apt install python3.12-venv" in said


def test_a_python_inside_an_environment_stands_for_the_one_behind_it():
    done = subprocess.run(
        ["sh", ROOT / "tools" / "environment.sh", "python"],
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == sys._base_executable
