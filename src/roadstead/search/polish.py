"""Local search around the best policy known: a long exact search prunes by it.

Two policies are neighbors when one level, or one up and another down, tells them apart; a step of
two is allowed against a step of one. As long as a neighbor is better, it takes the place of the
best. Neighbors that a bound already rules out are not evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator

from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.search.evaluation import Evaluation, Evaluator
from roadstead.search.protocol import Candidate, preference

_EXCHANGES = ((-1, 1), (-2, 1), (-1, 2))
"""Steps of one attribute and of another."""


def polish(
    evaluator: Evaluator, general: Evaluation, best: Candidate[Levels]
) -> Iterator[Candidate[Levels] | None]:
    """Look at better and better neighbors of the best, from the most general policy's evaluation.

    After each evaluation comes the candidate if it is better than all before, else None.
    """
    seen = {best.policy}
    moved = True
    while moved:
        moved = False
        for levels in neighbors(evaluator.space, best.policy):
            if levels in seen:
                continue
            seen.add(levels)
            bound = evaluator.bounds.lower_bound(
                levels, evaluator.space.top, general.tally, general.kept
            )
            if preference(bound, levels) >= best.preference:
                continue
            found = evaluator.evaluate(levels, general, levels).candidate
            if found is not None and found.preference < best.preference:
                best, moved = found, True
                yield found
                break
            yield None


def neighbors(space: FullDomain, levels: Levels) -> Iterator[Levels]:
    """Policies one step away, then those one exchange away."""
    places = range(len(levels))
    for i in places:
        for step in (-1, 1):
            yield from _within(space, levels, {i: step})
    for i in places:
        for j in places:
            if i != j:
                for down, up in _EXCHANGES:
                    yield from _within(space, levels, {i: down, j: up})


def _within(space: FullDomain, levels: Levels, steps: dict[int, int]) -> Iterator[Levels]:
    moved = list(levels)
    for i, step in steps.items():
        moved[i] += step
        if not space.bottom[i] <= moved[i] <= space.top[i]:
            return
    yield tuple(moved)
