"""Store the candidates for a release.

Each candidate is a request that changes some fields of the project file.

A candidate corresponds to a call on the command line. The candidate consists of a verb and the
fields that differ from the project file. Each candidate has its own folder in the session's
`releases`, so that candidates can be compared. When a candidate is released, its files are copied
to the custodian's folder.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import shutil
import threading
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from roadstead.errors import SettingError
from roadstead.web.sessions.session import WorkSession
from roadstead.web.sessions.table_files import state_of_table

_FACTS, _CHOSEN = "tried", "chosen"
_AS_GIVEN = ("advice", "out", "into", "force")
"""The keys of a project file that do not change a candidate."""
_DEFAULTS: Mapping[str, Any] = {"suppression": 0.05, "suppressed": "mask"}
"""Privacy settings that have the same effect as no setting."""
_NUMBER = re.compile(r" \(\d+\)$")
"""The number at the end of the title of a candidate."""
_lock = threading.RLock()


@dataclass(frozen=True)
class Tried:
    """A candidate for the release."""

    name: str  # the name of its folder
    title: str  # its name on the page, such as "Local recoding, k = 5"
    verb: str = "anonymize"
    given: Mapping[str, Any] = field(default_factory=dict)  # by key, as in the project file
    job: str | None = None
    pinned: bool = False
    basis: str = ""  # the digest of the choices that the candidate changes
    # The risk and the loss of a policy that was chosen on the map, to check that the new policy is
    # the same.
    expects: Mapping[str, float] | None = None
    table: str = ""  # the state of the table's files
    reason: str = ""  # why it is chosen although it misses declared requirements
    after: str = ""  # the candidate whose stopped search this candidate repeats

    def folder(self, session: WorkSession) -> Path:
        """Return the folder of the candidate."""
        return session.releases / self.name

    def release_in(self, session: WorkSession) -> Path:
        """Return the folder of the candidate's release.

        The release of a frontier is in a subfolder.
        """
        folder = self.folder(session)
        return folder / "release" if self.verb == "frontier" else folder


USUAL = Tried("usual", "Current settings")
"""The candidate that is released if no other candidate was chosen."""


def usual_of(session: WorkSession) -> Tried:
    """Return the default candidate and its results."""
    known = session.facts(USUAL.name)
    return Tried(**known) if known else USUAL


def tried_of(session: WorkSession) -> tuple[Tried, ...]:
    """Return the candidates in the order in which they were created."""
    return tuple(Tried(**one) for one in session.facts(_FACTS).get("all", ()))


def try_out(
    session: WorkSession,
    title: str,
    verb: str,
    given: Mapping[str, Any],
    *,
    pinned: bool = False,
    expects: Mapping[str, float] | None = None,
    after: str = "",
) -> Tried:
    """Add a candidate to the queue. If another candidate has the same title, add a number."""
    name = f"{verb}-{secrets.token_hex(4)}"
    made = Tried(name, title, verb, dict(given), pinned=pinned, expects=expects)
    made = replace(made, after=after)
    made = replace(made, basis=basis_of(session), table=state_of_table(session))
    with _lock:
        others = tried_of(session)
        made = replace(made, title=_free_title(title, {one.title for one in others}))
        _keep(session, (*others, made))
    return made


def _free_title(title: str, taken: Collection[str]) -> str:
    """Return a title that no other candidate has: add a number, or replace the number."""
    own = _NUMBER.sub("", title)
    titles = (own if number == 1 else f"{own} ({number})" for number in count(1))
    return next(one for one in titles if one not in taken)


def changed(session: WorkSession, name: str, **new: Any) -> None:  # noqa: ANN401 - of its fields
    """Change the record of a candidate."""
    with _lock:
        if name == USUAL.name:
            session.find(USUAL.name, asdict(replace(usual_of(session), **new)))
            return
        found = (replace(one, **new) if one.name == name else one for one in tried_of(session))
        _keep(session, tuple(found))


def drop(session: WorkSession, name: str) -> None:
    """Remove a candidate and its files."""
    with _lock:
        gone = next((one for one in tried_of(session) if one.name == name), None)
        _keep(session, tuple(one for one in tried_of(session) if one.name != name))
    if gone is not None:
        session.find(facts_of(gone), None)
        shutil.rmtree(gone.folder(session), ignore_errors=True)
        if session.state().get(_CHOSEN) == name:
            session.keep(**{_CHOSEN: None})


def facts_of(tried: Tried) -> str:
    """Return the name under which facts about a candidate are stored."""
    return f"{_FACTS}-{tried.name}"


def basis_of(session: WorkSession) -> str:
    """Return a digest of the choices on which candidates depend."""
    document = {
        key: value for key, value in session.choices().unwrap().items() if key not in _AS_GIVEN
    }
    privacy = {
        key: one
        for key, one in document.get("privacy", {}).items()
        if key != "k" and one != _DEFAULTS.get(key)
    }
    said = _without_empty({**document, "privacy": privacy})
    text = json.dumps(said, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_empty(value: Any) -> Any:  # noqa: ANN401 - as TOML has it
    """Omit empty tables and lists, because they have the same meaning as missing keys."""
    if not isinstance(value, Mapping):
        return value
    said = {key: _without_empty(one) for key, one in value.items()}
    return {key: one for key, one in said.items() if one not in ({}, [])}


def choose(session: WorkSession, name: str) -> None:
    """Choose the candidate that will be released."""
    if name != USUAL.name and all(one.name != name for one in tried_of(session)):
        raise SettingError("this candidate does not exist", fix="choose a candidate from the list")
    session.keep(**{_CHOSEN: name})


def chosen_of(session: WorkSession) -> Tried:
    """Return the candidate that will be released."""
    name = session.state().get(_CHOSEN)
    return next((one for one in tried_of(session) if one.name == name), usual_of(session))


def _keep(session: WorkSession, all_of_them: tuple[Tried, ...]) -> None:
    session.find(_FACTS, {"all": [asdict(one) for one in all_of_them]})
