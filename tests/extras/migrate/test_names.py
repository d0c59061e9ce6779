"""What rules write is what the adapter's star import brings."""

from __future__ import annotations

import pytest

pytest.importorskip("libcst")

from npu_lab.extras.migrate.engine import migrate
from npu_lab.extras.migrate.finding import Options
from npu_lab.extras.migrate.rules import RULES

# Written by rules for TensorFlow 2, which import them by name.
OWN_IMPORT = {
    "npu", "npu_broadcast_scope_wrapper", "npu_callbacks_append",
    "NpuExperimentalLossScaleOptimizer",
}  # fmt: skip


def emitted():
    found = set()
    for rule in RULES.values():
        for mode in rule.modes or ("",):
            for profile in rule.profiles:
                options = Options(
                    mode=mode, tf=1, profile=profile, main="a.py",
                    loop=10 if rule.id == "L1" else 1,
                )  # fmt: skip
                context = migrate(rule.before, options, "a.py").context
                found |= context.emitted if context else set()
    return sorted(found - OWN_IMPORT)


@pytest.mark.parametrize("name", emitted())
def test_the_star_import_brings_it(name):
    from npu_lab.bridge import npu_init

    assert hasattr(npu_init, name)
