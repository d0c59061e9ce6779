"""Rules about the session's options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from npu_lab.extras.check.findings import Finding, found
from npu_lab.extras.check.questions import (
    FIELDS,
    OPTION,
    above_one,
    counts_of,
    option,
    truth,
)
from npu_lab.extras.check.rules.rule import Rule
from npu_lab.extras.check.values import Value
from npu_lab.extras.check.world import Config, Run, RunConfig, Where, World

PRE_PROC = "enable_data_pre_proc"
_READS_AS = {"i": "0", "b": "False", "s": '""'}
_HAS_DATA = re.compile(r"Dataset|_iterator\b|get_next|input_fn|iterator_util")
_MARKS = re.compile(r"""["']IterationOp["':]""")
# A setter that is not called by its name, such as through functools.partial.
_NAMED = re.compile(
    r"^(?!\s*(from|import)\b)[^#\n]*\b(set_iteration_per_loop|IterationPerLoop)\b",
    re.MULTILINE,
)
# What makes a training operation: tf.train.AdamOptimizer, slim's create_train_op.
_TRAINS = re.compile(r"[Oo]ptimize|train")


def place(config: Config, key: str = OPTION) -> Where | None:
    """Where an option is set."""
    settings = config.settings(key)
    return settings[-1].where if settings else config.where


def pre_processing_off(world: World) -> Iterator[Finding]:
    """N > 1, but GetNext stays on the host."""
    for config in world.configs:
        counts = counts_of(config)
        answer = above_one(counts)
        off = truth(option(config, PRE_PROC), False)
        if answer == "no" or off is not False:
            continue
        if not config.seen_whole and not option(config, PRE_PROC):
            continue
        if not _HAS_DATA.search(world.text) and _feeds(world):
            continue
        sure = answer == "yes" and bool(world.iterators or world.datasets)
        names = _iterators(world)
        n = counts[-1]
        yield found("SINK005", place(config), sure=sure, get_next=names, iterations=n)
    for run_config in world.run_configs:
        counts = counts_of(run_config)
        switch = run_config.arguments.get(PRE_PROC)
        if not run_config.vendor or switch is None:
            continue
        answer = above_one(counts)
        if truth(list(switch.each()), True) is False and answer != "no":
            yield found(
                "SINK005",
                run_config.where,
                sure=answer == "yes",
                get_next={"en": "of input_fn", "zh": "（input_fn）"},
                iterations=counts[-1],
            )


def _feeds(world: World) -> bool:
    return any(run.feed is not None for run in world.runs)


def _iterators(world: World) -> object:
    names = sorted({one.text for one in world.iterators})
    return names or {"en": "of the Dataset", "zh": "（Dataset）"}


def option_without_setter(world: World) -> Iterator[Finding]:
    """The option is set, but no operation is marked for the loop."""
    hooks = any(one.name == "SetIterationsVarHook" for one in world.hooks)
    if world.setters or hooks or _MARKS.search(world.text):
        return
    of_estimators = [one.arguments.get("session_config") for one in world.run_configs]
    for config in world.configs:
        counts = counts_of(config)
        answer = above_one(counts)
        if answer == "no" or config in of_estimators:
            continue
        sessions = [one for one in world.sessions if one.config is config]
        ran = [one for one in world.runs if one.session in sessions]
        if world.keras_fits and not ran:
            continue
        if not sessions or (not ran and all(one.escaped for one in sessions)):
            continue
        trains = any(run.where.loops for run in ran)
        kept = config.seen_whole and not any(one.escaped for one in sessions)
        kept = kept and not _NAMED.search(world.text) and not _made_elsewhere(ran)
        sure = answer == "yes" and trains and kept
        yield found("SINK006", place(config), sure=sure, option=counts[-1], loaded=1)


def _made_elsewhere(runs: Iterable[Run]) -> bool:
    """Whether no loop runs what an optimizer gave; a function may have marked it."""
    fetched = [one for run in runs if run.where.loops for one in run.fetches.flat()]
    return not any(_TRAINS.search(one.made_by) for one in fetched)


def mixed_compute(world: World) -> Iterator[Finding]:
    """Mixed compute allows no loop."""
    for config, where, n in _above_one(world):
        switch = _switch(config, "mix_compile_mode")
        if truth(switch, False):
            sure = above_one([n]) == "yes"
            yield found("SINK010", where, sure=sure, option=n)


def _above_one(
    world: World,
) -> Iterator[tuple[Config | RunConfig, Where | None, Value]]:
    """The configs with N > 1, or perhaps."""
    both: list[Config | RunConfig] = [*world.configs, *world.run_configs]
    for config in both:
        counts = counts_of(config)
        if above_one(counts) != "no":
            where = place(config) if isinstance(config, Config) else config.where
            yield config, where, counts[-1]


def _switch(config: Config | RunConfig, key: str) -> list[Value]:
    if isinstance(config, Config):
        return option(config, key)
    given = config.arguments.get(key)
    return [] if given is None else list(given.each())


def no_loop_with(world: World) -> Iterator[Finding]:
    """Other options that allow no loop."""
    for config, where, n in _above_one(world):
        sure = above_one([n]) == "yes"
        if truth(_switch(config, "use_off_line"), True) is False:
            yield found("SINK024", where, sure=sure, option=n)
        modes = _switch(config, "graph_run_mode")
        if modes and all(one.known == 0 for one in modes):
            yield found("SINK025", where, sure=sure, option=n)
        dynamic = truth(_switch(config, "dynamic_input"), False)
        modes = _switch(config, "dynamic_graph_execute_mode")
        lazy = [one.known in {"lazy_recompile", b"lazy_recompile"} for one in modes]
        if dynamic and lazy and all(lazy):
            yield found("SINK035", where, sure=sure, option=n)
        elif dynamic:
            yield found(
                "SINK013",
                where,
                sure=sure,
                get_next={"en": "of the training data", "zh": "（训练数据）"},
                shape="dynamic_input",
            )


def wrong_field(world: World) -> Iterator[Finding]:
    """An option in a proto field from which it is not read."""
    for config in world.configs:
        for key, expected in FIELDS.items():
            for setting in config.settings(key):
                given = setting.proto_field
                if given != expected:
                    yield found(
                        "SINK022",
                        setting.where,
                        key=key,
                        given=given,
                        expected=expected,
                        effective=_READS_AS[expected],
                    )


def pre_processing_of_nothing(world: World) -> Iterator[Finding]:
    """The switch for GetNext is on, and there is no Dataset."""
    if _HAS_DATA.search(world.text):
        return
    fed = [run for run in world.runs if run.feed is not None]
    if not fed:
        return
    used = {one.config for one in world.sessions}
    data = any(one.rank for one in world.placeholders)
    for config in world.configs:
        if truth(option(config, PRE_PROC), False):
            sure = config in used and data
            yield found("SINK012", place(config, PRE_PROC), sure=sure)


_DOCS = "the vendor's guide to sinking the training loop"
_ADAPTER = "the adapter's source"
RULES = (
    Rule(
        ("SINK005",),
        "N > 1 and enable_data_pre_proc is not True in the same config",
        _DOCS,
        pre_processing_off,
    ),
    Rule(
        ("SINK006",),
        "the option is set, and no setter, no hook, no NPURunConfig is there",
        _ADAPTER,
        option_without_setter,
    ),
    Rule(("SINK010",), "mix_compile_mode with N > 1", _DOCS, mixed_compute),
    Rule(
        ("SINK013", "SINK024", "SINK025", "SINK035"),
        "use_off_line off, graph_run_mode 0 or dynamic_input with N > 1",
        _ADAPTER,
        no_loop_with,
    ),
    Rule(("SINK022",), "an option in another proto field", _ADAPTER, wrong_field),
    Rule(
        ("SINK012",),
        "enable_data_pre_proc is True, the data is fed",
        _DOCS,
        pre_processing_of_nothing,
    ),
)
