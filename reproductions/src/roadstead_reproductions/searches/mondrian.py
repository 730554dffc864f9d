"""Mondrian with free intervals, which is the baseline of all searches for boxes.

A box is cut at the median of its widest axis while both sides satisfy the privacy model (LeFevre,
DeWitt, and Ramakrishnan, ICDE 2006). Widths are measured as shares of the domain. Each released box
is the smallest box that contains its records. Attribute weights and sensitive columns are ignored.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roadstead.kernels.recoding.splitting import MEDIAN
from roadstead.search.protocol import Control, Ending
from roadstead.search.recoding.dividing import divided
from roadstead.search.recoding.points import Points, points_of
from roadstead.search.recoding.protocol import RecodingOutcome, RecodingProblem
from roadstead.search.recoding.settling import Incumbent


class Mondrian:
    """A search that cuts at medians."""

    name = "mondrian"
    guarantee = "every group meets the privacy models; there is no guarantee for the loss"

    def run(self, problem: RecodingProblem, control: Control) -> RecodingOutcome:
        """Cut until no box can be cut."""
        control.begin()
        points, incumbent = points_of(problem), Incumbent(problem)
        box = divided(problem, evenly(problem, points), MEDIAN, control)
        incumbent.offer_boxes(points, points.tight(box))
        ending: Ending = control.ending() or "complete"
        number = int(box.max()) + 1
        return RecodingOutcome(incumbent.best, incumbent.loss, 0.0, control.seconds, ending, number)


def evenly(problem: RecodingProblem, points: Points) -> Points:
    """Measure all axes equally, without weights."""
    where = [axis.positions[own] for axis, own in zip(problem.axes, points.places.T, strict=True)]
    return replace(points, where=np.ascontiguousarray(np.stack(where, axis=1)))
