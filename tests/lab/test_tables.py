from __future__ import annotations

from dataclasses import replace

import pytest

from npu_lab import lab
from npu_lab.lab.measurement import Measurement
from npu_lab.lab.tables import Table

Measurements = list[Measurement]


def test_round_trips_are_counts_and_no_time(measurements: Measurements) -> None:
    table = lab.round_trip_table(measurements)
    assert table.rows[0] == ("1", "100", "0", "100")
    assert table.rows[3] == ("10", "10", "100", "100")
    assert "ledger" in table.caption
    assert "ms" not in str(table)


def test_step_time_shows_the_spread(
    measurements: Measurements, delayed: Measurements
) -> None:
    table = lab.step_time_table([*measurements, *delayed])
    assert table.header[1] == "injected per round trip"
    assert table.rows[0] == ("1", "none", "0.92 ms", "0.90 ms - 0.94 ms")
    assert table.rows[-3][:3] == ("1", "2 ms", "2.92 ms")
    assert "measured" in table.caption.lower()


def test_an_injected_bandwidth_is_named_beside_the_delay(
    delayed: Measurements,
) -> None:
    slow = [replace(m, bandwidth=10e6) for m in delayed]
    for table in (lab.step_time_table(slow), lab.measurement_table(slow)):
        column = table.header.index("injected per round trip")
        assert table.rows[0][column] == "2 ms, 10 MB/s"
    bytes_only = [replace(m, link_delay=0.0) for m in slow]
    assert lab.step_time_table(bytes_only).rows[0][1] == "10 MB/s"


def test_without_a_delay_there_is_no_column_for_it(measurements: Measurements) -> None:
    assert len(lab.step_time_table(measurements).header) == 3


def test_mixed_table_says_what_is_counted_and_what_measured(
    measurements: Measurements,
) -> None:
    caption = lab.measurement_table(measurements).caption
    assert "Counted by the ledger" in caption
    assert "measured" in caption


def test_html_and_text_hold_the_same_numbers(measurements: Measurements) -> None:
    table = lab.round_trip_table(measurements, chosen=20)
    bundle = table._repr_mimebundle_()
    for row in table.rows:
        assert "".join(f"<td>{cell}</td>" for cell in row) in bundle["text/html"]
        assert row[1] in bundle["text/plain"]
    assert bundle["text/html"].count('<tr class="npu-lab-chosen"') == 1
    assert "<caption>" in bundle["text/html"]


def test_text_columns_are_aligned_also_in_chinese(
    measurements: Measurements, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    lines = str(lab.round_trip_table(measurements)).splitlines()[:-1]
    widths = {sum(2 if ord(c) > 0x2E80 else 1 for c in line) for line in lines}
    assert len(widths) == 1


def test_cells_are_escaped() -> None:
    table = Table("a < b", ("<i>",), (("&",),))
    assert "<td>&amp;</td>" in table.html
    assert "<i>" not in table.html
    assert "a &lt; b" in table.html
