from __future__ import annotations

import pytest

from npu_lab import lesson
from npu_lab.lab import go_on, lessons, record
from npu_lab.lab.whereabouts import Waiting

EVERY = [one.name for one in lessons.every("EXERCISES")]


def waiting() -> str:
    found = go_on()
    assert isinstance(found, Waiting)
    return found.exercise.name


def test_a_new_learner_begins_with_the_first() -> None:
    assert waiting() == EVERY[0]
    assert "exercise “read a Dataset” (not attempted)" in str(go_on())


def test_it_is_the_one_tried_last_or_the_next_that_is_not_right() -> None:
    record.note("exercises", EVERY[1], "wrong")
    record.note("exercises", EVERY[4], "wrong")
    assert waiting() == EVERY[4]
    assert "(not yet right)" in str(go_on())
    record.note("exercises", EVERY[1], "wrong")  # tried again
    assert waiting() == EVERY[1]
    record.note("exercises", EVERY[1], "right")
    assert waiting() == EVERY[2]
    record.note("exercises", "00/gone_from_the_course", "right")
    assert waiting() == EVERY[2]


def test_after_the_last_comes_the_first_again() -> None:
    record.note("exercises", EVERY[0], "right")
    record.note("exercises", EVERY[-1], "right")
    assert waiting() == EVERY[1]


def test_when_all_are_right_the_text_says_so() -> None:
    for name in EVERY:
        record.note("exercises", name, "right")
    assert go_on() == "Every exercise of the course is right."


@pytest.mark.parametrize("name", EVERY)
def test_the_link_leads_to_the_cell_that_checks_the_exercise(name: str) -> None:
    record.note("exercises", name, "wrong")
    found = go_on()
    cells = {cell.name: cell for cell in lesson.read(found.lesson)}
    assert f'lab.check("{name}"' in cells[found.cell].source["zh"]
    page = found._repr_mimebundle_()["text/html"]
    assert f'<a href="{found.lesson}.ipynb#cell-id={found.cell}">' in page
