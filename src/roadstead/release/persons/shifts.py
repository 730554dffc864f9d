"""By how many days a person's dates move: drawn with the custodian's key, or drawn and forgotten.

With a key, HMAC-SHA-256 of the person under it is the draw, so next month's extract moves alike,
and so does every table of a release. Every number of days from `-most` to `most` is equally likely,
0 with them: without it, whoever sees a date would know one day on which it was not. Whole weeks
keep the day of the week, which then is known of every date.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEEK = 7


@dataclass(frozen=True)
class DateShifts:
    """Draws the shift of each person, up to `days` either way; `secret` is never shown.

    The secret is that of `roadstead.release.persons.pseudonyms`: the custodian's key, or one drawn
    for this release.
    """

    secret: bytes = field(repr=False)
    days: int
    weeks: bool = False  # whether only whole weeks are drawn

    @property
    def most(self) -> int:
        """The longest shift that is drawn, in days."""
        return self.days // self.step * self.step

    @property
    def step(self) -> int:
        """Days between one possible shift and the next."""
        return WEEK if self.weeks else 1

    def of(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Give the days by which the dates of each person move."""
        # A key of its own, so that a shift says nothing of a pseudonym, nor of a shift within
        # other bounds. No table can be called so, and what is called like a table has its own.
        kind = f"\0date shift {self.days} {self.step}"
        own = hmac.digest(self.secret, kind.encode(), "sha256")
        each_way = self.most // self.step
        # Of 256 bits the rest is as good as uniform.
        drawn = (
            int.from_bytes(hmac.digest(own, name.encode(), "sha256")) % (2 * each_way + 1)
            for name in names
        )
        return (np.fromiter(drawn, np.int64, len(names)) - each_way) * self.step
