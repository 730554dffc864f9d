"""Classes hold the values that their parts say, and a record is in the first that holds its own."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import HierarchyError
from roadstead.hierarchies.dates import dates
from roadstead.hierarchies.hierarchy import from_columns
from roadstead.hierarchies.numbers import intervals
from roadstead.policies.axes import axis
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.policies.recodings.document import NOWHERE, IntervalParts, NodeParts, Recoding
from roadstead.policies.recodings.from_search import recoding_of, require_one_meaning
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.search.recoding.protocol import OUT, recoding_problem, settled, within_limit
from roadstead.tables.frequency import canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead.hierarchies.calendar_units import CalendarUnit
    from roadstead.hierarchies.hierarchy import Hierarchy
    from roadstead.policies.recodings.document import RecodingKind
    from roadstead.search.recoding.protocol import RecodingProblem
    from roadstead.tables.frequency import FrequencyTable

AGES = ("", "18", "19", "25", "31", "44", "90")
TOWNS = ("a", "b", "c", "d", "e")


def table_of(rows: Sequence[tuple[str, ...]]) -> FrequencyTable:
    """Count rows."""
    domains = tuple(tuple(sorted(set(column))) for column in zip(*rows, strict=True))
    codes = [
        np.array([domain.index(value) for value in column], dtype=np.int32)
        for domain, column in zip(domains, zip(*rows, strict=True), strict=True)
    ]
    names = ("age", "town")[: len(domains)]
    return canonical(names, domains, codes, np.ones(len(rows), dtype=np.int64))[0]


def towns() -> Hierarchy:
    """Five towns in two counties, listed against the alphabet."""
    columns = [["e", "a", "b", "d", "c"], ["x", "x", "x", "y", "y"], ["*"] * 5]
    return from_columns("town", columns, origin="towns.csv")


def ages(values: Sequence[str]) -> Hierarchy:
    """Bands of ages from 0 to 99."""
    known = [value for value in values if value] or ["18"]
    return intervals("age", known, [10, 50], lowest=0, highest=99)


def problem_of(rows: Sequence[tuple[str, ...]], k: int, *, by_intervals: bool) -> RecodingProblem:
    """Make the problem of some ages and towns."""
    table = table_of(rows)
    encoding = encode(table, [ages(table.domains[0]), towns()])
    return recoding_problem(
        encoding,
        full_domain(encoding.hierarchies),
        KAnonymity(k),
        k=k,
        limit=0,
        intervals=by_intervals,
    )


ROWS = st.lists(st.tuples(st.sampled_from(AGES), st.sampled_from(TOWNS)), min_size=2, max_size=30)


@given(ROWS, st.data())
def test_what_a_policy_says_of_classes_is_what_the_search_had(
    rows: list[tuple[str, ...]], data: st.DataObject
) -> None:
    """Numbers become words and back: each row is in the same class, for nodes and intervals."""
    by_intervals = data.draw(st.booleans())
    problem = problem_of(rows, 2, by_intervals=by_intervals)
    parts = []
    for _ in range(data.draw(st.integers(1, 8))):
        one = []
        for at, encoding in enumerate(problem.encoding.lookups):
            if by_intervals:
                ends = st.integers(0, problem.axes[at].size - 1)
                one.append(sorted((data.draw(ends), data.draw(ends))))
            else:
                level = data.draw(st.integers(0, len(encoding) - 1))
                one.append([level, data.draw(st.sampled_from(encoding[level].tolist()))])
        parts.append(one)
    found = settled(problem, np.array(parts, dtype=np.int32))
    if not found.parts.size:
        return
    kind: Any = "intervals" if by_intervals else "local"
    recoding = recoding_of(kind, problem.encoding, found.parts, problem.axes)
    assert recoding.wrong is None
    assert np.array_equal(recoding.place(problem.encoding.table), found.rows)
    sizes = np.bincount(found.rows[found.rows != OUT], problem.encoding.counts[found.rows != OUT])
    assert (sizes >= 2).all()


@given(ROWS)
def test_everything_is_released_where_nothing_may_be_suppressed(
    rows: list[tuple[str, ...]],
) -> None:
    """Records of which too many are in no class join a class that shows nothing."""
    for by_intervals in (False, True):
        problem = problem_of(rows, 2, by_intervals=by_intervals)
        first = problem.encoding.codes[:, :1]
        values = [own[0][first[at, 0]] for at, own in enumerate(problem.encoding.lookups)]
        if by_intervals:
            values = [own.places[first[at, 0]] for at, own in enumerate(problem.axes)]
            one = np.array([[[place, place] for place in values]], dtype=np.int32)
        else:
            one = np.array([[[0, code] for code in values]], dtype=np.int32)
        found = within_limit(problem, settled(problem, one))
        assert found is not None
        assert found.suppressed(problem) == 0


def test_an_interval_loses_the_part_of_the_range_that_it_covers() -> None:
    """Among the ages 0 to 99, from 18 to 44 is 26 of 99; a missing value precedes all others."""
    domain = ("18", "19", "44")
    found = axis(ages(domain).covering(domain), domain)
    assert (found.positions[2] - found.positions[0]) * 99 == pytest.approx(26)
    with_missing = ("", "18", "19")
    found = axis(ages(with_missing).covering(with_missing), with_missing)
    assert found.places.tolist() == [0, 1, 2]
    assert found.positions[0] == 0.0
    assert found.positions[2] - found.positions[1] == pytest.approx(1 / 100)


def test_listed_values_keep_the_order_of_their_list() -> None:
    """Towns have the order of the file, including towns that the table lacks."""
    found = axis(towns(), ("a", "c", "e"))
    assert found.places.tolist() == [1, 2, 0]
    assert found.positions.tolist() == [0.0, 1 / 4, 1.0]


def test_days_are_apart_as_in_the_calendar() -> None:
    """From the first to the last day is the whole domain."""
    domain = ("2020-01-01", "2020-01-31", "2020-12-31")
    found = axis(dates("seen", domain, units=("day", "month")), domain)
    assert found.positions.tolist() == pytest.approx([0.0, 30 / 365, 1.0])


def recoding_by_intervals(hierarchy: Hierarchy, values: Sequence[str], *ends: int) -> Recoding:
    """Write down one interval for each pair of places."""
    domain = tuple(sorted(set(values)))
    codes = np.arange(len(domain), dtype=np.int32)
    table, _ = canonical(("x",), (domain,), [codes], np.ones(len(domain), dtype=np.int64))
    parts = np.array(ends, dtype=np.int32).reshape(-1, 1, 2)
    own = axis(hierarchy, domain)
    return recoding_of("intervals", encode(table, [hierarchy]), parts, (own,))


def test_dates_of_one_day_are_never_apart() -> None:
    """Two times of a day, or two ways to write it, are one place, and its name is the day."""
    times = ("", "2020-01-01", "2020-01-01 10:00:00", "2020-01-02 11:00:00", "2020-01-03")
    hierarchy = dates("seen", times[1:], units=("day", "decade")).covering(times)
    assert axis(hierarchy, times).places.tolist() == [0, 1, 1, 2, 3]
    found = recoding_by_intervals(hierarchy, times, 1, 1, 2, 2, 1, 2, 0, 0)
    labels = ("", "2020-01-01", "2020-01-01 to 2020-01-02", "2020-01-02")
    assert found.attributes[0].labels == labels
    assert "10:00" not in repr(found)  # the policy does not reveal what the release hides
    shows = found.attributes[0].shows(("2020-01-01 23:59:00", "2020-01-02", "2020-01-03"))
    assert shows.tolist() == [[False, True, True, False], [False, False, True, True], [False] * 4]


FORMS = (None, "%Y-%m-%d", "%d.%m.%Y", "%Y-%m", "%Y")
"""How dates are written; the last two say a month or a year."""


@given(data=st.data())
def test_an_interval_of_dates_is_no_more_exact_than_its_hierarchy(data: st.DataObject) -> None:
    """Its ends are whole units, which the hierarchy begins with, in the release and the policy.

    Every date of the units from end to end is inside, seen before or not.
    """
    form = data.draw(st.sampled_from(FORMS))
    fine = {"%Y": 2, "%Y-%m": 1}.get(form or "", 0)
    units: tuple[CalendarUnit, ...] = ("day", "month", "year", "decade")
    unit = data.draw(st.sampled_from(units[fine:]))
    days = data.draw(
        st.lists(st.dates(date(1000, 1, 1), date(9999, 12, 31)), min_size=1, max_size=8)
    )
    values = sorted({day.strftime(form) if form else day.isoformat() for day in days})
    missing = data.draw(st.booleans())
    hierarchy = dates("seen", values, units=(unit,), form=form)
    if missing:
        values = ["", *values]
        hierarchy = hierarchy.covering(values)
    called = {value: hierarchy.rule(0).label(value) for value in values}
    places = sorted(set(called.values()), key=str)
    own = axis(hierarchy, values)
    assert [places[at] for at in own.places] == [called[value] for value in values]
    ends = sorted(data.draw(st.tuples(*[st.integers(0, len(places) - 1)] * 2)))
    found = recoding_by_intervals(hierarchy, values, *ends).attributes[0]
    low, high = (str(places[at]) for at in ends)
    other = data.draw(st.dates(date(1000, 1, 1), date(9999, 12, 31)))
    asked = [*values, other.strftime(form) if form else other.isoformat()]
    inside = [low <= str(hierarchy.rule(0).label(value)) <= high for value in asked]
    if ends[1] - ends[0] == len(places) - 1 > 0:
        inside, words = [True] * len(asked), "*"
    else:
        words = low if low == high else f"{low} to {high}"
        if low == "" != high:
            first = str(places[1])
            inside = [
                v == "" or (i and str(hierarchy.rule(0).label(v)) >= first)
                for v, i in zip(asked, inside, strict=True)
            ]
            words = "missing or " + (first if first == high else f"{first} to {high}")
    assert found.labels == (words,)
    assert found.shows(asked)[:, 0].tolist() == inside
    if unit != "day" and form is None:
        told = {end for part in found.parts for end in part if end}
        assert all(str(end)[5:] in {"01-01", "12-31"} or unit == "month" for end in told)


def test_a_domain_of_years_counts_years() -> None:
    """The dates of a year are equal; the loss of an interval is a share of the years."""
    domain = ("", "2001-03-04", "2001-12-31", "2003-01-01", "2011-06-01")
    found = axis(dates("seen", domain[1:], units=("year", "decade")).covering(domain), domain)
    assert found.places.tolist() == [0, 1, 1, 2, 3]
    assert found.positions.tolist() == pytest.approx([0.0, 1 / 11, 3 / 11, 1.0])


def test_no_two_intervals_have_one_name() -> None:
    """Also where a value is called as an interval is, or as one with a number."""
    values = ("a", "a .. b", "a .. b (2)", "b", "c")
    hierarchy = from_columns("x", [list(values), ["*"] * 5], origin="x.csv")
    found = recoding_by_intervals(hierarchy, values, 0, 3, 1, 1, 2, 2)
    assert len(set(found.attributes[0].labels)) == 3
    assert found.wrong is None


@pytest.mark.parametrize(
    ("parts", "values", "held"),
    [
        (("numbers", ("18", "25")), ("18", "18.0", "20", "25", "26", "x", ""), "1111000"),
        (("numbers", ("4", "25"), "missing"), ("", "3", "4", "25", "26"), "10110"),
        (("dates", ("2020-01-02", "2020-02-01"), "missing"), ("", "2020-01-01"), "10"),
        (("numbers", ("", "")), ("", "3"), "10"),
        (("numbers", (None, None)), ("", "3", "999", "x"), "1110"),
        (("texts", ("B", "C")), ("A", "B", "Bz", "C", "Ca", ""), "011100"),
        (("dates", ("2020-01-02", "2020-02-01")), ("2020-01-01", "2020-01-31", "soon"), "010"),
        (("listed", ("e", "b")), ("e", "a", "b", "d", "z"), "11100"),
    ],
)
def test_intervals_hold_what_lies_between_their_ends(
    parts: tuple[Any, ...], values: tuple[str, ...], held: str
) -> None:
    """Whatever a value is, it is in an interval or not; what cannot be compared is in none."""
    order, ends, *missing = parts
    listed = towns().values if order == "listed" else ()
    own = IntervalParts(
        order=order, parts=(ends,), labels=("part",), listed=listed, missing=(0,) * len(missing)
    )
    assert own.wrong is None
    assert "".join("01"[held] for held in own.shows(values)[:, 0].tolist()) == held


@pytest.mark.parametrize(
    "own",
    [
        IntervalParts(order="numbers", parts=(("25", "18"),), labels=("a",)),
        IntervalParts(order="numbers", parts=(("x", "18"),), labels=("a",)),
        IntervalParts(order="numbers", parts=(("1", ""),), labels=("a",)),
        IntervalParts(order="numbers", parts=(("", "1"),), labels=("a",)),
        IntervalParts(order="numbers", parts=((None, ""),), labels=("a",)),
        IntervalParts(order="numbers", parts=(("1", "2"),), labels=("a",), missing=(1,)),
        IntervalParts(order="numbers", parts=(("1", "2"),), labels=()),
        NodeParts(levels=(0, 0), rules=(), parts=()),
        NodeParts(levels=(1,), rules=(towns().rule(1),), parts=((1, "x"),)),
        NodeParts(levels=(1,), rules=(towns().rule(1),), parts=((0, "z"),)),
    ],
)
def test_parts_that_contradict_themselves_are_refused(own: NodeParts | IntervalParts) -> None:
    """A stranger may have written them."""
    assert own.wrong is not None


def test_classes_that_contradict_themselves_are_refused() -> None:
    """No class occurs twice, none shows what is not there, and no two parts have one name."""
    own = IntervalParts(order="numbers", parts=(("1", "2"), ("3", "4")), labels=("1-2", "3-4"))
    assert Recoding("intervals", (own,), ((0,), (1,))).wrong is None
    assert Recoding("intervals", (own,), ((0,), (0,))).wrong is not None
    assert Recoding("intervals", (own,), ((2,),)).wrong is not None
    assert Recoding("intervals", (own,), ((0, 0),)).wrong is not None
    alike = IntervalParts(order="numbers", parts=own.parts, labels=("1-2", "1-2"))
    assert Recoding("intervals", (alike,), ((0,),)).wrong is not None


def test_the_first_class_that_shows_a_record_is_its_class() -> None:
    """A record in none is nowhere."""
    own = IntervalParts(order="numbers", parts=(("1", "2"), ("1", "9")), labels=("1-2", "1-9"))
    recoding = Recoding("intervals", (own,), ((0,), (1,)))
    placed = dict(
        zip(
            ("1", "11", "5"),
            recoding.place(table_of([("1",), ("5",), ("11",)])).tolist(),
            strict=True,
        )
    )
    assert placed == {"1": 0, "5": 1, "11": NOWHERE}


def test_a_label_that_means_two_things_is_refused() -> None:
    """A release with the same word for different sets could be read in two ways."""
    columns = [["a", "b", "c"], ["x", "x", "c"], ["c", "c", "c"]]
    encoding = encode(
        table_of([("a",), ("b",), ("c",)]),
        [from_columns("age", columns, origin="words.csv")],
    )
    both = np.array([[[0, 2]], [[2, 0]]], dtype=np.int32)
    with pytest.raises(HierarchyError, match="represents different values at level 0"):
        recoding_of("local", encoding, both)


@given(data=st.data())
def test_labels_of_two_meanings_are_found_before_there_is_a_release(data: st.DataObject) -> None:
    """By the definition: the sets of values of a label, at each level in use."""
    size = data.draw(st.integers(2, 5))
    columns = [[f"v{at}" for at in range(size)]]
    groups = list(range(size))
    for _ in range(data.draw(st.integers(1, 3))):
        merged = data.draw(st.lists(st.integers(0, 2), min_size=5, max_size=5))
        groups = [merged[group] for group in groups]
        words = data.draw(st.permutations(["v0", "v1", "v2", "x", "y"]))
        columns.append([words[group] for group in groups])
    hierarchy = from_columns("x", [*columns, ["*"] * size], origin="x.csv")
    low, high = sorted(data.draw(st.tuples(*[st.integers(0, hierarchy.height - 1)] * 2)))
    kinds: tuple[RecodingKind, ...] = ("local", "cells")
    kind = data.draw(st.sampled_from(kinds))

    def sets(level: int) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for at in range(size):
            found.setdefault(hierarchy.levels[level].label(at), set()).add(at)
        return found

    def disagree(first: int, second: int) -> bool:
        one, other = sets(first), sets(second)
        return any(one[label] != other[label] for label in one.keys() & other)

    seconds = range(low, high + 1) if kind == "local" else [high]
    wrong = any(disagree(first, second) for second in seconds for first in range(low, second))
    try:
        require_one_meaning(kind, [hierarchy], (low,), (high,))
    except HierarchyError:
        assert wrong
    else:
        assert not wrong


def test_levels_that_differ_between_groups_are_listed() -> None:
    """Fault class: "from kept to the day to removed" read as if all days of birth left."""
    hierarchy = dates("born", ["1935-02-01", "1950-03-04"], ["day", "month"], bottom=1940)
    rules = tuple(hierarchy.rule(level) for level in (0, 1, 2))
    month = "by month (dates before 1940 in one band)"
    for label, first in (
        ("1950-03-04", "by day (dates before 1940 in one band)"),
        ("before 1940", "only before 1940"),
    ):
        labels = ((0, label), (1, "1950-03"), (2, "*"))
        parts = NodeParts(levels=(0, 1, 2), rules=rules, parts=labels)
        said = Recoding("local", (parts,), ((0,), (1,), (2,))).describe(0, "")
        assert said == f"a level for each group of records. Levels: {first}; {month}; removed"
