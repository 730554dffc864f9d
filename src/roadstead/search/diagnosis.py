"""Why no policy satisfies the models, and which limits to lift.

Under a monotone model the most general policy suppresses least, so if it suppresses too much,
every policy does. What it suppresses says how far the request is from being met, and letting one
more attribute be generalized to its top says which of them stands in the way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from roadstead.policies.classes import one_class
from roadstead.policies.full_domain import Levels, with_level
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.evaluator import Evaluator

_MOST_NAMED = 3
"""Attributes that the advice names."""


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

    The most general policy allowed suppresses so many of the records. `obstacles` are the
    attributes whose levels are limited, the one that stands in the way most first. `masks` says
    whether all records, were they all suppressed, could be kept as one class with ``*``; else there
    would be nothing to release.

    What is advised never takes protection away: no larger share of suppressed records, which leaves
    a table of nothing, no smaller k, and no model less.
    """

    suppressed: int
    limit: int
    records: int
    obstacles: tuple[Obstacle, ...]
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
        if self.suppressed == self.records and not self.masks:
            left = "nobody" if self.unit == "persons" else "nothing"
            sentences.append(f"with these limits {left} would be left")
        else:
            share = f"{100 * self.suppressed / self.records:.3g}%"
            sentences.append(f"with these limits {share} of the {self.unit} would be removed")
        return (*sentences, self.advice)

    @property
    def advice(self) -> str:
        """Say which limits to lift; where none is in the way, what else makes groups larger."""
        helping = [o for o in self.obstacles if o.suppressed < self.suppressed]
        enough = [o for o in helping if o.suppressed <= self.limit]
        named = [repr(o.attribute) for o in (enough or helping)[:_MOST_NAMED]]
        if named:
            return f"allow a coarser {' or '.join(named)} instead"
        return "give the hierarchies coarser levels, or release fewer quasi-identifiers"


def diagnose(problem: FullDomainProblem, *, masks: bool = True) -> Infeasibility:
    """Work out why a problem has no admissible policy.

    `masks`: suppressed records are to be kept with ``*``, where that is safe.
    """
    units, suppressed = problem.leaves_out.units, partial(_suppressed, problem)
    if problem.persons is not None:
        return replace(diagnosed(problem, units, suppressed, masks=False), unit="persons")
    whole = one_class(problem.encoding)
    masks = masks and bool(problem.privacy.satisfied(whole).all())
    return diagnosed(problem, units, suppressed, masks=masks)


def diagnosed(
    evaluator: Evaluator,
    records: int,
    suppressed: Callable[[Levels], int],
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
    return Infeasibility(most, limit, records, tuple(obstacles), masks)


def _suppressed(problem: FullDomainProblem, levels: Levels) -> int:
    """Records or persons that the whole model leaves out, not its monotone part alone."""
    everything = problem.leaves_out.units
    found = replace(problem, limit=everything).judge(levels)
    return everything if found is None else found.suppressed
