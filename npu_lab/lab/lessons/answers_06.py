"""Answers to the exercises of lesson 06: right ones, and the known wrong ones."""
# ruff: noqa: ARG001, D103 (one signature each, names that tell)

from __future__ import annotations

import math


def right(save: int, n: int, last: int) -> list[int]:
    steps = [0]
    for step in range(n, last + 1, n):
        if step - steps[-1] >= save or step == last:
            steps.append(step)
    return steps


def right_by_rounding(save: int, n: int, last: int) -> tuple[int, ...]:
    interval = math.ceil(save / n) * n
    return tuple(sorted({*range(0, last + 1, interval), last}))


def as_asked(save: int, n: int, last: int) -> list[int]:
    return sorted({*range(0, last + 1, save), last})


def each_loop(save: int, n: int, last: int) -> list[int]:
    return list(range(0, last + 1, n))


def common_multiples(save: int, n: int, last: int) -> list[int]:
    return sorted({0, last, *(s for s in range(n, last + 1, n) if s % save == 0)})


def by_multiples(save: int, n: int, last: int) -> list[int]:
    """Due at each multiple of `save`, as lesson 03 evaluates: lateness is made up."""
    ends = range(n, last + 1, n)
    return sorted({0, last, *(s for s in ends if s // save > (s - n) // save)})


def without_start(save: int, n: int, last: int) -> list[int]:
    return right(save, n, last)[1:]


def without_end(save: int, n: int, last: int) -> list[int]:
    steps = [0]
    for step in range(n, last + 1, n):
        if step - steps[-1] >= save:
            steps.append(step)
    return steps


def strictly_more(save: int, n: int, last: int) -> list[int]:
    steps = [0]
    for step in range(n, last + 1, n):
        if step - steps[-1] > save or step == last:
            steps.append(step)
    return steps


def reversed_steps(save: int, n: int, last: int) -> list[int]:
    return right(save, n, last)[::-1]


def endless(save: int, n: int, last: int) -> list[int]:
    return list(range(0, last, 0))


def count(save: int, n: int, last: int) -> int:
    return len(right(save, n, last))


def sentence(save: int, n: int, last: int) -> list[str]:
    return [str(step) for step in right(save, n, last)]


RULES = (
    ("as asked", as_asked),
    ("each loop", each_loop),
    ("common multiples", common_multiples),
    ("by multiples", by_multiples),
    ("without start", without_start),
    ("without end", without_end),
    ("strictly more", strictly_more),
)
RIGHT_STEPS = (right, right_by_rounding)
WRONG_STEPS = (
    *RULES,
    ("other", reversed_steps),
    ("no steps", count),
    ("no steps", sentence),
    ("no function", [0, 30, 60, 90, 100]),
    ("raised", endless),
)


def greatest(max_steps: int, save: int) -> int:
    return math.gcd(max_steps, save)


def greatest_by_search(max_steps: int, save: int) -> int:
    return max(n for n in range(1, save + 1) if max_steps % n == save % n == 0)


def smaller(max_steps: int, save: int) -> int:
    return min(max_steps, save)


def of_steps_only(max_steps: int, save: int) -> int:
    return max(n for n in range(1, save + 1) if max_steps % n == 0)


def one(max_steps: int, save: int) -> int:
    return 1


def second(max_steps: int, save: int) -> int:
    both = math.gcd(max_steps, save)
    return max(n for n in range(1, both) if both % n == 0)


def least_multiple(max_steps: int, save: int) -> int:
    return math.lcm(max_steps, save)


def quotient(max_steps: int, save: int) -> float:
    return max_steps / save


def ten(max_steps: int, save: int) -> int:
    return 10


def divided_by_nothing(max_steps: int, save: int) -> int:
    return max_steps // 0


def nothing(max_steps: int, save: int) -> None:
    return None


RIGHT_N = (
    greatest,
    greatest_by_search,
    lambda steps, save: float(math.gcd(steps, save)),
)
WRONG_N = (
    ("checkpoints", of_steps_only),
    ("end", smaller),
    ("longer", least_multiple),
    ("smaller works", one),
    ("smaller works", second),
    ("smaller works", ten),
    ("no count", nothing),
    ("no count", quotient),
    ("no function", 20),
    ("raised", divided_by_nothing),
)
