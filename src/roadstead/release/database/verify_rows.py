"""Check the people, keys, and dates in the released rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.printable import named
from roadstead.release.database.persons import OLDEST
from roadstead.release.database.rows import is_referred_to
from roadstead.release.database.vocabulary import local_concepts
from roadstead.release.persons.pseudonyms import FORM
from roadstead.release.verification.checks import Check, counted
from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from roadstead.release.database.certificate import DatabaseCertificate
    from roadstead.tables.database.opening import OpenedSet


def check_people(opened: OpenedSet, certificate: DatabaseCertificate) -> list[Check]:
    """Count people by their released values, and write them into the engine's table `people`."""
    own = opened.people
    attributes = ", ".join(map(quoted_name, own.rules.attributes))
    person = quoted_name(str(own.rules.person))
    opened.run(
        f"CREATE TEMP TABLE people AS SELECT {person} AS person, "
        f"dense_rank() OVER (ORDER BY {attributes}) AS class FROM {own.view}"
    )
    ((persons, distinct, classes, smallest),) = opened.rows(
        "SELECT sum(n)::BIGINT, sum(d)::BIGINT, count(*), min(n) FROM "
        "(SELECT count(*) AS n, count(DISTINCT person) AS d FROM people GROUP BY class)"
    )
    persons = persons or 0
    wrong = None
    if persons != certificate.persons.released:
        wrong = f"{persons:,} people found, but {certificate.persons.released:,} are certified"
    elif persons != distinct:
        wrong = "a person is listed twice"
    alike = None
    if persons and smallest < certificate.k:
        alike = f"the smallest group has {smallest:,} people, but {certificate.k:,} are required"
    evidence = f"{counted(classes, 'group')}; the smallest has {smallest or 0:,} people"
    return [
        Check.of("each person is listed once", wrong, counted(persons, "person")),
        Check.of(
            f"each group has at least {certificate.k:,} people with the same known values",
            alike,
            evidence,
        ),
    ]


def check_rows(opened: OpenedSet, certificate: DatabaseCertificate) -> list[Check]:
    """Follow every key and read every date."""
    return [
        _check_counts(opened, certificate),
        _check_persons(opened, certificate),
        _check_keys(opened),
        *([] if opened.numbered else [_check_new_keys(opened)]),
        _check_references(opened),
        *([] if certificate.dates is None else [_check_dates(opened, certificate)]),
        *(_check_ages(opened, certificate)),
        _check_vocabulary(opened),
    ]


def _check_counts(opened: OpenedSet, certificate: DatabaseCertificate) -> Check:
    rows = 0
    for table in opened.tables.values():
        ((found,),) = opened.rows(f"SELECT count(*) FROM {table.view}")
        rows += found
        if found != (expected := certificate.tables[table.name].rows):
            wrong = f"{named(table.name)} has {found:,} rows, but {expected:,} are certified"
            return Check("each table has the certified number of rows", passed=False, detail=wrong)
    return Check(
        "each table has the certified number of rows", passed=True, detail=counted(rows, "row")
    )


def _check_persons(opened: OpenedSet, certificate: DatabaseCertificate) -> Check:
    check = "every row belongs to a person in the release"
    for table in opened.of_persons:
        person = quoted_name(str(table.rules.person))
        certified = certificate.tables[table.name].people
        ((found,),) = opened.rows(f"SELECT count(DISTINCT {person}) FROM {table.view}")
        if certified is not None and found != certified.released:
            detail = (
                f"{named(table.name)} has rows of {found:,} people, but {certified.released:,} "
                "are certified"
            )
            return Check(check, passed=False, detail=detail)
        ((lost,),) = opened.rows(
            f"SELECT count(*) FROM {table.view} r ANTI JOIN people p ON r.{person} = p.person"
        )
        if lost:
            detail = f"{named(table.name)} has {counted(lost, 'row')} without a person"
            return Check(check, passed=False, detail=detail)
    return Check(check, passed=True, detail=counted(len(opened.of_persons), "table"))


def _check_keys(opened: OpenedSet) -> Check:
    check = "keys are complete and unique"
    keyed = [one for one in opened.tables.values() if one.rules.key is not None]
    for table in keyed:
        key = quoted_name(str(table.rules.key))
        ((repeated,),) = opened.rows(f"SELECT count(*) - count(DISTINCT {key}) FROM {table.view}")
        if repeated:
            detail = f"{named(table.name)} has {counted(repeated, 'missing or repeated key')}"
            return Check(check, passed=False, detail=detail)
    return Check(check, passed=True, detail=counted(len(keyed), "table"))


def _check_new_keys(opened: OpenedSet) -> Check:
    """Check that each key has the form of a new key.

    A key to which no table refers is the position of its row. Other keys are pseudonyms. In a CDM,
    all keys are whole numbers, which do not have this form.
    """
    check, columns = "every key has the form of a new key", 0
    for table in opened.tables.values():
        rules = table.rules
        for column in dict.fromkeys((rules.person, rules.key, *rules.links)):
            if column is None:
                continue
            columns += 1
            cell = quoted_name(column)
            form = f"regexp_full_match({cell}, '{FORM}')"
            counts = not rules.is_of_persons and not is_referred_to(opened, table.name)
            if column == rules.key != rules.person and counts:
                form = (
                    f"try_cast({cell} AS BIGINT) BETWEEN 1 AND (SELECT count(*) FROM {table.view})"
                )
            ((others,),) = opened.rows(
                f"SELECT count(*) FROM {table.view} WHERE NOT coalesce({form}, {cell} IS NULL)"
            )
            if others:
                where = f"{named(table.name)}, column {named(column)}"
                detail = f"{where}: {counted(others, 'key')} in a different form"
                return Check(check, passed=False, detail=detail)
    return Check(check, passed=True, detail=counted(columns, "column"))


def _check_references(opened: OpenedSet) -> Check:
    check, followed = "every key refers to an existing row", 0
    for table in opened.tables.values():
        rules = table.rules
        for column, to in rules.links.items():
            name, cell = f"{named(table.name)}, column {named(column)},", quoted_name(column)
            if to not in opened.tables:
                ((lost,),) = opened.rows(
                    f"SELECT count(*) FROM {table.view} WHERE {cell} IS NOT NULL"
                )
            else:
                other, same = opened.tables[to], ""
                if other.rules.person is not None:
                    own, whose = str(rules.person), other.rules.person
                    same = f" AND r.{quoted_name(own)} = o.{quoted_name(whose)}"
                ((lost,),) = opened.rows(
                    f"SELECT count(*) FROM {table.view} r ANTI JOIN {other.view} o "
                    f"ON r.{cell} = o.{quoted_name(str(other.rules.key))}{same} "
                    f"WHERE r.{cell} IS NOT NULL"
                )
            followed += 1
            if lost:
                detail = f"{name} has {counted(lost, 'key')} without a matching row"
                return Check(check, passed=False, detail=detail)
    return Check(check, passed=True, detail=counted(followed, "foreign key"))


def _check_dates(opened: OpenedSet, certificate: DatabaseCertificate) -> Check:
    """Check that every date has the standard format and is within the covered days."""
    check, dates = "every date is within the covered period", 0
    assert certificate.dates is not None  # noqa: S101 - asked for only then
    covered = f"BETWEEN DATE '{certificate.dates.first}' AND DATE '{certificate.dates.last}'"
    for table in (opened.people, *opened.of_persons):
        for column in table.rules.dates:
            cell = quoted_name(column)
            ((outside,),) = opened.rows(
                f"SELECT count(*) FROM {table.view} WHERE NOT ({cell} {covered})"
            )
            dates += 1
            if outside or not opened.in_one_form(table, column):
                what = (
                    f"{counted(outside, 'date')} outside the covered period"
                    if outside
                    else "some values are not dates"
                )
                detail = f"{named(table.name)}, column {named(column)}: {what}"
                return Check(check, passed=False, detail=detail)
    ends = f"{certificate.dates.first} to {certificate.dates.last}"
    return Check(check, passed=True, detail=f"{counted(dates, 'column')}, {ends}")


def _check_ages(opened: OpenedSet, certificate: DatabaseCertificate) -> list[Check]:
    """Check that no dates of a person, including the date of birth, are 90 or more years apart.

    The date of birth can be checked only in a CDM.
    """
    dated = [(one, column) for one in opened.of_persons for column in one.rules.dates]
    if certificate.dates is None or not dated:
        return []
    own = opened.people
    check = f"no dates show an age of {OLDEST} or more"
    parts = " UNION ALL ".join(
        f"SELECT {quoted_name(str(one.rules.person))} AS person, min({quoted_name(column)}) AS a, "
        f"max({quoted_name(column)}) AS z FROM {one.view} GROUP BY 1"
        for one, column in dated
    )
    ((rows,),) = opened.rows(
        f"SELECT count(*) FROM (SELECT min(a) AS first, max(z) AS last FROM ({parts}) "
        f"GROUP BY person) WHERE last >= first + INTERVAL {OLDEST} YEAR"
    )
    birth = next((one.birth for one in certificate.rules.values() if one.birth), None)
    if birth is None or not certificate.numbered:
        return [
            Check.of(
                check, f"{rows:,} people have such an age" if rows else None, "computed from dates"
            )
        ]
    # The earliest released year also replaces all earlier years.
    latest = f"(DATE '{certificate.dates.last}' - INTERVAL {OLDEST} YEAR)"
    born = f"try_cast(o.{quoted_name(birth)} AS INTEGER)"
    for table, column in dated:
        ((found,),) = opened.rows(
            f"SELECT count(*) FROM {table.view} r JOIN {own.view} o ON "
            f"r.{quoted_name(str(table.rules.person))} = o.{quoted_name(str(own.rules.person))} "
            f"WHERE year(r.{quoted_name(column)}) - {born} >= {OLDEST} "
            f"AND {born} > year({latest}) + 1"
        )
        rows += found
    return [
        Check.of(
            check,
            f"{rows:,} rows show such an age" if rows else None,
            "computed from year of birth and date, except for the oldest group",
        )
    ]


def _check_vocabulary(opened: OpenedSet) -> Check:
    check = "no local concept of a site is released"
    for table in opened.tables.values():
        if not opened.numbered or table.rules.person is not None:
            continue
        ((found,),) = opened.rows(
            f"SELECT count(*) FROM {table.view} WHERE {local_concepts(opened, table)}"
        )
        if found:
            detail = f"{counted(found, 'row')} of {named(table.name)}"
            return Check(check, passed=False, detail=detail)
    return Check(check, passed=True, detail="vocabularies")
