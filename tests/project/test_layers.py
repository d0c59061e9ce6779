"""Dependencies inside the package point one way, and only some parts know a library.

pure <- device, trace, hostlog, ... <- tf1, bridge, activation <- lab, cli <- extras
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.tree import PACKAGE, modules

# Each part of the package by its layer; it imports from its own and those above it.
LAYERS = [
    {
        "_course",
        "_diagnostic_texts",
        "_texts",
        "command_line",
        "diagnostics",
        "files",
        "language",
        "lesson",
        "modes",
        "outline",
        "plan",
        "profile_files",
        "timeline",
        "timing",
    },
    {"_tensorflow", "datasets", "device", "hostlog", "trace"},
    {"activation", "bridge", "tf1"},
    {
        "__main__",
        "calibrate",
        "call_limit",
        "cli",
        "doctor",
        "export",
        "lab",
        "report",
        "runner",
        "trace_files",
    },
    {"extras"},
]
LAYER_OF = {part: number for number, parts in enumerate(LAYERS) for part in parts}
PURE = LAYERS[0]
TENSORFLOW = {"tensorflow", "tf_keras", "keras"}
JUPYTER = {
    "IPython", "ipykernel", "ipywidgets", "jupyter_client", "jupyter_core",
    "jupyter_server", "jupyterlab", "nbconvert", "nbformat", "traitlets",
}  # fmt: skip


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path: Path) -> set[str]:
    """The full names of all that a module imports, also inside its functions."""
    package = (PACKAGE.name, *path.relative_to(PACKAGE).parent.parts)
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            names |= {f"{base}.{alias.name}" for alias in node.names}
    return names


def libraries(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(path)}


def parts_used(path: Path) -> set[str]:
    """The parts of the package that a module imports from; the face itself is none."""
    inside = (name.split(".") for name in imported(path))
    return {
        names[1]
        for names in inside
        if names[0] == PACKAGE.name and len(names) > 1 and _is_part(names[1])
    }


def _is_part(name: str) -> bool:
    return (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()


# The face names things of every layer, and loads each on first use.
INSIDE = [path for path in modules(extras=True) if path != PACKAGE / "__init__.py"]


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def test_every_part_has_a_layer():
    unknown = {part_of(path) for path in INSIDE} - LAYER_OF.keys()
    assert not unknown, "say in LAYERS where it belongs"


@pytest.mark.parametrize("path", INSIDE, ids=name_of)
def test_a_module_imports_only_its_own_layer_and_those_above(path):
    own = LAYER_OF[part_of(path)]
    below = {part for part in parts_used(path) if LAYER_OF[part] > own}
    assert not below


@pytest.mark.parametrize("path", INSIDE, ids=name_of)
def test_only_the_lab_knows_jupyter(path):
    if part_of(path) not in {"lab", "extras"}:
        assert not libraries(path) & JUPYTER


@pytest.mark.parametrize("path", INSIDE, ids=name_of)
def test_pure_modules_import_no_tensorflow(path):
    if part_of(path) in PURE:
        assert not libraries(path) & TENSORFLOW
        assert "_tensorflow" not in parts_used(path)


@pytest.mark.parametrize("part", sorted(part for part in PURE if _is_part(part)))
def test_a_pure_module_loads_without_tensorflow(part):
    program = (
        f"import sys, npu_lab.{part}\n"
        "print(*sorted({'tensorflow', 'tf_keras', 'IPython'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def test_the_log_reader_is_one_file_of_the_standard_library():
    used = libraries(PACKAGE / "hostlog" / "reader.py")
    assert used <= sys.stdlib_module_names


def test_relative_imports_are_understood(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path / "npu_lab")
    module = tmp_path / "npu_lab" / "device" / "loop.py"
    module.parent.mkdir(parents=True)
    module.write_text(
        "from .. import plan\nfrom . import seam\nfrom ..lab.plots import x"
    )
    assert imported(module) == {
        "npu_lab.plan",
        "npu_lab.device.seam",
        "npu_lab.lab.plots.x",
    }
