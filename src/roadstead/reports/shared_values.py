"""Warn about groups of a release that have only one sensitive value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from roadstead.front_end import option
from roadstead.printable import named
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted
from roadstead.risk.persons.knowledge import ROWS_IN_WORDS

if TYPE_CHECKING:
    from roadstead.release.shared_values import SharedValues


def shared_values_warnings(found: Iterable[SharedValues], *, first: str = "") -> list[str]:
    """For each column, say what an attacker learns without finding a record, and what to do.

    `first` says what must be done first.
    """
    return [
        f"{_warning(one)} To require two values in each group, {first}use {_of_all_rows(one)}"
        f"{option('privacy', {'kind': 'distinct-l-diversity', 'column': one.column, 'l': 2})}."
        for one in found
    ]


def shared_values_notes(found: Iterable[SharedValues]) -> list[str]:
    """Return the same warnings for a report, whose readers do not run a command."""
    return [f"{_warning(one)} Distinct l-diversity would require two values." for one in found]


def shared_values_document(found: Iterable[SharedValues]) -> dict[str, Any]:
    """Return the counts as JSON. The list is empty if no group shares a value."""
    return {"shared_sensitive_values": [one.to_dict() for one in found]}


def _warning(found: SharedValues) -> str:
    column = named(found.column)
    suppressed = ""
    if found.with_suppressed:
        suppressed = (
            f" One of the {counted(found.of_groups, 'group')} consists of the suppressed records."
        )
    blank = "empty cells and codes that were declared as missing" if found.coded else "empty cells"
    return (
        f"Warning: no privacy model of this release protects the values of {column}. "
        f"{found.groups:,} of {counted(found.of_groups, 'group')} "
        f"({percent(found.records / found.of_records)} of the records: {found.records:,} of "
        f"{found.of_records:,}) {'has' if found.groups == 1 else 'have'} only one value of "
        f"{column}, apart from {blank}.{suppressed} An attacker who finds the group of a person "
        "learns this value without finding the record, unless the person's cell is empty."
        f"{_of_one_row(found)}"
    )


def _of_all_rows(found: SharedValues) -> str:
    """Name the setting that Roadstead requires for a model of sensitive values, if any."""
    return "" if found.knows in (1, "all") else f"{option('knows', 'all')} and "


def _of_one_row(found: SharedValues) -> str:
    """Say that an attacker can learn more if the attacker knows several rows of a person."""
    if found.knows == 1:
        return ""
    return (
        " The count is for an attacker who knows one row of a person. This release assumes that "
        f"an attacker knows {ROWS_IN_WORDS[found.knows]} of a person. Such an attacker can learn "
        "the values of more people."
    )
