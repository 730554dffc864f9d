"""How the area under a frontier falls while a search goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.protocol import FrontierProblem, FrontierSearch
from roadstead.search.protocol import Control


@dataclass(frozen=True)
class Asked:
    """A search to be watched.

    Attributes
    ----------
    search
        The search.
    checkpoints
        Ascending numbers of evaluated policies; it ends at the last.
    uncounted
        Policies at the beginning that are not counted.
    """

    search: FrontierSearch
    checkpoints: tuple[int, ...]
    uncounted: int = 0


@dataclass(frozen=True)
class Course:
    """What was seen.

    Attributes
    ----------
    areas
        Area under the frontier when so many policies were evaluated as each checkpoint says; 1
        before the first policy.
    seconds
        Time of the search.
    """

    areas: tuple[float, ...]
    seconds: float


def follow(problem: FrontierProblem, asked: Asked) -> Course:
    """Run a search to its last checkpoint and note the area at each.

    Ends of sublattices join the frontier before they are counted; so what belongs to a checkpoint
    is what was told last before it was passed.
    """
    areas: list[float] = []
    now = 1.0

    def watch(evaluated: int, frontier: Frontier[Partition]) -> None:
        nonlocal now
        while len(areas) < len(marks) and evaluated > marks[len(areas)]:
            areas.append(now)
        now = frontier.area

    marks = [checkpoint + asked.uncounted for checkpoint in asked.checkpoints]
    outcome = asked.search.run(problem, Control(budget=marks[-1], watch=watch))
    areas += [now] * (len(marks) - len(areas))
    return Course(tuple(areas), outcome.seconds)


def checkpoints(step: int, last: int) -> tuple[int, ...]:
    """Give multiples of a step, and the last."""
    return tuple(sorted({*range(step, last, step), last}))


def mean_areas(courses: Sequence[Course]) -> tuple[float, ...]:
    """Average the areas of several runs, checkpoint for checkpoint."""
    return tuple(sum(own) / len(courses) for own in zip(*(c.areas for c in courses), strict=True))
