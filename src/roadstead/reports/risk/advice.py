"""Describe which attacker to expect, and which privacy model protects against this attacker.

The sentences follow the guidelines of paper 001.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal, TypeAlias

from roadstead.front_end import option, worded
from roadstead.reports.numbers import percent
from roadstead.reports.risk.questions import QUESTIONS, Answers
from roadstead.reports.wording import listed
from roadstead.risk.persons.knowledge import ROWS_IN_WORDS, RowsKnown

Attacker: TypeAlias = Literal["prosecutor", "journalist"]

OpenAnswers: TypeAlias = Literal["any", "yes", "no"]
"""The answers to all open questions: any answers, at least one yes, or no to all of them."""

SIGNIFICANCE = 0.1
"""The significance level of the test D4."""

_SLACK = 1e-9
_LEAST_K = 2
_WHEN: dict[OpenAnswers, str] = {
    "any": "For any answers to the open questions",
    "yes": "If any answer is yes",
    "no": "If all answers are no",
}


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
        """Return the smallest number of matching people for which the risk is acceptable."""
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


def least_k(threshold: float) -> int:
    """Return the smallest k, at least 2, for which 1/k does not exceed the threshold."""
    return max(_LEAST_K, ceil(1.0 / threshold - _SLACK))


def advice_on(
    model: str,
    answers: Answers,
    known: Circumstances,
    *,
    least: int = 1,
    options: tuple[str, ...] = (),
) -> Advice:
    """Build advice that starts with the attacker and the acceptable risk, and ends with a model."""
    k, yes = known.k, [q.yes for q in QUESTIONS if getattr(answers, q.name)]
    match model:
        case "person-anonymity" if known.knows is not None:
            therefore, notes = _of_persons(k, known.knows, journalist=not yes)
        case "k-map":
            therefore, notes = _by_population(known)
        case "estimated-k-map" if known.fraction is not None:
            therefore, notes = _by_test(k, known.fraction, least)
        case _:
            therefore, notes = _against_prosecutor(k) if yes else _by_caution(k)
    no = [q.no for q in QUESTIONS if getattr(answers, q.name) is False]
    who = (
        f"The prosecutor scenario applies: {listed(yes)}. An attacker can be certain that a person "
        "is in the table and look for that person's record."
        if yes
        else f"The prosecutor scenario does not apply: {listed(no)}. No attacker can be certain "
        "that a person is in the table. The journalist scenario applies: an attacker "
        "matches records with a register of the population, to show that people can be "
        "found."
    )
    acceptable = (
        "The acceptable chance that "
        + (
            "an attacker finds the person behind a record"
            if known.knows is None
            else "an attacker finds a person"
        )
        + f" is at most {known.threshold:g}, so at least {k} records or people must match "
        "(El Emam and Dankar 2008)."
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


def _against_prosecutor(k: int) -> tuple[str, tuple[str, ...]]:
    return (
        "In a group of f records, an attacker picks the right record with a chance of 1/f. So "
        f"every released record must share its quasi-identifiers with at least {k - 1} other "
        f"records of the table: {k}-anonymity. If each record belongs to a different person, this "
        "also protects against the journalist scenario, because at least as many people in the "
        "population match.",
        (),
    )


def _of_persons(k: int, knows: RowsKnown, *, journalist: bool) -> tuple[str, tuple[str, ...]]:
    """Describe the only model for tables in which people are counted."""
    notes = (
        "k-map and its tests count records, so they do not apply to people. The recommended model "
        "protects more than necessary, and loses more detail.",
    )
    return (
        f"If an attacker knows {ROWS_IN_WORDS[knows]} of a person and finds n matching "
        "people, the chance of picking the right person is 1/n. So all values that an "
        f"attacker may know must match at least {k} people of the release: {k}-anonymity "
        "of people. "
        + (
            "At least as many people in the population match, so this protects against the "
            "journalist."
            if journalist
            else "This also protects against the journalist scenario, because at least as many "
            "people in the population match."
        ),
        notes if journalist else (),
    )


def _by_population(known: Circumstances) -> tuple[str, tuple[str, ...]]:
    k = known.k
    return (
        "If F people in the population have the same quasi-identifiers, the chance is 1/F. The "
        f"population is given as a file: {known.population}. So every released record must match "
        f"at least {k} people in this population: {k}-map.",
        (
            "This is true if the file includes everyone who was in the population when "
            "the table was made.",
            "This does not protect against an attacker who knows who is in the table.",
        ),
    )


def _by_test(k: int, fraction: float, least: int) -> tuple[str, tuple[str, ...]]:
    share = percent(fraction)
    if least < k:
        found = (
            f"If only {k} people in the population match a group, a sample of {share} contains "
            f"{least} or more of them with a probability of at most {SIGNIFICANCE:g}"
        )
        note = (
            f"The test limits how often a group of fewer than {k} people passes the test. "
            f"It does not limit how many of the groups that pass have fewer than {k} "
            "people. The release shows how many are expected."
        )
    else:
        found = (
            f"At a sampling fraction of {share}, no group of fewer than {k} records is "
            "large enough to pass the test"
        )
        note = (
            f"k' equals k, so this is the same as {k}-anonymity. The reason is the large "
            "sampling fraction. Consider whether the table contains a large part of its "
            "population."
        )
    return (
        "If F people in the population have the same quasi-identifiers, the chance is 1/F, so at "
        f"least {k} people must match: {k}-map. Only the size of the population is known, so each "
        "group is tested (method D4, Poisson distribution truncated at zero, significance "
        f"{SIGNIFICANCE:g}). {found}. So every released group must have at least k' = {least} "
        "records.",
        (note,),
    )


def _by_caution(k: int) -> tuple[str, tuple[str, ...]]:
    return (
        "If F people in the population have the same quasi-identifiers, the chance is "
        f"1/F. Without the population or its size, {k}-map cannot be checked or tested. "
        f"{k}-anonymity is used instead: if each record belongs to a different person, {k} "
        f"matching records are {k} matching people.",
        (
            "This protects more than necessary, and loses more detail. For a model that "
            f"loses less detail, give {option('sampling_fraction')} or "
            f"{option('population')}.",
        ),
    )


def advised(advice: Advice, command: str) -> list[str]:
    """Describe the advice, and the command that applies it."""
    return [
        f"Protect against the {advice.attacker}: {advice.says}.",
        *(f"  {sentence}" for sentence in advice.statement),
        *(f"  {note}" for note in advice.notes),
        f"To do this, run: {command}",
    ]


def not_in_model(advice: Advice, k: int | None, *, population: bool) -> Iterator[str]:
    """Yield notes about settings of the project file that the model does not use.

    If people are counted, k is the required number of people, so the model uses k.
    """
    if advice.model not in ("k-anonymity", "person-anonymity") and k is not None:
        file = f"The project file also requires k-anonymity with k = {k}. Remove it there"
        page = f"{option('k')} also requires k-anonymity with k = {k}. Set it to 1"
        yield (
            f"{worded(command=file, python=file, page=page)}; otherwise more detail is lost than "
            "the model requires."
        )
    if advice.model != "k-map" and population:
        file = "The project file names a population, which the model does not use. Remove it there"
        page = f"{option('population')} is set, but the model does not use it. Remove it"
        yield f"{worded(command=file, python=file, page=page)} before you release the table."


def open_questions(
    answers: Answers, outcomes: Mapping[OpenAnswers, Advice], command: Callable[[Advice], str]
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
    for given, advice in outcomes.items():
        when = _WHEN[given]
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
