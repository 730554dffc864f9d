"""Warn that the released columns make records unique, and say what the user can do.

Privacy models assume that an attacker knows only the quasi-identifiers. If an attacker also knows
one unchanged column, nearly every record can be unique. So all outputs show this warning first.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from roadstead.front_end import option
from roadstead.policies.person_rules import ANCHOR
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted, first_few, listed
from roadstead.risk.persons.knowledge import ROWS_IN_WORDS

if TYPE_CHECKING:
    from roadstead.release.added_risk import AddedRisk, SingledOutPeople

_WORST = 3
_NAMED = 6


def adds(found: AddedRisk) -> bool:
    """Return whether an attacker can single out more records with the released columns."""
    together, quasi, people = found.together, found.quasi, found.people
    if people is not None and people.below_k != 0:  # also if they could not be counted
        return True
    return together.unique > quasi.unique or together.below_k > quasi.below_k


def worst_column(found: AddedRisk) -> str | None:
    """Return the column that adds the most risk, or None if columns add risk only together."""
    if found.worst:
        return found.worst[0][0]
    return next(iter(found.columns)) if len(found.columns) == 1 else None


def added_warning(found: AddedRisk) -> str:
    """Say how many records an attacker can single out with the released columns."""
    names = tuple(found.columns)
    known = listed(names) if len(names) <= _NAMED else first_few(names, _NAMED)
    if found.people is not None:
        return _several_rows(found.people, found.k, known)
    people = found.groups_of == "persons"
    unique, below = found.together.unique, found.together.below_k
    share = percent(unique / found.records if found.records else 0.0)
    what = "the people of " if people else ""
    groups = (
        f"groups of fewer than {found.k} people" if people else f"groups smaller than {found.k}"
    )
    alone = ""
    if found.quasi.below_k:
        alone = (
            " An attacker who knows only the quasi-identifiers can single out "
            f"{found.quasi.unique:,} records. {found.quasi.below_k:,} are in such groups."
        )
    return (
        f"an attacker who also knows {known} can single out {what}{unique:,} of {found.records:,} "
        f"records ({share}). {below:,} would be in {groups}. The privacy models of this release do "
        f"not protect against this.{alone}"
    )


def _several_rows(people: SingledOutPeople, k: int, known: str) -> str:
    """Say how many people an attacker can single out with several rows and the `known` columns."""
    rows = ROWS_IN_WORDS[people.knows]
    attacker = f"an attacker who also knows {known} in {rows} of a person can single out"
    unprotected = "The privacy models of this release do not protect against this."
    if people.unique is None or people.below_k is None:
        return (
            f"{attacker} more people than with the quasi-identifiers alone. Roadstead did not "
            f"count these people, because there are too many combinations of rows. {unprotected}"
        )
    share = percent(people.unique / people.persons if people.persons else 0.0)
    return (
        f"{attacker} {people.unique:,} of {people.persons:,} people ({share}). "
        f"{people.below_k:,} people would be in groups of fewer than {k} people. {unprotected}"
    )


def all_rows_known(people: SingledOutPeople, k: int, *, first: str = "") -> str:
    """Say how many people an attacker can single out with the quasi-identifiers of all their rows.

    `first` says what must be done first to protect these people.
    """
    knows = "an attacker who knows the quasi-identifiers in all rows of a person"
    if not people.below_k:
        return f"Even {knows} cannot narrow the person down to fewer than {k} people."
    persons, unique = people.persons, people.unique or 0
    share = f"{unique:,} of {persons:,} people ({percent(unique / persons)})"
    below = counted(people.below_k, "person", "people")
    return (
        f"Warning: the release links the rows of a person, and {knows} can single out "
        f"{share if unique else 'no one'}{'. ' if unique else ', but '}{below} would be in "
        f"groups of fewer than {k} people. To protect them, {first}use {option('knows', 'all')}."
    )


def each_alone(found: AddedRisk) -> str:
    """Say how much risk each of the worst columns adds by itself.

    Return "" for a single column.
    """
    if len(found.columns) < 2 or not found.worst:  # noqa: PLR2004 - several
        return ""
    (name, first), *others = found.worst[:_WORST]
    said = "; ".join(
        (
            f"{name} makes {first.unique:,} records unique",
            *(f"{n}, {c.unique:,}" for n, c in others),
        )
    )
    rows = "" if found.people is None else " of one row"
    return f"If an attacker knows the quasi-identifiers and one more column{rows}: {said}."


def without_anchor() -> str:
    """Say how to make a release without the shifted date, which is not a column of the table."""
    return f"to leave it out, write interval instead of shift in {option('dates')}"


def what_to_do(found: AddedRisk, treated: Collection[str] = ()) -> str:
    """Name the column that adds the most risk, and three ways to make this column reveal less.

    `treated` are the columns that a treatment already rounds or microaggregates.
    """
    worst = worst_column(found)
    if worst is None:
        return (
            "These columns add risk only together. Make some of them quasi-identifiers, withhold "
            "them, or, if they contain numbers, round them."
        )
    if worst == ANCHOR:
        return f"{worst} adds most. {without_anchor()[0].upper()}{without_anchor()[1:]}."
    coarser = (
        " treat it more coarsely" if worst in treated else ", if it contains numbers, round it"
    )
    return f"{worst} adds most. Make it a quasi-identifier, withhold it, or{coarser}."
