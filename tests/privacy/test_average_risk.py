"""Average risk: groups evaluated together."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from sensitive import Sample, sample_of

from roadstead.errors import PolicyError
from roadstead.policies.classes import Classes, keep
from roadstead.privacy.combination import bind_all
from roadstead.privacy.models.average_risk import AverageRisk
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.strict_average_risk import StrictAverageRisk
from roadstead.privacy.settings import model_from

AVERAGES = st.sampled_from(["1", "0.5", "0.25", "0.2", "0.1", "0.07", "0.01"])
SIZES = st.lists(st.integers(1, 12) | st.integers(1, 300), max_size=15)


def classes_of(sizes: list[int]) -> Classes:
    """Make classes of some sizes, of one row each."""
    sample = Sample(("x",), tuple((size,) for size in sizes), ())
    return sample.classes([(row,) for row in range(len(sizes))])


def by_hand(sizes: list[int], average: Fraction) -> list[int]:
    """Let classes stay one by one, the largest first, while the mean of 1/f over records is low."""
    stay: list[int] = []
    for size in sorted(sizes, reverse=True):
        if len(stay) + 1 > average * (sum(stay) + size):
            break
        stay.append(size)
    return stay


def that_stay(model: AverageRisk, sizes: list[int]) -> list[int]:
    """Sizes of the classes that a model lets stay, the largest first."""
    marked = model.satisfied(classes_of(sizes)).tolist()
    return sorted((size for size, stays in zip(sizes, marked, strict=True) if stays), reverse=True)


@unhurried
@given(SIZES, AVERAGES)
def test_the_smallest_classes_go_until_the_average_is_low(sizes: list[int], average: str) -> None:
    """Records count, not classes; of one size as many stay as may."""
    assert that_stay(AverageRisk(float(average)), sizes) == by_hand(sizes, Fraction(average))


@unhurried
@given(SIZES, AVERAGES, st.sampled_from(["1", "0.5", "0.33", "0.2", "0.09"]))
def test_the_strict_kind_bounds_each_record_too(
    sizes: list[int], average: str, maximum: str
) -> None:
    """First, the groups with too high a risk are suppressed, then those that exceed the average."""
    large = [size for size in sizes if Fraction(1, size) <= Fraction(maximum)]
    model = StrictAverageRisk(float(average), float(maximum))
    assert that_stay(model, sizes) == by_hand(large, Fraction(average))


@unhurried
@given(st.lists(st.integers(1, 9), max_size=9), st.sampled_from(["0.5", "0.34", "0.25", "0.15"]))
def test_no_other_classes_of_so_low_an_average_have_more_records(
    sizes: list[int], average: str
) -> None:
    """The comparison includes all sets of groups."""
    most = max(
        sum(chosen)
        for number in range(len(sizes) + 1)
        for chosen in combinations(sizes, number)
        if number <= Fraction(average) * sum(chosen)
    )
    assert sum(that_stay(AverageRisk(float(average)), sizes)) == most


@unhurried
@given(SIZES, AVERAGES, st.sampled_from([None, "1", "0.33"]))
def test_what_is_released_holds_as_it_stands(
    sizes: list[int], average: str, maximum: str | None
) -> None:
    """Verification sees the released classes alone, and finds all of them good."""
    model = (
        AverageRisk(float(average))
        if maximum is None
        else StrictAverageRisk(float(average), float(maximum))
    )
    classes = classes_of(sizes)
    released, _ = keep(classes, model.satisfied(classes))
    assert model.satisfied(released).all()
    assert not (model.satisfied(classes) & ~model.monotone_part.satisfied(classes)).any()
    if released.sizes.size > 1:
        first, *others = released.sizes.tolist()
        assert model.satisfied(classes_of([first + others[0], *others[1:]])).all()


def test_a_risk_of_exactly_the_average_passes() -> None:
    """Thirds are not binary fractions."""
    assert AverageRisk(1 / 3).satisfied(classes_of([3, 3, 3])).all()
    assert AverageRisk(0.2).satisfied(classes_of([5] * 7)).all()
    assert not AverageRisk(0.2 - 1e-8).satisfied(classes_of([5] * 7)).any()
    assert StrictAverageRisk(1.0, 1 / 49).k == 49


@pytest.mark.parametrize(
    ("maximum", "k"), [(1.0, 1), (0.5, 2), (0.34, 3), (1 / 3, 3), (0.33, 4), (0.2, 5), (0.05, 20)]
)
def test_a_largest_risk_is_a_smallest_class(maximum: float, k: int) -> None:
    """1/3 is above 0.33, so classes of three are too small for it."""
    model = StrictAverageRisk(1.0, maximum)
    assert model.k == k
    assert model.threshold == maximum
    assert model.monotone_part.satisfied(classes_of([k, k + 1])).all()
    if k > 1:
        assert not model.monotone_part.satisfied(classes_of([k - 1])).any()


def test_a_class_of_one_record_is_monotone_enough_for_an_average() -> None:
    """Together with a large class, it may be released."""
    model = AverageRisk(0.2)
    assert model.satisfied(classes_of([1, 99])).tolist() == [True, True]
    assert model.satisfied(classes_of([1, 1])).tolist() == [False, False]
    part = model.monotone_part
    assert part.satisfied(classes_of([1, 1])).all()
    assert part.monotone_part is part
    assert (part.merges, part.per_class) == (True, True)
    assert (model.merges, model.per_class, model.threshold) == (True, False, 1.0)


def test_with_another_model_the_average_is_that_of_what_both_release() -> None:
    """The large class lacks diversity, so the small ones have nothing to hide behind."""
    sample = sample_of(("a", "b"), (2, 2), (40, 0), (1, 2))
    diverse = model_from({"kind": "distinct-l-diversity", "column": "7", "l": 2}, where="here")
    classes = sample.classes(sample.groups)
    for models in ([AverageRisk(0.25), diverse], [diverse, AverageRisk(0.25)]):
        bound = bind_all(models, sample.table())
        assert not bound.per_class
        assert bound.satisfied(classes).tolist() == [True, False, False]
    both = bind_all([AverageRisk(0.1), KAnonymity(4)], sample.table())
    assert both.satisfied(classes).tolist() == [True, True, False]


def test_no_classes_get_no_answers() -> None:
    """A policy may suppress everything."""
    for model in (AverageRisk(0.2), StrictAverageRisk(0.2, 0.5)):
        found = model.satisfied(classes_of([]))
        assert found.dtype == np.bool_
        assert found.tolist() == []


@pytest.mark.parametrize("model", [AverageRisk(0.2), StrictAverageRisk(0.05, 0.33)])
def test_settings_come_back_from_a_file_as_the_same_model(
    model: AverageRisk | StrictAverageRisk,
) -> None:
    """Through JSON; and it says what it is."""
    assert model_from(json.loads(json.dumps(model.settings())), where="here") == model
    assert model.bind(sample_of(("x",), (1,)).table()) is model
    assert model.columns == ()
    assert f"risk {model.average:g}" in model.name
    assert f"at most {model.average:g}" in model.promise
    assert model.promise.endswith(".")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "average-risk", "average": 0}, "average is 0.0, but must be from 1e-12 to 1"),
        ({"kind": "average-risk", "average": 20}, "average is 20.0"),
        ({"kind": "average-risk", "average": float("nan")}, "average is nan"),
        ({"kind": "strict-average-risk", "average": 0.2, "maximum": 2}, "maximum is 2.0"),
        ({"kind": "strict-average-risk", "average": 0.2}, "parameter 'maximum'"),
    ],
)
def test_risks_that_are_none_are_refused(settings: dict[str, object], message: str) -> None:
    """A percentage is not treated as a share."""
    with pytest.raises(PolicyError, match=message):
        model_from(settings, where="here")
