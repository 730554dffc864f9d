"""Find rows that are not records, and tables that are not about people."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from roadstead.front_end import option, worded
from roadstead.printable import named
from roadstead.reports.noticed.placeholder_ids import ids_in_two_spellings, shared_ids
from roadstead.reports.wording import first_few, listed
from roadstead.tables.counts import CountTable, count_table
from roadstead.tables.identifiers.vocabulary import is_called
from roadstead.tables.source import Csv, Source

_FEW = 4


def like_counts(found: CountTable) -> str:
    """Explain why a table looks like a table of counts."""
    grid = first_few([named(name) for name in found.grid], _FEW)
    counts = first_few([named(name) for name in found.counts], _FEW)
    return (
        f"this looks like a table of counts, not of people: each combination of {grid} occurs "
        f"once, and {counts} {'is a count' if len(found.counts) == 1 else 'are counts'}"
    )


def noticed_in_table(
    source: Source, *, counts: bool = False, person: str | None = None
) -> tuple[str, ...]:
    """Return sentences about findings in the rows, the column names, and the person ID.

    If `counts` is true, a table of counts is also reported. Most commands reject such a table.
    """
    found = count_table(source) if counts else None
    line = "" if found is None else f"{like_counts(found)}. Use the table with records of people."
    return (
        *_decimal_signs(source),
        *rows_unlike_records(source),
        *_kind(source),
        *shared_ids(source, person),
        *ids_in_two_spellings(source, person),
        *([line[0].upper() + line[1:]] if line else []),
    )


def _decimal_signs(source: Source) -> Iterator[str]:
    form = source.format
    commas = form.dialect.decimal_commas if isinstance(form, Csv) else ()
    if commas:
        yield (
            f"Numbers with a decimal comma: {listed([*map(named, commas)])}. Roadstead releases "
            "these numbers with a decimal comma and without thousands separators. If they are not "
            f"numbers, use {option('decimal', 'point')}."
        )
    yield from _two_readings(source, commas)
    if source.whole_codes:
        yield (
            f"Codes that a program wrote as numbers: {listed([*map(named, source.whole_codes)])}. "
            "Roadstead reads and releases 91911.0 as 91911."
        )
    if source.digit_groups:
        yield (
            f"Numbers with thousands separators: {listed([*map(named, source.digit_groups)])}. "
            "Roadstead releases these numbers without separators, for example 1000.5."
        )


def _two_readings(source: Source, commas: Collection[str]) -> Iterator[str]:
    """Report columns with ambiguous numbers, and describe how Roadstead reads the numbers."""
    alike: dict[tuple[str, str], list[str]] = {}
    for name, sign in source.two_readings.items():
        by = "comma" if name in commas else "point" if name in source.digit_groups else ""
        alike.setdefault((sign, by), []).append(named(name))
    meant = {".": {"comma": "1100", "point": "1.1"}, ",": {"comma": "1.1", "point": "1100"}}
    for (sign, by), names in alike.items():
        as_read = meant[sign].get(by, "1.1" if sign == "." else "text")
        why = f", as a decimal {by} in other columns suggests" if by else ""
        means = " or ".join(
            f"{option('decimal', word)} if it means {number}"
            for word, number in meant[sign].items()
        )
        yield (
            f"1{sign}100 in {listed(names)} can mean 1100 or 1.1. Roadstead reads it as "
            f"{as_read}{why}. Use {means}."
        )


def rows_unlike_records(source: Source, *, advice: bool = True) -> Iterator[str]:
    """Report rows such as titles and totals.

    If `advice` is true, say how to leave the rows out. Otherwise, say that they count as records.
    """
    why = "If you use a project file, run scan again, because its hierarchies depend on all rows."
    again = worded(command=f" {why}", python=f" {why}", page="")
    for rows in source.suspect_rows:
        one = rows.first == rows.last
        what = f"Row {rows.lines} looks" if one else f"Rows {rows.lines} look"
        them, they_are, records = (
            ("it", "it is", "a record") if one else ("them", "they are", "records")
        )
        unlike = f"{what} like {rows.like}, not like {records}"
        yield (
            f"{unlike}. If {they_are} not {records}, leave {them} out with "
            f"{option('skip_rows', rows.lines)}.{again}"
            if advice
            else f"{unlike}, but this release counts {them} as {records}."
        )


def _kind(source: Source) -> Iterator[str]:
    """Report a table that looks like a data dictionary or the log of a program."""
    has = {
        kind: any(is_called(name, kind) for name in source.columns)
        for kind in ("variable", "label", "type", "stamp", "severity", "message", "person")
    }
    if has["person"]:
        return
    if has["variable"] and has["label"] and has["type"]:
        yield (
            "This looks like a data dictionary: each row describes a column, not a person. Use "
            "the table that it describes."
        )
    if has["stamp"] and has["severity"] and has["message"]:
        yield (
            "This looks like the log of a program: each row is an event, not a person. Its "
            "messages may name people."
        )
