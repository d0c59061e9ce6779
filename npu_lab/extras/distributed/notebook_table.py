"""The rank table in a notebook: a plain function, and the widget over it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ipywidgets

from npu_lab import files
from npu_lab.extras.distributed import rank_table
from npu_lab.extras.distributed._notebook_texts import say
from npu_lab.lab import pages
from npu_lab.lab.widgets import Panel

NAME = "rank_table.json"
MOST_SERVERS, MOST_DEVICES = 4, 8
DESCRIBED = {"description_width": "120px"}
WIDE = {"width": "420px"}

Content = dict[str, Any]


def _last(content: Content) -> Content:
    last: Content = content["server_list"][-1]["device"][-1]
    return last


def _twice(devices: list[Content]) -> None:
    if len(devices) == 1:
        devices.append({**devices[0], "rank_id": str(int(devices[0]["rank_id"]) + 1)})
    devices[-1]["device_id"] = devices[0]["device_id"]


MISTAKES: Mapping[str, Callable[[Content], None]] = {
    "none": lambda content: content.update(),
    "device_id 9": lambda content: _last(content).update(device_id="9"),
    "device_id twice": lambda content: _twice(content["server_list"][-1]["device"]),
    "rank_id left out": lambda content: _last(content).update(
        rank_id=str(int(_last(content)["rank_id"]) + 1)
    ),
    "rank_id no string": lambda content: _last(content).update(
        rank_id=int(_last(content)["rank_id"])
    ),
    "status initializing": lambda content: content.update(status="initializing"),
    "server_count 9": lambda content: content.update(server_count="9"),
}
"""What people write, by what is wrong with it."""


@dataclass(frozen=True)
class RankTableCard(pages.Shown):
    """A rank table, what the check says of it, and how one of its ranks is started."""

    content: Content
    rank: int

    @property
    def verdict(self) -> tuple[bool, str]:
        """Whether a job can run with it, and why not."""
        try:
            table = rank_table.checked(self.content, NAME)
        except rank_table.RankTableError as error:
            return False, str(error)
        servers = len({entry.server_id for entry in table.entries})
        return True, say("right", size=len(table.entries), servers=servers)

    @property
    def environment(self) -> list[str]:
        """The lines of the shell that start the rank, as the documentation has them."""
        devices = [d for s in self.content["server_list"] for d in s["device"]]
        return [
            f"export RANK_TABLE_FILE={NAME} RANK_SIZE={len(devices)} JOB_ID=10087",
            f"export RANK_ID={self.rank}"
            f" ASCEND_DEVICE_ID={devices[self.rank]['device_id']}",
            "python train.py",
        ]

    def save(self, path: Path | str) -> None:
        """Write the table to a file, whole or not at all."""
        files.replace(Path(path), written(self.content) + "\n")

    def __str__(self) -> str:
        start = say("environment", rank=self.rank)
        parts = [self.verdict[1], written(self.content), *self.environment, start]
        return "\n".join(parts)

    @property
    def html(self) -> pages.Html:
        """The verdict, the file, and the lines of the shell."""
        right, told = self.verdict
        verdict = pages.fill(
            "cell_run",
            state="right" if right else "wrong",
            lines=pages.fill("line", text=told),
            table="",
        )
        file = pages.fill("log", lines=written(self.content), caption=NAME)
        shell = pages.fill(
            "log",
            lines="\n".join(self.environment),
            caption=say("environment", rank=self.rank),
        )
        return pages.join([verdict, file, shell])


def rank_table_card(
    servers: int = 1, devices: int = 2, mistake: str = "none", rank: int = 0
) -> RankTableCard:
    """A rank table with so many servers and devices on each, and its check.

    Args:
        servers: from 1 to 4.
        devices: of each server, from 1 to 8.
        mistake: a key of `MISTAKES`, built in.
        rank: whose start is shown.

    Raises:
        ValueError: an argument is none of these.
    """
    for name, given, least, most in (
        ("servers", servers, 1, MOST_SERVERS),
        ("devices", devices, 1, MOST_DEVICES),
        ("rank", rank, 0, servers * devices - 1),
    ):
        if not least <= given <= most:
            raise ValueError(say(f"{name} range", most=most, given=given))
    if mistake not in MISTAKES:
        choices = ", ".join(map(repr, MISTAKES))
        raise ValueError(say("mistake choice", choices=choices, given=repr(mistake)))
    content = rank_table.table(servers, devices)
    MISTAKES[mistake](content)
    return RankTableCard(content, rank)


def written(content: Content) -> str:
    """The table as JSON, with each device on one line."""
    servers = []
    for server in content["server_list"]:
        rest = {key: value for key, value in server.items() if key != "device"}
        lines = ",\n".join(f"      {json.dumps(d)}" for d in server["device"])
        head = json.dumps(rest)[1:-1]
        servers.append(f'    {{{head}, "device": [\n{lines}]}}')
    head = ",\n".join(
        f"  {json.dumps(key)}: {json.dumps(value)}"
        for key, value in content.items()
        if key != "server_list"
    )
    return f'{{\n{head},\n  "server_list": [\n' + ",\n".join(servers) + "]\n}"


class RankTableExplorer(Panel):
    """A form for a rank table; `rank_table_card` is asked whenever it has changed."""

    def __init__(self) -> None:
        self.servers = _slider(say("servers"), 1, MOST_SERVERS, 1)
        self.devices = _slider(say("devices"), 1, MOST_DEVICES, 2)
        self.rank = _slider(say("rank"), 0, 1, 0)
        named = [(say(m) if m == "none" else m, m) for m in MISTAKES]
        self.mistake = ipywidgets.Dropdown(
            options=named, description=say("mistake"), style=DESCRIBED, layout=WIDE
        )
        self.card = ipywidgets.HTML(layout={"height": "370px", "overflow": "auto"})
        controls = [self.servers, self.devices, self.mistake, self.rank]
        super().__init__([ipywidgets.VBox(controls)], [self.card])
        for control in controls:
            control.observe(self.guarded(self.show), names="value")
        self.show()

    def shown(self) -> RankTableCard:
        """What `rank_table_card` says of the form as it stands."""
        servers, devices = self.servers.value, self.devices.value
        self.rank.max = servers * devices - 1
        return rank_table_card(servers, devices, self.mistake.value, self.rank.value)

    def show(self) -> None:
        """Bring the card up to date."""
        self.card.value = pages.styled(self.shown().html)
        facts = {"servers": self.servers.value, "devices": self.devices.value}
        self.tell(say("shown", **facts))

    @property
    def text(self) -> str:
        """The widget in words."""
        return say("table text")


def _slider(name: str, least: int, most: int, value: int) -> Any:
    return ipywidgets.IntSlider(
        value=value,
        min=least,
        max=most,
        description=name,
        style=DESCRIBED,
        layout=WIDE,
        continuous_update=False,
    )


rank_table_explorer = RankTableExplorer
