"""Collect the answers on which the advice depends, and build the command that follows it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.jobs import Observer
from roadstead.reports.risk.advice import Advice, Circumstances, OpenAnswers, not_in_model
from roadstead.reports.risk.questions import QUESTIONS, Answers
from roadstead.requests.groups import READING
from roadstead.requests.origin import Origin, Project
from roadstead.requests.writing import arguments
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.risk.advice import advise
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
    population = project.get("population") is not None
    notes = not_in_model(advice, project.get("privacy.k"), population=population)
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


def outcomes(answers: Answers, known: Circumstances) -> dict[OpenAnswers, Advice]:
    """Return the possible advice for each way to answer the open questions.

    If any answer is yes, the attacker is the prosecutor. Therefore, there are at most two cases: a
    yes to any of the open questions, or a no to all of them.
    """
    names = [question.name for question in answers.unanswered]
    one_yes = replace(answers, **{name: at == 0 for at, name in enumerate(names)})
    if any(getattr(answers, question.name) for question in QUESTIONS):
        return {"any": advise(one_yes, known)}
    found: dict[OpenAnswers, Advice] = {"yes": advise(one_yes, known)}
    with suppress(SettingError):  # the sampling fraction says that the table has everyone
        none = advise(replace(answers, **dict.fromkeys(names, False)), known)
        found["no"] = none
    return found
