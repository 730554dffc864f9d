"""A release for general use: its cost, its contents, and what it must hide."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from effort import examples
from forced_mechanisms import Forced
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from private_releases import patients_table
from private_tables import Case, Categories, Items, Numbers, Record, neighbors, private_table
from seeded_mechanisms import SeededMechanisms

from roadstead.attacks.membership.audit import audited_epsilon
from roadstead.differential.budget import Accountant, Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import CategoricalDomain, NumericDomain, SetDomain
from roadstead.differential.margins import choosing
from roadstead.differential.margins.every_use import EveryUse, for_every_use
from roadstead.differential.margins.finest_cuts import MOST_ITEM_NODES, MOST_PLACES, finest_cut
from roadstead.differential.margins.groupings import MOST_GROUPS, groupings_of
from roadstead.differential.margins.groups import coded_groups, grouped
from roadstead.differential.margins.long_lists import with_short_lists
from roadstead.differential.margins.smoothing import shares
from roadstead.differential.margins.variables import coded
from roadstead.differential.private_table import PrivateTable
from roadstead.hierarchies.taxonomy import from_branches

TARGET = "class"
Counts = NDArray[np.int64]


def made(table: PrivateTable, epsilon: Fraction, mechanisms: Mechanisms) -> EveryUse:
    """Release the records of a table, the class too."""
    return for_every_use(table, epsilon, TARGET, mechanisms)


@given(neighbors("nci"), st.integers(0, 99))
@examples(20)
def test_a_record_moves_each_question_by_its_sensitivity_and_nothing_else(
    tables: tuple[Case, Case], seed: int
) -> None:
    """Under equal answers, neighbors get equal questions; scores and counts differ by at most one.

    The guarantee follows from this, because the prices of all questions add up.
    """
    asked, released = [], []
    for case in tables:
        mechanisms = Forced(seed)
        released.append(made(private_table(case), Fraction(1), mechanisms))
        asked.append(mechanisms.asked)
    assert [(one.grant, one.public) for one in asked[0]] == [
        (one.grant, one.public) for one in asked[1]
    ]
    for one, other in zip(*asked, strict=True):
        moved = np.abs(one.private - other.private)
        if one.public[0] == "count":
            assert moved.sum() <= 1
        else:
            assert moved.max() <= one.sensitivity
            assert one.public[3] is False
    assert np.array_equal(released[0].values, released[1].values)
    assert released[0].ledger == released[1].ledger


@given(
    neighbors("nci"),
    st.fractions(min_value=Fraction(1, 50), max_value=20, max_denominator=60),
    st.integers(1, 4),
)
@examples(15)
def test_the_ledger_adds_up_and_every_grant_is_used_once(
    tables: tuple[Case, Case], epsilon: Fraction, of_one: int
) -> None:
    """Exactly epsilon, whatever table; with several records of a person each costs a part."""
    mechanisms = SeededMechanisms(1)
    found = made(replace(private_table(tables[0]), of_one=of_one), epsilon, mechanisms)
    assert sum(one.epsilon for one in found.ledger) == epsilon
    assert tuple(mechanisms.grants) == found.ledger
    assert all(one.records == of_one for one in found.ledger)
    counted = [one.grant for one in found.margins]
    assert counted == [one for one in found.ledger if one.step.kind == "margin"]


@pytest.mark.nightly
def test_with_a_huge_budget_margins_are_exact_and_records_agree() -> None:
    """Numbers, wards and sets of diagnoses: every count, and every variable within one record."""
    table = patients_table()
    found = for_every_use(table, Fraction(2**19), "died", SeededMechanisms(4))
    records = coded(table, found.cuts, "died")
    for margin in found.margins:
        assert np.array_equal(margin.counts, records.margin(margin.at, margin.groupings))
    assert found.values.shape[1] == table.records
    ones = [one for one in found.margins if len(one.at) == 1]
    for margin in ones:
        own = np.bincount(found.values[margin.at[0]], minlength=margin.counts.size)
        # Numbers are smoothed, which without noise changes nothing.
        assert np.abs(own - margin.counts).sum() <= 0.05 * table.records
    told = found.values[[0, -1]]
    true = records.codes[[0, -1]]
    old = [np.repeat(one[0] >= 40, 1) for one in (told, true)]
    shares_of = [own[1][old[at]].mean() for at, own in enumerate((told, true))]
    weighted = np.average(true[1][old[1]], weights=table.counts[old[1]])
    assert abs(shares_of[0] - weighted) < 0.06


def test_the_same_seed_gives_the_same_release_and_another_one_does_not() -> None:
    """Chance comes from the mechanisms alone."""
    table = patients_table()
    these, those, others = (
        for_every_use(table, Fraction(1), "died", SeededMechanisms(seed)) for seed in (1, 1, 2)
    )
    assert np.array_equal(these.values, those.values)
    assert these.ledger == those.ledger
    assert these.values.shape != others.values.shape or (these.values != others.values).any()


@pytest.mark.parametrize(("epsilon", "share"), [("0.5", Fraction(2, 3)), ("4", Fraction(1, 2))])
def test_columns_get_more_of_the_budget_where_their_noise_is_much(
    epsilon: str, share: Fraction
) -> None:
    """All but the first, which is asked before it is known how many records there are.

    Two columns of 36 values with 400 records: at .5 half of epsilon leaves noise of 8 for each
    value, and 144 records in the wrong place; at 4 it is 18, and a 12th is 33.
    """
    tree = {"c": tuple(f"c{at}" for at in range(36)), **{f"c{at}": () for at in range(36)}}
    other = {"d": tuple(f"d{at}" for at in range(36)), **{f"d{at}": () for at in range(36)}}
    records: tuple[Record, ...] = tuple(((f"c{at % 36}", f"d{at % 7}"), "a") for at in range(400))
    table = private_table(Case((Categories("c", tree), Categories("d", other)), ("a",), records))
    found = for_every_use(table, Fraction(epsilon), None, SeededMechanisms(1))
    first, second = (one.grant.epsilon for one in found.margins[:2])
    assert first == Fraction(epsilon) / 4
    assert second == Fraction(epsilon) * share / 2
    assert sum(one.epsilon for one in found.ledger) == Fraction(epsilon)


def test_an_empty_table_is_released_like_any_other() -> None:
    """Noise alone."""
    case = Case((Numbers("n", 5), Categories("c", {"c": ("x", "y"), "x": (), "y": ()})), ("a",), ())
    found = made(private_table(case), Fraction(1), SeededMechanisms(1))
    assert sum(one.epsilon for one in found.ledger) == 1


def test_cells_and_variables_say_the_same() -> None:
    """Records become cells of a table, sets among them, and variables again."""
    table = patients_table()
    found = for_every_use(table, Fraction(1), "died", SeededMechanisms(2))
    groups, counts = grouped(found.values, found.variables, found.cuts, 2)
    again = coded_groups(groups, counts, found.variables)
    assert counts.sum() == found.values.shape[1]
    for at, one in enumerate(found.variables):
        own = np.bincount(found.values[at], minlength=one.size)
        assert np.array_equal(again.margin((at,), (np.arange(one.size),)), own)


@given(
    st.lists(st.integers(-20, 200), min_size=2, max_size=60),
    st.booleans(),
    st.floats(0.1, 1e4),
    st.floats(1, 1e5),
)
@examples(60)
def test_shares_add_up_and_groupings_are_nested(
    noisy: list[int],
    ordered: bool,  # noqa: FBT001 - drawn
    variance: float,
    total: float,
) -> None:
    """Whatever the noise: no share is below 0, and a coarser group is a union of finer ones."""
    found = shares(np.array(noisy, dtype=float), total, variance, ordered=ordered)
    assert found.min() >= 0
    assert np.isclose(found.sum(), 1)
    levels = groupings_of(found, ordered=ordered)
    assert levels
    for level in levels:
        assert set(level) == set(range(int(level.max()) + 1))
        assert level.max() < MOST_GROUPS
        assert not ordered or (np.diff(level) >= 0).all()
    for coarse, fine in pairwise(levels):
        assert coarse.max() < fine.max()
        assert all(np.unique(coarse[fine == one]).size == 1 for one in np.unique(fine))


def test_without_noise_shares_are_those_of_the_counts() -> None:
    """In order or not."""
    counts = np.array([5.0, 0, 20, 1, 74])
    for ordered in (True, False):
        found = shares(counts, 100.0, 1e-12, ordered=ordered)
        assert np.allclose(found, counts / 100)


def test_long_ranges_and_large_taxonomies_are_told_by_what_is_bearable() -> None:
    """The cut follows from the domain alone, and covers it once."""
    number = finest_cut(NumericDomain("n", Decimal(0), Decimal(999)))
    assert number.size == 125
    assert number.labels[:2] == ("0 to 7", "8 to 15")
    codes = {
        f"{a}": {f"{a}{b}": tuple(f"{a}{b}{c}" for c in "012345678") for b in "0123456789"}
        for a in "ABC"
    }
    tree = from_branches("codes", "*", codes, origin="test")
    category, items = finest_cut(CategoricalDomain(tree)), finest_cut(SetDomain(tree))
    assert 30 <= len(category.labels) <= MOST_PLACES
    assert 3 <= len(items.labels) <= MOST_ITEM_NODES


_PLAIN = {"c": ("x", "y"), "x": (), "y": ()}
_USUAL: Record = (("x",), "a")
_UNUSUAL: Record = (("y",), "b")
_OTHERS = 2000


def audited_tables() -> tuple[PrivateTable, PrivateTable]:
    """Give a table of identical records, and its neighbor with one unusual record more."""
    usual = (_USUAL,) * _OTHERS
    cases = [
        Case((Categories("c", _PLAIN),), ("a", "b"), own) for own in (usual, (*usual, _UNUSUAL))
    ]
    without, with_it = (private_table(case) for case in cases)
    return without, with_it


def seen(found: EveryUse) -> tuple[Hashable, ...]:
    """Give the facts that reveal most about the unusual record: which of its counts are above 0.

    The facts also include whether an identical record, or one more usual record, is released.
    """
    beyond = tuple(bool(one.counts[(1,) * one.counts.ndim] > 0) for one in found.margins)
    drawn = bool((found.values == 1).all(axis=0).any())
    return beyond, drawn, found.values.shape[1] > _OTHERS, (beyond, drawn)


def loss_seen(runs: int, mechanisms: Callable[[int], Mechanisms]) -> float:
    """Bound the epsilon of releases at epsilon 1 from below, confidently enough for a failure."""
    pieces = []
    for which, table in enumerate(audited_tables()):
        outcomes = [
            seen(made(table, Fraction(1), mechanisms(2 * at + which))) for at in range(runs)
        ]
        pieces.append(list(zip(*outcomes, strict=True)))
    return max(audited_epsilon(these, those, 0.999) for these, those in zip(*pieces, strict=True))


def of_opendp(_: int) -> Mechanisms:
    """Chance as in a release."""
    return Mechanisms()


@pytest.mark.parametrize(
    ("runs", "mechanisms"),
    [(40, SeededMechanisms), pytest.param(2500, of_opendp, marks=pytest.mark.nightly)],
)
def test_from_outside_no_more_than_epsilon_is_seen(
    runs: int, mechanisms: Callable[[int], Mechanisms], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Margins, the number of records, and the records pass the audit."""
    monkeypatch.setattr(choosing, "MOST_ROUNDS", 1)
    assert loss_seen(runs, mechanisms) <= 1


@dataclass
class LessNoise(SeededMechanisms):
    """Counts have a part of the noise that was paid for."""

    times: int = 1

    def count(self, grant: Grant, counts: Counts) -> Counts:
        """Spend the grant several times."""
        return super().count(Grant(grant.step, self.times * grant.epsilon), counts)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("runs", "times"), [(60, 20), pytest.param(2500, 2, marks=pytest.mark.nightly)]
)
def test_counts_with_less_noise_than_was_paid_for_are_convicted(
    runs: int, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The audit can fail: with a twentieth of the noise at once, with half of it after a while."""
    monkeypatch.setattr(choosing, "MOST_ROUNDS", 1)
    assert loss_seen(runs, lambda seed: LessNoise(seed, times=times)) > 1


@pytest.mark.quick(1)
@pytest.mark.parametrize(("times", "convicted"), [(1, False), (40, True)])
def test_how_the_budget_is_parted_tells_no_more_than_was_paid_for(
    times: int,
    convicted: bool,  # noqa: FBT001 - a parameter
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With 47 records the noise of two columns is much, and with 48 it is not."""
    monkeypatch.setattr(choosing, "MOST_ROUNDS", 1)
    both = tuple(Categories(name, {name: ("x", "y"), "x": (), "y": ()}) for name in "cd")
    records: tuple[Record, ...] = ((("x", "y"), "a"),) * 48
    seen = [
        [
            for_every_use(
                private_table(Case(both, ("a",), own)),
                Fraction(1),
                None,
                LessNoise(2 * run + which, times=times),
            )
            .margins[1]
            .grant.epsilon
            for run in range(80)
        ]
        for which, own in enumerate((records, records[1:]))
    ]
    assert {one for own in seen for one in own} == {Fraction(1, 4), Fraction(1, 3)}
    assert (audited_epsilon(seen[0], seen[1], 0.999) > 1) is convicted


def long_list(*values: str) -> PrivateTable:
    """Give records with values of a flat list of 200."""
    names = tuple(f"v{at}" for at in range(200))
    tree = {"v": names, **dict.fromkeys(names, ())}
    records: tuple[Record, ...] = tuple(((one,), "a") for one in values)
    return private_table(Case((Categories("v", tree),), ("a",), records))


def test_a_long_list_is_told_by_its_frequent_values_and_the_others_as_one() -> None:
    """Exactly epsilon is spent; each value of the list is in one place of the cut, as before."""
    table = long_list(*("v7",) * 900, *("v150",) * 700, *("v3", "v4", "v5") * 2)
    mechanisms = SeededMechanisms(3)
    found = for_every_use(table, Fraction(1), None, mechanisms)
    (cut,) = found.cuts
    assert cut.labels == ("v7", "v150", "other values")
    assert sum(one.epsilon for one in found.ledger) == 1
    assert tuple(mechanisms.grants) == found.ledger
    told = np.bincount(found.values[0], minlength=3)
    assert np.abs(told - [900, 700, 6]).max() < 40


@given(st.lists(st.integers(0, 199), max_size=300), st.integers(0, 99))
@examples(20)
def test_no_record_of_a_long_list_is_lost(places: list[int], seed: int) -> None:
    """For any separate values, a record keeps its value, and there is at least one other place."""
    table = long_list(*(f"v{at}" for at in places))
    short = with_short_lists(table, Accountant(Fraction(20)), SeededMechanisms(seed))
    before, after = (one.domains[0] for one in (table, short))
    assert isinstance(before, CategoricalDomain)
    assert isinstance(after, CategoricalDomain)
    labels = [one.taxonomy.leaf_labels for one in (before, after)]
    assert sorted(labels[0]) == sorted(labels[1])
    assert [labels[0][at] for at in table.codes[0]] == [labels[1][at] for at in short.codes[0]]
    assert 2 <= finest_cut(after).size <= MOST_PLACES


@pytest.mark.parametrize(("times", "convicted"), [(1, False), (20, True)])
def test_which_values_stand_alone_tells_no_more_than_was_paid_for(
    times: int,
    convicted: bool,  # noqa: FBT001 - a parameter
) -> None:
    """One more record hardly makes a value separate; with a twentieth of the noise, it shows."""
    usual = (*("v7",) * 50, *("v9",) * 5)
    told: list[list[bool]] = []
    for which, table in enumerate((long_list(*usual), long_list(*usual, "v9"))):
        runs = []
        for run in range(100):
            mechanisms = LessNoise(2 * run + which, times=times)
            # A tenth, so 1, is for the list.
            short = with_short_lists(table, Accountant(Fraction(10)), mechanisms)
            runs.append("v9" in finest_cut(short.domains[0]).labels)
        told.append(runs)
    assert (audited_epsilon(told[0], told[1], 0.999) > 1) is convicted


def test_items_are_variables_of_their_own() -> None:
    """A set with two nodes is two questions, each with an answer in every record."""
    tree = {"i": ("p", "q"), "p": (), "q": ()}
    records: tuple[Record, ...] = tuple(
        ((frozenset(own),), "a") for own in (("p",), ("p", "q"), (), ("q",), ("p",))
    )
    table = private_table(Case((Items("i", tree),), ("a",), records))
    cuts = tuple(finest_cut(domain) for domain in table.domains)
    found = coded(table, cuts, None)
    assert [one.size for one in found.variables] == [2, 2]
    assert found.margin((0, 1), (np.arange(2), np.arange(2))).tolist() == [[1, 1], [2, 1]]
