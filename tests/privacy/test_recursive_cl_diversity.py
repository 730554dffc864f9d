"""Recursive (c,l)-diversity compares exactly, however many digits c has."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

import roadstead as rs
from roadstead.privacy.models import recursive_cl_diversity as own

NUMBERS = st.floats(1e-12, 1e12) | st.builds(lambda a, b: a / b, *[st.integers(1, 60)] * 2)


@given(NUMBERS, st.integers(1, 40))
@examples(200)
def test_whole_numbers_compare_as_the_fraction_does(c: float, most: int) -> None:
    """For all pairs of counts, by the definition."""
    written = Fraction(repr(c))
    by_head, by_tail, more = own._whole_numbers(written, most)
    assert max(by_head, by_tail) <= max(most, 1) or by_head == 0
    for head in range(1, most + 1):
        for tail in range(1, most + 1):
            assert (head < written * tail) is (head * by_head < tail * by_tail + more)


@given(NUMBERS)
@examples(40)
def test_products_fit_into_64_bits(c: float) -> None:
    """For two billion records."""
    many = 2**31 - 1
    by_head, by_tail, more = own._whole_numbers(Fraction(repr(c)), many)
    assert (by_head * many).bit_length() <= 63
    assert (by_tail * many + more).bit_length() <= 63
    head = np.array([many], dtype=np.int64)
    assert (head * by_head)[0] == many * by_head


def test_a_policy_is_not_missed_because_of_rounding() -> None:
    """Fault class: 5/3 as a float has 17 digits, and products with it were rounded.

    Among the women, 5 have the most frequent value and 3 have others. So 5 < c * 3, because the
    float is above 5/3.
    """
    illnesses = ["flu"] * 5 + ["hiv"] * 2 + ["ms"] + ["flu", "hiv", "ms"] * 4
    table = {"sex": ["f"] * 8 + ["m"] * 12, "illness": illnesses}
    model = {"kind": "recursive-cl-diversity", "column": "illness", "c": 5 / 3, "l": 2}
    found = rs.anonymize(pa.table(table), quasi=["sex"], sensitive=["illness"], privacy=[model])
    assert Fraction(5 / 3) > Fraction(5, 3)
    assert found.optimal
    assert found.loss == 0.0
