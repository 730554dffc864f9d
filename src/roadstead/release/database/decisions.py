"""What becomes of every row of a set: the persons, their keys and days, and each domain's codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from roadstead.log import LOG
from roadstead.release.database.codes import ancestry_of, generalize_codes
from roadstead.release.database.keys import make_keys
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
    """All that is decided before anything is written."""

    opened: OpenedSet
    settings: DatabaseSettings
    policy: Policy  # of the table of persons
    decided: Generalized
    window: Window | None
    gone: bool  # whether codes were left out of single persons


def decide(
    opened: OpenedSet,
    settings: DatabaseSettings,
    policy: Policy,
    decided: Generalized,
    window: Window | None,
) -> DatabaseDraft:
    """Decide on every row, in the engine."""
    make_people(opened, settings, decided, window)
    ancestry = ancestry_of(opened)
    gone = False
    for tables in by_domain(opened):
        if tables[0].rules.code is not None:
            LOG.info("codes of %s", tables[0].rules.domain)
            generalize_codes(opened, tables, settings.k, ancestry, gone=gone)
        for table in tables:
            if table.rules.key is not None and is_referred_to(opened, table.name):
                make_keys(opened, settings, table, gone=gone)
    return DatabaseDraft(opened, settings, policy, decided, window, gone)


def by_domain(opened: OpenedSet) -> list[list[SetTable]]:
    """Put tables of one domain together, each after the tables that its rows refer to."""
    found: dict[str, list[SetTable]] = {}
    for table in opened.of_persons:
        coded = table.rules.code is not None
        name = table.rules.domain if coded else f"\0{table.name}"
        # A domain stands where its last table does, which refers to all before it.
        found[name] = [*found.pop(name, []), table]
    return list(found.values())
