"""Find values of a person ID that many different people share, such as 999999999.

A value of a person ID is probably a placeholder if many records have the value, and if a lifelong
property, such as the date of birth, differs about as often between these records as between any two
records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.vocabulary import is_called
from roadstead.tables.profile import profile
from roadstead.tables.source import Source
from roadstead.tables.texts import texts_of

_RECORDS: Final = 10
"""The minimum number of records of a placeholder."""
_BY_CHANCE: Final = 0.5
"""The minimum rate of differences within a placeholder, relative to the rate by chance."""
_DIFFERENT: Final = 6
"""The minimum number of values of a property with many values, so that families do not count."""


@dataclass(frozen=True)
class PlaceholderIds:
    """Values of a person ID that many different people share.

    `values` is the number of these values, and `records` is the number of their records. The
    records of one of these values have up to `different` values of the column `of`.
    """

    values: int
    records: int
    different: int
    of: str


def placeholder_ids(source: Source, person: str) -> PlaceholderIds | None:
    """Find placeholders, using the columns that are named like lifelong properties."""
    lasting = [name for name in source.columns if is_called(name, "lasting") and name != person]
    with engine_errors(source.name):
        chances = {
            column.name: texts_of(source, [column.name]).alike()
            for column in profile(source, lasting)
            if not column.is_list
        }
        return placeholders_within(source, person, chances)


def placeholders_within(
    source: Source, person: str, chances: Mapping[str, float]
) -> PlaceholderIds | None:
    """Find placeholders, using the property that differs most often.

    `chances` maps each property to the probability that two records have the same value.
    """
    if not chances:
        return None
    of, chance = min(chances.items(), key=lambda item: item[1])
    if chance >= 1.0:
        return None
    different = min(_DIFFERENT, round(1 / max(chance, 0.01)))
    found = texts_of(source, [person, of]).unlike_within_first(
        _RECORDS, max(different, 2), 1.0 - _BY_CHANCE * (1.0 - chance)
    )
    if not found["keys"]:
        return None
    return PlaceholderIds(found["keys"], found["records"], found["different"], of)
