"""Define the three questions about an attacker and the answers to them (paper 001)."""

from __future__ import annotations

from dataclasses import dataclass

from roadstead.errors import SettingError
from roadstead.front_end import option, worded


@dataclass(frozen=True)
class Question:
    """A question from the guidelines, and what each answer means for the table.

    `name` identifies the answer in Python and in the project file.
    """

    name: str
    asks: str
    yes: str
    no: str

    @property
    def option(self) -> str:
        """Return the command-line option that means yes."""
        return option(self.name, True)

    @property
    def negative(self) -> str:
        """Return the command-line option that means no."""
        return option(self.name, False)


QUESTIONS = (
    Question(
        "whole_population",
        "Does the table contain its whole population, or a large part of it?",
        "the table contains its whole population or a large part of it, so a given person of the "
        "population is very likely in the table",
        "the table does not contain a large part of its population",
    ),
    Question(
        "membership_known",
        "Can others find out who is in the table?",
        "others can find out who is in the table",
        "others cannot find out who is in the table",
    ),
    Question(
        "self_revealing",
        "Do people in the table let others know that they are in it?",
        "people in the table let others know that they are in it",
        "people in the table do not let others know, or do not know it themselves",
    ),
)
"""The questions, in the same order as in the paper."""


@dataclass(frozen=True)
class Answers:
    """The answers to the three questions. None means that a question has not been answered."""

    whole_population: bool | None = None
    membership_known: bool | None = None
    self_revealing: bool | None = None

    @property
    def unanswered(self) -> tuple[Question, ...]:
        """Return the questions that have not been answered."""
        return tuple(q for q in QUESTIONS if getattr(self, q.name) is None)

    def check(self, fraction: float | None) -> None:
        """Reject missing answers, and answers that the sampling fraction contradicts."""
        if self.unanswered:
            options = [f"{q.option} or {q.negative}" for q in self.unanswered]
            raise SettingError(
                "the advice requires more answers",
                where=worded(command="--advise", python="advice"),
                fix=f"give {'; '.join(options)}",
            )
        if self.whole_population is False and fraction is not None and fraction >= 1.0:
            raise SettingError(
                "an answer says that the table does not contain its whole population, but the "
                "sampling fraction is 1",
                where=option("whole_population", False),
                fix="correct one of them",
            )
