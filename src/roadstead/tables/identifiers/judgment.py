"""Suggest the role of a column from its name and its values.

If Safe Harbor requires the removal of a column, the column is a direct identifier. If Safe Harbor
requires that a column, such as a date or a place, becomes coarser, the column is a
quasi-identifier. Otherwise, the evidence is the column's name (``data/columns.toml``), and then the
form of its values. If there is no evidence, a person has to decide.

The examination runs one query over all records, and the queries of `samples`. The descriptions of
columns are further evidence (`described`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.confidential import confidential, doubt
from roadstead.tables.identifiers.contents import is_json
from roadstead.tables.identifiers.descriptions import called_or_described
from roadstead.tables.identifiers.findings import (
    ANY_OTHER,
    KEEP_YEAR,
    ONE_AGE,
    REMOVE,
    IdentifierFinding,
    find,
)
from roadstead.tables.identifiers.known import known_codes, known_to_others
from roadstead.tables.identifiers.net import ColumnContent, contents_of
from roadstead.tables.identifiers.objections import Objection
from roadstead.tables.identifiers.partial_dates import PARTIAL
from roadstead.tables.identifiers.person_keys import PersonKey, person_keys
from roadstead.tables.identifiers.samples import sample
from roadstead.tables.identifiers.sampling_weights import (
    LIKE_SAMPLING_WEIGHT,
    SAMPLING_WEIGHT,
    is_sampling_weight,
    looks_like_sampling_weight,
)
from roadstead.tables.identifiers.tally import MANY
from roadstead.tables.kept_codes import missing_codes_shown
from roadstead.tables.profile import MARKERS, ColumnProfile, profile, with_markers
from roadstead.tables.source import Source
from roadstead.tables.texts import texts_of

Role: TypeAlias = Literal["identifiers", "quasi", "sensitive", "unchanged"]

NEUTRAL: Final = "nothing suggests a role"
"""The reason if there is no evidence for or against a release."""
MOSTLY_RARE: Final = "most values are rare, so they may single people out"
"""The reason if most values occur in few records."""
_MOSTLY_RARE: Final = 0.5
"""The minimum ratio of distinct values to nonempty records at which most values are rare."""
_MOST_RARE: Final = 0.05
"""The largest share of records with rare values at which a column is proposed as sensitive."""
_HARDLY: Final = 0.05
_MOST_AGES: Final = 2_000
_LONG_TEXT: Final = 60
_MOSTLY: Final = 0.9

_NUMBERS: Final = frozenset((*range(7, 14), ANY_OTHER))
"""The identifiers in the rule that are numbers of people or of their property."""


@dataclass(frozen=True)
class Judgment:
    """The evidence for the role of a column, with a reason that never contains a value.

    If there is not enough evidence, the column has no `role`. `identifier` is true if Safe Harbor
    requires the removal of the column, which is then a direct identifier. `confidential` is true if
    the column's name indicates confidential values, but other evidence contradicts the name.
    """

    role: Role | None
    reason: str
    findings: tuple[IdentifierFinding, ...] = ()
    identifier: bool = False
    confidential: bool = False


@dataclass(frozen=True)
class Examined:
    """The evidence about columns, including counts and some values that are never displayed.

    `persons` lists the columns that look like person IDs, beginning with the best. `objections`
    contains other reasons against releasing a column unchanged. `briefly` lists the columns for
    which only the name and a sample were examined.
    """

    profiles: tuple[ColumnProfile, ...]
    samples: Mapping[str, tuple[str, ...]]
    judgments: Mapping[str, Judgment]
    persons: tuple[PersonKey, ...] = ()
    objections: Mapping[str, tuple[Objection, ...]] = field(default_factory=dict)
    briefly: frozenset[str] = frozenset()

    @property
    def free_texts(self) -> tuple[str, ...]:
        """Return the columns that contain long texts."""
        return tuple(name for name, values in self.samples.items() if is_free_text(values))


def examine(
    source: Source,
    columns: Sequence[str],
    briefly: frozenset[str] = frozenset(),
    listed: frozenset[str] = frozenset(),
) -> Examined:
    """Examine some columns, in the given order, and return the evidence for each column's role.

    Columns in `briefly` are never released, so only their names and samples are examined. If a
    column is also in `listed`, the function searches its values for findings. If there are many
    values, it searches a sample.
    """
    profiles = profile(source, columns)
    drawn = sample(source, profiles)
    declared = missing_codes_shown(source)
    markers = {
        name: next((v for v in values if _is_marker(v) and v not in declared.get(name, ())), "")
        for name, values in drawn.items()
    }
    profiles = with_markers(source, profiles, {name: m for name, m in markers.items() if m})
    samples = {
        name: tuple(value for value in values if not _is_marker(value))
        for name, values in drawn.items()
    }
    found: dict[str, list[IdentifierFinding]] = {column.name: [] for column in profiles}
    for finding in find(profiles, samples, ages_in(source, profiles)):
        found[finding.column].append(finding)
    judgments = {
        column.name: _judged(column, samples[column.name], tuple(found[column.name]))
        for column in profiles
    }
    numbered = {
        name: _may_number(one) and not called_or_described(source, name, "some_weight")
        for name, one in judgments.items()
    }
    persons = person_keys(source, profiles, samples, numbered)
    judgments |= {key.column: _of_person(judgments[key.column], key) for key in persons}
    fully = [column for column in profiles if column.name not in briefly]
    contents = contents_of(source, fully, samples)
    objections = {name: one.objections for name, one in contents.items() if one.objections}
    unreleased = [column for column in profiles if column.name in briefly & listed]
    contents |= contents_of(source, unreleased, samples, most=MANY)
    judgments |= {name: _by_content(judgments[name], one) for name, one in contents.items()}
    return Examined(profiles, samples, judgments, persons, objections, briefly)


def _by_content(judgment: Judgment, content: ColumnContent) -> Judgment:
    """Add findings from values. They can make a column with a sensitive name undecided.

    Objections that concern a Safe Harbor identifier also become a finding.
    """
    known = {one.number for one in judgment.findings}
    further: dict[int, IdentifierFinding] = {}
    for one in content.objections:
        if one.number is not None and one.number not in known:
            before = f"{further[one.number].why}; " if one.number in further else ""
            further[one.number] = IdentifierFinding(
                one.column, one.number, f"{before}{one.why}", _remedy(one), called=False
            )
    judgment = replace(judgment, findings=(*judgment.findings, *further.values()))
    why = next((one.why for one in content.objections), "")
    if not why and content.rare > _MOST_RARE:
        why = f"{content.rare:.0%} of the records have a value that few other records share"
    if not why and content.counted:
        why = "its numbers may be days, weeks, or months since a starting date"
    if judgment.role == "sensitive" and why:
        reason = f"{judgment.reason}, but {why}"
        return replace(judgment, role=None, reason=reason, confidential=True)
    hidden = next((one.why for one in content.objections if _not_generalized(one)), "")
    if judgment.role == "quasi" and not known and hidden:
        return replace(judgment, role=None, reason=f"{judgment.reason}, but {hidden}")
    if judgment.role is None and content.objections:
        return replace(judgment, reason=why)
    return judgment


def _not_generalized(objection: Objection) -> bool:
    """Return whether many values are names or unusual dates, which cannot be generalized."""
    if objection.number == 1:
        return objection.share >= _HARDLY
    return objection.kind == "date" and PARTIAL in objection.why


def _remedy(objection: Objection) -> str:
    if objection.kind == "date":
        return KEEP_YEAR
    if objection.kind == "place":
        return "no areas smaller than a state"
    return ONE_AGE if objection.number == 3 else REMOVE  # noqa: PLR2004 - the rule's


def with_persons(examined: Examined, keys: Sequence[PersonKey]) -> Examined:
    """Add further columns that look like person IDs to the end of the list of such columns."""
    judgments = {key.column: _of_person(examined.judgments[key.column], key) for key in keys}
    return replace(
        examined,
        judgments={**examined.judgments, **judgments},
        persons=(*examined.persons, *keys),
    )


def _of_person(judgment: Judgment, key: PersonKey) -> Judgment:
    """Add the finding that a person ID is an identifier, unless there is such a finding."""
    if judgment.identifier or not key.found:
        return judgment
    found = IdentifierFinding(
        key.column, ANY_OTHER, key.why, REMOVE, called=key.doubt != "called", share=key.share
    )
    return Judgment("identifiers", key.why, (*judgment.findings, found), identifier=True)


def _may_number(judgment: Judgment) -> bool:
    """Return whether a column could contain person IDs, based on its role.

    A column of names, places, dates, telephone numbers, or network addresses cannot contain person
    IDs.
    """
    numbers = all(one.number in _NUMBERS for one in judgment.findings)
    return judgment.role != "quasi" and numbers


def _is_marker(value: str) -> bool:
    return value.lower() in MARKERS


def ages_in(source: Source, profiles: Sequence[ColumnProfile]) -> dict[str, Sequence[str]]:
    """Return all values of columns that are named or described as ages."""
    domains: dict[str, Sequence[str]] = {}
    for column in profiles:
        if called_or_described(source, column.name, "age") and column.distinct <= _MOST_AGES:
            with engine_errors(source.name):
                ages = texts_of(source, (column.name,)).distinct()
            domains[column.name] = sorted(text for age in ages if (text := age.strip()))
    return domains


def judged_by_name(
    column: ColumnProfile, name: str, values: Sequence[str], ages: Sequence[str] | None = None
) -> Judgment:
    """Judge a column by a different name, such as its description in a codebook.

    `ages` contains all values if the column contains ages.
    """
    renamed = replace(column, name=name)
    findings = find([renamed], {name: values}, {} if ages is None else {name: ages})
    own = tuple(replace(one, column=column.name) for one in findings)
    return _judged(renamed, values, own)


def _judged(
    column: ColumnProfile, values: Sequence[str], findings: tuple[IdentifierFinding, ...]
) -> Judgment:
    removed = next((finding for finding in findings if finding.remedy == REMOVE), None)
    if removed is not None:
        return Judgment("identifiers", removed.why, findings, identifier=True)
    if not findings and (weight := _like_weights(column.name, values)):
        return Judgment(None, weight)
    sensitive = confidential(column.name, values)
    known = (
        _of_finding(findings[0])
        if findings
        else known_to_others(column.name, values) or known_codes(column.name, values)
    )
    if known and not (sensitive and column.is_list):
        return Judgment("quasi", known, findings)
    if not sensitive:
        return Judgment(None, _undecided(column, values), findings)
    rare = column.uniqueness >= _MOSTLY_RARE
    against = MOSTLY_RARE if rare else doubt(column.name, values)
    if against and not column.is_list:
        return Judgment(None, f"{sensitive}, but {against}", findings, confidential=True)
    return Judgment("sensitive", sensitive, findings)


def _like_weights(name: str, values: Sequence[str]) -> str:
    if is_sampling_weight(name, values):
        return SAMPLING_WEIGHT
    return LIKE_SAMPLING_WEIGHT if looks_like_sampling_weight(name, values) else ""


def _of_finding(finding: IdentifierFinding) -> str:
    if finding.number == 3 and not finding.why.startswith("named like"):  # noqa: PLR2004 - dates
        return "dates; an attacker may know when something happened"
    return f"{finding.why}; an attacker may know it"


def is_free_text(values: Sequence[str]) -> bool:
    """Return whether values are long text, which may contain undetected names and places."""
    return bool(values) and sum(map(len, values)) > _LONG_TEXT * len(values)


def _undecided(column: ColumnProfile, values: Sequence[str]) -> str:
    if not values:
        return "the column has no values to judge"
    if sum(map(is_json, values)) * 2 > len(values):
        return "JSON texts, whose parts Roadstead did not examine"
    if is_free_text(values):
        return "long texts, which Roadstead does not interpret"
    if column.uniqueness >= _MOSTLY_RARE:
        return MOSTLY_RARE
    return NEUTRAL
