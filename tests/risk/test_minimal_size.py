"""The smallest safe class: published tables, the definitions in plain Python, and what follows."""

from __future__ import annotations

from math import comb, exp

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import SettingError
from roadstead.risk.individual_risk import individual_risk
from roadstead.risk.minimal_size import Estimator, minimal_size

KS = (2, 3, 5, 10, 15, 20)
ESTIMATORS: tuple[Estimator, ...] = ("d2", "d3", "d4")
TABLES: dict[Estimator, dict[float, tuple[int, ...]]] = {
    "d2": {
        0.05: (1, 1, 1, 2, 2, 2),
        0.1: (1, 1, 2, 2, 3, 3),
        0.2: (1, 2, 2, 3, 4, 5),
        0.3: (2, 2, 3, 4, 6, 7),
        0.4: (2, 2, 3, 5, 7, 9),
        0.5: (2, 2, 3, 6, 8, 11),
        0.6: (2, 3, 4, 7, 10, 13),
        0.7: (2, 3, 4, 8, 11, 15),
        0.8: (2, 3, 5, 9, 13, 17),
        0.9: (2, 3, 5, 10, 14, 19),
    },
    "d3": {
        0.05: (1, 2, 2, 2, 3, 3),
        0.1: (2, 2, 2, 3, 4, 5),
        0.2: (2, 3, 3, 5, 6, 8),
        0.3: (2, 3, 4, 6, 8, 10),
        0.4: (2, 3, 5, 8, 10, 13),
        0.5: (2, 3, 5, 9, 12, 15),
        0.6: (2, 3, 5, 10, 14, 18),
        0.7: KS,
        0.8: KS,
        0.9: KS,
    },
    "d4": {
        0.01: (2, 2, 2, 2, 2, 2),
        0.05: (2, 2, 3, 3, 3, 4),
        0.1: (2, 3, 3, 4, 4, 5),
        0.2: (2, 3, 4, 5, 6, 8),
        0.3: (2, 3, 4, 6, 8, 10),
        0.4: (2, 3, 5, 8, 10, 13),
        0.5: (2, 3, 5, 9, 12, 15),
        0.6: (2, 3, 5, 10, 14, 18),
        0.7: KS,
        0.8: KS,
        0.9: KS,
    },
}
ks = st.integers(2, 400)
fractions = st.floats(1e-6, 1.0)
significances = st.floats(1e-6, 0.5)
estimators = st.sampled_from(ESTIMATORS)


@pytest.mark.parametrize(
    ("estimator", "fraction"), [(name, share) for name, rows in TABLES.items() for share in rows]
)
def test_the_tables(estimator: Estimator, fraction: float) -> None:
    """Significance 0.1, for k = 2, 3, 5, 10, 15 and 20."""
    found = tuple(minimal_size(k, fraction, estimator) for k in KS)
    assert found == TABLES[estimator][fraction]


def tail(count: int, mean: float) -> float:
    """Probability that a Poisson variable is so large or larger, term by term."""
    term, below = exp(-mean), 0.0
    for number in range(count):
        below += term
        term *= mean / (number + 1)
    return 1.0 - below


@unhurried
@given(st.integers(2, 60), st.integers(1, 100), st.sampled_from([0.01, 0.05, 0.1, 0.3]))
def test_the_tests_by_their_definition(k: int, percent: int, significance: float) -> None:
    """The first size that is unlikely enough, or k."""
    mean = percent / 100 * k
    seen = tail(1, mean)
    d3 = next(c for c in range(1, 500) if tail(c, mean) <= significance)
    d4 = next(c for c in range(1, 500) if tail(c, mean) / seen <= significance)
    assert minimal_size(k, percent / 100, "d3", significance) == min(d3, k)
    assert minimal_size(k, percent / 100, "d4", significance) == min(d4, k)


@unhurried
@given(ks, fractions)
def test_d2_is_the_first_size_whose_risk_is_low_enough(k: int, fraction: float) -> None:
    """1/k; the significance does not concern it."""
    risks = individual_risk(np.arange(1, k + 1, dtype=np.int64), fraction)
    expected = 1 + int(np.argmax(risks <= 1 / k))
    assert minimal_size(k, fraction, "d2") == expected
    assert minimal_size(k, fraction, "d2", 0.4) == expected


@unhurried
@given(ks, fractions, significances)
def test_seeing_a_class_at_all_says_something(k: int, fraction: float, level: float) -> None:
    """d4 is never less strict than d3, and lets no record through that is alone."""
    strict = minimal_size(k, fraction, "d4", level)
    assert strict >= minimal_size(k, fraction, "d3", level)
    assert strict >= 2


@unhurried
@given(ks, fractions, fractions, estimators, significances)
def test_a_larger_share_asks_for_more(
    k: int, one: float, other: float, estimator: Estimator, level: float
) -> None:
    """Fewer people are left outside the sample."""
    low, high = sorted((one, other))
    assert minimal_size(k, low, estimator, level) <= minimal_size(k, high, estimator, level)


@unhurried
@given(ks, fractions, estimators, significances)
def test_a_larger_k_asks_for_more_and_never_for_more_than_k(
    k: int, fraction: float, estimator: Estimator, level: float
) -> None:
    """So many records are of so many people."""
    found = minimal_size(k, fraction, estimator, level)
    assert 1 <= found <= k
    assert found <= minimal_size(k + 1, fraction, estimator, level)


@unhurried
@given(ks, fractions, st.sampled_from(["d3", "d4"]), significances, significances)
def test_more_certainty_asks_for_more(
    k: int, fraction: float, estimator: Estimator, one: float, other: float
) -> None:
    """A smaller significance."""
    low, high = sorted((one, other))
    assert minimal_size(k, fraction, estimator, low) >= minimal_size(k, fraction, estimator, high)


@unhurried
@given(ks, estimators, significances)
def test_the_whole_population_is_k_anonymity(k: int, estimator: Estimator, level: float) -> None:
    """There are no people outside."""
    assert minimal_size(k, 1.0, estimator, level) == k


@unhurried
@given(
    st.integers(3, 40),
    st.integers(1, 99),
    st.sampled_from(["d3", "d4"]),
    st.sampled_from([0.01, 0.05, 0.1, 0.2, 0.5]),
)
def test_a_random_sample_keeps_what_the_tests_say(
    k: int, percent: int, estimator: Estimator, level: float
) -> None:
    """Of fewer than k people so many are drawn with no more than the significance: binomially."""
    share, size = percent / 100, minimal_size(k, percent / 100, estimator, level)
    if size == k:
        return
    for people in range(1, k):
        drawn = [
            comb(people, n) * share**n * (1 - share) ** (people - n) for n in range(people + 1)
        ]
        among = sum(drawn[1:]) if estimator == "d4" else 1.0
        assert sum(drawn[size:]) / among <= level


def test_two_is_enough_for_small_shares_alone() -> None:
    """d4 requires two up to p k = 0.20715 and three above."""
    assert [minimal_size(50, share / 50, "d4") for share in (0.2071, 0.2072)] == [2, 3]


def test_a_large_k_is_found_as_fast() -> None:
    """By halving, not by counting."""
    assert minimal_size(10**6, 0.5, "d4") == minimal_size(10**6, 0.5, "d3")
    assert 500_000 < minimal_size(10**6, 0.5, "d3") < 502_000
    assert minimal_size(10**6, 0.5, "d2") == pytest.approx(500_000, abs=2)


@pytest.mark.parametrize(
    ("k", "fraction", "estimator", "significance", "said"),
    [
        (1, 0.1, "d4", 0.1, "k is 1, but must be at least 2"),
        (5, 0.0, "d4", 0.1, "the sampling fraction is 0"),
        (5, 10.0, "d2", 0.1, "the sampling fraction is 10"),
        (5, 0.1, "d4", 0.0, "the significance is 0"),
        (5, 0.1, "d3", 0.95, "the significance is 0.95"),
        (5, 0.1, "d4", float("nan"), "the significance is nan"),
        (5, 0.1, "d1", 0.1, "there is no estimator 'd1'"),
    ],
)
def test_what_makes_no_test_is_refused(
    k: int, fraction: float, estimator: Estimator, significance: float, said: str
) -> None:
    """A confidence of 95% is not treated as a significance."""
    with pytest.raises(SettingError, match=said):
        minimal_size(k, fraction, estimator, significance)


@pytest.mark.parametrize("k", [2, 3, 5, 10, 20, 40])
def test_what_the_rules_bound_and_what_they_do_not(k: int) -> None:
    """For a class of fewer than k people: d3 bounds passing, d4 passing given a record; d2 neither.

    Fault class: a bound without the condition, presented as one with it.
    """
    passing: dict[str, list[float]] = {"d2": [], "d3": [], "d4": []}
    given_seen: dict[str, list[float]] = {"d2": [], "d3": [], "d4": []}
    for fraction in (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7):
        for rule in ESTIMATORS:
            least = minimal_size(k, fraction, rule, 0.1)
            for people in range(1, k):
                misses = sum(
                    comb(people, f) * fraction**f * (1 - fraction) ** (people - f)
                    for f in range(min(least, people + 1))
                )
                passes = max(0.0, 1.0 - misses)
                passing[rule].append(passes)
                given_seen[rule].append(passes / (1.0 - (1 - fraction) ** people))
    assert max(passing["d3"]) <= 0.1
    assert max(given_seen["d4"]) <= 0.1
    if k == 5:
        assert max(given_seen["d3"]) > 0.15
        assert max(passing["d2"]) > 0.31
