"""The rules that join a device loop with the hooks of a training.

Hooks run after a host call, so a loop of N steps shows them only every N-th step.
`announce` works out beforehand what that does to the end of the training, to the
checkpoints, log lines and summaries, and says so where the user asked for another.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.device import conditions, programs, seam
from npu_lab.device.options import SessionOptions
from npu_lab.device.subgraph import ITERATION_OP, Subgraph
from npu_lab.diagnostics import Diagnostic, diagnose
from npu_lab.language import Language
from npu_lab.plan import Share, TrainingPlan

train, logging = tf.compat.v1.train, tf.compat.v1.logging

SHOWN = 3  # steps that are listed before the last
SEVERAL = "SINK049"
OPTION = "iterations_per_loop"
UNKNOWN: Mapping[Language, str] = {"en": "unknown", "zh": "未知"}
OUTCOME: Mapping[str, Mapping[Language, str]] = {
    "end": {
        "en": "training makes {calls} host calls and ends at step {final}",
        "zh": "训练共调用 {calls} 次，结束于第 {final} 步",
    },
    "checkpoints": {
        "en": "checkpoints are written at the steps {steps}",
        "zh": "写入 checkpoint 的步数：{steps}",
    },
    "lines": {
        "en": "the lines with the loss come at the steps {steps}",
        "zh": "打印 loss 的步数：{steps}",
    },
    "summaries": {
        "en": "points of summaries land at the steps {steps}",
        "zh": "summary 数据点所在的步数：{steps}",
    },
    "in all": {"en": "{steps} ({count} in all)", "zh": "{steps}（共 {count} 个）"},
}


def announce(
    hooks: Iterable[Any],
    first_step: int,
    last_step: float | None,
    batch: int | None,
    session_config: Any = None,
) -> None:
    """Say before the first run what a training will do.

    One info gives the batches, updates and samples.  Where the loop does not fit what
    the hooks or the number of steps ask for, one warning says what will happen instead.
    Both go to the active device; without one nothing is said.

    Args:
        hooks: all hooks of the training, those of the Estimator as well.
        first_step: the global step that training starts from.
        last_step: the global step it is to stop at, None where the data decide.
        batch: examples in a step, None where that is not known.
        session_config: the ConfigProto of the session, which must allow the loop.

    Raises:
        ValueError, tf.errors.InternalError, tf.errors.InvalidArgumentError: a session
            option for which the device fails, before the first run.
    """
    device = seam.active_device()
    if device is None:
        return
    hooks = list(hooks)
    n = _iterations_per_loop(hooks, session_config)
    training = _Training.of(hooks, first_step, last_step, n)
    share = training.share(batch)
    logging.info("%s", share.text())
    if share.facts["ranks"] != 1 and logging.get_verbosity() > logging.INFO:
        print(f"npu-lab: {share.text()}", file=sys.stderr, flush=True)  # noqa: T201
    device.report(share)
    broken = training.broken
    if broken:
        code = next(iter(broken)) if len(broken) == 1 else SEVERAL
        facts = {"broken": list(broken.values()), "outcome": training.outcome}
        device.report(diagnose(code, iterations=n, **facts))


def report_unread(config: Any, hooks: Iterable[Any]) -> None:
    """Warn where `config` asks for a loop of which the Estimator has taken no notice.

    Args:
        config: the RunConfig; an NPURunConfig asks by its `iterations_per_loop`.
        hooks: all hooks of the training; one of them loads the number where it is read.
    """
    device, asked = seam.active_device(), getattr(config, OPTION, 1)
    if device and asked > 1 and not any(hasattr(hook, OPTION) for hook in hooks):
        device.report(diagnose("SINK053", iterations=asked))


@dataclass(frozen=True)
class _Training:
    """A plan, and which rules it breaks; without an end where `ends` is False."""

    plan: TrainingPlan
    ends: bool

    @classmethod
    def of(cls, hooks: list[Any], first: int, last: float | None, n: int) -> _Training:
        plan = TrainingPlan(
            first_step=first,
            # Without an end the intervals hold all the same.
            max_steps=first + n if last is None else math.ceil(last),
            iterations_per_loop=n,
            save_checkpoints_steps=_interval(hooks, train.CheckpointSaverHook, n),
            save_summary_steps=_interval(hooks, train.SummarySaverHook),
            log_step_count_steps=_interval(hooks, train.LoggingTensorHook),
        )
        return cls(plan, last is not None)

    def share(self, batch: int | None) -> Diagnostic:
        """What is trained, in examples."""
        updates = self.plan.final_step - self.plan.first_step if self.ends else UNKNOWN
        given = os.environ.get
        size = given("RANK_SIZE") or given("CM_WORKER_SIZE") or ""
        ranks = max(1, int(size)) if size.isdecimal() else 1
        facts: dict[str, object] = {"updates": updates, "batch": UNKNOWN}
        facts |= {"global_batch": UNKNOWN, "samples": UNKNOWN, "ranks": ranks}
        if batch:
            whole = Share(updates if isinstance(updates, int) else 0, batch, ranks)
            facts |= {"batch": batch, "global_batch": whole.global_batch}
            facts["samples"] = whole.samples if self.ends else UNKNOWN
        return diagnose("SINK050", **facts)

    @property
    def broken(self) -> dict[str, str]:
        """What does not fit the loop, by the code of the rule."""
        plan, n = self.plan, self.plan.iterations_per_loop
        left = plan.last_step - plan.first_step
        found: dict[str, str] = {}
        if n == 1:
            return found
        if left % n:
            found["SINK045"] = f"steps={left}"
        if (plan.save_checkpoints_steps or 0) % n:
            found["SINK046"] = f"save_checkpoints_steps={plan.save_checkpoints_steps}"
        if plan.save_summary_steps:
            found["SINK047"] = f"save_summary_steps={plan.save_summary_steps}"
        lines = plan.log_step_count_steps
        # One line where a plain training has more: it looks as if it hung.
        if self.ends and len(plan.logged_steps) == 1 and lines and lines < left:
            found["SINK048"] = f"log_step_count_steps={lines}"
        return found

    @property
    def outcome(self) -> dict[Language, str]:
        """What will happen, in both languages."""
        return {"en": self._outcome("en"), "zh": self._outcome("zh")}

    def _outcome(self, language: Language) -> str:
        plan = self.plan
        parts = []
        if self.ends:
            end = {"calls": plan.training_calls, "final": plan.final_step}
            parts.append(OUTCOME["end"][language].format(**end))
        for key, steps, interval in (
            ("checkpoints", plan.checkpoints, plan.checkpoint_interval),
            ("lines", plan.logged_steps, plan.log_interval),
            ("summaries", plan.summary_steps, plan.summary_interval),
        ):
            if steps:
                listed = self._listed(steps, interval, language)
                parts.append(OUTCOME[key][language].format(steps=listed))
        return {"en": "; ", "zh": "；"}[language].join(parts)

    def _listed(self, steps: Sequence[int], interval: int, language: Language) -> str:
        if not self.ends:
            first = range(steps[0], steps[0] + SHOWN * interval, interval)
            return f"{', '.join(map(str, first))}, ..."
        text = ", ".join(map(str, steps[:SHOWN]))
        if len(steps) > SHOWN:
            between = ", ..., " if len(steps) > SHOWN + 1 else ", "
            text += f"{between}{steps[-1]}"
        return OUTCOME["in all"][language].format(steps=text, count=len(steps))


def _iterations_per_loop(hooks: list[Any], session_config: Any) -> int:
    """The steps of a host call: those that a hook loads, where the loop is built."""
    loaded = [getattr(hook, OPTION, None) for hook in hooks]
    n = next((n for n in loaded if isinstance(n, int) and n > 1), 1)
    graph = tf.compat.v1.get_default_graph()
    try:
        marked = graph.get_operation_by_name(ITERATION_OP)
    except KeyError:
        return 1
    options = SessionOptions.from_config(session_config)
    facts = programs.facts_of(Subgraph.of(graph, [marked], []), [marked], options, n)
    try:
        return n if conditions.judge(facts).loop else 1
    except conditions.SinkError:  # the first run will say so
        return 1


def _interval(hooks: list[Any], kind: Any, n: int = 1) -> int | None:
    """The least interval of the hooks of a kind; those that N does not divide win."""
    timers: list[Any] = [hook._timer for hook in hooks if isinstance(hook, kind)]
    # A hook that goes by the clock, or speaks at the end only, has none.
    steps = [math.ceil(getattr(timer, "_every_steps", None) or 0) for timer in timers]
    steps = [every for every in steps if every]
    return min(steps, key=lambda one: (one % n == 0, one), default=None)
