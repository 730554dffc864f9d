"""Outputs appear whole or not at all.

Files are written into a hidden folder beside the final one, flushed to the disk, and the folder is
renamed at the end. Whatever stops the work in between, nothing stands under the final name that
is not complete. With `force`, a former output is moved aside first and removed last; a folder
that holds anything else is never replaced, be it the original table itself.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from roadstead.errors import OutputError
from roadstead.front_end import option, worded

Own: TypeAlias = Callable[[Path], frozenset[str]]
"""From a folder that exists to the names in it that belong to a former output."""


@contextlib.contextmanager
def staged(out: Path, *, force: bool, own: Own) -> Iterator[Path]:
    """Give a folder to write to that becomes `out` when the block ends without an error.

    Parameters
    ----------
    out
        The final folder.
    force
        Replace it if it exists.
    own
        Tells what belongs to a former output; a folder that holds more is not replaced.

    Raises
    ------
    OutputError
        When `out` exists, cannot be written, or the disk is full.
    """
    check_output(out, force=force, own=own)
    target = _real(out)
    with _explained(out), contextlib.ExitStack() as undo:
        for parent in _missing_parents(target):
            undo.callback(_remove_if_empty, parent)
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = _hidden(target, "part")
        undo.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        with _called(folder, out):
            yield folder
        for file in folder.rglob("*"):
            if file.is_file():
                _flush(file)
        folder.chmod(0o777 & ~_umask())
        _replace(folder, target, force=force, own=own)


def _elsewhere() -> str:
    return worded(command="choose another place with --out", python="choose another place")


def check_output(out: Path, *, force: bool, own: Own) -> None:
    """Refuse an output that exists, before any work is done.

    Raises
    ------
    OutputError
        When it exists and `force` is not given, or it holds more than a former output.
    """
    with _explained(out):
        target = _real(out)
        _check_parent(target, out)
        if not os.path.lexists(target):
            return
        if not target.is_dir():
            raise OutputError(
                "exists and is not a folder", where=str(out), mend="choose another name"
            )
        present = any(target.iterdir())
        foreign = _foreign(target, own)
    if foreign:
        raise _not_ours(out, foreign[0])
    if present and not force:
        raise OutputError(
            "exists already",
            where=str(out),
            mend=f"choose another name, or give {option('force', True)}",
        )


def _foreign(folder: Path, own: Own) -> list[str]:
    """Name what a folder holds beside a former output."""
    present = {entry.name for entry in folder.iterdir()}
    return sorted(present - own(folder)) if present else []


def _not_ours(out: Path, name: str) -> OutputError:
    return OutputError(
        f"the folder holds {name!r}, which is not part of a former release",
        where=str(out),
        mend="choose an empty or a new folder",
    )


def _check_parent(target: Path, out: Path) -> None:
    parent = next((p for p in target.parents if p.exists()), target)
    if not parent.is_dir():
        raise OutputError(f"{parent} is not a folder", where=str(out), mend=_elsewhere())
    if not os.access(parent, os.W_OK | os.X_OK):
        raise OutputError(f"{parent} cannot be written to", where=str(out), mend=_elsewhere())


def _replace(folder: Path, target: Path, *, force: bool, own: Own) -> None:
    """Rename the finished folder; an empty or former one makes way, and returns on failure.

    What it holds is looked at again, because work takes time and somebody may have put a file in.
    """
    if not target.exists():
        folder.rename(target)
        return
    if not force and any(target.iterdir()):
        raise OutputError("exists already", where=str(target), mend="choose another name")
    former = _hidden(target, "old")
    try:
        target.rename(former)
        if foreign := _foreign(former, own):
            raise _not_ours(target, foreign[0])
        folder.rename(target)
    finally:
        if former.exists() and not target.exists():
            former.rename(target)
        shutil.rmtree(former, ignore_errors=True)


def _real(out: Path) -> Path:
    """Follow links, so that a folder reached by one is replaced where it lies."""
    return Path(os.path.realpath(out))


def _hidden(target: Path, suffix: str) -> Path:
    """Name a folder beside the target that nobody else uses."""
    return target.with_name(f".{target.name}.{secrets.token_hex(6)}.{suffix}")


def _missing_parents(target: Path) -> list[Path]:
    """Folders that have to be made for the target, the outermost first."""
    return [parent for parent in reversed(target.parents) if not parent.exists()]


def _remove_if_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def _flush(file: Path) -> None:
    with file.open("rb") as stream:
        os.fsync(stream.fileno())


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


@contextlib.contextmanager
def _called(folder: Path, out: Path) -> Iterator[None]:
    """Name the final folder in errors, not the hidden one that nobody asked for."""
    try:
        yield
    except OutputError as error:
        where = (error.where or str(out)).replace(str(folder), str(out))
        raise OutputError(error.what, where=where, mend=error.mend) from None


@contextlib.contextmanager
def _explained(target: Path) -> Iterator[None]:
    """Say in our words what the system refused."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise OutputError(
                "no space is left on the disk",
                where=str(target),
                mend=f"free some, or {_elsewhere()}",
            ) from None
        raise OutputError(
            f"cannot be written ({error.strerror or type(error).__name__})",
            where=str(target),
            mend=_elsewhere(),
        ) from None
