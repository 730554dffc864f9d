"""IGreedy: one step after the other, always the one that makes the smallest class largest.

Babu, Reddy, Kumar, Elliot and Jena 2013; the heuristic that paper 003 compares with. From the data
as they are, all direct generalizations are looked at. The one whose smallest class has most records
is taken; of equals, the one that raises the attribute with most distinct values. It ends at the
first admissible policy and never turns back. The best of all that it looked at on the way is
returned.
"""

from __future__ import annotations

from dataclasses import dataclass

from roadstead.search.ledger import Ledger, Look, conduct
from roadstead.search.neighbors import distinct, raised
from roadstead.search.protocol import Control, Outcome, Problem


@dataclass(frozen=True)
class IGreedy:
    """Greedy steps by the size of the smallest class."""

    name: str = "igreedy"
    guarantee: str = "an admissible policy, quickly; how far from the best is not known"

    def refusal(self, problem: Problem) -> str | None:  # noqa: ARG002 - takes all
        """It takes every model, and lattices of any size."""
        return None

    def run(self, problem: Problem, control: Control) -> Outcome:
        """Climb to the first admissible policy, or until told to stop."""
        return conduct(problem, control, _walk)


def _walk(ledger: Ledger) -> bool:
    problem = ledger.problem
    current = ledger.look(problem.space.bottom)
    while current.candidate is None:
        steps: list[tuple[int, int, int, Look]] = []
        for i, (level, highest) in enumerate(zip(current.levels, problem.space.top, strict=True)):
            if level < highest:
                look = ledger.look(raised(current.levels, i))
                steps.append(
                    (look.smallest, distinct(problem.encoding, current.levels, i), -i, look)
                )
        if not steps:
            return ledger.hopeless(current)
        *_, current = max(steps, key=lambda step: step[:3])
    return ledger.settled()
