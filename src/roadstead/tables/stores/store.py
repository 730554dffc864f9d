"""The declaration of a store: a kind of database that tables are read from and released to.

A `Store` is a value of names and functions. To add a store, start from the store of any Ibis
database (`dataclasses.replace` of ``roadstead.tables.stores.other.store.STORE``) and replace the
functions that yours does better. `roadstead.testing.stores` tests what a release requires of it.

The stores are the folders here, and the stores that other packages name by an entry point of the
group ``roadstead.stores``. The name of the entry point is the scheme, the Ibis backend, or the
package of data frames that it is for. A store for several names has one entry point for each. It is
loaded only if that name is needed and no built-in store fits.

A *workbench* is a place in the source's own engine. Small tables of labels and classes are copied
to it, expressions are computed on it, and its tables disappear with it.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from roadstead.errors import SettingError
from roadstead.tables import stores

if TYPE_CHECKING:
    from pathlib import Path

    import ibis
    import pyarrow as pa

    from roadstead.tables.locations import DatabaseLocation
    from roadstead.tables.stores.address import Address, AddressForm

GROUP = "roadstead.stores"
Explanation: TypeAlias = tuple[str, str]
"""The error and its fix, without the driver's own words, which may quote data."""


@dataclass(frozen=True)
class Connection:
    """A table of a database, and the function that ends the connection to it."""

    table: ibis.Table
    backend: str  # the kind of database, by Ibis's name for it
    close: Callable[[], None]  # to call it twice is harmless


class QueryBench(Protocol):
    """A place next to a source, in its engine.

    It reads the source in the state at its opening, if the engine can guarantee this. Closing it
    twice is harmless.
    """

    @property
    def table(self) -> ibis.Table:
        """The source's table, for expressions of this workbench."""

    def small(self, columns: pa.Table) -> ibis.Table:
        """Bring a small table to the engine: of labels, codes or counts, never of records.

        Its columns are texts, whole numbers, or floating-point numbers, possibly with nulls.
        """

    def keep(self, expression: ibis.Table) -> ibis.Table:
        """Compute an expression once, and keep its rows where other users do not see them."""

    def drop(self, kept: ibis.Table) -> None:
        """Forget a table that was kept."""

    def close(self) -> None:
        """Forget everything that was kept."""


class SourceTable(Protocol):
    """The table from which the rows of a new table are made."""

    @property
    def name(self) -> str:
        """The name in messages."""

    @property
    def table(self) -> ibis.Table:
        """Its rows."""

    @property
    def location(self) -> object:
        """The database it is in, if it was opened by its address."""


class Destination(Protocol):
    """The place of one new table in a store.

    `name`: its future name, with its schema if one was given; never its host. `backend`: the kind
    of database, by Ibis's name for it.
    """

    name: str
    backend: str

    def write(self, rows: ibis.Table) -> ibis.Table:
        """Write rows that are not visible under the final name, and return the table."""

    def appear(self) -> None:
        """Give the written table its name, in one step; a former table is removed."""

    def disappear(self) -> None:
        """Remove the published table; a former table comes back if the store can restore it."""

    def discard(self) -> None:
        """Remove the written rows, as far as they exist and are not published."""

    def close(self) -> None:
        """Let go of the database, after all else."""

    def explain(self, _error: Exception) -> Explanation | None:
        """Return the meaning of an error of the driver; None to ask all stores."""
        return None


def _unexplained(_error: Exception) -> None:
    """Leave it to the next store, and at last to a general message."""


def _not_cancelled(_error: Exception) -> bool:
    return False


@dataclass(frozen=True)
class Explanations:
    """The explanations of a store's driver errors; None for each unknown error."""

    opening: Callable[[Exception], Explanation | None] = _unexplained
    reading: Callable[[Exception], Explanation | None] = _unexplained
    writing: Callable[[Exception], Explanation | None] = _unexplained
    is_cancelled: Callable[[Exception], bool] = _not_cancelled  # whether it says that it was


@dataclass(frozen=True)
class Store:
    """A kind of database."""

    backend: str  # Ibis's name for it; empty for the store of all that no other store claims
    label: str  # its name for people
    forms: Mapping[str, AddressForm]  # for its addresses, by their scheme
    drivers: frozenset[str]  # the packages whose exceptions are its own
    locate: Callable[[Address], DatabaseLocation]  # reads an address
    # Opens the table at a location, given how much memory an engine in this process may use.
    open: Callable[[Any, str], Connection]
    table: Callable[[Any, Any], ibis.Table]  # gives a second table of an open backend
    # Opens a place for one new table: its location, the source of the rows, and whether a table of
    # this name may be replaced.
    sink: Callable[[Any, SourceTable, bool], Destination]
    # Lists the tables of an open backend, a schema, and a catalog; the last two may be None.
    list_tables: Callable[[Any, str | None, str | None], list[str]]
    instants: Callable[[ibis.Table], frozenset[str]]  # columns of instants that have no zone
    adopt: Callable[[ibis.Table], ibis.Table]  # takes over a table that a user opened with Ibis
    # Opens a workbench for a table, and a name for messages; None if its rows have to be brought to
    # the private engine for that.
    workbench: Callable[[ibis.Table, str], QueryBench] | None = None
    # Counts the rows of a query with one column of texts and adds up their digests, as
    # `roadstead.tables.content` has it; None if the rows have to be brought.
    digest: Callable[[ibis.Table], tuple[int, ...]] | None = None
    cancel: Callable[[Any], None] | None = None  # ends an open backend's queries, from any thread
    frames: str | None = None  # the package of data frames that are its tables
    open_frame: Callable[[Any], Connection] | None = None  # opens one
    explain: Explanations = Explanations()  # the meaning of its errors
    # Returns the location of the table that the options of a file name, or of its only table, given
    # how much memory an engine may use; None if its databases are not files.
    locate_in: Callable[[Path, Mapping[str, str], str], DatabaseLocation] | None = None


@functools.cache
def own_stores() -> tuple[Store, ...]:
    """Return the stores that have a folder here."""
    folders = sorted(one.name for one in pkgutil.iter_modules(stores.__path__) if one.ispkg)
    modules = (importlib.import_module(f"{stores.__name__}.{name}.store") for name in folders)
    return tuple(module.STORE for module in modules)


def all_stores() -> tuple[Store, ...]:
    """Return the built-in stores, and the stores of other packages that were used so far."""
    return (*own_stores(), *_LOADED.values())


_LOADED: dict[str, Store] = {}
"""Stores of other packages, by the names of their entry points."""


def _installed(name: str) -> Store | None:
    """Load the store that another package offers under a name, if one does."""
    if name not in _LOADED:
        entry = next((one for one in entry_points(group=GROUP) if one.name == name), None)
        if entry is None:
            return None
        try:
            _LOADED[name] = entry.load()
        except Exception as error:
            what = f"the store {entry.name} cannot be loaded ({type(error).__name__})"
            fix = "update or uninstall the package that declares it"
            raise SettingError(what, where=GROUP, fix=fix) from error
    return _LOADED[name]


def fallback() -> Store:
    """Return the store of databases that no other store claims."""
    return next(store for store in own_stores() if not store.backend)


def by_backend(name: str) -> Store:
    """Find the store of a backend of Ibis, by its name."""
    return _first(name, lambda store: store.backend == name)


def by_scheme(scheme: str) -> Store:
    """Find the store that a scheme of addresses belongs to."""
    return _first(scheme, lambda store: scheme in store.forms)


def of_file(kind: str) -> Callable[[Path, Mapping[str, str], str], DatabaseLocation] | None:
    """Return the function that locates a table in a file of a store; None for other files."""
    return next((store.locate_in for store in own_stores() if store.backend == kind), None)


def by_frame(package: str) -> Store | None:
    """Find the store that opens the data frames of a package, if any."""
    found = _first(package, lambda store: store.frames == package)
    return found if found.frames == package else None


def _first(name: str, fits: Callable[[Store], bool]) -> Store:
    """Find the store that fits; another package's is loaded only if it is offered by this name."""
    found = next((store for store in all_stores() if fits(store)), None)
    if found is None and (offered := _installed(name)) is not None and fits(offered):
        found = offered
    return fallback() if found is None else found
