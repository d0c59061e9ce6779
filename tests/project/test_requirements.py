"""The requirement files pin what works on every supported Python, and only that."""

from __future__ import annotations

import importlib.metadata
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.project.tree import ROOT, pins, requirement_lines

LAB = ROOT / "requirements" / "lab.txt"
TEST = ROOT / "requirements" / "test.txt"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
# Debian 12's, and the first of each later series.
PYTHONS = ["3.11.2", "3.12.0", "3.13.0"]


def pinned(path):
    return {canonicalize_name(pin.name): pin for pin in pins(path)}


@pytest.mark.parametrize("path", [LAB, TEST], ids=lambda path: path.name)
def test_every_line_pins_one_exact_version_without_a_hash(path):
    for line in requirement_lines(path):
        pin = Requirement(line)
        (specifier,) = pin.specifier
        assert specifier.operator == "==", line
        assert "*" not in specifier.version, line
        assert pin.url is None, line
        assert "--hash" not in line, line


def test_no_package_is_pinned_twice():
    names = [canonicalize_name(pin.name) for pin in pins(TEST)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("path", "ranges"),
    [
        (LAB, PROJECT["project"]["dependencies"]),
        (LAB, PROJECT["project"]["optional-dependencies"]["migrate"]),
        (TEST, PROJECT["project"]["optional-dependencies"]["test"]),
    ],
    ids=["lab", "migrate", "test"],
)
def test_what_the_package_asks_for_is_pinned_within_its_range(path, ranges):
    found = pinned(path)
    for wanted in map(Requirement, ranges):
        (specifier,) = found[canonicalize_name(wanted.name)].specifier
        assert wanted.specifier.contains(specifier.version), str(wanted)


def test_the_build_uses_the_pinned_setuptools():
    (build,) = PROJECT["build-system"]["requires"]
    assert build == f"setuptools{pinned(LAB)['setuptools'].specifier}"


@pytest.mark.parametrize("python", PYTHONS)
def test_the_package_supports_the_python_that_the_pins_are_for(python):
    assert SpecifierSet(PROJECT["project"]["requires-python"]).contains(python)


@pytest.mark.parametrize("python", PYTHONS)
def test_every_installed_pin_accepts_the_python(python):
    refusing = []
    for name in pinned(TEST):
        try:
            metadata = importlib.metadata.metadata(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # for another system or Python
        accepted = SpecifierSet(metadata.get("Requires-Python") or "")
        if not accepted.contains(python):
            refusing.append(f"{name} {metadata['Version']} wants {accepted}")
    assert not refusing


def test_the_environment_holds_the_pinned_versions():
    wrong = []
    for name, pin in pinned(TEST).items():
        if pin.marker is None or pin.marker.evaluate():
            (specifier,) = pin.specifier
            installed = importlib.metadata.version(name)
            if Version(installed) != Version(specifier.version):
                wrong.append(f"{name}: {installed} installed, {specifier} pinned")
    assert not wrong, "run `make env`"
