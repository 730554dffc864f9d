"""Evaluate a policy: its classes, the records it suppresses, and what it loses.

The work is done relative to a policy already evaluated that is more general: its classes are
split on the attributes that became more specific, and rows it suppressed are left out, because
under a monotone model they stay suppressed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from roadstead.policies.classes import Classes, keep, one_class, refine
from roadstead.policies.full_domain import Levels
from roadstead.search.protocol import Candidate, Problem


@dataclass(frozen=True)
class Evaluation:
    """A policy looked at.

    Attributes
    ----------
    levels
        The policy.
    kept
        Classes that satisfy the monotone part of the privacy model.
    suppressed
        Records outside of these: at least so many are suppressed under every policy below.
    tally
        What the quality model knows of the rows suppressed.
    candidate
        The policy as a candidate, None when it suppresses more than the limit.
    """

    levels: Levels
    kept: Classes
    suppressed: int
    tally: Any
    candidate: Candidate | None


def start(problem: Problem) -> Evaluation:
    """Everything generalized: one class of all records, from which every policy is refined."""
    top = tuple(h - 1 for h in problem.encoding.heights)
    whole = one_class(problem.encoding)
    tally = problem.quality.nothing_suppressed()
    return Evaluation(top, whole, 0, tally, None)


def evaluate(problem: Problem, levels: Levels, general: Evaluation) -> Evaluation:
    """Evaluate a policy from one that is more general in no component less."""
    classes = refine(problem.encoding, general.kept, general.levels, levels)
    model = problem.privacy
    kept, dropped = keep(classes, model.monotone_part.satisfied(classes))
    suppressed = problem.encoding.records - kept.records
    tally = problem.quality.suppress(general.tally, dropped)
    if suppressed > problem.limit:
        return Evaluation(levels, kept, suppressed, tally, None)
    if model.monotone_part is model:
        loss = problem.quality.loss(levels, tally, kept)
        return Evaluation(levels, kept, suppressed, tally, Candidate(levels, loss, suppressed))
    released, more = keep(kept, model.satisfied(kept))
    missing = problem.encoding.records - released.records
    if missing > problem.limit:
        return Evaluation(levels, kept, suppressed, tally, None)
    loss = problem.quality.loss(levels, problem.quality.suppress(tally, more), released)
    return Evaluation(levels, kept, suppressed, tally, Candidate(levels, loss, missing))
