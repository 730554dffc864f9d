"""Figures 7 to 9: the frontier of one run, compared with Safe Harbor and bisecting search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import dist
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.partition import Partition
from roadstead.policies.partition_words import PartitionWords
from roadstead.search.frontiers.boundary import Bisecting, BoundaryProblem
from roadstead.search.frontiers.combined import Combined
from roadstead.search.frontiers.frontier import Frontier, Member, Point
from roadstead.search.protocol import Control
from roadstead_reproductions.tables import Column, ResultTable, Row, Tell
from roadstead_reproductions.xia2013 import published
from roadstead_reproductions.xia2013.instances import Instance, dominates
from roadstead_reproductions.xia2013.readings import CHOSEN
from roadstead_reproductions.xia2013.recording import RecordingFrontier, record

FRONTIERS = (
    Column("search", "search", "text"),
    Column("visited", "policies visited", "count"),
    Column("members", "on the frontier", "count", "members_published"),
    Column("points", "distinct points", "count", "points_published"),
    Column("area", "area", "quality"),
    Column("better", "dominate Safe Harbor", "count", "better_published"),
    Column("distance", "mean distance to it", "times", "distance_published"),
    Column("one_chain", "most on one chain", "count", "one_chain_published"),
    Column("chains", "chains", "count"),
)
ALTERNATIVES = (
    Column("search", "frontier", "text"),
    Column("alternatives", "bisecting's policies", "count", "alternatives_published"),
    Column("distinct", "distinct", "count"),
    Column("better", "of these dominate Safe Harbor", "count"),
    Column("by_better", "dominated by members better than Safe Harbor", "share", "published"),
    Column("by_any", "dominated by any member", "share"),
)
POINTS = (
    Column("kind", "what", "text"),
    Column("risk", "risk", "quality"),
    Column("loss", "loss", "quality"),
    Column("safe_harbor", "dominates Safe Harbor", "text"),
)
WORDS = (
    Column("policy", "policy", "text"),
    Column("risk", "risk", "quality"),
    Column("loss", "loss", "quality"),
    Column("attribute", "attribute", "text"),
    Column("words", "what it becomes", "text"),
    Column("difference", "against Safe Harbor", "text"),
)
_EXAMPLES = 2
_GRID = 500
"""The number of cells along each side of a grid. The picture has at most one point per cell."""


@dataclass(frozen=True)
class QualityExtent:
    """The numbers of policies that SHS, our search, and the bisecting search may evaluate."""

    budget: int
    ours: int
    alternatives: int
    seed: int = 0


def quality(
    instance: Instance, extent: QualityExtent, tell: Tell
) -> tuple[ResultTable, ResultTable, ResultTable, ResultTable]:
    """Run SHS, our search, and the bisecting search once each.

    The function returns the frontiers, the policies of the bisecting search, the points of the
    picture, and examples described in words.
    """
    problem, yardstick = instance.problem, instance.yardstick
    tell("figure 7: one run of SHS, with everything kept")
    search = CHOSEN.sublattices(extent.seed)
    kept = record(search, problem, extent.budget + CHOSEN.uncounted(problem))
    tell("figure 8: our own frontier")
    ours = Combined().run(problem, Control(budget=extent.ours))
    tell("figure 8: bisecting search at Safe Harbor's risk")
    found = alternatives(instance, extent.alternatives, extent.seed)
    points = [problem.point(policy) for policy in found]
    frontiers: dict[str, Frontier[Partition]] = {"SHS": kept, "combined": ours.frontier}
    rows = (
        _recorded(kept, yardstick),
        {
            **_nothing_published(),
            "search": "combined",
            "visited": ours.evaluated + ours.derived,
            "members": len(ours.frontier),
            "points": len(ours.frontier),
            **_better(ours.frontier, yardstick),
        },
    )
    return (
        ResultTable(
            "figure-7-8-frontiers",
            "Figures 7 and 8: the frontier of one run, and Safe Harbor",
            FRONTIERS,
            rows,
            (
                "A frontier keeps one policy per risk and loss. Policies with the same risk and "
                "loss as a member are counted among those on the frontier.",
                "The number of members that are better than Safe Harbor depends on two facts "
                "that the paper does not give: its population by ZIP code, and the risk and loss "
                "of Safe Harbor.",
                f"Safe Harbor: risk {yardstick.risk:.4f}, loss {yardstick.loss:.4f}; "
                f"{'; '.join(instance.safe_harbor.says)}.",
                "Combined is our own search. It visits the policies that it evaluates and all "
                "their neighbors, which it computes from the same classes.",
            ),
        ),
        ResultTable(
            "figure-8-alternatives",
            "Figure 8: policies of bisecting search (paper 004), dominated by frontiers",
            ALTERNATIVES,
            tuple(
                _dominated(name, frontier, points, found, yardstick)
                for name, frontier in frontiers.items()
            ),
            (
                "Bisecting's policies have at most the risk of Safe Harbor. Their loss is not "
                "always below Safe Harbor's, as the paper also says about its own.",
            ),
        ),
        ResultTable(
            "figure-7-8-points",
            "Figures 7 and 8: points",
            POINTS,
            tuple(_points(kept, ours.frontier, points, yardstick)),
            (f"Points visited are on a grid of {_GRID} by {_GRID}.",),
            drawn=True,
        ),
        examples(instance, kept),
    )


def alternatives(instance: Instance, number: int, seed: int) -> list[Partition]:
    """Find policies at the edge of the set of policies with at most Safe Harbor's risk."""
    problem, threshold = instance.problem, instance.yardstick.risk
    rule = BoundaryProblem(problem.domains, lambda one: problem.point(one).risk <= threshold)
    outcome = Bisecting(seed).run(rule, Control(iterations=number))
    return [one.policy for one in outcome.found]


def better_than(frontier: Iterable[Member[Partition]], point: Point) -> list[Member[Partition]]:
    """Return the members that strictly dominate a policy."""
    return [member for member in frontier if dominates(Point(member.risk, member.loss), point)]


def _better(frontier: Frontier[Partition], yardstick: Point) -> Row:
    better = better_than(frontier, yardstick)
    distances = [dist(member[:2], yardstick) for member in better]
    return {
        "area": frontier.area,
        "better": len(better),
        "distance": fmean(distances) if distances else None,
    }


def _recorded(kept: RecordingFrontier, yardstick: Point) -> Row:
    chains = chains_of(kept, better_than(kept, yardstick))
    return {
        "search": "SHS",
        "visited": len(kept.met),
        "members": kept.tied,
        "members_published": published.MEMBERS,
        "points": len(kept),
        "points_published": published.POINTS,
        **_better(kept, yardstick),
        "better_published": published.BETTER_THAN_SAFE_HARBOR,
        "distance_published": published.DISTANCE,
        "one_chain": max(chains.values(), default=0),
        "one_chain_published": published.ON_ONE_CHAIN,
        "chains": len(chains),
    }


def chains_of(kept: RecordingFrontier, members: Sequence[Member[Partition]]) -> Counter[int]:
    """Count members of the frontier by the sublattice, and therefore the chain, of their origin."""
    return Counter(kept.origin[member.policy] for member in members)


def _nothing_published() -> dict[str, None]:
    names = ("members", "points", "better", "distance", "one_chain")
    return {**{f"{name}_published": None for name in names}, "one_chain": None, "chains": None}


def _dominated(
    name: str,
    frontier: Frontier[Partition],
    points: Sequence[Point],
    found: Sequence[Partition],
    yardstick: Point,
) -> Row:
    """Return the share of policies that a frontier dominates."""
    theirs = name == "SHS"
    better = [Point(m.risk, m.loss) for m in better_than(frontier, yardstick)]
    every = [Point(m.risk, m.loss) for m in frontier]
    return {
        "search": name,
        "alternatives": len(points),
        "alternatives_published": published.ALTERNATIVES if theirs else None,
        "distinct": len(set(found)),
        "better": sum(dominates(one, yardstick) for one in points),
        "by_better": share_dominated(points, better),
        "published": published.DOMINATED if theirs else None,
        "by_any": share_dominated(points, every),
    }


def share_dominated(points: Sequence[Point], by: Sequence[Point]) -> float | None:
    """Return the share of points that other points strictly dominate."""
    if not points:
        return None
    return fmean(any(dominates(one, own) for one in by) for own in points)


def _points(
    kept: RecordingFrontier,
    ours: Frontier[Partition],
    found: Sequence[Point],
    yardstick: Point,
) -> list[Row]:
    rows = [_point("visited", Point(*own)) for own in thinned(kept.met).tolist()]
    for name, frontier in (("SHS", kept), ("combined", ours)):
        rows += [_point(name, Point(m.risk, m.loss), yardstick) for m in frontier]
    rows += [_point("bisecting", one, yardstick) for one in found]
    return [*rows, _point("Safe Harbor", yardstick)]


def _point(kind: str, point: Point, yardstick: Point | None = None) -> Row:
    better = yardstick is not None and dominates(point, yardstick)
    said = "" if yardstick is None else "yes" if better else "no"
    return {"kind": kind, "risk": point.risk, "loss": point.loss, "safe_harbor": said}


def thinned(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keep the first point of each cell of a fine grid."""
    _, first = np.unique(np.floor(points * _GRID), axis=0, return_index=True)
    found: NDArray[np.float64] = points[np.sort(first)]
    return found


def examples(instance: Instance, kept: RecordingFrontier) -> ResultTable:
    """Describe Safe Harbor and two policies that dominate it.

    If possible, the policies are from two chains. Each policy is the farthest from Safe Harbor on
    its chain.
    """
    domains, yardstick = instance.problem.domains, instance.yardstick
    words = PartitionWords.of(domains.attributes, instance.study.values)
    reference = instance.safe_harbor.partition
    rows = _told(words, "Safe Harbor", Member(*yardstick, reference), reference)
    for name, member in zip("AB", chosen(kept, yardstick), strict=False):
        rows += _told(words, name, member, reference)
    return ResultTable(
        "figure-9-examples",
        "Figure 9: two policies of SHS that strictly dominate Safe Harbor, in words",
        WORDS,
        tuple(rows),
        (
            "Each policy is the farthest from Safe Harbor in its chain. The first chain has most "
            "of them.",
        ),
    )


def chosen(kept: RecordingFrontier, yardstick: Point) -> list[Member[Partition]]:
    """Return the farthest member that beats a policy on each of two chains."""
    better = better_than(kept, yardstick)
    chains = [chain for chain, _ in chains_of(kept, better).most_common(_EXAMPLES)]
    return [
        max(
            (m for m in better if kept.origin[m.policy] == chain),
            key=lambda m: dist(m[:2], yardstick),
        )
        for chain in chains
    ]


def _told(
    words: PartitionWords, name: str, member: Member[Partition], reference: Partition
) -> list[Row]:
    differences = dict(
        zip(
            words.domains.attributes,
            _by_attribute(words, member.policy, reference),
            strict=True,
        )
    )
    return [
        {
            "policy": name,
            "risk": member.risk,
            "loss": member.loss,
            "attribute": attribute,
            "words": told,
            "difference": differences[attribute],
        }
        for attribute, told in zip(
            words.domains.attributes, words.describe(member.policy), strict=True
        )
    ]


def _by_attribute(
    words: PartitionWords, partition: Partition, reference: Partition
) -> tuple[str, ...]:
    """Return the difference that each attribute causes if all other attributes are unchanged."""
    offsets = words.domains.offsets
    found = []
    for first, end in pairwise(offsets):
        own = ((1 << end) - 1) & ~((1 << first) - 1)
        mixed = Partition(reference.kept & ~own | partition.kept & own)
        found.append("; ".join(words.difference(mixed, reference)) or "the same")
    return tuple(found)
