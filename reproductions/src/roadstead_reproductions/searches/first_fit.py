"""First fit by itself: the base line of all searches for local recoding.

The classes are those that `LocalSearch` of Roadstead begins with, and nothing improves them.
"""

from __future__ import annotations

from roadstead.search.protocol import Control
from roadstead.search.recoding.first_fit import first_fit_classes
from roadstead.search.recoding.protocol import RecodingOutcome, RecodingProblem


class FirstFit:
    """The first vector of levels that fits, in order of mean cost."""

    name = "first-fit"
    guarantee = "every group meets the privacy models; the loss is not guaranteed"

    def run(self, problem: RecodingProblem, control: Control) -> RecodingOutcome:
        """Walk the vectors of levels."""
        return first_fit_classes(problem, control)
