"""Judge by its name whether a column is confidential, and find evidence against the name.

A confidential column is released unchanged, so its name alone must not decide. For example,
`died_at` may contain ages, `dx_week` may contain weeks, `treatment_site` may contain hospitals, and
`diagnosed_by` may contain names of people. If the name has a word such as "at" or "week", and the
values could have this meaning, a person has to decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roadstead.tables.identifiers.contents import is_json
from roadstead.tables.identifiers.diagnosis_codes import are_diagnoses
from roadstead.tables.identifiers.findings import FLAGS
from roadstead.tables.identifiers.partial_dates import is_calendar_word
from roadstead.tables.identifiers.vocabulary import TextForm, is_called

_OF_MINUTES: Final = TextForm(r"[0-5]?\d")


def confidential(name: str, values: Sequence[str]) -> str:
    """Explain why a column is confidential, or return an empty string if there is no reason."""
    if is_called(name, "sensitive"):
        return "named like something confidential"
    return "looks like diagnosis codes" if are_diagnoses(values) else ""


def doubt(name: str, values: Sequence[str]) -> str:
    """Explain why a confidential column may contain other data, or return an empty string."""
    if sum(map(is_json, values)) * 2 > len(values):
        return "its values are JSON texts"
    if all(value.casefold() in FLAGS for value in values) or are_diagnoses(values):
        return ""
    if is_called(name, "of_time", "age", "year") and any(map(_may_be_time, values)):
        return "its name also suggests a time or an age"
    if is_called(name, "of_minutes") and all(map(_OF_MINUTES, values)):
        return "its name also suggests minutes"
    if is_called(name, "of_place") and not is_called(name, "of_body"):
        return "its name also suggests a place or an institution"
    return "its name also suggests the name of a person" if is_called(name, "of_person") else ""


def _may_be_time(value: str) -> bool:
    return any(map(str.isdigit, value)) or is_calendar_word(value)
