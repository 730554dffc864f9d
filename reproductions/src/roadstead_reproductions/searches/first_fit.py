"""First fit without improvement, which is the baseline of all searches for local recoding.

The classes are the initial classes of Roadstead's `LocalSearch`.
"""

from __future__ import annotations

from roadstead.search.protocol import Control
from roadstead.search.recoding.first_fit import first_fit_classes
from roadstead.search.recoding.protocol import RecodingOutcome, RecodingProblem


class FirstFit:
    """A search for the first vector of levels that fits, in ascending order of mean cost."""

    name = "first-fit"
    guarantee = "every group meets the privacy models; there is no guarantee for the loss"

    def run(self, problem: RecodingProblem, control: Control) -> RecodingOutcome:
        """Try the vectors of levels in order."""
        return first_fit_classes(problem, control)
