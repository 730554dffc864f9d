"""Why no policy satisfies the models, and what would do.

Under a monotone model the most general policy suppresses least, so if it suppresses too much,
every policy does. What it suppresses says how far the request is from being met, and letting one
more attribute be generalized to its top says which of them stands in the way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.classes import classes_at, one_class
from roadstead.policies.full_domain import Levels, with_level
from roadstead.privacy.models.k_anonymity import SMALLEST_K, KAnonymity
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.evaluator import Evaluator


@dataclass(frozen=True)
class Obstacle:
    """An attribute that may not be generalized to its top, but to `allowed` of `highest` levels.

    Without this limit alone, the most general policy would suppress so many records.
    """

    attribute: str
    allowed: int
    highest: int
    suppressed: int


@dataclass(frozen=True)
class Infeasibility:
    """What stands in the way.

    The most general policy allowed suppresses so many of the records: the smallest limit that would
    do. `obstacles` are the attributes whose levels are limited, the one that stands in the way most
    first, and `largest_k` is the largest k that this policy satisfies within the limit; None where
    the model is not k-anonymity or none does. `masks` says whether all records, were they all
    suppressed, could be kept as one class with ``*``; else there would be nothing to release.
    """

    suppressed: int
    limit: int
    records: int
    obstacles: tuple[Obstacle, ...]
    largest_k: int | None
    masks: bool
    unit: str = "records"

    @property
    def sentences(self) -> tuple[str, ...]:
        """The diagnosis in words, the fixes included."""
        sentences = [
            f"the most general policy allowed suppresses {self.suppressed:,} of {self.records:,} "
            f"{self.unit}, and {self.limit:,} may be",
            *(
                f"{o.attribute!r} is held at level {o.allowed} of {o.highest}, and without that "
                f"limit {o.suppressed:,} {self.unit} are suppressed"
                for o in self.obstacles
                if o.suppressed < self.suppressed
            ),
        ]
        # Whole numbers round up exactly: 729 of 10,000 are 0.0729 and not 0.073.
        share = -(-self.suppressed * 10_000 // self.records) / 10_000
        if self.suppressed == self.records and not self.masks:
            left = "nobody" if self.unit == "persons" else "nothing"
            sentences.append(f"no suppression limit would do, for {left} would be left")
        else:
            sentences.append(f"a suppression limit of {share:g} would do")
        if self.largest_k is not None:
            sentences.append(f"k = {self.largest_k} would do")
        return tuple(sentences)


def diagnose(problem: FullDomainProblem, *, masks: bool = True) -> Infeasibility:
    """Work out why a problem has no admissible policy.

    `masks`: suppressed records are to be kept with ``*``, where that is safe.
    """
    k = None
    if isinstance(problem.privacy, KAnonymity):
        sizes = classes_at(problem.encoding, problem.space.top).sizes
        k = largest_k(*np.unique(sizes, return_counts=True), problem.limit)
    units, suppressed = problem.leaves_out.units, partial(_suppressed, problem)
    if problem.persons is not None:
        return replace(diagnosed(problem, units, suppressed, k, masks=False), unit="persons")
    whole = one_class(problem.encoding)
    masks = masks and bool(problem.privacy.satisfied(whole).all())
    return diagnosed(problem, units, suppressed, k, masks=masks)


def diagnosed(
    evaluator: Evaluator,
    records: int,
    suppressed: Callable[[Levels], int],
    largest_k: int | None,
    *,
    masks: bool,
) -> Infeasibility:
    """Put together why no policy is admissible; `suppressed` counts what a policy suppresses."""
    space, limit = evaluator.space, evaluator.limit
    obstacles = [
        Obstacle(name, low, height - 1, suppressed(with_level(space.top, i, height - 1)))
        for i, (name, low, height) in enumerate(
            zip(space.attributes, space.top, evaluator.heights, strict=True)
        )
        if low < height - 1
    ]
    obstacles.sort(key=lambda o: o.suppressed)
    most = suppressed(space.top)
    return Infeasibility(most, limit, records, tuple(obstacles), largest_k, masks)


def _suppressed(problem: FullDomainProblem, levels: Levels) -> int:
    """Records or persons that the whole model leaves out, not its monotone part alone."""
    everything = problem.leaves_out.units
    found = replace(problem, limit=everything).judge(levels)
    return everything if found is None else found.suppressed


def largest_k(sizes: NDArray[np.int64], numbers: NDArray[np.int64], limit: int) -> int | None:
    """Give the largest k that classes of these sizes, ascending, satisfy within a limit."""
    smaller = np.concatenate([[0], np.cumsum(sizes * numbers)[:-1]])
    # With k equal to a class's size, the smaller classes and no others are suppressed.
    largest = int(sizes[smaller <= limit].max())
    return largest if largest >= SMALLEST_K else None
