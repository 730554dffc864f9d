"""Undo part of the generalization by using only the release and its policy (downcoding).

The attack is based on an idea of Cohen (Attacks on deidentification's defenses, USENIX Security
2022): an attacker may infer why a more specific release was not possible. The attacker uses up to
three facts: a record belongs to the *first* class that shows its values, the box of a class is
*tight*, and classes are *minimal*. The attacker guesses single generalized cells and whole
combinations. The baseline guesses the most likely value that the class shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.recodings.gain import Gain, gain_of, likeliest
from roadstead.attacks.recodings.posteriors import minimal, tight
from roadstead.attacks.recodings.regions import Region, regions, weights_of
from roadstead.attacks.recodings.view import PublishedView, Reals, Truth, drawn_classes

ORDER = "the order of the groups"
TIGHT = "the order and the tightness of the groups"
MINIMAL = "the order and the minimality of the groups"
CELLS, RECORDS = "one generalized cell", "all generalized cells of a record"
MOST_CLASSES = 2_000
_INTERVALS = 8
"""The number of intervals that hold together. There are four; the others are a reserve."""


@dataclass(frozen=True)
class Downcoding:
    """The results of the downcoding attack.

    Attributes
    ----------
    gains
        The gains for each kind of knowledge and for each target.
    left
        The mean share of a record's box that remains possible, weighted by the margins.
    narrowed
        The share of the generalized cells for which the attack excludes a visible value. Only
        classes whose boxes are completely examined count.
    examined
        The share of the records that are in completely examined classes.
    """

    gains: tuple[Gain, ...]
    left: float
    narrowed: float
    examined: float


def downcode(
    view: PublishedView,
    truth: Truth,
    *,
    most_classes: int = MOST_CLASSES,
    confidence: float = 0.95,
    seed: int = 0,
) -> Downcoding:
    """Run the downcoding attack on a recoding.

    If there are more than `most_classes` classes, this number of classes is drawn at random.

    The `confidence` applies to all intervals together, so each single interval has a higher
    confidence (Bonferroni).
    """
    members = truth.members(view.classes)
    chosen = drawn_classes(np.arange(view.classes), most_classes, seed)
    apart = 1.0 - (1.0 - confidence) / _INTERVALS
    left = narrowed = examined = records = generalized = 0.0
    score = _Score(view, truth)
    weights = weights_of(view)
    for region in regions(view, weights, chosen, seed=seed):
        score.add(region, members[region.number], weights)
        size = float(view.sizes[region.number])
        records += size
        left += size * region.share
        if region.exact:
            examined += size
            cut, wide = _narrowed(view, region)
            narrowed += size * cut
            generalized += size * wide
    return Downcoding(
        tuple(score.gains(confidence=apart)),
        left / max(records, 1.0),
        narrowed / max(generalized, 1.0),
        examined / max(records, 1.0),
    )


def _narrowed(view: PublishedView, region: Region) -> tuple[int, int]:
    """Count the generalized cells with an excluded value, and count all generalized cells."""
    widths = view.widths[region.number]
    possible = np.array([np.count_nonzero(own) for own in region.likely])
    wide = widths > 1
    return int(np.count_nonzero(possible[wide] < widths[wide])), int(np.count_nonzero(wide))


class _Score:
    """The numbers of correct guesses in each class, for each kind of knowledge and target."""

    def __init__(self, view: PublishedView, truth: Truth) -> None:
        self.view, self.truth = view, truth
        self.in_place = view.place(truth.codes) == truth.rows
        self.right = {what: np.zeros(view.classes) for what in (ORDER, TIGHT, MINIMAL, RECORDS)}
        self.guessed = {what: np.zeros(view.classes) for what in (CELLS, RECORDS)}
        self.number = {what: np.zeros(view.classes) for what in (CELLS, RECORDS)}

    def add(self, region: Region, rows: NDArray[np.int64], weights: tuple[Reals, ...]) -> None:
        """Guess the values of the records in a class."""
        view, number = self.view, region.number
        counts = self.truth.counts[rows].astype(np.float64)
        size = int(view.sizes[number])
        both = np.ones(rows.size)
        for at in np.flatnonzero(view.widths[number] > 1):
            part = view.numbers[number, at]
            values = np.flatnonzero(view.shows[at][:, part])
            groups = view.children[at][part, values]
            likely = region.likely[at][values]
            own = np.searchsorted(values, self.truth.codes[at, rows])
            plain = likeliest(weights[at][values])[own]
            both *= plain
            found = {
                ORDER: likely,
                TIGHT: tight(likely, groups, size, intervals=view.intervals),
                MINIMAL: minimal(
                    tight(likely, groups, size, intervals=True) if view.intervals else likely,
                    groups,
                    size,
                    view.k,
                    intervals=view.intervals,
                ),
            }
            for what, chances in found.items():
                self.right[what][number] += float(counts @ likeliest(chances)[own])
            self.guessed[CELLS][number] += float(counts @ plain)
            self.number[CELLS][number] += counts.sum()
        if (view.widths[number] > 1).any():
            self.right[RECORDS][number] = float(counts @ self._whole(region, rows))
            self.guessed[RECORDS][number] = float(counts @ both)
            self.number[RECORDS][number] = counts.sum()

    def _whole(self, region: Region, rows: NDArray[np.int64]) -> Reals:
        """Return the probability that the guess of each row's combination is correct."""
        if region.ties > region.best.shape[1]:
            return np.asarray(self.in_place[rows] / region.ties)
        codes = self.truth.codes[:, rows]
        hits = (codes[:, :, None] == region.best[:, None, :]).all(axis=0).any(axis=1)
        return np.asarray(hits / region.ties)

    def gains(self, *, confidence: float) -> list[Gain]:
        """Compare the attack with guessing, and return the gains."""
        compared = ((ORDER, CELLS), (TIGHT, CELLS), (MINIMAL, CELLS), (ORDER, RECORDS))
        return [
            gain_of(
                what,
                target,
                self.right[RECORDS if target == RECORDS else what],
                self.guessed[target],
                self.number[target],
                confidence=confidence,
            )
            for what, target in compared
        ]
