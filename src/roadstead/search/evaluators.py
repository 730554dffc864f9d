"""Where policies are evaluated: what exact search asks of a table, in memory or in an engine.

A search over sublattices [a, b] needs four things of a table: the space and its limit, bounds from
the tally of an evaluation, a start, and the evaluation of b. Whoever evaluates b is told a too,
because it has to know what the suppressed records cost at the levels from a upwards only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from roadstead.policies.classes import Classes
from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.search.evaluation import Evaluation, evaluate, start
from roadstead.search.protocol import Problem


class Bounds(Protocol):
    """The part of a quality model that bounds sublattices; see `BoundQuality`."""

    @property
    def groupings(self) -> int:
        """How many policies' classes were computed for bounds so far."""
        ...

    def lower_bound(self, lower: Levels, upper: Levels, tally: Any, classes: Classes) -> float:  # noqa: ANN401 - a tally is of the model's making
        """Bound from below the loss of all policies from `lower` to `upper`."""
        ...

    def raised_bounds(
        self,
        lower: Levels,
        upper: Levels,
        tally: Any,  # noqa: ANN401 - a tally is of the model's making
        classes: Classes,
    ) -> list[list[float]]:
        """Give `lower_bound` with one component of `lower` raised."""
        ...


class Evaluator(Protocol):
    """A table whose policies can be evaluated."""

    @property
    def space(self) -> FullDomain:
        """The lattice of policies."""
        ...

    @property
    def limit(self) -> int:
        """Most records that may be suppressed."""
        ...

    @property
    def heights(self) -> tuple[int, ...]:
        """Levels of each hierarchy."""
        ...

    @property
    def bounds(self) -> Bounds:
        """What bounds the loss."""
        ...

    @property
    def rows(self) -> int:
        """Rows of the table in memory, of which evaluations keep the classes; 0 for none."""
        ...

    @property
    def queries(self) -> int:
        """Queries that an engine was asked so far; 0 in memory."""
        ...

    def start(self) -> Evaluation:
        """Everything generalized, from which every policy is evaluated."""
        ...

    def evaluate(self, levels: Levels, general: Evaluation, lower: Levels) -> Evaluation:
        """Evaluate a policy.

        Parameters
        ----------
        levels
            The policy.
        general
            Evaluation of one that is more general in no component less.
        lower
            Lower end of the sublattice below the policy: bounds will be asked for from there on.
        """
        ...


@dataclass(frozen=True)
class InMemory:
    """Evaluates policies on the rows of a frequency table."""

    problem: Problem
    queries: int = 0

    @property
    def space(self) -> FullDomain:
        """The lattice of policies."""
        return self.problem.space

    @property
    def limit(self) -> int:
        """Most records that may be suppressed."""
        return self.problem.limit

    @property
    def heights(self) -> tuple[int, ...]:
        """Levels of each hierarchy."""
        return self.problem.encoding.heights

    @property
    def bounds(self) -> Bounds:
        """The quality model."""
        return self.problem.quality

    @property
    def rows(self) -> int:
        """Distinct combinations."""
        return int(self.problem.encoding.counts.size)

    def start(self) -> Evaluation:
        """One class of all records."""
        return start(self.problem)

    def evaluate(self, levels: Levels, general: Evaluation, lower: Levels) -> Evaluation:  # noqa: ARG002 - all levels are known
        """Split the classes of the more general policy."""
        return evaluate(self.problem, levels, general)
