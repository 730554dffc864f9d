"""What branch and bound asks of a table: policies evaluated, and bounds of those between two.

Branch and bound takes whatever is an `Evaluator`: a table in memory (`evaluation`), or one that
stays in an engine (`in_engine`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from roadstead.policies.classes import Classes
from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.quality.protocol import Bounds
from roadstead.search.protocol import Candidate


@dataclass(frozen=True)
class Evaluation:
    """A policy that was evaluated.

    `kept` are the classes that satisfy the monotone part of the privacy model: none where more
    records are suppressed than the limit allows, because then nothing below needs to be evaluated.
    At least the `suppressed` records of the other classes are suppressed under every policy below.
    `tally` is what the quality model knows of the rows suppressed; where the limit is exceeded, of
    those it knew before. The candidate is None where the policy suppresses more than the limit.
    `surely` is a tally for bounds of what no policy below releases, where more than that is known.
    """

    levels: Levels
    kept: Classes
    suppressed: int
    tally: Any
    candidate: Candidate[Levels] | None
    surely: Any = None

    @property
    def least(self) -> Any:  # noqa: ANN401 - a tally is of the quality model's making
        """Tally to bound policies below with."""
        return self.tally if self.surely is None else self.surely


class Evaluator(Protocol):
    """A table whose policies can be evaluated, in memory or in an engine."""

    @property
    def space(self) -> FullDomain:
        """The lattice of policies."""

    @property
    def limit(self) -> int:
        """Most records that may be suppressed."""

    @property
    def heights(self) -> tuple[int, ...]:
        """Levels of each hierarchy."""

    @property
    def bounds(self) -> Bounds[Any]:
        """What bounds the loss."""

    @property
    def rows(self) -> int:
        """Rows of the table in memory, of which evaluations keep the classes; 0 for none."""

    @property
    def queries(self) -> int:
        """Queries that an engine was asked so far; 0 in memory."""

    def start(self) -> Evaluation:
        """Everything generalized, from which every policy is evaluated."""

    def evaluate(self, levels: Levels, general: Evaluation, lower: Levels) -> Evaluation:
        """Evaluate a policy from a more general one; bounds will be asked for from `lower` on."""

    def part(self, places: Sequence[int]) -> tuple[Evaluator, float] | None:
        """Give the problem of some attributes alone, the others most general, and their weight.

        No policy loses less in them than the best of that problem, nor suppresses less. None where
        the loss cannot be told apart by attribute.
        """

    def whole(self, known: Sequence[tuple[float, float]]) -> float:
        """Bound the loss in all attributes by weights, 1 together at most, and losses of parts."""

    def groups(self, lower: Levels, upper: Evaluation) -> bool:
        """Whether to bound those between costs as much as to look at the one below."""

    def look_below(
        self, lower: Levels, upper: Evaluation, fine: Classes | None = None
    ) -> tuple[Candidate[Levels] | None, Evaluation, Classes | None] | None:
        """Evaluate a policy below another one too, to know more of those between.

        Gives its candidate, the other evaluation with what is known then, and its classes if these
        can be given again as `fine`; None where no more would be known. Where they are given they
        are not computed, and the candidate is known.
        """
