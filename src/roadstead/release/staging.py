"""Publish an output completely or not at all.

Files are written to a hidden folder next to the final folder, and flushed to disk. The folder is
renamed at the end. With `force`, a former output and the new output are exchanged in one step if
the file system supports this. On other file systems, the process may be killed between two renames.
Then the former output remains under a hidden name until the next run restores it. A folder that
contains anything else, such as the original table, is never replaced.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import OutputError
from roadstead.front_end import option, worded
from roadstead.release.leftovers import HiddenNames, Own, at_work, foreign, put_right
from roadstead.tables.signals import deferred_signals

if TYPE_CHECKING:
    from roadstead.tables.source import Source

__all__ = ["Own", "check_output", "require_outside", "staged"]

_HERE = -100
"""AT_FDCWD on Linux, which makes names relative to the working folder."""
_EXCHANGE = 2
"""RENAME_EXCHANGE on Linux, and RENAME_SWAP on macOS."""
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM)
"""The errors that an old kernel, some file systems, or a strict container may return."""


@contextlib.contextmanager
def staged(out: Path, *, force: bool, own: Own) -> Iterator[Path]:
    """Yield a folder that becomes `out` if the block ends without an error.

    `force` allows the replacement of a former output. `own` returns the names that belong to an
    output. A folder that contains anything else is not replaced.
    """
    check_output(out, force=force, own=own)
    target = _real(out)
    with _explained(out), contextlib.ExitStack() as undo:
        for parent in reversed(target.parents):
            if not parent.exists():
                undo.callback(_remove_if_empty, parent)
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = undo.enter_context(at_work(target))
        folder = aside.part
        undo.callback(_remove, folder)
        folder.mkdir(mode=0o700)
        with _called(folder, out):
            yield folder
        for file in folder.rglob("*"):
            if file.is_file():
                _flush(file)
        folder.chmod(_mode_for(target))
        _replace(aside, force=force, own=own)


def _mode_for(target: Path) -> int:
    """Return the mode of the folder that is replaced, or the default mode of a new folder."""
    with contextlib.suppress(OSError):
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o777 & ~mask


def _remove(folder: Path) -> None:
    """Remove a folder completely. Interrupts are delayed until the folder is removed."""
    with deferred_signals():
        shutil.rmtree(folder, ignore_errors=True)


def _elsewhere() -> str:
    return worded(command="choose another place with --out", python="choose another place")


def check_output(out: Path, *, force: bool, own: Own) -> None:
    """Reject an output that already exists, before any work is done.

    The function first repairs folders that an interrupted run left next to the output.
    """
    with _explained(out):
        target = _real(out)
        parent = next((p for p in target.parents if p.exists()), target)
        if not parent.is_dir():
            raise OutputError(f"{parent} is not a folder", where=str(out), fix=_elsewhere())
        if not os.access(parent, os.W_OK | os.X_OK):
            raise OutputError(
                f"Roadstead cannot write to {parent}", where=str(out), fix=_elsewhere()
            )
        put_right(target, own)
        if not os.path.lexists(target):
            return
        if not target.is_dir():
            what = "this path exists, but is not a folder"
            raise OutputError(what, where=str(out), fix="choose another name")
        present = any(target.iterdir())
        others = foreign(target, own)
    if others:
        raise _not_ours(out, others[0])
    if present and not force:
        fix = f"choose another name, or give {option('force', True)}"
        raise OutputError("already exists", where=str(out), fix=fix)


def require_outside(out: Path, source: Source) -> None:
    """Reject an output in the folder of a table. The output would become a part of the table."""
    if source.path is None or not source.path.is_dir():
        return
    if _real(out).is_relative_to(source.path.resolve()):
        what = (
            f"the output is inside {source.path}, the folder of the table, so it would become a "
            "part of the table"
        )
        raise OutputError(what, where=str(out), fix=_elsewhere())


def _not_ours(out: Path, name: str) -> OutputError:
    what = f"the folder contains {name!r}, which is not part of an earlier release"
    return OutputError(what, where=str(out), fix="choose an empty or a new folder")


def _replace(aside: HiddenNames, *, force: bool, own: Own) -> None:
    """Rename the finished folder to its final name.

    If an empty folder or a former output has this name, it is moved away first. If renaming fails,
    it is restored. The function checks the content of this folder again, because a file may have
    been added since the first check.
    """
    target = aside.target
    if not target.exists():
        aside.part.rename(target)
        return
    if not force and any(target.iterdir()):
        raise OutputError("already exists", where=str(target), fix="choose another name")
    with deferred_signals():
        aside.part.rename(aside.next)
        try:
            _change_places(aside)
        except OSError:
            aside.next.rename(aside.part)
            raise
        others = foreign(aside.next, own)
        if others:
            _change_places(aside)
        aside.next.rename(aside.part)
    if others:
        raise _not_ours(target, others[0])


def _change_places(aside: HiddenNames) -> None:
    """Exchange the finished folder with the folder at the final place, or leave both unchanged."""
    if exchange(aside.next, aside.target):
        return
    aside.target.rename(aside.old)
    try:
        aside.next.rename(aside.target)
    except OSError:
        aside.old.rename(aside.target)
        raise
    aside.old.rename(aside.next)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step, if the system supports this.

    The function uses `renameat2` on Linux and `renamex_np` on macOS. Each name refers to a folder
    at every moment. So even after a power failure, there is a complete folder. The function returns
    whether the folders were exchanged.
    """
    names = os.fsencode(one), os.fsencode(other)
    libc: Any = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        failed = libc.renamex_np(*names, ctypes.c_uint(_EXCHANGE))
    elif sys.platform == "linux" and hasattr(libc, "renameat2"):
        here = ctypes.c_int(_HERE)
        failed = libc.renameat2(here, names[0], here, names[1], ctypes.c_uint(_EXCHANGE))
    else:
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), str(other))


def _real(out: Path) -> Path:
    """Resolve links, because a linked folder is replaced at its real location."""
    return Path(os.path.realpath(out))


def _remove_if_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def _flush(file: Path) -> None:
    with file.open("rb") as stream:
        os.fsync(stream.fileno())


@contextlib.contextmanager
def _called(folder: Path, out: Path) -> Iterator[None]:
    """Replace the hidden name in errors with the final name, which the user knows."""
    try:
        yield
    except OutputError as error:
        where = (error.where or str(out)).replace(str(folder), str(out))
        raise OutputError(error.what, where=where, fix=error.fix) from None


@contextlib.contextmanager
def _explained(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = f"the file or folder cannot be written ({error.strerror or type(error).__name__})"
        fix = _elsewhere()
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            what, fix = "the disk is full", f"free some space, or {fix}"
        raise OutputError(what, where=str(target), fix=fix) from None
