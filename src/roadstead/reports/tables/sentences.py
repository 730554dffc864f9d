"""Describe a released set of tables in sentences, for the terminal and the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from roadstead.printable import named
from roadstead.release.database.persons import OLDEST
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted, first_few

if TYPE_CHECKING:
    from roadstead.release.database.certificate import DatabaseCertificate, ReleasedTable
    from roadstead.tables.database.rules import Rules

_KEYS = {
    "keyed": "made with the custodian's key",
    "forgotten": "made with a random secret that was not kept",
}


def people_released(certificate: DatabaseCertificate) -> str:
    """Say how many people are released, and how many are left out."""
    persons = certificate.persons
    share = percent(persons.left_out / persons.source) if persons.source else "0%"
    return (
        f"Released: {persons.released:,} of {counted(persons.source, 'person', 'people')}. Left "
        f"out of every table: {persons.left_out:,} ({share})."
    )


def oldest_births(certificate: DatabaseCertificate) -> Iterator[str]:
    """Say which years of birth are released as one year, if there are years of birth."""
    if not any(one.birth for one in certificate.rules.values()):
        return
    if certificate.dates is not None:
        year = certificate.dates.last.year - OLDEST + 1
        yield (
            f"Years of birth before {year} count as {year}, so the dates of these people do not "
            f"show their age. Rows whose dates show an age of {OLDEST} or more are left out."
        )
    elif certificate.earliest_birth is not None:
        year = certificate.earliest_birth
        yield (
            f"Years of birth before {year} count as {year}: the tables have no dates, and "
            f"people born before {year} are over 89 at the end of {year + OLDEST - 1}."
        )


def moved_dates(certificate: DatabaseCertificate) -> str:
    """Say by how many days dates are shifted, and which days the release covers."""
    dates = certificate.dates
    if dates is None:
        return "The tables have no dates."
    return (
        "Dates: all dates of a person are shifted by the same number of days, at most "
        f"{dates.days} in either direction. The release covers {dates.first} to {dates.last} "
        "for everyone, and leaves out all other dates."
    )


def new_keys(certificate: DatabaseCertificate) -> str:
    """Say how the keys are replaced."""
    return f"The keys of every table are replaced with new keys, {_KEYS[certificate.keys]}."


def not_counted(certificate: DatabaseCertificate) -> Iterator[str]:
    """Warn about columns of people that are released unchanged and not counted in groups."""
    rules = certificate.rules
    links = {
        f"{name}.{column}": to
        for name, one in rules.items()
        if one.person is not None
        for column, to in one.links.items()
        if to in rules and rules[to].person is None
    }
    columns = [
        f"{name}.{column}"
        for name, one in rules.items()
        if one.person is not None or name in _referred(rules, links.values())
        for column in (*one.details, *one.kept)
    ]
    if columns:
        yield (
            f"Warning: {first_few(columns)} {'is' if len(columns) == 1 else 'are'} released "
            "unchanged. The privacy requirement does not cover these values, and Roadstead does "
            "not count how many people they single out. Withhold a column whose values an "
            "attacker may know."
        )
    if links:
        yield (
            f"Warning: {first_few([*links])} {'shows' if len(links) == 1 else 'show'} "
            "which people share a row of "
            f"{first_few([*dict.fromkeys(links.values())])}. The privacy requirement does "
            "not cover this. Withhold such a key if an attacker may know this row (for "
            "example, the place of a person)."
        )
    uncounted = [
        named(name)
        for name, one in certificate.tables.items()
        if one.rules.code is None
        and one.people is not None
        and one.people.released < certificate.persons.released
    ]
    if uncounted:
        yield (
            f"Warning: not every person has rows in {first_few(uncounted)}. If a table has no "
            "code, the privacy requirement does not cover which people have rows in it. If an "
            "attacker may know this (for example, that a person died), add a code to the table, "
            "such as a constant column, or leave the table out."
        )
    forced = [
        f"{name}.{column}"
        for name, one in certificate.tables.items()
        for column in one.rules.release_anyway
    ]
    if forced:
        are, look = "are", "they look like identifiers or dates"
        if len(forced) == 1:
            are, look = "is", "it looks like an identifier or a date"
        yield f"Warning: {first_few(forced)} {are} released although {look}."


def _referred(rules: Rules, tables: Iterable[str]) -> set[str]:
    """Return the given tables, and the tables to which their keys refer directly or indirectly."""
    found: set[str] = set()
    waiting = [*tables]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [to for to in rules[name].refers_to if to in rules]
    return found


def why_lost(certificate: DatabaseCertificate, table: ReleasedTable) -> str:
    """Say why rows of a table are omitted, and how many rows are generalized further."""
    lost = table.lost
    codes = "a code" if certificate.knows == 1 else "a code, or a pair of codes,"
    parts = (
        (lost.of_persons_left_out, "of people not released"),
        (lost.outside_the_days, "outside the released dates"),
        (
            lost.with_rare_codes,
            f"with {codes} that fewer than {certificate.k} people of a group have",
        ),
        (lost.generalized, "generalized"),
    )
    return ", ".join(f"{number:,} {what}" for number, what in parts if number)
