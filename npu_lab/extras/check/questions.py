"""Questions that several rules ask of a program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from npu_lab.extras.check.values import (
    Either,
    Value,
    constant,
    count_of,
    unknown,
)
from npu_lab.extras.check.world import (
    Config,
    Run,
    RunConfig,
    Session,
    Setter,
    Sunk,
    World,
)

OPTION = "iterations_per_loop"
FIELDS = {
    "iterations_per_loop": "i",
    "graph_run_mode": "i",
    "enable_data_pre_proc": "b",
    "mix_compile_mode": "b",
    "use_off_line": "b",
    "dynamic_input": "b",
    "dynamic_graph_execute_mode": "s",
    "precision_mode": "s",
}
Answer = Literal["yes", "no", "maybe"]


def above_one(values: Iterable[Value]) -> Answer:
    """Whether N is above 1: "maybe" where it is not known, or differs by branch."""
    answers = set()
    for value in values:
        for one in value.each():
            n = count_of(one)
            if one.is_known:
                answers.add(n is not None and n > 1)
            else:
                answers.update((True, False))
    if answers == {True}:
        return "yes"
    return "maybe" if True in answers else "no"


@dataclass(frozen=True)
class Sink:
    """An operation marked for the loop, with its N and the options of its session.

    `config` is None where the program does not show it; `linked` if it is surely that
    of the session.
    """

    setter: Setter
    session: Value
    n: Value
    config: Config | None
    linked: bool
    bare: bool = False
    surely_run: bool = True

    @property
    def result(self) -> Sunk:
        """The operation to run."""
        return self.setter.result or Sunk()

    @property
    def above_one(self) -> Answer:
        """Whether it is meant to sink."""
        return above_one([self.n])

    @property
    def sure(self) -> bool:
        """Whether it surely is meant to sink."""
        return self.surely_run and self.above_one == "yes"


def sinks(world: World) -> Iterator[Sink]:
    """All marked operations."""
    loads = [one for one in world.setters if one.kind == "load"]
    for setter in world.setters:
        if setter.result is None:
            continue
        n, session = setter.n, setter.session
        if setter.kind == "create":
            n = loads[0].n if loads else unknown("N")
            session = loads[0].session if loads else session
        config, linked, bare = config_of(world, session)
        yield Sink(setter, session, n, config, linked, bare)


def config_of(world: World, session: Value) -> tuple[Config | None, bool, bool]:
    """The config of a session, whether that is sure, and whether it has none at all."""
    if isinstance(session, Session):
        given = session.config
        if isinstance(given, Config):
            return given, True, False
        bare = not session.escaped and (given is None or given.known is None)
        return None, False, bare
    with_options = [one for one in world.configs if one.options]
    if len(with_options) == 1:
        return with_options[0], False, False
    return None, False, False


def sunk_runs(world: World) -> Iterator[tuple[Run, Sink]]:
    """The runs of marked operations that are meant to sink."""
    marked = {sink.result: sink for sink in sinks(world)}
    for run in world.runs:
        for one in run.fetches.flat():
            sink = marked.get(one) if isinstance(one, Sunk) else None
            if sink is not None and sink.above_one != "no":
                yield run, replace(sink, surely_run=_surely(run.fetches, one))


def _surely(fetches: Value, sunk: Value) -> bool:
    """Whether no other branch of the program runs something else here."""
    return not any(
        isinstance(one, Either) and sunk in one.options for one in fetches.flat()
    )


def depends(value: Value, n: Value) -> bool:
    """Whether N went into `value`, by name or as the number it is divided by."""
    if value is n:
        return True
    names = {leaf for leaf in n.leaves if leaf[0] not in "/*"}
    if names & value.leaves:
        return True
    return any(f"/{one.known}" in value.leaves for one in n.each() if one.is_known)


def counts_of(config: Config | RunConfig) -> list[Value]:
    """What a config says of N; empty where it says nothing."""
    if isinstance(config, Config):
        return [
            one
            for setting in config.settings(OPTION)
            if setting.proto_field == "i"
            for one in setting.value.each()
        ]
    n = config.arguments.get(OPTION)
    return [] if n is None else list(n.each())


def option(config: Config, key: str) -> list[Value]:
    """What an option may be, as it is read: in the wrong field it reads as nothing."""
    return [
        value
        if setting.proto_field == FIELDS.get(key, setting.proto_field)
        else nothing
        for setting in config.settings(key)
        for nothing in [constant(0)]
        for value in setting.value.each()
    ]


def truth(values: list[Value], default: bool | None) -> bool | None:
    """What a switch is: None where it is not known or differs by branch."""
    if not values:
        return default
    known = {bool(one.known) if one.is_known else None for one in values}
    return known.pop() if len(known) == 1 else None


def words(*texts: str) -> set[str]:
    """The words of names such as `FLAGS.total_steps`."""
    return {word.lower() for text in texts for word in re.split(r"[^A-Za-z]+", text)}
