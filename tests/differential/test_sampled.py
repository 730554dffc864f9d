"""Generalized samples: the accounting against fractions, scores, and outcomes on neighbors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import comb, exp, log, nextafter

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from seeded_mechanisms import SeededMechanisms

from roadstead.attacks.membership.audit import audited_epsilon
from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.domains import CategoricalDomain, NumericDomain
from roadstead.differential.private_table import PrivateTable, within
from roadstead.differential.sampled.accounting import deltas, largest_chance, sampling_budget
from roadstead.differential.sampled.ladders import detail, ladder_of, leaves
from roadstead.differential.sampled.release import SampledRelease, SamplePlan, sampled
from roadstead.errors import SettingError
from roadstead.hierarchies.hierarchy import from_columns
from roadstead.hierarchies.taxonomy import Taxonomy, with_every_level
from roadstead.tables.frequency import FrequencyTable


def tree(attribute: str, *columns: Sequence[str]) -> Taxonomy:
    """A public hierarchy as a tree."""
    return with_every_level(from_columns(attribute, columns, origin="public"))


AGE = tree("age", tuple("abcd"), ("ab", "ab", "cd", "cd"), ("*",) * 4)
SEX = tree("sex", ("f", "m"), ("*", "*"))
LADDERS = [ladder_of(CategoricalDomain(one)) for one in (AGE, SEX)]


def table(counts: Sequence[int], age: Taxonomy = AGE) -> PrivateTable:
    """Eight combinations of age and sex, each with so many records."""
    rows = FrequencyTable(
        attributes=("age", "sex"),
        domains=(tuple("abcd"), ("f", "m")),
        codes=(
            np.repeat(np.arange(4, dtype=np.int32), 2),
            np.tile(np.arange(2, dtype=np.int32), 4),
        ),
        counts=np.array(counts, dtype=np.int64),
    )
    return within(rows, [CategoricalDomain(age), CategoricalDomain(SEX)], None, (), clamps=False)


def shown(release: SampledRelease) -> Counter[tuple[str, ...]]:
    """Count records by their labels."""
    labels = [
        [cut.labels[at] for at in codes.tolist()]
        for cut, codes in zip(release.groups.cuts, release.groups.codes, strict=True)
    ]
    return Counter(dict(zip(zip(*labels, strict=True), release.counts.tolist(), strict=True)))


def plan(epsilon: float, delta: float, **more: object) -> SamplePlan:
    """Request a sample."""
    return SamplePlan(Fraction(str(epsilon)), delta, **more)  # type: ignore[arg-type] # of a test


def exact_delta(n: int, k: int, chance: Fraction, growth: Fraction) -> Fraction:
    """Give the difference beyond a factor between classes of n and of n - 1, in fractions."""

    def law(size: int, j: int) -> Fraction:
        return comb(size, j) * chance**j * (1 - chance) ** (size - j)

    shown = [law(n, j) - growth * law(n - 1, j) for j in range(k, n + 1)]
    none = sum(law(n, j) for j in range(k)) - growth * sum(law(n - 1, j) for j in range(k))
    return sum((one for one in [*shown, none] if one > 0), Fraction(0))


@pytest.mark.quick(2)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0])
def test_the_accounting_is_that_of_fractions(epsilon: float) -> None:
    """For every class size and every k, never below, and hardly above; in both directions."""
    budget = sampling_budget(epsilon, 1e-3)
    growth = Fraction(nextafter(exp(epsilon), 0.0))
    found = deltas(epsilon, float(budget.chance), 1e-3)
    for k in (1, 2, 5, 9):
        most = max(float(exact_delta(n, k, budget.chance, growth)) for n in range(1, 45))
        assert most <= found[k] <= most * (1 + 1e-6) + 1e-6
        back = max(
            float(exact_back(n, k, budget.chance, growth * (1 + Fraction(1, 10**9))))
            for n in range(1, 25)
        )
        assert back == 0.0


def exact_back(n: int, k: int, chance: Fraction, growth: Fraction) -> Fraction:
    """The same the other way around: without the record against with it."""

    def law(size: int, j: int) -> Fraction:
        return comb(size, j) * chance**j * (1 - chance) ** (size - j)

    shown = [law(n - 1, j) - growth * law(n, j) for j in range(k, n + 1)]
    none = sum(law(n - 1, j) for j in range(k)) - growth * sum(law(n, j) for j in range(k))
    return sum((one for one in [*shown, none] if one > 0), Fraction(0))


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_as_published_all_beyond_gamma_counts(epsilon: float) -> None:
    """In each class, the probability of drawing k or more, and more than gamma of it (SafePub)."""
    chance = sampling_budget(epsilon, 1e-3).chance
    gamma = 1 - (1 - chance) * Fraction(exp(-epsilon))
    found = deltas(epsilon, float(chance), 1e-3, published=True)
    for k in (1, 2, 5, 9):
        tails = [
            sum(
                comb(n, j) * chance**j * (1 - chance) ** (n - j)
                for j in range(k, n + 1)
                if j > gamma * n
            )
            for n in range(1, 60)
        ]
        assert found[k] == pytest.approx(float(max(tails)), abs=1e-6)


def test_the_example_of_the_page() -> None:
    """Epsilon ln 2: half are drawn, and k = 3 has a delta of one in eight."""
    half, two = Fraction(1, 2), Fraction(2)
    assert [exact_delta(n, 3, half, two) for n in (3, 4)] == [Fraction(1, 8), Fraction(1, 16)]
    assert deltas(log(2.0), 0.5, 1e-3)[3] == pytest.approx(0.125, abs=1e-6)
    assert float(sampling_budget(log(2.0), 1e-6).chance) == pytest.approx(0.5)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 1.5])
@pytest.mark.parametrize("delta", [1e-4, 1e-6])
def test_the_least_class_is_the_first_that_does(epsilon: float, delta: float) -> None:
    """One record fewer would be too few; as published, more are needed."""
    budget = sampling_budget(epsilon, delta)
    found = deltas(epsilon, float(budget.chance), delta)
    assert found[budget.least] <= delta < found[budget.least - 1]
    assert sampling_budget(epsilon, delta, published=True).least > budget.least
    assert float(budget.chance) <= 1.0 - exp(-epsilon)
    assert float(budget.chance) == pytest.approx(1.0 - exp(-epsilon), rel=1e-9)


@dataclass
class Asked(Mechanisms):
    """Remembers the scores, and chooses the first of the best."""

    scores: list[int] = field(default_factory=list)

    def choose(
        self,
        grant: Grant,  # noqa: ARG002 - it costs nothing here
        scores: Sequence[int],
        sensitivity: int,
        *,
        monotonic: bool,
    ) -> int:
        """Remember."""
        assert (sensitivity, monotonic) == (1000, True)
        self.scores = list(scores)
        return self.scores.index(max(self.scores))


@unhurried
@given(st.lists(st.integers(0, 200), min_size=8, max_size=8).filter(any), st.integers(0, 7))
def test_one_record_more_moves_every_score_up_and_by_a_thousand_at_most(
    counts: list[int], at: int
) -> None:
    """And the same policies are weighed, whatever the records are."""
    asked = []
    for more in (0, 1):
        mechanisms = Asked()
        own = [n + more * (i == at) for i, n in enumerate(counts)]
        sampled(table(own), LADDERS, plan(1, 1e-3), mechanisms)
        asked.append(mechanisms.scores)
    assert len(asked[0]) == len(asked[1]) == 6
    assert all(0 <= b - a <= 1000 for a, b in zip(*asked, strict=True))


def test_what_is_released_is_true_and_no_class_is_small() -> None:
    """Labels of the level, no more records than there are, and a ledger that adds up."""
    counts = [300, 250, 5, 0, 400, 0, 90, 3]
    given = plan(1, 1e-6, levels={"sex": 0, "age": 1})
    release = sampled(table(counts), LADDERS, given, Mechanisms())
    found = shown(release)
    together: dict[tuple[str, ...], int] = {("ab", "f"): 305, ("ab", "m"): 250, ("cd", "f"): 490}
    assert set(found) <= set(together)
    assert all(release.budget.least <= n <= together[labels] for labels, n in found.items())
    assert [(one.step, one.epsilon) for one in release.ledger] == [
        (BudgetStep("sample"), Fraction(1))
    ]
    chosen = sampled(table(counts), LADDERS, plan(1, 1e-6), SeededMechanisms(1))
    assert [one.epsilon for one in chosen.ledger] == [Fraction(1, 10), Fraction(9, 10)]


def test_a_record_without_a_place_leaves_the_others_alone() -> None:
    """A value that is not listed, and a number that is beyond its range, are left out."""
    short = tree("age", ("a", "b", "c"), ("*",) * 3)
    records = table([90, 90, 90, 90, 90, 90, 900, 900], short)
    assert (records.records, records.left_out) == (540, 1800)
    rows = FrequencyTable(
        ("years",), (("7", "12", "x"),), (np.arange(3, dtype=np.int32),), np.array([5, 6, 7])
    )
    years = NumericDomain("years", Decimal(0), Decimal(9))
    assert within(rows, [years], None, (), clamps=False).records == 5
    assert within(rows, [years], None, ()).records == 11


def test_levels_of_a_hierarchy_are_the_depths_of_its_tree() -> None:
    """Groups may have one value, and levels may be equal to the next."""
    ladder = ladder_of(CategoricalDomain(tree("x", tuple("abc"), ("A", "A", "c1"), ("*",) * 3)))
    assert [cut.labels for cut in ladder.levels] == [tuple("abc"), ("A", "c1"), ("*",)]
    assert [leaves(cut).tolist() for cut in ladder.levels] == [[1, 1, 1], [2, 1], [3]]
    # By hand: (1 - ((2 x 1 + 2 x 1 + 1 x 0) / 3) / 2) of 1,000.
    assert [detail([cut], 1000) for cut in ladder.levels] == [1000, 667, 0]


@unhurried
@given(st.integers(-50, 50), st.integers(0, 3000), st.sampled_from(["0.5", "1", "3"]))
def test_levels_of_a_range_nest_and_cover_it(low: int, size: int, step: str) -> None:
    """Each interval lies in one of the next level; the last level is the whole."""
    domain = NumericDomain("n", Decimal(low), low + size * Decimal(step), Decimal(step))
    ladder = ladder_of(domain)
    assert ladder.levels[-1].size == 1
    for finer, coarser in zip(ladder.levels, ladder.levels[1:], strict=False):
        assert isinstance(finer.bounds, tuple)  # type: ignore[union-attr] # of a range
        assert {*coarser.bounds} <= {*finer.bounds}  # type: ignore[union-attr] # of a range
    assert all(cut.size <= 1001 for cut in ladder.levels)


def test_outcomes_on_neighbors_do_not_tell_more_than_epsilon() -> None:
    """The class is as large as is worst; 700 runs on each, at 99% confidence."""
    epsilon = 0.5
    given = plan(epsilon, 1e-3, levels={"age": 0, "sex": 0})
    worst = round(given.budget.least / float(given.budget.chance))

    def outcomes(size: int, seed: int) -> list[int]:
        mechanisms, alone = SeededMechanisms(seed), table([size, 0, 0, 0, 0, 0, 0, 0])
        return [int(sampled(alone, LADDERS, given, mechanisms).counts.sum()) for _ in range(700)]

    for size in (worst, given.budget.least + 1):
        with_it, without = outcomes(size, 1), outcomes(size - 1, 2)
        assert audited_epsilon(with_it, without, 0.99) <= epsilon
        assert audited_epsilon(without, with_it, 0.99) <= epsilon
    # The audit can fail: were small classes shown, a class of one would give a record away.
    small = [int(n % 20 < 9) for n in range(700)]
    assert audited_epsilon(small, [0] * 700, 0.99) > epsilon


def test_records_are_drawn_with_the_chance_and_each_by_itself() -> None:
    """The system's own random bits: the mean within six standard errors, no row beyond its size."""
    counts = np.array([0, 1, 40_000, 7], dtype=np.int64)
    grant = Grant(BudgetStep("groups"), Fraction(1))
    drawn = Mechanisms().draw(grant, counts, largest_chance(1))
    assert ((drawn >= 0) & (drawn <= counts)).all()
    chance = 1 - exp(-1)
    assert abs(drawn[2] - 40_000 * chance) < 6 * (40_000 * chance * (1 - chance)) ** 0.5
    with pytest.raises(SettingError, match=r"sampling probability is not between 0 and 1 - exp"):
        Mechanisms().draw(grant, counts, largest_chance(1.01))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: sampling_budget(0.0, 1e-6), "epsilon is"),
        (lambda: sampling_budget(1.0, 0.0), "delta is"),
        (lambda: sampling_budget(1e-5, 1e-6), "many thousands"),
        (
            lambda: sampled(
                table([9] * 8), LADDERS, plan(1, 1e-6, levels={"age": 9}), Mechanisms()
            ),
            "level of 'age'",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(made: object, said: str) -> None:
    """Before anything is drawn, and without a word of the records."""
    assert callable(made)
    with pytest.raises(SettingError, match=said):
        made()
