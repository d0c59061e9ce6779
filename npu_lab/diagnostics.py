"""The one catalogue of diagnostics: a code, what is wrong, why, and the mend.

Verdicts of the device, errors, the checker and the lessons all speak from it, in
English and Chinese. The texts are data in `_diagnostic_texts`; here they become
entries, and `diagnose` joins an entry with the facts of one case:

    >>> diagnose("SINK007", option=10, loaded=5).severity
    'warning'

A diagnostic follows `language.current()` at the moment it is rendered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from types import MappingProxyType
from typing import Literal, cast

from npu_lab._diagnostic_texts import TEXTS
from npu_lab.language import Language, current

Severity = Literal["error", "warning", "info"]

# What stands for an empty text or list; what stands between the names of a list.
_NOTHING: Mapping[Language, str] = {"en": "(none)", "zh": "（无）"}
_BETWEEN: Mapping[Language, str] = {"en": ", ", "zh": "、"}
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# Chinese sentences follow each other without a blank.
_AFTER_SENTENCE: Mapping[Language, str] = {"en": " ", "zh": ""}


class NpuLabWarning(UserWarning):
    """A diagnostic of severity "warning" or "error" that did not stop the program."""


@dataclass(frozen=True)
class Entry:
    """One row of the catalogue; the texts are `str.format` templates by language."""

    code: str
    severity: Severity
    message: Mapping[Language, str]
    why: Mapping[Language, str]
    mend: Mapping[Language, str]

    @property
    def facts(self) -> tuple[str, ...]:
        """The names of the facts that the texts need, in alphabetical order."""
        return fields(*(part["en"] for part in (self.message, self.why, self.mend)))


def fields(*templates: str) -> tuple[str, ...]:
    """The names of the replacement fields in `templates`, sorted, each once."""
    found = {
        name
        for template in templates
        for _, name, _, _ in Formatter().parse(template)
        if name is not None
    }
    return tuple(sorted(found))


def _catalogue() -> dict[str, Entry]:
    entries = {}
    for code, severity, english, chinese in TEXTS:
        message, why, mend = (
            cast("Mapping[Language, str]", {"en": en, "zh": zh})
            for en, zh in zip(english, chinese, strict=True)
        )
        entries[code] = Entry(code, cast("Severity", severity), message, why, mend)
    return entries


CATALOGUE: Mapping[str, Entry] = MappingProxyType(_catalogue())


@dataclass(frozen=True)
class Diagnostic:
    """An entry of the catalogue with the facts of one case.

    A fact may be anything with a readable `str`; of a list or tuple of names the names
    are shown; a mapping {"en": ..., "zh": ...} is a fact that is itself a text.

    Raises:
        KeyError: no such code.
        TypeError: facts are missing or too many; the text names them.
    """

    code: str
    facts: Mapping[str, object]

    def __post_init__(self) -> None:
        if self.code not in CATALOGUE:
            raise KeyError(f"No diagnostic has the code {self.code!r}.")
        needed = set(self.entry.facts)
        missing = sorted(needed - set(self.facts))
        surplus = sorted(set(self.facts) - needed)
        if missing or surplus:
            faults = [f"missing: {', '.join(missing)}"] if missing else []
            faults += [f"not needed: {', '.join(surplus)}"] if surplus else []
            raise TypeError(f"Facts of diagnostic {self.code}: {'; '.join(faults)}.")
        # A copy: what a caller does to its mapping later must not change a verdict.
        object.__setattr__(self, "facts", dict(self.facts))

    def __hash__(self) -> int:
        return hash((self.code, repr(sorted(self.facts.items()))))

    @property
    def entry(self) -> Entry:
        """The row of the catalogue."""
        return CATALOGUE[self.code]

    @property
    def severity(self) -> Severity:
        """How bad it is: "error", "warning" or "info"."""
        return self.entry.severity

    @property
    def message(self) -> str:
        """What is wrong and where."""
        return self._render(self.entry.message)

    @property
    def why(self) -> str:
        """The rule behind it."""
        return self._render(self.entry.why)

    @property
    def mend(self) -> str:
        """What to write instead."""
        return self._render(self.entry.mend)

    def text(self, language: Language | None = None) -> str:
        """One line: code, message, why, mend, in the given or current language."""
        chosen = language or current()
        entry = self.entry
        parts = (entry.message, entry.why, entry.mend)
        sentences = _AFTER_SENTENCE[chosen].join(
            self._render(part, chosen) for part in parts
        )
        return f"{self.code} {sentences}"

    def as_dict(self) -> dict[str, str]:
        """Code, severity, message and mend, as reports store them."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "mend": self.mend,
        }

    def __str__(self) -> str:
        return self.text()

    def _render(
        self, template: Mapping[Language, str], chosen: Language | None = None
    ) -> str:
        chosen = chosen or current()
        return template[chosen].format_map(
            {name: _shown(fact, chosen) for name, fact in self.facts.items()}
        )


def diagnose(code: str, /, **facts: object) -> Diagnostic:
    """The diagnostic `code` with its facts; KeyError and TypeError as `Diagnostic`."""
    return Diagnostic(code, facts)


def _shown(fact: object, chosen: Language) -> str:
    if isinstance(fact, Mapping):
        fact = fact[chosen]
    if isinstance(fact, (list, tuple)) and all(isinstance(one, str) for one in fact):
        fact = _BETWEEN[chosen].join(fact)
    # On one line, and in characters that every encoding of Unicode has.
    text = _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], str(fact))
    return text or _NOTHING[chosen]
