"""The interface through which branch and bound evaluates policies, and finds bounds.

Branch and bound accepts any `Evaluator`. The table can be in memory (`evaluation`) or stay in a
database engine (`in_engine`).
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

    `kept` contains the classes that satisfy the monotone part of the privacy model. If more records
    are suppressed than the limit allows, `kept` is empty, because no policy below needs to be
    evaluated. The `suppressed` records of the other classes are also suppressed under every policy
    below. `tally` contains the quality model's information about the suppressed rows. If the limit
    is exceeded, the tally covers only the rows that were already suppressed before. The candidate
    is None if the policy suppresses more records than the limit allows. `surely` is a tally that is
    used for bounds. It also includes all records that are known to be suppressed by every policy
    below.
    """

    levels: Levels
    kept: Classes
    suppressed: int
    tally: Any
    candidate: Candidate[Levels] | None
    surely: Any = None

    @property
    def least(self) -> Any:  # noqa: ANN401 - the quality model defines the type of a tally
        """The tally for the bounds of more specific policies."""
        return self.tally if self.surely is None else self.surely


class Evaluator(Protocol):
    """A source of evaluated policies for a table, in memory or in an engine."""

    @property
    def space(self) -> FullDomain:
        """The lattice of policies."""

    @property
    def limit(self) -> int:
        """The largest number of records that may be suppressed."""

    @property
    def heights(self) -> tuple[int, ...]:
        """The number of levels of each hierarchy."""

    @property
    def bounds(self) -> Bounds[Any]:
        """The source of the bounds on the loss."""

    @property
    def rows(self) -> int:
        """The number of rows of a table in memory, or 0 for a table in an engine."""

    @property
    def queries(self) -> int:
        """The number of queries sent to an engine so far, which is 0 for a table in memory."""

    def start(self) -> Evaluation:
        """Return the evaluation of the most general policy, from which every evaluation starts."""

    def evaluate(self, levels: Levels, general: Evaluation, lower: Levels) -> Evaluation:
        """Evaluate a policy from a more general policy, with bounds on policies from `lower`."""

    def part(self, places: Sequence[int]) -> tuple[Evaluator, float] | None:
        """Return the problem restricted to some attributes, and the weight of these attributes.

        The other attributes stay at their top level. The loss of the restricted problem's best
        policy, including suppression, is a lower bound on the loss that every policy has in these
        attributes. The method returns None if the loss cannot be separated by attribute.
        """

    def whole(self, known: Sequence[tuple[float, float]]) -> float:
        """Return a bound on the total loss. The weights of the parts add up to at most 1."""

    def groups(self, lower: Levels, upper: Evaluation) -> bool:
        """Return whether a bound for policies from `lower` costs as much as evaluating `lower`."""

    def look_below(
        self, lower: Levels, upper: Evaluation, fine: Classes | None = None
    ) -> tuple[Candidate[Levels] | None, Evaluation, Classes | None] | None:
        """Also evaluate a lower policy, to learn more about the policies in between.

        The method returns the lower policy's candidate, and the upper evaluation with the new
        information. It also returns the lower policy's classes if a caller can pass them again as
        `fine`. It returns None if there is no further information. If `fine` is given, the classes
        are not computed again, and the candidate is already known.
        """
