"""Create one record per person, only from the person's own rows.

For each column that is not a set, a rule chooses one value per person. The caller gives all rules
in advance, because a request for a rule would reveal that someone has several values. For a column
of sets, the record has the union of the person's sets. So adding or removing a person changes one
record.

There are four rules. ``same`` takes the common value of all rows, and omits people with different
values. ``most`` takes the most frequent value. ``first`` and ``last`` take the value of the row
with the smallest or largest value of another column, such as a visit number or a date. Missing
cells are skipped. If several values are equally good, the rule takes the first value in code-point
order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.persons.person_rows import PersonRows, PersonTally, counted
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.item_sets import items_of, text_of

SAME, MOST, FIRST, LAST = "same", "most", "first", "last"
_MISSING = ""
_NUMBER = re.compile(r"[+-]?[0-9]{1,200}(?:[.][0-9]{0,100})?", re.ASCII)


@dataclass(frozen=True)
class OneValue:
    """The rule that chooses a person's value in a column, and the column that orders the rows."""

    rule: str
    order: str | None = None  # only for `FIRST` and `LAST`

    def __str__(self) -> str:
        """Return the rule as a user would write it."""
        return self.rule if self.order is None else f"{self.rule}:{self.order}"


def one_record_each(
    table: FrequencyTable, person: str, rules: Mapping[str, OneValue], sets: Sequence[str]
) -> tuple[FrequencyTable, PersonTally]:
    """Merge the rows of each person into one record.

    The record contains all columns that have a rule, and all sets.

    `table` counts the rows by person, by these columns, and by the columns that order the rows.
    Sets are strings from `with_item_sets`. Rows without a person are omitted. People with several
    values in a column with the rule ``same`` are also omitted.
    """
    rows = PersonRows.of(table, person)
    owner = rows.owner[rows.known]
    persons, dense = np.unique(owner, return_inverse=True)
    times = table.counts[rows.known]
    domains: list[tuple[str, ...]] = []
    codes: list[NDArray[np.int32]] = []
    varied: list[tuple[str, int]] = []
    whole = np.ones(persons.size, dtype=np.bool_)
    for name, rule in rules.items():
        own, texts = _column(table, name, rows.known)
        if _MISSING not in texts:
            texts = (*texts, _MISSING)  # the code for people with only missing cells
        missing = texts.index(_MISSING)
        if rule.rule == SAME:
            chosen, several = _same(dense, own, missing, persons.size)
            whole &= ~several
            varied.append((name, int(several.sum())))
        else:
            rank = _ranks(table, rule, rows.known, own, dense, times)
            chosen = _least(dense, own, missing, rank, persons.size)
        domains.append(texts)
        codes.append(chosen)
    for name in sets:
        own, texts = _column(table, name, rows.known)
        unions, chosen = _unions(dense, own, texts, persons.size)
        domains.append(unions)
        codes.append(chosen)
    found = counted(
        (*rules, *sets),
        tuple(domains),
        [column[whole] for column in codes],
        np.ones(int(whole.sum()), dtype=np.int64),
    )
    return found, replace(rows.figures, varied=tuple(one for one in varied if one[1]))


def _column(
    table: FrequencyTable, name: str, known: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    at = table.attributes.index(name)
    return table.codes[at][known], table.domains[at]


def _same(
    dense: NDArray[np.intp], own: NDArray[np.int32], missing: int, persons: int
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the value of each person, and mark people with several values."""
    there = own != missing
    least = np.full(persons, np.iinfo(np.int32).max, dtype=np.int32)
    most = np.full(persons, -1, dtype=np.int32)
    np.minimum.at(least, dense[there], own[there])
    np.maximum.at(most, dense[there], own[there])
    return np.where(most < 0, np.int32(missing), most), (most >= 0) & (least < most)


def _least(
    dense: NDArray[np.intp],
    own: NDArray[np.int32],
    missing: int,
    rank: NDArray[np.int64],
    persons: int,
) -> NDArray[np.int32]:
    """Return the value in each person's row with the lowest rank; if rows tie, the first value."""
    there = np.flatnonzero(own != missing)
    order = there[np.lexsort((own[there], rank[there], dense[there]))]
    found = np.full(persons, missing, dtype=np.int32)
    who, first = np.unique(dense[order], return_index=True)
    found[who] = own[order[first]]
    return found


def _ranks(
    table: FrequencyTable,
    rule: OneValue,
    known: NDArray[np.bool_],
    own: NDArray[np.int32],
    dense: NDArray[np.intp],
    times: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the rank of each row. Rows that the rule prefers have smaller ranks."""
    if rule.order is None:
        # Count how often the person has the value.
        pairs, place = np.unique(np.stack((dense, own)), axis=1, return_inverse=True)
        often = np.zeros(pairs.shape[1], dtype=np.int64)
        np.add.at(often, place.reshape(-1), times)
        rarity: NDArray[np.int64] = -often[place.reshape(-1)]
        return rarity
    codes, texts = _column(table, rule.order, known)
    keys = [_order_key(text) for text in texts]
    distinct = {key: at for at, key in enumerate(sorted(set(keys)))}
    places = np.array([distinct[key] for key in keys], dtype=np.int64)
    if rule.rule == LAST:
        places = -places
    # Rows without a value in the ordering column are last under both rules.
    places[[text.strip() == _MISSING for text in texts]] = len(distinct)
    found: NDArray[np.int64] = places[codes]
    return found


def _order_key(text: str) -> tuple[int, Decimal, str]:
    """Return a key that sorts numbers before other strings, such as ISO dates."""
    stripped = text.strip()
    if _NUMBER.fullmatch(stripped):
        return 0, Decimal(stripped), ""
    return 1, Decimal(0), stripped


def _unions(
    dense: NDArray[np.intp], own: NDArray[np.int32], texts: tuple[str, ...], persons: int
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Merge the sets in a person's rows. Missing sets are skipped."""
    pairs = np.unique(np.stack((dense, own)), axis=1)
    who, which = pairs
    starts = np.searchsorted(who, np.arange(persons + 1))
    numbers: dict[str, int] = {}
    found = np.empty(persons, dtype=np.int32)
    for one in range(persons):
        held = [texts[at] for at in which[starts[one] : starts[one + 1]].tolist()]
        known = [text for text in held if text != _MISSING]
        if not known:
            text = _MISSING
        elif len(known) == 1:
            text = known[0]
        else:
            text = text_of({item for text in known for item in items_of(text)})
        found[one] = numbers.setdefault(text, len(numbers))
    return tuple(numbers), found
