from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.error import UsageError

import npu_lab
from npu_lab import _tensorflow
from npu_lab.device.warn import warn
from npu_lab.diagnostics import NpuLabWarning, diagnose
from npu_lab.lab import magics
from npu_lab.tf1 import process, view


@pytest.fixture(autouse=True)
def inactive(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    npu_lab.deactivate()
    # Other tests may have imported TensorFlow first.
    monkeypatch.setattr(_tensorflow, "imported_late", False)
    monkeypatch.setenv("ASCEND_GLOBAL_LOG_LEVEL", "1")
    shown = warnings.showwarning
    yield
    magics.unload_ipython_extension(None)
    assert warnings.showwarning is shown


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    return shown


def test_prints_one_ready_line_with_versions_and_level(
    capfd: pytest.CaptureFixture[str],
) -> None:
    npu_lab.load_ipython_extension(None)
    printed = capfd.readouterr()
    assert printed.err == ""
    (line,) = printed.out.splitlines()
    for part in (npu_lab.__version__, "2.21", "ipywidgets 8", "level 1 (INFO)"):
        assert part in line
    assert npu_lab.active_device() is not None


def test_default_level_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASCEND_GLOBAL_LOG_LEVEL")
    npu_lab.load_ipython_extension(None)
    assert "level 3 (ERROR)" in capsys.readouterr().out


def test_loading_twice_keeps_the_device_and_says_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    npu_lab.load_ipython_extension(None)
    device, first = npu_lab.active_device(), capsys.readouterr().out
    npu_lab.load_ipython_extension(None)
    assert npu_lab.active_device() is device
    assert capsys.readouterr().out == first


def test_level_set_after_the_log_has_started_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASCEND_GLOBAL_LOG_LEVEL")
    npu_lab.load_ipython_extension(None)
    monkeypatch.setenv("ASCEND_GLOBAL_LOG_LEVEL", "1")
    capsys.readouterr()
    npu_lab.load_ipython_extension(None)
    (line,) = capsys.readouterr().out.splitlines()
    assert "too late" in line
    assert "level 3 (ERROR)" in line
    assert "Restart the kernel" in line


def test_tensorflow_imported_before_is_told_with_its_meaning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tensorflow, "imported_late", True)
    npu_lab.load_ipython_extension(None)
    (line,) = capsys.readouterr().out.splitlines()
    assert "imported before it" in line
    assert "Restart the kernel" in line


def test_what_cannot_be_activated_stops_the_cell_with_the_mend(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> None:
        raise process.ViewError("A graph is open. Leave it first.")

    monkeypatch.setattr(view, "install", refuse)
    with pytest.raises(UsageError, match=r"could not be activated.*Leave it first"):
        npu_lab.load_ipython_extension(None)
    assert npu_lab.active_device() is None


def test_unloading_deactivates() -> None:
    npu_lab.load_ipython_extension(None)
    npu_lab.unload_ipython_extension(None)
    assert npu_lab.active_device() is None


def test_a_diagnostic_is_a_note_in_the_cell_not_on_stderr(
    displayed: list[Any], capfd: pytest.CaptureFixture[str]
) -> None:
    npu_lab.load_ipython_extension(None)
    capfd.readouterr()
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warn(diagnose("SINK007", option=10, loaded=5))
    assert capfd.readouterr() == ("", "")
    (note,) = displayed
    bundle = note._repr_mimebundle_()
    assert bundle["text/plain"].startswith("warning: SINK007 ")
    assert "\n" not in bundle["text/plain"]
    assert __file__ not in bundle["text/plain"] + bundle["text/html"]
    assert "<strong>⚠ warning SINK007</strong>" in bundle["text/html"]


def test_a_note_is_called_what_its_diagnostic_is() -> None:
    assert str(magics.Note("SINK001 The session ran a.")).startswith("error: SINK001")
    assert str(magics.Note("The log is full.")) == "warning: The log is full."


def test_a_warning_without_code_is_shown_whole(displayed: list[Any]) -> None:
    npu_lab.load_ipython_extension(None)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.warn("The log <cannot> be written.", NpuLabWarning, stacklevel=1)
    page = displayed[0]._repr_mimebundle_()["text/html"]
    assert "The log &lt;cannot&gt; be written." in page


def test_warnings_of_others_are_left_alone(
    displayed: list[Any], recwarn: pytest.WarningsRecorder
) -> None:
    npu_lab.load_ipython_extension(None)
    warnings.warn("mine", UserWarning, stacklevel=1)
    assert not displayed
    assert [str(warning.message) for warning in recwarn.list] == ["mine"]


def test_notes_come_back_after_a_block_that_restored_the_stock_way(
    displayed: list[Any],
) -> None:
    with warnings.catch_warnings():
        npu_lab.load_ipython_extension(None)
    npu_lab.load_ipython_extension(None)
    warn(diagnose("SINK007", option=10, loaded=5))
    assert len(displayed) == 1


def test_after_unloading_diagnostics_are_plain_warnings(displayed: list[Any]) -> None:
    npu_lab.load_ipython_extension(None)
    npu_lab.unload_ipython_extension(None)
    with pytest.warns(NpuLabWarning, match="SINK007"):
        warn(diagnose("SINK007", option=10, loaded=5))
    assert not displayed


UNMARKED = """\
from npu_bridge.npu_init import *
import tensorflow as tf
config = NPURunConfig(iterations_per_loop=10, save_checkpoints_steps=25)
"""


def test_files_are_checked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("libcst")
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    script = tmp_path / "a script.py"
    script.write_text(UNMARKED)
    magics._npu_check(f'"{script}"')
    said = capsys.readouterr().out
    assert "a script.py:3:" in said
    assert "SINK008" in said
    assert said.count("\n") == 2, "the finding and the summary"


def test_a_cell_is_checked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("libcst")
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    magics._npu_check("", UNMARKED)
    assert "cell:3:" in capsys.readouterr().out


@pytest.mark.parametrize("line", ["", "missing.py"])
def test_what_cannot_be_checked_is_told(line: str) -> None:
    with pytest.raises(UsageError, match="npu_check"):
        magics._npu_check(line)


def test_without_the_extra_its_package_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(name: str) -> None:
        raise ModuleNotFoundError(name="libcst")

    monkeypatch.setattr(magics, "import_module", absent)
    with pytest.raises(UsageError, match="libcst"):
        magics._npu_check("", UNMARKED)
