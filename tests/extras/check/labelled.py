"""The labelled set: small programs, and what should be said of each of their lines.

    python -m tests.extras.check.labelled

prints precision and recall, for each code and in total. The programs lie in `snippets`,
many in a file: `=== title` begins one, `<< head data` puts the parts of `parts.txt` in,
`#! SINK001` at the end of a line is what should be found there (`possible SINK001`
where it cannot be sure).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from npu_lab.extras.check import check_source

FOLDER = Path(__file__).parent / "snippets"
_LABEL = re.compile(r"\s*#! (.*)$")
_CODES = re.compile(r"(possible )?(SINK\d{3})")
Label = tuple[int, str, bool]  # line, code, possible


@dataclass(frozen=True)
class Snippet:
    """A program with its labels."""

    title: str
    text: str
    labels: frozenset[Label]

    def found(self) -> frozenset[Label]:
        """What the checker says of it."""
        checked = check_source(self.text, self.title)
        assert not checked.problems, (self.title, checked.problems)
        return frozenset(
            (one.place.line, one.code, one.possible) for one in checked.findings
        )


def snippets() -> Iterator[Snippet]:
    """All of them."""
    parts = dict(_sections(FOLDER / "parts.txt"))
    for path in sorted(FOLDER.glob("*.txt")):
        if path.name != "parts.txt":
            for title, text in _sections(path):
                yield _labelled(f"{path.stem}: {title}", _with_parts(text, parts))


def _sections(path: Path) -> Iterator[tuple[str, str]]:
    for section in re.split(r"^=== ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        title, _, text = section.partition("\n")
        yield title, text.rstrip() + "\n"


def _with_parts(text: str, parts: dict[str, str]) -> str:
    lines = []
    for line in text.splitlines():
        indent, mark, names = line.partition("<< ")
        if mark and not indent.strip():
            inside = "\n".join(parts[name] for name in names.split()).splitlines()
            lines += [f"{indent}{one}" if one else "" for one in inside]
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def _labelled(title: str, text: str) -> Snippet:
    lines, labels = [], set()
    for number, line in enumerate(text.splitlines(), 1):
        label = _LABEL.search(line)
        if label is not None:
            for possible, code in _CODES.findall(label[1]):
                labels.add((number, code, bool(possible)))
        lines.append(_LABEL.sub("", line))
    return Snippet(title, "\n".join(lines) + "\n", frozenset(labels))


@dataclass
class Score:
    """Findings counted by code: right, wrong and missed."""

    right: Counter[str]
    wrong: Counter[str]
    missed: Counter[str]

    @property
    def precision(self) -> float:
        """The share of findings that are right."""
        right, wrong = self.right.total(), self.wrong.total()
        return right / (right + wrong) if right + wrong else 1.0

    @property
    def recall(self) -> float:
        """The share of labels that were found."""
        right, missed = self.right.total(), self.missed.total()
        return right / (right + missed) if right + missed else 1.0


def score(cases: list[Snippet]) -> Score:
    """How well the checker does; a finding is right at the labelled line only.

    A sure finding where the label says "possible" is wrong; the other way round it is
    right, for it was found.
    """
    counted = Score(Counter(), Counter(), Counter())
    for case in cases:
        found, labels = case.found(), case.labels
        places = {(line, code) for line, code, _ in labels}
        for line, code, possible in found:
            claims_too_much = not possible and (line, code, True) in labels
            right = (line, code) in places and not claims_too_much
            (counted.right if right else counted.wrong)[code] += 1
        said = {(line, code) for line, code, _ in found}
        for _, code in places - said:
            counted.missed[code] += 1
    return counted


def main() -> None:
    """Print the table."""
    cases = list(snippets())
    counted = score(cases)
    print(f"{'code':9}{'right':>6}{'wrong':>6}{'missed':>7}")
    for code in sorted({*counted.right, *counted.wrong, *counted.missed}):
        numbers = (counted.right[code], counted.wrong[code], counted.missed[code])
        print(f"{code:9}{numbers[0]:6}{numbers[1]:6}{numbers[2]:7}")
    for case in cases:
        if case.found() != case.labels:
            extra = sorted(case.found() - case.labels)
            missing = sorted(case.labels - case.found())
            print(f"{case.title}: not labelled {extra}, not found {missing}")
    clean = sum(not case.labels for case in cases)
    print(f"{len(cases)} snippets, {clean} of them right")
    print(f"precision {counted.precision:.3f}  recall {counted.recall:.3f}")


if __name__ == "__main__":
    main()
