"""Comparing two dumps, in the documented columns."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.extras.tuning import dump
from tests.device import models

X = np.array([[1.5, 2.25], [3, -4.123]], np.float32)
DOCUMENTED = (
    "Index, OpSequence, OpType, NPUDump, DataType, Address, GroundTruth, TensorIndex,"
    " Shape, OverFlow, CosineSimilarity, MaxAbsoluteError, AccumulatedRelativeError,"
    " RelativeEuclideanDistance, KullbackLeiblerDivergence, StandardDeviation,"
    " MeanAbsoluteError, RootMeanSquareError, MaxRelativeError, MeanRelativeError,"
    " CompareFailReason"
)


def _dump(folder, x, build, **options):
    from npu_bridge.npu_init import util  # noqa: F401

    folder.mkdir()
    given = {"enable_dump": True, "dump_path": str(folder), **options}
    with tf.Graph().as_default():
        fed = tf.placeholder(tf.float32, x.shape)
        with tf.Session(config=models.config(**given)) as session:
            session.run(build(fed), {fed: x})
    return folder


def _three(x):
    return tf.exp(tf.multiply(x, x, name="square"), name="exp")


def test_the_columns_are_the_documented_ones():
    assert ", ".join(dump.COLUMNS) == DOCUMENTED


def test_a_run_with_a_mode_against_one_without(device, tmp_path):
    npu = _dump(tmp_path / "npu", X, _three, precision_mode="force_fp16")
    truth = _dump(tmp_path / "truth", X, _three)
    rows = {row["NPUDump"]: row for row in dump.compare(npu, truth)}
    square = rows["square"]
    assert (square["DataType"], square["GroundTruth"]) == ("float16", "square")
    wanted = np.abs((X.astype(np.float16) ** 2).astype(np.float64) - X * X).max()
    assert square["MaxAbsoluteError"] == wanted > 0
    assert rows["exp"]["OverFlow"] == "YES"  # e^17 is no float16
    assert math.isnan(rows["exp"]["CosineSimilarity"])
    assert "inf" in rows["exp"]["CompareFailReason"]
    assert "only in" in rows["Placeholder_trans_Cast"]["CompareFailReason"]
    assert rows["Placeholder_trans_Cast"]["GroundTruth"] == "*"


def test_equal_dumps(device, tmp_path):
    folders = [_dump(tmp_path / name, X, _three) for name in "ab"]
    for row in dump.compare(*folders):
        assert row["CosineSimilarity"] == pytest.approx(1, abs=1e-12)
        assert row["MaxAbsoluteError"] == row["KullbackLeiblerDivergence"] == 0
        assert not row["CompareFailReason"]
    assert dump.filtered(dump.compare(*folders)) == []


def test_other_shapes(device, tmp_path):
    npu = _dump(tmp_path / "npu", X, _three)
    truth = _dump(tmp_path / "truth", X[:1], _three)
    reasons = {row["CompareFailReason"] for row in dump.compare(npu, truth)}
    assert len(reasons) == 1
    assert "[2, 2]" in reasons.pop()


def test_the_figures():
    npu, truth = np.array([1.0, 2.0, -3.0, 0.5]), np.array([1.0, 4.0, -2.0, 0.0])
    got = dump.figures(npu, truth)
    assert got["CosineSimilarity"] == pytest.approx(15 / math.sqrt(14.25 * 21))
    assert got["MaxAbsoluteError"] == 2
    assert got["AccumulatedRelativeError"] == 3.5 / 7
    assert got["RelativeEuclideanDistance"] == pytest.approx(math.sqrt(5.25 / 21))
    assert got["MeanAbsoluteError"] == 3.5 / 4
    assert got["RootMeanSquareError"] == pytest.approx(math.sqrt(5.25 / 4))
    assert got["MaxRelativeError"] == 1
    assert got["MeanRelativeError"] == (0 + 0.5 + 0.5 + 1) / 4
    p, q = (np.exp(one) / np.exp(one).sum() for one in (npu, truth))
    divergence = float((p * np.log(p / q)).sum())
    assert got["KullbackLeiblerDivergence"] == pytest.approx(divergence)
    mean, deviation = npu.mean(), npu.std()
    assert got["StandardDeviation"].startswith(f"({mean:.6g};{deviation:.6g}),(")
    assert tuple(got) == dump.FIGURES


@pytest.mark.parametrize(
    ("npu", "cosine"), [([0.0, 0.0], 1.0), ([1.0, 0.0], 0.0)], ids=["equal", "not"]
)
def test_a_truth_of_zeros(npu, cosine):
    got = dump.figures(np.array(npu), np.zeros(2))
    assert got["CosineSimilarity"] == cosine
    assert got["AccumulatedRelativeError"] == (0 if cosine else math.inf)


def test_filtering_by_a_figure(device, tmp_path):
    npu = _dump(tmp_path / "npu", X, lambda x: (x + 0.0, tf.negative(x, name="n")))
    truth = _dump(tmp_path / "truth", X, lambda x: (x + 0.0, tf.identity(x, name="n")))
    rows = dump.compare(npu, truth)
    assert [row["NPUDump"] for row in dump.filtered(rows)] == ["n"]
    above = dump.filtered(rows, "MaxAbsoluteError", 1.0)
    assert [row["NPUDump"] for row in above] == ["n"]
    with pytest.raises(ValueError, match="MaxAbsoluteError"):
        dump.filtered(rows, "Shape")


def test_saved_rows_can_be_read(device, tmp_path):
    folders = [_dump(tmp_path / name, X, _three) for name in "ab"]
    rows = dump.compare(*folders)
    dump.save(rows, tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(newline="") as lines:
        read = [*csv.DictReader(lines)]
    assert [row["NPUDump"] for row in read] == [row["NPUDump"] for row in rows]
    assert list(read[0]) == list(dump.COLUMNS)
