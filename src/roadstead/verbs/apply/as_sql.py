"""Write a policy as an SQL statement that creates the release in the database of the table.

If a table is given, its column names, their order, and the column types are used in the statement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from roadstead.errors import SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.rules import Calendar, Everything
from roadstead.policies.document import Policy, read_policy
from roadstead.policies.person_rules import PersonRules
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.release.apply import released_columns
from roadstead.release.documents import TABLE_FILES
from roadstead.release.sql.counting import require_sql
from roadstead.release.sql.sql_release import SqlRelease, table_parts
from roadstead.release.sql.statement import check_statement, release_statement
from roadstead.release.sql.texts import Kind, Zoned
from roadstead.requests.checks import wrong
from roadstead.tables import names
from roadstead.tables.engine import zone_of
from roadstead.tables.locations import DatabaseLocation
from roadstead.tables.reading import read
from roadstead.tables.source import Source
from roadstead.verbs.apply.decided import with_named
from roadstead.verbs.persons.settings import person_of_policy

_OFFSET = re.compile("GMT[+-]")
_ZONES = ("duckdb",)
_NAMED_ZONES = ("duckdb", "postgres")
"""Dialects in which AT TIME ZONE has the same result as in `apply`. PostgreSQL inverts offsets."""


def as_sql(
    policy: Policy | str | Path,
    data: Any = None,  # noqa: ANN401 - a path, or a table of any library
    *,
    dialect: str = "duckdb",
    table: str | None = None,
    unseen: Literal["refuse", "suppress"] = "refuse",
    check: bool = False,
    unchanged: Sequence[str] = (),
) -> str:
    """Return a policy as one SQL statement.

    Parameters
    ----------
    policy
        A policy, or the path of its document.
    data
        A `Source`, a path, a data frame, an Arrow table, or an Ibis table with the same columns as
        the table of the statement. None if only the policy is used.
    dialect
        The engine: one of `roadstead.release.sql.statement.DIALECTS`.
    table
        The name of the table in the engine. By default, this is the name of the file `data` without
        its extension.
    unseen
        How to handle records with a value that the policy does not cover. If the value is
        ``refuse``, no release is created.
    check
        Whether to return the statement that counts the records of the release.
    unchanged
        Columns to release that the policy does not list, or for which the policy records no
        decision.

    Returns
    -------
    str
        The statement, preceded by comments, without a final semicolon.

    Raises
    ------
    PolicyError
        When the policy cannot be read, or cannot be expressed in SQL.
    RoleError
        When the table lacks a column that the policy releases.
    SettingError
        When the dialect is unknown, or the table does not have a name.
    SourceError
        When SQL cannot express the time zone of a column.
    """
    if unseen not in {"refuse", "suppress"}:
        raise SettingError(
            f"{unseen!r} is not an allowed value",
            where=option("unseen"),
            fix="use refuse or suppress",
        )
    known = policy if isinstance(policy, Policy) else read_policy(Path(policy))
    known = with_named(known, (), unchanged, {})
    where = "the policy" if isinstance(policy, Policy) else f"{Path(policy).name}, privacy"
    models = tuple(model_from(settings, where=where) for settings in known.privacy)
    with ExitStack() as opened:
        source = data
        if data is not None and not isinstance(data, Source):
            source = opened.enter_context(read(data))
        parts = None if table is None else table_parts(table)
        release = _release(known, models, source, parts, dialect, unseen == "suppress")
        return check_statement(release) if check else release_statement(release)


def _release(
    known: Policy,
    models: tuple[PrivacyModel, ...],
    source: Source | None,
    table: tuple[str, ...] | None,
    dialect: str,
    suppress: bool,  # noqa: FBT001 - of one caller
) -> SqlRelease:
    """Return the release that the statement creates from a table."""
    person = person_of_policy(known, models, source)
    require_sql(known, models)
    if person is not None and known.persons is None:
        known = replace(known, persons=PersonRules(person))
    if source is None:
        columns = names.checked(known.released, "the policy")
    else:
        names.require(known.released, source.columns)
        columns = tuple(released_columns(source.columns, known))
    read_as_text = known.quasi if person is None else (*known.quasi, person)
    return SqlRelease(
        known,
        models,
        _named_after(source) if table is None else table,
        columns,
        dialect,
        {}
        if source is None
        else {name: _kind(source, name, known, dialect) for name in read_as_text},
        suppress,
    )


def _named_after(source: Source | None) -> tuple[str, ...]:
    """Return the parts of the name of a table in a database, or the name of a file."""
    if source is not None and isinstance(source.location, DatabaseLocation):
        own = source.location.table
        return tuple(part for part in (own.catalog, own.schema, own.name) if part is not None)
    if source is None or source.path is None:
        raise wrong("table", "the table has no name", f"name it with {option('table', 'NAME')}")
    _, in_file, table = str(source.read_from or "").rpartition("?table=")
    if in_file:  # a SQLite file
        return (table,)
    name = source.path.name
    endings = (pattern.removeprefix("*") for pattern in TABLE_FILES)
    ending = max((e for e in endings if name.endswith(e)), key=len, default="")
    return (name.removesuffix(ending) or name,)


def _kind(source: Source, name: str, policy: Policy, dialect: str) -> Kind:
    kind = source.table[name].type()
    if kind.is_floating():
        return "float"
    if kind.is_decimal():
        return "decimal"
    if not kind.is_timestamp():
        return "other"
    if kind.timezone is None:
        return "timestamp"
    zone = "" if name in source.instants else zone_of(source.table)
    rule = next((one.rule for one in policy.attributes if one.name == name), None)
    of_days = isinstance(rule, Calendar | Everything)
    if not zone or not of_days or dialect not in (_ZONES if _OFFSET.match(zone) else _NAMED_ZONES):
        raise SourceError(
            "the statement cannot convert the times of this column to their time zone",
            where=f"column {quoted(name)}",
            fix="make a view with a column of days, such as CAST(x AT TIME ZONE 'Europe/Lisbon' "
            "AS DATE), and use the view as the table",
        )
    return Zoned(zone)
