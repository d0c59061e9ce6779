"""What a program does that matters for the sunk loop: the events the rules look at."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from npu_lab.extras.check.values import Function, Value


@dataclass(eq=False)
class Loop:
    """A loop around an event.

    `bound` is the number of rounds where it can be seen, `step` what the counter grows
    by in a round (None: 1), `counter` its name; `leaves_early` if there is a `break`.
    """

    node: ast.AST
    bound: Value | None = None
    step: Value | None = None
    counter: str = ""
    leaves_early: bool = False


@dataclass(eq=False)
class Where:
    """A place in the run of a program."""

    node: ast.AST
    loops: tuple[Loop, ...] = ()
    branches: tuple[tuple[ast.AST, bool], ...] = ()
    scopes: tuple[str, ...] = ()

    def excludes(self, other: Where) -> bool:
        """Whether the two are in different branches of one `if`."""
        mine = dict(self.branches)
        return any(mine.get(node, side) != side for node, side in other.branches)

    def surely_with(self, other: Where) -> bool:
        """Whether this happens whenever the other does."""
        return set(self.branches) <= set(other.branches)


@dataclass(eq=False)
class Option:
    """One assignment to a session option."""

    value: Value
    proto_field: str
    where: Where


@dataclass(eq=False)
class Config(Value):
    """A session's ConfigProto with the options of its NpuOptimizer."""

    where: Where | None = None
    options: dict[str, list[Option]] = field(default_factory=dict)
    on_npu: bool = False
    seen_whole: bool = True

    def option(self, key: str) -> list[Value]:
        """What the option may be: empty if it is nowhere set."""
        return [value for one in self.settings(key) for value in one.value.each()]

    def settings(self, key: str) -> list[Option]:
        """The assignments of which one counts: from the last that surely happens."""
        found: list[Option] = []
        for one in self.options.get(key, []):
            found = [*found, one] if one.where.branches else [one]
        return found


@dataclass(eq=False)
class ConfigPart(Value):
    """Something inside a ConfigProto, by its path from there."""

    config: Config = field(default_factory=Config)
    path: str = ""


@dataclass(eq=False)
class RunConfig(Value):
    """A RunConfig of an Estimator; `vendor` if it is an NPURunConfig."""

    where: Where | None = None
    arguments: dict[str, Value] = field(default_factory=dict)
    vendor: bool = False
    seen_whole: bool = True


@dataclass(eq=False)
class Session(Value):
    """A session; `finalizes` if making it freezes the graph."""

    where: Where | None = None
    config: Value | None = None
    finalizes: bool = False
    escaped: bool = False


@dataclass(eq=False)
class Sunk(Value):
    """The operation that the setter returned."""

    original: Value = field(default_factory=Value)
    fetched: bool = False
    escaped: bool = False


@dataclass(eq=False)
class Setter:
    """A call that marks an operation for the loop, or loads N."""

    where: Where
    kind: str  # "set", "create", "load"
    session: Value
    n: Value
    result: Sunk | None = None
    frozen_by: Where | None = None
    discarded: bool = False
    graph: object = None


@dataclass(eq=False)
class Run:
    """A call of a session."""

    where: Where
    session: Value
    fetches: Value
    feed: Value | None


@dataclass(eq=False)
class DataIterator(Value):
    """An iterator over a Dataset."""

    where: Where | None = None
    one_shot: bool = False


@dataclass(eq=False)
class Dataset(Value):
    """A Dataset; `ragged` is where its last batch may be smaller."""

    ragged: Where | None = None


@dataclass(eq=False)
class Placeholder(Value):
    """A placeholder; `rank` is None where its shape is not given."""

    rank: int | None = None
    of_text: bool = False


@dataclass(eq=False)
class Estimator(Value):
    """An Estimator; `vendor` if it is an NPUEstimator."""

    where: Where | None = None
    config: Value | None = None
    model_fn: Value | None = None
    vendor: bool = False


@dataclass(eq=False)
class Training:
    """A call that trains an Estimator."""

    where: Where
    estimator: Estimator
    steps: Value | None
    data: Value | None


@dataclass(eq=False)
class KerasModel(Value):
    """A Keras model."""


@dataclass(eq=False)
class Marked:
    """A call of a library that a rule looks at: its name and arguments."""

    where: Where
    name: str
    arguments: dict[str, Value]


@dataclass
class World:
    """All events of one program."""

    setters: list[Setter] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    configs: list[Config] = field(default_factory=list)
    run_configs: list[RunConfig] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    estimators: list[Estimator] = field(default_factory=list)
    trainings: list[Training] = field(default_factory=list)
    placeholders: list[Placeholder] = field(default_factory=list)
    iterators: list[DataIterator] = field(default_factory=list)
    datasets: list[Dataset] = field(default_factory=list)
    hooks: list[Marked] = field(default_factory=list)
    keras_fits: list[Where] = field(default_factory=list)
    graphs: list[Where] = field(default_factory=list)
    counter_products: list[tuple[Loop, Value]] = field(default_factory=list)
    scaled_times: list[tuple[Where, Value]] = field(default_factory=list)
    remainders: list[Value] = field(default_factory=list)
    step_tests: list[tuple[Where, Loop, Value]] = field(default_factory=list)
    iteration_ops: list[Where] = field(default_factory=list)
    clocks: set[Value] = field(default_factory=set)
    functions: list[Function] = field(default_factory=list)
    text: str = ""
