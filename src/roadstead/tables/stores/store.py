"""What a store declares: a kind of database that tables are read from and released to.

A `Store` is a value of names and functions. Whoever adds one starts from that of any database of
Ibis (`dataclasses.replace` of ``roadstead.tables.stores.other.store.STORE``) and gives what it does
better. What a release asks of it is tested by `roadstead.testing.stores`.

A *workbench* is a place in the source's own engine. Small tables of labels and classes are brought
to it, expressions are worked out on it, and what it keeps goes away with it. Records never leave
the engine for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

    from roadstead.tables.locations import DatabaseLocation
    from roadstead.tables.source import Source
    from roadstead.tables.stores.address import Address, AddressForm
    from roadstead.tables.stores.staged import Sink

Explanation: TypeAlias = tuple[str, str]
"""What went wrong, and the fix; without a word of the driver, which may quote data."""


@dataclass(frozen=True)
class Connection:
    """A table of a database, and what ends the connection to it.

    `table`: the table. `backend`: the kind of database, by Ibis's name for it. `close`: ends the
    connection; to call it twice is harmless.
    """

    table: ibis.Table
    backend: str
    close: Callable[[], None]


class Workbench(Protocol):
    """A place alongside a source, in its engine.

    It reads the source as it was when it was opened, where the engine can promise that. Closing it
    twice is harmless.
    """

    @property
    def table(self) -> ibis.Table:
        """The source's table, for expressions of this workbench."""
        ...

    def small(self, columns: pa.Table) -> ibis.Table:
        """Bring a small table to the engine: of labels, codes or counts, never of records.

        Its columns are of text, whole or floating-point numbers, some of them null.
        """
        ...

    def keep(self, expression: ibis.Table) -> ibis.Table:
        """Work an expression out once, and keep its rows in the engine where nobody else sees them.

        Raises SourceError, OutputError: the engine cannot work it out, has no room for it, or does
        not let this user keep tables.
        """
        ...

    def drop(self, kept: ibis.Table) -> None:
        """Forget a table that was kept."""
        ...

    def close(self) -> None:
        """Forget everything that was kept."""
        ...


def _unexplained(_error: Exception) -> None:
    """Leave it to the next store, and at last to a general message."""


@dataclass(frozen=True)
class Explanations:
    """What the errors of a store's driver mean; None of each error that is not known.

    `opening`, `reading`, `writing`: when a table is opened, queried and made. `is_cancelled`:
    whether an error says that a query was cancelled.
    """

    opening: Callable[[Exception], Explanation | None] = _unexplained
    reading: Callable[[Exception], Explanation | None] = _unexplained
    writing: Callable[[Exception], Explanation | None] = _unexplained
    is_cancelled: Callable[[Exception], bool] = bool


@dataclass(frozen=True)
class Store:
    """A kind of database.

    Attributes
    ----------
    backend
        Ibis's name for it; empty for the store of all that no other store claims.
    label
        What people call it.
    forms
        How its addresses are written, by the scheme that they begin with.
    drivers
        The packages whose exceptions are its own.
    locate
        Reads an address.
    open
        Opens the table at a location, given how much memory an engine in this process may use.
    table
        Gives a second table of an open backend.
    sink
        Opens a place for one new table: its location, the source that the rows are made of, and
        whether a table of this name may be replaced.
    list_tables
        Lists the tables of an open backend, a schema and a catalog, both of which may be None.
    instants
        Names the columns of instants that have no zone.
    adopt
        Takes over a table that a user opened with Ibis.
    workbench
        Opens a workbench for a table, and a name for messages; None if its rows have to be brought
        to the private engine for that.
    digest
        Counts the rows of a query with one column of texts and adds up their digests, as
        `roadstead.tables.content` has it; None if the rows have to be brought.
    cancel
        Ends the queries that run in an open backend, from another thread.
    frames, open_frame
        The package of data frames that are tables of it, and what opens one.
    explain
        What its errors mean.
    """

    backend: str
    label: str
    forms: Mapping[str, AddressForm]
    drivers: frozenset[str]
    locate: Callable[[Address], DatabaseLocation]
    open: Callable[[Any, str], Connection]
    table: Callable[[Any, Any], ibis.Table]
    sink: Callable[[Any, Source, bool], Sink]
    list_tables: Callable[[Any, str | None, str | None], list[str]]
    instants: Callable[[ibis.Table], frozenset[str]]
    adopt: Callable[[ibis.Table], ibis.Table]
    workbench: Callable[[ibis.Table, str], Workbench] | None = None
    digest: Callable[[ibis.Table], tuple[int, ...]] | None = None
    cancel: Callable[[Any], None] | None = None
    frames: str | None = None
    open_frame: Callable[[Any], Connection] | None = None
    explain: Explanations = Explanations()
