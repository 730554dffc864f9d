"""One record per person: the rules, compared with plain Python, person by person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from effort import thorough
from hypothesis import given
from hypothesis import strategies as st

from roadstead.differential.persons.one_record import OneValue, one_record_each
from roadstead.differential.persons.person_rows import counted
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.item_sets import text_of

Row = tuple[str, str, str, str]
"""A person, a value, a date, and the text of a set."""
Record = tuple[str, frozenset[str]]

ITEMS = ("a", "b|c", "\\", "d")
SETS = ("", "{}", *(text_of(items) for items in (ITEMS[:1], ITEMS[:2], ITEMS[1:], ITEMS)))
ITEMS_OF = dict(
    zip(SETS, (frozenset(x) for x in ((), (), ITEMS[:1], ITEMS[:2], ITEMS[1:], ITEMS)), strict=True)
)
rows_of_some = st.lists(
    st.tuples(
        st.sampled_from(("", "p", "q", "r")),
        st.sampled_from(("", "x", "y", "z")),
        st.sampled_from(("", "9", "10", "+9.0", "2024-01-02", "2023-12-31")),
        st.sampled_from(SETS),
    ),
    max_size=25,
)
rules = st.sampled_from(
    [OneValue("same"), OneValue("most"), OneValue("first", "when"), OneValue("last", "when")]
)


def table_of(rows: Iterable[Row]) -> FrequencyTable:
    """Count rows as an engine would."""
    found = Counter(rows)
    domains = tuple(tuple(sorted({entry[at] for entry in found})) for at in range(4))
    codes = [
        np.array([domains[at].index(entry[at]) for entry in found], dtype=np.int32)
        for at in range(4)
    ]
    counts = np.array(list(found.values()), dtype=np.int64)
    return counted(("who", "value", "when", "dx"), domains, codes, counts)


def taken(rows: Iterable[Row], rule: OneValue) -> Counter[Record]:
    """Give the records made from the people's rows."""
    table, _ = one_record_each(table_of(rows), "who", {"value": rule}, ("dx",))
    assert table.attributes == ("value", "dx")
    found: Counter[Record] = Counter()
    for value, items, count in zip(*table.codes, table.counts.tolist(), strict=True):
        text = table.domains[1][items]
        found[table.domains[0][value], frozenset(_items(text))] += count
    return found


def _items(text: str) -> list[str]:
    """Take the text of a set apart, letter by letter."""
    found, escaped = [""], False
    for letter in text[1:-1]:
        if escaped or letter not in "\\|":
            found[-1] += letter
            escaped = False
        elif letter == "\\":
            escaped = True
        else:
            found.append("")
    return [one for one in found if one]


def when(text: str) -> tuple[int, float, str]:
    """Order numbers, then dates."""
    number = text.replace(".", "").replace("+", "").isdigit()
    return (0, float(text), "") if number else (1, 0.0, text)


def by_definition(own: list[Row], rule: OneValue) -> Record | None:
    """Make the record of one person; None for a person who is left out."""
    items = frozenset(item for row in own for item in ITEMS_OF[row[3]])
    known = [(row[1], row[2]) for row in own if row[1]]
    values = [value for value, _ in known]
    if not known:
        return "", items
    if rule.rule == "same":
        return (values[0], items) if len(set(values)) == 1 else None
    if rule.rule == "most":
        return min(values, key=lambda one: (-values.count(one), one)), items
    dated = [one for one in known if one[1]]
    if not dated:
        return min(values), items
    find = min if rule.rule == "first" else max
    best = when(find(dated, key=lambda one: when(one[1]))[1])
    return min(value for value, date in dated if when(date) == best), items


@thorough
@given(rows_of_some, rules)
def test_each_person_becomes_the_record_that_the_rule_says(rows: list[Row], rule: OneValue) -> None:
    """By the person's own rows alone, so a person more or less is one record more or less."""
    persons = {row[0] for row in rows} - {""}
    expected = Counter(
        record
        for who in persons
        if (record := by_definition([row for row in rows if row[0] == who], rule)) is not None
    )
    assert taken(rows, rule) == expected


@thorough
@given(rows_of_some)
def test_persons_with_several_values_are_counted_for_the_custodian(rows: list[Row]) -> None:
    """The count is by column, and includes rows without a person."""
    _, said = one_record_each(table_of(rows), "who", {"value": OneValue("same")}, ())
    several = sum(
        len({row[1] for row in rows if row[0] == who} - {""}) > 1
        for who in {row[0] for row in rows} - {""}
    )
    assert said.varied == ((("value", several),) if several else ())
    assert said.nobodys == sum(not row[0] for row in rows)


@pytest.mark.parametrize("rule", ["first", "last"])
def test_numbers_are_ordered_as_numbers(rule: str) -> None:
    """Visit 10 comes after visit 9."""
    rows = [("p", "early", "9", "{}"), ("p", "late", "10", "{}"), ("p", "never", "", "{}")]
    ((value, _),) = taken(rows, OneValue(rule, "when"))
    assert value == {"first": "early", "last": "late"}[rule]
