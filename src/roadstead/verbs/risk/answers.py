"""Collect the answers on which the advice depends, and build the command that follows it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.jobs import Observer
from roadstead.requests.groups import READING
from roadstead.requests.origin import Origin, Project
from roadstead.requests.writing import arguments
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.risk.advice import Advice, advise
from roadstead.verbs.risk.questions import QUESTIONS, Answers
from roadstead.verbs.risk.result import RiskFinding

if TYPE_CHECKING:
    from roadstead.verbs.risk.request import RiskRequest


def answers_of(request: RiskRequest, observer: Observer) -> Answers | None:
    """Collect the answers, and ask the user for missing answers.

    The result is None if no advice is requested.

    If there is no terminal, missing answers stay open.
    """
    given = {question.name: getattr(request, question.name) for question in QUESTIONS}
    if request.advise:
        asked = {one.name: observer.ask(one.asks) for one in Answers(**given).unanswered}
        return Answers(**{**given, **asked})
    for question in QUESTIONS:
        answer = request.origin.given.get(question.name)
        if answer is not None:
            raise SettingError(
                "an answer is given, but no advice is requested",
                where=question.option if answer else question.negative,
                fix=f"add {option('advise', True)}",
            )
    return None


def advice_for(found: RiskFinding, answers: Answers, project: Project) -> Advice:
    """Return the advice, with notes about contradictory settings in the project file."""
    advice = advise(answers, found.circumstances)
    answers.check(found.circumstances.fraction)
    notes = []
    if advice.model != "k-anonymity" and (k := project.get("privacy.k")) is not None:
        notes.append(
            f"The project file also requires k-anonymity with k = {k}. Remove it there; otherwise "
            "more detail is lost than the model requires."
        )
    if advice.model != "k-map" and project.get("population") is not None:
        notes.append(
            "The project file names a population, which the model does not use. Remove it there "
            "before you release the table."
        )
    return replace(advice, notes=(*advice.notes, *notes))


def arguments_of(request: RiskRequest, found: RiskFinding, advice: Advice | None) -> list[str]:
    """Return the arguments of ``roadstead anonymize`` for the same table and columns."""
    origin = request.origin
    population = advice is not None and advice.model == "k-map"
    kept = {"data", "quasi", "person", "knows", *READING}
    if population and origin.given.get("population") is not None:
        kept |= {"population", "population_counts"}
    given = {key: value for key, value in origin.given.items() if key in kept}
    if given.get("quasi") or origin.project.path is None:
        given["quasi"] = found.quasi
    if found.by_person is not None:
        given |= {"person": found.by_person.column, "knows": str(found.by_person.knows)}
    return arguments(AnonymizeRequest, Origin(given, origin.project))


def advised(advice: Advice, command: str) -> list[str]:
    """Describe the advice, and the command that applies it."""
    return [
        f"Protect against the {advice.attacker}: {advice.says}.",
        *(f"  {sentence}" for sentence in advice.statement),
        *(f"  {note}" for note in advice.notes),
        f"To do this, run: {command}",
    ]
