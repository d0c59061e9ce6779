"""What to do about a profile: the documented table, from observation to action."""

from __future__ import annotations

from npu_lab.extras.tuning.profiling._texts import text
from npu_lab.extras.tuning.profiling.reading import Profile

LARGE = 25.0
"""Percent of an iteration from which a part of it is worth a word; a choice of ours."""
COMPUTES = 60.0
WAITS = 0.5
"""The share of Data Aug Bound from which GetNext is to blame."""
NAMED = 3


def findings(profile: Profile) -> list[tuple[str, str]]:
    """Key and text of each observation that holds, the largest part first.

    The keys are "data bound", "interval bound", "compute bound" and "tail".
    """
    bound, compute, refresh = profile.shares.values()
    if not profile.iterations:
        return []
    found: list[tuple[float, str, dict[str, object]]] = []
    if bound >= LARGE:
        waits = profile.get_next >= WAITS * profile.medians["Data Aug Bound"]
        found.append((bound, "data bound" if waits else "interval bound", {}))
    if compute >= COMPUTES:
        kinds = ", ".join(kind.name for kind in profile.kinds[:NAMED])
        found.append((compute, "compute bound", {"kinds": kinds or "-"}))
    if refresh >= LARGE:
        found.append((refresh, "tail", {}))
    found.sort(key=lambda one: -one[0])
    return [(key, text(key, share=share, **facts)) for share, key, facts in found]
