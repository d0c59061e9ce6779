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
    from npu_lab.lab.curves import curve_table, plot_curve, plot_step_time
    from npu_lab.lab.exercises import ____, check
    from npu_lab.lab.explorers import (
        judge_options,
        log_explorer,
        log_table,
        option_explorer,
    )
    from npu_lab.lab.lessons.half_day import (
        half_day_answers,
        half_day_results,
        half_day_test,
    )
    from npu_lab.lab.lessons.picture_03 import plot_stops
    from npu_lab.lab.lessons.picture_06 import plot_landings
    from npu_lab.lab.lessons.picture_07 import plot_losses
    from npu_lab.lab.lessons.picture_08 import plot_auto_migration, plot_replay
    from npu_lab.lab.lessons.picture_14 import count_modes, plot_modes
    from npu_lab.lab.measurement import Measurement, measure, measure_sweep
    from npu_lab.lab.model_dir import saved_steps, summary_points
    from npu_lab.lab.notebooks import reset
    from npu_lab.lab.plots import (
        plot_crossings,
        plot_migration_stages,
        plot_round_trips,
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
    from npu_lab.lab.two_loops import plot_two_loops
    from npu_lab.lab.whereabouts import go_on
    from npu_lab.lab.widgets import n_explorer, round_trip_slider, sweep

__all__ = [
    "Measurement",
    "____",
    "answer",
    "check",
    "count_modes",
    "curve_table",
    "go_on",
    "half_day_answers",
    "half_day_results",
    "half_day_test",
    "judge_options",
    "log_explorer",
    "log_table",
    "measure",
    "measure_sweep",
    "measurement_table",
    "n_explorer",
    "option_explorer",
    "plot_auto_migration",
    "plot_crossings",
    "plot_curve",
    "plot_keyword_lines",
    "plot_landings",
    "plot_losses",
    "plot_migration_stages",
    "plot_modes",
    "plot_replay",
    "plot_round_trips",
    "plot_step_time",
    "plot_stops",
    "plot_timeline",
    "plot_two_loops",
    "predict",
    "prediction",
    "progress",
    "quiz",
    "reset",
    "round_trip_slider",
    "round_trip_table",
    "saved_steps",
    "step_time_table",
    "summary_points",
    "sweep",
    "timeline_table",
]

_HOMES = {
    "Measurement": "measurement",
    "____": "exercises",
    "answer": "questions",
    "check": "exercises",
    "count_modes": "lessons.picture_14",
    "curve_table": "curves",
    "go_on": "whereabouts",
    "half_day_answers": "lessons.half_day",
    "half_day_results": "lessons.half_day",
    "half_day_test": "lessons.half_day",
    "judge_options": "explorers",
    "log_explorer": "explorers",
    "log_table": "explorers",
    "measure": "measurement",
    "measure_sweep": "measurement",
    "measurement_table": "tables",
    "n_explorer": "widgets",
    "option_explorer": "explorers",
    "plot_auto_migration": "lessons.picture_08",
    "plot_crossings": "plots",
    "plot_curve": "curves",
    "plot_keyword_lines": "keyword_lines",
    "plot_landings": "lessons.picture_06",
    "plot_losses": "lessons.picture_07",
    "plot_migration_stages": "plots",
    "plot_modes": "lessons.picture_14",
    "plot_replay": "lessons.picture_08",
    "plot_round_trips": "plots",
    "plot_step_time": "curves",
    "plot_stops": "lessons.picture_03",
    "plot_timeline": "timeline",
    "plot_two_loops": "two_loops",
    "predict": "predictions",
    "prediction": "predictions",
    "progress": "record",
    "quiz": "questions",
    "reset": "notebooks",
    "round_trip_slider": "widgets",
    "round_trip_table": "tables",
    "saved_steps": "model_dir",
    "step_time_table": "tables",
    "summary_points": "model_dir",
    "sweep": "widgets",
    "timeline_table": "timeline",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module 'npu_lab.lab' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(importlib.import_module(f"npu_lab.lab.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
