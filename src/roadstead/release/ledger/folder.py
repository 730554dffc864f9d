"""Manage the folder of the ledger, which contains exactly one file for each release.

A run locks the folder until its own entry is in the folder. So releases that are created at the
same time are also compared with each other. The run writes the entry under a hidden name
(``.NAME.pending``), publishes the release, and renames the entry. The pending entry states where
the release will be.

If a run is interrupted, the next run completes or removes each pending entry. If the release exists
and its certificate is the certificate in the entry, the entry gets its final name. Otherwise, the
release was not published, and the entry is removed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from roadstead.errors import OutputError, RoadsteadError, SettingError, VerificationError
from roadstead.front_end import option
from roadstead.log import LOG
from roadstead.regular_files import flush_folder, write_whole
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.documents import fingerprint
from roadstead.release.ledger.entry import EarlierRelease, entry_text, read_entry

_LOCK = ".lock"
_PENDING = ".pending"
_PLACE = ".place"
_ENTRY = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z-[0-9a-f]{16}\.json")


@dataclass
class ReleaseLedger:
    """A folder of entries that this run has locked."""

    folder: Path
    entries: tuple[EarlierRelease, ...]
    _pending: EarlierRelease | None = field(default=None, init=False)

    def of_people(self, people: str) -> tuple[EarlierRelease, ...]:
        """Return the entries about the given people, in the order of their creation.

        If an entry or the new release does not name the people, it may be about any people. Names
        that differ only in case and spaces are equal.
        """
        named = ("", _folded(people))
        return tuple(one for one in self.entries if not people or _folded(one.people) in named)

    def prepare(self, entry: EarlierRelease, out: Path) -> None:
        """Write the entry for a release that is about to be published in `out`.

        File names contain the time to the second. If the last entry has the same time or a later
        time, the new entry gets the second after that time. So the order of the names is the order
        of the releases, and no entry replaces another.
        """
        if self.entries:
            after = datetime.fromisoformat(self.entries[-1].created) + timedelta(seconds=1)
            created = max(after, datetime.fromisoformat(entry.created))
            entry = replace(entry, created=created.isoformat())
        aside = self.folder / f".{entry.name}{_PENDING}"
        with _explained(self.folder):
            place = json.dumps(os.path.realpath(out)).encode()
            _write(self.folder / f".{entry.name}{_PLACE}", place)
            _write(aside, entry_text(entry))
        self._pending = entry

    def enter(self) -> Path:
        """Give the entry its final name after the release has been published."""
        assert self._pending is not None  # noqa: S101 - prepared before
        with _explained(self.folder):
            return _named(self.folder, self._pending.name)


def _folded(people: str) -> str:
    return " ".join(people.split()).casefold()


def require_ledger_folder(folder: Path) -> None:
    """Reject a folder that is not a ledger, because its name may be mistyped.

    An empty folder is a new ledger.
    """
    where = option("ledger")
    if not folder.exists():
        fix = (
            "check the name; if there is no release yet, make the folder first: mkdir -m 700 "
            f"{folder}"
        )
        what = (
            f"the folder {folder} does not exist, so the release cannot be compared with earlier "
            "releases"
        )
        raise SettingError(what, where=where, fix=fix)
    if not folder.is_dir():
        raise SettingError(f"{folder} is not a folder", where=where, fix="name a folder")
    with _explained(folder):
        names = [path.name for path in folder.iterdir()]
    ours = _LOCK in names or any(map(_ENTRY.fullmatch, names))
    if not ours and any(not name.startswith(".") for name in names):
        fix = "check the name; a new ledger begins with an empty folder"
        raise SettingError(
            f"{folder} contains other files and is not a ledger", where=where, fix=fix
        )


@contextlib.contextmanager
def held_ledger(folder: Path) -> Iterator[ReleaseLedger]:
    """Yield a ledger that is locked until the block ends."""
    require_ledger_folder(folder)
    with contextlib.ExitStack() as held:
        with _explained(folder):
            lock = held.enter_context((folder / _LOCK).open("ab"))
            _locked(lock.fileno(), folder)
            _recover(folder)
            ledger = ReleaseLedger(folder, read_entries(folder))
        try:
            yield ledger
        except BaseException:
            _recover(folder)  # an interrupted run may have published its release
            raise


def read_entries(folder: Path) -> tuple[EarlierRelease, ...]:
    """Return all entries in order. Reject an unreadable entry and an entry with a wrong name."""
    found = []
    for path in sorted(folder.glob("*.json")):
        entry = read_entry(path)
        if path.stem != entry.name:
            raise VerificationError(
                "the entry of the ledger does not have the name of its release",
                where=str(path),
                fix=f"rename the entry to {entry.name}.json",
            )
        found.append(entry)
    return tuple(found)


def _recover(folder: Path) -> None:
    """Complete or undo the work of an interrupted run."""
    for path in sorted(folder.glob(f".*{_PENDING}")):
        name = path.name[1 : -len(_PENDING)]
        try:
            entry = read_entry(path)
            place = Path(json.loads((folder / f".{name}{_PLACE}").read_bytes()))
            published = fingerprint(place / CERTIFICATE).sha256 == entry.certificate
        except (OSError, ValueError, TypeError, RoadsteadError):
            published = False
        if published:
            _named(folder, name)
            LOG.info("Roadstead added the release of a stopped run to the ledger")
        else:
            _forget(folder, name)
    for path in (*folder.glob(f".*{_PLACE}"), *folder.glob(".*.part")):
        path.unlink(missing_ok=True)


def _named(folder: Path, name: str) -> Path:
    final = folder / f"{name}.json"
    (folder / f".{name}{_PENDING}").rename(final)
    (folder / f".{name}{_PLACE}").unlink(missing_ok=True)
    flush_folder(folder)
    return final


def _forget(folder: Path, name: str) -> None:
    for ending in (_PENDING, _PLACE):
        with contextlib.suppress(OSError):
            (folder / f".{name}{ending}").unlink()


def _write(path: Path, content: bytes) -> None:
    write_whole(path, content)
    flush_folder(path.parent)


def _locked(handle: int, folder: Path) -> None:
    """Lock the folder, or raise an error if another run has locked it."""
    try:
        import fcntl  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SettingError(
            "another run is writing to the ledger",
            where=str(folder),
            fix="wait until that run has finished",
        ) from None


@contextlib.contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"the ledger cannot be written ({error.strerror or type(error).__name__})",
            where=str(folder),
            fix="check the folder and its permissions",
        ) from None
