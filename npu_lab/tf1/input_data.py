"""The tutorial module `input_data` of TensorFlow 1.x, under its public names.

It stands in for `tensorflow.examples.tutorials.mnist.input_data` and for the file
`input_data.py` that old scripts kept beside them. The work is done by
`npu_lab.datasets`; TensorFlow is not imported, and nothing is downloaded.
"""

from __future__ import annotations

from npu_lab.datasets import (
    DEFAULT_SOURCE_URL,
    DataSet,
    Datasets,
    dense_to_one_hot,
    extract_images,
    extract_labels,
    read_data_sets,
)

__all__ = [
    "DEFAULT_SOURCE_URL",
    "DataSet",
    "Datasets",
    "dense_to_one_hot",
    "extract_images",
    "extract_labels",
    "read_data_sets",
]
