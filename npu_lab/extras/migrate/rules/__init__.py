"""The rules, grouped by theme."""

from __future__ import annotations

from npu_lab.extras.migrate.rules import (
    data,
    entry,
    estimators,
    graph,
    horovod,
    loop,
    manual,
    parallel,
    sessions,
    settings,
    tf2,
    training,
)  # fmt: skip
from npu_lab.extras.migrate.rules.base import CallRule

CALL_RULES: tuple[CallRule, ...] = tuple(
    rule()
    for theme in (
        entry,
        horovod,
        sessions,
        settings,
        estimators,
        training,
        parallel,
        data,
        graph,
        tf2,
        manual,
        loop,
    )
    for rule in theme.RULES
)
# Each has `plan`, which is asked once a file, outer edits after inner ones.
FILE_RULES = (loop, entry, horovod, graph, training)
RULES: dict[str, CallRule] = {rule.id: rule for rule in CALL_RULES}
