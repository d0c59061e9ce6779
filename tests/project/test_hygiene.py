"""No file of the project names a registry's host or a path of one machine."""

from __future__ import annotations

import re

import pytest

from tests.project.tree import ROOT, project_files

# Put together here, so that this file does not name them.
HOSTS = [
    r"\.".join(parts)
    for parts in [
        ("pypi", "org"),
        ("python" + "hosted", "org"),
        ("registry", "npmjs"),
        ("deb", "debian", "org"),
        ("anaconda", "org"),
        ("mirrors", r"\w+", "(com|cn|edu)"),
    ]
]
MACHINE_PATHS = [
    "/" + "work/",
    "/" + "tmp/bash_jobs",
    "/" + r"\." + "library",
    "/" + r"root/\w",
]
TEXTS = {
    ".cfg", ".css", ".html", ".in", ".ini", ".ipynb", ".js", ".json", ".md", ".py",
    ".sh", ".svg", ".toml", ".txt", ".yaml", ".yml", "",
}  # fmt: skip


def lines_with(pattern: str) -> list[str]:
    found = []
    for path in project_files():
        if path.suffix in TEXTS:
            lines = path.read_text("utf-8").splitlines()
            name = path.relative_to(ROOT).as_posix()
            found += [
                f"{name}:{number}: {line.strip()[:120]}"
                for number, line in enumerate(lines, 1)
                if re.search(pattern, line)
            ]
    return found


@pytest.mark.parametrize("host", HOSTS)
def test_no_registry_host_is_named(host):
    assert lines_with(host) == []


@pytest.mark.parametrize("path", MACHINE_PATHS)
def test_no_path_of_a_machine_is_named(path):
    assert lines_with(path) == []


def test_a_line_that_stands_in_a_file_is_found():
    assert any("LICENSE:" in line for line in lines_with("Apache License"))


def test_every_file_can_be_changed_by_its_owner():
    stubborn = [path for path in project_files() if not path.stat().st_mode & 0o200]
    assert stubborn == []
