"""Provide checks of stores for the tests of packages that add a store.

Each check creates tables in a `Place`. A failed check raises an AssertionError that names the
violated requirement. With pytest::

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_the_store_keeps(check, place):
        check(place)

Each check creates its own tables, so checks can run in any order.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeAlias

from roadstead.errors import OutputError, RoadsteadError, SourceError
from roadstead.tables.content import content_digest
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read
from roadstead.tables.source import Engine
from roadstead.tables.stores.access import alongside, sink, workbench
from roadstead.tables.stores.store import by_backend

if TYPE_CHECKING:
    from collections.abc import Iterator

    import ibis

    from roadstead.tables.source import Source
    from roadstead.tables.stores.staged import Sink

Columns: TypeAlias = Mapping[str, Sequence[str | None]]
"""A table that maps column names to text values; None represents a null."""

PEOPLE: Columns = {
    "sex": ["F", "M", "F", "M", "F", None, "F"],
    "zip": ["02139", "02139", "02139", "", "02139", "1e5", "02139"],
    "note": ['says "no"', "a,b", "it's", "back\\slash", "line\nbreak", "ünï☃", None],
}
"""Fictitious people. The table has numeric codes, nulls, empty strings, and special characters."""

HOSTILE_NAMES = ('a "b"', "c.d", "e'f", "--G", "ü", "SELECT", " h", "i;j", "k%l{m}")
"""Column names that must be quoted in database statements."""


class Place(Protocol):
    """A database in which the tests of a store can create tables."""

    @property
    def names(self) -> Sequence[str]:
        """Return the `HOSTILE_NAMES` that the database accepts as column names."""

    def load(self, table: str, columns: Columns) -> str:
        """Create or replace a table of text values, and return the address of the table."""

    def address(self, table: str) -> str:
        """Return the address of a table, whether or not the table exists."""

    def tables(self) -> Sequence[str]:
        """List all existing tables, including hidden ones."""


Check: TypeAlias = Callable[[Place], None]


def classes_are_counted_alike(place: Place) -> None:
    """Check that the store and the private engine find the same classes with the same sizes."""
    with _read_alike(place, "people", PEOPLE) as (there, here):
        for quasi in (("sex", "zip"), ("note",)):
            one, other = summarize(there, quasi), summarize(here, quasi)
            _require(one.domains == other.domains, f"the values of {quasi} are the same")
            same = all((a == b).all() for a, b in zip(one.codes, other.codes, strict=True))
            _require(
                same and (one.counts == other.counts).all(), f"classes of {quasi} are the same"
            )


def hostile_names_are_names(place: Place) -> None:
    """Check that the store treats names and values as data, even if they look like code."""
    columns = {name: [name, None, "'; DROP TABLE people; --"] for name in place.names}
    with _read_alike(place, "people", columns) as (there, _):
        for name in place.names:
            _require(summarize(there, (name,)).distinct == 3, f"{name!r} is counted")  # noqa: PLR2004 - as above


def a_missing_table_is_named(place: Place) -> None:
    """Check that a missing table raises an error that names the table but not the address."""
    place.load("people", PEOPLE)
    try:
        with read(place.address("peolpe")):
            pass
    except SourceError as error:
        _require("peolpe" in error.message, "the error names the table")
        _require(
            place.address("peolpe") not in error.message, "the error does not contain the address"
        )
    else:
        raise AssertionError("a table that does not exist was read")


def a_second_table_is_read_alongside(place: Place) -> None:
    """Check that the connection of a table can also open a second table in the same database.

    Tables that are copied when they are opened do not share a connection.
    """
    place.load("people", PEOPLE)
    other = place.load("others", {"sex": ["F"]})
    with read(place.address("people")) as source:
        found = alongside(source, other)
        if (
            isinstance(source.format, Engine)
            and by_backend(source.format.backend).workbench is None
        ):
            _require(found is None, "the second table is opened separately")
            return
        _require(found is not None, "the second table is in the same database")
        assert found is not None
        _require(found.columns == ("sex",), "the second table has its columns")
        _require(
            found.table.get_backend() is source.table.get_backend(), "one connection reads both"
        )


def a_workbench_leaves_nothing(place: Place) -> None:
    """Check that a workbench can store and query data, and removes the data when it is closed."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    place.load("people", PEOPLE)
    before = sorted(place.tables())
    with read(place.address("people")) as source:
        with workbench(source) as bench:
            kept = bench.keep(bench.table.group_by("sex").aggregate(n=bench.table.count()))
            found = sorted(row["n"] for row in kept.to_pyarrow().to_pylist())
            _require(found == [1, 2, 4], "the kept rows are the same as the computed rows")
            small = bench.small(pa.table({"label": pa.array(["F", "x"], pa.string())}))
            joined = bench.table.join(small, bench.table["sex"] == small["label"])
            _require(joined.count().to_pyarrow().as_py() == 4, "a small table can be joined")  # noqa: PLR2004 - of PEOPLE
            bench.drop(kept)
        _require(sorted(place.tables()) == before, "no temporary tables are left in the database")


def a_release_is_read_back(place: Place) -> None:
    """Check that a staged table contains the released rows, under a temporary name."""
    place.load("people", PEOPLE)
    with _released(place, "release", force=False) as (rows, made):
        staged = made.stage(rows)
        _require("release" not in place.tables(), "a staged table does not have its final name")
        _require(
            content_digest(staged) == _digest(PEOPLE),
            "the staged rows are the same as the released rows",
        )
        made.publish()
    _require_release(place)


def a_table_that_exists_is_refused(place: Place) -> None:
    """Check that tables are replaced only with permission, and that the source is not replaced."""
    place.load("people", PEOPLE)
    place.load("release", {"x": ["former"]})
    before = sorted(place.tables())
    for table, force in (("release", False), ("people", True)):
        try:
            with _released(place, table, force=force):
                raise AssertionError(f"{table} would be replaced")
        except OutputError:
            _require(sorted(place.tables()) == before, "a refusal leaves no table behind")
    _require_former(place)


def a_table_is_replaced_on_demand(place: Place) -> None:
    """Check that the release replaces an existing table if replacement is permitted."""
    place.load("people", PEOPLE)
    place.load("release", {"x": ["former"]})
    with _released(place, "release", force=True) as (rows, made):
        made.stage(rows)
        made.publish()
    _require_release(place)


def a_failure_leaves_nothing(place: Place) -> None:
    """Check that a failure after staging removes the staged table, and keeps an earlier table."""
    place.load("people", PEOPLE)
    place.load("release", {"x": ["former"]})
    before = sorted(place.tables())
    released = partial(_released, place, "release", force=True)
    with contextlib.suppress(ZeroDivisionError), released() as (rows, made):
        made.stage(rows)
        raise ZeroDivisionError
    _require(sorted(place.tables()) == before, "a staged table is removed")
    with contextlib.suppress(RoadsteadError), released() as (rows, made):
        made.stage(rows.mutate(broken=rows["note"].cast("int64")))
        raise AssertionError("a failed query was written")
    _require(sorted(place.tables()) == before, "a partly written table is removed")
    _require_former(place)


def a_published_table_is_withdrawn(place: Place) -> None:
    """Check that a published table can be removed if another part of the release fails."""
    place.load("people", PEOPLE)
    with _released(place, "release", force=False) as (rows, made):
        made.stage(rows)
        made.publish()
        made.withdraw()
    _require(sorted(place.tables()) == ["people"], "the table is gone")


CHECKS: tuple[Check, ...] = (
    classes_are_counted_alike,
    hostile_names_are_names,
    a_missing_table_is_named,
    a_second_table_is_read_alongside,
    a_workbench_leaves_nothing,
    a_release_is_read_back,
    a_table_that_exists_is_refused,
    a_table_is_replaced_on_demand,
    a_failure_leaves_nothing,
    a_published_table_is_withdrawn,
)
"""All checks for stores."""


@contextlib.contextmanager
def _released(place: Place, table: str, *, force: bool) -> Iterator[tuple[ibis.Table, Sink]]:
    """Return released rows of the table ``people``, and a sink that stores these rows."""
    with read(place.address("people")) as source:
        unopened = sink(place.address(table), source, force=force)
        with workbench(source) as bench, unopened as made:
            yield bench.table, made


@contextlib.contextmanager
def _read_alike(place: Place, table: str, columns: Columns) -> Iterator[tuple[Source, Source]]:
    """Open the same columns in the store and in the private engine, and compare the content."""
    with read(place.load(table, columns)) as there, read(dict(columns)) as here:
        _require(tuple(there.columns) == tuple(columns), "the columns match the table")
        digests = content_digest(there.table), content_digest(here.table)
        _require(digests[0] == digests[1], "the content has the same digest")
        yield there, here


def _require_release(place: Place) -> None:
    with read(place.address("release")) as found:
        _require(
            content_digest(found.table) == _digest(PEOPLE), "the table contains the released rows"
        )
    _require(sorted(place.tables()) == ["people", "release"], "no other table is left")


def _require_former(place: Place) -> None:
    with read(place.address("release")) as former:
        _require(former.columns == ("x",), "the former table is unchanged")


def _digest(columns: Columns) -> str:
    with read(dict(columns)) as source:
        return content_digest(source.table)


def _require(kept: object, what: str) -> None:
    if not kept:
        raise AssertionError(f"not kept: {what}")
