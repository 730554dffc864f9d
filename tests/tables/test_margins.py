"""Populations from margins: whole people, every margin kept, nothing assumed beyond them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from effort import sparing, thorough
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.tables.fitting import Margin, _Walk, proportional_fit, whole_people
from roadstead.tables.frequency import FrequencyTable, canonical
from roadstead.tables.populations import estimate_population, matched, running_order

People = Counter[tuple[str, ...]]

MATCHABLE = ("a b", "a b c", "ab bc", "ab bc cd", "ab bc b", "abc bcd", "ab ab c", "bd ab bc", "ca")
CIRCLES = ("ab bc ac", "ab bc cd ad", "abc bcd ad", "ab bc ac d")


def table_of(people: People, attributes: str) -> FrequencyTable:
    """Make a table of people; one attribute a letter."""
    columns = list(zip(*people, strict=True))
    domains = tuple(tuple(sorted(set(column))) for column in columns)
    places = [{value: code for code, value in enumerate(domain)} for domain in domains]
    codes = [
        np.array([place[value] for value in column], dtype=np.int32)
        for column, place in zip(columns, places, strict=True)
    ]
    counts = np.array(list(people.values()), dtype=np.int64)
    return canonical(tuple(attributes), domains, codes, counts)[0]


def added(table: FrequencyTable, attributes: Sequence[str]) -> People:
    """Add up people by some attributes, one combination after the other."""
    found: People = Counter()
    for row in range(table.distinct):
        values = tuple(
            table.domains[at][table.codes[at][row]]
            for at in map(table.attributes.index, attributes)
        )
        found[values] += int(table.counts[row])
    return found


@st.composite
def populations(draw: st.DrawFn) -> FrequencyTable:
    """Some people with attributes a to d."""
    rows = st.tuples(*(st.sampled_from("xyz"[:size]) for size in (3, 2, 3, 2)))
    return table_of(
        Counter(draw(st.dictionaries(rows, st.integers(1, 7), min_size=1, max_size=14))), "abcd"
    )


def margins_of(table: FrequencyTable, scopes: str) -> list[FrequencyTable]:
    """Project a table onto sets of attributes."""
    return [table.project(tuple(scope)) for scope in scopes.split()]


def plain_fit(
    start: dict[tuple[int, ...], float], margins: Sequence[Margin], cycles: int
) -> dict[tuple[int, ...], float]:
    """Fit box by box, in the words of Deming and Stephan."""
    fit = dict(start)
    for _ in range(cycles):
        for axes, counts in margins:
            now: Counter[tuple[int, ...]] = Counter()
            for box, people in fit.items():
                now[tuple(box[axis] for axis in axes)] += people  # type: ignore[assignment] # a count
            for box in fit:
                part = tuple(box[axis] for axis in axes)
                fit[box] *= float(counts[part]) / now[part] if now[part] else 0.0
    return fit


def dense(table: FrequencyTable, scope: str) -> Margin:
    """Write a margin as an array over all values of its attributes."""
    margin = table.project(tuple(scope))
    axes = tuple(table.attributes.index(name) for name in scope)
    counts = np.zeros([len(table.domains[axis]) for axis in axes], dtype=np.int64)
    counts[margin.codes] = margin.counts
    return axes, counts


@thorough
@given(populations(), st.sampled_from(MATCHABLE), st.integers(0, 2**32))
def test_margins_that_can_be_matched_are_kept_to_the_last_person(
    truth: FrequencyTable, scopes: str, seed: int
) -> None:
    """Disjoint, nested, repeated or in a chain; in whole people, in the order of the attributes."""
    margins = margins_of(truth, scopes)
    found = estimate_population(margins, seed)
    assert found.exact
    assert found.deviations == (0,) * len(margins)
    assert found.table.attributes == tuple(dict.fromkeys(scopes.replace(" ", "")))
    assert found.table.counts.dtype == np.int64
    assert (found.table.counts > 0).all()
    for margin in margins:
        assert added(found.table, margin.attributes) == added(margin, margin.attributes)


@sparing
@given(populations(), st.sampled_from(CIRCLES), st.integers(0, 2**32))
def test_how_far_margins_in_a_circle_are_off_is_told(
    truth: FrequencyTable, scopes: str, seed: int
) -> None:
    """There are no people where a margin has none."""
    margins = margins_of(truth, scopes)
    found = estimate_population(margins, seed)
    assert (found.table.counts > 0).all()
    for margin, deviation in zip(margins, found.deviations, strict=True):
        ours, theirs = added(found.table, margin.attributes), added(margin, margin.attributes)
        assert sum(abs(ours[key] - theirs[key]) for key in ours | theirs) == deviation
        assert ours.keys() <= theirs.keys()


@pytest.mark.parametrize("seed", range(12))
def test_three_overlapping_margins_are_repaired(seed: int) -> None:
    """By far most of such tables can be kept exactly, as can all of these."""
    chance = np.random.default_rng(seed)
    rows = Counter(
        tuple("xyzuv"[i] for i in row) for row in chance.integers(0, (5, 4, 5), (400, 3)).tolist()
    )
    truth = table_of(rows, "abc")
    found = estimate_population(margins_of(truth, "ab bc ac"), seed)
    assert found.exact
    assert found.iterations > 1
    assert added(found.table, "ab") == added(truth, "ab")
    assert added(found.table, "ac") == added(truth, "ac")
    assert added(found.table, "bc") == added(truth, "bc")


def test_a_step_of_a_repair_changes_a_cell_of_an_incorrect_count() -> None:
    """A person is added if the count is too low, and removed if it is too high."""
    counts = np.full(6, 2, dtype=np.int64)
    margins = [((0,), np.array([7, 5])), ((1,), np.array([4, 2, 6]))]
    walk = _Walk(np.full((2, 3), 2.0), np.arange(6), counts, margins)
    assert walk.missing.tolist() == [1, -1, 0, -2, 2]
    for number, place in enumerate((0, 1, 3, 4)):
        cells = [cell for cell in range(6) if place in (cell // 3, 2 + cell % 3)]
        people = 1 if walk.missing[place] > 0 else -1
        steps = {walk._step((number + 0.5) / 4, at / 50) for at in range(50)}
        assert steps <= {(cell, people) for cell in cells}


@pytest.mark.nightly
def test_margins_that_agree_in_pairs_and_not_together_are_refused_or_told() -> None:
    """If a is b and b is c, then a cannot be other than c; if mostly, then not mostly."""
    alike: People = Counter({("x", "x"): 3, ("y", "y"): 3})
    other: People = Counter({("x", "y"): 3, ("y", "x"): 3})
    with pytest.raises(SettingError, match=r"^one, two and three: no population has all"):
        estimate_population(
            [table_of(alike, "ab"), table_of(alike, "bc"), table_of(other, "ac")],
            1,
            ("one", "two", "three"),
        )
    alike.update({("x", "y"): 1, ("y", "x"): 1})
    other.update({("x", "x"): 1, ("y", "y"): 1})
    margins = [table_of(alike, "ab"), table_of(alike, "bc"), table_of(other, "ac")]
    found = estimate_population(margins, 1)
    assert not found.exact
    for margin, deviation in zip(margins, found.deviations, strict=True):
        ours, theirs = added(found.table, margin.attributes), added(margin, margin.attributes)
        assert sum(abs(ours[key] - theirs[key]) for key in ours | theirs) == deviation


@pytest.mark.parametrize("scopes", ["a b cd", "ab bc ac"])
def test_a_seed_always_gives_the_same_people(scopes: str) -> None:
    """And another seed others."""
    rows: People = Counter(
        {row: 1 + len(set(row)) for row in product("xyzuv", "xyzuv", "xyzuv", "yz")}
    )
    margins = margins_of(table_of(rows, "abcd"), scopes)
    first, again, *others = (estimate_population(margins, seed).table for seed in (1, 1, 2, 3, 4))
    assert [c.tolist() for c in first.codes] == [c.tolist() for c in again.codes]
    assert first.counts.tolist() == again.counts.tolist()
    for other in others:
        assert added(first, first.attributes) != added(other, other.attributes)


def test_two_lines_of_people_are_matched_like_cards() -> None:
    """Of two men and two women, two young: 0, 1 or 2 young men in 1, 4 and 1 of 6 cases."""
    sexes, ages = (table_of(Counter({("x",): 2, ("y",): 2}), name) for name in "ab")
    found = Counter(
        added(matched(sexes, ages, np.random.default_rng(seed)), "ab")["x", "x"]
        for seed in range(3000)
    )
    # Five standard deviations of 3,000 draws of probability 1/6 and 4/6.
    assert abs(found[0] - 500) < 103
    assert abs(found[2] - 500) < 103
    assert abs(found[1] - 2000) < 130
    assert found.total() == found[0] + found[1] + found[2]


def some_of_all() -> FrequencyTable:
    """People of three attributes, every combination among them."""
    counts = {"xxx": 9, "xyy": 5, "yxy": 6, "yyx": 4, "xxy": 3, "yyy": 8, "xyx": 2, "yxx": 7}
    return table_of(Counter({tuple(row): count for row, count in counts.items()}), "abc")


@pytest.mark.parametrize("scopes", ["a bc", "ab bc"])
def test_on_average_matched_people_are_those_of_the_fit(scopes: str) -> None:
    """Plain iterative fitting from a uniform start is the witness."""
    truth = some_of_all()
    targets = [dense(truth, scope) for scope in scopes.split()]
    fit = plain_fit(dict.fromkeys(product(range(2), repeat=3), 1.0), targets, 50)
    margins = margins_of(truth, scopes)
    total: People = Counter()
    for seed in range(400):
        total += added(estimate_population(margins, seed).table, "abc")
    for box, expected in fit.items():
        mean = total[tuple("xy"[code] for code in box)] / 400
        # A count's standard deviation is below 1.6, that of the mean below 0.08.
        assert mean == pytest.approx(expected, abs=0.35), box


def test_on_average_repaired_people_are_those_of_the_fit() -> None:
    """Rounding is fair, and repair stays near to it; there are no other random choices."""
    targets = [dense(some_of_all(), scope) for scope in ("ab", "bc", "ac")]
    fit = plain_fit(dict.fromkeys(product(range(2), repeat=3), 1.0), targets, 100)
    expected = np.array(list(fit.values())).reshape(2, 2, 2)
    total = np.zeros((2, 2, 2))
    for seed in range(200):
        counts, deviations = whole_people(expected, targets, np.random.default_rng(seed))
        assert deviations == (0, 0, 0)
        total += counts
    assert np.abs(total / 200 - expected).max() < 0.5


@sparing
@given(populations(), st.sampled_from(MATCHABLE + CIRCLES), st.integers(0, 2**32))
def test_fitting_is_that_of_deming_and_stephan(
    truth: FrequencyTable, scopes: str, seed: int
) -> None:
    """From any start, one with empty boxes as well, cycle for cycle."""
    chance = np.random.default_rng(seed)
    shape = tuple(len(domain) for domain in truth.domains)
    start = chance.random(shape) * (chance.random(shape) < 0.9)
    margins = [dense(truth, "".join(sorted(scope))) for scope in scopes.split()]
    fit, cycles = proportional_fit(start, margins)
    expected = plain_fit({box: float(start[box]) for box in np.ndindex(*shape)}, margins, cycles)
    for box, people in expected.items():
        assert fit[box] == pytest.approx(people, rel=1e-6, abs=1e-9)


def test_whole_people_of_a_whole_table_are_the_same() -> None:
    """Nothing is rounded, nothing repaired."""
    expected = np.array([[3.0, 0.0], [1.0, 2.0]])
    margins: list[Margin] = [((0,), np.array([3, 3])), ((1,), np.array([4, 2]))]
    counts, deviations = whole_people(expected, margins, np.random.default_rng(5))
    assert counts.tolist() == [[3, 0], [1, 2]]
    assert deviations == (0, 0)


def runs(scopes: Sequence[frozenset[str]], order: Sequence[int]) -> bool:
    """Whether each shares with those before it only what one of them has all of."""
    for at in range(1, len(order)):
        before = [scopes[i] for i in order[:at]]
        shared = scopes[order[at]] & frozenset().union(*before)
        if not any(shared <= one for one in before):
            return False
    return True


@thorough
@given(
    st.sets(st.frozensets(st.sampled_from("abcde"), min_size=1, max_size=3), min_size=1, max_size=5)
)
def test_an_order_to_match_in_is_found_if_there_is_one(drawn: set[frozenset[str]]) -> None:
    """All orders are tried."""
    scopes = sorted((s for s in drawn if not any(s < other for other in drawn)), key=sorted)
    found = running_order(scopes)
    if found is None:
        assert not any(runs(scopes, order) for order in permutations(range(len(scopes))))
    else:
        assert sorted(found) == list(range(len(scopes)))
        assert runs(scopes, found)


def test_margins_of_different_totals_are_refused() -> None:
    """With both names, and how many people each has."""
    one, other = table_of(Counter({("x",): 5}), "a"), table_of(Counter({("x",): 7}), "b")
    with pytest.raises(
        SettingError, match=r"^ages\.csv and zips\.csv: the margins have 5 and 7 people; g"
    ):
        estimate_population([one, other], 1, ("ages.csv", "zips.csv"))
    with pytest.raises(
        SettingError, match=r"^margin 1 \(a\) and margin 2 \(b\): the margins have 5 and 7"
    ):
        estimate_population([one, other], 1)


def test_margins_of_which_a_common_margin_differs_are_refused() -> None:
    """With the value of the largest difference; a missing value counts as zero people."""
    one = table_of(Counter({("x", "x"): 5, ("y", "x"): 4, ("z", "x"): 1}), "ab")
    other = table_of(Counter({("x", "y"): 6, ("y", "y"): 4}), "ac")
    with pytest.raises(
        SettingError, match="for a = 'x', the margins have 5 and 6 people; give margins of the"
    ):
        estimate_population([one, other], 1)
    third = table_of(Counter({("x", "y"): 5, ("y", "y"): 2, ("u", "y"): 3}), "ac")
    with pytest.raises(SettingError, match="for a = 'u', the margins have 0 and 3 people"):
        estimate_population([one, third], 1)


def test_what_cannot_be_estimated_is_refused() -> None:
    """No margin, no people, a missing name, too many people, combinations, or boxes."""
    one = table_of(Counter({("x",): 1}), "a")
    with pytest.raises(SettingError, match="number of margins is 0"):
        estimate_population([], 1)
    with pytest.raises(SettingError, match="number of margins is 1, and the number of names is 2"):
        estimate_population([one], 1, ("a", "b"))
    with pytest.raises(SettingError, match=r"margin 1 \(a\): the counts of the margin are all 0"):
        estimate_population([table_of(Counter({("x",): 0}), "a")], 1)
    with pytest.raises(SettingError, match="1,000,000,000 people are too many"):
        estimate_population([table_of(Counter({("x",): 10**9}), "a")], 1)
    long = [table_of(Counter({(f"{i:05}",): 1 for i in range(60_000)}), name) for name in "abcd"]
    with pytest.raises(SettingError, match=r"a, b, c, d have 1\.3e\+19 combinations"):
        estimate_population(long, 1)
    wide = [
        table_of(Counter({(f"{i:03}", f"{i:03}"): 1 for i in range(300)}), pair)
        for pair in ("ab", "bc", "ac")
    ]
    with pytest.raises(SettingError, match="require 27,000,000 boxes"):
        estimate_population(wide, 1)


def test_values_that_nobody_has_are_left_out_of_the_people() -> None:
    """A row of 0 people has no effect."""
    one = table_of(Counter({("x",): 4, ("y",): 0}), "a")
    other = table_of(Counter({("x", "x"): 3, ("x", "y"): 1}), "ab")
    found = estimate_population([one, other], 3).table
    assert added(found, "ab") == Counter({("x", "x"): 3, ("x", "y"): 1})
    assert sum(Fraction(int(c)) for c in found.counts) == 4
