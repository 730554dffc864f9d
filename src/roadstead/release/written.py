"""Write released files in exactly one form, so that the files cannot hide any information.

A forger could hide a message in a release, for example, in an unexpected encoding, in quotes around
some cells, in unread bytes, or in the order of the records. A single check finds all such messages.
It reads the file, sorts the records, writes them again, and compares the bytes. A text file is
encoded in UTF-8 and uses the quote ``"``. A reader who knows nothing about the file must be able to
detect the delimiter.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.errors import SourceError
from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.policies.recodings.interval_columns import with_ends
from roadstead.printable import printable
from roadstead.release.documents import TableForm, fingerprint, read_back, table_form
from roadstead.tables.dialect import Dialect, sniff
from roadstead.tables.formats.registry import format_named, release_kind
from roadstead.tables.identifiers.titles import held_by_file_name
from roadstead.tables.scratch import scratch
from roadstead.tables.sinks import write
from roadstead.tables.source import Csv, Format, Parquet, ProgramFile, Source
from roadstead.tables.stores.names import quoted_name
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

ENCODINGS = ("utf-8", "utf-8-sig")
"""UTF-8 only, with or without a byte-order mark.

Other encodings are not allowed for three reasons. Some bytes in other encodings are also valid
UTF-8. Stateful encodings have several forms of the same text. UTF-16 and UTF-32 can be read only by
programs that expect these encodings.
"""
QUOTE = '"'
_DELIMITERS = (",", ";", "\t", "|")
_HELD = ("spss", "stata", "sas-transport", "r", "arrow")
"""Formats whose files are written from a table that is completely in memory."""
_BYTES, _MUCH = 50, 2 * 10**9
"""The measured memory per cell of such a file, and the smallest amount to report to the user."""
_SORTED_AT_ONCE = 2_000_000
"""The largest number of cells that are sorted while a text file is written, in 1 GB of memory."""
_MADE_BY = re.compile(r"DuckDB version v(\d+\.\d+\.\d+) \(build [0-9a-f]+\)")


def written_form(format: Format, path: Path, fewest: int = 1) -> Csv | Parquet | ProgramFile:  # noqa: A002 - its plain name
    """Return the first form to try for a release: the form of the source if possible, or Parquet.

    Labels of values with fewer than `fewest` records are not written.
    """
    if isinstance(format, ProgramFile):
        kind = release_kind(format)
        if kind is None:
            return Parquet()
        if kind == "csv":
            return Csv()
        codebook = replace(format.codebook, details=(), fewest=fewest)
        codebook = codebook.without_descriptions(held_by_file_name)
        return ProgramFile(kind, format_named(kind).label, codebook)
    return next(_text_forms(format.dialect, path)) if isinstance(format, Csv) else Parquet()


def memory_needed(format: Format, records: int, columns: int) -> str | None:  # noqa: A002 - plain
    """Describe how much memory is needed to write a release, or return None if little is needed."""
    kind = release_kind(format) if isinstance(format, ProgramFile) else None
    needed = _BYTES * records * columns
    if kind not in _HELD or needed < _MUCH:
        return None
    return (
        f"To write this {format_named(kind).label} file, Roadstead needs about "
        f"{needed / 10**9:.1f} GB of memory, because it holds all {records:,} released records "
        f"with {columns:,} columns. If that is too much, save the source as a CSV or Parquet file: "
        "Roadstead writes files in these formats in small parts."
    )


def _text_forms(own: Dialect, path: Path) -> Iterator[Csv]:
    """Yield the possible forms of a text file, starting with the form closest to the source."""
    marked = own.encoding == "utf-8-sig" and not own.compressed
    plain = Dialect(
        encoding="utf-8-sig" if marked else "utf-8",
        compressed=own.compressed,
        decimal_commas=own.decimal_commas,
    )
    usual = "\t" if path.name.lower().removesuffix(".gz").endswith((".tsv", ".tab")) else ","
    for header in dict.fromkeys((own.header, True)):
        for delimiter in dict.fromkeys((own.delimiter, usual, *_DELIMITERS)):
            if delimiter in _DELIMITERS:
                yield Csv(replace(plain, delimiter=delimiter, header=header))


def rewritten(source: Source) -> list[str]:
    """Return notes about differences between the released file's form and the source's form."""
    if not isinstance(source.format, Csv) or source.path is None:
        return []
    own, form = source.format.dialect, next(_text_forms(source.format.dialect, source.path)).dialect
    if all(getattr(own, one) == getattr(form, one) for one in ("encoding", "quote", "delimiter")):
        return []
    return [
        f"The files of the release are {form.describe()}. {source.name} is {own.describe()}, "
        "which other programs would read differently."
    ]


def misread(path: Path, form: TableForm, columns: Sequence[str]) -> str | None:
    """Explain why a reader who knows nothing about a text file would read it differently."""
    unnamed = form.columns is None or len(form.columns) != len(columns)
    wrong = {
        "the encoding is not UTF-8, so other programs read the file differently": (
            form.encoding not in ENCODINGS
        ),
        'the quotation mark is not ", so other programs read the file differently': (
            form.quote != QUOTE
        ),
        "the certificate does not describe the format of the file": (
            form.newline != "\n" or form.header is None or form.compressed is None
        ),
        "the certificate names the columns, but the file has its own names": (
            bool(form.header) and form.columns is not None
        ),
        "the certificate does not name each column of a file without a header": (
            not form.header and unnamed
        ),
        "a column name contains a comma, so other programs split the names differently": (
            form.delimiter != "," and any("," in name for name in columns)
        ),
    }
    said = next((why for why, there in wrong.items() if there), None)
    return said if said is not None else _otherwise_found(path, form)


def _otherwise_found(path: Path, form: TableForm) -> str | None:
    """Return a message if Roadstead itself would detect a different form of the file."""
    try:
        found = sniff(path, quote=QUOTE, header=True if form.header else None).dialect
    except SourceError as error:
        return error.what
    if found.header != form.header:
        return "the first record looks like a header"
    same = ("delimiter", "compressed", "encoding")
    if any(getattr(found, one) != getattr(form, one) for one in same):
        return f"the file can also be read in another way: {found.describe()}"
    return None


def reading_of(source: Source) -> str:
    """Describe how a file was read, for example, ``comma-separated, UTF-8, header``."""
    number = len(source.columns)
    return f"{source.format.describe()}, {number:,} column{'' if number == 1 else 's'}"


def in_order(source: Source, policy: Policy) -> ibis.Table | pa.RecordBatchReader:
    """Sort the records of a release by the labels of quasi-identifiers, then by other columns.

    Records that have ``*`` in each quasi-identifier come last.
    """
    quasi, others = _sorted_by(source.columns, policy)
    if source.texts is not None:
        keys, columns = ", ".join(_keys(quasi, others)), ", ".join(map(quoted_name, source.columns))
        return source.texts.batches(f"SELECT {columns} FROM {source.texts.name} ORDER BY {keys}")  # noqa: S608 - quoted
    import ibis  # noqa: PLC0415 - heavy

    table = source.table
    labels = [as_text(table[name]) for name in quasi]
    visible = ibis.or_(*(label != SUPPRESSED for label in labels)) if labels else ibis.literal(1)
    return table.order_by([ibis.desc(visible), *labels, *(table[name] for name in others)])


def _sorted_by(columns: Sequence[str], policy: Policy) -> tuple[list[str], list[str]]:
    """Divide the columns of a release into quasi-identifiers and other columns."""
    shown = with_ends(policy.quasi, policy.two_columns)
    return [name for name in shown if name in columns], [n for n in columns if n not in shown]


def _keys(quasi: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Return the DuckDB expressions by which the records of a release are sorted."""
    texts = [f"coalesce({quoted_name(name)}::VARCHAR, '')" for name in quasi]
    stars = " AND ".join(f"{text} = '{SUPPRESSED}'" for text in texts) or "false"
    return f"({stars})", *texts, *(f"nullif({quoted_name(name)}, '')" for name in others)


def sorted_at_once(form: Csv | Parquet | ProgramFile, source: Source, records: int) -> bool:
    """Return whether the records of a text file are sorted while the file is written.

    A larger file is written first. Then it is read, sorted with more memory, and written again.
    """
    cells = records * len(source.columns)
    return isinstance(form, Csv) and source.texts is not None and cells <= _SORTED_AT_ONCE


def write_release(
    rows: pa.RecordBatchReader,
    path: Path,
    form: Csv | Parquet | ProgramFile,
    policy: Policy,
    *,
    once: bool = False,
) -> TableForm:
    """Write a new file in the only form that a release may have, and return the form.

    If `once` is true, the rows contain text, and they are sorted while they are written. If some
    program would misread each possible form, the first form is kept. Then the check of the release
    states the reason.
    """
    columns = rows.schema.names
    if not once:
        write(rows, path, form)
        return _settled(path, form, columns, policy)
    write(rows, path, form, order=_keys(*_sorted_by(columns, policy)))
    first = table_form(form, columns)
    if misread(path, first, columns) is None:
        return first
    return _settled(path, form, columns, policy)


def _settled(
    path: Path, form: Csv | Parquet | ProgramFile, columns: Sequence[str], policy: Policy
) -> TableForm:
    """Sort the records of a file, and write the first form that is read the same way everywhere."""
    first = table_form(form, columns)
    for choice in _text_forms(form.dialect, path) if isinstance(form, Csv) else [form]:
        chosen = table_form(choice, columns)
        with tempfile.TemporaryDirectory(prefix=".", dir=path.parent) as aside:
            again = Path(aside) / path.name
            with read_back(path, first) as source:
                # The codebook of the written file has the new codes.
                own = source.format if isinstance(source.format, ProgramFile) else choice
                write(in_order(source, policy), again, own)
            if chosen.kind != "csv" or misread(again, chosen, columns) is None:
                again.replace(path)
                return chosen
    return first


def forged(path: Path, source: Source, form: TableForm, policy: Policy) -> str | None:
    """Explain why a released file cannot be a file that Roadstead wrote, or return None."""
    if form.kind == "csv" and (wrong := misread(path, form, source.columns)) is not None:
        return wrong
    own = _format(form, source)
    if own is None or not _fits(form):
        return "its certified format does not match the kind of file"
    expected = fingerprint(path)
    with scratch() as aside:
        again = Path(aside) / path.name
        write(in_order(source, policy), again, own)
        if fingerprint(again) == expected:
            return None
        write(source.table, again, own)
        if fingerprint(again) == expected:
            return "its records are in a different order"
    if isinstance(own, ProgramFile):
        return _other_library(form, own)
    return _other_version(path) if form.kind == "parquet" else OTHER_BYTES


_OTHERS = ("kind", "columns", "writer")
"""The entries of a form that are not specific to text files."""
OTHER_BYTES = "its bytes differ from the bytes that Roadstead writes for these cells"


def _format(form: TableForm, source: Source) -> Csv | Parquet | ProgramFile | None:
    """Return the form of a released file, or None if the file is not of the certified kind."""
    if form.kind == "parquet":
        return Parquet() if isinstance(source.format, Parquet) else None
    if form.kind != "csv":
        found = source.format
        return found if isinstance(found, ProgramFile) and found.kind == form.kind else None
    own = {key: value for key, value in asdict(form).items() if key not in _OTHERS}
    return Csv(Dialect(**own | {"decimal_commas": form.decimal_commas or ()}))


def _fits(form: TableForm) -> bool:
    """Return whether a form contains only entries that its kind allows."""
    if form.kind == "csv":
        return form.writer is None
    return form == TableForm(kind=form.kind, writer=form.writer)


def _other_library(form: TableForm, own: ProgramFile) -> str:
    """Return a note if another version of the library wrote the file, and its bytes differ."""
    here = format_named(own.kind).writer
    if form.writer == here or form.writer is None:
        return OTHER_BYTES
    there = printable(form.writer)
    return (
        f"{there} wrote this file, so its bytes cannot be compared with the bytes that {here} "
        f"writes; install {there} and verify again"
    )


def _other_version(path: Path) -> str:
    """Return a note if another version of the engine wrote the file, and its bytes differ."""
    import duckdb  # noqa: PLC0415 - heavy
    from pyarrow import parquet  # noqa: PLC0415 - heavy

    made = _MADE_BY.fullmatch(str(parquet.read_metadata(path).created_by))
    if made is None or made[1] == duckdb.__version__:
        return OTHER_BYTES
    return (
        f"DuckDB {made[1]} wrote this file, so its bytes cannot be compared with the bytes that "
        f"DuckDB {duckdb.__version__} writes; install duckdb=={made[1]} and verify again"
    )
