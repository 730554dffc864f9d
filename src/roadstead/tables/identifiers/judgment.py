"""What a column is to the person behind the record, as far as its name and its values tell.

`judge_columns` looks at columns that nobody gave a role, and says what speaks for one. What the
detectors of Safe Harbor find sets the role: what the rule removes is identifying, and what it makes
coarser, such as dates and places, others may know. After that count what the column is called and
what its values read like. Where nothing speaks, there is no role: a person has to decide.

`scan` proposes what is found here, and `anonymize` asks it about every column that is not named.
It costs one query over all records and one or two that look at a few thousand of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.column_names import is_age
from roadstead.tables.identifiers.contents import is_json
from roadstead.tables.identifiers.findings import IdentifierFinding, find
from roadstead.tables.identifiers.knowledge import better_unknown, known_to_others
from roadstead.tables.identifiers.rule import REMOVE
from roadstead.tables.identifiers.sample import sample
from roadstead.tables.profile import MARKERS, ColumnProfile, profile, with_markers
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    from roadstead.tables.source import Source

Role: TypeAlias = Literal["identifying", "quasi", "sensitive", "insensitive"]

_MOSTLY_RARE: Final = 0.5
"""Distinct values per record that has one, from where on most records share theirs with few."""
_MOST_AGES: Final = 2_000
_LONG_TEXT: Final = 60


@dataclass(frozen=True)
class Judgment:
    """What speaks for a role of a column.

    `role`: the role; None if nothing speaks for one, or what speaks does not suffice. `reason`:
    why, in words that tell no value. `findings`: the identifiers of Safe Harbor that the column
    seems to hold. `identifier`: whether one of them is to be removed altogether. The role is
    identifying then.
    """

    role: Role | None
    reason: str
    findings: tuple[IdentifierFinding, ...] = ()
    identifier: bool = False


@dataclass(frozen=True)
class Examined:
    """What was seen of columns, and what it says.

    `profiles`: each column in counts. `samples`: for each column some of its values, which are
    never shown. `judgments`: for each column, what speaks for a role.
    """

    profiles: tuple[ColumnProfile, ...]
    samples: Mapping[str, tuple[str, ...]]
    judgments: Mapping[str, Judgment]


def judge_columns(source: Source, columns: Sequence[str]) -> dict[str, Judgment]:
    """Say what speaks for a role of each of some columns.

    Parameters
    ----------
    source
        The table.
    columns
        Those to look at; the others are not read.

    Returns
    -------
    dict
        A judgment for each column, in the order given.

    Raises
    ------
    SourceError
        The engine cannot read the source.
    """
    return dict(examine(source, columns).judgments)


def examine(source: Source, columns: Sequence[str]) -> Examined:
    """Look at columns, as `judge_columns` does, and keep what was seen.

    Parameters and errors are those of `judge_columns`.
    """
    profiles = profile(source, columns)
    drawn = sample(source, profiles)
    markers = {name: _marker(values) for name, values in drawn.items()}
    profiles = with_markers(source, profiles, {name: m for name, m in markers.items() if m})
    samples = {
        name: tuple(value for value in values if value.lower() not in MARKERS)
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


def _marker(values: Sequence[str]) -> str:
    """Give a text among the values that stands for missing; empty if there is none."""
    return next((value for value in values if value.lower() in MARKERS), "")


def _ages(source: Source, profiles: Sequence[ColumnProfile]) -> dict[str, Sequence[str]]:
    """Give all values of columns that are called like ages: one old person is enough."""
    domains: dict[str, Sequence[str]] = {}
    for column in profiles:
        if is_age(column.name) and column.distinct <= _MOST_AGES:
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
    sensitive = better_unknown(column.name, values)
    known = known_to_others(column.name, values)
    if findings and not (sensitive and column.is_list):
        return Judgment("quasi", _of_finding(findings[0]), findings)
    if known and not (sensitive and column.is_list):
        return Judgment("quasi", known)
    if sensitive and not column.is_list and column.uniqueness >= _MOSTLY_RARE:
        sensitive += ", but most values are rare: they may single people out"
        return Judgment(None, sensitive)
    role: Role | None = "sensitive" if sensitive else None
    return Judgment(role, sensitive or _undecided(column, values), findings)


def _of_finding(finding: IdentifierFinding) -> str:
    if finding.number == 3 and not finding.why.startswith("called like"):  # noqa: PLR2004 - dates
        return "dates; others may know when something happened"
    return f"{finding.why}; others may know it"


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
