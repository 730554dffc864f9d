"""Prosecutor risk against its definition, record by record."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roadstead.risk.prosecutor import prosecutor_risk, size_histogram

classes = st.lists(st.integers(1, 60), min_size=1, max_size=40)


@given(classes, st.integers(1, 60))
def test_risk_is_the_mean_and_the_maximum_over_records(sizes: list[int], k: int) -> None:
    """Each record's is one over the size of its class; 1/k itself is not above 1/k."""
    of_records = [Fraction(1, size) for size in sizes for _ in range(size)]
    found = prosecutor_risk(np.array(sizes, dtype=np.int64), 1.0 / k)
    assert found.maximum == float(max(of_records))
    assert found.average == pytest.approx(float(sum(of_records) / len(of_records)))
    above = sum(risk > Fraction(1, k) for risk in of_records)
    assert found.share_above_threshold == pytest.approx(above / len(of_records))
    assert (found.records, found.classes) == (sum(sizes), len(sizes))
    assert (found.smallest, found.largest) == (min(sizes), max(sizes))
    assert found.mean_size == pytest.approx(sum(sizes) / len(sizes))
    assert found.uniques == sizes.count(1)
    assert found.threshold == 1.0 / k


def test_small_classes_do_not_weigh_more_than_they_hold() -> None:
    """One record alone among a hundred that are not: the mean over classes would be a half."""
    assert prosecutor_risk(np.array([1, 99], dtype=np.int64), 0.2).average == 2 / 100


def test_no_record_has_no_risk() -> None:
    """As after everything was suppressed."""
    found = prosecutor_risk(np.array([], dtype=np.int64), 0.2)
    assert (found.maximum, found.average, found.share_above_threshold) == (0.0, 0.0, 0.0)
    assert (found.records, found.classes, found.uniques, found.mean_size) == (0, 0, 0, 0.0)


@given(classes)
def test_the_histogram_counts_records_by_the_size_of_their_class(sizes: list[int]) -> None:
    """In ascending order, none twice."""
    found = size_histogram(np.array(sizes, dtype=np.int64))
    by_hand = Counter(size for size in sizes for _ in range(size))
    assert found == tuple(sorted(by_hand.items()))
