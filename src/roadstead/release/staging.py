"""Outputs appear whole or not at all.

Files are written into a hidden folder beside the final one, flushed to the disk, and the folder is
renamed at the end. Whatever stops the work in between, nothing stands under the final name that
is not complete. With `force`, a former release is moved aside first and removed last; a folder
that holds anything a release does not is never replaced.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from roadstead.errors import OutputError


@contextlib.contextmanager
def staged(out: Path, *, force: bool, own: Sequence[str]) -> Iterator[Path]:
    """Give a folder to write to that becomes `out` when the block ends without an error.

    Parameters
    ----------
    out
        The final folder.
    force
        Replace it if it exists.
    own
        Patterns of the names a release has; a folder with others is not replaced.

    Raises
    ------
    OutputError
        When `out` exists, cannot be written, or the disk is full.
    """
    target = out.absolute()
    check_output(target, force=force, own=own)
    with _explained(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(
            tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        )
    try:
        with _explained(target):
            yield folder
            for file in folder.iterdir():
                _flush(file)
            folder.chmod(0o777 & ~_umask())
            _replace(folder, target, force=force)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_output(out: Path, *, force: bool, own: Sequence[str]) -> None:
    """Refuse an output that exists, before any work is done.

    Raises
    ------
    OutputError
        When it exists and `force` is not given, or it is not a release.
    """
    if not os.path.lexists(out):
        _check_parent(out)
        return
    if not out.is_dir():
        raise OutputError("exists and is not a folder", where=str(out), mend="choose another name")
    foreign = sorted(p.name for p in out.iterdir() if not any(p.match(name) for name in own))
    if foreign:
        raise OutputError(
            f"the folder holds {foreign[0]!r}, which is not part of a release",
            where=str(out),
            mend="choose an empty or a new folder",
        )
    if not force and any(out.iterdir()):
        raise OutputError(
            "exists already", where=str(out), mend="choose another name, or give --force"
        )
    _check_parent(out)


def _check_parent(out: Path) -> None:
    parent = next(p for p in out.absolute().parents if p.exists())
    if not parent.is_dir():
        raise OutputError(
            f"{parent} is not a folder", where=str(out), mend="choose another place with --out"
        )
    if not os.access(parent, os.W_OK | os.X_OK):
        raise OutputError(
            f"{parent} cannot be written to", where=str(out), mend="choose another place with --out"
        )


def _replace(folder: Path, target: Path, *, force: bool) -> None:
    """Rename the finished folder; an empty or former release makes way."""
    if not target.exists():
        folder.rename(target)
        return
    if not force and any(target.iterdir()):
        raise OutputError("exists already", where=str(target), mend="choose another name")
    former = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
    target.rename(former)
    try:
        folder.rename(target)
    except OSError:
        former.rename(target)
        raise
    shutil.rmtree(former, ignore_errors=True)


def _flush(file: Path) -> None:
    with file.open("rb") as stream:
        os.fsync(stream.fileno())


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


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
                mend="free some, or choose another place with --out",
            ) from None
        raise OutputError(
            f"cannot be written ({error.strerror or type(error).__name__})",
            where=str(target),
            mend="choose another place with --out",
        ) from None
