"""How generated inputs are used: the same ones in each run, and nothing left behind."""

from __future__ import annotations

import tempfile

from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

# Hypothesis keeps tables in a folder, which would be one of the project's tree.
_folder = tempfile.TemporaryDirectory(prefix="hypothesis_")
set_hypothesis_home_dir(_folder.name)


def generated(inputs: int) -> settings:
    """Run a property on so many inputs, however long one takes."""
    return settings(max_examples=inputs, derandomize=True, database=None, deadline=None)
