from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from npu_lab.lab import predict, prediction
from npu_lab.lab.exercises import ____


@pytest.mark.parametrize(
    ("value", "stored", "shown"),
    [
        (5, 5, "5"),
        (2.5, 2.5, "2.5"),
        (np.float32(2.5), 2.5, "2.5"),
        (np.int64(7), 7, "7"),
        ({10: 2.5, 1: 100}, {1: 100, 10: 2.5}, "N=1: 100, N=10: 2.5"),
    ],
)
def test_it_is_given_back_and_shown(value: Any, stored: Any, shown: str) -> None:
    assert prediction("00/x") is None
    made = predict("00/x", value)
    assert str(made) == f"Your prediction: {shown}. It is not graded."
    assert shown in made.html
    assert prediction("00/x") == stored


def test_a_choice_is_one_of_those_there_are() -> None:
    predict("00/x", "same", choices=("faster", "same"))
    assert prediction("00/x") == "same"
    with pytest.raises(ValueError, match="'slow' is none of the choices: 'faster'"):
        predict("00/x", "slow", choices=("faster", "same"))
    assert prediction("00/x") == "same"


@pytest.mark.parametrize("left", [____, {1: 100, 10: ____}])
def test_with_a_placeholder_left_there_is_none(left: Any) -> None:
    predict("00/x", 5)
    assert "No prediction yet" in str(predict("00/x", left))
    assert prediction("00/x") is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("five", "'five' cannot be predicted: give a finite number"),
        (None, "None cannot be predicted"),
        (True, "True cannot be predicted"),
        (math.nan, "nan cannot be predicted"),
        (math.inf, "inf cannot be predicted"),
        (10**400, "inf cannot be predicted: give a finite number"),
        ({1: -(10**5000)}, "-inf cannot be predicted: give a finite number"),
        ([1, 2], "or a curve, such as {1: 100, 10: 10}"),
        ({}, "The curve is empty"),
        ({0: 1}, "N = 0 in the curve"),
        ({"1": 1}, "N = '1' in the curve"),
        ({1.5: 1}, "N = 1.5 in the curve"),
        ({True: 1}, "N = True in the curve"),
        ({1: "a"}, "'a' cannot be predicted"),
    ],
)
def test_what_cannot_be_predicted_is_told_and_not_stored(
    value: Any, message: str
) -> None:
    predict("00/x", 5)
    with pytest.raises((TypeError, ValueError)) as raised:
        predict("00/x", value)
    assert message in str(raised.value)
    assert prediction("00/x") == 5


@pytest.mark.parametrize("name", ["x", "00/", "99/x", ""])
def test_a_name_without_its_lesson_is_told(name: str) -> None:
    with pytest.raises(KeyError, match="is no name of a prediction"):
        predict(name, 5)
