"""Explain why no policy satisfies the models, and suggest which limits to lift.

Under a monotone model, the most general policy suppresses the fewest records. If even this policy
suppresses too many records, every policy does. To find out which limit to lift, and to which level,
the search lifts the limit of one attribute at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.classes import one_class
from roadstead.policies.full_domain import Levels, with_level
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.evaluator import Evaluator

_MOST_NAMED = 3
"""The largest number of attributes that the advice names."""


@dataclass(frozen=True)
class Obstacle:
    """An attribute that is limited to level `allowed`, below its top level `highest`.

    If only this limit is lifted, the most general policy suppresses `suppressed` records. `enough`
    is the lowest level of the attribute at which no records are suppressed. If there is no such
    level, `enough` is the lowest level at which the number of suppressed records is within the
    limit. `left` is the number of records that are still suppressed at the level `enough`. `enough`
    and `left` are None if no level of this attribute alone is enough, or if other attributes come
    closer to the limit. `effect` describes the level `enough`.
    """

    attribute: str
    allowed: int
    highest: int
    suppressed: int
    enough: int | None = None
    left: int | None = None
    effect: str = ""


@dataclass(frozen=True)
class Infeasibility:
    """The reasons why no policy is admissible.

    The most general allowed policy suppresses `suppressed` records. `obstacles` lists the
    attributes with limited levels, starting with the attribute whose limit has the largest effect.
    If all records are suppressed, `masks` indicates whether a release could keep them as one class
    with ``*``. If not, there would be nothing to release.

    The advice never weakens the protection. The advice never suggests a smaller k, fewer models, or
    the suppression of a larger share of the records, which can leave an empty table.
    """

    suppressed: int
    limit: int
    records: int
    obstacles: tuple[Obstacle, ...]
    masks: bool
    unit: str = "records"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Describe the diagnosis in sentences, including possible fixes."""
        levels = "with these level limits" if self.obstacles else "even with the coarsest levels"
        share = f"{100 * self.suppressed / self.records:.3g}%"
        nothing = ""
        if self.suppressed == self.records and not self.masks:
            nothing = " and nothing would be left"
        return (
            f"{levels}, {self.suppressed:,} of {self.records:,} {self._units} ({share}) "
            f"would be removed{nothing}, but at most {self.limit:,} may be removed",
            self.advice,
        )

    @property
    def advice(self) -> str:
        """Advise which limits to lift and to which levels, or suggest other changes."""
        ways = [self._way(o) for o in self.obstacles if o.enough is not None][:_MOST_NAMED]
        if ways:
            return f"allow {', or '.join(ways)}"
        helping = [o for o in self.obstacles if o.suppressed < self.suppressed][:_MOST_NAMED]
        if helping:
            alone = ", ".join(f"{o.attribute!r} {o.suppressed:,}" for o in helping)
            return (
                "allow coarser levels of several columns, because one column is not enough "
                f"({self._units} removed if only one column has its coarsest level: {alone})"
            )
        return "give the hierarchies coarser levels, or release fewer quasi-identifiers"

    def _way(self, obstacle: Obstacle) -> str:
        # The search may remove more than `left`, up to the limit, if a finer policy loses less.
        least = "no" if not obstacle.left else f"at least {obstacle.left:,}"
        units = self._units
        if obstacle.left == 1:
            units = {"people": "person"}.get(units, units.removesuffix("s"))
        level = f"; level {obstacle.enough}: {obstacle.effect}" if obstacle.effect else ""
        return (
            f"{obstacle.attribute!r} up to level {obstacle.enough} instead of {obstacle.allowed} "
            f"(then {least} {units} must be removed{level})"
        )

    def described(self, hierarchies: Sequence[Hierarchy]) -> Infeasibility:
        """Add a description of each level that would be enough."""
        own = {one.attribute: one for one in hierarchies}
        obstacles = (
            one
            if one.enough is None
            else replace(one, effect=own[one.attribute].describe(one.enough))
            for one in self.obstacles
        )
        return replace(self, obstacles=tuple(obstacles))

    @property
    def _units(self) -> str:
        return "people" if self.unit == "persons" else self.unit


def diagnose(problem: FullDomainProblem, *, masks: bool = True) -> Infeasibility:
    """Explain why a problem has no admissible policy.

    `masks` indicates whether suppressed records are kept with ``*`` if this is safe.
    """
    units, suppressed = problem.leaves_out.units, partial(_suppressed, problem)
    if problem.persons is not None:
        found = replace(diagnosed(problem, units, suppressed, masks=False), unit="persons")
        return found.described(problem.encoding.hierarchies)
    whole = one_class(problem.encoding)
    masks = masks and bool(problem.privacy.satisfied(whole).all())
    found = diagnosed(problem, units, suppressed, masks=masks)
    return found.described(problem.encoding.hierarchies)


def diagnosed(
    evaluator: Evaluator,
    records: int,
    suppressed: Callable[[Levels], int],
    *,
    masks: bool,
) -> Infeasibility:
    """Explain why no policy is admissible.

    The function `suppressed` counts the records that a policy suppresses.
    """
    space, limit = evaluator.space, evaluator.limit
    obstacles = [
        Obstacle(name, low, height - 1, suppressed(with_level(space.top, i, height - 1)))
        for i, (name, low, height) in enumerate(
            zip(space.attributes, space.top, evaluator.heights, strict=True)
        )
        if low < height - 1
    ]
    obstacles.sort(key=lambda o: o.suppressed)
    for number, one in enumerate(obstacles[:_MOST_NAMED]):
        at = space.attributes.index(one.attribute)
        levels = range(one.allowed + 1, one.highest + 1) if one.suppressed <= limit else ()
        left = ((level, suppressed(with_level(space.top, at, level))) for level in levels)
        obstacles[number] = _with_enough(one, left, limit)
    most = suppressed(space.top)
    return Infeasibility(most, limit, records, tuple(obstacles), masks)


def _with_enough(one: Obstacle, left: Iterable[tuple[int, int]], limit: int) -> Obstacle:
    """Add the lowest level that suppresses nothing, or else the lowest level within the limit."""
    enough: tuple[int, int] | None = None
    for level, number in left:
        if number == 0:
            return replace(one, enough=level, left=0)
        if number <= limit and enough is None:
            enough = level, number
    return one if enough is None else replace(one, enough=enough[0], left=enough[1])


def _suppressed(problem: FullDomainProblem, levels: Levels) -> int:
    """Count the records or people suppressed by the whole model, not only by its monotone part."""
    everything = problem.leaves_out.units
    found = replace(problem, limit=everything).judge(levels)
    return everything if found is None else found.suppressed
