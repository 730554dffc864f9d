"""Undo part of the generalization by using only the release and its policy (downcoding).

The attack guesses single generalized cells, all cells of a record, and a combination of values that
only one person has. Guesses of single cells never make a release fail. The success rate for whole
records is compared with the limit for linkage, for example, 1/k. Singling out a person is never
allowed.

Suppose that each of the n records in a class has a combination with probability q. Then exactly one
record has the combination with probability n q (1 - q)^(n - 1). The attack claims that one record
has the combination for which this probability is highest. If several combinations are equally good,
the result is the mean over all of them. The baseline considers all combinations that the class
shows. The attack excludes the combinations that belong to earlier classes. A claim is correct if
exactly one record in the table has the combination. Such a claim is called predicate singling out
(Cohen and Nissim, PNAS 117, 2020; Cohen, USENIX Security 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.finding import (
    CONFIDENCE,
    GUESSING,
    NOTHING,
    Findings,
    HeldAgainst,
    finding,
    not_tried,
    promise,
    with_interval,
)
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.recodings.downcoding import CELLS, MINIMAL, ORDER, TIGHT, downcode
from roadstead.attacks.recodings.gain import Gain, gain_of
from roadstead.attacks.recodings.published import published
from roadstead.attacks.recodings.regions import MOST_CELLS, box_of, grid, remaining, weights_of
from roadstead.attacks.recodings.view import PublishedView, Reals, Truth, drawn_classes
from roadstead.attacks.target import Target
from roadstead.release.evidence import CertifiedAttack, Knowledge, Need
from roadstead.tables.frequency import packed

ONE_PERSON = "a combination of values that one person has"
_EQUAL = 1.0 - 1e-9
_BY = {ORDER: "order", TIGHT: "tightness", MINIMAL: "minimality"}


class DowncodingAttack:
    """Guess values from the order, the tightness, and the minimality of the classes."""

    name: ClassVar = "downcoding"
    needs: ClassVar[tuple[Need, ...]] = ("original",)

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Guess cells and records, and single out people."""
        if target.release.policy is None:
            return not_tried(self.name, target.release.why_no_recoding)
        seen = published(target)
        if seen is None:
            return not_tried(self.name, "no group of the release contains a record of the original")
        seed = settings.seed
        found = downcode(seen.view, seen.truth, most_classes=settings.attempts, seed=seed)
        alone = single_out(seen.view, seen.truth, most_classes=settings.attempts, seed=seed)
        undone = _held(target.release.promised)
        findings = [
            self._finding(
                one,
                {"by": _BY[one.knowledge], "guess": "cell" if one.target == CELLS else "record"},
                NOTHING if one.target == CELLS else undone,
            )
            for one in found.gains
            if one.guesses
        ]
        if alone.guesses:
            findings.append(self._finding(alone, {"by": "order", "guess": "person"}, GUESSING))
        if not findings:
            return not_tried(self.name, "no cell of the release is generalized")
        return Findings(tuple(findings))

    def _finding(self, gain: Gain, knowledge: Knowledge, held: HeldAgainst) -> CertifiedAttack:
        return finding_of(self.name, gain, knowledge, held)


def _held(promised: float | None) -> HeldAgainst:
    """Return the standard for guesses of whole records: the allowed risk, or random guessing."""
    return GUESSING if promised is None else promise(promised)


def finding_of(name: str, gain: Gain, knowledge: Knowledge, held: HeldAgainst) -> CertifiedAttack:
    """Convert the gain of an attack into a finding."""
    number = gain.guesses
    low, high = min(gain.low, gain.gain), max(gain.high, gain.gain)
    right, guessed = (gain.success * number, number), (gain.guessing * number, number)
    made = finding(name, knowledge, right, guessed, held, needs=("original",))
    return with_interval(made, low, high)


@dataclass(frozen=True)
class _Table:
    """The number of records in the table with each combination of values."""

    sizes: tuple[int, ...]
    counts: dict[tuple[int, ...], int]

    def of(self, codes: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Count the records with each combination.

        `codes` has shape ``(attributes, combinations)``.
        """
        keys = np.stack(packed(list(codes.astype(np.int64)), list(self.sizes)), axis=1)
        return np.array([self.counts.get(tuple(one), 0) for one in keys.tolist()], dtype=np.int64)


def single_out(view: PublishedView, truth: Truth, *, most_classes: int, seed: int = 0) -> Gain:
    """For random classes that have few combinations, claim one combination per class."""
    cells = np.prod(view.widths.astype(np.float64), axis=1)
    candidates = np.flatnonzero((cells > 1) & (cells <= MOST_CELLS) & (view.sizes > 0))
    table = _table(view, truth)
    weights = weights_of(view)
    right, guessed, number = (np.zeros(view.classes) for _ in range(3))
    chosen = drawn_classes(candidates, most_classes, seed)
    for own, codes, left in remaining(view, ((one, grid(box_of(view, one))) for one in chosen)):
        chances = np.prod([w[c] for w, c in zip(weights, codes, strict=True)], axis=0)
        size = int(view.sizes[own])
        guessed[own] = _claimed(chances, codes, size, table)
        right[own] = _claimed(np.where(left, chances, 0.0), codes, size, table)
        number[own] = 1.0
    return gain_of(ORDER, ONE_PERSON, right, guessed, number, confidence=CONFIDENCE)


def _claimed(chances: Reals, codes: NDArray[np.uint32], size: int, table: _Table) -> float:
    """Return the probability that the claim about a class is correct."""
    total = float(chances.sum())
    if total <= 0.0:
        return 0.0
    q = chances / total
    alone = size * q * (1.0 - q) ** (size - 1)
    best = np.flatnonzero(alone >= alone.max() * _EQUAL)
    return float(np.mean(table.of(codes[:, best]) == 1))


def _table(view: PublishedView, truth: Truth) -> _Table:
    sizes = tuple(margin.size for margin in view.margins)
    keys = np.stack(packed(list(truth.codes.astype(np.int64)), list(sizes)), axis=1)
    counts = dict(zip(map(tuple, keys.tolist()), truth.counts.tolist(), strict=True))
    return _Table(sizes, counts)
