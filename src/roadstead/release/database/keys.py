"""Assign new keys to rows that other rows refer to, and find the rows that are omitted.

If a table does not describe people, all its rows are released, and each row gets a new key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.release.database.persons import name_keys, require_once
from roadstead.release.database.rows import keys_of, remaining
from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from roadstead.release.database.settings import DatabaseSettings
    from roadstead.tables.database.opening import OpenedSet, SetTable


def make_keys(
    opened: OpenedSet, settings: DatabaseSettings, table: SetTable, *, gone: bool
) -> None:
    """Create the engine's table of keys, with the columns `old`, `owner`, and `key`.

    `key` is the new key, or null if the row is omitted. All rows that refer to an omitted row are
    omitted too. The engine's table lists all rows that belong to released people, or all rows of a
    table without people.
    """
    rules = table.rules
    everything = rows = f"FROM {table.view} r"
    owner = "NULL::INTEGER"
    if rules.person is not None:
        rows = str(remaining(opened, table, gone=gone))
        everything += f" JOIN people p ON r.{quoted_name(rules.person)} = p.person"
        owner = "p.number"
    own = quoted_name(str(rules.key))
    drawn = settings.number(table.name, "old")
    opened.run(f"CREATE OR REPLACE TEMP TABLE staying AS SELECT r.{own} AS old {rows}")
    if opened.numbered:
        key = drawn if settings.pseudonyms.keyed else f"row_number() OVER (ORDER BY {drawn}, old)"
        opened.run(f"CREATE OR REPLACE TEMP TABLE named AS SELECT old, {key} AS key FROM staying")
    else:
        name_keys(opened, settings, "staying", "old", table.name)
        opened.run("CREATE OR REPLACE TEMP TABLE named AS SELECT old, named AS key FROM names")
    require_once(opened, "named")
    opened.run(
        f"CREATE OR REPLACE TEMP TABLE {keys_of(table.name)} AS SELECT r.{own} AS old, "
        f"{owner} AS owner, named.key {everything} LEFT JOIN named ON named.old = r.{own}"
    )
    opened.run("DROP TABLE staying")
    opened.run("DROP TABLE named")
