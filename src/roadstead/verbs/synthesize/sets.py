"""Read the descriptions of set-valued attributes, and determine the privacy unit of a release."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.release.private.units import PrivacyUnit
from roadstead.requests.checks import wrong
from roadstead.tables.addresses import locate
from roadstead.tables.failures import engine_errors
from roadstead.tables.item_sets import NO_ITEMS, ItemColumn, ItemColumns, ItemSet, ItemTable
from roadstead.tables.locations import CdmLocation, DatabaseLocation, FileLocation
from roadstead.tables.reading import read_privately
from roadstead.tables.source import Source
from roadstead.tables.stores.access import alongside
from roadstead.tables.text import MISSING, as_text
from roadstead.verbs.synthesize.persons import PersonRecords

if TYPE_CHECKING:
    import ibis

    from roadstead.verbs.synthesize.request import PublicDomains

SetDescription: TypeAlias = ItemSet | Mapping[str, Any]
"""A set that a user gives as an object or as a mapping of settings."""

_KEYS = {
    "column": ("column", "delimiter", "missing", "longest"),
    "columns": ("columns", "missing", "longest"),
    "file": ("file", "key", "own_key", "code", "order", "missing", "longest"),
}
"""The allowed settings for each kind of set."""


def item_sets(described: Mapping[str, SetDescription]) -> tuple[ItemSet, ...]:
    """Convert descriptions to item sets."""
    return tuple(_made(name, spec) for name, spec in described.items())


def sets_of(request: PublicDomains) -> tuple[ItemSet, ...]:
    """Return the sets that a request describes."""
    described = dict(request.sets or {})
    if request.delimiter_in_sets is not None:
        # This excludes the sets in a project file, because each has its own delimiter between
        # items.
        origin = request.origin
        own = described if origin.project.path is None else origin.given.get("sets") or {}
        texts = [
            name
            for name, one in own.items()
            if isinstance(one, Mapping) and not {"columns", "file"} & {*one}
        ]
        if not texts:
            raise wrong(
                "delimiter_in_sets",
                "this setting is for sets in a single column, but no such set is given",
                f"use {option('sets')} to name such a set, or leave this setting out",
            )
        for name in texts:
            described[name] = {"delimiter": request.delimiter_in_sets, **described[name]}
    made = {one.name: one for one in item_sets(described)}
    for name in request.sequences or ():
        made[name] = _in_order(name, made.get(name), request.longest)
    for name, one in made.items():
        if isinstance(one, ItemTable) and one.order is not None and one.longest is None:
            add = f"add {option('sequences', name)} {option('longest', 'N')}"
            raise wrong(
                "sets",
                f"the items of {quoted(name)} have an order, but the largest number of items is "
                "not given",
                add,
            )
    if request.longest is not None and not request.sequences:
        raise wrong("longest", "no sequence is named", f"use {option('sequences')} to name a set")
    return tuple(made.values())


def _in_order(name: str, one: ItemSet | None, longest: int | None) -> ItemSet:
    """Return a set with ordered items. `longest` is the maximum number of items."""
    positions = longest if longest is not None or one is None else one.longest
    if one is None:
        what, fix = f"{quoted(name)} is not a set", f"name it with {option('sets', name)}"
    elif positions is None:
        what = f"the largest number of items in {quoted(name)} is not given"
        fix = f"give {option('longest', 'N')}, and do not derive this number from the table"
    elif isinstance(one, ItemTable) and one.order is None:
        what = f"the table of {quoted(name)} has no column for the order"
        fix = f"write {option('sets', {name: 'DATA:KEY:CODE:ORDER'})}"
    else:
        return replace(one, longest=positions)
    raise wrong("sequences", what, fix)


def columns_of_sets(sets: Sequence[ItemSet]) -> tuple[str, ...]:
    """Return the columns in the first table from which sets are built."""
    found: list[str] = []
    for one in sets:
        match one:
            case ItemColumn(column=column):
                found.append(column)
            case ItemColumns(columns=columns):
                found += columns
            case ItemTable():
                pass
    return tuple(found)


def unit_of(sets: Sequence[ItemSet], persons: PersonRecords | None = None) -> PrivacyUnit:
    """Return the privacy unit, which is the unit whose presence the release hides."""
    others = tuple(_called(one) for one in sets if isinstance(one, ItemTable))
    if persons is None:
        return PrivacyUnit(others=others)
    return PrivacyUnit("persons", persons.rows, others)


@contextlib.contextmanager
def opened_sets(sets: Sequence[ItemSet], source: Source) -> Iterator[tuple[ItemSet, ...]]:
    """Open the second tables once for all counts, and close them at the end of the context.

    If a second table is in the same database as `source`, it is opened with the same connection so
    that the database can join the tables. A table that was already open stays open.
    """
    with contextlib.ExitStack() as stack:
        yield tuple(
            replace(
                one,
                source=alongside(source, one.source)
                or stack.enter_context(read_privately(one.source)),
            )
            if isinstance(one, ItemTable) and not isinstance(one.source, Source)
            else one
            for one in sets
        )


def keys_of_several(source: Source, one: ItemTable, person: str) -> int:
    """Count the keys in a second table that occur in the rows of several people.

    The rows with such a key belong to several people, and remain if one of these people is removed.
    """
    rows = source.table.select(
        key=as_text(source.table[one.own_key]), person=as_text(source.table[person])
    )
    owners = rows.filter(rows["key"] != MISSING).distinct().group_by("key")
    several = owners.aggregate(persons=lambda rows: rows.count())
    with engine_errors(source.name):
        return int(several.filter(several["persons"] > 1).count().to_pyarrow().as_py() or 0)


def sharing_keys(source: Source, one: ItemTable) -> int:
    """Count the records that share a key in a second table with another record.

    Records with the same key usually belong to one person. If only records are protected, such a
    person is less protected.
    """
    return _of_times(
        source, one.own_key, lambda times: times.filter(times["records"] > 1)["records"].sum()
    )


def most_alike(source: Source, column: str) -> int:
    """Count the records with the most frequent value in a column, ignoring missing values.

    If the column identifies people, the result is the largest number of records of a person.
    """
    return _of_times(source, column, lambda times: times["records"].max())


def _of_times(source: Source, column: str, figure: Callable[[ibis.Table], ibis.Value]) -> int:
    """Count the `records` with each value, and compute a figure from the counts (0 if none)."""
    values = source.table.select(value=as_text(source.table[column]))
    known = values.filter(values["value"] != MISSING)
    times = known.group_by("value").aggregate(records=known.count())
    with engine_errors(source.name):
        return int(figure(times).to_pyarrow().as_py() or 0)


def _called(one: ItemTable) -> str:
    """Return a name for a second table that does not reveal where the table is stored."""
    match locate(one.source) if isinstance(one.source, str | Path) else one.source:
        case Source(name=name) | CdmLocation(name=name):
            return name
        case FileLocation(path=path):
            return path.name
        case DatabaseLocation(table=table):
            return str(table)
        case _:
            return "the second table"


def _made(name: str, spec: SetDescription) -> ItemSet:
    if isinstance(spec, ItemColumn | ItemColumns | ItemTable):
        return spec
    where = f"set {quoted(name)}"
    stated: object = spec
    if not isinstance(stated, Mapping):
        fix = 'write, for example, {"column": "codes", "delimiter": "|"}'
        raise SettingError(f"{quoted(repr(stated))} does not describe a set", where=where, fix=fix)
    given = {key: value for key, value in spec.items() if value is not None}
    kind = next((one for one in ("columns", "file") if one in given), "column")
    for key in given:
        if key not in _KEYS[kind]:
            known = ", ".join(_KEYS[kind])
            raise SettingError(
                f"{key!r} cannot be combined with {kind!r}", where=where, fix=f"use {known}"
            )
    given["missing"] = tuple(given.get("missing", NO_ITEMS))
    if kind == "column":
        return ItemColumn(name, **{"column": name, **given})
    if kind == "columns":
        return ItemColumns(name, **{**given, "columns": tuple(given["columns"])})
    for key in ("key", "code"):
        if key not in given:
            raise SettingError(f"no {key} is named", where=where, fix="name its column")
    own = given.pop("own_key", given["key"])
    return ItemTable(name, given.pop("file"), own_key=own, **given)
