"""Figures that follow from other figures of a report, and so cannot contradict them."""

from __future__ import annotations

from math import inf

import pytest

from roadstead.reports.content import Attribute, Promise, RecordCounts, ReportedLoss


def test_counts_add_up() -> None:
    """Masked records are released and suppressed; dropped ones are only suppressed."""
    counts = RecordCounts(records=100, masked=4, dropped=6)
    assert (counts.suppressed, counts.released, counts.generalized) == (10, 94, 90)
    assert counts.suppressed_share == pytest.approx(0.1)


def test_records_are_suppressed_for_one_reason_each() -> None:
    """Those of no other reason are too few."""
    assert RecordCounts(100, 4, 6, failing=3, uncovered=2).too_few == 5


def test_an_empty_table_suppresses_nothing() -> None:
    """There is no share of no records."""
    assert RecordCounts(0, 0, 0).suppressed_share == 0.0


def test_the_threshold_is_one_by_k() -> None:
    """The acceptable risk follows from k."""
    assert Promise("", (), 20, 0.0, 0).threshold == 0.05


@pytest.mark.parametrize(
    ("level", "levels", "kept", "removed"),
    [(0, 3, True, False), (1, 3, False, False), (2, 3, False, True), (0, 1, True, False)],
)
def test_an_attribute_is_kept_at_the_first_level_and_removed_at_the_last(
    level: int,
    levels: int,
    kept: bool,  # noqa: FBT001 - a table of cases
    removed: bool,  # noqa: FBT001 - a table of cases
) -> None:
    """With a single level nothing can be done, so nothing was."""
    attribute = Attribute("a", level, levels, "", 0.0)
    assert (attribute.kept, attribute.removed) == (kept, removed)


@pytest.mark.parametrize(
    ("loss", "gap"),
    [
        (ReportedLoss("geometric", 0.4, 0.4, optimal=True), 0.0),
        (ReportedLoss("geometric", 0.4, 0.3), 0.25),
        (ReportedLoss("geometric", 0.4, 0.0), 1.0),
        (ReportedLoss("geometric", 0.0, 0.0), 0.0),
        (ReportedLoss("geometric", 0.4, 0.5), 0.0),
        (ReportedLoss("geometric", 0.4), None),
        (ReportedLoss("geometric", 0.4, inf), None),
        (ReportedLoss("geometric", 0.4, -inf), None),
    ],
)
def test_the_gap_is_the_share_of_the_loss_that_might_be_avoided(
    loss: ReportedLoss, gap: float | None
) -> None:
    """An optimum has none, and without a bound it is unknown."""
    assert loss.gap == (None if gap is None else pytest.approx(gap))
