"""Add up the epsilons of several private releases about the same people.

By sequential composition, the total epsilon of several releases is the sum of their epsilons (Dwork
and Roth, The algorithmic foundations of differential privacy, 2014, theorem 3.16). The deltas are
added up in the same way. Both sums are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from roadstead.release.ledger.entry import EarlierRelease


@dataclass(frozen=True)
class SpentTogether:
    """The budget that all private releases about the same people have spent together."""

    before: Fraction
    now: Fraction
    releases: int  # number of earlier releases
    limit: Fraction | None  # None if no limit was set
    units: frozenset[str]  # the units that earlier releases protect
    delta: Fraction = Fraction(0)  # the sum over all releases, including the new one

    @property
    def together(self) -> Fraction:
        """Return the sum of all epsilons."""
        return self.before + self.now

    @property
    def exceeds(self) -> bool:
        """Return whether the sum is above the limit."""
        return self.limit is not None and self.together > self.limit


def spent_together(
    earlier: Sequence[EarlierRelease],
    epsilon: Fraction,
    limit: Fraction | None,
    delta: float = 0.0,
) -> SpentTogether:
    """Return the spent budget and the limit.

    If no new limit is set, the latest earlier limit applies. If several limits were set in the same
    second, the smallest of these limits applies.
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
