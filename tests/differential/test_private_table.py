"""Records are placed one by one, independent of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import TypeAlias

import numpy as np
import pytest
from effort import thorough, unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.differential.domains import CategoricalDomain, Domain, NumericDomain, SetDomain
from roadstead.differential.private_table import ItemSets, PrivateTable, within
from roadstead.errors import RoleError, SettingError
from roadstead.hierarchies.taxonomy import from_branches
from roadstead.tables.frequency import FrequencyTable, canonical
from roadstead.tables.item_sets import text_of

Texts: TypeAlias = tuple[str, str, frozenset[str], str]
Placed: TypeAlias = tuple[int, int, frozenset[int], int]

JOBS = from_branches("job", "any", {"paid": ("clerk", "cook"), "none": ("none",)}, origin="test")
CODES = from_branches("codes", "any", {"a": ("a1", "a2"), "b": ("b1",)}, origin="test")
DOMAINS: tuple[Domain, ...] = (
    NumericDomain("age", Decimal(10), Decimal(12)),
    CategoricalDomain(JOBS),
    SetDomain(CODES),
)
CLASSES = ("no", "yes")

texts: st.SearchStrategy[Texts] = st.tuples(
    st.sampled_from(("9", "10", "11.5", "12", "13", "", "?")),
    st.sampled_from(("clerk", "cook", "none", "nurse", "")),
    st.frozensets(st.sampled_from(("a1", "a2", "b1", "c1")), max_size=3),
    st.sampled_from(("yes", "no", "maybe")),
)


def frequency_table(records: Sequence[Texts]) -> FrequencyTable:
    """Count the records; the columns have another order than the domains."""
    columns = [
        [label for *_, label in records],
        [text_of(items) for *_, items, _ in records],
        [age for age, *_ in records],
        [job for _, job, *_ in records],
    ]
    values = [tuple(sorted(set(column))) for column in columns]
    codes = [
        np.array([own.index(value) for value in column], dtype=np.int64)
        for own, column in zip(values, columns, strict=True)
    ]
    ones = np.ones(len(records), dtype=np.int64)
    return canonical(("class", "codes", "age", "job"), tuple(values), codes, ones)[0]


def placed(record: Texts) -> Placed | None:
    """Place one record by the rules, or leave it out."""
    age, job, items, label = record
    if age in ("", "?") or job not in ("clerk", "cook", "none") or label == "maybe":
        return None
    step = {"9": 0, "10": 0, "11.5": 1, "12": 2, "13": 2}[age]
    leaves = frozenset(("a1", "a2", "b1").index(item) for item in items if item != "c1")
    return step, ("clerk", "cook", "none").index(job), leaves, CLASSES.index(label)


def in_table(table: PrivateTable) -> Counter[Placed]:
    """Count the records of a private table."""
    found: Counter[Placed] = Counter()
    sets = table.sets[2]
    assert sets is not None
    for row in range(table.rows):
        age, job, which = (int(codes[row]) for codes in table.codes)
        items = sets.items[sets.starts[which] : sets.starts[which + 1]].tolist()
        assert items == sorted(set(items))
        one = (age, job, frozenset(items), int(table.target[row]))
        found[one] += int(table.counts[row])
    return found


@thorough
@given(st.lists(texts, min_size=1, max_size=12))
def test_each_record_has_a_place_of_its_own_or_none(records: list[Texts]) -> None:
    """Numbers are clamped, unlisted items dropped, and what has no place is left out."""
    table = within(frequency_table(records), DOMAINS, "class", CLASSES)
    expected = [placed(record) for record in records]
    assert in_table(table) == Counter(one for one in expected if one is not None)
    assert table.records == sum(one is not None for one in expected)
    assert table.left_out == expected.count(None)
    beyond = sum(age in ("9", "13") for age, *_ in records)
    unlisted = sum("c1" in items for *_, items, _ in records)
    assert table.clamped == ((("age", beyond),) if beyond else ())
    assert table.unlisted == ((("codes", unlisted),) if unlisted else ())


@unhurried
@given(st.lists(texts, min_size=1, max_size=8), texts)
def test_one_record_more_is_one_record_more_or_none(records: list[Texts], more: Texts) -> None:
    """Privacy for this table is therefore privacy for the original table."""
    before, after = (
        in_table(within(frequency_table(these), DOMAINS, "class", CLASSES))
        for these in (records, [*records, more])
    )
    assert not before - after
    assert sum((after - before).values()) <= 1


@thorough
@given(
    st.lists(st.frozensets(st.integers(0, 9), max_size=5), max_size=6),
    st.lists(st.integers(0, 10), min_size=2, max_size=6, unique=True).map(sorted),
)
def test_masks_tell_the_nodes_that_a_set_has_items_under(
    drawn: list[frozenset[int]], bounds: list[int]
) -> None:
    """Items outside all nodes set no bit."""
    starts = np.cumsum([0, *map(len, drawn)]).astype(np.int64)
    items = np.array([item for one in drawn for item in sorted(one)], dtype=np.int32)
    found = ItemSets(starts, items).masks(np.array(bounds, dtype=np.int32))
    assert found.tolist() == [
        sum(
            1 << node
            for node in range(len(bounds) - 1)
            if any(bounds[node] <= item < bounds[node + 1] for item in one)
        )
        for one in drawn
    ]


def test_the_last_of_62_nodes_has_a_bit() -> None:
    """Bits beyond the 32nd are not lost."""
    sets = ItemSets(np.array([0, 1, 3], dtype=np.int64), np.array([61, 0, 40], dtype=np.int32))
    assert sets.masks(np.arange(63, dtype=np.int32)).tolist() == [1 << 61, 1 | 1 << 40]


def test_without_attributes_or_classes_there_is_no_private_table() -> None:
    table = frequency_table([("10", "cook", frozenset(), "yes")])
    with pytest.raises(SettingError, match="no attribute"):
        within(table, (), "class", CLASSES)
    with pytest.raises(SettingError, match="no class"):
        within(table, DOMAINS, "class", ())
    with pytest.raises(SettingError, match="twice"):
        within(table, DOMAINS, "class", ("yes", "yes"))


def test_a_column_that_is_not_there_is_named() -> None:
    table = frequency_table([("10", "cook", frozenset(), "yes")])
    with pytest.raises(RoleError, match="ages"):
        within(table, (NumericDomain("ages", Decimal(0), Decimal(9)),), "class", CLASSES)
    with pytest.raises(RoleError, match="klass"):
        within(table, DOMAINS, "klass", CLASSES)
