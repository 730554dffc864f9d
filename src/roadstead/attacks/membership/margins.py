"""Use all margins of a release for general use to guess whether a person was counted.

The attacker knows all records except one, and therefore knows the count of each cell without this
record. If a noisy count is higher, the person is more likely to be in the table. If the noise has
the rate r, each margin adds r or -r to the log-likelihood ratio. All people in a cell are affected
by the same noise, so the guesses about them are not independent. To estimate how much the success
rate varies, the module draws new noise of the certified size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.finding import CONFIDENCE
from roadstead.attacks.membership.scores import LEAST
from roadstead.differential.margins.variables import Coded, coded, variables_of
from roadstead.differential.private_table import within
from roadstead.release.private.cut import CUT, cut_of, read_cut
from roadstead.release.private.margins import Names, ReleasedMargin, read_margins
from roadstead.release.private.tables import PrivateRelease
from roadstead.release.private.verify_margins import rates_of
from roadstead.tables.frequency import FrequencyTable

Integers = NDArray[np.int64]
DRAWS = 1_000
_EQUAL = 1e-9


@dataclass(frozen=True)
class GuessedByMargins:
    """The share of correct guesses, and the ends `low` and `high` of its confidence interval."""

    right: float
    judged: int
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class _Margin:
    """The noise in each cell of a released margin, and the cell of each person."""

    rate: float
    noise: Integers
    members: Integers
    others: Integers


def guessed_by_margins(
    folder: Path,
    private: PrivateRelease,
    tables: Sequence[FrequencyTable],
    most: int,
    chance: np.random.Generator,
) -> GuessedByMargins | None:
    """Guess for each person which of two neighboring tables was released.

    Return None if a table has too few people.
    """
    document = read_cut(folder / CUT)
    cuts = tuple(cut_of(entry) for entry in document.attributes)
    variables = variables_of(cuts, private.target, document.classes)
    names = Names(variables, cuts, document.classes)
    margins = read_margins(folder, names, rates_of(private.certificate))
    domains = [cut.domain for cut in cuts]
    here, there = (
        coded(within(one, domains, private.target, private.classes), cuts, private.target)
        for one in tables
    )
    number = min(int(here.counts.sum()), int(there.counts.sum()), most)
    if number < LEAST:
        return None
    chosen = [_rows(own, number, chance) for own in (here, there)]
    seen = [_margin(one, here, there, chosen) for one in margins]
    share = _share(seen, [one.noise for one in seen])
    drawn = np.array([_share(seen, [_noise(one, chance) for one in seen]) for _ in range(DRAWS)])
    expected, tail = float(drawn.mean()), (1.0 - CONFIDENCE) / 2.0
    least, largest = (float(end) for end in np.quantile(drawn, (tail, 1.0 - tail)))
    low, high = share - (largest - expected), share + (expected - least)
    judged = 2 * number
    return GuessedByMargins(share * judged, judged, max(low, 0.0), min(high, 1.0))


def _rows(people: Coded, number: int, chance: np.random.Generator) -> Integers:
    rows = np.repeat(np.arange(people.counts.size), people.counts)
    return np.asarray(chance.choice(rows, size=number, replace=False))


def _margin(
    margin: ReleasedMargin, here: Coded, there: Coded, chosen: Sequence[Integers]
) -> _Margin:
    noise = (margin.counts - here.margin(margin.at, margin.groupings)).ravel()
    members, others = (
        _cells(margin, people)[rows] for people, rows in zip((here, there), chosen, strict=True)
    )
    return _Margin(float(margin.rate), noise, members, others)


def _cells(margin: ReleasedMargin, people: Coded) -> Integers:
    found = np.zeros(people.counts.size, dtype=np.int64)
    for variable, grouping in zip(margin.at, margin.groupings, strict=True):
        found = found * (int(grouping.max()) + 1) + grouping[people.codes[variable]]
    return found


def _noise(margin: _Margin, chance: np.random.Generator) -> Integers:
    """Draw discrete Laplace noise, which is the difference between two geometric random numbers."""
    one, other = chance.geometric(1.0 - exp(-margin.rate), (2, margin.noise.size))
    return np.asarray(one - other)


def _share(margins: Sequence[_Margin], noises: Sequence[Integers]) -> float:
    """Return the share of people for whom the guess is correct. A tie counts as half correct."""
    right = 0.0
    for members in (True, False):
        score = np.zeros(margins[0].members.size)
        for one, noise in zip(margins, noises, strict=True):
            # The count without the member is lower by one, so the noisy count exceeds the lower
            # count if the noise is at least 0.
            speaks = noise >= 0 if members else noise > 0
            cells = one.members if members else one.others
            score += np.where(speaks, one.rate, -one.rate)[cells]
        sure = np.abs(score) > _EQUAL
        said = score > 0 if members else score < 0
        right += float((said & sure).sum()) + float((~sure).sum()) / 2.0
    return right / (2.0 * margins[0].members.size)
