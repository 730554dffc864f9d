"""Decide how to release every row in a set of tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from roadstead.errors import SettingError, quoted
from roadstead.log import LOG
from roadstead.release.database.codes import Ancestry, ancestry_of, generalize_codes
from roadstead.release.database.keys import make_keys
from roadstead.release.database.pairs import leave_out_pairs
from roadstead.release.database.persons import make_people
from roadstead.release.database.rows import is_referred_to

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.release.database.persons import Window
    from roadstead.release.database.settings import DatabaseSettings
    from roadstead.release.generalized import Generalized
    from roadstead.tables.database.opening import OpenedSet, SetTable


@dataclass(frozen=True, eq=False)
class DatabaseDraft:
    """All decisions about a release that has not been written yet."""

    opened: OpenedSet
    settings: DatabaseSettings
    policy: Policy  # the policy for the table of people
    decided: Generalized
    window: Window | None
    gone: bool  # whether codes may be omitted for single people
    earliest_birth: int | None = None  # replaces all earlier years of birth, without dates


def decide(
    opened: OpenedSet,
    settings: DatabaseSettings,
    policy: Policy,
    decided: Generalized,
    window: Window | None,
) -> DatabaseDraft:
    """Decide in the engine how to release every row."""
    make_people(opened, settings, decided, window)
    ancestry = ancestry_of(opened)
    kind = "BIGINT" if opened.numbered else "VARCHAR"
    opened.run(f"CREATE OR REPLACE TEMP TABLE gone (number INTEGER, domain VARCHAR, code {kind})")
    for table in opened.without_people:
        _make_keys_if_needed(opened, settings, table, gone=False)
    gone = settings.knows > 1
    domains, firm = _domains(opened)
    while True:
        _decide_codes(opened, settings, ancestry, gone=gone)
        if not gone or not domains or not leave_out_pairs(opened, domains, firm, settings.k):
            break
    for table in opened.of_persons:
        if table.rules.domain not in firm:  # its last omitted codes did not lead to another round
            _make_keys_if_needed(opened, settings, table, gone=gone)
    return DatabaseDraft(opened, settings, policy, decided, window, gone)


def _decide_codes(
    opened: OpenedSet, settings: DatabaseSettings, ancestry: Ancestry, *, gone: bool
) -> None:
    """Decide how to release the codes of each domain, and the keys to which other tables refer."""
    for tables in by_domain(opened):
        if tables[0].rules.code is not None:
            LOG.info("codes of %s", tables[0].rules.domain)
            generalize_codes(opened, tables, settings.k, ancestry, gone=gone)
        for table in tables:
            _make_keys_if_needed(opened, settings, table, gone=gone)


def _make_keys_if_needed(
    opened: OpenedSet, settings: DatabaseSettings, table: SetTable, *, gone: bool
) -> None:
    if table.rules.key is not None and is_referred_to(opened, table.name):
        make_keys(opened, settings, table, gone=gone)


def _domains(opened: OpenedSet) -> tuple[set[str], set[str]]:
    """Return all domains, and also the domains of tables to which other tables refer."""
    coded = [one for one in opened.of_persons if one.rules.code is not None]
    # A row that refers to an omitted row of its own table is not omitted for this reason.
    held = {to for one in opened.of_persons for to in one.rules.keys.values()}
    firm = {one.rules.domain for one in coded if one.name in held}
    return {one.rules.domain for one in coded}, firm


def by_domain(opened: OpenedSet) -> list[list[SetTable]]:
    """Group the tables by domain. Each group follows the tables to which its rows refer."""
    found: dict[str, list[SetTable]] = {}
    for table in opened.of_persons:
        coded = table.rules.code is not None
        name = table.rules.domain if coded else f"\0{table.name}"
        # A domain takes the position of its last table, which may refer to all tables before it.
        found[name] = [*found.pop(name, []), table]
    groups = list(found.values())
    done = {opened.people.name, *(one.name for one in opened.without_people)}
    for tables in groups:
        own = {table.name for table in tables}
        for table in tables:
            late = {to for to in table.rules.keys.values() if to in opened.tables} - done
            if late:
                what = (
                    f"the table refers to {quoted(min(late))}, but the codes of both tables "
                    "are decided together"
                )
                fix = "give each of the two tables its own domain"
                raise SettingError(what, where=f"tables.{table.name}", fix=fix)
        done |= own
    return groups
