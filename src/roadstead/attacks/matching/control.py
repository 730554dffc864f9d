"""The control group: people who are not in a release, on whom the same is tried.

What is right as often about them is learned from the release about everybody, and about nobody in
it (Giomi et al., PoPETs 2023). So where records were held out, they are the base line.
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
"""Records by which a count may be beyond twice, or half, of what is expected."""


def control_group(
    target: Target, settings: AttackSettings, chance: np.random.Generator
) -> KnownPeople | None:
    """Draw as many people as are attacked of the records held out; None where there are none."""
    if target.held_out is None:
        return None
    table = target.rows_of(target.held_out)
    return drawn(table, nobody(table), settings.attempts, chance)


def looks_released(people: FrequencyTable, held_out: FrequencyTable) -> bool:
    """Say whether records held out are like those of the original more often than by chance.

    Of `n` records of the original let `u` have a row of their own, and `d` rows be of two records.
    Another record of such people is like one of the first with a chance of 2 d / n, and like none
    of all with u / n (Good and Turing). Far more of the one, or far less of the other, speaks for
    records that are in the original.
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
    """Say of each row that it is in no release."""
    return np.full(table.distinct, -1, dtype=np.int64)


def held_of_private(release: AttackedRelease, control: tuple[float, int] | None) -> HeldAgainst:
    """Hold an attack on a private release against what epsilon allows.

    What is learned of somebody in the table is at most e to the power of epsilon times as likely as
    it would be had the person not been in it. How likely that is at most, successes and attempts on
    the control group say; delta is added, if there is one. Where that may be always, nothing could
    speak against the release.
    """
    if release.epsilon is None or control is None:
        return NOTHING
    allowed = exp(min(release.epsilon, 700.0)) * interval_of_share(*control)[1] + release.delta
    return promise(allowed) if allowed < 1.0 else NOTHING
