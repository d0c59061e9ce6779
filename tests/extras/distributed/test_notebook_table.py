"""The rank table in a notebook: what the form shows is what the plain function says."""

from __future__ import annotations

from pathlib import Path

import pytest

from npu_lab.extras.distributed import rank_table
from npu_lab.extras.distributed.notebook_table import (
    MISTAKES,
    rank_table_card,
    rank_table_explorer,
)

NAMED = {
    "device_id 9": ("device_id", '"9"'),
    "device_id twice": ("device[1].device_id", "has the same"),
    "rank_id left out": ("rank_id", "missing"),
    "rank_id no string": ("rank_id", "string"),
    "status initializing": ("status", '"initializing"'),
    "server_count 9": ("server_count", '"9"'),
}


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "en")


@pytest.mark.parametrize(("servers", "devices"), [(1, 1), (1, 2), (1, 8), (4, 8)])
def test_a_table_that_is_right(servers: int, devices: int, tmp_path: Path) -> None:
    card = rank_table_card(servers, devices, rank=servers * devices - 1)
    assert card.verdict[0]
    assert f"Ranks: {servers * devices}; servers: {servers}." in str(card)
    card.save(tmp_path / "table.json")
    table = rank_table.read(tmp_path / "table.json")
    assert len(table.entries) == servers * devices
    assert table.one_server == (servers == 1)
    for line in (f"RANK_SIZE={servers * devices}", f"ASCEND_DEVICE_ID={devices - 1}"):
        assert line in str(card)


@pytest.mark.parametrize("servers", [1, 2])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_field_and_value(mistake: str, servers: int) -> None:
    right, told = rank_table_card(servers, 2, mistake).verdict
    assert right == (mistake == "none")
    if not right:
        assert told.startswith("rank_table.json: ")
    if servers == 1:
        assert all(part in told for part in NAMED.get(mistake, ()))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"servers": 0}, "servers must be from 1 to 4, not 0"),
        ({"devices": 9}, "devices must be from 1 to 8, not 9"),
        ({"rank": 2}, "rank must be from 0 to 1, not 2"),
        ({"mistake": "?"}, "mistake must be one of 'none', .* not '?"),
    ],
)
def test_other_arguments_are_refused(arguments: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        rank_table_card(**arguments)  # type: ignore[arg-type]


def test_the_form_begins_as_the_plain_function() -> None:
    form = rank_table_explorer()
    assert form.card.value == str(styled(rank_table_card()))
    bundle = form._repr_mimebundle_()
    assert bundle["text/plain"].startswith("[")


def styled(card: object) -> object:
    from npu_lab.lab import pages

    return pages.styled(card.html)  # type: ignore[attr-defined]


def test_the_form_shows_what_is_chosen() -> None:
    form = rank_table_explorer()
    form.servers.value, form.devices.value = 2, 4
    assert form.rank.max == 7
    form.rank.value = 7
    assert form.card.value == styled(rank_table_card(2, 4, rank=7))
    form.mistake.value = "status initializing"
    assert "&quot;initializing&quot;, but must be" in form.card.value
    # Fewer ranks than the one that is shown.
    form.servers.value = form.devices.value = 1
    assert form.rank.value == 0
    assert form.card.value == styled(rank_table_card(1, 1, "status initializing"))


def test_in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    assert "正确" in str(rank_table_card())
    assert "资源配置文件" in rank_table_explorer().text
