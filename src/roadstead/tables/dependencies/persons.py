"""Find columns with values for which many other columns are constant.

Such a column is likely to be a person ID, whatever its name. A column is reported only if all
declared quasi-identifiers, or half of the other columns, are constant for each of its values. A
column is omitted if its name shows that it contains something else, such as a visit, a place, or a
diagnosis. A column is also omitted if its name or its description indicates a weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import isclose
from typing import TYPE_CHECKING, Final

from roadstead.tables.dependencies.agreement import Agreement, agreement, determined
from roadstead.tables.identifiers.descriptions import called_or_described
from roadstead.tables.identifiers.person_keys import OTHERS, PersonKey, constant_words
from roadstead.tables.identifiers.vocabulary import is_called

if TYPE_CHECKING:
    from roadstead.tables.dependencies.rows import DrawnColumn, DrawnRows
    from roadstead.tables.profile import ColumnProfile
    from roadstead.tables.source import Source

_FEWEST: Final = 20
"""The minimum number of values of a person ID."""
_MOST_RECORDS: Final = 200
"""The maximum average number of records per person."""
_REPEATS: Final = 1.25
"""The minimum average number of records per person."""
_LARGEST: Final = 0.1
"""The largest share of the records that one person may have."""
_SEVERAL: Final = 2
_MOST_OTHERS: Final = 30
"""The maximum number of other columns to examine."""
_LONGEST: Final = 40
"""The maximum length of a code."""


def likely_person_ids(
    source: Source, rows: DrawnRows, profiles: Sequence[ColumnProfile], quasi: Sequence[str]
) -> list[PersonKey]:
    """Find likely person IDs: columns with values for which other columns are constant."""
    candidates = [
        one
        for one in profiles
        if one.name not in quasi
        and _repeats(one, rows[one.name])
        and not called_or_described(source, one.name, "some_weight")
    ]
    found = []
    for one in sorted(candidates, key=lambda one: one.distinct):
        within = _same_within(source, rows, one.name, quasi)
        if within:
            same, share = list(within), min(seen.agreeing / seen.shared for seen in within.values())
            exactly = all(isclose(seen.agreeing, seen.shared) for seen in within.values())
            why = f"its values repeat; {constant_words(same, exactly=exactly)}"
            found.append(
                PersonKey(one.name, why, one.distinct, one.present, share, "called", estimated=True)
            )
    return found


def _repeats(one: ColumnProfile, column: DrawnColumn) -> bool:
    """Return whether a column can be a person ID, by its values and the records per value."""
    mean = one.present / max(one.distinct, 1)
    return (
        not one.is_list
        and one.distinct >= _FEWEST
        and one.longest <= _LONGEST
        and _REPEATS <= mean <= _MOST_RECORDS
        and int(column.counts.max(initial=0)) <= max(_LARGEST * column.present, 1)
        and not is_called(one.name, *OTHERS)
    )


def _same_within(
    source: Source, rows: DrawnRows, name: str, quasi: Sequence[str]
) -> dict[str, Agreement]:
    """Return the columns that are constant within each value, or none if there are too few."""
    own = rows[name]
    tested = [one for one in quasi if _tested(rows, one)]
    same = _determined(source, rows, own, tested)
    places = all(is_called(one, "place", "zip") for one in same)
    if len(same) >= _SEVERAL and len(same) == len(tested) and not places:
        return same
    others = islice(
        (one for one in rows.columns if one != name and _tested(rows, one)), _MOST_OTHERS
    )
    seen = [one for one in others if agreement(own.codes, rows[one].codes).surprising]
    same = _determined(source, rows, own, seen)
    return same if len(same) >= max(_SEVERAL, len(seen) / 2) else {}


def _determined(
    source: Source, rows: DrawnRows, own: DrawnColumn, others: Sequence[str]
) -> dict[str, Agreement]:
    seen = {name: determined(source, rows, own, rows[name]) for name in others}
    return {name: one for name, one in seen.items() if one is not None}


def _tested(rows: DrawnRows, name: str) -> bool:
    """Return whether a column has several values that repeat, so that it can be tested."""
    return 1 < rows[name].distinct <= rows[name].present / 2
