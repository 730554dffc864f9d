"""How the page names what a user can set: by the label that stands at the field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roadstead.front_end import Value

LABELS = {
    "data": "the table",
    "quasi": "the role Quasi-identifier",
    "sensitive": "the role Sensitive",
    "identifiers": "the role Never released",
    "unchanged": "the role Released as it is",
    "release_anyway": "the mark Release anyway",
    "person": "the role Says whose each record is",
    "k": "Smallest class (k)",
    "suppression": "Most records suppressed",
    "suppressed": "Suppressed records",
    "hierarchies": "the hierarchies",
    "undecided": "the columns without a role",
    "time_limit": "Time limit",
    "search": "Search",
    "recoding": "Recoding",
    "quality": "Loss",
    "delimiter": "Delimiter",
    "encoding": "Encoding",
    "header": "First row names the columns",
    "missing": "Texts that mean a value is missing (step Data)",
    "population": "Population",
    "knows": "Rows known of a person",
    "out": "Folder of the release",
    "force": "Replace a former release",
    "certify": "the mark Certify",
    "original": "the table",
    "privacy": "Further privacy models",
    "treat": "How a column is released",
    "target": "Column to predict",
    "epsilon": "Epsilon",
}
"""What stands at each field; others are called by their key, in words."""


class PageNaming:
    """A field by its label: ``Smallest class (k): 5``."""

    front = "page"

    def __call__(self, key: str, value: Value | None) -> str:
        """Name a field, or say what to set it to."""
        label = LABELS.get(key, key.replace("_", " "))
        if value is None or (isinstance(value, str) and value.isupper()):  # as in COLUMN
            return label
        return f"{label}: {_typed(value)}"


def _typed(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_typed(one)}" for key, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_typed, value))
    return str(value)
