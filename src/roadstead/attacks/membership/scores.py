"""Distinguish members from non-members by comparing scores with a threshold.

The attack uses as many members as non-members, so a blind guess is correct half of the time. Half
of the people are used to find the threshold that gives the most correct guesses, and the other half
are used to test this threshold. So a threshold that fits only by chance does not increase the
success rate.
"""

from __future__ import annotations

from math import exp

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.finding import Findings, HeldAgainst, finding, not_tried, promise
from roadstead.release.evidence import Knowledge, Need

Reals = NDArray[np.float64]
Codes = NDArray[np.int64]
LEAST = 20
"""The attack needs at least this number of members, and of non-members."""
NEEDS: tuple[Need, ...] = ("original", "held-out")


def allowed_by(epsilon: float, delta: float = 0.0) -> HeldAgainst:
    """Return the largest allowed success rate: (e^epsilon + delta) / (1 + e^epsilon)."""
    return promise((1.0 + delta * exp(-epsilon)) / (1.0 + exp(-epsilon)))


def by_scores(
    attack: str,
    knowledge: Knowledge,
    members: Reals,
    others: Reals,
    held: HeldAgainst,
    chance: np.random.Generator,
) -> Findings:
    """Find and test a threshold that separates the scores of members and non-members."""
    number = min(members.size, others.size)
    if number < LEAST:
        why = (
            f"fewer than {LEAST} records are in the release, or fewer than {LEAST} records are "
            "outside it"
        )
        return not_tried(attack, why)
    mine, theirs = (chance.choice(own, size=number, replace=False) for own in (members, others))
    half = number // 2
    line, sign = _line(mine[:half], theirs[:half])
    right = int(np.count_nonzero(sign * mine[half:] > sign * line))
    right += int(np.count_nonzero(sign * theirs[half:] <= sign * line))
    judged = 2 * (number - half)
    tried, guessed = (right, judged), (judged / 2, judged)
    return Findings((finding(attack, knowledge, tried, guessed, held, needs=NEEDS),))


def _line(members: Reals, others: Reals) -> tuple[float, float]:
    """Return the threshold, and 1 if scores of members are above the threshold, otherwise -1."""
    places = np.unique(np.concatenate([members, others]))
    # The threshold lies halfway between two observed scores, so new scores that are close to either
    # score fall on the right side.
    places = np.append(places[:-1] + np.diff(places) / 2.0, places[-1])
    above = np.searchsorted(np.sort(others), places, side="right")
    above = above + members.size - np.searchsorted(np.sort(members), places, side="right")
    below = members.size + others.size - above
    high, low = int(above.argmax()), int(below.argmax())
    if above[high] >= below[low]:
        return float(places[high]), 1.0
    # Members are at or below the threshold, and non-members are above it.
    return float(np.nextafter(places[low], np.inf)), -1.0
