"""The exercises of each lesson, by name."""

from __future__ import annotations

from npu_lab.lab.exercises import Exercise
from npu_lab.lab.lessons import start_here

EXERCISES: dict[str, Exercise] = {
    exercise.name: exercise for exercise in start_here.EXERCISES
}
