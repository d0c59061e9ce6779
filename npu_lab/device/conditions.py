"""The rules of the sunk loop: from facts to what will happen, and why.

Pure: no TensorFlow, no session.  The table of conditions, with the vendor's outcome of
each failure, is in the vendor's engine and adapter source; `judge` gives the same
outcome, as an exception where the vendor's process would abort.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from npu_lab.diagnostics import Diagnostic, diagnose

FRESH, REPEATED, NO_DATA = "fresh", "repeated", "none"


@dataclass(frozen=True)
class Facts:
    """What is known of one host call before it runs.

    `iterations_per_loop` is the session option N; `loaded` the number of steps the
    loaded count stands for (count + 1), or None where nothing is loaded in this
    session.  Names are those of operations or tensors in the user's graph;
    `unknown_shapes` maps a GetNext to the shape that is not fully known;
    `nested_get_next` are those inside functions; `feeds` are the fed tensors that carry
    data, `scalars` those that carry one value.  `pipeline_tables` and
    `pipeline_variables` are those that the input pipeline reads on the host.
    """

    iterations_per_loop: int = 1
    use_off_line: bool = True
    graph_run_mode: int = 1
    mix_compile_mode: bool = False
    enable_data_pre_proc: bool = False
    on_device: bool = True
    trains: bool = False
    iteration_op: bool = False
    near_misses: tuple[str, ...] = ()
    marked_in_graph: bool = False
    loaded: int | None = None
    get_next: tuple[str, ...] = ()
    unknown_shapes: Mapping[str, str] = field(default_factory=dict)
    one_shot: tuple[str, ...] = ()
    nested_get_next: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    reference_variables: tuple[str, ...] = ()
    restarting_randoms: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    fetched: tuple[str, ...] = ()
    pipeline_tables: tuple[str, ...] = ()
    pipeline_variables: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What the device does: a loop or one step, and on which data."""

    loop: bool
    sink_data: bool
    data: str
    diagnostics: tuple[Diagnostic, ...]


class SinkError(ValueError):
    """A host call that the real stack would end the process for."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.text())
        self.diagnostic = diagnostic


class PipelineError(SinkError):
    """The input pipeline reads on the host what is initialised on the device."""


def judge(facts: Facts) -> Outcome:
    """Decide for one host call; raise `SinkError` where the vendor fails."""
    n = facts.iterations_per_loop
    reaches_npu = facts.on_device and facts.use_off_line
    if reaches_npu and facts.pipeline_tables and not facts.mix_compile_mode:
        raise PipelineError(diagnose("SINK042", tables=facts.pipeline_tables, option=n))
    if reaches_npu and facts.pipeline_variables:
        raise PipelineError(diagnose("SINK044", variables=facts.pipeline_variables))
    if reaches_npu and n != 1 and facts.one_shot:
        raise SinkError(diagnose("SINK009", iterator=facts.one_shot, option=n))
    against = tuple(_against(facts))
    loop = facts.iteration_op and n > 1 and reaches_npu and not against
    if loop and facts.reference_variables:
        raise SinkError(diagnose("SINK034", variables=facts.reference_variables))
    sink_data = reaches_npu and facts.enable_data_pre_proc and bool(facts.get_next)
    pulls, feeds = facts.get_next or facts.nested_get_next, facts.feeds
    if not loop:
        trains = facts.trains or facts.iteration_op
        data = FRESH if trains and (pulls or feeds) else NO_DATA
        return Outcome(False, sink_data, data, against)
    if sink_data or facts.nested_get_next:
        data = FRESH
    else:
        data = REPEATED if pulls or feeds else NO_DATA
    return Outcome(True, sink_data, data, tuple(_beside(facts)))


def _against(facts: Facts) -> list[Diagnostic]:
    """Why a call that was meant to sink, or should be, will run one step."""
    marked = facts.iteration_op or bool(facts.near_misses)
    if not (facts.trains or marked):
        return []
    if not facts.on_device:
        op = "IterationOp" if facts.iteration_op else facts.near_misses
        return [diagnose("SINK029", op=op)] if marked else []
    found = [] if facts.use_off_line else [diagnose("SINK024", option=_n(facts))]
    return found + (_at_1(facts) if _n(facts) == 1 else _at_n(facts))


def _n(facts: Facts) -> int:
    return facts.iterations_per_loop


def _at_1(facts: Facts) -> list[Diagnostic]:
    if facts.iteration_op and (facts.loaded or 1) > 1:
        return [diagnose("SINK017", option=_n(facts), loaded=facts.loaded)]
    return []


def _at_n(facts: Facts) -> list[Diagnostic]:
    n = _n(facts)
    failed = {
        "SINK025": facts.graph_run_mode != 1,
        "SINK010": facts.mix_compile_mode,
        "SINK020": facts.iteration_op and facts.loaded is None,
    }
    found = [diagnose(code, option=n) for code, is_so in failed.items() if is_so]
    if not facts.iteration_op:
        found.append(_unmarked(facts))
    if facts.queues:
        found.append(diagnose("SINK026", ops=facts.queues))
    if facts.enable_data_pre_proc:
        found += [
            diagnose("SINK013", get_next=name, shape=shape)
            for name, shape in facts.unknown_shapes.items()
        ]
    return found


def _unmarked(facts: Facts) -> Diagnostic:
    n = facts.iterations_per_loop
    for name in facts.near_misses:
        code = "SINK019" if "/" in name else "SINK018"
        return diagnose(code, op=name, option=n)
    if facts.marked_in_graph:
        return diagnose("SINK001", option=n, run=facts.fetched)
    return diagnose("SINK006", option=n, loaded=facts.loaded or 1)


def _beside(facts: Facts) -> list[Diagnostic]:
    """What to know of a loop that is built."""
    n = facts.iterations_per_loop
    loaded = facts.loaded or 1
    found: list[Diagnostic] = []
    if loaded <= 1:
        found.append(diagnose("SINK021", option=n))
    elif loaded != n:
        found.append(diagnose("SINK007", option=n, loaded=loaded))
    if facts.get_next and not facts.enable_data_pre_proc:
        found.append(diagnose("SINK005", get_next=facts.get_next, iterations=loaded))
    if facts.feeds:
        found.append(diagnose("SINK004", feeds=facts.feeds, iterations=loaded))
    if facts.scalars:
        found.append(diagnose("SINK039", feeds=facts.scalars, iterations=loaded))
    if facts.nested_get_next:
        found.append(diagnose("SINK038", get_next=facts.nested_get_next))
    if facts.restarting_randoms:
        found.append(diagnose("SINK027", ops=facts.restarting_randoms))
    if facts.summaries:
        found.append(diagnose("SINK028", fetches=facts.summaries, iterations=loaded))
    return found
