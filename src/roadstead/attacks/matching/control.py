"""Draw a control group of people outside the release, who are attacked in the same way.

If the attack succeeds equally often on the control group, the attacker gains only general knowledge
from the release (Giomi et al., PoPETs 2023). So if there are held-out records, the attack on these
records is the baseline.
"""

from __future__ import annotations

from math import exp

import numpy as np

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.finding import NOTHING, HeldAgainst, interval_of_share, promise
from roadstead.attacks.matching.known_people import KnownPeople, drawn
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.tables.frequency import FrequencyTable

_TWICE = 2
_BY_CHANCE = 20
"""A suspicious count is above twice, or below half, its expected value by at least this margin."""


def control_group(
    target: Target, settings: AttackSettings, chance: np.random.Generator
) -> KnownPeople | None:
    """Draw held-out records, at most one per attempt. Return None without held-out records."""
    if target.held_out is None:
        return None
    table = target.rows_of(target.held_out)
    return drawn(table, nobody(table), settings.attempts, chance)


def looks_released(people: FrequencyTable, held_out: FrequencyTable) -> bool:
    """Return whether held-out records match the original more often than expected by chance.

    Suppose that `u` of the `n` original records are unique, and that `d` rows occur exactly twice.
    Then a new record of a similar person equals a unique record with probability 2 d / n, and
    differs from all original records with probability u / n (Good and Turing). If such matches are
    far more frequent, or new rows are far less frequent, the original probably contains the
    held-out records.
    """
    shared = [name for name in people.attributes if name in held_out.attributes]
    mine, theirs = people.project(shared), held_out.project(shared)
    there = dict(zip(mine.texts(), mine.counts.tolist(), strict=True))
    often = np.array([there.get(row, 0) for row in theirs.texts()], dtype=np.int64)
    like_one, like_none = (int(theirs.counts[often == number].sum()) for number in (1, 0))
    share = theirs.records / max(mine.records, 1)
    expected = share * _TWICE * np.count_nonzero(mine.counts == _TWICE)
    unlike = share * np.count_nonzero(mine.counts == 1)
    return bool(
        like_one > _TWICE * expected + _BY_CHANCE or like_none < unlike / _TWICE - _BY_CHANCE
    )


def nobody(table: FrequencyTable) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return -1 for each row, because none of the rows is in the release."""
    return np.full(table.distinct, -1, dtype=np.int64)


def held_of_private(release: AttackedRelease, control: tuple[float, int] | None) -> HeldAgainst:
    """Compare an attack on a private release with the limit that epsilon sets.

    The probability of success may be at most e^epsilon times the probability of success on people
    outside the table, plus delta. The second probability is estimated by the upper end of the
    control group's confidence interval. If the limit is 1 or more, the attack cannot find a
    violation.
    """
    if release.epsilon is None or control is None:
        return NOTHING
    allowed = exp(min(release.epsilon, 700.0)) * interval_of_share(*control)[1] + release.delta
    return promise(allowed) if allowed < 1.0 else NOTHING
