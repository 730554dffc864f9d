"""Evaluate a policy: its classes, the records it suppresses, and what it loses.

The work is done relative to a policy already evaluated that is more general: its classes are
split on the attributes that became more specific, and rows it suppressed are left out, because
under a monotone model they stay suppressed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roadstead.policies.classes import Classes, keep, no_class, one_class, refine
from roadstead.policies.full_domain import Levels
from roadstead.search.protocol import Candidate, Problem


@dataclass(frozen=True)
class Evaluation:
    """A policy looked at.

    Attributes
    ----------
    levels
        The policy.
    suppressed
        Records of classes that fail the monotone part of the privacy model: at least so many are
        suppressed under every policy below.
    kept
        The other classes; empty where more are suppressed than the limit allows, because then
        nothing below needs to be looked at.
    tally
        What the quality model knows of the rows suppressed; in that case, of those it knew before.
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
    return judge(problem, levels, classes, general.tally)


def judge(problem: Problem, levels: Levels, classes: Classes, tally: Any) -> Evaluation:  # noqa: ANN401 - a tally is of the quality model's making
    """Evaluate a policy of which the classes are known.

    Parameters
    ----------
    problem, levels
        The policy and what is searched.
    classes
        The policy's classes, but for rows known to be suppressed.
    tally
        The tally of these rows.
    """
    satisfied = problem.privacy.monotone_part.satisfied(classes)
    suppressed = problem.encoding.records - int(np.add.reduce(classes.sizes[satisfied]))
    if suppressed > problem.limit:
        # Nothing below is admissible, and most of the work is saved.
        return Evaluation(levels, no_class(), suppressed, tally, None)
    kept, dropped = keep(classes, satisfied)
    tally = problem.quality.suppress(tally, dropped)
    found = Evaluation(levels, kept, suppressed, tally, None)
    released, tally = released_of(problem, found)
    missing = problem.encoding.records - released.records
    if missing > problem.limit:
        return found
    loss = problem.quality.loss(levels, tally, released)
    return replace(found, candidate=Candidate(levels, loss, missing))


def released_of(problem: Problem, found: Evaluation) -> tuple[Classes, Any]:
    """Give the classes that satisfy the whole model, and the tally of all other rows."""
    model = problem.privacy
    if model.monotone_part is model:
        return found.kept, found.tally
    released, more = keep(found.kept, model.satisfied(found.kept))
    return released, problem.quality.suppress(found.tally, more)


def loss_by_attribute(problem: Problem, levels: Levels) -> list[float] | None:
    """Loss of each attribute under a policy; None where the quality model cannot tell it apart."""
    released, tally = released_of(problem, evaluate(problem, levels, start(problem)))
    return problem.quality.loss_by_attribute(levels, tally, released)
