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
    records are suppressed than the limit allows, because then no policy below needs to be
    evaluated. The `suppressed` records of the other classes are also suppressed under every policy
    below. `tally` has the quality model's information about the suppressed rows. If the limit is
    exceeded, it covers only the rows that were suppressed before. The candidate is None if the
    policy suppresses more than the limit. `surely` is a tally for bounds. It also includes records
    that no policy below releases, if more of these records are known.
    """

    levels: Levels
    kept: Classes
    suppressed: int
    tally: Any
    candidate: Candidate[Levels] | None
    surely: Any = None

    @property
    def least(self) -> Any:  # noqa: ANN401 - a tally is of the quality model's making
        """The tally for bounding the policies below."""
        return self.tally if self.surely is None else self.surely


class Evaluator(Protocol):
    """A table with policies that can be evaluated, in memory or in an engine."""

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
        """The number of rows in memory whose classes evaluations keep, or 0 if there are none."""

    @property
    def queries(self) -> int:
        """The number of queries to an engine so far; 0 in memory."""

    def start(self) -> Evaluation:
        """Return the evaluation of the most general policy, where every evaluation starts."""

    def evaluate(self, levels: Levels, general: Evaluation, lower: Levels) -> Evaluation:
        """Evaluate a policy from a more general policy; later bounds are needed from `lower` on."""

    def part(self, places: Sequence[int]) -> tuple[Evaluator, float] | None:
        """Return the problem of some attributes, and its weight; other attributes are at the top.

        The best policy of that problem is a lower bound on the loss in these attributes, and on the
        suppression, of every policy. Return None if the loss cannot be separated by attribute.
        """

    def whole(self, known: Sequence[tuple[float, float]]) -> float:
        """Bound the loss in all attributes from weights (sum at most 1) and losses of parts."""

    def groups(self, lower: Levels, upper: Evaluation) -> bool:
        """Return whether a bound for policies from `lower` costs as much as evaluating `lower`."""

    def look_below(
        self, lower: Levels, upper: Evaluation, fine: Classes | None = None
    ) -> tuple[Candidate[Levels] | None, Evaluation, Classes | None] | None:
        """Also evaluate a policy below another, to learn more about the policies in between.

        Return the lower policy's candidate, the upper evaluation with the new information, and the
        lower policy's classes if a caller can pass them again as `fine`. Return None if there is no
        further information. If `fine` is given, the classes are not computed again, and the
        candidate is already known.
        """
