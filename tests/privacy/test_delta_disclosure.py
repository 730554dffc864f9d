"""delta-disclosure privacy: a worked example, absent values, and the least of each value."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log2

import numpy as np
import pytest
from effort import sparing, unhurried
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sensitive import COLUMN, Records, Sample, sample_of, samples

from roadstead.errors import SettingError
from roadstead.privacy.conditions import ClassCounts
from roadstead.privacy.models.delta_disclosure import DeltaDisclosure

WORDS = ("", "10", "2", "b")


def holds(records: Records, whole: Records, times: Fraction, *, every: bool) -> bool:
    """Compare shares as fractions: all, or those of values that occur."""
    for n, w in zip(records, whole, strict=True):
        p, q = Fraction(n, sum(records)), Fraction(w, sum(whole))
        if n == 0 and not every:
            continue
        if not q / times < p < q * times:
            return False
    return True


def answers(sample: Sample, delta: float, *, every_value: bool = True) -> list[bool]:
    """Ask about the classes of a sample."""
    bound = DeltaDisclosure(COLUMN, delta, every_value).bind(sample.table())
    found: list[bool] = bound.satisfied(sample.classes(sample.groups)).tolist()
    return found


def test_the_example_of_the_page() -> None:
    """Of 16 records half have a, a quarter b, a quarter c; classes of 4, 4 and 8."""
    sample = sample_of(("a", "b", "c"), (2, 1, 1), (3, 1, 0), (3, 2, 3))
    assert answers(sample, 0.1) == [True, False, False]
    # The third: a has 3/8 of 1/2, log2 is -0.415; c has 3/8 of 1/4, log2 is 0.585.
    assert answers(sample, 0.58) == [True, False, False]
    assert answers(sample, 0.59) == [True, False, True]
    # The second lacks c: no delta lets it pass, unless values may be absent.
    assert answers(sample, 50.0) == [True, False, True]
    assert answers(sample, 0.59, every_value=False) == [True, True, True]


def test_a_share_just_twice_as_large_is_not_less_than_twice() -> None:
    """The bound itself is refused, and half as large too."""
    sample = sample_of(("a", "b"), (2, 1), rest=(2, 7))  # a: 2/3 of 1/3; b: 1/3 of 2/3
    assert answers(sample, 1.0) == [False]
    assert answers(sample, 1.0 + 1e-6) == [True]


@pytest.mark.parametrize("every", [True, False])
@unhurried
@given(data=st.data())
def test_values_may_be_absent_only_if_that_is_asked_for(every: bool, data: st.DataObject) -> None:  # noqa: FBT001 - a parameter of the test
    """By the definition, in fractions."""
    sample = data.draw(samples(WORDS))
    times = Fraction(data.draw(st.sampled_from(["1.2", "1.7", "3", "6"])))
    found = answers(sample, log2(times), every_value=every)
    records = [sample.added(group) for group in sample.groups]
    assert found == [holds(one, sample.whole, times, every=every) for one in records]


@sparing
@given(data=st.data())
def test_the_weaker_condition_is_never_lost_by_growing_where_values_may_be_absent(
    data: st.DataObject,
) -> None:
    """And what fails it fails the model."""
    sample = data.draw(samples(WORDS))
    bound = DeltaDisclosure(
        COLUMN, data.draw(st.sampled_from([0.2, 1.0, 2.0])), every_value=False
    ).bind(sample.table())
    part, classes = bound.monotone_part, sample.classes(sample.groups)
    weak = part.satisfied(classes)
    assert not (bound.satisfied(classes) & ~weak).any()
    for group in [g for g, good in zip(sample.groups, weak, strict=True) if good]:
        assert part.satisfied(sample.classes([tuple(range(len(sample.rows)))])).all()
        others = [row for row in range(len(sample.rows)) if row not in group]
        assert part.satisfied(sample.classes([(*group, *others[:1])])).all()


def test_where_values_may_be_absent_two_good_classes_need_not_be_good_together() -> None:
    """One value has 1/2 of the table: all of one class, none of the other, and 1/8 of both."""
    sample = sample_of(("a", "b"), (7, 0), (0, 1), rest=(1, 7))
    loose = DeltaDisclosure(COLUMN, 1.5, every_value=False).bind(sample.table())
    assert not loose.merges
    assert loose.satisfied(sample.classes([(0,), (1,)])).all()
    assert not loose.satisfied(sample.classes([(0, 1)])).any()
    assert DeltaDisclosure(COLUMN, 1.5).bind(sample.table()).merges


@pytest.mark.parametrize("whole", [(6, 3, 3), (10, 1, 1), (4, 4, 4), (9, 2, 1)])
@pytest.mark.parametrize("delta", [0.3, 0.8, 1.4])
def test_the_weaker_condition_asks_for_the_least_of_each_value(
    whole: Records, delta: float
) -> None:
    """Never more than any class that satisfies the model has; and one at least."""
    sample = sample_of(("a", "b", "c"), whole)
    bound = DeltaDisclosure(COLUMN, delta).bind(sample.table())
    times = Fraction(2.0**delta)
    good = [
        one
        for one in product(*(range(n + 1) for n in whole))
        if sum(one) and holds(one, whole, times, every=True)
    ]
    fewest = np.array(good).min(axis=0)
    part = bound.monotone_part
    assert part.holds(counted(fewest)).all()
    for value in range(3):
        lacking = fewest.copy()
        lacking[value] = 0
        assert not part.holds(counted(lacking)).any()


def counted(records: NDArray[np.int64]) -> ClassCounts:
    """One class of records by value."""
    codes = np.flatnonzero(records).astype(np.int32)
    return ClassCounts(np.array([0, codes.size]), codes, records[codes].astype(np.int64))


@pytest.mark.parametrize("delta", [0.0, -1.0, float("nan"), float("inf")])
def test_a_delta_that_is_not_above_0_is_refused(delta: float) -> None:
    """A name and a way out."""
    with pytest.raises(SettingError, match="delta is"):
        DeltaDisclosure(COLUMN, delta)
