"""Epsilons that add up: whoever has several private releases of the same people has spent them all.

By sequential composition (Dwork and Roth, The algorithmic foundations of differential privacy,
2014, theorem 3.16) releases with epsilon 1, 2, ... together have their sum, also where each was
chosen after the earlier ones were seen. Deltas add up too. Sums are exact: of fractions, and of
deltas as they are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from roadstead.release.ledger.entry import EarlierRelease


@dataclass(frozen=True)
class SpentTogether:
    """What private releases of the same people have spent, with the new one."""

    before: Fraction
    now: Fraction
    releases: int  # earlier ones
    limit: Fraction | None  # None where nobody set one
    units: frozenset[str]  # whom earlier ones protect
    delta: Fraction = Fraction(0)  # of all releases, the new one too

    @property
    def together(self) -> Fraction:
        """All of it."""
        return self.before + self.now

    @property
    def exceeds(self) -> bool:
        """Whether it is more than was to be spent."""
        return self.limit is not None and self.together > self.limit


def spent_together(
    earlier: Sequence[EarlierRelease],
    epsilon: Fraction,
    limit: Fraction | None,
    delta: float = 0.0,
) -> SpentTogether:
    """Add up; the limit that was set last holds where the new release names none.

    Of limits set in the same second the smallest holds, as nothing says which came last.
    """
    private = [one for one in earlier if one.epsilon is not None]
    if limit is None:
        named = [
            (one.created, -Fraction(one.epsilon_limit))
            for one in private
            if one.epsilon_limit is not None
        ]
        limit = -max(named)[1] if named else None
    return SpentTogether(
        sum((Fraction(one.epsilon or 0) for one in private), Fraction(0)),
        epsilon,
        len(private),
        limit,
        frozenset(one.unit for one in private if one.unit is not None),
        sum((Fraction(str(one.delta or 0)) for one in private), Fraction(str(delta))),
    )
