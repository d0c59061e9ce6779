from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from npu_lab.bridge.estimator.npu import util


def test_none_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="model_dir"):
        util.check_not_none(None, "model_dir")
    for value in (0, "", False, []):
        util.check_not_none(value, "model_dir")


@pytest.mark.parametrize("value", [None, 1.0, "1", [1]])
def test_integers_only(value: Any) -> None:
    for check in (util.check_positive_integer, util.check_nonnegative_integer):
        with pytest.raises(TypeError, match="rank"):
            check(value, "rank")


@pytest.mark.parametrize("value", [0, -1, False])
def test_a_positive_integer_is_1_or_more(value: Any) -> None:
    with pytest.raises(ValueError, match=f"rank is {value}"):
        util.check_positive_integer(value, "rank")


def test_a_nonnegative_integer_is_0_or_more() -> None:
    with pytest.raises(ValueError, match="rank is -1"):
        util.check_nonnegative_integer(-1, "rank")
    for value in (0, 1, False):
        util.check_nonnegative_integer(value, "rank")


def test_a_bool_passes_as_an_integer() -> None:
    util.check_positive_integer(True, "rank")


@pytest.mark.parametrize("value", [None, 0, 1, "True"])
def test_bools_only(value: Any) -> None:
    with pytest.raises(TypeError, match="mix_compile_mode"):
        util.check_bool_type(value, "mix_compile_mode")
    util.check_bool_type(False, "mix_compile_mode")


@pytest.mark.parametrize(
    ("value", "number"), [(True, 1), (False, 0), (1, -1), (0, -1), (None, -1)]
)
def test_a_bool_becomes_a_number_and_all_else_minus_1(value: Any, number: int) -> None:
    converted = util.convert_bool_to_int(value)
    assert converted == number
    assert type(converted) is int


def test_none_becomes_an_empty_string() -> None:
    assert util.format_string(None, "path") == ""
    assert util.format_string("logs", "path") == "logs"
    with pytest.raises(TypeError, match="path is 3"):
        util.format_string(3, "path")


def test_profiling_options_are_joined() -> None:
    given = ["training_trace", "task_time", "op_trace"]
    assert util.check_profiling_options(given) == "training_trace:task_time:op_trace"


@pytest.mark.parametrize("options", [(), [], ["task_trace"], ["op_trace", "hccl"]])
def test_no_or_unknown_profiling_options_are_refused(options: Any) -> None:
    with pytest.raises(ValueError, match="training_trace"):
        util.check_profiling_options(options)
    with pytest.raises(ValueError, match="profiling_options"):
        util.check_profiling_options()


def test_a_path_is_made_real(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    assert util.check_path(str(tmp_path / "link")) == str(tmp_path / "folder")


def test_a_path_must_be_a_folder_with_rights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        util.check_path(str(tmp_path / "nothing"))
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="not a folder"):
        util.check_path(str(tmp_path / "file"))
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may do all
    with pytest.raises(ValueError, match="read and written"):
        util.check_path(str(tmp_path))


@pytest.mark.parametrize("mode", [1, 2, "3", "", None])
def test_other_aoe_modes_are_refused(mode: Any) -> None:
    with pytest.raises(ValueError, match="aoe_mode"):
        util.check_aoe_mode(mode)


@pytest.mark.parametrize("mode", ["1", "2", "4"])
def test_aoe_modes_are_strings(mode: str) -> None:
    assert util.check_aoe_mode(mode) is None


@pytest.mark.parametrize(
    ("rank_size", "worker_size", "size"),
    [(None, None, "1"), ("8", None, "8"), (None, "2", "2"), ("", "", "1")],
)
def test_the_rank_size_is_a_string_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
    rank_size: str | None,
    worker_size: str | None,
    size: str,
) -> None:
    for name, value in (("RANK_SIZE", rank_size), ("CM_WORKER_SIZE", worker_size)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert util.get_ranksize() == size


def test_two_rank_sizes_contradict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK_SIZE", "2")
    monkeypatch.setenv("CM_WORKER_SIZE", "2")
    with pytest.raises(ValueError, match=r"RANK_SIZE.*CM_WORKER_SIZE"):
        util.get_ranksize()
