"""A gain is above noise only if the interval says so."""

from __future__ import annotations

import numpy as np
import pytest

from roadstead.attacks.recodings.gain import LEAST_CLASSES, Gain, gain_of


def compared(right: list[float], guessed: list[float], *, confidence: float = 0.95) -> Gain:
    """Compare two attackers on classes of ten records."""
    number = np.full(len(right), 10.0)
    return gain_of("a", "b", np.array(right), np.array(guessed), number, confidence=confidence)


def test_who_guesses_alike_gains_nothing() -> None:
    """The interval is zero, and not above it."""
    found = compared([5.0] * 20, [5.0] * 20)
    assert (found.gain, found.low, found.high) == (0.0, 0.0, 0.0)
    assert not found.above_noise


def test_of_few_classes_nothing_is_said() -> None:
    """However much is gained."""
    few = LEAST_CLASSES - 1
    assert not compared([10.0] * few, [0.0] * few).above_noise
    assert compared([10.0] * LEAST_CLASSES, [0.0] * LEAST_CLASSES).above_noise


def test_intervals_cover_what_they_should() -> None:
    """Of 200 tables without any gain, about 95% of the intervals hold zero."""
    chance = np.random.default_rng(7)
    inside = 0
    for _ in range(200):
        draws = chance.binomial(10, 0.3, size=(2, 60)).astype(np.float64)
        found = compared(draws[0].tolist(), draws[1].tolist())
        inside += found.low <= 0.0 <= found.high
    assert inside >= 180


def test_more_confidence_is_a_wider_interval() -> None:
    """And both hold the gain itself."""
    chance = np.random.default_rng(1)
    right, guessed = chance.binomial(10, 0.4, 50), chance.binomial(10, 0.3, 50)
    narrow = compared(right.tolist(), guessed.tolist(), confidence=0.9)
    wide = compared(right.tolist(), guessed.tolist(), confidence=0.999)
    assert wide.low < narrow.low < narrow.gain < narrow.high < wide.high
    assert narrow.gain == pytest.approx((right.sum() - guessed.sum()) / 500)
