"""Attack a recoding before it is published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.attacks.recodings.attempt import attempt, requirement
from roadstead.reports.recoding_attacks import attacked

if TYPE_CHECKING:
    from roadstead.search.recoding.protocol import Recoded, RecodingProblem
    from roadstead.verbs.anonymize.plan import AnonymizationTask

_ATTACKED = 500
"""The maximum number of classes to attack. If there are more classes, a sample is attacked."""


def attacked_recoding(
    task: AnonymizationTask, problem: RecodingProblem, best: Recoded, proposal: Recoded | None
) -> tuple[str, ...]:
    """Run attacks that exploit the optimal choice of classes, and describe the results."""
    asked, untried = [], []
    for model in task.models:
        if not model.columns:
            continue
        one = requirement(model, model.bind(task.table))
        if one is None:
            untried.append(model.name)
        else:
            asked.append(one)
    tried = attempt(problem, best, requirements=asked, bolder=proposal, most_classes=_ATTACKED)
    return attacked(tried, untried)
