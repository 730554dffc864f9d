"""What a column is to the person behind the record, as far as its name and its values tell.

`examine` looks at columns that nobody gave a role, and says what speaks for one. What the detectors
of Safe Harbor find sets the role: what the rule removes is identifying, and what it makes coarser,
such as dates and places, others may know. After that count what the column is called, by the words
of ``data/columns.toml``, and what its values read like: sex, race, marital status, diagnoses. Where
nothing speaks, there is no role: a person has to decide.

`scan` proposes what is found here, and `anonymize` asks it about every column that is not named.
It costs one query over all records and one or two that look at a few thousand of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.contents import is_json
from roadstead.tables.identifiers.findings import IdentifierFinding, find
from roadstead.tables.identifiers.rule import REMOVE
from roadstead.tables.identifiers.sample import sample
from roadstead.tables.identifiers.vocabulary import TextForm, is_called
from roadstead.tables.profile import MARKERS, ColumnProfile, profile, with_markers
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    from roadstead.tables.source import Source

Role: TypeAlias = Literal["identifying", "quasi", "sensitive", "insensitive"]

_MOSTLY_RARE: Final = 0.5
"""Distinct values per record that has one, from where on most records share theirs with few."""
_MOST_AGES: Final = 2_000
_LONG_TEXT: Final = 60
_MOSTLY: Final = 0.9
_MOST_CATEGORIES: Final = 40

_SEXES: Final = frozenset(
    ("male", "female", "m", "f", "man", "woman", "men", "women", "boy", "girl")
)
_RACES: Final = frozenset(
    (
        *("white", "black", "asian", "caucasian", "hispanic", "latino", "africanamerican"),
        *("african american", "black or african american", "native american", "american indian"),
        *("asian-pac-islander", "amer-indian-eskimo", "pacific islander"),
    )
)
_MARRIAGES: Final = TextForm(
    r"(never|un|now)?[- ]?(married|divorced|widowed|separated)([- ].*)?|single", re.IGNORECASE
)
_CODE: Final = r"[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?"
_ICD_10: Final = TextForm(rf"{_CODE}([;,|/ ]+{_CODE})*", re.ASCII)
"""An ICD-10 code, or several with marks or blanks between them."""


@dataclass(frozen=True)
class Judgment:
    """What speaks for a role of a column.

    `role`: None if nothing speaks for one, or what speaks does not suffice. `reason`: why, in words
    that tell no value. `identifier`: whether one of the findings is to be removed altogether; the
    role is identifying then.
    """

    role: Role | None
    reason: str
    findings: tuple[IdentifierFinding, ...] = ()
    identifier: bool = False


@dataclass(frozen=True)
class Examined:
    """Columns in counts, some values of each, which are never shown, and what they say."""

    profiles: tuple[ColumnProfile, ...]
    samples: Mapping[str, tuple[str, ...]]
    judgments: Mapping[str, Judgment]


def examine(source: Source, columns: Sequence[str]) -> Examined:
    """Look at some columns, in the order given, and say what speaks for a role of each.

    Raises SourceError: the engine cannot read the source.
    """
    profiles = profile(source, columns)
    drawn = sample(source, profiles)
    markers = {name: next(filter(_is_marker, values), "") for name, values in drawn.items()}
    profiles = with_markers(source, profiles, {name: m for name, m in markers.items() if m})
    samples = {
        name: tuple(value for value in values if not _is_marker(value))
        for name, values in drawn.items()
    }
    found: dict[str, list[IdentifierFinding]] = {column.name: [] for column in profiles}
    for finding in find(profiles, samples, _ages(source, profiles)):
        found[finding.column].append(finding)
    judgments = {
        column.name: _judged(column, samples[column.name], tuple(found[column.name]))
        for column in profiles
    }
    return Examined(profiles, samples, judgments)


def _is_marker(value: str) -> bool:
    return value.lower() in MARKERS


def _ages(source: Source, profiles: Sequence[ColumnProfile]) -> dict[str, Sequence[str]]:
    """Give all values of columns that are called like ages: one old person is enough."""
    domains: dict[str, Sequence[str]] = {}
    for column in profiles:
        if is_called(column.name, "age") and column.distinct <= _MOST_AGES:
            with engine_errors(source.name):
                ages = texts_of(source, (column.name,)).distinct()
            domains[column.name] = sorted(text for age in ages if (text := age.strip()))
    return domains


def _judged(
    column: ColumnProfile, values: Sequence[str], findings: tuple[IdentifierFinding, ...]
) -> Judgment:
    removed = next((finding for finding in findings if finding.remedy == REMOVE), None)
    if removed is not None:
        return Judgment("identifying", removed.why, findings, identifier=True)
    sensitive = _better_unknown(column.name, values)
    known = _of_finding(findings[0]) if findings else _known_to_others(column.name, values)
    if known and not (sensitive and column.is_list):
        return Judgment("quasi", known, findings)
    if sensitive and not column.is_list and column.uniqueness >= _MOSTLY_RARE:
        sensitive += ", but most values are rare: they may single people out"
        return Judgment(None, sensitive)
    role: Role | None = "sensitive" if sensitive else None
    return Judgment(role, sensitive or _undecided(column, values), findings)


def _of_finding(finding: IdentifierFinding) -> str:
    if finding.number == 3 and not finding.why.startswith("called like"):  # noqa: PLR2004 - dates
        return "dates; others may know when something happened"
    return f"{finding.why}; others may know it"


def _known_to_others(name: str, values: Sequence[str]) -> str:
    """Say why others may know what is in a column; the empty text if nothing suggests it."""
    if is_called(name, "quasi") and not is_called(name, "not_known"):
        return "called like something others may know of a person"
    if not 1 < len(values) <= _MOST_CATEGORIES:
        return ""
    small = [value.casefold() for value in values]
    if all(value in _SEXES for value in small):
        return "values read like sexes"
    if sum(value in _RACES for value in small) > 1:
        return "values read like races"
    if sum(map(_MARRIAGES, small)) * 2 > len(small):
        return "values read like marital status"
    return ""


def _better_unknown(name: str, values: Sequence[str]) -> str:
    """Say why nobody should learn what is in a column; the empty text if nothing suggests it."""
    if is_called(name, "sensitive"):
        return "called like something nobody should learn"
    if values and sum(map(_ICD_10, values)) >= _MOSTLY * len(values):
        return "reads like diagnosis codes"
    return ""


def is_free_text(values: Sequence[str]) -> bool:
    """Whether values are long texts, in which names and places stand where no rule sees them."""
    return bool(values) and sum(map(len, values)) > _LONG_TEXT * len(values)


def _undecided(column: ColumnProfile, values: Sequence[str]) -> str:
    if not values:
        return "no value is there to judge by"
    if sum(map(is_json, values)) * 2 > len(values):
        return "texts of JSON, whose parts were not looked at"
    if is_free_text(values):
        return "long texts: nobody has read what they tell"
    if column.uniqueness >= _MOSTLY_RARE:
        return "most values are rare: they may single people out"
    return "nothing suggests a role"
