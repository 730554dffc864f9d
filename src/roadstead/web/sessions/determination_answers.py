"""What people answered about the release that was written, and the documents made of it.

Answers hold for one certificate. Those that were given for another one are shown, so that somebody
can look at each again, and used only once they were kept for the one that is there now.
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
    """Answers by question and by column, and the certificate that they were given for."""

    certificate: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """How many there are."""
        every = (*self.answers.values(), *self.variables.values())
        return sum(bool(one.strip()) for one in every)

    @property
    def stamp(self) -> str:
        """Tell them from those that another tab kept meanwhile."""
        return stamp(self.certificate, self.answers, self.variables)


def answers_of(session: WorkSession) -> GivenAnswers:
    """Give what was answered last."""
    return GivenAnswers(**session.facts(_ANSWERS))


def keep_answers(session: WorkSession, given: GivenAnswers) -> None:
    """Keep answers in the place of former ones."""
    session.find(
        _ANSWERS,
        {
            "certificate": given.certificate,
            "answers": dict(given.answers),
            "variables": dict(given.variables),
        },
    )


def folder_of(session: WorkSession) -> Path:
    """Say where the documents are; they name people, so they are in no release."""
    return session.folder / "determination"
