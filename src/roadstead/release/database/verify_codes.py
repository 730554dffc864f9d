"""Checks of released codes: k persons of a class share whatever somebody may know of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.printable import named
from roadstead.release.database.rows import code_of
from roadstead.release.verification.checks import Check, counted
from roadstead.tables.database.omop import CONCEPT, LOCAL
from roadstead.tables.engine import literal
from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from roadstead.release.database.certificate import DatabaseCertificate
    from roadstead.tables.database.opening import OpenedSet, SetTable


def check_codes(opened: OpenedSet, certificate: DatabaseCertificate) -> list[Check]:
    """Count the persons of a class with each code, and with each pair of codes if two are known."""
    coded = [one for one in opened.of_persons if one.rules.code is not None]
    if not coded:
        return []
    parts = " UNION ALL ".join(
        f"SELECT DISTINCT {quoted_name(str(one.rules.person))} AS person, "
        f"{literal(one.rules.domain)} AS domain, {code_of(opened, one)} AS code FROM {one.view} r"
        for one in coded
    )
    opened.run(f"CREATE TEMP TABLE held AS SELECT DISTINCT * FROM ({parts})")
    ((number, smallest),) = opened.rows(
        "SELECT count(*), min(n) FROM (SELECT count(*) AS n FROM held JOIN people USING (person) "
        "GROUP BY class, domain, code)"
    )
    k = certificate.k
    few = f"{smallest:,} persons of a class have one" if number and smallest < k else None
    evidence = f"{counted(number, 'code')} of classes, the rarest of {smallest or 0:,} persons"
    return [
        Check.of(f"{k:,} persons of a class share each code", few, evidence),
        *([_check_pairs(opened, k)] if certificate.knows > 1 else []),
        *([_check_concepts(opened, coded)] if opened.numbered else []),
    ]


def _check_pairs(opened: OpenedSet, k: int) -> Check:
    ((number, smallest),) = opened.rows(
        "SELECT count(*), min(n) FROM (SELECT count(*) AS n FROM held a JOIN held b "
        "ON a.person = b.person AND (a.domain, a.code) < (b.domain, b.code) "
        "JOIN people p ON p.person = a.person "
        "GROUP BY p.class, a.domain, a.code, b.domain, b.code)"
    )
    few = f"{smallest:,} persons of a class have one" if number and smallest < k else None
    evidence = f"{counted(number, 'pair')}, the rarest of {smallest or 0:,} persons"
    return Check.of(f"{k:,} persons of a class share each pair of codes", few, evidence)


def _check_concepts(opened: OpenedSet, coded: list[SetTable]) -> Check:
    """Released concepts are in CONCEPT, if that is released, and none was made at a site."""
    check = "no code is a concept that is not released"
    listed = ""
    if CONCEPT in opened.tables:
        view = opened.tables[CONCEPT].view
        listed = f"OR code NOT IN (SELECT try_cast(concept_id AS BIGINT) FROM {view})"
    codes = "SELECT DISTINCT code FROM held"
    ((lost,),) = opened.rows(
        f"SELECT count(*) FROM ({codes}) WHERE code <> 0 AND (code >= {LOCAL} {listed})"
    )
    wrong = f"{counted(lost, 'code')} that {named(CONCEPT)} does not have" if lost else None
    return Check.of(check, wrong, counted(len(coded), "table"))
