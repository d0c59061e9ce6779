"""The data the lessons and the documented scripts train on, read with numpy alone.

`mnist` and `read_data_sets` give handwritten digits in the form of TensorFlow 1.15's
tutorial module, `fashion` lists a folder of small pictures with one sub-folder for
each class, `read_idx` reads any file of the MNIST format. Both data sets are bundled;
nothing is downloaded, and nothing is written. What is wrong with a file is said by a
`DataError`.
"""

from __future__ import annotations

from npu_lab.datasets.batches import DataSet, dense_to_one_hot
from npu_lab.datasets.bundled import bundled_folder
from npu_lab.datasets.digits import (
    DEFAULT_SOURCE_URL,
    Datasets,
    mnist,
    read_data_sets,
)
from npu_lab.datasets.idx import DataError, extract_images, extract_labels, read_idx
from npu_lab.datasets.pictures import ImageFolder, fashion, load_images

__all__ = [
    "DEFAULT_SOURCE_URL",
    "DataError",
    "DataSet",
    "Datasets",
    "ImageFolder",
    "bundled_folder",
    "dense_to_one_hot",
    "extract_images",
    "extract_labels",
    "fashion",
    "load_images",
    "mnist",
    "read_data_sets",
    "read_idx",
]
