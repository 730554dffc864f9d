"""Describe why a scan proposes the role of a column, and which other role is possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from roadstead.front_end import option
from roadstead.printable import named
from roadstead.reports.scan.facts import PERSON
from roadstead.reports.wording import first_few, format_count
from roadstead.tables.identifiers.person_keys import PersonKey

_ROLES: Final[Mapping[str, str]] = {
    "unchanged": "a column to release unchanged",
    "sensitive": "sensitive",
    "quasi": "a quasi-identifier",
    "identifiers": "a direct identifier",
    PERSON: "the person ID",
}


def disagreement(word: str, role: str | None, reason: str, *, followed: bool) -> str:
    """Say how the role in the codebook differs from the role in the scan.

    If `followed` is true, the proposal uses the role in the codebook.
    """
    if not followed:
        return f"according to the codebook, it is {_ROLES[word]}, but the scan disagrees"
    return f"without the codebook: {_ROLES[role]} ({reason})" if role is not None else ""


def other_person_in_codebook(key: PersonKey, person: str) -> str:
    """Say that the codebook names a different person ID column."""
    return f"it looks like a person ID ({_repeated(key)}), but the codebook names {person}"


def rows_of_several_kinds(kinds: Sequence[Sequence[str]]) -> str:
    """Say that an attacker who knows facts of several kinds about a person knows several rows."""
    first, *rest = kinds
    others = [name for kind in rest for name in kind]
    return (
        "The rows of a person are of different kinds: some have values in "
        f"{first_few([*map(named, first)], 3)}, and others in "
        f"{first_few([*map(named, others)], 3)}. Each row counts as one of the rows that an "
        f"attacker may know. For example, an attacker who knows {named(first[0])}, and "
        f"{named(others[0])} in two other rows, knows three rows. If the rows are linked by a "
        f"pseudonym, use {option('knows', 3)} to protect people from this attacker."
    )


def person_id(key: PersonKey) -> str:
    """Say why a column is the person ID."""
    return f"{key.why} ({_repeated(key)})"


def other_person_proposed(key: PersonKey, person: str) -> str:
    """Say that a different person ID column is proposed."""
    return f"it looks like a person ID ({_repeated(key)}), but the scan proposes {person}"


def likely_person(key: PersonKey, *, undecided: bool) -> str:
    """Say what to do if a column is the person ID. An `undecided` column does not have a role."""
    if not undecided:
        return f"it may be the person ID ({key.why}): if it is, give it the role person"
    return (
        f"it may be the person ID ({_repeated(key)}): if it is, give it the role person, to count "
        "people; otherwise, give it another role"
    )


def _repeated(key: PersonKey) -> str:
    about = "about " if key.estimated else ""
    return f"{about}{format_count(key.keys)} values in {format_count(key.records)} records"
