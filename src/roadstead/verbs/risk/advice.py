"""Determine which attacker to expect, and which privacy model protects against this attacker.

Paper 001 (Discussion, Guidelines) reduces the choice to three questions. The *prosecutor* looks for
one known person, and must be certain that the person is in the table. If any answer is yes, the
prosecutor can be certain, and the table needs k-anonymity. Otherwise, the only attacker is the
*journalist*, who targets any person in a register of the population, and the table needs k-map. If
only the size of the population is known, the hypothesis test D4 replaces k-map.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil, isfinite
from typing import Any, Literal, TypeAlias

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.reports.numbers import percent
from roadstead.reports.wording import listed
from roadstead.requests.checks import wrong
from roadstead.risk.minimal_size import minimal_size
from roadstead.risk.persons.knowledge import ROWS_IN_WORDS, RowsKnown
from roadstead.verbs.risk.questions import QUESTIONS, Answers

Attacker: TypeAlias = Literal["prosecutor", "journalist"]

SIGNIFICANCE = 0.1
"""The significance level of the test D4."""

_SLACK = 1e-9
_LEAST_K = 2


@dataclass(frozen=True)
class Circumstances:
    """The facts, other than the answers, on which the advice depends.

    `threshold` is the highest acceptable risk of a record. `fraction` is the fraction of the
    population that the table contains. `population` describes the population if a list of its
    people is available. `knows` is the number of rows of a person that an attacker may know, or
    None if records are counted.
    """

    threshold: float
    fraction: float | None = None
    population: str | None = None
    knows: RowsKnown | None = None

    @property
    def k(self) -> int:
        """Return the smallest number of identical people for which the risk is acceptable."""
        return least_k(self.threshold)


@dataclass(frozen=True)
class Advice:
    """The attacker to expect, and the privacy model that protects against this attacker."""

    attacker: Attacker
    model: str  # k-anonymity, person-anonymity, k-map or estimated-k-map
    k: int  # identical records for k-anonymity, otherwise identical people in the population
    least: int  # k': required records per class of the table; 1 without a requirement
    threshold: float  # the highest risk under the model
    fraction: float | None
    answers: Answers
    statement: tuple[str, ...]  # the reasoning in sentences for an expert determination
    notes: tuple[str, ...]
    options: tuple[str, ...]  # options of `roadstead anonymize` for the model

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.attacker}; {self.says}>"

    @property
    def says(self) -> str:
        """Describe the privacy model in a few words."""
        match self.model:
            case "k-anonymity":
                return f"{self.k}-anonymity"
            case "person-anonymity":
                return f"{self.k}-anonymity of people"
            case "k-map":
                return f"{self.k}-map"
        return f"estimated {self.k}-map (D4) with groups of at least k' = {self.least} records"

    def to_dict(self) -> dict[str, Any]:
        """Return the advice as a dictionary that can be converted to JSON."""
        return {
            "attacker": self.attacker,
            "model": self.model,
            "k": self.k,
            "least_class_size": self.least,
            "threshold": self.threshold,
            "sampling_fraction": self.fraction,
            "answers": {q.name: getattr(self.answers, q.name) for q in QUESTIONS},
            "statement": list(self.statement),
            "notes": list(self.notes),
            "options": list(self.options),
        }


def check_threshold(threshold: float) -> float:
    """Reject a threshold that is not between 0 and 1."""
    if not (isfinite(threshold) and 0.0 < threshold < 1.0):
        what = f"the threshold is {threshold:g}, but must be above 0 and below 1"
        raise wrong("threshold", what, "for example, 0.2 accepts a risk of 1 in 5")
    return float(threshold)


def least_k(threshold: float) -> int:
    """Return the smallest k, at least 2, for which 1/k does not exceed the threshold."""
    return max(_LEAST_K, ceil(1.0 / threshold - _SLACK))


def advise(answers: Answers, known: Circumstances) -> Advice:
    """Return which attacker to expect, and which privacy model protects against this attacker.

    The function rejects answers that are missing or contradict the sampling fraction.
    """
    answers.check(known.fraction)
    if known.knows is not None:
        return _of_persons(answers, known, known.knows)
    if any(getattr(answers, q.name) for q in QUESTIONS):
        return _against_prosecutor(answers, known)
    if known.population is not None:
        return _by_population(answers, known)
    if known.fraction is not None:
        return _by_test(answers, known, known.fraction)
    return _by_caution(answers, known)


def _against_prosecutor(answers: Answers, known: Circumstances) -> Advice:
    k = known.k
    return _advice(
        answers,
        known,
        "k-anonymity",
        "In a group of f records, an attacker picks the right record with a chance of 1/f. So "
        f"every released record must share its quasi-identifiers with at least {k - 1} other "
        f"records of the table: {k}-anonymity. If each record belongs to a different person, this "
        "also protects against the journalist scenario, because at least as many people in the "
        "population match.",
        least=k,
    )


def _of_persons(answers: Answers, known: Circumstances, knows: RowsKnown) -> Advice:
    """Return the advice for tables in which people are counted, for which only one model exists."""
    k = known.k
    journalist = not any(getattr(answers, q.name) for q in QUESTIONS)
    notes = (
        "k-map and its tests count records, so they do not apply to people. The recommended model "
        "protects more than necessary, and loses more detail.",
    )
    return _advice(
        answers,
        known,
        "person-anonymity",
        f"An attacker who knows {ROWS_IN_WORDS[knows]} of a person, and finds n matching people, "
        "picks the right person with a chance of 1/n. So all values that an attacker may know "
        f"must match at least {k} people of the release: {k}-anonymity of people. "
        + (
            "At least as many people in the population match, so this protects against the "
            "journalist."
            if journalist
            else "This also protects against the journalist scenario, because at least as many "
            "people in the population match."
        ),
        *(notes if journalist else ()),
        least=k,
        unit="person",
    )


def _by_population(answers: Answers, known: Circumstances) -> Advice:
    k = known.k
    return _advice(
        answers,
        known,
        "k-map",
        "If F people in the population have the same quasi-identifiers, the chance is 1/F. The "
        f"population is given as a file: {known.population}. So every released record must match "
        f"at least {k} people in this population: {k}-map.",
        "This holds if the file includes everyone, as of the time when the table was made.",
        "This does not protect against an attacker who knows who is in the table.",
        options=("--privacy", f"k-map:k={k}"),
    )


def _by_test(answers: Answers, known: Circumstances, fraction: float) -> Advice:
    k = known.k
    least = minimal_size(k, fraction, "d4", SIGNIFICANCE)
    if least < k:
        found = (
            f"In a sample of {percent(fraction)}, a group with only {k} matching people in the "
            f"population has {least} or more records with a probability of at most {SIGNIFICANCE:g}"
        )
        note = (
            f"The test limits how often a group of fewer than {k} people passes. It does not limit "
            f"how many of the groups that pass have fewer than {k} people. The release shows how "
            "many are expected."
        )
    else:
        found = (
            f"At a sampling fraction of {percent(fraction)}, no group of fewer than {k} records is "
            "large enough to pass the test"
        )
        note = (
            "k' equals k: the table contains so much of the population that this is "
            f"{k}-anonymity. Consider whether the table contains a large part of its population."
        )
    model = f"estimated-k-map:k={k},fraction={fraction!r},estimator=d4,significance={SIGNIFICANCE}"
    return _advice(
        answers,
        known,
        "estimated-k-map",
        "If F people in the population have the same quasi-identifiers, the chance is 1/F, so at "
        f"least {k} people must match: {k}-map. Only the size of the population is known, so each "
        "group is tested (method D4, Poisson distribution truncated at zero, significance "
        f"{SIGNIFICANCE:g}). {found}. So every released group must have at least k' = {least} "
        "records.",
        note,
        least=least,
        options=("--privacy", model),
    )


def _by_caution(answers: Answers, known: Circumstances) -> Advice:
    k = known.k
    return _advice(
        answers,
        known,
        "k-anonymity",
        "If F people in the population have the same quasi-identifiers, the chance is 1/F. "
        f"Without the population or its size, {k}-map can be neither checked nor tested. "
        f"{k}-anonymity is used instead: if each record belongs to a different person, {k} "
        f"matching records are {k} matching people.",
        "This protects more than necessary, and loses more detail. Give "
        f"{option('sampling_fraction')} or {option('population')} for a model that loses less.",
        least=k,
    )


def _advice(
    answers: Answers,
    known: Circumstances,
    model: str,
    therefore: str,
    *notes: str,
    least: int = 1,
    options: tuple[str, ...] = (),
    unit: Literal["record", "person"] = "record",
) -> Advice:
    """Build advice whose sentences lead from the attacker and the acceptable risk to a model."""
    k = known.k
    yes = [q.yes for q in QUESTIONS if getattr(answers, q.name)]
    no = [q.no for q in QUESTIONS if getattr(answers, q.name) is False]
    who = (
        f"The prosecutor scenario applies: {listed(yes)}. An attacker can be certain that a person "
        "is in the table and look for that person's record."
        if yes
        else f"The prosecutor scenario does not apply: {listed(no)}. No attacker can be "
        "certain that a person is in the table. The journalist scenario applies: an "
        "attacker matches records with a register of the population, to show that "
        "some person can be found."
    )
    acceptable = (
        "The acceptable chance that "
        + (
            "an attacker finds the person behind a record"
            if unit == "record"
            else "an attacker finds a person"
        )
        + f" is at most {known.threshold:g}, so at least {k} must match (El Emam and Dankar 2008)."
    )
    return Advice(
        attacker="prosecutor" if yes else "journalist",
        model=model,
        k=k,
        least=least,
        threshold=known.threshold,
        fraction=known.fraction,
        answers=answers,
        statement=(who, acceptable, therefore),
        notes=notes,
        options=options or ("--k", str(k)),
    )


def outcomes(answers: Answers, known: Circumstances) -> dict[str, Advice]:
    """Return the possible advice for each way to answer the open questions.

    If any answer is yes, the attacker is the prosecutor. Therefore, there are at most two cases: a
    yes to any of the open questions, or a no to all of them.
    """
    names = [question.name for question in answers.unanswered]
    one_yes = replace(answers, **{name: at == 0 for at, name in enumerate(names)})
    if any(getattr(answers, question.name) for question in QUESTIONS):
        return {"For any answers to the open questions": advise(one_yes, known)}
    found = {"If any answer is yes": advise(one_yes, known)}
    with suppress(SettingError):  # the sampling fraction says that the table has everyone
        none = advise(replace(answers, **dict.fromkeys(names, False)), known)
        found["If all answers are no"] = none
    return found


def open_questions(
    answers: Answers, known: Circumstances, command: Callable[[Advice], str]
) -> tuple[list[str], dict[str, Any]]:
    """Describe the open questions, how to answer them, and the outcomes, as lines and as JSON.

    The function `command` returns the command that releases the table according to the advice.
    """
    lines = [
        "Which attacker should the release protect against? Answer each question with "
        "one of its options:"
    ]
    lines += [f"  {q.asks}  {q.option} or {q.negative}" for q in answers.unanswered]
    leads_to = []
    for when, advice in outcomes(answers, known).items():
        lines.append(f"{when}: protect against the {advice.attacker}: {advice.says}.")
        lines.append(f"  {command(advice)}")
        outcome = {"when": when, **advice.to_dict(), "command": command(advice)}
        del outcome["answers"], outcome["statement"]  # they would state answers that no one gave
        leads_to.append(outcome)
    questions = [
        {"name": q.name, "asks": q.asks, "yes": q.option, "no": q.negative}
        for q in answers.unanswered
    ]
    return lines, {"questions": questions, "outcomes": leads_to}
