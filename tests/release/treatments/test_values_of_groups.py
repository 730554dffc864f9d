"""Values of groups: means, medians, modes, and intervals, by hand and by their properties."""

from __future__ import annotations

from decimal import Decimal
from statistics import mean, median

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError, SourceError
from roadstead.policies.treatments.document import Ends, Microaggregation, Rounding
from roadstead.release.treatments.columns import TreatedColumn, numbers_of, texts_of
from roadstead.release.treatments.cut_points import ends_of, roundest_between
from roadstead.release.treatments.groups import NO_GROUP, TreatedRows, grouped
from roadstead.release.treatments.statistics import shown_of_groups


def rows_of(
    column: TreatedColumn, owners: list[int] | None = None, units: list[int] | None = None
) -> TreatedRows:
    """Give one record for each text of a column."""
    number = column.of_text.size
    return TreatedRows(
        np.array(units or [0] * number, dtype=np.int64),
        (column.of_text,),
        np.ones(number, dtype=np.int64),
        None if owners is None else np.array(owners, dtype=np.int64),
    )


def one_group(texts: list[str], function: str, owners: list[int] | None = None) -> str | None:
    """Say what a group of records with these values shows."""
    try:
        column = numbers_of("x", texts)
    except SourceError:
        column = texts_of("x", texts)
    group = np.zeros(len(texts), dtype=np.int64)
    shown = shown_of_groups(rows_of(column, owners), 0, column, group, function, None)  # type: ignore[arg-type] # one of four
    return shown.get(0)


@pytest.mark.parametrize(
    ("texts", "function", "shown"),
    [
        (["1", "2", "6"], "mean", "3"),
        (["1", "2", "5"], "mean", "3"),  # 2.67: as whole as the column is
        (["1.0", "2.5", "5"], "mean", "2.8"),  # 2.83, of one decimal
        (["1", "2", "9"], "median", "2"),
        (["1", "2.0", "3.5", "9"], "median", "2.8"),  # 2.75, the even digit
        (["4", "4", "9", "9", "1"], "mode", "4"),  # the lower of two
        (["4", "5", "6"], "mode", None),  # no value is shared
        (["flu", "flu", "cold"], "mode", "flu"),
        (["5", "5.0", "7"], "mode", "5"),  # one number, written in two ways
    ],
)
def test_a_group_shows(texts: list[str], function: str, shown: str | None) -> None:
    """Each statistic by hand."""
    assert one_group(texts, function) == shown


@pytest.mark.parametrize(("function", "shown"), [("mean", "30"), ("median", "20"), ("mode", "20")])
def test_each_person_counts_alike(function: str, shown: str) -> None:
    """A person's five records of 60 weigh as much as another's one; 60 has no other holder."""
    texts, owners = ["60"] * 5 + ["10", "20", "20", "40"], [0] * 5 + [1, 2, 3, 4]
    assert one_group(texts, function, owners) == shown


@examples(60)
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=25))
def test_means_and_medians_are_those_of_the_standard_library(values: list[int]) -> None:
    """Rounded to whole numbers, as the column has."""
    texts = [str(one) for one in values]
    for function, plain in (("mean", mean), ("median", median)):
        expected = plain(values)
        shown = one_group(texts, function)
        assert shown is not None
        assert abs(Decimal(shown) - Decimal(float(expected))) <= Decimal("0.5")
        assert Decimal(shown) == Decimal(shown).to_integral_value()


@examples(60)
@given(st.decimals(-1000, 1000, places=3), st.decimals("0.001", 500, places=3))
def test_a_cut_is_between_and_none_is_rounder(low: Decimal, way: Decimal) -> None:
    """Above the lower, at most the higher; no number with fewer digits after zeros is between."""
    high = low + way
    cut = roundest_between(low, high)
    assert low < cut <= high
    step = Decimal(1)
    while cut % step:
        step /= 10
    rounder = step * 10
    while rounder <= 10_000:
        assert not low < high // rounder * rounder <= high or cut % rounder == 0
        rounder *= 10


@examples(50)
@given(
    st.lists(st.integers(0, 60), min_size=8, max_size=60),
    st.integers(3, 5),
)
def test_every_interval_has_k_records_and_shows_nobodys_extreme(values: list[int], k: int) -> None:
    """Cut over the whole column; the first and the last interval have one end alone."""
    column = numbers_of("x", [str(one) for one in values])
    ends = ends_of(rows_of(column), 0, column, k)
    places = ends.places([Decimal(one) for one in sorted(values)])
    assert all(places.count(one) >= k for one in range(len(ends.cuts) + 1))
    if ends.cuts:
        labels = ends.labels([(0, 0), (len(ends.cuts), len(ends.cuts))])
        assert labels[0].startswith("<")
        assert labels[1].endswith("+")
        assert set(labels) <= ends.all_labels(single=True) <= ends.all_labels(single=False)


@st.composite
def cells(draw: st.DrawFn) -> tuple[list[tuple[str, str]], list[int], list[int] | None]:
    """Draw records of two columns with gaps, in classes, possibly of people."""
    number = draw(st.integers(1, 40))
    cell = st.one_of(st.just(""), st.integers(0, 8).map(str))
    records = draw(st.lists(st.tuples(cell, cell), min_size=number, max_size=number))
    units = draw(st.lists(st.integers(0, 3), min_size=number, max_size=number))
    owners = draw(
        st.one_of(st.none(), st.lists(st.integers(0, 12), min_size=number, max_size=number))
    )
    return records, units, owners


@examples(80)
@given(cells(), st.integers(3, 4), st.booleans())
def test_a_group_is_of_one_class_one_pattern_and_k_owners(
    made: tuple[list[tuple[str, str]], list[int], list[int] | None],
    k: int,
    whole: bool,  # noqa: FBT001 - drawn
) -> None:
    """With any missing values; too few owners are not a group, and enough owners always are."""
    records, units, owners = made
    columns = [numbers_of(str(at), [one[at] for one in records]) for at in range(2)]
    rows = TreatedRows(
        np.array(units, dtype=np.int64),
        tuple(one.of_text for one in columns),
        np.ones(len(records), dtype=np.int64),
        None if owners is None else np.array(owners, dtype=np.int64),
    )
    found = grouped(rows, columns, k, whole=whole).tolist()
    slices: dict[tuple[int, bool, bool], list[int]] = {}
    for at, (record, unit) in enumerate(zip(records, units, strict=True)):
        slices.setdefault((unit, not record[0], not record[1]), []).append(at)
    seen: set[int] = set()
    for (_, first, second), members in slices.items():
        whose = [at if owners is None else owners[at] for at in members]
        numbers = {found[at] for at in members}
        if (first and second) or len(set(whose)) < k:
            assert numbers == {NO_GROUP}
            continue
        assert NO_GROUP not in numbers
        assert not numbers & seen
        seen |= numbers
        assert not whole or len(numbers) == 1
        for number in numbers:
            inside = [at for at in members if found[at] == number]
            assert len({at if owners is None else owners[at] for at in inside}) >= k
        for one in members:  # equal records are in one group
            for other in members:
                if records[one] == records[other]:
                    assert found[one] == found[other]


@pytest.mark.parametrize(
    ("base", "low", "high", "number", "becomes"),
    [
        ("5", None, None, "12", "10"),
        ("5", None, None, "12.5", "10"),  # the even multiple of two
        ("5", None, None, "17.5", "20"),
        ("0.1", None, None, "3.25", "3.2"),
        ("10", "20", "90", "3", "20"),
        ("10", "20", "90", "1234", "90"),
        ("2.5", None, None, "-3.7", "-2.5"),
    ],
)
def test_rounding_by_hand(
    base: str, low: str | None, high: str | None, number: str, becomes: str
) -> None:
    """To the nearest multiple, and within bounds."""
    assert Rounding("x", base, low, high).rounded(Decimal(number)) == Decimal(becomes)


@pytest.mark.parametrize(
    "made",
    [
        lambda: Rounding("x", "0"),
        lambda: Rounding("x", "-5"),
        lambda: Rounding("x", "many"),
        lambda: Rounding("x", "5", "3"),
        lambda: Rounding("x", "5", "20", "10"),
        lambda: Microaggregation(("x",), 5, groups="whole"),
        lambda: Microaggregation(("x", "x"), 5),
        lambda: Ends("x", ("3", "2"), whole=True),
    ],
)
def test_what_contradicts_itself_is_refused(made: object) -> None:
    """Each says what is wrong."""
    with pytest.raises(SettingError):
        made()  # type: ignore[operator] # a function


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several columns take the square of their combinations; one column does not."""
    monkeypatch.setattr("roadstead.release.treatments.groups.MOST_POINTS", 10)
    columns = [numbers_of(name, [str(one) for one in range(12)]) for name in "xy"]
    codes = tuple(one.of_text for one in columns)
    ones = np.ones(12, dtype=np.int64)
    rows = TreatedRows(0 * ones, codes, ones, None)
    with pytest.raises(SettingError, match="12 distinct combinations"):
        grouped(rows, columns, 3, whole=False)
    assert len(set(grouped(rows_of(columns[0]), columns[:1], 3, whole=False).tolist())) == 4


def test_two_are_no_group() -> None:
    """Each of two could work out the other's value."""
    with pytest.raises(ValueError, match="greater than or equal to 3"):
        Microaggregation(("x",), 2)
