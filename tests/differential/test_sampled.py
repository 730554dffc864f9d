"""Generalized samples: the accounting against fractions, scores, and outcomes on neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb, exp, log, nextafter

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from roadstead.attacks.membership.audit import audited_epsilon
from roadstead.differential.budget import Grant
from roadstead.differential.chance.exact_choice import Source
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.differential.sampled.accounting import deltas, sampling_budget
from roadstead.differential.sampled.release import SafePub
from roadstead.errors import SettingError
from roadstead.hierarchies.hierarchy import from_columns
from roadstead.tables.frequency import FrequencyTable

AGE = from_columns("age", [tuple("abcd"), ("ab", "ab", "cd", "cd"), ("*",) * 4], origin="public")
SEX = from_columns("sex", [("f", "m"), ("*", "*")], origin="public")


def table(counts: Sequence[int]) -> FrequencyTable:
    """Eight combinations of age and sex, each with so many records."""
    return FrequencyTable(
        attributes=("age", "sex"),
        domains=(tuple("abcd"), ("f", "m")),
        codes=(
            np.repeat(np.arange(4, dtype=np.int32), 2),
            np.tile(np.arange(2, dtype=np.int32), 4),
        ),
        counts=np.array(counts, dtype=np.int64),
    )


def words(seed: int) -> Source:
    """Random words that repeat themselves."""
    generator = np.random.default_rng(seed)

    def draw(size: int) -> NDArray[np.uint64]:
        return generator.integers(0, 2**64, size, dtype=np.uint64)

    return draw


def exact_delta(n: int, k: int, chance: Fraction, growth: Fraction) -> Fraction:
    """What a class of n and one of n - 1 differ by beyond a factor, in fractions."""

    def law(size: int, j: int) -> Fraction:
        return comb(size, j) * chance**j * (1 - chance) ** (size - j)

    shown = [law(n, j) - growth * law(n - 1, j) for j in range(k, n + 1)]
    none = sum(law(n, j) for j in range(k)) - growth * sum(law(n - 1, j) for j in range(k))
    return sum((one for one in [*shown, none] if one > 0), Fraction(0))


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
        SafePub(1.0, 1e-3, mechanisms=mechanisms).release(table(own), [AGE, SEX])
        asked.append(mechanisms.scores)
    assert len(asked[0]) == len(asked[1]) == 6
    assert all(0 <= b - a <= 1000 for a, b in zip(*asked, strict=True))


def test_what_is_released_is_true_and_no_class_is_small() -> None:
    """Labels of the level, no more records than there are, and a ledger that adds up."""
    counts = [300, 250, 5, 0, 400, 0, 90, 3]
    release = SafePub(1.0, 1e-6, levels={"age": 1, "sex": 0}).release(table(counts), [SEX, AGE])
    least = release.budget.least
    assert set(release.labels) <= {("ab", "f"), ("ab", "m"), ("cd", "f")}
    assert all(count >= least for count in release.counts)
    together: dict[tuple[str, ...], int] = {("ab", "f"): 305, ("ab", "m"): 250, ("cd", "f"): 490}
    for labels, count in zip(release.labels, release.counts, strict=True):
        assert count <= together[labels]
    assert len(release.rows()) == sum(release.counts)
    assert release.epsilon == 1
    assert [one.step for one in release.ledger] == ["drawing the sample"]
    chosen = SafePub(1.0, 1e-6).release(table(counts), [AGE, SEX])
    assert [float(one.epsilon) for one in chosen.ledger] == [0.1, 0.9]


def test_a_value_that_no_hierarchy_lists_leaves_the_others_alone() -> None:
    """Its records are left out, without a word."""
    short = from_columns("age", [("a", "b", "c"), ("*",) * 3], origin="public")
    release = SafePub(1.0, 1e-3, levels={"age": 0, "sex": 1}).release(
        table([90, 90, 90, 90, 90, 90, 900, 900]), [short, SEX]
    )
    assert {labels[0] for labels in release.labels} <= {"a", "b", "c"}


def test_outcomes_on_neighbors_do_not_tell_more_than_epsilon() -> None:
    """The class is as large as is worst; 700 runs on each, at 99 % confidence."""
    epsilon = 0.5
    budget = sampling_budget(epsilon, 1e-3)
    worst = round(budget.least / float(budget.chance))

    def outcomes(size: int, seed: int) -> list[int]:
        source = words(seed)
        game = SafePub(epsilon, 1e-3, levels={"age": 0, "sex": 0}, words=source)
        alone = table([size, 0, 0, 0, 0, 0, 0, 0])
        return [sum(game.release(alone, [AGE, SEX]).counts) for _ in range(700)]

    for size in (worst, budget.least + 1):
        with_it, without = outcomes(size, 1), outcomes(size - 1, 2)
        assert audited_epsilon(with_it, without, 0.99) <= epsilon
        assert audited_epsilon(without, with_it, 0.99) <= epsilon
    # The audit can fail: were small classes shown, a class of one would give a record away.
    shown = [int(n % 20 < 9) for n in range(700)]
    assert audited_epsilon(shown, [0] * 700, 0.99) > epsilon


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: sampling_budget(0.0, 1e-6), "epsilon is"),
        (lambda: sampling_budget(1.0, 0.0), "delta is"),
        (lambda: sampling_budget(1e-5, 1e-6), "many thousands"),
        (lambda: SafePub(1.0, 1e-6, choosing=1.0).release(table([9] * 8), [AGE, SEX]), "share"),
        (lambda: SafePub(1.0, 1e-6).release(table([9] * 8), [AGE]), "no hierarchy of 'sex'"),
        (
            lambda: SafePub(1.0, 1e-6, levels={"age": 9}).release(table([9] * 8), [AGE, SEX]),
            "level of 'age'",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(made: object, said: str) -> None:
    """Before anything is drawn, and without a word of the records."""
    assert callable(made)
    with pytest.raises(SettingError, match=said):
        made()
