"""What was tried on the way to a release: each a request laid over the project file.

A candidate is what the command line would be asked: a verb, and the fields that differ from the
project file. It was carried out into a folder of its own below the session's `releases`, so that it
can be compared with others and looked at. The one that is chosen is carried out again, into the
folder that the custodian names.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from roadstead.errors import SettingError
from roadstead.web.sessions.made_for import made_for
from roadstead.web.sessions.session import Session

_FACTS, _CHOSEN = "tried", "chosen"


@dataclass(frozen=True)
class Tried:
    """A candidate for the release."""

    name: str  # of its folder
    title: str  # what the page calls it, such as "Local recoding, k = 5"
    verb: str = "anonymize"
    given: Mapping[str, Any] = field(default_factory=dict)  # by key, as the project file has values
    job: str | None = None
    pinned: bool = False
    made_for: str = ""  # which choices and table it was tried on

    def folder(self, session: Session) -> Path:
        """Say where it was carried out."""
        return session.releases / self.name


USUAL = Tried("usual", "As chosen so far")
"""What is released where nothing else was chosen."""


def usual_of(session: Session) -> Tried:
    """Give what is released where nothing else was chosen, with what is known of it."""
    known = session.facts(USUAL.name)
    return Tried(**known) if known else USUAL


def tried_of(session: Session) -> tuple[Tried, ...]:
    """List the candidates in the order in which they were tried."""
    return tuple(Tried(**one) for one in session.facts(_FACTS).get("all", ()))


def try_out(
    session: Session, title: str, verb: str, given: Mapping[str, Any], job: str | None = None
) -> Tried:
    """Add a candidate."""
    name = f"{verb}-{secrets.token_hex(4)}"
    made = Tried(name, title, verb, dict(given), job, made_for=made_for(session))
    _keep(session, (*tried_of(session), made))
    return made


def changed(session: Session, name: str, **new: Any) -> None:  # noqa: ANN401 - of its fields
    """Change what is kept of a candidate."""
    if name == USUAL.name:
        session.find(USUAL.name, asdict(replace(usual_of(session), **new)))
        return
    found = (replace(one, **new) if one.name == name else one for one in tried_of(session))
    _keep(session, tuple(found))


def drop(session: Session, name: str) -> None:
    """Forget a candidate."""
    _keep(session, tuple(one for one in tried_of(session) if one.name != name))


def choose(session: Session, name: str) -> None:
    """Choose the candidate that is to be released."""
    if name != USUAL.name and all(one.name != name for one in tried_of(session)):
        raise SettingError("there is no such candidate", fix="choose one of the list")
    session.keep(**{_CHOSEN: name})


def chosen_of(session: Session) -> Tried:
    """Give the candidate that is to be released."""
    name = session.state().get(_CHOSEN)
    return next((one for one in tried_of(session) if one.name == name), usual_of(session))


def _keep(session: Session, all_of_them: tuple[Tried, ...]) -> None:
    session.find(_FACTS, {"all": [asdict(one) for one in all_of_them]})
