"""Downcoding: part of the generalization undone, from the release and its policy alone.

Three things are guessed: single generalized cells, all of a record, and whom a combination of
values singles out. Single cells are shown and convict nobody: whoever protects against the linking
of records takes the quasi-identifiers for known. That a person is singled out is what nobody was to
have. Between the two are whole records: who undoes all of one knows its quasi-identifiers, and by
these whose it is. The release promises that nobody is right about that with more than a certain
probability, such as 1/k, so this is what whole records are held against, as linkage is. Guessing
alone may be above it, where a class shows a few combinations; so there must be a gain too.
"""

from __future__ import annotations

from typing import ClassVar

from roadstead.attacks.finding import (
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
from roadstead.attacks.recodings.downcoding import CELLS, MARGINS, MINIMAL, ORDER, TIGHT, downcode
from roadstead.attacks.recodings.gain import Gain
from roadstead.attacks.recodings.published import published
from roadstead.attacks.recodings.singling_out import single_out
from roadstead.attacks.target import Target
from roadstead.release.evidence import CertifiedAttack, Knowledge, Need

_BY = {ORDER: "order", TIGHT: "tightness", MINIMAL: "minimality"}


class DowncodingAttack:
    """By the order, the tightness and the minimality of classes."""

    name: ClassVar = "downcoding"
    needs: ClassVar[tuple[Need, ...]] = ("original",)

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Guess cells, records and single persons."""
        if target.release.policy is None:
            return not_tried(self.name, target.release.why_no_recoding)
        seen = published(target)
        if seen is None:
            return not_tried(self.name, "no class of the release has a record of the original")
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
            if one.prior == MARGINS and one.guesses
        ]
        if alone.guesses:
            findings.append(self._finding(alone, {"by": "order", "guess": "person"}, GUESSING))
        if not findings:
            return not_tried(self.name, "no cell of the release is made coarser")
        return Findings(tuple(findings))

    def _finding(self, gain: Gain, knowledge: Knowledge, held: HeldAgainst) -> CertifiedAttack:
        return finding_of(self.name, gain, knowledge, held)


def _held(promised: float | None) -> HeldAgainst:
    """Hold undone records against the risk that is promised; with no promise, against guessing."""
    return GUESSING if promised is None else promise(promised)


def finding_of(name: str, gain: Gain, knowledge: Knowledge, held: HeldAgainst) -> CertifiedAttack:
    """Say of a gain what all attacks say."""
    number = gain.guesses
    low, high = min(gain.low, gain.gain), max(gain.high, gain.gain)
    right, guessed = (gain.success * number, number), (gain.guessing * number, number)
    made = finding(name, knowledge, right, guessed, held, needs=("original",))
    return with_interval(made, low, high)
