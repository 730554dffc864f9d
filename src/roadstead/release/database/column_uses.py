"""What each column of a set of tables is, and what was done to it, by the rules of the certificate.

A certificate of a whole database says which column is a key, a date or a code, and what becomes of
each is the same for all of a kind (`roadstead.release.database.rows`, in the same order). Only what
is kept, and whole tables of no persons, are released as they are.
"""

from __future__ import annotations

from roadstead.policies.document import Policy
from roadstead.release.database.certificate import DatabaseCertificate
from roadstead.tables.database.rules import TableRules

PERSON = "another key for each person, the same in all tables"
KEY = "another key"
REFERS = "the other key of the row that it refers to"
MAY_REFER = "the other key of the row that it refers to, empty where that is left out"
MOVED = "moved by as many days as all dates of the person"
CODE = "made more general where it is rare; else the row is left out"
DETAIL = "as it is, and empty where the code was made more general"
EMPTY = "without values"


def uses_in_a_set(certificate: DatabaseCertificate, policy: Policy) -> list[list[str]]:
    """List every released column by its table, with its role, and what was done to it."""
    return [
        [f"{table}.{name}", *_use(one.rules, name, policy, moved=certificate.dates is not None)]
        for table, one in certificate.tables.items()
        for name, _ in one.columns
    ]


def _use(rules: TableRules, name: str, policy: Policy, *, moved: bool) -> tuple[str, str]:
    """Say what a column is, and what was done to it; nothing where it is as it was."""
    single: dict[str | None, tuple[str, str]] = {
        rules.key: ("key", KEY),
        **dict.fromkeys(rules.keys, ("key", REFERS)),
        **dict.fromkeys(rules.softly, ("key", MAY_REFER)),
        **dict.fromkeys(rules.dates, ("date", MOVED if moved else "")),
        rules.code: ("code", CODE),
        **dict.fromkeys(rules.details, ("released", DETAIL)),
        **dict.fromkeys(rules.empty, ("released", EMPTY)),
        rules.person: ("pseudonym", PERSON),
    }
    if name in rules.attributes:
        return "quasi-identifier", policy.words.get(name, "")
    return single.get(name, ("released", ""))
