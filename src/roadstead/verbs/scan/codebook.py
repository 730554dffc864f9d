"""Suggest a role for each column based on a scan and a codebook.

If the scan and the codebook suggest different roles, the stricter role is used. The codebook cannot
remove an objection of the scan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from roadstead.reports.scan import remarks
from roadstead.reports.scan.facts import PERSON, ColumnProposal
from roadstead.tables.codebooks.described import DescribedColumn, TableNotes
from roadstead.tables.codebooks.shown import Faces, faces_of, with_labels
from roadstead.tables.formats.codebook import Code, code_text
from roadstead.tables.identifiers.judgment import (
    NEUTRAL,
    Examined,
    Judgment,
    Role,
    examine,
    judged_by_name,
)
from roadstead.tables.identifiers.person_keys import PersonKey
from roadstead.tables.identifiers.sampling_weights import (
    LIKE_SAMPLING_WEIGHT,
    is_body_weight,
    is_sampling_weight,
)
from roadstead.tables.missing_codes import missing_codes, taken
from roadstead.tables.profile import ColumnProfile
from roadstead.tables.reading import without_markers
from roadstead.tables.source import ProgramFile, Source

_STRICT: Final[Mapping[str | None, int]] = {
    "unchanged": 0,
    "sensitive": 1,
    "quasi": 2,
    "identifiers": 3,
}


@dataclass(frozen=True)
class CodebookFindings:
    """The findings about a table, including findings from its codebook.

    `faces` contains the labels of each column in which all values have a label. `disagreements`
    describes the differences between the codebook and the scan for each column.
    """

    examined: Examined
    faces: Faces = field(default_factory=dict)
    disagreements: Mapping[str, str] = field(default_factory=dict)


def without_missing(source: Source) -> tuple[Source, dict[str, int]]:
    """Turn the codebook's codes for missing values into missing values, and count each code.

    A counted entry has the same form as the option, such as ``income=-9``. The project file lists
    all entries so that a person can remove an entry.
    """
    entries = {}
    for entry in _entries(source):
        if counts := taken(source.table, missing_codes([entry], source.columns), source.name):
            entries[entry] = sum(sum(one.values()) for one in counts.values())
    made = without_markers(source, list(entries), private=False)
    return replace(made, made_missing={**source.made_missing, **made.made_missing}), entries


def _entries(source: Source) -> list[str]:
    if source.codebook is None:
        return []
    found: dict[str, None] = {}
    for name in source.columns:
        described = source.codebook.columns.get(name, DescribedColumn())
        everywhere = [(code, code) for code in source.codebook.missing]
        if "=" not in name:
            for low, high in (*described.notes.missing, *everywhere):
                found.setdefault(f"{name}={_span(low, high)}")
    return list(found)


def _span(low: Code, high: Code) -> str:
    first, last = code_text(low), code_text(high)
    return first if low == high else f"{first}..{last}"


def findings_of(source: Source, examined: Examined) -> CodebookFindings:
    """Combine the codebook's information about each column with the findings of the scan."""
    examined = _with_labels_of_file(source, examined)
    codebook = source.codebook
    if codebook is None:
        return CodebookFindings(examined)
    faces = faces_of(source, examined.profiles)
    judgments = dict(examined.judgments)
    samples = dict(examined.samples)
    if faces:
        shown = examine(with_labels(source, faces), tuple(faces))
        samples |= shown.samples
        judgments |= {name: _by_labels(judgments[name], shown.judgments[name]) for name in faces}
    disagreements = {}
    for column in examined.profiles:
        described = codebook.columns.get(column.name)
        if described is None:
            continue
        judgment = _by_description(
            judgments[column.name], column, described.notes.description, samples[column.name]
        )
        objected = bool(examined.objections.get(column.name))
        judgments[column.name] = _by_word(judgment, described, objected=objected)
        disagreement = _disagreement(judgment, described, judgments[column.name])
        if disagreement:
            disagreements[column.name] = disagreement
    found = replace(examined, judgments=judgments, samples=samples)
    return CodebookFindings(found, faces, disagreements)


def _with_labels_of_file(source: Source, examined: Examined) -> Examined:
    """Examine the column labels in an SPSS, Stata, or SAS file."""
    if not isinstance(source.format, ProgramFile):
        return examined
    notes, judgments = source.format.codebook, dict(examined.judgments)
    for column in examined.profiles:
        name = column.name
        label, values = notes.of(name).description, examined.samples[name]
        judgments[name] = _by_description(
            judgments[name], column, label, values, remarks.FILE_LABEL
        )
    return replace(examined, judgments=judgments)


def _by_labels(values: Judgment, labels: Judgment) -> Judgment:
    known = {one.number for one in values.findings}
    further = tuple(one for one in labels.findings if one.number not in known)
    joined = replace(values, findings=(*values.findings, *further))
    if labels.identifier and not values.identifier:
        reason = f"its {remarks.LABELS}: {labels.reason}"
        return replace(joined, role="identifiers", reason=reason, identifier=True)
    if labels.role is not None and _is_stricter(labels.role, values):
        reason = remarks.of_codebook(labels.reason, remarks.LABELS)
        return replace(joined, role=labels.role, reason=reason)
    return joined


def _by_description(
    judgment: Judgment,
    column: ColumnProfile,
    description: str | None,
    values: Sequence[str],
    what: str = remarks.DESCRIPTION,
) -> Judgment:
    """Examine the description of an undecided column as if the description were the column name.

    A name such as ``v012`` is meaningless, and ``weight`` may mean a body weight or a survey
    weight.
    """
    if not description or not values or judgment.findings or judgment.role == "identifiers":
        return judgment
    of_survey = is_sampling_weight(description, values)
    of_body = judgment.reason == LIKE_SAMPLING_WEIGHT and is_body_weight(description)
    if not of_survey and not of_body and judgment.reason != NEUTRAL:
        return judgment
    found = judged_by_name(column, description, values)
    if found.role is None and not of_survey:
        return judgment
    return replace(found, reason=remarks.of_codebook(found.reason, what))


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


def _by_type(judgment: Judgment, described: DescribedColumn) -> Judgment:
    if judgment.reason != NEUTRAL:
        return judgment
    if described.type == "date":
        return replace(judgment, role="quasi", reason=remarks.DATES)
    long = described.type == "long text"
    return replace(judgment, reason=remarks.LONG_TEXTS) if long else judgment


def _made(judgment: Judgment, role: Role, reason: str) -> Judgment:
    return replace(
        judgment, role=role, reason=reason, identifier=judgment.identifier or role == "identifiers"
    )


def _is_stricter(role: str, judgment: Judgment) -> bool:
    """Return whether a role is stricter than the judgment of a scan."""
    return _STRICT[role] > _STRICT.get(judgment.role, 1)


def _disagreement(judgment: Judgment, described: DescribedColumn, final: Judgment) -> str:
    """Describe how the codebook and the scan differ, or return an empty string if they agree."""
    word = described.role
    if word in (None, PERSON) or judgment.role == word:
        return ""
    return remarks.disagreement(word, judgment.role, judgment.reason, followed=final.role == word)


def codebook_person(
    columns: Sequence[ColumnProposal], keys: Sequence[PersonKey], codebook: TableNotes | None
) -> str | None:
    """Return the person ID column of the codebook if the values in the column repeat."""
    name = _named_person(codebook)
    found = next((one.profile for one in columns if one.name == name), None)
    if found is None:
        return None
    repeats = found.distinct < found.present or any(key.column == name for key in keys)
    return name if repeats else None


def with_codebook_person(
    columns: Sequence[ColumnProposal], codebook: TableNotes | None
) -> tuple[ColumnProposal, ...]:
    """Use the person ID column of the codebook if the values in the column repeat.

    If the values do not repeat, the column becomes a direct identifier. A direct identifier in the
    codebook keeps its role even if it looks like a person ID.
    """
    if codebook is None:
        return tuple(columns)
    columns = [_identifier(one, codebook) for one in columns]
    name = _named_person(codebook)
    return tuple(_person(one, codebook) if one.name == name else one for one in columns)


def _named_person(codebook: TableNotes | None) -> str | None:
    described = {} if codebook is None else codebook.columns
    return next((name for name, one in described.items() if one.role == PERSON), None)


def _person(column: ColumnProposal, codebook: TableNotes) -> ColumnProposal:
    repeats = column.profile.distinct < column.profile.present
    role = PERSON if repeats else "identifiers"
    reason = codebook.columns[column.name].reason
    if column.role in (PERSON, role):
        reason = f"{reason}; {column.reason}"
    return replace(column, role=role, reason=reason, hierarchy=None)


def _identifier(column: ColumnProposal, codebook: TableNotes) -> ColumnProposal:
    described = codebook.columns.get(column.name)
    named = described is not None and described.role == "identifiers"
    if described is None or not named or column.role in (PERSON, "identifiers"):
        return column
    return replace(column, role="identifiers", reason=described.reason, hierarchy=None)
