"""Find a level for each quasi-identifier's hierarchy: full-domain generalization."""

from __future__ import annotations

from roadstead.errors import NoPolicyError, SettingError
from roadstead.front_end import option
from roadstead.policies.document import attribute_policies
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import Levels, full_domain
from roadstead.privacy.combination import bind_all
from roadstead.search.diagnosis import diagnose
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.left_out import persons_left_out
from roadstead.search.protocol import Control, Outcome
from roadstead.search.registry import LevelSearch
from roadstead.verbs.anonymize.plan import AnonymizationTask, Answer, ended_early, losses


def find_levels(search: LevelSearch, task: AnonymizationTask, control: Control) -> Answer:
    """Search the lattice, if the search is made for such a problem."""
    problem = problem_of(task)
    if (reason := search.refusal(problem)) is not None:
        raise SettingError(reason, where=option("search"), fix=f"use {option('search', 'exact')}")
    outcome = search.run(problem, control)
    if outcome.best is None:
        raise NoPolicyError(_why_none(problem, outcome, task.promise))
    levels = outcome.best.policy
    return Answer(
        task=task,
        space=problem.space,
        outcome=outcome,
        search=search,
        attributes=attribute_policies(problem.encoding.hierarchies, levels),
        loss_by_attribute=losses(problem, levels),
    )


def problem_of(task: AnonymizationTask) -> FullDomainProblem:
    """Make the problem that a search of the lattice takes."""
    plan = task.plan
    encoding = encode(task.table, task.hierarchies)
    return FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies, plan.request.min_level, plan.request.max_level),
        privacy=bind_all(task.models, task.table),
        quality=plan.quality.bind(encoding),
        limit=task.limit,
        persons=persons_left_out(task.models, task.table),
    )


def _why_none(problem: FullDomainProblem, outcome: Outcome[Levels], promise: str) -> str:
    if outcome.ending == "complete" and not outcome.proven:
        return f"the search met no policy with {promise}, and does not prove that there is none"
    if outcome.ending != "complete":
        return ended_early(outcome.ending, promise)
    return f"no policy satisfies {promise}: " + "; ".join(diagnose(problem).sentences)
