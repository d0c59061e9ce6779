"""A folder for dumps; the log of the device is elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "dumps"
    made.mkdir()
    return made
