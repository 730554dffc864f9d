"""Check that k people in a class share the codes that an attacker may know about a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.printable import named
from roadstead.release.database.rows import code_of, concepts_in
from roadstead.release.verification.checks import Check, counted
from roadstead.tables.database.omop import CONCEPT, CONCEPTS, LOCAL
from roadstead.tables.engine import literal
from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from roadstead.release.database.certificate import DatabaseCertificate
    from roadstead.tables.database.opening import OpenedSet


def check_codes(opened: OpenedSet, certificate: DatabaseCertificate) -> list[Check]:
    """Count the people in a class who have each code, or each pair if two codes may be known."""
    coded = [one for one in opened.of_persons if one.rules.code is not None]
    if not coded:
        return []
    parts = " UNION ALL ".join(
        f"SELECT DISTINCT {quoted_name(str(one.rules.person))} AS person, "
        f"{literal(one.rules.domain)} AS domain, {code_of(opened, one)} AS code FROM {one.view} r"
        for one in coded
    )
    opened.run(f"CREATE TEMP TABLE held AS SELECT DISTINCT * FROM ({parts})")
    k = certificate.k
    pairs = (
        "held a JOIN held b ON a.person = b.person AND (a.domain, a.code) < (b.domain, b.code) "
        "JOIN people p ON p.person = a.person GROUP BY p.class, a.domain, a.code, b.domain, b.code"
    )
    codes = "held JOIN people USING (person) GROUP BY class, domain, code"
    return [
        _check_shared(opened, k, "code", codes),
        *([_check_shared(opened, k, "pair of codes", pairs)] if certificate.knows > 1 else []),
        *([_check_concepts(opened)] if opened.numbered else []),
    ]


def _check_shared(opened: OpenedSet, k: int, what: str, groups: str) -> Check:
    """Count the people in each group. The groups are given as SQL."""
    ((number, smallest),) = opened.rows(
        f"SELECT count(*), min(n) FROM (SELECT count(*) AS n FROM {groups})"
    )
    kind = what.partition(" ")[0]
    few = (
        f"in a group, only {smallest:,} people have the same {what}"
        if number and smallest < k
        else None
    )
    evidence = (
        f"{counted(number, kind)}, counted per group; at least {smallest or 0:,} people share "
        f"each {kind}"
    )
    return Check.of(f"in every group, at least {k:,} people share each {what}", few, evidence)


def _check_concepts(opened: OpenedSet) -> Check:
    """Check that a released CONCEPT has all concepts in released rows, but no local concepts."""
    check, columns = "every concept refers to an existing row", 0
    listed = ""
    if CONCEPT in opened.tables:
        view = opened.tables[CONCEPT].view
        listed = f"OR code NOT IN (SELECT try_cast(concept_id AS BIGINT) FROM {view})"
    for table in (opened.people, *opened.of_persons):
        own = [*concepts_in(table), *([table.rules.code] if table.rules.code else [])]
        own += [one for one in table.rules.attributes if one.endswith(CONCEPTS)]
        for column in own:
            columns += 1
            ((lost,),) = opened.rows(
                "SELECT count(*) FROM (SELECT DISTINCT "
                f"try_cast({quoted_name(column)} AS BIGINT) AS code FROM {table.view}) "
                f"WHERE code IS NOT NULL AND (code >= {LOCAL} {listed})"
            )
            if lost:
                where = f"{named(table.name)}, column {named(column)}"
                detail = f"{where}: no row for {counted(lost, 'concept')}"
                return Check(check, passed=False, detail=detail)
    return Check(check, passed=True, detail=counted(columns, "column"))
