"""Sets of items from a long list: the frequent items are released, at a cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import pytest
from effort import examples
from forced_mechanisms import Forced
from hypothesis import given
from hypothesis import strategies as st
from private_tables import Case, Categories, Items, Record, private_table
from seeded_mechanisms import SeededMechanisms

from roadstead.attacks.membership.audit import audited_epsilon
from roadstead.differential.budget import Accountant, BudgetStep, Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import SetDomain
from roadstead.differential.margins import choosing
from roadstead.differential.margins.every_use import EveryUse, for_every_use
from roadstead.differential.margins.finest_cuts import MOST_ITEM_NODES, finest_cut
from roadstead.differential.margins.frequent_items import (
    ITEMS_SHARE,
    with_frequent_items,
)
from roadstead.differential.margins.variables import coded
from roadstead.differential.private_table import PrivateTable
from roadstead.hierarchies.taxonomy import ordered

LISTED = 60
NAMES = tuple(f"v{at}" for at in range(LISTED))
SEX = Categories("sex", {"sex": ("F", "M"), "F": (), "M": ()})
ITEMS = Items("codes", {"codes": NAMES, **dict.fromkeys(NAMES, ())})

Sets = list[frozenset[int]]
SETS = st.lists(st.frozensets(st.integers(0, LISTED - 1), max_size=40), max_size=12)


def record(places: frozenset[int]) -> Record:
    """Give a record with some items."""
    return ("F" if len(places) % 2 else "M", frozenset(NAMES[at] for at in places)), "a"


def table_of(sets: Sequence[frozenset[int]]) -> PrivateTable:
    """Give each record a set of places in the list."""
    return private_table(Case((SEX, ITEMS), ("a",), tuple(map(record, sets))))


def told(table: PrivateTable) -> tuple[str, ...]:
    """Name the released items of the set."""
    return finest_cut(table.domains[1]).labels


def shortened(
    table: PrivateTable, epsilon: int, mechanisms: Mechanisms
) -> tuple[PrivateTable, Accountant]:
    """Choose the items."""
    accountant = Accountant(Fraction(epsilon), table.of_one)
    return with_frequent_items(table, accountant, mechanisms), accountant


def released(table: PrivateTable, epsilon: Fraction, mechanisms: Mechanisms) -> EveryUse:
    """Release a table with one pair: what comes after the choice of items is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(choosing, "MOST_ROUNDS", 1)
        return for_every_use(table, epsilon, None, mechanisms)


@given(SETS, st.frozensets(st.integers(0, LISTED - 1)), st.integers(0, 99))
@examples(10)
def test_a_record_moves_each_choice_by_one_in_one_direction(
    sets: Sets, more: frozenset[int], seed: int
) -> None:
    """However many items it has: this and the sum of the prices are what the guarantee needs."""
    asked = []
    for own in (sets, [*sets, more]):
        mechanisms = Forced(seed)
        released(table_of(own), Fraction(1), mechanisms)
        asked.append(mechanisms.asked)
    assert [(one.grant, one.public) for one in asked[0]] == [
        (one.grant, one.public) for one in asked[1]
    ]
    of_items = [
        (one, other) for one, other in zip(*asked, strict=True) if one.grant.step.kind == "item"
    ]
    assert of_items
    for one, other in of_items:
        moved = other.private - one.private
        assert set(moved.tolist()) <= {0, 1}
        assert one.public[2:] == (1, True)
        assert moved.sum() <= len(more)


@given(SETS, st.integers(1, 3), st.integers(0, 99))
@examples(10)
def test_choices_cost_a_tenth_at_most_and_the_ledger_adds_up(
    sets: Sets, of_one: int, seed: int
) -> None:
    """Whatever is chosen, each grant is used once, and what is left goes to the counts."""
    mechanisms = SeededMechanisms(seed)
    table = replace(table_of(sets), of_one=of_one)
    found = released(table, Fraction(2, 3), mechanisms)
    assert tuple(mechanisms.grants) == found.ledger
    assert sum(one.epsilon for one in found.ledger) == Fraction(2, 3)
    assert all(one.records == of_one for one in found.ledger)
    choices = [one for one in found.ledger if one.step.kind == "item"]
    assert [one.step for one in choices] == [
        BudgetStep("item", ("codes",), number) for number in range(1, len(choices) + 1)
    ]
    assert sum(one.epsilon for one in choices) <= ITEMS_SHARE * Fraction(2, 3)


@given(SETS, st.integers(0, 99))
@examples(30)
def test_no_item_of_a_record_is_lost(sets: Sets, seed: int) -> None:
    """Each record keeps its items, by name, and some item is released for any noise."""
    before = table_of(sets)
    after, _ = shortened(before, 1, SeededMechanisms(seed))
    found = []
    for table in (before, after):
        domain, own = table.domains[1], table.sets_of(1)
        assert isinstance(domain, SetDomain)
        names = domain.taxonomy.leaf_labels
        each = [own.items[begin:end].tolist() for begin, end in pairwise(own.starts)]
        assert all(one == sorted(set(one)) for one in each)
        found.append([{names[at] for at in each[code]} for code in table.codes[1]])
    assert found[0] == found[1]
    assert 2 <= len(told(after)) <= MOST_ITEM_NODES
    assert told(after)[-1] == "other items"


@given(st.lists(st.integers(0, LISTED - 1), min_size=1, max_size=200))
@examples(10)
def test_without_noise_the_most_frequent_are_told_and_counted_exactly(places: list[int]) -> None:
    """Against a plain count; an item that no record has is not among them."""
    often = Counter(places)
    table = table_of([frozenset([at]) for at in places])
    found = released(table, Fraction(2**19), SeededMechanisms(1))
    *alone, others = finest_cut(found.cuts[1].domain).labels
    assert others == "other items"
    # A count of one has the score of none, and either may come first.
    least = sorted(often.values(), reverse=True)[: MOST_ITEM_NODES - 1][-1]
    assert {NAMES[at] for at, n in often.items() if n > max(least, 1)} <= {*alone}
    assert {*alone} <= {NAMES[at] for at, n in often.items() if n >= least}
    told_counts = {
        found.variables[one.at[0]].name.partition(" has ")[2].partition(" (")[0]: one.counts[1]
        for one in found.margins
        if len(one.at) == 1 and found.variables[one.at[0]].node is not None
    }
    for name in alone:
        assert told_counts[name] == often[NAMES.index(name)]
    assert told_counts[others] == len(places) - sum(told_counts[name] for name in alone)


def test_frequent_items_are_found_and_the_rest_of_the_price_is_not_spent() -> None:
    """Three items are frequent; the others are too rare, and hardly any is chosen."""
    usual = [frozenset([7, 9])] * 900 + [frozenset([9, 30])] * 900
    table, more, choices = table_of(usual), 0, 0
    spent: list[Fraction] = []
    for seed in range(60):
        after, accountant = shortened(table, 1, SeededMechanisms(seed))
        alone = {*told(after)[:-1]}
        assert {"v7", "v9", "v30"} <= alone
        spent.append(accountant.spent)
        more += len(alone) - 3
        choices += len(accountant.ledger) - 3
    assert max(spent) <= ITEMS_SHARE
    assert min(spent) < ITEMS_SHARE
    # One in 20, or less, of those after the three; twice as many would be chance once in 10**6.
    assert more <= choices / 10


def test_an_item_counts_once_in_each_record_that_has_anything_under_it() -> None:
    """Groups right below the root are chosen like items."""
    groups = {f"g{at}": (f"g{at}a", f"g{at}b") for at in range(40)}
    leaves = dict.fromkeys((leaf for own in groups.values() for leaf in own), ())
    tree = {"codes": tuple(groups), **groups, **leaves}
    sets = [frozenset(("g3a", "g3b"))] * 400 + [frozenset(("g5a",))] * 500
    records: tuple[Record, ...] = tuple((("F", own), "a") for own in sets)
    table = private_table(Case((SEX, Items("codes", tree)), ("a",), records))
    mechanisms = Forced(1)
    with_frequent_items(table, Accountant(Fraction(9)), mechanisms)
    scores = mechanisms.asked[0].private
    assert scores[[3, 5]].tolist() == [400, 500]
    assert scores[:-1].sum() == 900
    found = released(table, Fraction(9), SeededMechanisms(1))
    records_of = coded(table, found.cuts, None)
    assert {"g3a", "g3b", "g5a"} <= {*finest_cut(found.cuts[1].domain).labels}
    assert records_of.codes.shape[0] == len(found.variables)


def test_lists_that_are_told_as_they_are_cost_nothing() -> None:
    """Few items, or items at positions, whose places in the list cannot change."""
    few = Items("codes", {"codes": NAMES[:24], **dict.fromkeys(NAMES[:24], ())})
    short = private_table(Case((SEX, few), ("a",), ()))
    long = table_of([])
    assert isinstance(long.domains[1], SetDomain)
    at_one = SetDomain(ordered(long.domains[1].taxonomy, 1))
    for table in (short, replace(long, domains=(long.domains[0], at_one))):
        after, accountant = shortened(table, 1, SeededMechanisms(1))
        assert after is table
        assert not accountant.ledger


@dataclass
class Sharper(SeededMechanisms):
    """Choices have a part of the chance that was paid for."""

    times: int = 1

    def choose(
        self, grant: Grant, scores: Sequence[int], sensitivity: int, *, monotonic: bool
    ) -> int:
        """Spend the grant several times."""
        spent = Grant(grant.step, self.times * grant.epsilon)
        return super().choose(spent, scores, sensitivity, monotonic=monotonic)


def loss_seen(runs: int, mechanisms: Callable[[int], Mechanisms]) -> float:
    """Bound the epsilon of choices that may cost 1 from below; the neighbor has many items."""
    # As many as `none` scores when the budget is nearly spent: there a record shows most.
    usual = [frozenset([7])] * 60 + [frozenset([9])] * 19
    seen: list[list[tuple[bool, int]]] = []
    for which, own in enumerate((usual, [*usual, frozenset(range(9, 40))])):
        table = table_of(own)
        outcomes = []
        for run in range(runs):
            after, accountant = shortened(table, 10, mechanisms(2 * run + which))
            outcomes.append(("v9" in told(after), len(accountant.ledger)))
        seen.append(outcomes)
    pieces = (
        [[(one[0],) for one in own] for own in seen],
        [[one[1:] for one in own] for own in seen],
    )
    return max(audited_epsilon(these, those, 0.999) for these, those in (*pieces, seen))


@pytest.mark.parametrize(
    ("runs", "mechanisms"),
    [
        (300, SeededMechanisms),
        pytest.param(1000, lambda _: Mechanisms(), marks=pytest.mark.nightly),
    ],
    ids=["seeded", "exact"],
)
def test_which_items_are_told_shows_no_more_than_was_paid_for(
    runs: int, mechanisms: Callable[[int], Mechanisms]
) -> None:
    """A record with thirty items more, looked at from outside."""
    assert loss_seen(runs, mechanisms) <= 1


def test_choices_with_less_chance_than_was_paid_for_are_convicted() -> None:
    """The audit can fail."""
    assert loss_seen(300, lambda seed: Sharper(seed, times=40)) > 1
