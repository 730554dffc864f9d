"""Evaluate a policy of a lattice: its classes, the records it suppresses, and what it loses.

The work is done relative to a policy already evaluated that is more general: its classes are
split on the attributes that became more specific, and rows it suppressed are left out, because
under a monotone model they stay suppressed.

Branch and bound takes whatever is an `Evaluator`: the `FullDomainProblem` here, whose table is in
memory, or one whose table stays in an engine (`in_engine`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

from roadstead.policies.classes import Classes, no_class, one_class, refine
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.privacy.protocol import BoundPrivacy
from roadstead.quality.protocol import BoundQuality, Bounds
from roadstead.search.left_out import ClassesLeftOut, LeavingOut, PersonsLeftOut
from roadstead.search.protocol import Candidate


@dataclass(frozen=True)
class Evaluation:
    """A policy that was evaluated.

    `kept` are the classes that satisfy the monotone part of the privacy model: none where more
    records are suppressed than the limit allows, because then nothing below needs to be evaluated.
    At least the `suppressed` records of the other classes are suppressed under every policy below.
    `tally` is what the quality model knows of the rows suppressed; where the limit is exceeded, of
    those it knew before. The candidate is None where the policy suppresses more than the limit.
    """

    levels: Levels
    kept: Classes
    suppressed: int
    tally: Any
    candidate: Candidate[Levels] | None


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


@dataclass(frozen=True)
class FullDomainProblem:
    """The best policy of a lattice is sought, under a privacy model and a suppression limit.

    Both models are bound to the table; `limit` is the most records that may be suppressed, or
    persons, where `persons` says whose the rows are and what may be known of them.
    """

    encoding: Encoding
    space: FullDomain
    privacy: BoundPrivacy
    quality: BoundQuality[Any]
    limit: int
    queries: int = 0
    persons: PersonsLeftOut | None = None

    @cached_property
    def leaves_out(self) -> LeavingOut:
        """How what is not protected is left out."""
        return self.persons or ClassesLeftOut(self.encoding.records)

    @property
    def heights(self) -> tuple[int, ...]:
        """Levels of each hierarchy."""
        return self.encoding.heights

    @property
    def bounds(self) -> Bounds[Any]:
        """The quality model."""
        return self.quality

    @property
    def rows(self) -> int:
        """Distinct combinations."""
        return int(self.encoding.counts.size)

    def start(self) -> Evaluation:
        """One class of all records."""
        return start(self)

    def evaluate(self, levels: Levels, general: Evaluation, lower: Levels) -> Evaluation:  # noqa: ARG002 - all levels are known
        """Split the classes of the more general policy."""
        return evaluate(self, levels, general)

    def policies(self) -> Iterator[Levels]:
        """Every policy, in lexicographic order; only for small lattices."""
        return iter(self.space)

    def judge(self, policy: Levels) -> Candidate[Levels] | None:
        """Evaluate one policy by itself; None when it suppresses more than the limit."""
        return evaluate(self, policy, start(self)).candidate


def start(problem: FullDomainProblem) -> Evaluation:
    """Everything generalized: one class of all records, from which every policy is refined."""
    top = tuple(h - 1 for h in problem.encoding.heights)
    whole = one_class(problem.encoding)
    tally = problem.quality.nothing_suppressed()
    return Evaluation(top, whole, 0, tally, None)


def evaluate(problem: FullDomainProblem, levels: Levels, general: Evaluation) -> Evaluation:
    """Evaluate a policy from one that is more general in no component less."""
    classes = refine(problem.encoding, general.kept, general.levels, levels)
    return judge(problem, levels, classes, general.tally)


def judge(problem: FullDomainProblem, levels: Levels, classes: Classes, tally: Any) -> Evaluation:  # noqa: ANN401 - a tally is of the quality model's making
    """Evaluate a policy by its classes, and by the tally of rows known to be suppressed."""
    kept = problem.leaves_out.split(classes, problem.privacy.monotone_part, problem.limit)
    if isinstance(kept, int):
        # Nothing below is admissible, and most of the work is saved.
        return Evaluation(levels, no_class(), kept, tally, None)
    tally = problem.quality.suppress(tally, kept.dropped)
    found = Evaluation(levels, kept.classes, kept.missing, tally, None)
    released, tally, missing = released_of(problem, found)
    if missing > problem.limit:
        return found
    loss = problem.quality.loss(levels, tally, released)
    return replace(found, candidate=Candidate(levels, loss, missing))


def released_of(problem: FullDomainProblem, found: Evaluation) -> tuple[Classes, Any, int]:
    """Give what satisfies the whole model, the tally of all other rows, and how much is missing."""
    model = problem.privacy
    if model.monotone_part is model:
        return found.kept, found.tally, found.suppressed
    left = problem.leaves_out
    kept = left.kept(found.kept, model)
    return kept.classes, problem.quality.suppress(found.tally, kept.dropped), kept.missing


def loss_by_attribute(problem: FullDomainProblem, levels: Levels) -> list[float] | None:
    """Loss of each attribute under a policy; None where the quality model cannot tell it apart."""
    released, tally, _ = released_of(problem, evaluate(problem, levels, start(problem)))
    return problem.quality.loss_by_attribute(levels, tally, released)
