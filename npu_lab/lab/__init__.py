"""What a notebook shows: measurements, pictures, tables, a slider, exercises.

    >>> from npu_lab import lab
    >>> lab.plot_migration_stages()

This is the only part of npu_lab that knows Jupyter.  The names below are loaded on
first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from npu_lab.lab.exercises import ____, check
    from npu_lab.lab.measurement import Measurement, measure
    from npu_lab.lab.notebooks import reset
    from npu_lab.lab.plots import (
        plot_crossings,
        plot_migration_stages,
        plot_round_trips,
        plot_step_time,
    )
    from npu_lab.lab.predictions import predict, prediction
    from npu_lab.lab.questions import answer, quiz
    from npu_lab.lab.record import progress
    from npu_lab.lab.tables import (
        measurement_table,
        round_trip_table,
        step_time_table,
    )
    from npu_lab.lab.timeline import plot_timeline, timeline_table
    from npu_lab.lab.widgets import round_trip_slider

__all__ = [
    "Measurement",
    "____",
    "answer",
    "check",
    "measure",
    "measurement_table",
    "plot_crossings",
    "plot_migration_stages",
    "plot_round_trips",
    "plot_step_time",
    "plot_timeline",
    "predict",
    "prediction",
    "progress",
    "quiz",
    "reset",
    "round_trip_slider",
    "round_trip_table",
    "step_time_table",
    "timeline_table",
]

_HOMES = {
    "Measurement": "measurement",
    "____": "exercises",
    "answer": "questions",
    "check": "exercises",
    "measure": "measurement",
    "measurement_table": "tables",
    "plot_crossings": "plots",
    "plot_migration_stages": "plots",
    "plot_round_trips": "plots",
    "plot_step_time": "plots",
    "plot_timeline": "timeline",
    "predict": "predictions",
    "prediction": "predictions",
    "progress": "record",
    "quiz": "questions",
    "reset": "notebooks",
    "round_trip_slider": "widgets",
    "round_trip_table": "tables",
    "step_time_table": "tables",
    "timeline_table": "timeline",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module 'npu_lab.lab' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(importlib.import_module(f"npu_lab.lab.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
