"""Store a session: one table, one project file, and the results.

The folder of a session contains only the raw values that a project file always contains: the codes
of a hierarchy. The copy of an uploaded table is stored elsewhere (`raw`), and is deleted when the
server ends.

::

  SESSION/
  ├── project.toml     the choices, as the command line reads them
  ├── session.json     its name, the origin of the table, the compared candidates
  ├── jobs/            the jobs, and how they ended
  ├── facts/           the results that pages show
  └── releases/        the candidates, each with its own release
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit import TOMLDocument

from roadstead.errors import OutputError, SettingError
from roadstead.printable import printable_toml
from roadstead.regular_files import content_of, write_whole
from roadstead.requests.project import with_current_names

PROJECT, STATE = "project.toml", "session.json"
UNDO = "undo"
"""The name of the fact that contains the former project files. The newest file is last."""
_MOST_UNDO = 50
_NAME = re.compile(r"[0-9a-f]{12}")


@dataclass(frozen=True, eq=False)
class WorkSession:
    """The work on one table. Every change is saved immediately and completely."""

    name: str  # an identifier for addresses
    folder: Path
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    @property
    def address(self) -> str:
        """The address of the session's pages."""
        return f"/piece/{self.name}"

    @property
    def project(self) -> Path:
        """The project file."""
        return self.folder / PROJECT

    @property
    def releases(self) -> Path:
        """The folder of the candidates."""
        return self.folder / "releases"

    def choices(self) -> TOMLDocument:
        """Return the project file for reading, or an empty document if there is no file yet."""
        with suppress(FileNotFoundError):
            document = tomlkit.parse(content_of(self.project).decode("utf-8"))
            return with_current_names(document, str(self.project))
        return tomlkit.document()

    @contextmanager
    def changed(self) -> Iterator[TOMLDocument]:
        """Yield the project file, and save the changes when the block ends."""
        with self._lock:
            document = self.choices()
            before = tomlkit.dumps(document)
            yield document
            after = tomlkit.dumps(document)
            if after != before or not self.project.exists():
                if self.project.exists():
                    self.find(UNDO, {"texts": [*self.former(), before][-_MOST_UNDO:]})
                self._write(self.project, printable_toml(after))

    def former(self) -> list[str]:
        """Return the former versions of the project file. The newest version is last."""
        return list(self.facts(UNDO).get("texts", ()))

    def undo(self) -> bool:
        """Undo the last change to the project file. Return False if there is nothing to undo."""
        with self._lock:
            texts = self.former()
            if not texts:
                return False
            self._write(self.project, printable_toml(texts[-1]))
            self.find(UNDO, {"texts": texts[:-1]})
            return True

    def digest(self) -> str:
        """Return a digest of the choices. Results with a different digest are out of date."""
        with suppress(FileNotFoundError):
            return hashlib.sha256(content_of(self.project)).hexdigest()
        return ""

    def state(self) -> dict[str, Any]:
        """Return the facts about the session, except the choices."""
        return self._read(self.folder / STATE)

    def keep(self, **more: Any) -> None:  # noqa: ANN401 - as JSON holds it
        """Store more facts about the session. The value None removes a fact."""
        with self._lock:
            state = {**self.state(), **more}
            kept = {key: value for key, value in state.items() if value is not None}
            self._write(self.folder / STATE, json.dumps(kept, indent=1))

    def changed_at(self) -> float:
        """Return the time of the last change to a choice or a result, in seconds since 1970."""
        own = (self.folder / STATE, self.project, *(self.folder / "facts").glob("*.json"))
        return max(map(_changed, own))

    def facts(self, name: str) -> dict[str, Any]:
        """Return the results stored under a name, or an empty dictionary."""
        return self._read(self.folder / "facts" / f"{name}.json")

    def find(self, name: str, facts: Mapping[str, Any] | None) -> None:
        """Store results under a name. The value None removes them."""
        path = self.folder / "facts" / f"{name}.json"
        with self._lock:
            if facts is None:
                path.unlink(missing_ok=True)
            else:
                self._write(path, json.dumps(facts))

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            found = json.loads(content_of(path))
        except (FileNotFoundError, ValueError):
            return {}
        except OSError as error:  # An empty answer would be written back, and lose the results.
            raise OutputError(
                f"cannot be read ({error.strerror})",
                where=path.name,
                fix="check the permissions of the state folder, or use another state folder",
            ) from None
        return found if isinstance(found, dict) else {}

    def _write(self, path: Path, text: str) -> None:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(path, text.encode("utf-8"))
        except OSError as error:
            raise OutputError(
                f"cannot be written ({error.strerror})",
                where=path.name,
                fix="free disk space, or start the workbench with another state folder",
            ) from None


@dataclass(frozen=True)
class Sessions:
    """All sessions in a folder, including the sessions of former servers."""

    folder: Path
    _known: dict[str, WorkSession] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def new(self, title: str) -> WorkSession:
        """Create a new session."""
        name = secrets.token_hex(6)
        session = WorkSession(name, self.folder / name)
        session.folder.mkdir(mode=0o700, parents=True)
        session.keep(title=title)
        with self._lock:
            self._known[name] = session
        return session

    def __getitem__(self, name: str) -> WorkSession:
        """Return a session by its identifier."""
        with self._lock:
            if name not in self._known:
                folder = self.folder / name
                if not _NAME.fullmatch(name) or not (folder / STATE).is_file():
                    raise SettingError(
                        "this work does not exist",
                        fix="choose your work from the list, or open a new table",
                    )
                self._known[name] = WorkSession(name, folder)
            return self._known[name]

    def listed(self) -> list[WorkSession]:
        """Return the sessions. The session that changed last is first."""
        found = (one for one in self.folder.glob("*/" + STATE) if _NAME.fullmatch(one.parent.name))
        known = [self[one.parent.name] for one in found]
        return sorted(known, key=WorkSession.changed_at, reverse=True)

    def forget(self, name: str, remove: Callable[[Path], None]) -> None:
        """Delete a session and all its contents."""
        session = self[name]
        with self._lock:
            self._known.pop(name, None)
        remove(session.folder)


def _changed(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0
