from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import npu_lab.tf1.input_data
from npu_lab import datasets

SOURCE = Path(npu_lab.tf1.input_data.__file__)


def test_the_public_names_of_the_tutorial_module_lead_to_the_datasets() -> None:
    module = npu_lab.tf1.input_data
    for name in (
        "read_data_sets",
        "DataSet",
        "Datasets",
        "extract_images",
        "extract_labels",
        "dense_to_one_hot",
        "DEFAULT_SOURCE_URL",
    ):
        assert getattr(module, name) is getattr(datasets, name)
        assert name in module.__all__


def test_neither_the_module_nor_the_datasets_import_tensorflow() -> None:
    program = (
        "import runpy, sys\n"
        f"runpy.run_path({str(SOURCE)!r})['read_data_sets']('/no such folder')\n"
        "print('tensorflow' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=SOURCE.parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "False"
