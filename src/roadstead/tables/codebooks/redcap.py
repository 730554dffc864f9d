"""Read REDCap data dictionaries, which have one row per field.

A dictionary comes from REDCap's website or API. A checkbox field has one column for each choice,
named ``field___code``. The first field is the record ID, whose values repeat if an instrument
repeats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from roadstead.tables.codebooks.described import DescribedColumn, Role, TableNotes, ValueType
from roadstead.tables.codebooks.document import MOST_COLUMNS, MOST_LABELS, Document, clean
from roadstead.tables.formats.codebook import Code, ColumnNotes

_NAMES = ("variablefieldname", "fieldname")
_CHOICES = (
    "choicescalculationsorsliderlabels",
    "selectchoicesorcalculations",
    "choicesorcalculations",
)
_VALIDATION = ("textvalidationtypeorshowslidernumber",)
_SEPARATOR = re.compile(r"\||\\n|\n")
_FIXED: Mapping[str, Mapping[Code, str]] = {
    "yesno": {"1": "Yes", "0": "No"},
    "truefalse": {"1": "True", "0": "False"},
}
_CHECKED: Mapping[Code, str] = {"1": "Checked", "0": "Unchecked"}
_STATUS: Mapping[Code, str] = {"0": "Incomplete", "1": "Unverified", "2": "Complete"}
_CHOSEN = ("radio", "dropdown", "select", "yesno", "truefalse", "checkbox")
_TYPES: Mapping[str, ValueType] = {
    "notes": "long text", "calc": "number", "slider": "number",
    **dict.fromkeys(_CHOSEN, "choice"),
}  # fmt: skip
_IDENTIFIERS: Mapping[str, str] = {
    "email": "email addresses",
    "phone": "telephone numbers",
    "ssn": "social security numbers",
    "mrn": "medical record numbers",
    "vmrn": "medical record numbers",
}
"""Validation types whose values are direct identifiers."""
_PLACES = ("zipcode", "postalcode")
_RECORD_ID = "the codebook's first field is the record ID"
_ADDED: Mapping[str, str] = {
    "redcap_event_name": "Event Name",
    "redcap_repeat_instrument": "Repeat Instrument",
    "redcap_repeat_instance": "Repeat Instance",
}
_OF_ROWS = "a column that REDCap adds to describe the rows, not the people"
_OF_FORMS = "a column that REDCap adds to describe the forms"


class Redcap:
    """The format of REDCap's data dictionaries."""

    label = "REDCap data dictionary"

    def recognizes(self, document: Document) -> bool:
        """Return whether each row has a field name, a form name, and a field type."""
        names = document.rows[0].keys() if document.rows else ()
        return any(one in names for one in _NAMES) and {"formname", "fieldtype"} <= {*names}

    def read(self, document: Document) -> tuple[TableNotes, ...]:
        """Return the columns that an export of the project has."""
        columns: dict[str, DescribedColumn] = {}
        forms: dict[str, None] = {}
        for row in document.rows[:MOST_COLUMNS]:
            forms.setdefault(row.get("formname", "").strip(), None)
            for name, described in _columns(row):
                if name:
                    columns.setdefault(name, described)
        if columns:
            first = next(iter(columns))
            columns[first] = replace(columns[first], role="person", reason=_RECORD_ID)
        for name, described in _added(forms):
            columns.setdefault(name, described)
        return (TableNotes(columns),)


def _of(row: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((row[name] for name in names if row.get(name)), "").strip()


def _columns(row: Mapping[str, str]) -> Iterator[tuple[str, DescribedColumn]]:
    """Yield the columns of a field: none for descriptive text, and several for checkboxes."""
    name, kind = _of(row, _NAMES), row.get("fieldtype", "").strip().casefold()
    if kind == "descriptive":
        return
    label, choices = clean(row.get("fieldlabel")), _choices(row, kind)
    role, reason = _role(row, kind)
    if kind == "checkbox":
        for code, choice in choices.items():
            notes = ColumnNotes(description=f"{label}: {choice}", labels=_CHECKED)
            column = f"{name}___{str(code).casefold().replace('-', '_')}"
            header = f"{label} (choice={choice})"
            yield column, DescribedColumn(notes, role, reason, "choice", header=header)
        return
    notes = ColumnNotes(description=label or None, labels=choices)
    yield name, DescribedColumn(notes, role, reason, _type(row, kind), header=label)


def _choices(row: Mapping[str, str], kind: str) -> Mapping[Code, str]:
    """Return the labels of choices such as ``1, Male | 2, Female``. A calculation has no labels."""
    if kind in _FIXED:
        return _FIXED[kind]
    if kind not in _CHOSEN:
        return {}
    found: dict[Code, str] = {}
    for choice in _SEPARATOR.split(_of(row, _CHOICES))[:MOST_LABELS]:
        code, comma, label = choice.partition(",")
        if comma and code.strip():
            found.setdefault(code.strip(), clean(label))
    return found


def _role(row: Mapping[str, str], kind: str) -> tuple[Role | None, str]:
    if row.get("identifier", "").strip().casefold() in ("y", "yes", "1", "true"):
        return "identifiers", "the codebook marks the column as an identifier"
    validation = _of(row, _VALIDATION).casefold()
    what = next((what for start, what in _IDENTIFIERS.items() if validation.startswith(start)), "")
    if what:
        return "identifiers", f"the codebook says that the column contains {what}"
    if kind in ("file", "signature"):
        return "identifiers", "the codebook says that the column contains files or signatures"
    if validation.startswith(_PLACES):
        return "quasi", "the codebook says that the column contains postal codes"
    return None, ""


def _type(row: Mapping[str, str], kind: str) -> ValueType:
    if kind in _TYPES:
        return _TYPES[kind]
    validation = _of(row, _VALIDATION).casefold()
    if validation.startswith("date"):
        return "date"
    return "number" if validation.startswith(("integer", "number")) else "text"


def _added(forms: Mapping[str, None]) -> Iterator[tuple[str, DescribedColumn]]:
    """Yield the columns that REDCap adds to its exports."""
    yield (
        "redcap_survey_identifier",
        DescribedColumn(
            role="identifiers",
            reason="a column that REDCap adds, with the address of a person",
            optional=True,
            header="Survey Identifier",
        ),
    )
    own = DescribedColumn(role="unchanged", reason=_OF_ROWS, optional=True, shared=True)
    for name, header in _ADDED.items():
        yield name, replace(own, header=header)
    own = replace(own, reason=_OF_FORMS, shared=False)
    for form in filter(None, forms):
        notes = ColumnNotes(description=f"{clean(form)}: completion", labels=_STATUS)
        completed = replace(own, notes=notes, type="choice", header="Complete?")
        yield f"{form}_complete", completed
