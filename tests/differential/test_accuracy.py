"""Accuracies computed by hand, parts of tables, and Adult's published baselines."""

from __future__ import annotations

import csv
import os
from collections import Counter
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from effort import unhurried
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from private_tables import Case, Numbers, cases, private_table

from roadstead.differential.domains import CutGroups, NumericCut, NumericDomain
from roadstead.differential.evaluation.accuracy import (
    accuracy_of,
    baseline_accuracy,
    lower_bound_accuracy,
    mean_of_runs,
    split,
)
from roadstead.differential.evaluation.classifiers import Majority, Prediction, PrunedTree
from roadstead.differential.evaluation.features import Examples, Matrix
from roadstead.differential.private_table import PrivateTable, within
from roadstead.errors import SettingError
from roadstead.tables.frequency import canonical
from roadstead_reproductions.mohammed2013.adult_domains import (
    CLASSES,
    COLUMNS,
    TARGET,
    adult_domains,
)
from roadstead_reproductions.mohammed2013.runs import folds


class ByHeart:
    """Predicts the majority class of equal examples, and class 0 of what it has not seen."""

    name = "by heart"

    def learn(self, examples: Examples, seed: int) -> Prediction:  # noqa: ARG002 - no chance
        """Learn all rows by heart."""
        seen: dict[tuple[float, ...], Counter[int]] = {}
        for row, target, weight in zip(
            examples.matrix.tolist(), examples.target.tolist(), examples.weights, strict=True
        ):
            seen.setdefault(tuple(row), Counter())[target] += int(weight)

        def predict(matrix: Matrix) -> NDArray[np.int32]:
            rows = [seen.get(tuple(row), Counter({0: 1})) for row in matrix.tolist()]
            return np.array([row.most_common(1)[0][0] for row in rows], dtype=np.int32)

        return predict


def ages(*records: tuple[int, str]) -> PrivateTable:
    """Make a table of one number below 10, and a class."""
    return private_table(
        Case((Numbers("age", 10),), ("no", "yes"), tuple(((age,), label) for age, label in records))
    )


def test_what_the_release_says_is_tested_on_records_generalized_alike() -> None:
    """The release says yes from 5 on; of six records with ages in two intervals, four agree."""
    cut = NumericCut(NumericDomain("age", Decimal(0), Decimal(9)), (0, 5, 10))
    groups = CutGroups((cut,), (np.array([0, 1], dtype=np.int32),), (None,))
    counts = np.array([[3, 1], [-2, 4]])
    test = ages((1, "no"), (1, "no"), (4, "yes"), (5, "yes"), (9, "yes"), (8, "no"))
    assert accuracy_of(groups, counts, test, ByHeart()) == pytest.approx(4 / 6)
    assert accuracy_of(groups, counts, test, Majority()) == 0.5


def test_the_baseline_learns_from_records_as_they_are() -> None:
    """Every age is known but 7, and that of 2 misleads."""
    train = ages((1, "yes"), (2, "no"), (3, "yes"), (3, "yes"), (3, "no"))
    test = ages((1, "yes"), (2, "yes"), (3, "yes"), (3, "yes"), (7, "no"))
    assert baseline_accuracy(train, test, ByHeart()) == pytest.approx(4 / 5)


@unhurried
@given(cases(), cases())
def test_the_lower_bound_is_the_share_of_the_majority(case: Case, other: Case) -> None:
    """The most frequent class of some records, counted among others."""
    assume(case.records)
    test = Case(case.attributes, case.classes, case.records[: len(other.records) + 1])
    labels = [label for _, label in case.records]
    most = max(case.classes, key=labels.count)
    expected = sum(label == most for _, label in test.records) / len(test.records)
    found = lower_bound_accuracy(private_table(case), private_table(test))
    assert found == pytest.approx(expected)


def test_without_test_records_there_is_no_accuracy() -> None:
    """The error says what to do."""
    with pytest.raises(SettingError, match="hold out some records"):
        lower_bound_accuracy(ages((1, "no")), ages())


def test_the_interval_is_that_of_student() -> None:
    """1 2 3 4: t with 3 degrees of freedom is 3.182446 at 97.5%."""
    found = mean_of_runs([1, 2, 3, 4])
    deviation = (5 / 3) ** 0.5
    assert (found.mean, found.runs) == (2.5, 4)
    assert found.margin == pytest.approx(3.182446 * deviation / 2, rel=1e-6)
    assert (found.low, found.high) == (2.5 - found.margin, 2.5 + found.margin)


def test_an_interval_needs_two_runs() -> None:
    """One run has no spread."""
    with pytest.raises(SettingError):
        mean_of_runs([1.0])


def records_of(table: PrivateTable) -> Counter[tuple[int, ...]]:
    """Count the records of a table by all their codes."""
    rows = zip(*(codes.tolist() for codes in table.codes), table.target.tolist(), strict=True)
    return Counter({row: int(n) for row, n in zip(rows, table.counts, strict=True)})


@unhurried
@given(cases(), st.sampled_from((0.1, 0.5, 2 / 3)), st.integers(0, 99))
def test_a_split_parts_the_records(case: Case, share: float, seed: int) -> None:
    """All records, none twice, and the requested number; the same with the same seed."""
    table = private_table(case)
    first, second = split(table, share, seed)
    assert first.records == round(len(case.records) * share)
    assert records_of(first) + records_of(second) == records_of(table)
    assert all((part.counts > 0).all() for part in (first, second))
    assert records_of(split(table, share, seed)[0]) == records_of(first)


@unhurried
@given(cases(), st.integers(2, 5), st.integers(0, 99))
def test_each_record_is_tested_in_one_fold(case: Case, number: int, seed: int) -> None:
    """Folds are of one size, or differ by one record."""
    table = private_table(case)
    assume(table.records >= number)
    parts = list(folds(table, number, seed))
    assert len(parts) == number
    sizes = [inside.records for _, inside in parts]
    assert max(sizes) - min(sizes) <= 1
    tested: Counter[tuple[int, ...]] = Counter()
    for outside, inside in parts:
        assert records_of(outside) + records_of(inside) == records_of(table)
        tested += records_of(inside)
    assert tested == records_of(table)


def test_records_are_drawn_not_rows() -> None:
    """Of rows of 2 and 18, half is drawn; the mean of 400 draws of the first is near 1."""
    table = ages(*[(1, "no")] * 2, *[(2, "no")] * 18)
    drawn = [records_of(split(table, 0.5, seed)[0])[1, 0] for seed in range(400)]
    # Hypergeometric: variance 10 * .1 * .9 * 10 / 19 = .474; four standard errors.
    assert abs(sum(drawn) / 400 - 1) < 4 * (0.474 / 400) ** 0.5
    assert set(drawn) == {0, 1, 2}


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5])
def test_a_share_is_a_part(share: float) -> None:
    """Neither nothing nor all."""
    with pytest.raises(SettingError, match="between 0 and 1"):
        split(ages((1, "no")), share, 0)


def test_folds_need_records() -> None:
    """As many as folds, and two folds."""
    with pytest.raises(SettingError, match="3 folds"):
        list(folds(ages((1, "no"), (2, "no")), 3, 0))
    with pytest.raises(SettingError, match="1 folds"):
        list(folds(ages((1, "no"), (2, "no")), 1, 0))


def adult() -> PrivateTable:
    """Read the 45,222 complete records of Adult."""
    folder = Path(os.environ["ROADSTEAD_DATA"]) / "adult_uci"
    rows = []
    for name in ("adult.data", "adult.test"):
        with (folder / name).open(newline="") as file:
            cells = ([cell.strip() for cell in row] for row in csv.reader(file))
            rows += [row for row in cells if len(row) == len(COLUMNS) and "?" not in row]
    columns = list(zip(*rows, strict=True))
    columns[-1] = tuple(label.rstrip(".") for label in columns[-1])
    domains = tuple(tuple(sorted(set(column))) for column in columns)
    codes = [np.unique(column, return_inverse=True)[1] for column in columns]
    table, _ = canonical(COLUMNS, domains, codes, np.ones(len(rows), dtype=np.int64))
    return within(table, adult_domains(), TARGET, CLASSES)


@pytest.mark.nightly
@pytest.mark.skipif("ROADSTEAD_DATA" not in os.environ, reason="needs ROADSTEAD_DATA")
def test_the_baselines_of_adult_are_near_those_published() -> None:
    """Paper 002: BA 85.3%, LA 75.5%, two thirds to learn from."""
    train, test = split(adult(), 2 / 3, seed=0)
    assert (train.records, test.records) == (30_148, 15_074)
    assert baseline_accuracy(train, test, PrunedTree()) == pytest.approx(0.853, abs=0.005)
    assert lower_bound_accuracy(train, test) == pytest.approx(0.755, abs=0.005)
