"""Set-valued attributes: a column that holds all the items of a record, such as its diagnoses.

Items come in several forms: a list in one column, a text with delimiters, a column an item, or a
second table with a row an item. Each form becomes one column of text in the engine, as
:mod:`roadstead.tables.item_expressions` writes it, so that everything that groups records can group
by sets too; `items_of` takes a text apart again, once for each distinct set.

For ordered data the items become pairs with their position (paper 002, Discussion). How many
positions count is a public number: what comes later in a record is dropped.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from roadstead.errors import RoleError, SettingError, SourceError, quoted
from roadstead.front_end import option
from roadstead.tables import engine, names
from roadstead.tables.batches import stream
from roadstead.tables.failures import engine_errors
from roadstead.tables.item_expressions import (
    CLOSING,
    EMPTY,
    ESCAPE,
    KEY,
    OPENING,
    SEPARATOR,
    TEXT,
    set_of,
    sets_by_key,
)
from roadstead.tables.reading import read
from roadstead.tables.source import Source
from roadstead.tables.stores.access import alongside
from roadstead.tables.stores.names import fresh
from roadstead.tables.text import MISSING, as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import ibis
    from ibis.expr import types as ir

NO_ITEMS = ("", "?")
"""What stands in a cell that holds no item, unless told otherwise."""

_ESCAPED_ITEM = re.compile(r"(?:[^\\|]|\\.)+", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True)
class ItemColumn:
    """One column that holds all items of a record: a list, or a text with delimiters.

    A null or an empty text is a missing value, a list without items the empty set.

    Attributes
    ----------
    name
        What the set is called. If that is the column's own name, it takes the column's place.
    column
        The column.
    delimiter
        What stands between the items of a text; None for a column of lists.
    missing
        Texts that are no items.
    longest
        None for the items alone. For pairs with their position: how many positions count.
    """

    name: str
    column: str
    delimiter: str | None = None
    missing: tuple[str, ...] = NO_ITEMS
    longest: int | None = None


@dataclass(frozen=True)
class ItemColumns:
    """Several columns that hold one item each.

    A record without any has the empty set.

    Attributes
    ----------
    name
        What the set is called.
    columns
        The columns, in their order.
    missing
        Texts that are no items.
    longest
        None for the items alone. For pairs with their position: how many positions count.
    """

    name: str
    columns: tuple[str, ...]
    missing: tuple[str, ...] = NO_ITEMS
    longest: int | None = None


@dataclass(frozen=True)
class ItemTable:
    """A second table that has one row for each item of a person.

    A record whose key has no row there has the empty set. Two records of one key both have its
    set.

    Attributes
    ----------
    name
        What the set is called.
    source
        The second table: a `Source`, or whatever `read` takes.
    key, code
        Its columns: whose row it is, and the item.
    own_key
        The column of the first table that `key` is compared with, as text.
    order
        The column, of visit numbers or dates, that ranks the rows of a person; equal ones share a
        position. None for the items alone.
    missing
        Texts that are no items.
    longest
        With an order, how many positions count.
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
    """Add sets to a table, each as one column of text.

    Parameters
    ----------
    source
        The first table, with one record a row.
    sets
        The sets, in the order requested.

    Returns
    -------
    Source
        The same records with the new columns last. It shares the engine of `source`: closing one
        closes the other. A second table that lies elsewhere is gathered there, person by person,
        and its sets, not its rows, are copied to the engine of `source`; one that is named by an
        address in the same database is gathered by the same connection, and nothing is copied.

    Raises
    ------
    RoleError
        A column is not there, or the name of a set is that of another column.
    SettingError
        A set that cannot be: no column, no delimiter, a length below 1, an order without a length.
    SourceError
        A second table cannot be read.
    """
    for one in sets:
        _check(one)
    added = [one.name for one in sets if not _takes_place(one)]
    _check_names(sets, source)
    table = source.table
    for one in sets:
        if isinstance(one, ItemTable):
            table = _joined(source, table, one)
    # Afterwards, and all at once: a set may take the place of a column that another is made of.
    texts = {
        one.name: _of_column(source, table, one)
        if isinstance(one, ItemColumn)
        else _of_columns(source, table, one)
        for one in sets
        if not isinstance(one, ItemTable)
    }
    columns = (*source.columns, *added)
    joined = table.mutate(**texts).select(*columns)
    return replace(source, held=joined, columns=columns, _again=None)


def unmatched(source: Source, rows: ItemTable) -> int:
    """Count the keys of a second table that no record of the first has.

    Their rows are of nobody and are ignored. Many of them are a sign that the keys are written
    differently in the two tables.

    Raises RoleError or SourceError: as `with_item_sets`.
    """
    names.require([rows.own_key], source.columns)
    with _opened(rows, source) as other:
        keys = other.table.select(**{KEY: as_text(other.table[rows.key])}).distinct()
        there = _brought(keys.filter(keys[KEY] != MISSING), other, source)
    own = source.table.select(**{KEY: as_text(source.table[rows.own_key])})
    with engine_errors(source.name):
        return int(there.anti_join(own, KEY).count().to_pyarrow().as_py())


def check_apart(sets: Iterable[ItemSet], attributes: Iterable[str]) -> None:
    """Prove that no column is both an attribute and part of a set.

    Raises RoleError: one is.
    """
    requested = set(attributes)
    for one in sets:
        for column in _parts(one):
            if column in requested and column != one.name:
                raise RoleError(
                    f"is an attribute and also part of the set {quoted(one.name)}",
                    where=f"column {quoted(column)}",
                    fix="take it out of one of them",
                )


def items_of(text: str) -> tuple[str, ...]:
    """Take the text of a set apart into its items; a missing value has none.

    Raises SourceError: it is not the text of a set.
    """
    if not text or text == EMPTY:
        return ()
    if not (text.startswith(OPENING) and text.endswith(CLOSING)):
        raise SourceError(
            f"{quoted(text)} is not the text of a set",
            fix="make the column with with_item_sets",
        )
    inside = text[1:-1]
    if ESCAPE not in inside:
        return tuple(inside.split(SEPARATOR))
    return tuple(_ESCAPED.sub(r"\1", one) for one in _ESCAPED_ITEM.findall(inside))


def text_of(items: Iterable[str]) -> str:
    """Write items as the text of their set, as the engine does."""
    doubled = (one.replace(ESCAPE, ESCAPE + ESCAPE) for one in items)
    escaped = {one.replace(SEPARATOR, ESCAPE + SEPARATOR) for one in doubled}
    return OPENING + SEPARATOR.join(sorted(escaped)) + CLOSING


def _of_column(source: Source, table: ibis.Table, one: ItemColumn) -> ir.StringValue:
    """Make sets of lists or of delimited texts; a missing value stays missing."""
    names.require([one.column], source.columns)
    column = table[one.column]
    if column.type().is_unknown() and one.delimiter is None:
        column = column.cast("array<string>")  # Arrow knows no type where there is no value at all
    where = f"column {quoted(one.column)}"
    if column.type().is_array():
        if one.delimiter is not None:
            raise SettingError("holds lists already", where=where, fix="leave the delimiter out")
        return set_of(column, one.missing, one.longest)
    if one.delimiter is None:
        raise SettingError(
            "holds texts, and no delimiter is given",
            where=where,
            fix=f"give {option('delimiter_in_sets')}, such as '|'; a column of one code each is "
            "no set",
        )
    text = as_text(column).nullif(MISSING)
    return set_of(text.split(one.delimiter), one.missing, one.longest)


def _of_columns(source: Source, table: ibis.Table, one: ItemColumns) -> ir.StringValue:
    import ibis  # noqa: PLC0415 - heavy

    names.require(one.columns, source.columns)
    cells = ibis.array([as_text(table[column]) for column in one.columns])
    return set_of(cells, one.missing, one.longest)


def _joined(source: Source, table: ibis.Table, one: ItemTable) -> ibis.Table:
    """Put the sets of a second table next to the records; the first table keeps its rows."""
    names.require([one.own_key], source.columns)
    with _opened(one, source) as other:
        sets = _brought(
            sets_by_key(other.table, one.key, one.code, one.order, one.missing, one.longest),
            other,
            source,
        )
    kept = list(table.columns)
    key, text = (f"{part} of {one.name} in its table" for part in (KEY, TEXT))
    sets = sets.select(**{key: sets[KEY], text: sets[TEXT]})
    both = table.left_join(sets, as_text(table[one.own_key]) == sets[key])
    return both.select(*kept, both[text].fill_null(EMPTY).name(one.name))


@contextlib.contextmanager
def _opened(one: ItemTable, source: Source) -> Iterator[Source]:
    """Open the second table and prove that it has its columns; close it if it was not open."""
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
    """Make the result of a query to one engine a table of another, unless they are the same.

    A database is only read, so nothing can be brought there.
    """
    backend = source.table.get_backend()
    if other.table.get_backend() is backend:
        return result
    if not engine.is_embedded(source.table):
        raise SourceError(
            f"sets cannot be brought to a table in {backend.name}, which is only read",
            where=other.name,
            fix="copy it to the database of the first table, or make a view there with a column "
            "that is an array of the items",
        )
    with engine_errors(other.name):
        return engine.keep_rows(backend, fresh("sets"), stream(result))


def _check(one: ItemSet) -> None:
    """Prove that a set is described in full."""
    where = f"set {quoted(one.name)}"
    if one.longest is not None and one.longest < 1:
        raise SettingError(
            f"a sequence cannot have {one.longest} positions", where=where, fix="give at least 1"
        )
    match one:
        case ItemColumn(delimiter=""):
            raise SettingError(
                "the delimiter is empty", where=where, fix="say what stands between the items"
            )
        case ItemColumns(columns=columns) if len(set(columns)) < max(len(columns), 1):
            raise SettingError(
                "a column is named twice" if columns else "no column is named",
                where=where,
                fix="name each column once" if columns else "name the columns that hold its items",
            )
        case ItemTable(order=order, longest=longest) if (order is None) != (longest is None):
            raise SettingError(
                "an order and the number of positions that count go together",
                where=where,
                fix="give both, or neither",
            )
        case _:
            pass


def _check_names(sets: Sequence[ItemSet], source: Source) -> None:
    """Prove that each set can be told from the other columns and sets."""
    replaced = {one.name for one in sets if _takes_place(one)}
    taken = {column.casefold() for column in source.columns if column not in replaced}
    for one in sets:
        if not one.name.strip():
            raise RoleError("a set has no name", fix="give it one")
        if one.name.casefold() in taken:
            raise RoleError(
                "the name is that of another column or set",
                where=f"set {quoted(one.name)}",
                fix="call the set otherwise",
            )
        taken.add(one.name.casefold())


def _takes_place(one: ItemSet) -> bool:
    return isinstance(one, ItemColumn) and one.name == one.column


def _parts(one: ItemSet) -> tuple[str, ...]:
    """Name the columns of the first table whose cells a set is made of."""
    match one:
        case ItemColumn():
            return (one.column,)
        case ItemColumns():
            return one.columns
        case ItemTable():
            return ()
