"""Reading what msprof exports, and the documented table of advice."""

from __future__ import annotations

from pathlib import Path

import pytest

from npu_lab.extras.tuning import profiling

STEPS = """\
Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us),\
FP to BP Time(us),Iteration Refresh(us),Data Aug Bound(us),Model ID
0,1,10,20,30,20,10,10,0,1
0,1,0,900,1000,1000,900,100,99000,11
0,2,0,{0},0,0,{0},{1},{2},11
0,3,0,{0},0,0,{0},{1},{2},11
0,4,0,{0},0,0,{0},{1},{2},11
"""
OPS = """\
Device_id,Model ID,Op Name,OP Type,Task Type,Task Duration(us)
0,11,getnext,AdpGetNext,AI_CPU,{0}
0,11,mm,MatMulV2,AI_CORE,100
"""
KINDS = """\
Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),\
Max Time(us),Ratio(%)
0,MatMulV2,AI_CORE,2,200,100,100,100,80.0
0,AdpGetNext,AI_CPU,1,50,50,50,50,20.0
"""


def exported(
    folder: Path, fp: float, refresh: float, gap: float, wait: float = 0
) -> Path:
    """A folder as msprof leaves it: a time in each file's name, a folder deeper."""
    inner = folder / "PROF_000001_20260101" / "mindstudio_profiler_output"
    inner.mkdir(parents=True)
    (inner / "step_trace_20260101.csv").write_text(STEPS.format(fp, refresh, gap))
    (inner / "op_summary_20260101.csv").write_text(OPS.format(wait))
    (inner / "op_statistic_20260101.csv").write_text(KINDS)
    return profiling.latest(folder)


def test_what_msprof_exports_is_read(tmp_path):
    profile = profiling.read(exported(tmp_path, 700, 100, 200))
    assert profile.model == 11  # not the initialization
    assert [row["Iteration ID"] for row in profile.iterations] == [2, 3, 4]
    assert profile.shares == pytest.approx(
        {"Data Aug Bound": 20, "FP to BP Time": 70, "Iteration Refresh": 10}
    )


@pytest.mark.parametrize(
    ("times", "keys"),
    [
        ((900, 50, 50), ["compute bound"]),
        ((200, 50, 750, 700), ["data bound"]),
        ((200, 50, 750, 10), ["interval bound"]),
        ((400, 400, 200), ["tail"]),
        ((300, 300, 400, 300), ["data bound", "tail"]),
        ((650, 0, 350), ["compute bound", "interval bound"]),
        ((500, 200, 200), []),
    ],
)
def test_the_documented_table(tmp_path, monkeypatch, times, keys):
    profile = profiling.read(exported(tmp_path, *times))
    for language, nothing in (("en", "Nothing in"), ("zh", "均不突出")):
        monkeypatch.setenv("NPU_LAB_LANG", language)
        assert [key for key, _ in profiling.findings(profile)] == keys
        assert (nothing in profiling.report(profile)) == (not keys)
    said = profiling.report(profile)
    assert ("MatMulV2、" in said or "MatMulV2," in said) == ("compute bound" in keys)


def test_what_cannot_be_read_says_where(tmp_path):
    with pytest.raises(ValueError, match="holds no step_trace"):
        profiling.read(tmp_path)
    with pytest.raises(ValueError, match="holds no step_trace"):
        profiling.latest(tmp_path)
    (tmp_path / "op_statistic.csv").write_text("OP Type,Count\nMatMul,3\n")
    with pytest.raises(ValueError, match=r"op_statistic\.csv has no column Total"):
        profiling.read(tmp_path)
    (tmp_path / "op_statistic.csv").write_text(KINDS.replace("200,", "many,"))
    with pytest.raises(ValueError, match=r"line 2.*'many'"):
        profiling.read(tmp_path)
