"""Determine the number of days by which a person's dates are shifted.

With a key, the number is derived from the HMAC-SHA-256 of the person under the key. So the shift is
the same in every table and extract. Without a key, the secret is random and not kept. Every number
of days from `-most` to `most` is equally likely, including 0. If 0 were excluded, a shifted date
would reveal one day on which the event did not happen. A shift by whole weeks preserves the day of
the week.
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
    """A generator of each person's shift, up to `days` in both directions.

    `secret` has the same meaning as in `roadstead.release.persons.pseudonyms`.
    """

    secret: bytes = field(repr=False)
    days: int
    weeks: bool = False  # whether shifts are whole weeks

    @property
    def most(self) -> int:
        """Return the largest possible shift, in days."""
        return self.days // self.step * self.step

    @property
    def step(self) -> int:
        """Return the number of days between two neighboring possible shifts."""
        return WEEK if self.weeks else 1

    def of(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Return the shift of each person, in days."""
        # A separate key is used, so a shift does not reveal anything about a pseudonym or about a
        # shift with other bounds. No table has this name, so no pseudonyms use the same key.
        kind = f"\0date shift {self.days} {self.step}"
        own = hmac.digest(self.secret, kind.encode(), "sha256")
        each_way = self.most // self.step
        # The remainder of 256 bits is practically uniform.
        drawn = (
            int.from_bytes(hmac.digest(own, name.encode(), "sha256")) % (2 * each_way + 1)
            for name in names
        )
        return (np.fromiter(drawn, np.int64, len(names)) - each_way) * self.step
