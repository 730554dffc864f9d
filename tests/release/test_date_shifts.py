"""Shift and truncate: an attacker's knowledge of a person's shift from the shifted extract."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest
from effort import sparing
from goodness_of_fit import fits
from hypothesis import assume, given
from hypothesis import strategies as st

from roadstead.errors import SourceError
from roadstead.release.persons.shifts import DateShifts
from roadstead.tables.persons.dates import with_intervals, with_shifts
from roadstead.tables.reading import read

START = date(2020, 1, 1)
KEY, OTHER = b"k" * 32, b"o" * 32
Record = tuple[str, int]
"""Whose it is, and the days since START."""


def table_of(records: Sequence[Record]) -> pa.Table:
    """Make a table of one column of dates, and one with a unique value per record."""
    return pa.table(
        {
            "who": [who for who, _ in records],
            "seen": [str(START + timedelta(day)) for _, day in records],
            "at": list(range(len(records))),
        }
    )


def shifted(records: Sequence[Record], shifts: DateShifts) -> dict[int, int]:
    """Shift and truncate: for each record that is left, its day since START."""
    made = with_shifts(read(table_of(records)), "who", ["seen"], shifts.of, shifts.most)
    rows = made.source.table.to_pyarrow().to_pylist()
    assert made.records == len(records) - len(rows)
    assert made.persons == len({who for who, _ in records}) - len({row["who"] for row in rows})
    return {row["at"]: (row["seen"] - START).days for row in rows}


def possible_shifts(days: Sequence[int], most: int, first: int, last: int, *, cut: int) -> range:
    """Shifts that explain a person's dates, if no date of the extract lies outside of its ends.

    The attacker knows when the extract begins and ends, and how much of its ends was left out
    before anything was shifted. A released day d was d - s before, and that is within the ends.
    """
    low = max(-most, max(days) - (last - cut))
    return range(low, min(most, min(days) - (first + cut)) + 1)


RECORDS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.integers(0, 400)), min_size=8, max_size=40
)


@sparing
@given(records=RECORDS, days=st.integers(1, 60), weeks=st.booleans())
def test_what_is_left_says_nothing_of_the_shift(
    *, records: list[Record], days: int, weeks: bool
) -> None:
    """For each person left, every shift up to the longest explains the whole release."""
    shifts = DateShifts(KEY, max(days, 7), weeks=weeks)
    first, last = min(day for _, day in records), max(day for _, day in records)
    assume(last - first > 4 * shifts.most)
    try:
        left = shifted(records, shifts)
    except SourceError:
        return
    found = defaultdict(list)
    for at, day in left.items():
        found[records[at][0]].append(day)
    for own in found.values():
        assert len(possible_shifts(own, shifts.most, first, last, cut=0)) == 2 * shifts.most + 1


def daily(persons: int, days: int) -> list[Record]:
    """Make a daily record of a number of people, such as from a monitor."""
    return [(f"p{person}", day) for person in range(persons) for day in range(days)]


def attacked(
    records: Sequence[Record], shifts: Mapping[str, int], most: int, *, cut: int
) -> list[int]:
    """Shift without truncating, and give the number of possible shifts for each."""
    first, last = min(day for _, day in records), max(day for _, day in records)
    own = defaultdict(list)
    for who, day in records:
        if first + cut <= day <= last - cut:
            own[who].append(day + shifts[who])
    return [len(possible_shifts(days, most, first, last, cut=cut)) for days in own.values()]


def test_a_shifted_extract_without_truncation_is_convicted_by_its_ends() -> None:
    """The ends reveal the exact shift of a person with a record on every day."""
    people = [f"p{person}" for person in range(20)]
    moved = dict(zip(people, DateShifts(KEY, 30).of(people).tolist(), strict=True))
    assert attacked(daily(20, 400), moved, 30, cut=0) == [1] * 20


def test_to_cut_the_ends_before_shifting_only_makes_new_ends() -> None:
    """The attacker who knows what was cut sees the shift as before."""
    people = [f"p{person}" for person in range(20)]
    moved = dict(zip(people, DateShifts(KEY, 30).of(people).tolist(), strict=True))
    assert attacked(daily(20, 400), moved, 30, cut=30) == [1] * 20


def test_to_cut_the_ends_after_shifting_leaves_all_persons_alike() -> None:
    """The same people, shifted and truncated: each has the same days, whatever the shift."""
    records = daily(20, 400)
    left = shifted(records, DateShifts(KEY, 30))
    own = defaultdict(set)
    for at, day in left.items():
        own[records[at][0]].add(day)
    assert len(own) == 20
    assert all(days == set(range(30, 370)) for days in own.values())


def test_next_months_extract_next_to_this_one_tells_no_more() -> None:
    """With the key, each person gains the same days, so new records reveal nothing either."""
    shifts = DateShifts(KEY, 30)
    gained = defaultdict(set)
    seen = set()
    for days in (200, 230):
        records = daily(10, days)
        for at, day in shifted(records, shifts).items():
            if (records[at][0], day) not in seen:
                gained[days, records[at][0]].add(day)
                seen.add((records[at][0], day))
    for who in (f"p{person}" for person in range(10)):
        assert gained[200, who] == set(range(30, 170))
        assert gained[230, who] == set(range(170, 200))


@sparing
@given(RECORDS, st.integers(1, 60))
def test_intervals_survive_any_common_shift(records: list[Record], days: int) -> None:
    """A shift does not protect against an attacker who knows the days between a person's dates."""
    shifts = DateShifts(KEY, days)
    try:
        left = shifted(records, shifts)
    except SourceError:
        return
    for one in left:
        for other in left:
            if records[one][0] == records[other][0]:
                assert left[one] - left[other] == records[one][1] - records[other][1]


@sparing
@given(RECORDS)
def test_equal_intervals_after_are_those_before(records: list[Record]) -> None:
    """Days since the first date that is left are what they were without any shift."""
    shifts = DateShifts(OTHER, 20)
    try:
        made = with_shifts(read(table_of(records)), "who", ["seen"], shifts.of, shifts.most)
    except SourceError:
        return
    rows = with_intervals(made.source, "who", {"seen": None}).table.to_pyarrow().to_pylist()
    for row in rows:
        mine = [records[r["at"]][1] for r in rows if r["who"] == row["who"]]
        assert row["seen"] == records[row["at"]][1] - min(mine)


def test_shifts_agree_with_the_key_and_not_without() -> None:
    """Next month's extract has other people, in another order, and the same shifts."""
    people = [f"p{number}" for number in range(300)]
    now, later = DateShifts(KEY, 182).of(people), DateShifts(KEY, 182).of(people[::-1])
    assert (now == later[::-1]).all()
    assert (now != DateShifts(OTHER, 182).of(people)).mean() > 0.9
    assert "kkkk" not in repr(DateShifts(KEY, 182))


def test_every_shift_is_equally_likely_and_none_is_longer() -> None:
    """Zero is one of them, and both ends are; also where there are more than a byte can number."""
    for days in (10, 182):
        each = 2 * days + 1
        drawn = DateShifts(KEY, days).of([f"p{number}" for number in range(100 * each)])
        counts = Counter(drawn.tolist())
        assert set(counts) == set(range(-days, days + 1))
        assert fits([*counts.values()], [1 / each] * each)


def test_a_shift_says_nothing_of_one_within_other_bounds() -> None:
    """They use one key. With one draw, either would reveal the other: 63 is three times 21."""
    names = [f"p{number}" for number in range(21_000)]
    near, far = DateShifts(KEY, 10).of(names), DateShifts(KEY, 31).of(names)
    told = (far - near) % 21
    assert fits(np.bincount(told, minlength=21), [1 / 21] * 21)


def test_whole_weeks_keep_the_day_of_the_week() -> None:
    """And are shifted by at most the days that were said; no more is left out than is needed."""
    shifts = DateShifts(KEY, 30, weeks=True)
    drawn = shifts.of([f"p{number}" for number in range(2_000)])
    assert set(drawn.tolist()) == {7 * number for number in range(-4, 5)}
    assert shifts.most == 28


@pytest.mark.parametrize(
    "kind", [pa.date32(), pa.timestamp("us"), pa.string()], ids=["date", "timestamp", "text"]
)
def test_dates_of_any_type_become_days(kind: pa.DataType) -> None:
    """The time of day is dropped, a missing date stays missing, and its record stays."""
    days = [START + timedelta(number) for number in range(0, 400, 10)]
    values = pa.array([*days, None], pa.date32()).cast(pa.timestamp("us")).cast(kind)
    table = pa.table({"who": ["a"] * 41, "seen": values, "at": list(range(41))})
    shifts = DateShifts(KEY, 20)
    made = with_shifts(read(table), "who", ["seen"], shifts.of, shifts.most)
    (by,) = shifts.of(["a"]).tolist()
    rows = made.source.table.to_pyarrow().to_pylist()
    inside = [d for d in days if 20 <= (d - START).days + by <= 370]
    assert sorted((row["at"], row["seen"]) for row in rows if row["seen"]) == [
        ((d - START).days // 10, d + timedelta(by)) for d in inside
    ]
    assert [row["at"] for row in rows if row["seen"] is None] == [40]


@pytest.mark.parametrize("kind", ["timestamp", "text with T", "text"])
def test_times_of_day_stay_if_they_are_asked_for(kind: str) -> None:
    """Fault class: the hours between two events of a person were lost with the time of day."""
    begin = datetime.fromisoformat("2020-01-01T07:45:30")
    times = [begin + timedelta(hours=37 * at) for at in range(200)]
    form = {"text with T": "%Y-%m-%dT%H:%M:%SZ", "text": "%Y-%m-%d %H:%M"}.get(kind)
    values = times if form is None else [one.strftime(form) for one in times]
    table = pa.table({"who": ["a"] * 201, "seen": [*values, None], "at": list(range(201))})
    shifts = DateShifts(KEY, 20)
    made = with_shifts(read(table), "who", ["seen"], shifts.of, shifts.most, ["seen"])
    (by,) = shifts.of(["a"]).tolist()
    rows = {row["at"]: row["seen"] for row in made.source.table.to_pyarrow().to_pylist()}
    assert rows.pop(200) is None
    assert len(rows) > 100
    for at, seen in rows.items():
        moved = times[at] + timedelta(by)
        assert seen == (moved if form is None else moved.strftime(form))


def test_an_extract_shorter_than_two_shifts_is_refused() -> None:
    """Nothing of it would be left."""
    shifts = DateShifts(KEY, 182)
    with pytest.raises(SourceError, match="twice the longest shift"):
        with_shifts(read(table_of(daily(3, 90))), "who", ["seen"], shifts.of, shifts.most)


def test_a_mistyped_year_is_no_end_of_the_extract() -> None:
    """Everyone is there to the last day; as the end, one later date would let it through."""
    records = [*daily(60, 200), ("0", 40_000), ("1", -40_000)]
    shifts = DateShifts(KEY, 20)
    days = shifted(records, shifts)
    last: dict[str, int] = {}
    first: dict[str, int] = {}
    for at, day in days.items():
        who = records[at][0]
        last[who], first[who] = max(day, last.get(who, day)), min(day, first.get(who, day))
    assert len(last) == 60
    assert set(first.values()) == {20}
    assert set(last.values()) == {179}


def test_a_column_that_days_are_only_counted_from_is_cut_off_too() -> None:
    """For people born in one month, a shifted visit and an age in days reveal the shift."""
    rows = [
        {"who": f"p{at}", "born": START + timedelta(at % 30), "seen": START + timedelta(9000 + at)}
        for at in range(300)
    ]
    shifts = DateShifts(KEY, 20)
    with pytest.raises(SourceError, match="twice the longest shift"):
        with_shifts(
            read(pa.Table.from_pylist(rows)), "who", ["seen", "born"], shifts.of, shifts.most
        )


@pytest.mark.quick(2)
@pytest.mark.parametrize("code", ["2999-12-31", "1900-01-01", "2061-05-05", "1981-05-05"])
def test_a_placeholder_that_many_people_share_is_not_an_end(code: str) -> None:
    """The ends are those of the other dates, and the placeholder's records are left out."""
    records = daily(20, 400)
    own = table_of(records)
    coded = pa.table(
        {
            "who": [f"p{person}" for person in range(12)],
            "seen": [code] * 12,
            "at": range(len(records), len(records) + 12),
        }
    )
    shifts = DateShifts(KEY, 30)
    made = with_shifts(read(pa.concat_tables([own, coded])), "who", ["seen"], shifts.of, 30)
    days = [(row["seen"] - START).days for row in made.source.table.to_pyarrow().to_pylist()]
    assert (min(days), max(days)) == (30, 369)
    assert made.spans == {"seen": 399}
    assert made.far == {"seen": [date.fromisoformat(code)]}


def test_dates_that_were_moved_far_into_the_future_are_not_placeholders() -> None:
    """A table whose dates are all after 2100 keeps its own ends."""
    records = [(f"p{person}", day + 60_000) for person in range(20) for day in range(400)]
    left = shifted(records, DateShifts(KEY, 30))
    assert (min(left.values()), max(left.values())) == (60_030, 60_369)


def test_people_whose_first_date_is_cut_off_are_counted() -> None:
    """Fault class: the output promised days since the first date, but they began later."""
    records = [*daily(20, 400), *((f"q{at}", 50 + 10 * at) for at in range(30))]
    shifts = DateShifts(KEY, 30)
    source = read(table_of(records))
    made = with_shifts(source, "who", ["seen"], shifts.of, shifts.most, (), ["seen"])
    first: dict[str, date] = {}
    for row in made.source.table.to_pyarrow().to_pylist():
        first[row["who"]] = min(row["seen"], first.get(row["who"], row["seen"]))
    moved = dict(zip(first, shifts.of([*first]).tolist(), strict=True))
    began = {who: min(day for own, day in records if own == who) for who in first}
    later = [who for who in first if (first[who] - START).days - moved[who] > began[who]]
    assert made.later == len(later) >= 19
    assert not [who for who in later if who.startswith("q")]
