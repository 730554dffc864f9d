"""Say how many people lose all their rows, and which codes lose the most rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from roadstead.front_end import option
from roadstead.printable import named, printable
from roadstead.reports.wording import first_few

if TYPE_CHECKING:
    from roadstead.release.database.certificate import DatabaseCertificate
    from roadstead.release.database.remaining import CodesLeft

_UNEVEN = 10
"""The smallest difference between two shares, in percentage points, that leads to a warning."""


def uneven_loss(certificate: DatabaseCertificate, codes: Mapping[str, CodesLeft]) -> Iterator[str]:
    """Yield a sentence about people who lose all rows of a table, and a warning about codes.

    `codes` lists the codes that the warning names. If it is empty, the warning contains only the
    certified shares.
    """
    emptied = [
        f"{one.people.source - one.people.released:,} of {one.people.source:,} in {named(name)}"
        for name, one in certificate.tables.items()
        if one.people is not None and one.people.released < one.people.source
    ]
    if emptied:
        yield f"People who have rows in the source, but none in the release: {', '.join(emptied)}."
    uneven = uneven_tables(certificate)
    if not uneven:
        return
    shares = first_few([_shares(certificate, name, codes.get(name)) for name in uneven], 3)
    yield (
        "Warning: some codes lose many more rows than others, so analyses of the release can be "
        f"biased. Rows that are released with their code: {shares}."
    )


def what_to_change(certificate: DatabaseCertificate) -> Iterator[str]:
    """If codes lose very different shares, say what the custodian can change to keep more rows."""
    if uneven_tables(certificate):
        yield f"To keep more rows: {_advice(certificate)}."


def uneven_tables(certificate: DatabaseCertificate) -> list[str]:
    """Return the tables in which codes lose very different shares, with the worst table first."""
    gaps = {
        name: one.codes.greatest - one.codes.least
        for name, one in certificate.tables.items()
        if one.codes is not None and one.lost.with_rare_codes + one.lost.generalized
    }
    return sorted((name for name, gap in gaps.items() if gap >= _UNEVEN), key=lambda n: -gaps[n])


def _shares(certificate: DatabaseCertificate, table: str, own: CodesLeft | None) -> str:
    certified = certificate.tables[table].codes
    assert certified is not None  # noqa: S101 - only such tables are uneven
    if own is None:
        return (
            f"in {named(table)}, {certified.least}% to {certified.greatest}%, depending on the code"
        )
    lost = f"; {own.lost:,} codes lose all rows" if own.lost > 1 else ""
    lost = "; 1 code loses all rows" if own.lost == 1 else lost
    return (
        f"in {named(table)}, {certified.least}% for {printable(own.least.code)} and "
        f"{certified.greatest}% for {printable(own.greatest.code)}{lost}"
    )


def _advice(certificate: DatabaseCertificate) -> str:
    ways = []
    if certificate.knows > 1:
        way = f"if an attacker cannot know more than one code, use {option('knows', '1')}"
        ways.append(f"{way} to protect against one known code instead of two")
    ways.append("use fewer or more general quasi-identifiers, to make groups larger")
    if not certificate.numbered:
        ways.append("replace the codes in the source with fewer, more general codes")
    if certificate.dates is not None:
        ways.append(f"use smaller shifts of dates, for example {option('shift_days', 7)}")
    return "; ".join(ways)
