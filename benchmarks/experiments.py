"""What is compared with what, and the ratios that are hoped for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import models, tuning
from benchmarks.building import LOOP, MODEL, OPS
from benchmarks.calls import FED, READ
from benchmarks.harness import Contest, Entry, Series
from benchmarks.migrating import MEMORY, WITH, WITHOUT
from benchmarks.report import Ratio, Result

CHECK_STEPS = 200

SUNK = "sunk"
TRACED = "sunk, traced"
PROFILED = "sunk, profiled"
HAND = "while_loop"
HAND_OPTIONS = "while_loop, device options"
HAND_V1 = "while_loop, control flow v1"
FLOOR = "floor"
STEP = "session.run"
STEP_OPTIONS = "session.run, device options"
TF_KERAS = "tf_keras fit"
KERAS_3 = "Keras 3 fit"
ESTIMATOR = "NPUEstimator"
MONITORED = "MonitoredTrainingSession"
DEVICE, STOCK, STOCK_AGAIN = "device active", "stock", "stock again"

HAND_2 = "tf.function, tf.range"

HANDS = (HAND, HAND_OPTIONS, HAND_V1)
STEPS = (STEP, STEP_OPTIONS)

All = dict[str, Series]


def trainers(model: str, names: Iterable[str], **data: str) -> list[Entry]:
    """The contestants `names` that train `model`, on other `data` if given."""
    ways: dict[str, tuple[str, dict[str, Any]]] = {
        SUNK: ("graphs.sunk", {}),
        TRACED: ("graphs.sunk", {"traced": True}),
        PROFILED: ("graphs.sunk", {"profiled": True}),
        HAND: ("graphs.by_hand", {}),
        HAND_OPTIONS: ("graphs.by_hand", {"options": "device"}),
        HAND_V1: ("graphs.by_hand", {"control_flow": "v1"}),
        FLOOR: ("graphs.by_hand", {"data": "constant"}),
        STEP: ("graphs.by_step", {}),
        STEP_OPTIONS: ("graphs.by_step", {"options": "device"}),
        TF_KERAS: ("keras_fit.fit", {"keras": "tf_keras"}),
        KERAS_3: ("keras_fit.fit", {"keras": "keras"}),
        ESTIMATOR: ("estimators.sunk", {}),
        MONITORED: ("estimators.monitored", {}),
    }
    legacy = {TF_KERAS: {"TF_USE_LEGACY_KERAS": "1"}}
    return [
        Entry(
            name,
            ways[name][0],
            {"model": model, **data, **ways[name][1]},
            legacy.get(name, {}),
        )
        for name in names
    ]


def best(series: All, names: Iterable[str]) -> float:
    """The lowest time of those of `names` that took part."""
    return min(series[name].best() for name in names if name in series)


def over(
    series: All,
    first: Sequence[str],
    second: Sequence[str],
    target: float | None = None,
) -> Ratio:
    """The best of `first` over the best of `second`, as far as they took part."""
    text = f"{_any_of(first)} over {_any_of(second)}"
    return Ratio(text, best(series, first) / best(series, second), target)


def _any_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"the best {names[0]}"


def training_ratios(
    keras_target: float, hand_target: float | None = 1.05
) -> Callable[[All], list[Ratio]]:
    """The ratios of a training step, for the contestants that took part."""
    pairs: list[tuple[Sequence[str], Sequence[str], float | None]] = [
        ([SUNK], HANDS, hand_target),
        ([SUNK], [TF_KERAS], keras_target),
        ([SUNK], [KERAS_3], keras_target),
        ([SUNK], STEPS, None),
        ([SUNK], [FLOOR], None),
        (HANDS, [FLOOR], None),
    ]

    def ratios(series: All) -> list[Ratio]:
        here = set(series)
        return [
            over(series, first, second, target)
            for first, second, target in pairs
            if here.intersection(first) and here.intersection(second)
        ]

    return ratios


def functions(model: str) -> list[Entry]:
    """A sunk `tf.function` of TensorFlow 2, the same by TensorFlow alone, and Keras."""
    return [
        Entry(SUNK, "functions.loop", {"model": model, "device": True}),
        Entry(HAND_2, "functions.loop", {"model": model, "device": False}),
        Entry(KERAS_3, "keras_fit.fit", {"model": model, "keras": "keras"}),
    ]


def function_ratios(keras_target: float) -> Callable[[All], list[Ratio]]:
    """A sunk step over the rivals'."""
    return lambda series: [
        over(series, [SUNK], [HAND_2], 1.05),
        over(series, [SUNK], [KERAS_3], keras_target),
    ]


def estimator_ratios(series: All) -> list[Ratio]:
    """The step of a sunk Estimator over its rivals'."""
    return [
        over(series, [ESTIMATOR], [TF_KERAS], 1.05),
        over(series, [ESTIMATOR], [MONITORED]),
        over(series, [ESTIMATOR], [SUNK]),
    ]


def seam_ratios(series: All) -> list[Ratio]:
    """What the device adds to a call, and what two equal processes differ by."""
    device, stock, again = (series[name] for name in (DEVICE, STOCK, STOCK_AGAIN))
    found = []
    for figure, target in ((FED, 1.03), (READ, None)):
        for one, wanted in ((device, target), (again, None)):
            text = f"{figure}: {one.name} over {stock.name}"
            found.append(Ratio(text, one.best(figure) / stock.best(figure), wanted))
    for one, wanted in ((device, 5.0), (again, None)):
        text = f"{READ}: {one.name} less {stock.name}"
        added = (one.best(READ) - stock.best(READ)) * 1e6
        found.append(Ratio(text, added, wanted, " us a call"))
    return found


def build_ratios(series: All) -> list[Ratio]:
    """The loop over the model's own graph, for each model."""
    found = []
    for name, one in series.items():
        ratio = one.best(LOOP) / one.best(MODEL)
        found.append(Ratio(f"{name}: {LOOP} over {MODEL}", ratio, 1.0))
        found.append(Ratio(f"{name}: {OPS}", max(one.figures[OPS]), 0.0))
    return found


def migrate_ratios(series: All) -> list[Ratio]:
    """At least 1,200 lines a second with TensorFlow, 15,000 without; 500 MB."""
    (one,) = series.values()
    return [
        Ratio(WITH, one.best(WITH) * 1e6, 1e6 / 1200, " us"),
        Ratio(WITHOUT, one.best(WITHOUT) * 1e6, 1e6 / 15000, " us"),
        Ratio(MEMORY, max(one.figures[MEMORY]), 500),
    ]


RANKS, RANKS_1 = "two ranks, sunk", "two ranks, N = 1"
RANKS_HAND, RANKS_STEP = "two ranks, while_loop", "two ranks, session.run"
GRADIENT = 7850  # elements: that of MNIST softmax


def rank_entries(elements: int = GRADIENT) -> list[Entry]:
    """Pairs of ranks that average a gradient in every step."""
    ways = {
        RANKS: ("sunk", 100),
        RANKS_HAND: ("while", 100),
        RANKS_1: ("sunk", 1),
        RANKS_STEP: ("step", 1),
    }
    return [
        Entry(name, "ranks.pair", {"how": how, "n": n, "elements": elements})
        for name, (how, n) in ways.items()
    ]


def rank_ratios(series: All) -> list[Ratio]:
    """The sunk loop over a bare one; and what sinking saves."""
    return [
        over(series, [RANKS], [RANKS_HAND], 1.10),
        over(series, [RANKS], [RANKS_1]),
        over(series, [RANKS_HAND], [RANKS_STEP]),
    ]


# The lab has TensorFlow use Keras 2, which is quicker to import than Keras 3.
LEGACY = "import os; os.environ['TF_USE_LEGACY_KERAS'] = '1'; "
STARTS = {
    "import tensorflow": ("import tensorflow", True),
    "import tensorflow, Keras 2": (f"{LEGACY}import tensorflow", True),
    "activate()": ("import npu_lab; npu_lab.activate()", True),
    "activate(view=True)": ("import npu_lab; npu_lab.activate(view=True)", True),
    "import npu_lab": ("import npu_lab", False),
}


def start_entries() -> list[Entry]:
    """A fresh process for each of `STARTS`."""
    return [
        Entry(name, "starting.fresh", {"statements": text, "tensorflow": imported})
        for name, (text, imported) in STARTS.items()
    ]


def start_ratios(series: All) -> list[Ratio]:
    """Starting the device over starting TensorFlow."""
    tensorflow, legacy, active, viewed, package = STARTS
    alone = series[package].best()
    return [
        over(series, [active], [tensorflow], 1.10),
        over(series, [active], [legacy], 1.10),
        over(series, [viewed], [legacy]),
        Ratio(f"{package} without TensorFlow", alone, 0.3, " s"),
    ]


@dataclass(frozen=True)
class Experiment:
    """Contestants to be compared, and how to judge what is measured of them."""

    title: str
    entries: Sequence[Entry]
    ratios: Callable[[All], list[Ratio]]
    unit: str = "us"
    rows: Sequence[str] = ("time",)
    check_steps: int = 0

    def run(self, name: str, rounds: int, seconds: float) -> Result:
        """Carry it out, `rounds` rounds of at least `seconds` for each contestant."""
        with Contest(self.entries, self.check_steps) as contest:
            contest.play(rounds, seconds)
        series = contest.series
        listed = list(series.values())
        ratios = self.ratios(series)
        return Result(name, self.title, self.unit, self.rows, listed, ratios)


@dataclass(frozen=True)
class TuneExperiment:
    """Has each model tuned as a user does, then compares all N that were tried."""

    title: str

    def run(self, name: str, rounds: int, seconds: float) -> Result:
        """Carry it out; the trials of `npu-lab tune` get as many seconds."""
        listed, ratios = [], []
        for model in models.MODELS:
            chosen, tried = tuning.tuned(model, seconds)
            entries = [
                Entry(f"{model}, N = {n}", "graphs.sunk", {"model": model, "n": n})
                for n in tried
            ]
            with Contest(entries) as contest:
                contest.play(rounds, seconds)
            series = contest.series
            best = min(one.best() for one in series.values())
            ratio = series[f"{model}, N = {chosen}"].best() / best
            text = f"{model}: the recommended N = {chosen} over the best tried"
            ratios.append(Ratio(text, ratio, 1.10))
            listed += series.values()
        return Result(name, self.title, "us", ("time",), listed, ratios)


EXPERIMENTS: dict[str, Experiment | TuneExperiment] = {
    "softmax": Experiment(
        "a step of MNIST softmax, batch 100, N = 100",
        trainers("softmax", [SUNK, *HANDS, *STEPS, TF_KERAS, KERAS_3, FLOOR]),
        training_ratios(keras_target=1.0),
        check_steps=CHECK_STEPS,
    ),
    "cnn": Experiment(
        "a step of a small CNN, batch 100, N = 100",
        trainers("cnn", [SUNK, *HANDS, *STEPS, TF_KERAS, KERAS_3]),
        training_ratios(keras_target=1.05),
        unit="ms",
        check_steps=CHECK_STEPS,
    ),
    "estimator": Experiment(
        "a step of MNIST softmax under TensorFlow's hooks, N = 100",
        trainers("softmax", [ESTIMATOR, MONITORED, SUNK, TF_KERAS]),
        estimator_ratios,
        check_steps=CHECK_STEPS,
    ),
    "loop": Experiment(
        "a step of MNIST softmax on data that cost nothing to produce, N = 100",
        trainers("softmax", [SUNK, *HANDS, FLOOR], data="one batch"),
        training_ratios(keras_target=1.0, hand_target=None),
        check_steps=CHECK_STEPS,
    ),
    "tf2": Experiment(
        "a step of MNIST softmax in TensorFlow 2, batch 100, N = 100",
        functions("softmax"),
        function_ratios(keras_target=1.0),
        check_steps=CHECK_STEPS,
    ),
    "tf2_cnn": Experiment(
        "a step of a small CNN in TensorFlow 2, batch 100, N = 100",
        functions("cnn"),
        function_ratios(keras_target=1.05),
        unit="ms",
        check_steps=CHECK_STEPS,
    ),
    "heavy": Experiment(
        "a step of a heavy model (4096 x 4096), batch 100, N = 10",
        trainers("heavy", [SUNK, *STEPS]),
        training_ratios(keras_target=1.0),
        unit="ms",
        check_steps=20,
    ),
    "trace": Experiment(
        "a step of MNIST softmax, recorded by device.trace, N = 100",
        trainers("softmax", [SUNK, TRACED]),
        lambda series: [over(series, [TRACED], [SUNK], 1.10)],
        check_steps=CHECK_STEPS,
    ),
    "profiling": Experiment(
        "a step of MNIST softmax, in a Profiler, N = 100",
        trainers("softmax", [SUNK, PROFILED]),
        lambda series: [over(series, [PROFILED], [SUNK], 1.15)],
        check_steps=CHECK_STEPS,
    ),
    "seam": Experiment(
        "a call with nothing to sink",
        [
            Entry(name, "calls.seam", {"device": name == DEVICE})
            for name in (DEVICE, STOCK, STOCK_AGAIN)
        ],
        seam_ratios,
        rows=(FED, READ),
        check_steps=CHECK_STEPS,
    ),
    "build": Experiment(
        "building the loop against building the model's own graph",
        [Entry(name, "building.loop", {"model": name}) for name in ("softmax", "cnn")],
        build_ratios,
        unit="ms",
        rows=(MODEL, LOOP),
    ),
    "migrate": Experiment(
        "migrating 600 files, of processor time",
        [Entry("npu-lab migrate", "migrating.tree")],
        migrate_ratios,
        rows=(WITH, WITHOUT),
    ),
    "tune": TuneExperiment("a step at the N that npu-lab tune recommends"),
    "ranks": Experiment(
        "a step of two ranks that averages a gradient, N = 100",
        rank_entries(),
        rank_ratios,
        check_steps=CHECK_STEPS,
    ),
    "start": Experiment(
        "starting, a fresh process each", start_entries(), start_ratios, unit="s"
    ),
}
