"""The control group: people who are not in a release, on whom the same is tried.

What is right as often about them is learned from the release about everybody, and about nobody in
it (Giomi et al., PoPETs 2023). So where records were held out, they are the base line.
"""

from __future__ import annotations

from math import exp

import numpy as np

from roadstead.attacks.attacked import AttackedRelease
from roadstead.attacks.finding import NOTHING, HeldAgainst, interval_of_share, promise
from roadstead.attacks.matching.people import KnownPeople, drawn
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.tables.frequency import FrequencyTable


def control_group(
    target: Target, settings: AttackSettings, chance: np.random.Generator
) -> KnownPeople | None:
    """Draw as many people as are attacked of the records held out; None where there are none."""
    if target.held_out is None:
        return None
    table = target.rows_of(target.held_out)
    return drawn(table, nobody(table), settings.attempts, chance)


def nobody(table: FrequencyTable) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Say of each row that it is in no release."""
    return np.full(table.distinct, -1, dtype=np.int64)


def held_of_private(release: AttackedRelease, control: tuple[float, int] | None) -> HeldAgainst:
    """Hold an attack on a private release against what epsilon allows.

    What is learned of somebody in the table is at most e to the power of epsilon times as likely as
    it would be had the person not been in it. How likely that is at most, successes and attempts on
    the control group say.
    """
    if release.epsilon is None or control is None:
        return NOTHING
    likely = interval_of_share(*control)[1]
    return promise(min(1.0, exp(min(release.epsilon, 700.0)) * likely))
