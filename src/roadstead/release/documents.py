"""Read and write the files of a release, and compute their fingerprints.

A release may come from an untrusted person. So a table or a document is read only from a regular
file directly in the folder, and never from a link, pipe, or device. A document must not contain the
same key twice. An error message about a document states only the place of the damage.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import SourceError, VerificationError
from roadstead.policies.json_document import (
    NOT_NONE,
    STRICT,
    DocumentFormat,
    SaidTwiceError,
    said_once,
)
from roadstead.printable import named, printable_json
from roadstead.regular_files import content_of, opened, require_regular
from roadstead.tables.formats.registry import FORMATS, format_named, release_kind
from roadstead.tables.identifiers.titles import shareable_name
from roadstead.tables.kept_codes import with_all_codes
from roadstead.tables.reading import read
from roadstead.tables.source import Csv, Parquet, ProgramFile, Source

TABLE_FILES = ("*.csv", "*.csv.gz", "*.tsv", "*.tsv.gz", "*.txt", "*.txt.gz", "*.parquet")
_BLOCK = 1 << 20
_RECODING = '  "recoding": {'
"""The line in a policy that precedes the parts of each class."""
_KINDS = ("Fingerprint", "TableFingerprint", "of groups", "of margins")
"""Pydantic's names of union members, which error messages omit from the damaged place."""

_T = TypeVar("_T")


@checked_dataclass(frozen=True, config=STRICT)
class Fingerprint:
    """A file of the release: its name, SHA-256, and size in bytes."""

    name: Annotated[str, Field(pattern="^[^/]+$")]
    sha256: str
    bytes: int


def now() -> str:
    """Return the current time in the form of all documents."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def fingerprint(path: Path) -> Fingerprint:
    """Return the fingerprint of a regular file.

    If the path is not a regular file, an `OSError` is raised.
    """
    digest, size = hashlib.sha256(), 0
    with opened(path, own=True) as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return Fingerprint(path.name, digest.hexdigest(), size)


def is_unchanged(folder: Path, expected: Fingerprint) -> bool:
    """Return whether a file is a regular file with the expected fingerprint."""
    path = folder / expected.name
    if path.is_symlink() or not path.is_file() or path.stat().st_size != expected.bytes:
        return False
    return fingerprint(path) == expected


_KINDS_OF_TABLES = ("csv", "parquet", "table")


def _known_kind(kind: str) -> str:
    """Return the kind of a table, or raise a ValueError for an unknown kind."""
    if kind not in _KINDS_OF_TABLES and kind not in FORMATS.own:
        raise ValueError("it is not the name of a file format")
    return kind


@checked_dataclass(frozen=True, config=STRICT)
class TableForm:
    """The kind of a released file and, for a text file, the dialect.

    `kind` is ``csv``, ``parquet``, the name of another file format, or ``table`` for a table in a
    database.
    """

    kind: Annotated[str, Field(pattern="^[a-z][a-z-]*$"), AfterValidator(_known_kind)]
    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    header: bool | None = None
    compressed: bool | None = None
    newline: str | None = None
    # The columns of a text file whose numbers have decimal commas.
    decimal_commas: Annotated[tuple[str, ...] | None, NOT_NONE] = None
    columns: tuple[str, ...] | None = None  # for a text file without a header
    writer: str | None = None  # library and version that wrote a file in another program's format


IN_DATABASE = TableForm(kind="table")
"""The form of a table that is not in a file."""


def table_name(source: Source) -> str:
    """Return the name of the released file: the source's name with the extension of the form."""
    if source.path is None:
        return "release.parquet"
    name = shareable_name(source.path.name)
    if isinstance(source.format, ProgramFile):
        return _renamed(name, source.format)
    if any(source.path.match(pattern) for pattern in TABLE_FILES):
        return name
    if isinstance(source.format, Csv):
        return f"{name}.csv.gz" if source.format.dialect.compressed else f"{name}.csv"
    return f"{name}.parquet"


def _renamed(name: str, form: ProgramFile) -> str:
    """Return the name with the extension of the released format."""
    written = release_kind(form)
    if written is None:
        endings: Sequence[str] = (".parquet",)
    else:
        endings = (".csv",) if written == "csv" else format_named(written).endings
    stem, dot, ending = name.rpartition(".")
    return name if f".{ending}" in endings else f"{stem if dot else name}{endings[0]}"


def table_form(format: Csv | Parquet | ProgramFile, columns: Sequence[str]) -> TableForm:  # noqa: A002 - its name
    """Return the form of a table, with the column names if the file lacks a header."""
    if isinstance(format, ProgramFile):
        return TableForm(kind=format.kind, writer=format_named(format.kind).writer)
    if isinstance(format, Parquet):
        return TableForm(kind="parquet")
    unnamed = None if format.dialect.header else tuple(columns)
    written = asdict(replace(format.dialect, newline="\n"))  # for all line endings of the source
    commas = tuple(name for name in written.pop("decimal_commas") if name in columns)
    return TableForm(kind="csv", **written, decimal_commas=commas or None, columns=unnamed)


def read_back(path: Path, form: TableForm) -> Source:
    """Read a released file. If the file has no header, use the certified column names."""
    try:
        require_regular(path, own=True)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise SourceError(f"cannot be read ({why})", where=path.name) from None
    dialect = {name: getattr(form, name) for name in ("delimiter", "quote", "encoding")}
    dialect["header"] = form.header is not False  # a released sheet has a header, too
    source = with_all_codes(read(path, **dialect, decimal=form.decimal_commas or ()))
    if form.columns is None or len(form.columns) != len(source.columns):
        return source
    names = dict(zip(form.columns, source.columns, strict=True))
    return replace(source, held=source.table.rename(names), columns=form.columns)


def write_json(document: object, path: Path) -> None:
    """Write a document as readable JSON."""
    path.write_text(json_text(document), encoding="utf-8")


def json_text(document: object) -> str:
    """Return a document as readable JSON, with one line per class and per part of a recoding."""
    lines = json.dumps(document, indent=2, ensure_ascii=False).split("\n")
    if _RECODING in lines:
        lines = list(_with_short_lists(lines, lines.index(_RECODING)))
    return printable_json("\n".join(lines)) + "\n"


def _with_short_lists(lines: Sequence[str], first: int) -> Iterator[str]:
    """Write each innermost list after the line `first` on one line."""
    row: list[str] = []
    for number, line in enumerate(lines):
        if number > first and line.strip() == "[":
            yield from row
            row = [line]
        elif not row:
            yield line
        elif line.strip() in ("]", "],"):
            yield row[0] + " ".join(cell.strip() for cell in row[1:]) + line.strip()
            row = []
        else:
            row.append(line)
            if line.endswith(("[", "{")):
                yield from row
                row = []


def read_document(
    path: Path,
    adapter: TypeAdapter[_T],
    what: str,
    *,
    where: str,
    fix: str | None = None,
    form: DocumentFormat | None = None,
) -> _T:
    """Read a document and check its form.

    `what` is the name of the document in error messages. `fix` is the advice for a missing
    document, and `form` is the required format. A `VerificationError` states where the document is
    damaged.
    """
    try:
        content = content_of(path, own=True)
    except OSError as error:
        missing = fix is not None and isinstance(error, FileNotFoundError)
        said = f"{what} cannot be read ({error.strerror})"
        said = f"{what} is missing" if missing else said
        raise VerificationError(said, where=where, fix=fix if missing else None) from None
    return document_of(content, adapter, what, where=where, form=form)


def document_of(
    content: bytes,
    adapter: TypeAdapter[_T],
    what: str,
    *,
    where: str,
    form: DocumentFormat | None = None,
) -> _T:
    """Parse the content of a document and check its form, as `read_document` does."""
    document = _said_once(content, what, where=where)
    if form is not None and (other := form.other(document)) is not None:
        raise VerificationError(f"{what}: {other}", where=where, fix=form.again)
    try:
        return adapter.validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        parts = (named(str(part)) for part in first["loc"] if part not in _KINDS)
        entry = ".".join(parts)
        place = f" in the entry {entry}" if entry else ""
        raise VerificationError(f"{what} is damaged{place}", where=where) from None


def _said_once(content: bytes, what: str, *, where: str) -> object:
    """Parse JSON, and reject duplicate keys. Return None if the JSON is invalid."""
    try:
        return json.loads(content, object_pairs_hook=said_once)
    except RecursionError:
        raise VerificationError("the JSON is nested too deeply", where=where) from None
    except SaidTwiceError as error:
        raise VerificationError(f"{what} is damaged: {error}", where=where) from None
    except ValueError:
        return None  # the next reader reports where the document is damaged


@contextlib.contextmanager
def alongside(report: Callable[[], str] | None) -> Iterator[Callable[[], str | None]]:
    """Start to generate a report in another thread, and yield a function that waits for the report.

    The thread uses the same field names as the current thread. For example, a report that the
    command line generates contains ``--quasi``.
    """
    with ThreadPoolExecutor(1) as thread:
        made = None if report is None else thread.submit(copy_context().run, report)
        yield lambda: None if made is None else made.result()
