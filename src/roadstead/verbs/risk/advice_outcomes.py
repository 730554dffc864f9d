"""What each answer leads to, while the questions of the guidelines are still open.

One yes is enough for the prosecutor, so there are two outcomes at most: any of the open questions
answered with yes, or all of them with no.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from roadstead.errors import SettingError
from roadstead.verbs.risk.advice import QUESTIONS, Advice, Answers, Circumstances, advise


@dataclass(frozen=True)
class AdviceOutcome:
    """What some answers lead to.

    Attributes
    ----------
    when
        The answers, in words.
    advice
        What follows from them.
    """

    when: str
    advice: Advice


def outcomes(answers: Answers, known: Circumstances) -> tuple[AdviceOutcome, ...]:
    """List what the open questions can lead to.

    Parameters
    ----------
    answers
        Those given so far.
    known
        What else is known of the table.
    """
    names = [question.name for question in answers.unanswered]
    one_yes = replace(answers, **{name: at == 0 for at, name in enumerate(names)})
    if any(getattr(answers, question.name) for question in QUESTIONS):
        return (AdviceOutcome("Whatever the open answers are", advise(one_yes, known)),)
    any_yes = AdviceOutcome("If any answer is yes", advise(one_yes, known))
    try:
        none = advise(replace(answers, **dict.fromkeys(names, False)), known)
    except SettingError:  # the sampling fraction says that the table has everybody
        return (any_yes,)
    return (any_yes, AdviceOutcome("If all answers are no", none))


def open_questions(
    answers: Answers, known: Circumstances, command: Callable[[Advice], str]
) -> tuple[list[str], dict[str, Any]]:
    """Say which questions are open, how they are answered, and what follows.

    Parameters
    ----------
    answers, known
        As for `outcomes`.
    command
        Writes the command that releases the table as advised.

    Returns
    -------
    tuple
        The lines, and the same as JSON holds it.
    """
    found = outcomes(answers, known)
    lines = ["Which attacker to protect against? Answer with an option of each line:"]
    lines += [f"  {q.asks}  {q.option} or {q.negative}" for q in answers.unanswered]
    for one in found:
        lines.append(f"{one.when}: protect against the {one.advice.attacker}: {one.advice.says}.")
        lines.append(f"  {command(one.advice)}")
    document = {
        "questions": [
            {"name": q.name, "asks": q.asks, "yes": q.option, "no": q.negative}
            for q in answers.unanswered
        ],
        "outcomes": [
            {"when": one.when, **one.advice.to_dict(), "command": command(one.advice)}
            for one in found
        ],
    }
    for outcome in document["outcomes"]:
        del outcome["answers"], outcome["statement"]  # they would state what nobody answered
    return lines, document
