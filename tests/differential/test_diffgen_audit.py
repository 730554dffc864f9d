"""Whether DiffGen is as private as it claims: question by question, and from outside."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from diffgen_by_hand import in_words
from effort import thorough, unhurried
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from private_tables import (
    Attribute,
    Case,
    Categories,
    Items,
    Numbers,
    Record,
    neighbors,
    private_table,
)
from seeded_mechanisms import SeededMechanisms

from roadstead.attacks.membership.audit import audited_epsilon
from roadstead.differential.budget import Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.diffgen import Plan
from roadstead.differential.growth import partitions, plain_growth, set_growth
from roadstead.differential.growth.plain_growth import CategoricalGrowth, Tally
from roadstead.differential.listing import Threshold, few_false, one_deviation
from roadstead.differential.scores import InfoGain, Max, MaxGain, Score
from roadstead.differential.synthesis import Synthesis
from roadstead_reproductions.mohammed2013.counting import synthesize


def two(epsilon: Fraction, tests: int) -> int:  # noqa: ARG001 - a threshold
    """Keep counts of 2."""
    return 2


@dataclass
class Question:
    """A question to a mechanism.

    Attributes
    ----------
    grant
        The grant that paid for it.
    public
        Values that must be the same for all tables: kind, sizes, sensitivity.
    private
        The scores of all candidates or points, or the counts of all cells.
    """

    grant: Grant
    public: tuple[object, ...]
    private: dict[int, int]


@dataclass
class Forced(Mechanisms):
    """Mechanisms that give the same answers whatever the records are.

    An answer is a candidate, a point of a line or a set of cells, and follows from the seed and the
    public part of the question; so two tables are led through the same public history.

    Attributes
    ----------
    questions
        All that was asked.
    keys
        The numbers of the cells that have records, as they were counted last.
    """

    seed: int
    questions: list[Question] = field(default_factory=list)
    keys: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    _left: int = -1

    def choose(
        self, grant: Grant, scores: Sequence[int], sensitivity: int, *, monotonic: bool
    ) -> int:
        """Choose any candidate."""
        self._note(grant, ("choose", len(scores), sensitivity, monotonic), scores)
        return self._chance().randrange(len(scores))

    def choose_interval(
        self,
        grant: Grant,
        scores: NDArray[np.int64],
        lengths: NDArray[np.int64],
        sensitivity: int,
        *,
        monotonic: bool,
    ) -> int:
        """Choose the run of any point."""
        points = np.repeat(scores, lengths).tolist()
        self._note(grant, ("choose_interval", len(points), sensitivity, monotonic), points)
        point = self._chance().randrange(len(points))
        ends = np.cumsum(lengths)
        run = int(np.searchsorted(ends, point, side="right"))
        self._left = point - int(ends[run] - lengths[run])
        return run

    def place(self, size: int) -> int:
        """Go on to the point."""
        assert 0 <= self._left < size
        return self._left

    def count(self, grant: Grant, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Keep any cells."""
        assert self.keys.size == counts.size
        cells = self.keys.tolist()
        self.questions.append(Question(grant, (), dict(zip(cells, counts.tolist(), strict=True))))
        return np.array([self._noisy(cell) for cell in cells], dtype=np.int64)

    def exceeding(
        self, grant: Grant, cells: int, least: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Keep any of the other cells; asked right after `count`, and part of that question."""
        asked = self.questions[-1]
        assert asked.grant is grant
        assert not asked.public
        asked.public = ("count", self.keys.size + cells, least)
        occupied = set(self.keys.tolist())
        empty = [cell for cell in range(cells + self.keys.size) if cell not in occupied]
        places = [at for at, cell in enumerate(empty) if self._noisy(cell) >= least]
        noisy = [self._noisy(empty[at]) for at in places]
        return np.array(places, dtype=np.int64), np.array(noisy, dtype=np.int64)

    def _note(self, grant: Grant, public: tuple[object, ...], scores: Sequence[int]) -> None:
        self.questions.append(Question(grant, public, dict(enumerate(scores))))

    def _chance(self, cell: int = 0) -> Random:
        return Random(f"{self.seed} {len(self.questions)} {cell}")  # noqa: S311 - a test

    def _noisy(self, cell: int) -> int:
        """Give a cell a count that no threshold stops, or one that each does."""
        return 10**9 + cell if self._chance(cell).random() < 0.6 else -(10**9)


def forced(case: Case, plan: Plan, seed: int) -> tuple[Synthesis, list[Question]]:
    """Run with forced answers, including which cells are counted."""
    mechanisms = Forced(seed)
    added_up = partitions.added_up

    def noted(
        keys: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        distinct, sums = added_up(keys, counts)
        mechanisms.keys = distinct
        return distinct, sums

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(partitions, "added_up", noted)
        patched.setattr(set_growth, "added_up", noted)
        found = synthesize(private_table(case), Fraction(1), plan, mechanisms)
    return found, mechanisms.questions


SCORES: tuple[Score, ...] = (Max(), Max(monotonic=False), MaxGain(), InfoGain())
THRESHOLDS: tuple[Threshold, ...] = (two, few_false, one_deviation)

any_kinds = pytest.mark.parametrize("kinds", ["nci", "ic"])
plans = st.builds(
    Plan,
    specializations=st.sampled_from((6, 3, 2, 1, 0)),
    score=st.sampled_from(SCORES),
    threshold=st.sampled_from(THRESHOLDS),
    most_groups=st.sampled_from((1000, 1000, 12)),
)


@any_kinds
@thorough
@given(st.data(), plans, st.integers(0, 9999))
def test_only_answers_tell_two_neighboring_tables_apart(
    kinds: str, data: st.DataObject, plan: Plan, seed: int
) -> None:
    """With the same answers: the same questions in their public part, ledger, steps and groups."""
    tables = data.draw(neighbors(kinds))
    (found, asked), (other, asked_too) = (forced(table, plan, seed) for table in tables)
    assert [one.public for one in asked] == [one.public for one in asked_too]
    assert [one.grant for one in asked] == [one.grant for one in asked_too]
    assert found.ledger == other.ledger
    assert found.steps == other.steps
    assert found.groups.all_groups == other.groups.all_groups
    assert found.groups.least == other.groups.least
    assert in_words(found.groups.groups) == in_words(other.groups.groups)
    assert found.groups.groups.combinations == other.groups.groups.combinations
    assert np.array_equal(found.groups.counts, other.groups.counts)


@any_kinds
@thorough
@given(st.data(), plans, st.integers(0, 9999))
def test_one_record_moves_each_question_no_more_than_was_said(
    kinds: str, data: st.DataObject, plan: Plan, seed: int
) -> None:
    """By the sensitivity, in one direction if monotonic; and one cell of all counts by 1."""
    tables = data.draw(neighbors(kinds))
    (_, asked), (_, asked_too) = (forced(table, plan, seed) for table in tables)
    for before, after in zip(asked, asked_too, strict=True):
        moves = moved(before, after)
        kind = before.public[0]
        if kind == "count":
            assert sorted(moves) in ([], [1])
            continue
        sensitivity, monotonic = before.public[2:]
        assert isinstance(sensitivity, int)
        assert all(abs(move) <= sensitivity for move in moves)
        if monotonic:
            assert all(move > 0 for move in moves)


@any_kinds
@unhurried
@given(st.data(), plans, st.integers(0, 9999))
def test_the_ledger_pays_for_every_question_and_is_epsilon_in_all(
    kinds: str, data: st.DataObject, plan: Plan, seed: int
) -> None:
    """A grant that pays for several questions pays for ones that no record has a part in twice."""
    tables = data.draw(neighbors(kinds))
    (found, asked), (other, asked_too) = (forced(table, plan, seed) for table in tables)
    assert sum(grant.epsilon for grant in found.ledger) == Fraction(1)
    for grant, same in zip(found.ledger, other.ledger, strict=True):
        paid = [
            moved(before, after)
            for before, after in zip(asked, asked_too, strict=True)
            if before.grant is grant
        ]
        assert paid
        assert [one.grant is grant for one in asked] == [one.grant is same for one in asked_too]
        assert sum(bool(moves) for moves in paid) <= 1
    granted = {id(grant) for grant in found.ledger}
    assert all(id(one.grant) in granted for one in asked)


def moved(before: Question, after: Question) -> list[int]:
    """Give the change of each score or count that changed."""
    cells = before.private.keys() | after.private.keys()
    changes = [after.private.get(cell, 0) - before.private.get(cell, 0) for cell in cells]
    return [change for change in changes if change]


_CATEGORIES = Categories("c", {"c": ("c.0", "c.1"), "c.0": (), "c.1": ()})
_ITEMS = Items("i", {"i": ("i.0", "i.1"), "i.0": (), "i.1": ()})


def pair(classes: int, attributes: tuple[Attribute, ...], *records: Record) -> tuple[Case, Case]:
    """Give a table and its neighbor, which lacks the last record."""
    labels = ("yes", "no")[:classes]
    return Case(attributes, labels, records), Case(attributes, labels, records[:-1])


COUNTED = pair(1, (Numbers("n", 1),), ((0,), "yes"))
CATEGORY = pair(2, (_CATEGORIES,), (("c.0",), "yes"), (("c.1",), "no"))
NUMBER = pair(2, (Numbers("n", 12),), ((3,), "yes"), ((6,), "no"))
SETS = pair(2, (_ITEMS,), ((frozenset(("i.0",)),), "yes"), ((frozenset(("i.1",)),), "no"))
MIXED = pair(2, (Numbers("n", 6), _CATEGORIES), ((1, "c.0"), "yes"), ((4, "c.1"), "no"))
ONCE = Plan(1, Max(), two)


def one(epsilon: Fraction, tests: int) -> int:  # noqa: ARG001 - a threshold
    """List counts of 1."""
    return 1


def released(found: Synthesis) -> tuple[Hashable, ...]:
    """Give the release in pieces, and as a whole: any of them may reveal too much."""
    pieces: tuple[Hashable, ...] = (
        (found.steps, found.ledger),
        tuple(cut.labels for cut in found.groups.groups.cuts),
        found.groups.all_groups,
        found.groups.records,
    )
    whole = (tuple(in_words(found.groups.groups)), found.groups.counts.tobytes())
    return (*pieces, (pieces, whole))


def loss_seen(
    tables: tuple[Case, Case],
    plan: Plan,
    runs: int,
    mechanisms: Callable[[int], Mechanisms] = SeededMechanisms,
) -> float:
    """Bound the epsilon of syntheses at epsilon 1 from below, confidently enough for a failure."""
    pieces = []
    for which, table in enumerate(map(private_table, tables)):
        outcomes = [
            released(synthesize(table, Fraction(1), plan, mechanisms(2 * at + which), listing=one))
            for at in range(runs)
        ]
        pieces.append(list(zip(*outcomes, strict=True)))
    return max(audited_epsilon(these, those, 0.999) for these, those in zip(*pieces, strict=True))


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("tables", "plan"),
    [
        (COUNTED, Plan(0, Max(), two)),
        (CATEGORY, ONCE),
        (NUMBER, ONCE),
        pytest.param(SETS, ONCE, marks=pytest.mark.nightly),
        pytest.param(MIXED, Plan(2, MaxGain(), two), marks=pytest.mark.nightly),
    ],
)
def test_from_outside_no_more_than_epsilon_is_seen(tables: tuple[Case, Case], plan: Plan) -> None:
    """Numbers, categories, and sets: the synthesis passes the audit."""
    assert loss_seen(tables, plan, 600) <= 1


@pytest.mark.quick(1)
@pytest.mark.parametrize("tables", [SETS, MIXED])
def test_with_the_exact_mechanisms_neither(tables: tuple[Case, Case]) -> None:
    """A few runs, with the chance of real releases."""
    pytest.importorskip("opendp")
    assert loss_seen(tables, ONCE, 80, lambda _: Mechanisms()) <= 1


@dataclass
class HalfNoise(SeededMechanisms):
    """Counts have half of the noise that was paid for."""

    def count(self, grant: Grant, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Spend the grant twice."""
        return super().count(Grant(grant.step, 2 * grant.epsilon), counts)


@pytest.mark.nightly
def test_counts_with_half_the_noise_are_convicted() -> None:
    """The audit can fail: a count is e^2 times as likely to be listed with the record."""
    assert loss_seen(COUNTED, Plan(0, Max(), two), 1500, HalfNoise) > 1


@dataclass
class UnpaidTests(SeededMechanisms):
    """A fault: the existence of records in a combination is revealed without noise."""

    def count(self, grant: Grant, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Keep each combination that has a record."""
        return counts + 1 if _tests(grant) else super().count(grant, counts)

    def exceeding(
        self, grant: Grant, cells: int, least: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find no combination without records."""
        return super().exceeding(grant, 0 if _tests(grant) else cells, least)


def _tests(grant: Grant) -> bool:
    return grant.step.kind == "combinations"


def test_combinations_tested_for_free_are_convicted() -> None:
    """The number of groups reveals whether the record is in the table."""
    assert loss_seen(SETS, ONCE, 200, UnpaidTests) > 1


def test_candidates_read_off_the_records_are_convicted() -> None:
    """A node is offered only if two of its children have records."""

    def divided(growth: CategoricalGrowth) -> tuple[int, ...]:
        return tuple(
            node
            for node in growth.cut.nodes
            if growth.children(node) and growth.under(node).any(axis=1).sum() > 1
        )

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(CategoricalGrowth, "candidates", property(divided))
        assert loss_seen(CATEGORY, ONCE, 200) > 1


def test_split_points_only_between_occurring_values_are_convicted() -> None:
    """No run below the smallest value and none above the largest: the published code's defect."""
    runs = plain_growth.runs

    def inner(
        tally: Tally, begin: int, end: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        begins, lengths, children = runs(tally, begin, end)
        if begins.size <= 2:
            return begins, lengths, children
        return begins[1:-1], lengths[1:-1], children[1:-1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plain_growth, "runs", inner)
        assert loss_seen(NUMBER, ONCE, 200) > 1
