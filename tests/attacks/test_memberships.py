"""Members and others: a threshold between scores, and mechanisms run many times."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from roadstead.attacks.finding import GUESSING, Findings
from roadstead.attacks.matching.control import looks_released
from roadstead.attacks.membership.audit import audited
from roadstead.attacks.membership.scores import allowed_by, by_scores
from roadstead.release.evidence import CertifiedAttack, wrong_with
from roadstead.tables.frequency import FrequencyTable, canonical


def judged(members: NDArray[np.float64], others: NDArray[np.float64], seed: int) -> CertifiedAttack:
    """Distinguish members from others."""
    chance = np.random.default_rng(seed)
    found: Findings = by_scores("membership", {}, members, others, GUESSING, chance)
    (one,) = found.found
    assert wrong_with(one) is None
    return one


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_scores_that_do_not_overlap_tell_everybody(sign: float) -> None:
    """Whichever side members are on."""
    one = judged(sign * np.arange(200.0, 300.0), sign * np.arange(0.0, 100.0), 1)
    assert (one.successes, one.attempts) == (100, 100)
    assert one.convicted


def test_scores_that_are_drawn_alike_tell_nobody() -> None:
    """The line is drawn on other records than it is judged on: no gain by choosing it."""
    chance = np.random.default_rng(7)
    found = [judged(chance.normal(size=80), chance.normal(size=80), at) for at in range(200)]
    assert sum(one.convicted for one in found) <= 10
    assert abs(sum(one.gain for one in found) / len(found)) < 0.02


def test_all_scores_alike_are_right_for_half() -> None:
    """An attacker who cannot distinguish people puts all of them on one side."""
    assert judged(np.zeros(60), np.zeros(60), 3).gain == 0.0


def test_what_epsilon_allows_is_that_of_randomized_response() -> None:
    """The true answer has the probability e^epsilon / (1 + e^epsilon)."""
    assert allowed_by(1.0).allowed == pytest.approx(exp(1) / (1 + exp(1)))
    assert allowed_by(0.0).allowed == 0.5


def laplace(rate: float, seed: int) -> CertifiedAttack:
    """Audit a count with discrete Laplace noise, which claims epsilon 1."""

    def noisy(table: int, run: int) -> int:
        chance = Random(f"{table} {run} {seed}")  # noqa: S311 - repeats itself
        one, other = (int(-log(1.0 - chance.random()) / rate) for _ in range(2))
        return table + one - other

    return audited("mechanism-audit", noisy, (7, 8), 1.0, 1_500)


def test_a_mechanism_that_keeps_epsilon_is_never_convicted() -> None:
    """Twenty times; its bound stays below what it is."""
    for seed in range(20):
        one = laplace(1.0, seed)
        assert not one.convicted
        assert 0.3 < float(str(one.knowledge["epsilon_at_least"])) <= 1.0
        assert wrong_with(one) is None


def test_conviction_and_bound_are_one_verdict() -> None:
    """The bound is above epsilon just where the share is above what epsilon allows."""
    for rate in (0.8, 1.2, 1.6, 3.0):
        one = laplace(rate, 1)
        assert one.convicted == (float(str(one.knowledge["epsilon_at_least"])) > 1.0)
    assert laplace(3.0, 1).convicted


def table_of(rows: Sequence[tuple[str, ...]]) -> FrequencyTable:
    """Count rows of two columns."""
    codes = [np.unique([row[at] for row in rows], return_inverse=True) for at in (0, 1)]
    domains = tuple(tuple(map(str, values)) for values, _ in codes)
    ones = np.ones(len(rows), dtype=np.int64)
    return canonical(("a", "b"), domains, [own.astype(np.int32) for _, own in codes], ones)[0]


@pytest.mark.parametrize("values", [3, 20, 60, 1_000])
def test_records_held_out_of_the_same_people_are_taken(values: int) -> None:
    """There may be many identical rows; the same records are refused if rows are mostly unique."""
    chance = np.random.default_rng(values)
    drawn = chance.zipf(1.3, (1_500, 2)) % values
    rows = [(str(a), str(b)) for a, b in drawn.tolist()]
    mine, others = table_of(rows[:1_000]), table_of(rows[1_000:])
    assert not looks_released(mine, others)
    if values > 3:
        assert looks_released(mine, mine)
        assert looks_released(mine, table_of(rows[:500]))
