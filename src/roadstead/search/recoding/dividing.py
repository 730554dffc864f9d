"""Divide a table into boxes by cutting every box in two as long as this is allowed.

A cut is made only if both sides satisfy the privacy model. If the model requires only a minimum
number of records, compiled code does all the work. Otherwise, the model checks the sides of the
best cuts of many boxes at a time. If the model rejects a side, the next best cut of the same box is
checked.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roadstead.kernels.recoding.splitting import MEDIAN, cuts, split
from roadstead.search.protocol import Control
from roadstead.search.recoding.points import Boxed, Points
from roadstead.search.recoding.protocol import OUT, RecodingProblem, classes_of


def divided(problem: RecodingProblem, points: Points, rule: int, control: Control) -> Boxed:
    """Return the box of each point, or one box if the search must end before the first cut."""
    if problem.alone:
        return split(points.where, points.records, problem.k, rule)
    done = []
    nodes = [_Node(points, np.arange(points.size), problem.k, rule)]
    while nodes and control.ending() is None:
        asked = []
        for node in nodes:
            if node.cuts:
                asked.append(node)
            else:
                done.append(node.inside)
        nodes = []
        sides = [side for node in asked for side in node.sides(points)]
        kept = _kept(problem, points, sides)
        for at, node in enumerate(asked):
            if kept[2 * at : 2 * at + 2].all():
                nodes += [
                    _Node(points, side, problem.k, rule) for side in sides[2 * at : 2 * at + 2]
                ]
            else:
                node.cuts.pop()
                nodes.append(node)
    box = np.full(points.size, OUT, dtype=np.int32)
    for at, inside in enumerate([*done, *(node.inside for node in nodes)]):
        box[inside] = at
    return box


@dataclass
class _Node:
    """Points of a box, and its possible cuts as (axis, rows before), with the best cut last."""

    inside: NDArray[np.int64] = field(repr=False)
    cuts: list[tuple[int, int]]

    def __init__(self, points: Points, inside: NDArray[np.int64], least: int, rule: int) -> None:
        self.inside, self.cuts = inside, []
        if points.records[inside].sum() < 2 * least:
            return
        for one in dict.fromkeys((rule, MEDIAN)):  # models rarely reject cuts in the middle
            front, badness = cuts(points.where, points.records, inside, max(least, 1), one)
            order = np.argsort(badness, kind="stable").tolist()
            self.cuts += [(axis, int(front[axis])) for axis in order if front[axis] > 0]
        self.cuts.reverse()

    def sides(self, points: Points) -> list[NDArray[np.int64]]:
        """Return the points on both sides of the best cut."""
        axis, front = self.cuts[-1]
        order = self.inside[np.argsort(points.where[self.inside, axis], kind="stable")]
        return [order[:front], order[front:]]


def _kept(
    problem: RecodingProblem, points: Points, sides: list[NDArray[np.int64]]
) -> NDArray[np.bool_]:
    """For each set of points, return whether the set as a class satisfies the privacy model."""
    box = np.full(points.size, OUT, dtype=np.int32)
    for at, side in enumerate(sides):
        box[side] = at
    if not sides:
        return np.empty(0, dtype=bool)
    classes = classes_of(points.rows(box), problem.encoding.counts, len(sides))
    return np.asarray(problem.privacy.satisfied(classes))
