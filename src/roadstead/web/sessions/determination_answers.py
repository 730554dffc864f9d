"""Store people's answers about the written release, and the documents created from them.

Answers apply to one certificate. Answers about an earlier certificate are displayed only for review
until a person confirms these answers for the new certificate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from roadstead.web.sessions.form_stamps import stamp
from roadstead.web.sessions.session import WorkSession

DETERMINED = "determined"
_ANSWERS = "answers"


@dataclass(frozen=True)
class GivenAnswers:
    """The answers to each question and for each column, and the certificate to which they refer."""

    certificate: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """The number of answers."""
        every = (*self.answers.values(), *self.variables.values())
        return sum(bool(one.strip()) for one in every)

    @property
    def stamp(self) -> str:
        """A stamp that shows whether another tab has changed the answers."""
        return stamp(self.certificate, self.answers, self.variables)


def answers_of(session: WorkSession) -> GivenAnswers:
    """Return the answers that were stored last."""
    return GivenAnswers(**session.facts(_ANSWERS))


def keep_answers(session: WorkSession, given: GivenAnswers) -> None:
    """Store new answers, which replace the former answers."""
    session.find(
        _ANSWERS,
        {
            "certificate": given.certificate,
            "answers": dict(given.answers),
            "variables": dict(given.variables),
        },
    )


def folder_of(session: WorkSession) -> Path:
    """Return the folder that contains the documents.

    The folder is never inside a release, because the documents name people.
    """
    return session.folder / "determination"
