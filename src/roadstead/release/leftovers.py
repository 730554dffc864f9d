"""Find, report, and repair files that an interrupted run left next to its output.

A run writes to hidden folders next to the output, for example, ``.release.5f0c0a9be1d2.part``. A
folder is renamed before its state changes. So the extension of its name shows the progress of an
interrupted run:

- ``part``: a folder that is being written, or a former output that is no longer needed. The folder
  is removed.
- ``next``: a complete folder, or a former output that was just replaced. The folder gets the final
  name if the name is free, and is removed otherwise.
- ``old``: a former output that is being replaced, on a system that cannot exchange folders in one
  step. The folder gets the final name back if the name is free, and is removed otherwise.

A run locks a file with the extension ``lock``, and the system releases the lock when the process
ends. If a run still holds its lock, its folders are not changed. A folder is removed only if its
run had such a lock file, and if the folder contains only an output of Roadstead.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from roadstead.regular_files import locked

Own: TypeAlias = Callable[[Path], frozenset[str]]
"""A function that returns the names in a folder that belong to a former output."""

_LOG = logging.getLogger("roadstead")


@dataclass(frozen=True)
class HiddenNames:
    """The hidden names that one run uses next to its output."""

    target: Path  # the final folder
    part: Path  # a folder that is being written or removed
    next: Path  # a complete folder before its rename, or a former output that it replaced
    old: Path  # a former folder that is being replaced
    lock: Path  # a file that is locked until the run ends


def _hidden_names(target: Path, mark: str) -> HiddenNames:
    """Return the hidden names of the run with this mark. Each run has a different mark."""
    endings = ("part", "next", "old", "lock")
    return HiddenNames(target, *(target.with_name(f".{target.name}.{mark}.{e}") for e in endings))


@contextlib.contextmanager
def at_work(target: Path) -> Iterator[HiddenNames]:
    """Yield hidden names next to a target. The names belong to this run until the block ends."""
    aside = _hidden_names(target, secrets.token_hex(6))
    try:  # set before the lock exists, because an interrupt may follow immediately
        with aside.lock.open("ab") as held:
            locked(held)
            yield aside
    finally:
        with contextlib.suppress(OSError):
            aside.lock.unlink()


def foreign(folder: Path, own: Own) -> list[str]:
    """Return the names in a folder that do not belong to a former output."""
    present = {entry.name for entry in folder.iterdir()}
    return sorted(present - own(folder)) if present else []


def put_right(target: Path, own: Own) -> None:
    """Restore, remove, and report folders that interrupted runs left next to a target.

    `own` returns the names that belong to a former output. If a folder contains anything else, it
    is not removed.
    """
    for mark in _marks(target):
        aside = _hidden_names(target, mark)
        if not aside.lock.exists():  # written by a version without locks; the run may be active
            _restore(target, aside.old)
            _report(target, aside)
            continue
        with aside.lock.open("ab") as held:
            if not locked(held):
                continue
            _restore(target, aside.old)
            _restore(target, aside.next)
            for folder in (aside.old, aside.next):
                if _is_ours(folder) and not foreign(folder, own):
                    folder.rename(aside.part)
                    _remove(target, aside.part)
            if _is_ours(aside.part):
                _remove(target, aside.part)
            _report(target, aside)
            if not any(map(os.path.lexists, (aside.old, aside.next, aside.part))):
                aside.lock.unlink(missing_ok=True)


def _restore(target: Path, folder: Path) -> None:
    """Give a folder its final name if the name is free."""
    if not _is_ours(folder) or os.path.lexists(target):
        return
    folder.rename(target)
    _LOG.warning(
        "%s: an interrupted run had renamed this folder to %s; its old name is restored",
        target,
        folder.name,
    )


def _remove(target: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if not os.path.lexists(folder):
        _LOG.warning(
            "%s: Roadstead removed the files of an interrupted run next to this folder (%s)",
            target,
            folder.name,
        )


def _report(target: Path, aside: HiddenNames) -> None:
    for folder in (aside.old, aside.next, aside.part):
        if os.path.lexists(folder):
            _LOG.warning(
                (
                    "%s: the folder %s next to it may be from an interrupted run; check that "
                    "folder, and remove it"
                ),
                target,
                folder.name,
            )


def _marks(target: Path) -> list[str]:
    """Return the marks of runs that left files or folders next to a target."""
    name = re.compile(rf"\.{re.escape(target.name)}\.([0-9a-f]{{12}})\.(part|next|old|lock)")
    with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        found = (name.fullmatch(one.name) for one in target.parent.iterdir())
        return sorted({hit[1] for hit in found if hit})
    return []


def _is_ours(folder: Path) -> bool:
    """Return whether a folder exists, is not a link, and belongs to this user."""
    is_folder = folder.is_dir() and not folder.is_symlink()
    return is_folder and folder.stat().st_uid == os.geteuid()
