"""Incognito: subsets of the attributes first, the small ones before the large ones.

LeFevre, DeWitt and Ramakrishnan 2005. With the other attributes generalized to their tops, classes
are largest. If even then too much is suppressed, this is so whatever is done with the other
attributes. So all subsets of one attribute are searched, then those of two, and so on, each from
its most specific policy upwards; what failed in a subset is not looked at in any that contains it,
and what is above an admissible policy is admissible.

A policy belongs to the subset of attributes that it does not generalize to their tops, so each is
met once. What is left are the policies with no admissible one below them (`minimal`). The best of
these, or of the others met on the way, is returned. It is the best of all only where nothing may be
suppressed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.full_domain import FullDomain
from roadstead.search.ledger import Ledger, conduct
from roadstead.search.minimal import Admissibility, refusal
from roadstead.search.protocol import Control, Outcome, Problem
from roadstead.search.tags import levels_of, sums

_CHUNK = 4096


@dataclass(frozen=True)
class Incognito:
    """From small subsets of the attributes to all of them."""

    name: str = "incognito"
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
    space = ledger.problem.space
    known = Admissibility(ledger)
    numbers = in_order(space)
    for at in range(0, numbers.size, _CHUNK):
        ledger.pause()
        ledger.open = numbers.size - at
        for levels in levels_of(space, numbers[at : at + _CHUNK]):
            known.examine(levels)
    return known.settle()


def in_order(space: FullDomain) -> NDArray[np.intp]:
    """Numbers of all policies, by how many attributes are not at their tops, then by rank.

    Two policies of different subsets of one size tell nothing about each other, so their order
    does not matter.
    """
    ranks, not_at_top = [], []
    for low, high in zip(space.bottom, space.top, strict=True):
        levels = np.arange(low, high + 1, dtype=np.float64)
        ranks.append(levels)
        not_at_top.append((levels < high).astype(np.float64))
    return np.lexsort([sums(ranks), sums(not_at_top)])
