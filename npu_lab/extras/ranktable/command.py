"""The command `npu-lab ranktable`: its three ways."""

from __future__ import annotations

import argparse
import ipaddress
import sys
from collections.abc import Sequence
from pathlib import Path

from npu_lab import command_line
from npu_lab.command_line import USAGE
from npu_lab.extras.distributed import rank_table
from npu_lab.extras.distributed._texts import text as told
from npu_lab.extras.distributed.rank_table import RankTable, RankTableError
from npu_lab.extras.ranktable import explaining
from npu_lab.extras.ranktable._texts import text


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    given = command_line.read(_parser(), arguments)
    if isinstance(given, int):
        return given
    try:
        return int(given.action(given))
    except (ValueError, OSError) as problem:
        _say(str(problem))
        return USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="npu-lab ranktable", description=text("about")
    )
    ways = parser.add_subparsers(dest="way", required=True, metavar="WAY")
    write = ways.add_parser("write", help=text("write"), description=text("write"))
    add = write.add_argument
    add("file", nargs="?", type=Path, metavar="FILE", help=text("to"))
    add("--servers", type=int, metavar="N", help=text("--servers"))
    add("--devices", type=int, default=2, metavar="N", help=text("--devices"))
    add("--server-ids", type=_listed, metavar="ID,...", help=text("--server-ids"))
    add("--host-ips", type=_listed, metavar="IP,...", help=text("--host-ips"))
    choices = list(rank_table.VERSIONS)
    add("--version", choices=choices, default="1.0", help=text("--version"))
    add("--host-port", type=int, metavar="PORT", help=text("--host-port"))
    write.set_defaults(action=_write)
    for name, action in (("check", _check), ("explain", _explain)):
        way = ways.add_parser(name, help=text(name), description=text(name))
        way.add_argument("file", type=Path, metavar="FILE", help=text("FILE"))
        way.set_defaults(action=action)
    return parser


def _listed(given: str) -> list[str]:
    return [part.strip() for part in given.split(",")]


def _write(given: argparse.Namespace) -> int:
    for option in ("servers", "devices"):
        number = getattr(given, option)
        if number is not None and number < 1:
            raise ValueError(text("at least one", option=f"--{option}", given=number))
    ids = given.server_ids
    if ids and given.servers not in {None, len(ids)}:
        facts = {"servers": given.servers, "ids": len(ids), "listed": ", ".join(ids)}
        raise ValueError(text("count", **facts))
    servers = ids or given.servers or 1
    more = {
        "host_ips": given.host_ips or (),
        "version": given.version,
        "host_port": given.host_port,
    }
    if given.file is None:
        made = rank_table.table(servers, given.devices, **more)
        print(rank_table.shown(made), end="")
        _note_names(rank_table.checked(made, told("new table")))
        return 0
    try:
        table = rank_table.write(given.file, servers, given.devices, **more)
    except OSError as problem:
        facts = {"path": given.file, "problem": problem.strerror}
        raise OSError(text("not written", **facts)) from problem
    last, count = len(table.entries) - 1, len({e.server_id for e in table.entries})
    _say(text("written", path=given.file, first=0, last=last, servers=count))
    _note_names(table)
    return 0


def _note_names(table: RankTable) -> None:
    """Say where servers are to be found by names that may be nobody's."""
    names = [entry.host for entry in table.entries if not _is_address(entry.host)]
    if names and not table.one_server:
        _say(text("by name", ids=", ".join(dict.fromkeys(names))))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _check(given: argparse.Namespace) -> int:
    try:
        table = _read(given.file)
    except RankTableError as error:
        return _show(given.file, error)
    print(_correct(given.file, table))
    print(text("not checked"))
    return 0


def _explain(given: argparse.Namespace) -> int:
    try:
        table = _read(given.file)
    except RankTableError as error:
        return _show(given.file, error)
    content = rank_table.content(given.file)
    print(_correct(given.file, table), "", sep="\n")
    for line in explaining.lines(given.file, content, table):
        print(line)
    return 0


def _read(path: Path) -> RankTable:
    if not path.is_file():
        raise FileNotFoundError(text("no file", path=path))
    return rank_table.read(path)


def _correct(path: Path, table: RankTable) -> str:
    servers = len({entry.server_id for entry in table.entries})
    facts = {"size": len(table.entries), "servers": servers}
    version = rank_table.content(path)["version"]
    return text("correct", path=path, version=version, **facts)


def _show(path: Path, error: RankTableError) -> int:
    """Print every fault, a line each."""
    for fault in error.faults:
        facts = {"field": fault.field, "given": fault.given, "rule": fault.rule}
        print(told("field", path=path, **facts))
    if not error.faults:  # no JSON
        print(error)
    print(text("faults", path=path, count=max(1, len(error.faults))))
    return 1


def _say(line: str) -> None:
    print(f"npu-lab ranktable: {line}", file=sys.stderr, flush=True)
