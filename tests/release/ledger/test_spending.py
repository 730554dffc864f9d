"""Epsilons of earlier releases, added up, and the limit that holds."""

from __future__ import annotations

from fractions import Fraction

import pytest

from roadstead.release.ledger.entry import EarlierRelease
from roadstead.release.ledger.spending import spent_together


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
        (((1, "1/2"), (2, "3/4")), "3/4"),  # set anew, larger
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
