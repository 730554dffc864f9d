"""Determine which rows of a table are released, and the content of a released row.

A row is released if its person is released, its shifted dates lie within the person's days, and the
rows to which it refers are released. In addition, at least k people in the class must share the
facts that the row reveals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.policies.document import SUPPRESSED
from roadstead.release.database.persons import first_year
from roadstead.tables.database.omop import CONCEPTS, LOCAL
from roadstead.tables.engine import literal
from roadstead.tables.stores.names import quoted_name

if TYPE_CHECKING:
    from roadstead.release.generalized import Generalized
    from roadstead.tables.database.opening import OpenedSet, SetTable

NO_CODE = "coalesce({}, 0)", "coalesce({}, '')"
"""SQL for a row's code, with a default for missing codes: in a CDM, and in other databases."""


def code_of(opened: OpenedSet, table: SetTable) -> str:
    """Return the SQL for the code of a row."""
    return NO_CODE[0 if opened.numbered else 1].format(f"r.{quoted_name(str(table.rules.code))}")


def detail(opened: OpenedSet, table: SetTable, column: str) -> str:
    """Return the SQL for a detail. It is empty if the code was generalized, or is `left_empty`."""
    code, own = code_of(opened, table), f"r.{quoted_name(column)}"
    empty = ", ".join(map(literal, table.rules.left_empty.get(column, ())))
    others = f" AND {code}::VARCHAR NOT IN ({empty})" if empty else ""
    return f"CASE WHEN l.released = {code}{others} THEN {own} END"


def keys_of(name: str) -> str:
    """Return the name of the engine's table that contains the new keys of a table."""
    return quoted_name(f"keys of {name}")


def levels_of(domain: str) -> str:
    """Return the name of the engine's table that contains the released codes of a domain."""
    return quoted_name(f"levels of {domain}")


def has_of(domain: str) -> str:
    """Return the name of the engine's table that contains each person's codes in a domain."""
    return quoted_name(f"has of {domain}")


class ChosenRows(NamedTuple):
    """A FROM clause: its joins, and the conditions for the rows."""

    joins: tuple[str, ...]
    where: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = f" WHERE {' AND '.join(self.where)}" if self.where else ""
        return " ".join(self.joins) + where

    def joined(self, join: str) -> ChosenRows:
        """Add a join."""
        return self._replace(joins=(*self.joins, join))


def eligible(opened: OpenedSet, table: SetTable, *, gone: bool, linked: bool = False) -> ChosenRows:
    """Return the FROM clause for rows `r` and their people `p`, before codes are checked.

    `gone` indicates whether codes may be omitted for single people. If the rows to which some keys
    refer are omitted, the keys become empty. `linked` adds the joins for these keys.
    """
    rules = table.rules
    joins = [f"FROM {table.view} r JOIN people p ON r.{quoted_name(str(rules.person))} = p.person"]
    where = []
    for at, column in enumerate(rules.links):
        if rules.links[column] not in opened.tables or (column in rules.softly and not linked):
            continue
        joins.append(_link(opened, table, column))
        if column in rules.keys:
            where.append(f"(f{at}.old IS NULL OR f{at}.key IS NOT NULL)")
    for at, column in enumerate(rules.dates):
        moved = f"r.{quoted_name(column)} + p.days"
        if rules.periods:
            bound = "p.until" if at == 0 else "p.since"
            where.append(f"coalesce({moved} {'<=' if at == 0 else '>='} {bound}, true)")
        else:
            where.append(f"coalesce({moved} BETWEEN p.since AND p.until, true)")
    if gone and rules.code is not None:
        joins.append(
            f"ANTI JOIN gone ON gone.number = p.number AND gone.domain = {literal(rules.domain)} "
            f"AND gone.code = {code_of(opened, table)}"
        )
    return ChosenRows(tuple(joins), tuple(where))


def _link(opened: OpenedSet, table: SetTable, column: str) -> str:
    """Return the join for the new key in a column. Both rows must belong to the same person."""
    to, at = table.rules.links[column], [*table.rules.links].index(column)
    if to not in opened.tables:
        return ""
    owned = opened.tables[to].rules.person is not None
    return (
        f"LEFT JOIN {keys_of(to)} f{at} ON r.{quoted_name(column)} = f{at}.old"
        f"{f' AND f{at}.owner = p.number' if owned else ''}"
    )


def _new_links(opened: OpenedSet, table: SetTable) -> dict[str, str]:
    """Return the SQL for the new key in each foreign key column."""
    kind = "BIGINT" if opened.numbered else "VARCHAR"
    return {
        column: f"f{at}.key" if to in opened.tables else f"NULL::{kind}"
        for at, (column, to) in enumerate(table.rules.links.items())
    }


def remaining(
    opened: OpenedSet, table: SetTable, *, gone: bool, linked: bool = False
) -> ChosenRows:
    """Return the FROM clause for released rows. The table `l` contains the released codes."""
    found = eligible(opened, table, gone=gone, linked=linked)
    if table.rules.code is None:
        return found
    return found.joined(
        f"JOIN {levels_of(table.rules.domain)} l ON l.class = p.class AND "
        f"l.code = {code_of(opened, table)} AND l.released IS NOT NULL"
    )


def released(opened: OpenedSet, table: SetTable, *, gone: bool) -> str:
    """Return the query for the released rows of a table of people's rows."""
    rules = table.rules
    links, cells = _new_links(opened, table), {}
    for column in table.columns:
        own = f"r.{quoted_name(column)}"
        if column == rules.person:
            cells[column] = "p.key"
        elif column in links:
            cells[column] = links[column]
        elif column in rules.dates:
            cells[column] = _moved(table, column)
        elif column == rules.code:
            cells[column] = "l.released"
        elif column in rules.details:
            cells[column] = detail(opened, table, column)
        elif column in rules.empty:
            cells[column] = f"CASE WHEN false THEN {own} END"  # This keeps the type of the column.
        else:
            cells[column] = own
    return _sorted(opened, table, cells, remaining(opened, table, gone=gone, linked=True))


def released_without_people(opened: OpenedSet, table: SetTable) -> str:
    """Return the query for a table without people, which has new keys and all rows."""
    cells = {column: f"r.{quoted_name(column)}" for column in table.columns}
    cells |= {x: f"CASE WHEN false THEN {cells[x]} END" for x in table.rules.empty}
    joins = (_link(opened, table, column) for column in table.rules.links)
    cells |= _new_links(opened, table)
    return _sorted(opened, table, cells, ChosenRows((f"FROM {table.view} r", *joins)))


def _sorted(opened: OpenedSet, table: SetTable, cells: dict[str, str], source: ChosenRows) -> str:
    """Return the query for rows with a new key, in an order that hides the order of the source.

    The rows are sorted by content. If no table refers to a key, the key is the position of the row.
    """
    rules = table.rules
    if rules.key is not None and rules.key != rules.person:
        named = is_referred_to(opened, table.name)
        cells[rules.key] = "own.key" if named else "row_number() OVER ()"
        if named:
            own = f"own ON own.old = r.{quoted_name(rules.key)}"
            source = source.joined(f"JOIN {keys_of(table.name)} {own}")
    spelled = {column: quoted_name(table.spelled[column]) for column in table.columns}
    numbered = [c for c in table.columns if cells[c] == "row_number() OVER ()"]
    inner = ", ".join(
        f"{cells[column]} AS {spelled[column]}"
        for column in table.columns
        if column not in numbered
    )
    first = [c for c in (rules.person, *rules.dates, rules.code) if c is not None]
    order = [*first, *(c for c in table.columns if c not in (*first, *numbered, *rules.empty))]
    by = f" ORDER BY {', '.join(spelled[c] for c in order)}" if order else ""
    ordered = f"SELECT {inner or 'NULL'} {source}{by}"
    outer = ", ".join(
        f"row_number() OVER () AS {spelled[column]}" if column in numbered else spelled[column]
        for column in table.columns
    )
    return f"SELECT {outer} FROM ({ordered})"


def _moved(table: SetTable, column: str) -> str:
    moved = f"(r.{quoted_name(column)} + p.days)"
    if not table.rules.periods:
        return moved
    cut = "greatest({}, p.since)" if column == table.rules.dates[0] else "least({}, p.until)"
    return f"CASE WHEN {moved} IS NOT NULL THEN {cut.format(moved)} END"


def released_people(opened: OpenedSet, decided: Generalized) -> str:
    """Return the query for the released table of people.

    In a CDM, the year of birth is the first year of the released interval. A concept without a
    label becomes 0.
    """
    table = opened.people
    rules = table.rules
    links, cells = _new_links(opened, table), []
    for column in table.columns:
        own = f"r.{quoted_name(column)}"
        if column in (rules.person, rules.key):
            cell = "p.key"
        elif column in links:
            cell = links[column]
        elif column in decided.merged.attributes:
            at = decided.merged.attributes.index(column)
            cell = f"p.a{at}"
            if opened.numbered:
                cell = f"nullif({_number(decided, at, cell, birth=column == rules.birth)}, -1)"
        elif column in rules.dates:
            moved = f"(r.{quoted_name(column)} + p.days)"
            cell = f"CASE WHEN {moved} BETWEEN p.since AND p.until THEN {moved} END"
        elif column in rules.empty:
            cell = f"CASE WHEN false THEN {own} END"
        else:
            cell = own
        cells.append(f"{cell} AS {quoted_name(table.spelled[column])}")
    return (
        f"SELECT {', '.join(cells)} FROM {table.view} r JOIN people p "
        f"ON r.{quoted_name(str(rules.person))} = p.person "
        f"{' '.join(_link(opened, table, column) for column in links)} ORDER BY p.key"
    )


def _number(decided: Generalized, at: int, cell: str, *, birth: bool) -> str:
    """Return the SQL for the whole number that replaces a label in a CDM."""
    whens = []
    for label in decided.merged.domains[at]:
        number = numbered_label(label, birth=birth)
        whens.append(f"WHEN {cell} = {literal(label)} THEN {-1 if number is None else number}")
    return f"CASE {' '.join(whens)} END"


def numbered_label(label: str, *, birth: bool) -> int | None:
    """Return the whole number that replaces a label in a CDM, or None for an empty cell."""
    if birth:
        return first_year(label, None)
    if label in (SUPPRESSED, ""):
        return 0
    if not label.isdecimal():
        what = f"the label {quoted(label)} is not a concept, and a CDM can only contain concepts"
        fix = "use hierarchies whose labels are concept numbers, or *"
        raise SettingError(what, where=option("hierarchies"), fix=fix)
    return int(label) if int(label) < LOCAL else 0


def concepts_in(table: SetTable) -> list[str]:
    """Return the columns with concepts in a table of people, except the code column."""
    own = (*table.rules.kept, *table.rules.details)
    return [column for column in own if column.endswith(CONCEPTS)]


def is_referred_to(opened: OpenedSet, name: str) -> bool:
    """Return whether rows of any table refer to rows of this table."""
    return any(name in one.refers_to for one in opened.rules.values())
