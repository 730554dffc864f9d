"""The input of branch and bound: evaluated policies, and bounds for sublattices.

Branch and bound accepts any `Evaluator`: a table in memory (`evaluation`), or a table that stays in
an engine (`in_engine`).
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
    """An evaluated policy.

    `kept` has the classes that satisfy the monotone part of the privacy model. It is empty if more
    records are suppressed than the limit allows, because then nothing below needs to be evaluated.
    The `suppressed` records of the other classes are also suppressed under every policy below.
    `tally` has the quality model's information about the suppressed rows. If the limit is exceeded,
    it covers only the rows that were suppressed before. The candidate is None if the policy
    suppresses more than the limit. `surely` is a tally for bounds, with records that no policy
    below releases, if more of these are known.
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
        """The most records that may be suppressed."""

    @property
    def heights(self) -> tuple[int, ...]:
        """Levels of each hierarchy."""

    @property
    def bounds(self) -> Bounds[Any]:
        """The source of the bounds on the loss."""

    @property
    def rows(self) -> int:
        """Rows of the table in memory, of which evaluations keep the classes; 0 for none."""

    @property
    def queries(self) -> int:
        """The number of queries to an engine so far; 0 in memory."""

    def start(self) -> Evaluation:
        """Everything generalized, from which every policy is evaluated."""

    def evaluate(self, levels: Levels, general: Evaluation, lower: Levels) -> Evaluation:
        """Evaluate a policy from a more general policy; bounds will be needed from `lower` on."""

    def part(self, places: Sequence[int]) -> tuple[Evaluator, float] | None:
        """Return the problem of some attributes, with the others most general, and its weight.

        No policy loses less in these attributes than the best policy of that problem, or suppresses
        less. None if the loss cannot be separated by attribute.
        """

    def whole(self, known: Sequence[tuple[float, float]]) -> float:
        """Bound the loss in all attributes by weights, 1 together at most, and losses of parts."""

    def groups(self, lower: Levels, upper: Evaluation) -> bool:
        """Whether to bound those between costs as much as to look at the one below."""

    def look_below(
        self, lower: Levels, upper: Evaluation, fine: Classes | None = None
    ) -> tuple[Candidate[Levels] | None, Evaluation, Classes | None] | None:
        """Also evaluate a policy below another, to learn more about the policies in between.

        Returns its candidate, the other evaluation with the new information, and its classes if a
        caller can pass them again as `fine`; None without further information. If they are passed,
        they are not computed, and the candidate is known.
        """
