"""Draw a control group: people outside the release, on whom the same attack is run.

If a guess is correct equally often for them, it uses knowledge about everyone, not about the people
in the release (Giomi et al., PoPETs 2023). So if there are held-out records, they are the baseline.
"""

from __future__ import annotations

from collections.abc import Iterator
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
"""A count is suspicious if it is this much above twice its expected value, or below half of it."""


def control_group(
    target: Target, settings: AttackSettings, chance: np.random.Generator
) -> KnownPeople | None:
    """Draw as many held-out records as there are people to attack.

    Returns None if there are no held-out records.
    """
    if target.held_out is None:
        return None
    table = target.rows_of(target.held_out)
    return drawn(table, nobody(table), settings.attempts, chance)


def looks_released(people: FrequencyTable, held_out: FrequencyTable) -> bool:
    """Return whether held-out records match the original more often than expected by chance.

    Suppose that `u` of the `n` records of the original have a unique row, and that `d` rows have
    exactly two records. Another record of such people equals one of the unique records with chance
    2 d / n. It does not equal any record with chance u / n (Good and Turing). If there are far more
    matches, or far fewer new rows, the held-out records are probably in the original.
    """
    shared = [name for name in people.attributes if name in held_out.attributes]
    mine, theirs = people.project(shared), held_out.project(shared)
    there = dict(zip(_texts(mine), mine.counts.tolist(), strict=True))
    often = np.array([there.get(row, 0) for row in _texts(theirs)], dtype=np.int64)
    like_one, like_none = (int(theirs.counts[often == number].sum()) for number in (1, 0))
    share = theirs.records / max(mine.records, 1)
    expected = share * _TWICE * np.count_nonzero(mine.counts == _TWICE)
    unlike = share * np.count_nonzero(mine.counts == 1)
    return bool(
        like_one > _TWICE * expected + _BY_CHANCE or like_none < unlike / _TWICE - _BY_CHANCE
    )


def _texts(table: FrequencyTable) -> Iterator[tuple[str, ...]]:
    columns = (
        [domain[code] for code in codes.tolist()]
        for domain, codes in zip(table.domains, table.codes, strict=True)
    )
    return zip(*columns, strict=True)


def nobody(table: FrequencyTable) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return a mark for each row that says that it is not in any release."""
    return np.full(table.distinct, -1, dtype=np.int64)


def held_of_private(release: AttackedRelease, control: tuple[float, int] | None) -> HeldAgainst:
    """Compare an attack on a private release with the limit that epsilon sets.

    An attacker learns something about a person in the table at most e to the power of epsilon times
    as often as if the person were not in it. Successes and attempts on the control group bound the
    second probability. If there is a delta, it is added. If the limit is 1 or more, the attack
    cannot find a violation.
    """
    if release.epsilon is None or control is None:
        return NOTHING
    allowed = exp(min(release.epsilon, 700.0)) * interval_of_share(*control)[1] + release.delta
    return promise(allowed) if allowed < 1.0 else NOTHING
