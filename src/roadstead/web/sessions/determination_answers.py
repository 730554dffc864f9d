"""People's answers about the release that was written, and the documents made from them.

Answers apply to one certificate. Answers about an earlier certificate are shown for review. They
are used only after a person has kept them for the present certificate.
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
    """Answers by question and by column, and the certificate that they apply to."""

    certificate: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """Number of answers."""
        every = (*self.answers.values(), *self.variables.values())
        return sum(bool(one.strip()) for one in every)

    @property
    def stamp(self) -> str:
        """Give a stamp that shows whether another tab changed the answers meanwhile."""
        return stamp(self.certificate, self.answers, self.variables)


def answers_of(session: WorkSession) -> GivenAnswers:
    """Give the last answers."""
    return GivenAnswers(**session.facts(_ANSWERS))


def keep_answers(session: WorkSession, given: GivenAnswers) -> None:
    """Keep answers in place of the former ones."""
    session.find(
        _ANSWERS,
        {
            "certificate": given.certificate,
            "answers": dict(given.answers),
            "variables": dict(given.variables),
        },
    )


def folder_of(session: WorkSession) -> Path:
    """Give the folder of the documents; they name people, so no release contains them."""
    return session.folder / "determination"
