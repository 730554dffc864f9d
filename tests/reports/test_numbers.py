"""A percentage never claims more than its share: bounds are rounded outwards."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.reports.numbers import Bound, percent

SHARES = st.floats(0.0, 1.0) | st.fractions(0, 1)


def read(text: str) -> Fraction:
    """Read a percentage back as the share that it says."""
    return Fraction(Decimal(text.removesuffix("%"))) / 100


def meant(share: float | Fraction) -> Fraction:
    """Give the number that a share means: for a float, the shortest decimal."""
    return Fraction(repr(share)) if isinstance(share, float) else share


@pytest.mark.parametrize(
    ("share", "nearest", "upper", "lower"),
    [
        (0.0, "0%", "0%", "0%"),
        (1.0, "100%", "100%", "100%"),
        (1, "100%", "100%", "100%"),
        (0.05, "5%", "5%", "5%"),
        (0.2, "20%", "20%", "20%"),
        (0.07, "7%", "7%", "7%"),
        (0.0459, "4.59%", "4.59%", "4.59%"),
        (1 / 3, "33.3%", "33.4%", "33.3%"),
        (Fraction(2, 3), "66.7%", "66.7%", "66.6%"),
        (0.99999, "99.999%", "99.999%", "99.9%"),
        (0.99951, "99.95%", "99.96%", "99.9%"),
        (1e-6, "0.0001%", "0.0001%", "0.0001%"),
        (1.234567e-6, "0.000123%", "0.000124%", "0.000123%"),
        (1.2345e-9, "1.23e-7%", "1.24e-7%", "1.23e-7%"),
        (1.004, "100.4%", "101%", "100.4%"),
        (12.3456, "1235%", "1235%", "1234%"),
        (-0.0123456, "-1.23%", "-1.23%", "-1.24%"),
        (1 - 2**-53, "100%", "100%", "99.9%"),
        (1 - Fraction(1, 10**40), f"99.{'9' * 38}%", f"99.{'9' * 38}%", "99.9%"),
        (float("inf"), "inf%", "inf%", "inf%"),
        (np.float64(0.05), "5%", "5%", "5%"),
    ],
)
def test_a_share_is_written_with_three_digits(
    share: float, nearest: str, upper: str, lower: str
) -> None:
    """Three digits count; a bound that has no more digits than that stays as it was given."""
    assert percent(share) == nearest
    assert percent(share, bound="upper") == upper
    assert percent(share, bound="lower") == lower


@given(SHARES)
def test_what_is_at_most_is_never_written_too_low(share: float | Fraction) -> None:
    """An upper bound as written is at least the share. Fault class: a bound rounded inwards."""
    assert read(percent(share, bound="upper")) >= meant(share)


@given(SHARES)
def test_what_is_at_least_is_never_written_too_high(share: float | Fraction) -> None:
    """A lower bound as written is at most the share. Fault class: a bound rounded inwards."""
    assert read(percent(share, bound="lower")) <= meant(share)


@given(SHARES, st.sampled_from([None, "upper", "lower"]))
def test_only_nothing_is_0_and_only_everything_is_100(
    share: float | Fraction, bound: Bound | None
) -> None:
    """Fault class: a share of 0.99999 read as certain, one of 0.00001 read as impossible.

    A float that misses 1 by what a sum of floats does is 1, but not where it bounds from below.
    """
    summed = isinstance(share, float) and bound != "lower" and abs(meant(share) - 1) < 1e-11
    assert (read(percent(share, bound=bound)) == 1) == (meant(share) == 1 or summed)
    assert (read(percent(share, bound=bound)) == 0) == (meant(share) == 0)


@given(SHARES, st.sampled_from([None, "upper", "lower"]))
def test_three_digits_are_kept(share: float | Fraction, bound: Bound | None) -> None:
    """The written number is off by less than one in the third digit."""
    off = abs(read(percent(share, bound=bound)) - meant(share))
    assert off <= meant(share) / 100
