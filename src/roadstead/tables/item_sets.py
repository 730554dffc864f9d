"""Build columns whose values are sets: all items of a record, such as its diagnoses.

The engine of the table converts items in any form to one column of text. So all code that groups
records can also group by sets. A set such as ``{250.83|401.9}`` lists the distinct items in order.
The empty set is ``{}``. A missing value is the empty string. Within an item, a backslash is written
before each bar and each backslash.

For ordered data, each item is written with its position: ``{1:250.83|2:401.9}`` (paper 002,
Discussion). A missing item keeps its position. The number of positions is limited and public. Each
set depends on only one record, or only on the rows of one person.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from roadstead.errors import RoleError, SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.tables import engine, names
from roadstead.tables.failures import engine_errors
from roadstead.tables.reading import read
from roadstead.tables.source import Source
from roadstead.tables.stores.access import alongside
from roadstead.tables.stores.names import fresh
from roadstead.tables.text import MISSING, as_text
from roadstead.tables.transfer import stream

if TYPE_CHECKING:
    import ibis
    from ibis.expr import types as ir

NO_ITEMS = ("", "?")
"""The default strings of a cell without items."""

OPENING, SEPARATOR, CLOSING, ESCAPE = "{", "|", "}", "\\"
EMPTY = OPENING + CLOSING
KEY, TEXT = "key", "text"
_NUMBER = "^[+-]?[0-9]{1,200}([.][0-9]{0,100})?$"
"""A pattern for numbers that every engine reads as the same floating-point number."""
_ESCAPED_ITEM = re.compile(r"(?:[^\\|]|\\.)+", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True)
class ItemColumn:
    """One column that contains all items of a record: a list, or a string with delimiters.

    A null or an empty string is a missing value. A list without items is the empty set. If `name`
    equals `column`, the set replaces the column. `delimiter` separates the items of a string, and
    is None for a column of lists. `missing` contains strings that are not items. `longest` is the
    last position that is used, or None for items without positions. `single` indicates whether each
    string is one item, so that the sets of a person's records are combined later.
    """

    name: str
    column: str
    delimiter: str | None = None
    missing: tuple[str, ...] = NO_ITEMS
    longest: int | None = None
    single: bool = False


@dataclass(frozen=True)
class ItemColumns:
    """Several columns, in order, that contain one item each.

    A record without items has the empty set. The other fields have the same meaning as in
    `ItemColumn`.
    """

    name: str
    columns: tuple[str, ...]
    missing: tuple[str, ...] = NO_ITEMS
    longest: int | None = None


@dataclass(frozen=True)
class ItemTable:
    """A second table that has one row for each item of a person.

    If the second table does not contain the key of a record, the record has the empty set. `source`
    is a `Source`, or any data that `read` accepts. `key` and `code` are the columns of the second
    table that contain the person ID and the item. `own_key` is the column of the first table that
    contains the person ID. Both IDs are compared as text. `order` is the column of visit numbers or
    dates that ranks the rows of a person. Rows with equal values have the same position. `order` is
    None for items without positions. The other fields have the same meaning as in `ItemColumn`.
    """

    name: str
    source: Any
    key: str
    own_key: str
    code: str
    order: str | None = None
    missing: tuple[str, ...] = NO_ITEMS
    longest: int | None = None


ItemSet: TypeAlias = ItemColumn | ItemColumns | ItemTable


def with_item_sets(source: Source, sets: Sequence[ItemSet]) -> Source:
    """Add sets to a table. Each set becomes one column of text.

    The new columns are last. The result and `source` use the same engine, so closing either of them
    closes the other. If a second table is in another engine, only one set per person is copied to
    the engine of `source`. Raises RoleError if a column is missing, or if a set has the name of
    another column. Raises SettingError if a set has no column or no delimiter, if its length is
    below 1, or if it has an order but no length.
    """
    for one in sets:
        _check(one)
    _check_names(sets, source)
    table = source.table
    for one in sets:
        if isinstance(one, ItemTable):
            table = _joined(source, table, one)
    # All other sets are added in one step at the end, because a set may replace a column that
    # another set needs.
    texts = {
        one.name: _of_cells(source, table, one) for one in sets if not isinstance(one, ItemTable)
    }
    columns = (*source.columns, *(one.name for one in sets if not _takes_place(one)))
    joined = table.mutate(**texts).select(*columns)
    return replace(source, held=joined, columns=columns, _again=None)


def unmatched(source: Source, rows: ItemTable) -> int:
    """Count the keys of a second table that match no record. The form of these keys may differ."""
    names.require([rows.own_key], source.columns)
    with _opened(rows, source) as other:
        keys = other.table.select(**{KEY: as_text(other.table[rows.key])}).distinct()
        there = _brought(keys.filter(keys[KEY] != MISSING), other, source)
    own = source.table.select(**{KEY: as_text(source.table[rows.own_key])})
    with engine_errors(source.name):
        return int(there.anti_join(own, KEY).count().to_pyarrow().as_py())


def check_apart(sets: Iterable[ItemSet], attributes: Iterable[str]) -> None:
    """Check that no column is both an attribute and part of a set."""
    requested = set(attributes)
    for one in sets:
        for column in () if isinstance(one, ItemTable) else _columns_of(one):
            if column in requested and column != one.name:
                what = f"the column is both an attribute and a part of the set {quoted(one.name)}"
                fix = "use the column as an attribute or as part of the set, not both"
                raise RoleError(what, where=f"column {quoted(column)}", fix=fix)


def items_of(text: str) -> tuple[str, ...]:
    """Split the text of a set into items. A missing value has no items."""
    if not text or text == EMPTY:
        return ()
    if not (text.startswith(OPENING) and text.endswith(CLOSING)):
        raise SourceError(
            f"{quoted(text)} is not the text of a set",
            fix="create the column with the function `with_item_sets`",
        )
    inside = text[1:-1]
    if ESCAPE not in inside:
        return tuple(inside.split(SEPARATOR))
    return tuple(_ESCAPED.sub(r"\1", one) for one in _ESCAPED_ITEM.findall(inside))


def text_of(items: Iterable[str]) -> str:
    """Return the text of a set with these items, in the form that the engine writes."""
    doubled = (one.replace(ESCAPE, ESCAPE + ESCAPE) for one in items)
    escaped = {one.replace(SEPARATOR, ESCAPE + SEPARATOR) for one in doubled}
    return OPENING + SEPARATOR.join(sorted(escaped)) + CLOSING


def _columns_of(one: ItemColumn | ItemColumns) -> tuple[str, ...]:
    return (one.column,) if isinstance(one, ItemColumn) else one.columns


def _of_cells(source: Source, table: ibis.Table, one: ItemColumn | ItemColumns) -> ir.StringValue:
    """Build sets from columns, lists, or delimited strings. A missing value stays missing."""
    names.require(_columns_of(one), source.columns)
    if isinstance(one, ItemColumns):
        import ibis  # noqa: PLC0415 - heavy

        cells = ibis.array([as_text(table[column]) for column in one.columns])
        return set_of(cells, one.missing, one.longest)
    column = table[one.column]
    if column.type().is_unknown() and one.delimiter is None:
        column = column.cast("array<string>")  # Arrow cannot determine a type without values
    where = f"column {quoted(one.column)}"
    if column.type().is_array():
        if one.delimiter is not None:
            raise SettingError(
                "it already contains lists", where=where, fix="leave the delimiter out"
            )
        return set_of(column, one.missing, one.longest)
    if one.delimiter is None and one.single:
        import ibis  # noqa: PLC0415 - heavy

        return set_of(ibis.array([as_text(column)]), one.missing, one.longest)
    if one.delimiter is None:
        raise SettingError(
            "the column contains text, but no delimiter is given",
            where=where,
            fix=f"give {option('delimiter_in_sets')}, such as '|'; a column with one code per "
            "record is not a set",
        )
    text = as_text(column).nullif(MISSING)
    return set_of(text.split(one.delimiter), one.missing, one.longest)


def _joined(source: Source, table: ibis.Table, one: ItemTable) -> ibis.Table:
    """Add the sets of a second table to the records. The first table keeps all of its rows."""
    names.require([one.own_key], source.columns)
    with _opened(one, source) as other:
        sets = _brought(sets_by_key(other.table, one), other, source)
    kept = list(table.columns)
    key, text = (f"{part} of {one.name} in its table" for part in (KEY, TEXT))
    sets = sets.select(**{key: sets[KEY], text: sets[TEXT]})
    both = table.left_join(sets, as_text(table[one.own_key]) == sets[key])
    return both.select(*kept, both[text].fill_null(EMPTY).name(one.name))


@contextlib.contextmanager
def _opened(one: ItemTable, source: Source) -> Iterator[Source]:
    """Open the second table and check its columns. A table that was already open stays open."""
    other = one.source
    if not isinstance(other, Source):
        other = alongside(source, other) or read(other)
    try:
        requested = [one.key, one.code, *([] if one.order is None else [one.order])]
        try:
            names.require(requested, other.columns)
        except RoleError as error:
            where = f"{other.name}, {error.where}"
            raise RoleError(error.what, where=where, fix=error.fix) from None
        yield other
    finally:
        if other is not one.source:
            other.close()


def _brought(result: ibis.Table, other: Source, source: Source) -> ibis.Table:
    """Copy the result of a query to the engine of `source`, unless the query already runs there."""
    backend = source.table.get_backend()
    if other.table.get_backend() is backend:
        return result
    if not engine.is_embedded(source.table):
        raise SourceError(
            f"sets cannot be joined to a table in {backend.name}, because the database is "
            "read-only",
            where=other.name,
            fix=(
                "copy the table to the database of the first table, or make a view there with an "
                "array column of the items"
            ),
        )
    with engine_errors(other.name):
        return engine.keep_rows(backend, fresh("sets"), stream(result))


def _check(one: ItemSet) -> None:
    where = f"set {quoted(one.name)}"
    if one.longest is not None and one.longest < 1:
        raise SettingError(
            f"{one.longest} is not a valid number of positions in a sequence",
            where=where,
            fix="give at least 1",
        )
    match one:
        case ItemColumn(delimiter=""):
            what, fix = "the delimiter is empty", "give the character between the items"
        case ItemColumns(columns=()):
            what, fix = "no column is named", "list the columns that contain the items of the set"
        case ItemColumns(columns=columns) if len(set(columns)) < len(columns):
            what, fix = "a column is named twice", "name each column once"
        case ItemTable(order=order, longest=longest) if (order is None) != (longest is None):
            what = "an order and the number of positions must be given together"
            fix = "give both, or neither"
        case _:
            return
    raise SettingError(what, where=where, fix=fix)


def _check_names(sets: Sequence[ItemSet], source: Source) -> None:
    replaced = {one.name for one in sets if _takes_place(one)}
    taken = {column.casefold() for column in source.columns if column not in replaced}
    for one in sets:
        if not one.name.strip():
            raise RoleError("a set has no name", fix="give it a name")
        if one.name.casefold() in taken:
            what = "another column or set already has this name"
            raise RoleError(what, where=f"set {quoted(one.name)}", fix="give the set another name")
        taken.add(one.name.casefold())


def _takes_place(one: ItemSet) -> bool:
    return isinstance(one, ItemColumn) and one.name == one.column


def item(value: ir.Value, missing: Sequence[str]) -> ir.StringValue:
    """Return a value as a stripped and escaped item, or null if the value is missing."""
    text = as_text(value).strip()
    for marker in sorted({MISSING, *missing}):
        text = text.nullif(marker)
    return text.replace(ESCAPE, ESCAPE + ESCAPE).replace(SEPARATOR, ESCAPE + SEPARATOR)


def set_of(values: ir.ArrayValue, missing: Sequence[str], longest: int | None) -> ir.StringValue:
    """Return the text of a set with the items of a list, or null if the list is null.

    If `longest` is a number, each item gets its position, and items after the position `longest`
    are dropped.
    """
    import ibis  # noqa: PLC0415 - heavy

    if longest is None:
        items = values.map(lambda value: item(value, missing))
    else:
        items = values[:longest].map(
            lambda value, at: (at + 1).cast("string") + ":" + item(value, missing)
        )
    text = _text(items.filter(lambda one: one.notnull()))
    # In PostgreSQL, an empty result of this filter is null.
    return ibis.ifelse(values.isnull(), ibis.null("string"), text.fill_null(EMPTY))


def _text(items: ir.ArrayValue) -> ir.StringValue:
    return OPENING + items.unique().sort().join(SEPARATOR) + CLOSING


def sets_by_key(table: ibis.Table, one: ItemTable) -> ibis.Table:
    """Combine the rows of each key into the text of a set. Without items, the result is null.

    If there is an order, the position of an item is the rank of its row among the rows with the
    same key. Rows with equal values of the order have the same rank. The result has the columns
    ``key`` and ``text``, and one row per key.
    """
    import ibis  # noqa: PLC0415 - heavy

    ranks = {} if one.order is None else _ranking(table[one.order])
    code = item(table[one.code], one.missing)
    rows = table.select(**{KEY: as_text(table[one.key]), "item": code}, **ranks)
    if ranks:
        window = ibis.window(group_by=KEY, order_by=[rows[name] for name in ranks])
        position = ibis.dense_rank().over(window) + 1
        rows = rows.mutate(position=position)
        rows = rows.filter(rows.position <= one.longest)
        rows = rows.mutate(item=rows.position.cast("string") + ":" + rows.item)
    rows = rows.filter(rows[KEY] != MISSING)
    gathered = rows.group_by(KEY).aggregate(items=rows.item.collect())
    return gathered.select(KEY, **{TEXT: _text(gathered["items"])})


def _ranking(order: ir.Column) -> dict[str, ir.Value]:
    """Return the columns that rank the rows. Rows with a missing order share the last rank.

    Numbers come before other strings, such as ISO dates, which are ranked as text. A number
    consists of digits and possibly a sign and a decimal point. Other forms do not count as numbers,
    because engines read them differently. Each string is classified separately. If all strings were
    classified together, one row could change the order of all other rows.
    """
    import ibis  # noqa: PLC0415 - heavy

    if not order.type().is_string():
        return {"rank_1": order.isnull(), "rank_2": order}
    text = as_text(order).strip()
    number = ibis.ifelse(text.re_search(_NUMBER), text, ibis.null("string")).cast("float64")
    return {
        "rank_1": text == MISSING,
        "rank_2": number.isnull(),
        "rank_3": number,
        "rank_4": ibis.ifelse(number.isnull(), text, MISSING),
    }
