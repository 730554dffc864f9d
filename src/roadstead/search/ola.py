"""Optimal Lattice Anonymization: halve the lattice between a bottom and a top, again and again.

El Emam and others 2009. Of the sublattice between two policies every one of middle rank is
examined. If it is admissible, what is below it is searched, else what is above. Each answer marks
everything above or below. What is found are the policies with no admissible one below them
(`minimal`); the best of these, or of the others met on the way, is returned.

It is the best of all only where nothing may be suppressed. The paper takes losses not to fall
upwards, which suppression breaks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roadstead.policies.full_domain import Levels, rank
from roadstead.search.ledger import Ledger, conduct
from roadstead.search.minimal import Admissibility, refusal
from roadstead.search.protocol import Control, Outcome, Problem


@dataclass(frozen=True)
class Ola:
    """Halving by ranks for the minimal admissible policies."""

    name: str = "ola"
    guarantee: str = (
        "no worse than any admissible policy with no admissible one below; "
        "the best of all, proven, when nothing may be suppressed"
    )

    def refusal(self, problem: Problem) -> str | None:
        """It takes models under which admissibility passes up, and lattices that it can mark."""
        return refusal(problem)

    def run(self, problem: Problem, control: Control) -> Outcome:
        """Search until it is known of every policy whether it is admissible."""
        return conduct(problem, control, _walk)


def _walk(ledger: Ledger) -> bool:
    known = Admissibility(ledger)
    _halve(known, ledger.problem.space.bottom, ledger.problem.space.top)
    return known.settle()


def _halve(known: Admissibility, lower: Levels, upper: Levels) -> None:
    """Find out of every policy between two whether it is admissible."""
    if not known.tags.unmarked(lower, upper):
        return
    height = rank(upper) - rank(lower)
    if height <= 1:
        if not known.examine(lower):
            known.examine(upper)
        return
    known.ledger.pause()
    for middle in _of_rank(lower, upper, height // 2):
        if known.examine(middle):
            _halve(known, lower, middle)
        else:
            _halve(known, middle, upper)


def _of_rank(lower: Levels, upper: Levels, steps: int) -> Iterator[Levels]:
    """Every policy between two that is so many steps above the lower one, in order."""
    if len(lower) == 1:
        yield (lower[0] + steps,)
        return
    room = rank(upper[1:]) - rank(lower[1:])
    for own in range(max(0, steps - room), min(steps, upper[0] - lower[0]) + 1):
        for rest in _of_rank(lower[1:], upper[1:], steps - own):
            yield (lower[0] + own, *rest)
