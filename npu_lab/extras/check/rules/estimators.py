"""Rules about Estimators, hooks and Keras."""

from __future__ import annotations

from collections.abc import Iterator

from npu_lab.extras.check.findings import Finding, found
from npu_lab.extras.check.questions import OPTION, above_one, counts_of, sinks
from npu_lab.extras.check.rules.options import place
from npu_lab.extras.check.rules.rule import Rule
from npu_lab.extras.check.values import Function, Value, count_of
from npu_lab.extras.check.world import Config, Estimator, RunConfig, Where, World

# Not those of log lines: an Estimator's count calls, as every_n_iter does.
_INTERVALS = (
    "save_checkpoints_steps",
    "save_checkpoint_steps",
    "save_summary_steps",
    "save_summaries_steps",
)
_OF_HOOKS = {
    "StopAtStepHook": ("last_step", "num_steps"),
    "CheckpointSaverHook": ("save_steps",),
    "SummarySaverHook": ("save_steps",),
    "MonitoredTrainingSession": (*_INTERVALS, "log_step_count_steps"),
}


def intervals(world: World) -> Iterator[Finding]:
    """An interval or a number of steps that N does not divide."""
    for config in world.run_configs:
        n = _n_of(config)
        if n is not None:
            yield from _intervals(config.where, config.arguments, _INTERVALS, n)
    for training in world.trainings:
        given = training.estimator.config
        n = _n_of(given) if isinstance(given, RunConfig) else None
        if n is not None and training.steps is not None:
            yield from _multiple(training.where, "max_steps", training.steps, n)
    marked = [sink.n for sink in sinks(world) if count_of(sink.n) is not None]
    marked += [
        hook.arguments[OPTION]
        for hook in world.hooks
        if hook.name == "SetIterationsVarHook" and OPTION in hook.arguments
    ]
    if not marked or len({count_of(n) for n in marked}) > 1:
        return
    for hook in world.hooks:
        names = _OF_HOOKS.get(hook.name, ())
        yield from _intervals(hook.where, hook.arguments, names, marked[0])


def _n_of(config: RunConfig) -> Value | None:
    counts = counts_of(config)
    inner = config.arguments.get("session_config")
    if not counts and isinstance(inner, Config):
        counts = counts_of(inner)
    return counts[0] if len(counts) == 1 else None


def _intervals(
    where: Where | None, arguments: dict[str, Value], names: tuple[str, ...], n: Value
) -> Iterator[Finding]:
    for name in names:
        if name in arguments:
            yield from _multiple(where, name, arguments[name], n)


def _multiple(
    where: Where | None, name: str, value: Value, n: Value
) -> Iterator[Finding]:
    steps, whole = count_of(value), count_of(n)
    if steps and whole and whole > 1 and steps % whole:
        yield found("SINK008", where, what=name, value=value, iterations=n)


def keras_fit(world: World) -> Iterator[Finding]:
    """Native Keras always runs one iteration in a call."""
    if any(one.vendor for one in world.estimators):
        return
    counts = [n for one in world.configs for n in counts_of(one)]
    counts += [sink.n for sink in sinks(world)]
    answer = above_one(counts)
    if answer == "no":
        return
    for where in world.keras_fits:
        yield found("SINK015", where, sure=answer == "yes", option=counts[-1])


def one_of_three_missing(world: World) -> Iterator[Finding]:
    """A wrapped Estimator needs the option, the hook and the operation's name."""
    hooks = [one for one in world.hooks if one.name == "SetIterationsVarHook"]
    named = bool(world.iteration_ops) or "IterationOp" in world.text
    for estimator in world.estimators:
        if estimator.vendor or not isinstance(estimator.config, RunConfig):
            continue
        if estimator.config.vendor:
            continue
        yield from _missing(world, estimator, estimator.config, bool(hooks), named)


def unread_config(world: World) -> Iterator[Finding]:
    """A plain Estimator does not read the options of an NPURunConfig."""
    for estimator in world.estimators:
        config = estimator.config
        if estimator.vendor or not isinstance(config, RunConfig) or not config.vendor:
            continue
        n = config.arguments.get(OPTION)
        if n is not None and (answer := above_one([n])) != "no":
            yield found("SINK053", estimator.where, sure=answer == "yes", iterations=n)


def _missing(
    world: World, estimator: Estimator, config: RunConfig, hook: bool, named: bool
) -> Iterator[Finding]:
    inner = config.arguments.get("session_config")
    counts = counts_of(inner) if isinstance(inner, Config) else []
    answer = above_one(counts)
    if inner is not None and not isinstance(inner, Config):
        answer = "maybe"
    hook_asks = any(
        above_one([one.arguments[OPTION]]) == "yes"
        for one in world.hooks
        if OPTION in one.arguments
    )
    if answer == "no" and not (hook_asks or named):
        return
    missing = [
        name
        for name, there in (
            ('parameter_map["iterations_per_loop"]', answer != "no"),
            ("SetIterationsVarHook", hook),
            ("IterationOp", named),
        )
        if not there
    ]
    if not missing or (answer == "no" and not (hook and named)):
        return
    if answer == "maybe" and not counts and not (hook or named):
        return
    here = isinstance(estimator.model_fn, Function)
    whole = config.seen_whole and (not isinstance(inner, Config) or inner.seen_whole)
    sure = here and whole and answer != "maybe"
    where = place(inner) if isinstance(inner, Config) and counts else estimator.where
    yield found("SINK016", where, sure=sure, missing=missing)


_DOCS = "the vendor's guide to sinking the training loop"
RULES = (
    Rule(
        ("SINK008",),
        "max_steps, a checkpoint, summary or log interval that N does not divide",
        _DOCS,
        intervals,
    ),
    Rule(("SINK015",), "fit of a Keras model with N > 1", _DOCS, keras_fit),
    Rule(
        ("SINK016",),
        "an Estimator with a wrapped RunConfig and not all three parts of the loop",
        _DOCS,
        one_of_three_missing,
    ),
    Rule(
        ("SINK053",),
        "an NPURunConfig with N > 1 for an Estimator that is no NPUEstimator",
        _DOCS,
        unread_config,
    ),
)
