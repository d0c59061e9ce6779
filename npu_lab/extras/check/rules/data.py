"""Rules about the data that the sunk operation reads."""

from __future__ import annotations

from collections.abc import Iterator

from npu_lab.extras.check.findings import Finding, found
from npu_lab.extras.check.questions import above_one, counts_of, option, sinks, truth
from npu_lab.extras.check.rules.options import PRE_PROC
from npu_lab.extras.check.rules.rule import Rule
from npu_lab.extras.check.values import Value, flowing
from npu_lab.extras.check.world import (
    Config,
    DataIterator,
    Dataset,
    RunConfig,
    Where,
    World,
)


def _fed_to_a_loop(
    world: World, *, sunk_only: bool = False
) -> Iterator[tuple[frozenset[Value], Value, Where]]:
    """What flows into each loop, its N, and where it is marked or trained."""
    for sink in sinks(world):
        if sink.above_one == "no":
            continue
        switch = None if sink.config is None else option(sink.config, PRE_PROC)
        if not sunk_only or switch is None or truth(switch, False) is True:
            yield _sources(sink.result), sink.n, sink.setter.where
    for training in world.trainings:
        config = training.estimator.config
        if training.data is None or not isinstance(config, RunConfig):
            continue
        counts = counts_of(config)
        inner = config.arguments.get("session_config")
        if not counts and isinstance(inner, Config):
            counts = counts_of(inner)
        if above_one(counts) != "no":
            data = set(flowing(training.data))
            data |= {one for one in training.data.flat() if isinstance(one, Dataset)}
            yield frozenset(data), counts[-1], training.where


def _sources(value: Value) -> frozenset[Value]:
    """The iterators and datasets that flow into a value."""
    return frozenset(
        one for one in value.sources if isinstance(one, (DataIterator, Dataset))
    )


def one_shot(world: World) -> Iterator[Finding]:
    """A one-shot iterator cannot be sunk."""
    reported: set[Value] = set()
    for sources, n, where in _fed_to_a_loop(world):
        iterators = [one for one in sources if isinstance(one, DataIterator)]
        for one in iterators:
            if not one.one_shot or one.where is None:
                continue
            reported.add(one)
            others = [it.where for it in iterators if it.where and not it.one_shot]
            if any(other.excludes(one.where) for other in others):
                continue  # that of the evaluation
            sure = above_one([n]) == "yes" and one.where.surely_with(where)
            yield found("SINK009", one.where, sure=sure, iterator=one.text, option=n)
    if len(world.iterators) == 1 and world.iterators[0].one_shot:
        yield from _only_one(world, reported)


def _only_one(world: World, reported: set[Value]) -> Iterator[Finding]:
    """The only iterator of a program that sinks is likely that of the training."""
    (only,) = world.iterators
    if only in reported or world.trainings:
        return
    for sink in sinks(world):
        if sink.above_one != "no" and not _sources(sink.result):
            yield found(
                "SINK009", only.where, sure=False, iterator=only.text, option=sink.n
            )


def ragged(world: World) -> Iterator[Finding]:
    """A batch without drop_remainder has no fixed size."""
    for sources, n, where in _fed_to_a_loop(world, sunk_only=True):
        datasets = [one for one in sources if isinstance(one, Dataset)]
        if any(one.ragged is None for one in datasets):
            continue  # another branch has whole batches
        for one in datasets:
            if one.ragged is not None:
                yield found(
                    "SINK013",
                    one.ragged,
                    sure=above_one([n]) == "yes" and one.ragged.surely_with(where),
                    get_next={"en": "of the Dataset", "zh": "（Dataset）"},
                    shape="(?, ...)",
                )


_ADAPTER = "the adapter's source"
RULES = (
    Rule(
        ("SINK009",),
        "make_one_shot_iterator gives the data of the sunk operation",
        _ADAPTER,
        one_shot,
    ),
    Rule(
        ("SINK013",),
        "batch without drop_remainder gives the data of the sunk operation",
        _ADAPTER,
        ragged,
    ),
)
