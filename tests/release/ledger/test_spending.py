"""Epsilons of earlier releases, added up, and the limit in force."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from roadstead.release.ledger.entry import EarlierRelease
from roadstead.release.ledger.spending import spent_together
from roadstead.reports.ledger import spending_note


def private(second: int, epsilon: str, limit: str | None) -> EarlierRelease:
    """Make the entry of a private release."""
    return EarlierRelease(
        certificate=f"{second:064x}",
        kind="private",
        created=f"2026-01-01T00:00:{second:02}+00:00",
        people="",
        source="table.csv",
        epsilon=epsilon,
        epsilon_limit=limit,
        unit="record",
    )


@pytest.mark.parametrize(
    ("limits", "holds"),
    [
        (((1, "1/2"), (2, "3/4")), "3/4"),  # set again, larger
        (((1, "3/4"), (2, "1/2")), "1/2"),
        (((2, "1/2"), (2, "3/4")), "1/2"),  # in one second: nothing says which came last
        (((2, "3/4"), (2, "1/2")), "1/2"),
        (((1, "3/4"), (2, None)), "3/4"),
        (((1, None), (2, None)), None),
    ],
)
def test_the_limit_that_was_set_last_holds(
    limits: tuple[tuple[int, str | None], ...], holds: str | None
) -> None:
    """And the smallest of those of one second, in whatever order the entries are read."""
    earlier = [private(second, "1/10", limit) for second, limit in limits]
    spent = spent_together(earlier, Fraction(1, 3), None)
    assert spent.limit == (None if holds is None else Fraction(holds))
    assert spent.together == Fraction(8, 15)
    assert spent.exceeds == (holds == "1/2")
    assert spent_together(earlier, Fraction(1, 3), Fraction(9, 10)).limit == Fraction(9, 10)


def test_a_limit_may_be_spent_to_its_end_and_no_further() -> None:
    """A tenth and two tenths are three tenths, and not more."""
    earlier = [private(1, "1/10", "3/10")]
    assert not spent_together(earlier, Fraction(1, 5), None).exceeds
    assert spent_together(earlier, Fraction(1, 5) + Fraction(1, 10**12), None).exceeds


def test_deltas_add_up_as_they_are_written_and_small_ones_are_not_hidden() -> None:
    """A tenth and a fifth are three tenths; a small delta is visible next to a large one."""
    earlier = [replace(private(1, "1/10", None), delta=one) for one in (0.1, 0.2, 1e-9)]
    spent = spent_together(earlier, Fraction(1, 3), None, 1e-9)
    assert spent.delta == Fraction(3, 10) + Fraction(2, 10**9)
    assert "Delta is 0.300000002 in total." in spending_note(spent)
