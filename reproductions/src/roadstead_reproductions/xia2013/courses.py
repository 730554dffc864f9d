"""The area under a frontier during a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roadstead.policies.partition import Partition
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.protocol import FrontierProblem, FrontierSearch
from roadstead.search.protocol import Control


@dataclass(frozen=True)
class Asked:
    """A search whose area is recorded at checkpoints.

    `checkpoints` contains ascending numbers of evaluated policies. The search ends at the last
    checkpoint. `uncounted` is the number of initial policies that are not counted.
    """

    search: FrontierSearch
    checkpoints: tuple[int, ...]
    uncounted: int = 0


@dataclass(frozen=True)
class Course:
    """The area under the frontier at each checkpoint, and the time in seconds.

    The area is 1 before the first policy.
    """

    areas: tuple[float, ...]
    seconds: float


def follow(problem: FrontierProblem, asked: Asked) -> Course:
    """Run a search to its last checkpoint, and record the area at each checkpoint.

    The ends of sublattices join the frontier before they are counted, so the area at a checkpoint
    is the last area before the search passed the checkpoint.
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
    """Return the multiples of a step, and the last checkpoint."""
    return tuple(sorted({*range(step, last, step), last}))


def mean_areas(courses: Sequence[Course]) -> tuple[float, ...]:
    """Return the mean area of several runs at each checkpoint."""
    return tuple(sum(own) / len(courses) for own in zip(*(c.areas for c in courses), strict=True))
