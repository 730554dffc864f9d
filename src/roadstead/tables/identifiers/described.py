"""Judge columns by their names and values, and by the information in the file and the codebook.

The file of a statistics package describes its columns with labels of variables. A codebook also
describes columns. A description is examined as if it were the name of the column. If the
examination and the codebook suggest different roles, the stricter role is used. The codebook cannot
remove an objection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from roadstead.tables.codebooks.described import DescribedColumn
from roadstead.tables.codebooks.shown import Faces, faces_of, with_labels
from roadstead.tables.identifiers.descriptions import descriptions_of, of_description
from roadstead.tables.identifiers.judgment import (
    MOSTLY_RARE,
    NEUTRAL,
    Examined,
    Judgment,
    Role,
    ages_in,
    examine,
    judged_by_name,
)
from roadstead.tables.identifiers.sampling_weights import (
    LIKE_SAMPLING_WEIGHT,
    is_body_weight,
    is_sampling_weight,
)
from roadstead.tables.profile import ColumnProfile, rare_values
from roadstead.tables.source import Source

_FEWEST: Final = 5
"""The number of people who must share each value of a column that describes rows."""
_LABELS: Final = "labels in the codebook"
_DATES: Final = (
    "the codebook says that the column contains dates; an attacker may know when something happened"
)
_LONG_TEXTS: Final = (
    "the codebook says that the column contains long texts, which Roadstead does not interpret"
)
_STRICT: Final[Mapping[str | None, int]] = {
    "unchanged": 0,
    "sensitive": 1,
    "quasi": 2,
    "identifiers": 3,
}


@dataclass(frozen=True)
class Described:
    """The evidence about columns, including the information in the file and the codebook.

    `faces` contains the labels of each column in which all values have a label. `before` contains
    the judgments of the columns that the codebook describes, without the roles in the codebook.
    """

    examined: Examined
    faces: Faces = field(default_factory=dict)
    before: Mapping[str, Judgment] = field(default_factory=dict)


def examine_described(
    source: Source,
    columns: Sequence[str],
    briefly: frozenset[str] = frozenset(),
    listed: frozenset[str] = frozenset(),
) -> Described:
    """Examine some columns as `examine` does, and also examine their descriptions."""
    examined = examine(source, columns, briefly, listed)
    codebook = source.codebook
    faces = {} if codebook is None else faces_of(source, examined.profiles)
    judgments, samples = dict(examined.judgments), dict(examined.samples)
    if faces:
        shown = examine(with_labels(source, faces), tuple(faces))
        samples |= shown.samples
        judgments |= {name: _by_labels(judgments[name], shown.judgments[name]) for name in faces}
    ages, before = ages_in(source, examined.profiles), {}
    for column in examined.profiles:
        name = column.name
        for what, description in descriptions_of(source, name).items():
            by = _ByDescription(column, description, what, samples[name], ages.get(name))
            judgments[name] = by.judged(judgments[name])
        described = None if codebook is None else codebook.columns.get(name)
        if described is not None:
            before[name] = judgments[name]
            objected = bool(examined.objections.get(name))
            judgments[name] = _by_word(before[name], described, objected=objected)
            if described.shared and judgments[name].role == described.role:
                judgments[name] = _if_shared(source, name, judgments[name])
    return Described(replace(examined, judgments=judgments, samples=samples), faces, before)


def _by_labels(values: Judgment, labels: Judgment) -> Judgment:
    known = {one.number for one in values.findings}
    further = tuple(one for one in labels.findings if one.number not in known)
    joined = replace(values, findings=(*values.findings, *further))
    if labels.identifier and not values.identifier:
        reason = f"its {_LABELS}: {labels.reason}"
        return replace(joined, role="identifiers", reason=reason, identifier=True)
    if labels.role is not None and _is_stricter(labels.role, values):
        reason = of_description(labels.reason, _LABELS)
        return replace(joined, role=labels.role, reason=reason)
    return joined


@dataclass(frozen=True)
class _ByDescription:
    """The evidence in the description of a column, which is examined like a column name.

    A name such as ``v012`` is meaningless, and ``weight`` may mean a body weight or a survey
    weight.
    """

    column: ColumnProfile
    description: str
    what: str
    values: Sequence[str]
    ages: Sequence[str] | None

    def judged(self, judgment: Judgment) -> Judgment:
        """Return the judgment of an undecided column, with the evidence in the description."""
        values, description = self.values, self.description
        if not values or judgment.findings or judgment.role == "identifiers":
            return judgment
        of_survey = is_sampling_weight(description, values)
        of_body = judgment.reason == LIKE_SAMPLING_WEIGHT and is_body_weight(description)
        if not of_survey and not of_body and judgment.reason not in (NEUTRAL, MOSTLY_RARE):
            return judgment
        found = judged_by_name(self.column, description, values, self.ages)
        if found.role is None and not of_survey:
            return judgment
        findings = tuple(
            replace(one, why=of_description(one.why, self.what)) if one.called else one
            for one in found.findings
        )
        reason = of_description(found.reason, self.what)
        return replace(found, reason=reason, findings=findings)


def _by_word(judgment: Judgment, described: DescribedColumn, *, objected: bool) -> Judgment:
    role, reason = described.role, described.reason
    if role is None or role == "person":
        return _by_type(judgment, described)
    if judgment.role == role:
        return replace(judgment, reason=f"{judgment.reason}; {reason}")
    if role in ("quasi", "identifiers"):
        return _made(judgment, role, reason) if _is_stricter(role, judgment) else judgment
    if judgment.reason == NEUTRAL and not objected:
        return replace(judgment, role=role, reason=reason)
    return judgment


def _if_shared(source: Source, name: str, judgment: Judgment) -> Judgment:
    """Return an undecided judgment if few people share a value, such as the number of a visit."""
    codebook = source.codebook
    people = () if codebook is None else codebook.columns.items()
    person = next((one for one, notes in people if notes.role == "person"), None)
    person = person if person in source.columns else None
    if not (rare := rare_values(source, name, person, fewer_than=_FEWEST)):
        return judgment
    who = "records" if person is None else "people"
    values = "1 value that" if rare == 1 else f"{rare:,} values that"
    reason = f"{judgment.reason}, but it has {values} fewer than {_FEWEST} {who} have"
    return replace(judgment, role=None, reason=reason)


def _by_type(judgment: Judgment, described: DescribedColumn) -> Judgment:
    if judgment.reason != NEUTRAL:
        return judgment
    if described.type == "date":
        return replace(judgment, role="quasi", reason=_DATES)
    long = described.type == "long text"
    return replace(judgment, reason=_LONG_TEXTS) if long else judgment


def _made(judgment: Judgment, role: Role, reason: str) -> Judgment:
    return replace(
        judgment, role=role, reason=reason, identifier=judgment.identifier or role == "identifiers"
    )


def _is_stricter(role: str, judgment: Judgment) -> bool:
    """Return whether a role is stricter than the judgment of a scan."""
    return _STRICT[role] > _STRICT.get(judgment.role, 1)
