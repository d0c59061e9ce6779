"""Keras's MNIST while the device is active: the bundled digits, nothing downloaded."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import npu_lab
from npu_lab._tensorflow import tf
from npu_lab.datasets import DataError, mnist

pytestmark = pytest.mark.usefixtures("device2")


def test_the_digits_are_those_of_the_tutorial_module(capsys):
    (images, labels), (others, _) = tf.keras.datasets.mnist.load_data()
    assert images.dtype == labels.dtype == np.uint8
    assert images.shape == (8000, 28, 28)
    assert others.shape == (2000, 28, 28)
    theirs = mnist(seed=1).train
    assert np.array_equal(images.reshape(-1, 784), (theirs.images * 255).round())
    assert np.array_equal(labels, theirs.labels)
    told = capsys.readouterr().out
    assert told.count("\n") == 1
    assert "8,000 / 2,000" in told


def test_every_door_leads_there(capsys):
    for name in ("tensorflow.keras.datasets.mnist", "tf_keras.datasets.mnist"):
        package, _, last = name.rpartition(".")
        module = getattr(importlib.import_module(package), last)
        assert len(module.load_data()[0][0]) == 8000
    assert capsys.readouterr().out.count("bundled") == 2


def test_a_whole_path_is_read(tmp_path: Path, capsys):
    names = ("x_train", "y_train", "x_test", "y_test")
    np.savez(tmp_path / "own.npz", **dict.fromkeys(names, np.arange(3)))
    (images, _), _ = tf.keras.datasets.mnist.load_data(str(tmp_path / "own.npz"))
    assert images.tolist() == [0, 1, 2]
    assert capsys.readouterr().out == ""


def test_a_path_that_leads_nowhere_is_refused(tmp_path: Path):
    with pytest.raises(DataError, match=r"none\.npz.*is not there"):
        tf.keras.datasets.mnist.load_data(str(tmp_path / "none.npz"))


def test_without_the_device_it_is_kerass_own():
    from tf_keras.src.datasets import mnist as module

    patched = module.get_file
    npu_lab.deactivate()
    assert module.get_file is not patched
    assert module.get_file.__module__.startswith("tf_keras")
