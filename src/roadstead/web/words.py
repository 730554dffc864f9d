"""Refer to settings by their labels on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roadstead.front_end import Value

LABELS = {
    "data": "the table",
    "quasi": "the role “Quasi-identifier”",
    "sensitive": "the role “Sensitive”",
    "identifiers": "the role “Direct identifier”",
    "unchanged": "the role “Not sensitive”",
    "release_anyway": "“Release anyway”",
    "person": "the role “Person ID”",
    "k": "“Smallest group (k)”",
    "suppression": "“Maximum suppression”",
    "suppressed": "“Suppressed records”",
    "hierarchies": "the hierarchies",
    "min_level": "“Lowest level allowed”",
    "max_level": "“Highest level allowed”",
    "weights": "“Weight in the detail lost”",
    "undecided": "the columns without a role",
    "time_limit": "“Time limit”",
    "search": "“Search”",
    "recoding": "“Kind of release”",
    "quality": "the measure of detail lost",
    "delimiter": "“Delimiter”",
    "encoding": "“Encoding”",
    "header": "“First row has the column names”",
    "skip_rows": "“Rows that are not records”",
    "decimal": "“Decimal sign”",
    "missing": "“Codes for missing values” in the “Data” step",
    "codebook": "“Codebook” in the “Data” step",
    "population": "“Population table”",
    "population_counts": "“Column with the number of people per row”",
    "absent": "“Records that match no one in the population”",
    "knows": "“Rows per person that an attacker may know”",
    "leave_out": "“If rows cannot be protected, leave out”",
    "dates": "“Release these dates as”",
    "shift_days": "“Longest shift, for all date columns (days)”",
    "shift_weeks": "“Shift by whole weeks”",
    "link": "“Link between the rows of a person”",
    "out": "“New folder”",
    "force": "“Replace it”",
    "certify": "“Add the results to the certificate”",
    "original": "the table",
    "privacy": "“Further privacy models”",
    "treat": "“How the column is released”",
    "target": "“Most important column”",
    "classes": "“All possible values of this column”",
    "ranges": "“Domains of columns whose hierarchy does not list the values”",
    "values": "“Domains of columns whose hierarchy does not list the values”",
    "epsilon": "“Epsilon”",
}
"""The label of each field. The name of any other field is its key, written as words."""
_OF_COLUMNS = {"quasi", "sensitive", "identifiers", "unchanged", "release_anyway", "person"}
"""The fields that are choices for columns on the page."""


class PageNaming:
    """Names fields by their labels, such as ``“Smallest group (k)”: 5``."""

    front = "page"

    def __call__(self, key: str, value: Value | None) -> str:
        """Name a field, or describe its setting."""
        label = LABELS.get(key, key.replace("_", " "))
        if value is None or (isinstance(value, str) and value.isupper()):  # such as COLUMN
            return label
        return f"{label}{' for' if key in _OF_COLUMNS else ':'} {_typed(value)}"


def _typed(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_typed(one)}" for key, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_typed, value))
    return str(value)
