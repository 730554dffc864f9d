"""Find a level for each quasi-identifier's hierarchy: full-domain generalization."""

from __future__ import annotations

from dataclasses import dataclass

from roadstead.errors import NoPolicyError, SettingError
from roadstead.front_end import option
from roadstead.policies.document import attribute_policies
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import Levels, full_domain
from roadstead.privacy.combination import bind_all
from roadstead.search.diagnosis import diagnose
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.protocol import Control, Outcome
from roadstead.search.registry import LevelSearch
from roadstead.verbs.anonymize.question import Answer, Question, Wanted, ended_early, losses


@dataclass(frozen=True)
class FullDomainFinder:
    """Finds the levels of a policy with one of the searches of the full-domain lattice."""

    search: LevelSearch

    def check(self, wanted: Wanted) -> None:
        """Whatever is wanted can be asked; a search may refuse the problem made of it."""

    def find(self, question: Question, control: Control) -> Answer:
        """Search the lattice.

        Raises
        ------
        SettingError
            When the search is not made for such a problem.
        NoPolicyError
            When it met no policy; says what stands in the way.
        """
        problem = _problem(question)
        if (reason := self.search.refusal(problem)) is not None:
            raise SettingError(
                reason, where=option("search"), fix=f"use {option('search', 'exact')}"
            )
        outcome = self.search.run(problem, control)
        if outcome.best is None:
            raise NoPolicyError(_why_none(problem, outcome, question.promise))
        levels = outcome.best.policy
        return Answer(
            problem=problem,
            outcome=outcome,
            search=self.search,
            attributes=attribute_policies(problem.encoding.hierarchies, levels),
            loss_by_attribute=losses(problem, levels),
        )


def _problem(question: Question) -> FullDomainProblem:
    wanted = question.wanted
    encoding = encode(question.table, question.hierarchies)
    return FullDomainProblem(
        encoding=encoding,
        space=full_domain(encoding.hierarchies, wanted.min_level, wanted.max_level),
        privacy=bind_all(question.models, question.table),
        quality=wanted.quality.bind(encoding),
        limit=question.limit,
    )


def _why_none(problem: FullDomainProblem, outcome: Outcome[Levels], promise: str) -> str:
    if outcome.ending == "complete" and not outcome.proven:
        return f"the search met no policy with {promise}, and does not prove that there is none"
    if outcome.ending != "complete":
        return ended_early(outcome, promise)
    return f"no policy satisfies {promise}: " + "; ".join(diagnose(problem).sentences)
