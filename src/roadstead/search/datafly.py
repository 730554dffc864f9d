"""Datafly: generalize the attribute with most distinct values, until few enough records stand out.

Sweeney 1997. From the data as they are, the attribute that shows most distinct values goes up one
level, and so on to the first admissible policy. One policy is looked at in each step, so it is the
quickest of all searches, and it looks at nothing but numbers of values.
"""

from __future__ import annotations

from dataclasses import dataclass

from roadstead.search.ledger import Ledger, conduct
from roadstead.search.neighbors import distinct, raised
from roadstead.search.protocol import Control, Outcome, Problem


@dataclass(frozen=True)
class Datafly:
    """Greedy steps by the number of distinct values."""

    name: str = "datafly"
    guarantee: str = "an admissible policy, at once; how far from the best is not known"

    def refusal(self, problem: Problem) -> str | None:  # noqa: ARG002 - takes all
        """It takes every model, and lattices of any size."""
        return None

    def run(self, problem: Problem, control: Control) -> Outcome:
        """Climb to the first admissible policy, or until told to stop."""
        return conduct(problem, control, _walk)


def _walk(ledger: Ledger) -> bool:
    problem = ledger.problem
    top = problem.space.top
    current = ledger.look(problem.space.bottom)
    while current.candidate is None:
        levels = current.levels
        steps = [
            (distinct(problem.encoding, levels, i), -i)
            for i, level in enumerate(levels)
            if level < top[i]
        ]
        if not steps:
            return ledger.hopeless(current)
        _, most = max(steps)
        current = ledger.look(raised(levels, -most))
    return ledger.settled()
