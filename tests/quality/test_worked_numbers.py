"""Quality models on tables small enough to work out on paper."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest

from roadstead.errors import RoleError, SettingError
from roadstead.hierarchies.hierarchy import from_columns
from roadstead.policies.classes import Classes, classes_at, keep
from roadstead.policies.encoding import Encoding, encode
from roadstead.policies.full_domain import Levels
from roadstead.quality.aggregates import ArithmeticMean, GeometricMean
from roadstead.quality.models.class_size import AverageClassSize
from roadstead.quality.models.classification import Classification
from roadstead.quality.models.discernibility import Discernibility
from roadstead.quality.models.divergence import Divergence
from roadstead.quality.models.entropy import Entropy
from roadstead.quality.models.precision import Precision
from roadstead.quality.protocol import QualityModel
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import histogram


def table(**records: int) -> Encoding:
    """Two attributes of two values, each kept or removed; records by both values."""
    hierarchies = [
        from_columns(name, [("x", "y"), ("*", "*")], origin="test") for name in ("a", "b")
    ]
    cells = sorted(records)
    codes = tuple(np.array(["xy".index(cell[i]) for cell in cells], np.int32) for i in (0, 1))
    counts = np.array([records[cell] for cell in cells], dtype=np.int64)
    known = FrequencyTable(("a", "b"), (("x", "y"), ("x", "y")), codes, counts)
    return encode(known, hierarchies)


def loss(model: QualityModel, encoding: Encoding, levels: Levels, k: int = 1) -> float:
    """Loss of a policy that keeps classes of k."""
    kept, rows = keep_large(classes_at(encoding, levels), k)
    bound = model.bind(encoding)
    return bound.loss(levels, bound.suppress(bound.nothing_suppressed(), rows), kept)


def keep_large(
    classes: Classes, k: int
) -> tuple[Classes, np.ndarray[tuple[int], np.dtype[np.uint32]]]:
    """Classes of k records at least, and the rows of all others."""
    return keep(classes, classes.sizes >= k)


SIXTEEN = table(xx=7, xy=5, yx=3, yy=1)


def test_records_of_one_cell_spread_over_four_diverge_by_the_logarithm_of_four() -> None:
    """The example of paper 002; it is all that can be lost."""
    bound = Divergence().bind(table(xx=7))
    assert bound._measure._whole / 7 == pytest.approx(log(4))  # type: ignore[attr-defined] # looks inside
    assert loss(Divergence(), table(xx=7), (1, 1)) == 1.0
    assert loss(Divergence(), table(xx=7), (1, 0)) == 0.5
    assert loss(Divergence(), table(xx=7), (0, 0)) == 0.0


def test_an_even_table_has_no_divergence_to_lose() -> None:
    """Everything generalized says as much, and so does everything suppressed."""
    even = table(xx=3, xy=3, yx=3, yy=3)
    assert loss(Divergence(), even, (1, 1)) == loss(Divergence(), even, (0, 0), k=9) == 0.0


@pytest.mark.parametrize(
    ("levels", "k", "cost"),
    [
        ((0, 0), 1, 49 + 25 + 9 + 1),
        ((0, 0), 3, 49 + 25 + 9 + 16),
        ((0, 0), 5, 49 + 25 + 16 * 4),
        ((0, 1), 5, 144 + 16 * 4),
        ((1, 0), 5, 100 + 36),
        ((1, 1), 5, 256),
        ((0, 0), 9, 256),
    ],
)
def test_discernibility_adds_squares_and_the_table_for_each_suppressed_record(
    levels: Levels, k: int, cost: int
) -> None:
    """Of sixteen records in cells of 7, 5, 3 and 1."""
    assert loss(Discernibility(), SIXTEEN, levels, k) == cost / 256


@pytest.mark.parametrize(
    ("levels", "k", "groups"), [((0, 0), 1, 4), ((0, 0), 3, 4), ((0, 0), 5, 3), ((1, 0), 1, 2)]
)
def test_suppressed_records_are_one_group(levels: Levels, k: int, groups: int) -> None:
    """With and without a known smallest class."""
    assert loss(AverageClassSize(), SIXTEEN, levels, k) == 1 / groups
    assert loss(AverageClassSize(smallest=k), SIXTEEN, levels, k) == 1 / groups


def test_what_is_known_of_the_smallest_class_makes_the_bound_better() -> None:
    """Classes of 7, 5, 3 and 1 merge to three of five at most: 5 + 5 + 3 + 1 is 14."""
    bounds = []
    for model in (AverageClassSize(), AverageClassSize(smallest=5)):
        bound = model.bind(SIXTEEN)
        nothing = bound.nothing_suppressed()
        bounds.append(bound.lower_bound((0, 0), (1, 1), nothing, classes_at(SIXTEEN, (1, 1))))
    assert bounds == [1 / 4, 1 / 3]


def test_the_minority_of_a_class_is_misled() -> None:
    """Cells of 4 + 3, 5 + 0, 1 + 2 and 0 + 1 records by target."""
    entries = (
        np.array([0, 0, 1, 2, 2, 3], dtype=np.int64),
        np.array([0, 1, 0, 0, 1, 1], dtype=np.int32),
        np.array([4, 3, 5, 1, 2, 1], dtype=np.int64),
    )
    target = histogram("sick", ("no", "yes"), entries, 4)
    encoding = replace(SIXTEEN, table=replace(SIXTEEN.table, alongside=(target,)))
    model = Classification("sick")
    assert model.columns == ("sick",)
    assert loss(model, encoding, (0, 0)) == (3 + 0 + 1 + 0) / 16
    assert loss(model, encoding, (0, 0), k=3) == (3 + 0 + 1 + 1) / 16
    assert loss(model, encoding, (1, 0)) == (5 + 1) / 16
    assert loss(model, encoding, (1, 1)) == 6 / 16
    assert loss(model, encoding, (0, 0), k=9) == 1.0
    with pytest.raises(RoleError, match="was not counted"):
        model.bind(SIXTEEN)


def test_precision_counts_steps_and_suppressed_records() -> None:
    """Four of sixteen suppressed, and one of two attributes removed."""
    assert loss(Precision(ArithmeticMean()), SIXTEEN, (0, 1), k=5) == (4 / 16 + 1) / 2
    assert loss(Precision(GeometricMean()), SIXTEEN, (0, 0)) == 0.0


def test_an_uneven_attribute_has_less_entropy_to_lose() -> None:
    """The first has 12 and 4 records, the second 10 and 6; three and one of them suppressed."""
    first = 16 * log(16) - 12 * log(12) - 4 * log(4)
    second = 16 * log(16) - 10 * log(10) - 6 * log(6)
    lost = 4 * log(4) - 3 * log(3)
    found = loss(Entropy(ArithmeticMean((1.0, 0.0))), SIXTEEN, (0, 0), k=5)
    assert found == 0.0  # suppressed records are equal in it
    found = loss(Entropy(ArithmeticMean((0.0, 1.0))), SIXTEEN, (0, 0), k=5)
    assert found == pytest.approx(lost / second, abs=1e-10)
    assert first < second
    assert loss(Entropy(), SIXTEEN, (1, 1)) == 1.0


@pytest.mark.parametrize(("factor", "expected"), [(0.25, 3 / 8), (0.5, 1 / 2), (0.75, 3 / 8)])
def test_the_entropy_of_suppressed_records_has_a_price_of_its_own(
    factor: float, expected: float
) -> None:
    """The example of the page: four values, and the two under one of two labels suppressed."""
    codes, counts = np.arange(4, dtype=np.int32), np.ones(4, dtype=np.int64)
    known = FrequencyTable(("a",), (tuple("pqrs"),), (codes,), counts)
    columns = [tuple("pqrs"), ("1", "1", "2", "2"), ("*",) * 4]
    encoding = encode(known, [from_columns("a", columns, origin="test")])
    bound = Entropy(gs_factor=factor).bind(encoding)
    kept, rows = keep(classes_at(encoding, (1,)), np.array([False, True]))
    found = bound.loss((1,), bound.suppress(bound.nothing_suppressed(), rows), kept)
    assert found == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("model", [Precision, Entropy])
def test_weights_must_be_as_many_as_attributes(model: type[Precision | Entropy]) -> None:
    """Three for two are refused."""
    with pytest.raises(SettingError, match="3 weights are given for 2 attributes"):
        model(GeometricMean((1.0, 1.0, 1.0))).bind(SIXTEEN)


def test_a_smallest_class_of_nothing_is_refused() -> None:
    """Every class has a record."""
    with pytest.raises(SettingError, match="cannot have 0 records"):
        AverageClassSize(smallest=0)


def test_the_settings_say_how_the_loss_was_measured() -> None:
    """For the certificate, as JSON can hold it."""
    weighed = {"aggregate": "arithmetic", "weights": [1.0, 3.0]}
    mean = ArithmeticMean((1.0, 3.0))
    assert Precision(mean).settings() == {"kind": "precision", **weighed}
    assert Entropy(mean).settings() == {"kind": "entropy", **weighed}
    assert Entropy(mean, 0.2).settings() == {"kind": "entropy", **weighed, "gs_factor": 0.2}
    assert Discernibility().settings() == {"kind": "discernibility"}
    assert AverageClassSize(5).settings() == {"kind": "class-size"}
    assert Divergence().settings() == {"kind": "divergence"}
    assert Classification("sick").settings() == {"kind": "classification", "target": "sick"}
