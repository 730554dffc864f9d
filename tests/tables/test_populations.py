"""A population of a table: counts of people for every combination that occurs in either."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from small_tables import write_csv

from roadstead.errors import RoleError, SourceError
from roadstead.tables.frequency import FrequencyTable, canonical
from roadstead.tables.histograms import histogram
from roadstead.tables.populations import read_population, with_population
from roadstead.tables.reading import read

if TYPE_CHECKING:
    from pathlib import Path

Rows = Counter[tuple[str, ...]]


def table_of(rows: Rows, attributes: tuple[str, ...] = ("a", "b")) -> FrequencyTable:
    """Make a frequency table of records by their values."""
    columns = list(zip(*rows, strict=True))
    domains = tuple(tuple(sorted(set(column))) for column in columns)
    codes = [
        np.array([domain.index(value) for value in column], dtype=np.int32)
        for column, domain in zip(columns, domains, strict=True)
    ]
    return canonical(attributes, domains, codes, np.array(list(rows.values()), dtype=np.int64))[0]


def decoded(table: FrequencyTable) -> list[tuple[str, ...]]:
    """Read the combinations of a table, in its order."""
    pairs = zip(table.domains, table.codes, strict=True)
    return list(zip(*[[domain[code] for code in codes] for domain, codes in pairs], strict=True))


def people_of(table: FrequencyTable) -> dict[tuple[str, ...], int]:
    """Read the population of a table."""
    assert table.population is not None
    return dict(zip(decoded(table), table.population.tolist(), strict=True))


def rows_of(values: str) -> st.SearchStrategy[Rows]:
    """Some combinations of values, with counts."""
    cell = st.sampled_from(values)
    counts = st.dictionaries(st.tuples(cell, cell), st.integers(1, 9), min_size=1, max_size=8)
    return counts.map(Counter)


@unhurried
@given(rows_of("adxz"), rows_of("abdy"))
def test_every_combination_of_either_has_its_counts(sample: Rows, population: Rows) -> None:
    """In canonical order; whom the population lacks is added to it, and counted."""
    found = with_population(table_of(sample), table_of(population))
    expected = sorted({*sample, *population})
    assert decoded(found.table) == expected
    assert found.table.counts.tolist() == [sample[row] for row in expected]
    assert people_of(found.table) == {row: max(population[row], sample[row]) for row in expected}
    assert found.missing == (sample - population).total()
    assert found.table.records == sample.total()
    for own, other, both in zip(
        table_of(sample).domains, table_of(population).domains, found.table.domains, strict=True
    ):
        assert both == tuple(sorted({*own, *other}))


@unhurried
@given(rows_of("adxz"), rows_of("abdy"))
def test_people_are_added_up_like_records_when_attributes_go(
    sample: Rows, population: Rows
) -> None:
    """A projection of the table has the population of the projection."""
    found = with_population(table_of(sample), table_of(population)).table
    assert found.project(("b", "a")).records == sample.total()
    expected: Counter[tuple[str, ...]] = Counter()
    for row, people in people_of(found).items():
        expected[row[1:]] += people
    assert people_of(found.project(("b",))) == dict(expected)
    assert table_of(sample).project(("b",)).population is None


@unhurried
@given(rows_of("adxz"), rows_of("abdy"))
def test_columns_beside_stay_with_their_rows(sample: Rows, population: Rows) -> None:
    """Rows of people who are not in the table have no entries."""
    plain = table_of(sample)
    rows = np.arange(plain.distinct, dtype=np.int64)
    codes = (rows % 2).astype(np.int32)
    plain = FrequencyTable(
        plain.attributes,
        plain.domains,
        plain.codes,
        plain.counts,
        (histogram("s", ("u", "v"), (rows, codes, plain.counts), plain.distinct),),
    )
    found = with_population(plain, table_of(population)).table
    (alongside,) = found.alongside
    assert alongside.rows == found.distinct
    kept = [decoded(found)[row] for row in alongside.row_of_entry.tolist()]
    assert kept == decoded(plain)
    assert alongside.codes.tolist() == codes.tolist()
    assert alongside.counts.tolist() == plain.counts.tolist()
    assert alongside.whole.tolist() == plain.alongside[0].whole.tolist()


def test_a_population_may_have_further_attributes_in_any_order() -> None:
    """They are added up."""
    sample = table_of(Counter({("a", "b"): 1}))
    people: Rows = Counter({("b", "x", "a"): 3, ("b", "y", "a"): 4, ("c", "x", "a"): 1})
    found = with_population(sample, table_of(people, ("b", "c", "a")))
    assert people_of(found.table) == {("a", "b"): 7, ("a", "c"): 1}
    with pytest.raises(RoleError, match="'a'"):
        with_population(sample, table_of(people, ("b", "c", "d")))


def test_a_population_is_replaced_by_another() -> None:
    """Known people outside the table keep a row, with zero people."""
    sample = table_of(Counter({("a", "b"): 1}))
    first = with_population(sample, table_of(Counter({("a", "b"): 5, ("c", "c"): 5}))).table
    second = with_population(first, table_of(Counter({("a", "b"): 9}))).table
    assert people_of(second) == {("a", "b"): 9, ("c", "c"): 0}


def test_people_are_read_one_a_row_or_with_a_count(tmp_path: Path) -> None:
    """The same population, however it is written."""
    rows = [("34", "F"), ("34", "F"), ("34", "F"), ("71", ""), ("71", "M")]
    single = write_csv(tmp_path / "people.csv", ("age", "sex"), rows)
    header = ("people", "sex", "age")
    lines = [("2", "F", "34"), ("1", "F", "34"), ("1", "", "71"), ("1.0", "M", "71")]
    counted = write_csv(tmp_path / "counts.csv", header, [*lines, ("0", "M", "5")])
    with read(single) as one, read(counted) as other:
        expected = read_population(one, ("age", "sex"))
        found = read_population(other, ("age", "sex"), "people")
    assert decoded(found) == decoded(expected) == [("34", "F"), ("71", ""), ("71", "M")]
    assert found.counts.tolist() == expected.counts.tolist() == [3, 1, 1]
    assert found.attributes == ("age", "sex")


@pytest.mark.parametrize(
    ("count", "message"),
    [
        ("-1", "count '-1' is not a whole number"),
        ("1.5", "count '1.5'"),
        ("many", "count 'many'"),
        ("", "a missing count"),
        ("0", "all counts are 0"),
    ],
)
def test_counts_that_are_none_are_refused(tmp_path: Path, count: str, message: str) -> None:
    """With the file and the column."""
    rows = [("a", count), ("b", "0")]
    path = write_csv(tmp_path / "counts.csv", ("group", "people"), rows)
    with (
        read(path) as source,
        pytest.raises(SourceError, match=rf"counts\.csv, column 'people': {message}"),
    ):
        read_population(source, ("group",), "people")


def test_a_column_of_counts_must_be_there_and_be_no_attribute(tmp_path: Path) -> None:
    """Names are checked as everywhere."""
    path = write_csv(tmp_path / "counts.csv", ("group", "people"), [("a", "1"), ("b", "2")])
    with read(path) as source:
        with pytest.raises(RoleError):
            read_population(source, ("group",), "number")
        with pytest.raises(RoleError, match="named twice"):
            read_population(source, ("group",), "group")


def test_a_column_that_the_population_lacks_is_named_with_the_population(tmp_path: Path) -> None:
    """Fault class: the message spoke of the table, which has the column."""
    path = write_csv(tmp_path / "people.csv", ("birth_year", "sex"), [("1950", "f")])
    says = r"people\.csv: the population has no column 'birth_date'.*did you mean 'birth_year'\?"
    with read(path) as source, pytest.raises(RoleError, match=says):
        read_population(source, ("sex", "birth_date"))
