"""Records at risk, and records that are alone: classes judged together."""

from __future__ import annotations

from fractions import Fraction

import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from sensitive import Sample

from roadstead.errors import SettingError
from roadstead.policies.classes import Classes, keep
from roadstead.privacy.models.population_uniqueness import PopulationUniqueness
from roadstead.privacy.models.records_at_risk import FewRecordsAtRisk
from roadstead.privacy.models.sample_uniqueness import SampleUniqueness
from roadstead.risk.dankar import dankar_uniques
from roadstead.risk.zayatz import zayatz_uniques

SIZES = st.lists(st.integers(1, 6) | st.integers(1, 60), max_size=15)
SHARES = st.sampled_from(["0", "0.05", "0.1", "0.25", "0.5", "1"])
RISKS = st.sampled_from(["1", "0.5", "0.34", "0.2", "0.1"])


def classes_of(sizes: list[int]) -> Classes:
    """Make classes of some sizes, of one row each."""
    sample = Sample(("x",), tuple((size,) for size in sizes), ())
    return sample.classes([(row,) for row in range(len(sizes))])


def by_hand(sizes: list[int], maximum: Fraction, share: Fraction, average: Fraction) -> list[bool]:
    """Leave out the smallest size again and again until both bounds hold of what is left."""
    left = sorted(sizes)
    while left:
        at_risk = sum(f for f in left if Fraction(1, f) > maximum)
        if at_risk <= share * sum(left) and len(left) <= average * sum(left):
            break
        left = [f for f in left if f > left[0]]
    return [bool(left) and size >= left[0] for size in sizes]


@unhurried
@given(SIZES, RISKS, SHARES, st.sampled_from(["1", "0.4", "0.15"]))
def test_the_smallest_classes_go_until_both_bounds_hold(
    sizes: list[int], maximum: str, share: str, average: str
) -> None:
    """Records count, and all classes of one size share one fate; what is left holds by itself."""
    model = FewRecordsAtRisk(float(maximum), float(share), float(average))
    classes = classes_of(sizes)
    found = model.satisfied(classes)
    assert found.tolist() == by_hand(sizes, Fraction(maximum), Fraction(share), Fraction(average))
    released, _ = keep(classes, found)
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
    # 9 classes of 98 records have a mean of .0918; the last four alone have 4 / 76 = .0526.
    found = FewRecordsAtRisk(0.2, 0.03, 0.08).satisfied(classes_of(sizes)).tolist()
    assert found == [False] * 7 + [True] * 4


@unhurried
@given(SIZES, SHARES.filter(lambda share: share != "1"))
def test_records_that_are_alone_stay_or_go_together(sizes: list[int], share: str) -> None:
    """They stay while they are few."""
    few = sizes.count(1) <= Fraction(share) * sum(sizes)
    found = SampleUniqueness(float(share)).satisfied(classes_of(sizes)).tolist()
    assert found == [few or size > 1 for size in sizes]


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
    assert satisfied(share * 0.999) == [size > 1 for size in sizes]
    assert satisfied(0.0) == [size > 1 for size in sizes]


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
            "people is 4, and the table has 5 records",
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
