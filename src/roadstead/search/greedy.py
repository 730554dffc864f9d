"""Two greedy searches: from the data as they are, one attribute a level up, again and again.

*Datafly* (Sweeney 1997) raises the attribute that shows most distinct values, up to the first
admissible policy. It looks at one policy in each step, so it is the quickest of all searches.

*IGreedy* (Babu, Reddy, Kumar, Elliot and Jena 2013; the heuristic that paper 003 compares with)
looks at all direct generalizations, and takes the one whose smallest class has most records; of
equals, the one that raises the attribute with most distinct values. It ends at the first admissible
policy, and returns the best of all that it looked at on the way.

Neither turns back, and neither says how far it is from the best.
"""

from __future__ import annotations

from roadstead.policies.full_domain import Levels, with_level
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.ledger import Ledger, Look, WalkSearch


def datafly() -> WalkSearch:
    """Climb by the number of distinct values."""
    guarantee = "an admissible policy, at once; how far from the best is not known"
    return WalkSearch("datafly", guarantee, _by_values)


def igreedy() -> WalkSearch:
    """Climb by the size of the smallest class."""
    guarantee = "an admissible policy, quickly; how far from the best is not known"
    return WalkSearch("igreedy", guarantee, _by_smallest_class)


def _by_values(ledger: Ledger) -> bool:
    problem = ledger.problem
    current = ledger.look(problem.space.bottom)
    while current.candidate is None:
        steps = _steps(problem, current.levels)
        if not steps:
            return ledger.hopeless(current)
        current = ledger.look(max(steps, key=lambda step: step[:2])[2])
    return ledger.settled()


def _by_smallest_class(ledger: Ledger) -> bool:
    problem = ledger.problem
    current = ledger.look(problem.space.bottom)
    while current.candidate is None:
        looks: list[tuple[int, int, int, Look]] = []
        for distinct, order, levels in _steps(problem, current.levels):
            look = ledger.look(levels)
            looks.append((look.smallest, distinct, order, look))
        if not looks:
            return ledger.hopeless(current)
        *_, current = max(looks, key=lambda entry: entry[:3])
    return ledger.settled()


def _steps(problem: FullDomainProblem, levels: Levels) -> list[tuple[int, int, Levels]]:
    """Give the policies a level up, each with the values its attribute shows, the first first."""
    return [
        (problem.encoding.labels[i][level], -i, with_level(levels, i, level + 1))
        for i, (level, highest) in enumerate(zip(levels, problem.space.top, strict=True))
        if level < highest
    ]
