"""Check the release of a whole database with only the released files.

The module opens the tables as a recipient does, counts people by their released values, follows
keys from table to table, and reads every date.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.errors import RoadsteadError, SettingError
from roadstead.printable import named
from roadstead.regular_files import content_of, require_regular
from roadstead.release.certificate import CERTIFICATE, REPORT
from roadstead.release.database.certificate import (
    DatabaseCertificate,
    read_database_certificate,
    rendered,
)
from roadstead.release.database.rows import code_of
from roadstead.release.database.verify_codes import check_codes
from roadstead.release.database.verify_figures import check_figures
from roadstead.release.database.verify_rows import check_people, check_rows
from roadstead.release.database.verify_written import check_written
from roadstead.release.verification.checks import (
    Check,
    Verification,
    counted,
)
from roadstead.release.verification.files import check_files
from roadstead.release.verification.terms import PromiseTerms
from roadstead.tables.database.omop import cdm_rules
from roadstead.tables.database.opening import OpenedSet, open_set, present
from roadstead.tables.database.rules import TableRules, in_order, require_possible
from roadstead.tables.engine import literal
from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from roadstead.policies.document import Policy

_UNCHECKED = (
    "whether the intervals between a person's dates are the same as in the source",
    "how many people and rows were left out, and by how many days dates were shifted",
    "whether the columns released unchanged reveal anything about a person",
    "the text of report.html",
)


def verify_database(folder: Path) -> Verification:
    """Check a released set of tables against the certificate of the release.

    A missing or unreadable certificate raises a VerificationError.
    """
    certificate, policy = read_database_certificate(folder / CERTIFICATE)
    allowed = {REPORT, *(one.file.name for one in certificate.tables.values())}
    checks = [
        *check_files(folder, certificate.all_files, [], allowed, certificate.software),
        _check_certificate(folder, certificate),
        _check_promise(certificate, policy),
        _check_rules(certificate),
    ]
    if all(check.passed for check in checks):
        try:
            opened = _opened(folder, certificate)
        except RoadsteadError as error:
            checks.append(Check("the tables can be read", passed=False, detail=error.message))
        else:
            try:
                checks.append(check_written(opened, certificate, folder))
                checks += _check_tables(opened, certificate, policy)
            except RoadsteadError as error:
                checks.append(Check("the tables can be read", passed=False, detail=error.message))
            finally:
                opened.close()
    return Verification(tuple(checks), _UNCHECKED, terms=_terms(certificate))


def _terms(certificate: DatabaseCertificate) -> PromiseTerms:
    """Return the requirements for people, with the attributes and codes that may be known."""
    rules = certificate.rules.values()
    columns = [column for one in rules for column in one.attributes]
    domains = sorted({one.domain for one in rules if one.code is not None})
    many = "one code" if certificate.knows == 1 else f"any {certificate.knows} codes"
    about = [*columns, *([f"{many} ({', '.join(domains)})"] if domains else [])]
    models = (f"{certificate.k}-anonymity of people",) if certificate.k > 1 else ()
    return PromiseTerms(models, tuple(map(named, about)))


def _check_certificate(folder: Path, certificate: DatabaseCertificate) -> Check:
    """Check that the certificate contains nothing except the facts that Roadstead reads."""
    same = content_of(folder / CERTIFICATE, own=True) == rendered(certificate)
    wrong = None if same else "the certificate contains something that Roadstead does not write"
    name = "the certificate has the format that Roadstead writes"
    return Check.of(name, wrong, "it contains nothing else")


def _opened(folder: Path, certificate: DatabaseCertificate) -> OpenedSet:
    places = {}
    for name, table in certificate.tables.items():
        path = folder / table.file.name
        require_regular(path, own=True)
        places[name] = path
    rules = {name: _as_released(one) for name, one in certificate.rules.items()}
    return open_set(places, rules, folder.name, numbered=certificate.numbered)


def _as_released(rules: TableRules) -> TableRules:
    """Treat the year of birth as a normal attribute, because a released year may be an interval."""
    return replace(rules, birth=None, quasi=rules.attributes) if rules.is_of_persons else rules


def _check_tables(
    opened: OpenedSet, certificate: DatabaseCertificate, policy: Policy
) -> list[Check]:
    return [
        _check_decisions(opened),
        _check_columns(opened, certificate),
        *check_figures(certificate, policy),
        *check_people(opened, certificate),
        *check_rows(opened, certificate),
        *check_codes(opened, certificate),
    ]


def _check_promise(certificate: DatabaseCertificate, policy: Policy) -> Check:
    """Compare the policy with the rules and with k."""
    rules = certificate.rules
    wrong = None
    people = next(in_order(rules))
    if set(policy.quasi) != set(rules[people].attributes):
        wrong = "the policy has different columns"
    elif policy.privacy[0] != {"kind": "k-anonymity", "k": certificate.k}:
        wrong = "the policy has a different k"
    return Check.of("the privacy requirements match the rules", wrong, f"k = {certificate.k:,}")


def _check_rules(certificate: DatabaseCertificate) -> Check:
    """Check that the rules allow each column. In a CDM, the rules of the model apply."""
    check = "the rules allow every released column"
    known = cdm_rules()
    try:
        require_possible(certificate.rules)
    except SettingError as error:
        return Check(check, passed=False, detail=error.message)
    for name, table in certificate.tables.items():
        columns = [column for column, _ in table.columns]
        if not set(columns) <= set(table.rules.named):
            return Check(
                check, passed=False, detail=f"{named(name)} has a column that the rules do not name"
            )
        if not certificate.numbered:
            continue
        expected = known.get(name)
        if expected is None or not _follows(present(expected, columns), table.rules):
            return Check(
                check, passed=False, detail=f"{named(name)} does not follow the rules of the CDM"
            )
    # If the custodian wrote the rules, they may allow anything, so the check states whose rules
    # apply.
    whose = (
        "by the rules of the OMOP CDM"
        if certificate.numbered
        else "by the rules of the people who made the release"
    )
    detail = f"{counted(len(certificate.tables), 'table')}, {whose}"
    return Check(check, passed=True, detail=detail)


def _follows(expected: TableRules, own: TableRules) -> bool:
    """Return whether rules equal the rules of the model, except that more cells may be empty."""
    emptied = [one for one in expected.measured if one in own.empty]
    less = replace(
        expected,
        kept=tuple(one for one in expected.kept if one not in emptied),
        details=tuple(one for one in expected.details if one not in emptied),
        empty=(*expected.empty, *emptied),
    )
    return replace(own, left_empty={}, release_anyway=()) == less


def _check_decisions(opened: OpenedSet) -> Check:
    """Check that the custodian's rules name each released column."""
    others = {name: one.left_out for name, one in opened.tables.items() if one.left_out}
    wrong = None
    if others:
        name = next(iter(others))
        wrong = f"the rules do not name the column {named(others[name][0])} of {named(name)}"
    columns = sum(len(one.columns) for one in opened.tables.values())
    evidence = f"{counted(columns, 'column')}, all named by rules"
    return Check.of("a decision is recorded for every released column", wrong, evidence)


def _check_columns(opened: OpenedSet, certificate: DatabaseCertificate) -> Check:
    """Check that every file has exactly the certified columns, and that empty columns are empty.

    In a CDM, all other columns must contain keys, days, and numbers.
    """
    check = "each table has the certified columns"
    for name, table in opened.tables.items():
        spelled = tuple((column, table.spelled[column]) for column in table.columns)
        if table.left_out or spelled != certificate.tables[name].columns:
            return Check(check, passed=False, detail=f"{named(name)} has different columns")
        empty = opened.valued(table, table.rules.empty)
        if empty:
            detail = f"column {named(empty[0])} of {named(name)} must be empty, but has values"
            return Check(check, passed=False, detail=detail)
        for column, codes in table.rules.left_empty.items():
            ((values,),) = opened.rows(
                f"SELECT count({quoted_name(column)}) FROM {table.view} r WHERE "
                f"{code_of(opened, table)}::VARCHAR IN ({', '.join(map(literal, codes))})"
            )
            if values:
                detail = (
                    f"column {named(column)} of {named(name)} has values in cells that must be "
                    "empty"
                )
                return Check(check, passed=False, detail=detail)
        words = opened.no_numbers(table, table.rules.measured) if opened.numbered else []
        if words:
            detail = (
                f"column {named(words[0])} of {named(table.name)} has values that are not numbers"
            )
            return Check(check, passed=False, detail=detail)
    return Check(check, passed=True, detail=counted(len(opened.tables), "table"))
