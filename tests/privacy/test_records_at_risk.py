"""Records at risk, and unique records: groups evaluated together."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sensitive import Sample

from roadstead.errors import SettingError
from roadstead.policies.classes import Classes, keep
from roadstead.privacy.models.population_uniqueness import PopulationUniqueness, UniquesEstimator
from roadstead.privacy.models.records_at_risk import FewRecordsAtRisk
from roadstead.privacy.models.sample_uniqueness import SampleUniqueness
from roadstead.risk.dankar import dankar_uniques
from roadstead.risk.pitman import pitman_uniques
from roadstead.risk.population_uniques import PopulationUniques
from roadstead.risk.snb import snb_uniques
from roadstead.risk.zayatz import zayatz_uniques

SIZES = st.lists(st.integers(1, 6) | st.integers(1, 60), max_size=15)
SHARES = st.sampled_from(["0", "0.05", "0.1", "0.25", "0.5", "1"])
ESTIMATORS: dict[str, Callable[[NDArray[np.int64], int], PopulationUniques]] = {
    "dankar": dankar_uniques,
    "pitman": pitman_uniques,
    "zayatz": zayatz_uniques,
    "snb": snb_uniques,
}
RISKS = st.sampled_from(["1", "0.5", "0.34", "0.2", "0.1"])


def classes_of(sizes: list[int]) -> Classes:
    """Make classes of some sizes, of one row each."""
    sample = Sample(("x",), tuple((size,) for size in sizes), ())
    return sample.classes([(row,) for row in range(len(sizes))])


def by_hand(sizes: list[int], maximum: Fraction, share: Fraction, average: Fraction) -> list[int]:
    """Let classes stay one by one, the largest first, while both bounds hold."""
    stay: list[int] = []
    for size in sorted(sizes, reverse=True):
        more = [*stay, size]
        at_risk = sum(f for f in more if Fraction(1, f) > maximum)
        if at_risk > share * sum(more) or len(more) > average * sum(more):
            break
        stay = more
    return stay


@unhurried
@given(SIZES, RISKS, SHARES, st.sampled_from(["1", "0.4", "0.15"]))
def test_the_smallest_classes_go_until_both_bounds_hold(
    sizes: list[int], maximum: str, share: str, average: str
) -> None:
    """Records count, and of one size as many stay as may; what is left holds by itself."""
    model = FewRecordsAtRisk(float(maximum), float(share), float(average))
    classes = classes_of(sizes)
    found = model.satisfied(classes)
    released, _ = keep(classes, found)
    expected = by_hand(sizes, Fraction(maximum), Fraction(share), Fraction(average))
    assert sorted(released.sizes.tolist(), reverse=True) == expected
    assert model.satisfied(released).all()
    assert not (found & ~model.monotone_part.satisfied(classes)).any()
    if released.sizes.size > 1:
        first, *others = released.sizes.tolist()
        assert model.satisfied(classes_of([first + others[0], *others[1:]])).all()


def test_the_example_of_the_page() -> None:
    """Of 100 records 4 are in classes below five: two alone, and a class of two."""
    sizes = [1, 1, 2, *[5] * 4, *[19] * 4]
    assert FewRecordsAtRisk(0.2, 0.04).satisfied(classes_of(sizes)).all()
    found = FewRecordsAtRisk(0.2, 0.03).satisfied(classes_of(sizes)).tolist()
    assert found == [False, False, True, *[True] * 8]  # 2 of 98 are at risk now
    found = FewRecordsAtRisk(0.2, 0.02).satisfied(classes_of(sizes)).tolist()
    assert found == [False] * 3 + [True] * 8
    found = FewRecordsAtRisk(0.2, 0.035).satisfied(classes_of(sizes)).tolist()
    assert found == [False, True, *[True] * 9]  # 3 of 99
    # 9 classes of 98 records have a mean of .0918; seven of the largest have 7 / 91 = .0769.
    found = FewRecordsAtRisk(0.2, 0.03, 0.08).satisfied(classes_of(sizes)).tolist()
    assert found[:3] == [False] * 3
    assert sum(found[3:7]) == 3
    assert all(found[7:])


@unhurried
@given(SIZES, SHARES.filter(lambda share: share != "1"))
def test_as_many_records_that_are_alone_stay_as_may(sizes: list[int], share: str) -> None:
    """All others stay; one more of them would be too many."""
    found = SampleUniqueness(float(share)).satisfied(classes_of(sizes)).tolist()
    assert all(stays for size, stays in zip(sizes, found, strict=True) if size > 1)
    others = sum(size for size in sizes if size > 1)
    most = max(n for n in range(sizes.count(1) + 1) if n <= Fraction(share) * (n + others))
    assert sum(found) == most + sum(size > 1 for size in sizes)


@pytest.mark.parametrize("estimator", ["dankar", "zayatz"])
def test_population_uniqueness_is_what_the_estimate_says(estimator: str) -> None:
    """Those alone go where the share estimated is above the bound, and not where it is just it."""
    sizes = [1] * 12 + [2] * 9 + [3] * 4 + [5] * 8 + [20] * 3
    estimate = dankar_uniques if estimator == "dankar" else zayatz_uniques
    classes = classes_of(sizes)
    share = estimate(classes.sizes, 5_000).share
    assert share is not None
    assert 0.0 < share < 0.5

    def satisfied(maximum: float) -> list[bool]:
        model = PopulationUniqueness(
            maximum, 5_000, "dankar" if estimate is dankar_uniques else "zayatz"
        )
        found: list[bool] = model.satisfied(classes).tolist()
        return found

    assert all(satisfied(share))
    assert satisfied(share * 0.999) == [number != 5 for number in range(len(sizes))]
    assert satisfied(0.0) == [size > 1 for size in sizes]


@unhurried
@given(SIZES, st.sampled_from(["dankar", "pitman", "zayatz", "snb"]), st.integers(1, 40))
def test_as_many_of_those_alone_stay_as_the_estimate_allows(
    sizes: list[int], estimator: UniquesEstimator, thousandths: int
) -> None:
    """The greatest number of all, wherever the estimate rises with it; and it is allowed."""
    model = PopulationUniqueness(thousandths / 1000, 2_000, estimator)
    classes = classes_of(sizes)
    found = model.satisfied(classes)
    assert found[classes.sizes > 1].all()
    released, _ = keep(classes, found)
    assert model.satisfied(released).all()
    assert not (found & ~model.monotone_part.satisfied(classes)).any()
    others = [size for size in sizes if size > 1]
    numbers = range(1, sizes.count(1) + 1)
    shares = [
        ESTIMATORS[estimator](np.array([*others, *[1] * number]), 2_000).share for number in numbers
    ]
    bound = thousandths / 1000 * (1 + 1e-9)
    answers = {n: share for n, share in zip(numbers, shares, strict=True) if share is not None}
    allowed = [0, *(n for n, share in answers.items() if share <= bound)]
    stay = int(np.count_nonzero(released.sizes == 1))
    assert stay in allowed
    silent = 0.0 if estimator == "snb" else inf  # it has no answer for few of them
    known = [silent if share is None else share for share in shares]
    if known == sorted(known):
        assert stay == max(allowed)


def test_a_number_without_an_answer_is_not_allowed() -> None:
    """With 100 unique records and 40 pairs, slide negative binomial has answers for many only."""
    classes = classes_of([1] * 100 + [2] * 40 + [9] * 20)
    model = PopulationUniqueness(0.01, 20_000, "snb")
    stay = int(np.count_nonzero(model.satisfied(classes)[:100]))
    assert 0 < stay < 100
    assert model.estimated(classes_of([1] * stay + [2] * 40 + [9] * 20)) is not None
    assert model.estimated(classes_of([1] * 5 + [2] * 40 + [9] * 20)) is None


def test_where_the_estimate_has_no_answer_those_alone_go() -> None:
    """The slide negative binomial needs classes of two records."""
    model = PopulationUniqueness(0.9, 1_000, "snb")
    assert model.satisfied(classes_of([1, 3, 4])).tolist() == [False, True, True]
    assert model.estimated(classes_of([1, 3, 4])) is None
    assert model.estimated(classes_of([2, 3, 4])) == 0.0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: FewRecordsAtRisk(0.0, 0.1), "maximum is"),
        (lambda: FewRecordsAtRisk(0.2, -0.1), "at_risk is"),
        (lambda: FewRecordsAtRisk(0.2, 0.1, 2.0), "average is"),
        (lambda: SampleUniqueness(1.0), "maximum is"),
        (lambda: PopulationUniqueness(-0.1, 10), "maximum is"),
        (lambda: PopulationUniqueness(0.1, 0), "people is"),
        (
            lambda: PopulationUniqueness(0.1, 4).bind(Sample(("x",), ((5,),), ()).table()),
            "the population has 4 people, but the table has 5 records",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make: object, said: str) -> None:
    """A name and a way out."""
    assert callable(make)
    with pytest.raises(SettingError, match=said):
        make()


def test_a_risk_is_bounded_for_each_record_only_where_none_is_let_off() -> None:
    """As verification and the report ask."""
    assert FewRecordsAtRisk(0.2, 0.0).threshold == 0.2
    assert FewRecordsAtRisk(0.2, 0.1).threshold == 1.0
    assert SampleUniqueness(0.0).threshold == 0.5
    assert SampleUniqueness(0.1).threshold == PopulationUniqueness(0.1, 9).threshold == 1.0
