"""Lattice-based search runs depth first from the bottom and bounds one region at a time.

The search follows Wan and others 2015; paper 003 calls this approach prediction with partial
information. Details of the original are not published. A *region* is a sublattice from an evaluated
policy to a more general policy. A region is done if its upper end suppresses too much. Otherwise,
all direct generalizations of the lower end are evaluated. If one of them is insufficient
(`ledger`), the upper end moves down. The rest is divided among the other steps, so that no policy
is in two regions. The step that is nearest to being insufficient comes first, because its region
will shrink most.
"""

from __future__ import annotations

from dataclasses import dataclass

from roadstead.policies.full_domain import Levels, with_level
from roadstead.search.protocol import THE_BEST
from roadstead_reproductions.searches.ledger import Ledger, Look, WalkSearch


def lattice_based() -> WalkSearch:
    """Return the depth-first branch and bound over regions."""
    return WalkSearch("lattice-based", THE_BEST, _walk)


@dataclass(frozen=True, slots=True)
class _Region:
    """The policies from an evaluated policy to `top`. `seen` is the evaluation of `top`, if any."""

    loss: float
    lower: Look
    top: Levels
    seen: tuple[float, Look] | None


def _walk(ledger: Ledger) -> bool:
    space = ledger.problem.space
    loss, bottom = ledger.appraise(space.bottom)
    if space.bottom == space.top:
        return True
    current = _Region(loss, bottom, space.top, None)
    waiting = [current]
    # Every policy that was not evaluated is in a waiting region or in the current region.
    ledger.bound = lambda: min(region.lower.floor for region in (current, *waiting))
    while waiting:
        current = waiting.pop()
        waiting += reversed(_search(ledger, current))
        ledger.open = len(waiting)
    return True


def _search(ledger: Ledger, region: _Region) -> list[_Region]:
    """Evaluate the steps above the lower end, and return the regions above in order."""
    lower = region.lower
    if ledger.insufficient(lower):
        ledger.hits += 1
        return []
    seen = region.seen or ledger.appraise(region.top)
    if ledger.hopeless(seen[1]):
        ledger.hits += 1
        return []
    steps: list[tuple[int, float, Look]] = []
    top = list(region.top)
    for i, level in enumerate(lower.levels):
        if level == region.top[i]:
            continue
        levels = with_level(lower.levels, i, level + 1)
        loss, step = seen if levels == region.top else ledger.appraise(levels)
        if ledger.insufficient(step):
            top[i] = level
        else:
            steps.append((i, loss, step))
    regions = []
    for i, loss, step in sorted(steps, key=lambda entry: -entry[2].floor):
        end = tuple(top)
        if end != step.levels:
            regions.append(_Region(loss, step, end, seen if end == region.top else None))
        top[i] = lower.levels[i]
    return sorted(regions, key=lambda region: region.loss)
