"""The cohort as a CSV file, whole or not at all."""

from __future__ import annotations

import csv
import os
import tempfile
from pathlib import Path

from roadstead.cohort.generate import COLUMNS, generate
from roadstead.errors import OutputError


def write_csv(path: Path, patients: int = 20_000, seed: int = 2026) -> Path:
    """Write a cohort as CSV: UTF-8, commas, a header, one line a patient.

    It is written under another name in the same folder and renamed when it is complete.

    Parameters
    ----------
    path
        The file to write; it must not exist yet.
    patients, seed
        As for `generate`.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    OutputError
        If the file exists already or cannot be written.
    SettingError
        As for `generate`.
    """
    if path.exists():
        raise OutputError(
            "the file exists already", where=str(path), fix="name another file or remove this one"
        )
    columns = generate(patients, seed)
    try:
        handle, aside = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as problem:
        raise _cannot_write(path, problem) from problem
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            lines = csv.writer(file, lineterminator="\n")
            lines.writerow(COLUMNS)
            lines.writerows(zip(*(columns[column] for column in COLUMNS), strict=True))
            file.flush()
            os.fsync(file.fileno())
        _open_to_readers(aside)
        Path(aside).replace(path)
    except OSError as problem:
        raise _cannot_write(path, problem) from problem
    finally:
        Path(aside).unlink(missing_ok=True)
    return path


def _open_to_readers(aside: str) -> None:
    """Give the file the permissions of any new file; temporary files are private."""
    mask = os.umask(0)
    os.umask(mask)
    Path(aside).chmod(0o666 & ~mask)


def _cannot_write(path: Path, problem: OSError) -> OutputError:
    reason = problem.strerror or type(problem).__name__
    return OutputError(
        f"cannot be written ({reason.lower()})",
        where=str(path),
        fix="choose a folder that exists, is writable and has space",
    )
