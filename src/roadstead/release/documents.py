"""The documents next to a released table: JSON as a person reads it, and fingerprints of files.

A release may come from a stranger. So a document is read from a regular file of the folder itself,
no link, pipe or device; it may say nothing twice; and what is wrong with it is said without showing
more than the place.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import VerificationError, quoted
from roadstead.printable import named, printable_json
from roadstead.regular_files import content_of, opened

STRICT = ConfigDict(extra="forbid")
_BLOCK = 1 << 20
_KINDS = ("Fingerprint", "TableFingerprint")
"""Which of two kinds of fingerprint is tried, which says nothing about where the damage is."""

_T = TypeVar("_T")


@checked_dataclass(frozen=True, config=STRICT)
class Fingerprint:
    """A file of the release: its name, SHA-256 and size in bytes."""

    name: Annotated[str, Field(pattern="^[^/]+$")]
    sha256: str
    bytes: int


def fingerprint(path: Path) -> Fingerprint:
    """Work out the SHA-256 and size of a regular file; an `OSError` if it is none."""
    digest, size = hashlib.sha256(), 0
    with opened(path, own=True) as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return Fingerprint(path.name, digest.hexdigest(), size)


def is_unchanged(folder: Path, expected: Fingerprint) -> bool:
    """Whether a file is a regular one with the fingerprint expected."""
    path = folder / expected.name
    if path.is_symlink() or not path.is_file() or path.stat().st_size != expected.bytes:
        return False
    return fingerprint(path) == expected


def write_json(document: object, path: Path) -> None:
    """Write JSON as a person reads it."""
    path.write_text(json_text(document), encoding="utf-8")


def json_text(document: object) -> str:
    """Give JSON as a person reads it."""
    return printable_json(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"


def read_document(
    path: Path, adapter: TypeAdapter[_T], what: str, *, where: str, fix: str | None = None
) -> _T:
    """Read a document and check its form; a `VerificationError` says where it is damaged.

    `what` is what messages call it, and `fix` what to do if it is not there.
    """
    try:
        content = content_of(path, own=True)
        _require_said_once(content, what, where=where)
        return adapter.validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        parts = (named(str(part)) for part in first["loc"] if part not in _KINDS)
        place = ".".join(parts) or "the document"
        raise VerificationError(f"{what} is damaged at {place}", where=where) from None
    except OSError as error:
        missing = fix is not None and isinstance(error, FileNotFoundError)
        said = f"{what} cannot be read ({error.strerror})"
        said = f"there is no {what.removeprefix('the ')}" if missing else said
        raise VerificationError(said, where=where, fix=fix if missing else None) from None


def _require_said_once(content: bytes, what: str, *, where: str) -> None:
    """Refuse JSON that says one thing twice: a person reads the first, a program the last."""
    twice: list[str] = []

    def once(pairs: list[tuple[str, Any]]) -> None:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            twice.append(next(key for key in keys if keys.count(key) > 1))

    try:
        json.loads(content, object_pairs_hook=once)
    except RecursionError:
        raise VerificationError("the JSON is nested too deeply", where=where) from None
    except ValueError:
        return  # whoever reads it next says where it is damaged
    if twice:
        raise VerificationError(
            f"{what} is damaged: {quoted(twice[0])} is there twice", where=where
        )


@contextlib.contextmanager
def alongside(report: Callable[[], str] | None) -> Iterator[Callable[[], str | None]]:
    """Make a report, if there is one, in another thread; give what waits for it.

    The thread names fields as this one does: a report of the command line says ``--quasi``.
    """
    with ThreadPoolExecutor(1) as thread:
        made = None if report is None else thread.submit(copy_context().run, report)
        yield lambda: None if made is None else made.result()
