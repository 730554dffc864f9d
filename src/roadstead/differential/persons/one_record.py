"""One record of each person, gathered from the person's own rows alone.

A column of single values becomes one value a person by a rule that is chosen beforehand, for every
column, whatever the rows are. If it were chosen where persons are found to have several values,
that a release came about would tell whether anybody has. Sets become the union of the sets in the
person's rows. Nothing looks at the rows of others: a person more or less in the table is one record
more or less here, and everybody else's stays as it was.

The rules: ``same``, the value of all rows, and a person with two is left out; ``most``, the most
frequent one; ``first`` and ``last``, that of the row with the smallest or largest value of another
column, a visit number or a date. Missing cells are passed over. Of values that are as good the one
that comes first in code-point order is taken.
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
    """Which value of a column stands for a person: a rule, and the column that orders the rows."""

    rule: str
    order: str | None = None  # of `FIRST` and `LAST` alone

    def __str__(self) -> str:
        """Write it as a user does."""
        return self.rule if self.order is None else f"{self.rule}:{self.order}"


def one_record_each(
    table: FrequencyTable, person: str, rules: Mapping[str, OneValue], sets: Sequence[str]
) -> tuple[FrequencyTable, PersonTally]:
    """Gather the rows of each person into one record of all columns with a rule and all sets.

    `table` counts the rows by person, these columns, and those that order the rows; sets are texts
    as `with_item_sets` makes them. Rows of nobody are left out, and so are persons with several
    values of a column that is to be the same.
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
            texts = (*texts, _MISSING)  # for persons with nothing but missing cells
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
    """Give each person's value, and say who has several."""
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
    """Give each person the value of the row with the least rank; of such ones the first value."""
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
    """Rank the rows: those that a rule prefers have the smaller ranks."""
    if rule.order is None:
        # How often the person has the value, over all rows that have it.
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
    # Rows without an order come last either way.
    places[[text.strip() == _MISSING for text in texts]] = len(distinct)
    found: NDArray[np.int64] = places[codes]
    return found


def _order_key(text: str) -> tuple[int, Decimal, str]:
    """Order numbers before other texts, such as ISO dates; each text is judged by itself."""
    stripped = text.strip()
    if _NUMBER.fullmatch(stripped):
        return 0, Decimal(stripped), ""
    return 1, Decimal(0), stripped


def _unions(
    dense: NDArray[np.intp], own: NDArray[np.int32], texts: tuple[str, ...], persons: int
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Put the sets of a person's rows together; missing ones add nothing."""
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
