"""Define stores, which are kinds of databases for reading and releasing tables.

A `Store` contains names and functions. To add a store, copy the store for any Ibis database
(`dataclasses.replace` of ``roadstead.tables.stores.other.store.STORE``) and replace the functions
that your store does better. `roadstead.testing.stores` tests whether a store meets the requirements
of a release.

The stores are the folders of this package, and the entry points in the group ``roadstead.stores``
of other packages. The name of an entry point is a scheme, an Ibis backend, or a package of data
frames. A store with several such names has one entry point for each name. Roadstead loads an entry
point only if its name is needed and no built-in store fits.

A *workbench* is a place in the source's own engine. Small tables of labels and classes are copied
to the workbench, and the workbench computes expressions.
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
"""The error and its fix, excluding the driver's own message, which may quote data."""


@dataclass(frozen=True)
class Connection:
    """A table in a database, and the function that closes the connection."""

    table: ibis.Table
    backend: str  # the kind of database, by its name in Ibis
    close: Callable[[], None]  # a second call is harmless


class QueryBench(Protocol):
    """A workbench: a place in the engine of a source.

    If the engine supports snapshots, all queries of the workbench see the source as it was when the
    workbench was opened. A second call of `close` is harmless.
    """

    @property
    def table(self) -> ibis.Table:
        """The table of the source, for expressions of this workbench."""

    def small(self, columns: pa.Table) -> ibis.Table:
        """Copy a small table of labels, codes, or counts to the engine, but never copy records.

        The columns contain strings, whole numbers, or floating-point numbers, possibly with nulls.
        """

    def keep(self, expression: ibis.Table) -> ibis.Table:
        """Compute an expression once, and store the rows where other users cannot see them."""

    def drop(self, kept: ibis.Table) -> None:
        """Drop a table that `keep` returned."""

    def close(self) -> None:
        """Drop all tables that the workbench keeps."""


class Destination(Protocol):
    """The place of one new table in a store.

    `name` is the name of the new table. It includes the schema if the user gave a schema, but never
    the host. `backend` is the name of the kind of database in Ibis.
    """

    name: str
    backend: str

    def write(self, rows: ibis.Table) -> ibis.Table:
        """Write rows under a temporary name or where others cannot see them. Return the table."""

    def appear(self) -> None:
        """Give the written table its final name in one step, and remove a replaced table."""

    def disappear(self) -> None:
        """Remove the published table, and restore the replaced table if the store supports this."""

    def discard(self) -> None:
        """Remove the written rows if they exist and are not published."""

    def close(self) -> None:
        """Close the connection to the database, as the last step."""

    def explain(self, _error: Exception) -> Explanation | None:
        """Return the explanation of a driver's error. If it is None, all stores are tried."""
        return None


def _unexplained(_error: Exception) -> None:
    """Return None, because there is no explanation."""


def _not_cancelled(_error: Exception) -> bool:
    return False


@dataclass(frozen=True)
class Explanations:
    """Functions that explain the errors of a store's driver, and return None for other errors."""

    opening: Callable[[Exception], Explanation | None] = _unexplained
    reading: Callable[[Exception], Explanation | None] = _unexplained
    writing: Callable[[Exception], Explanation | None] = _unexplained
    is_cancelled: Callable[[Exception], bool] = _not_cancelled  # whether an error is a cancellation


@dataclass(frozen=True)
class Store:
    """A kind of database."""

    backend: str  # its name in Ibis; empty for the store of all other databases
    label: str  # its name in messages
    forms: Mapping[str, AddressForm]  # the forms of its addresses, by scheme
    drivers: frozenset[str]  # the packages that raise its exceptions
    locate: Callable[[Address], DatabaseLocation]  # reads an address
    # Opens the table at a location. The second argument limits the memory of an engine in this
    # process.
    open: Callable[[Any, str], Connection]
    table: Callable[[Any, Any], ibis.Table]  # returns a second table of an open backend
    # Opens a place for one new table. The arguments are its location, the `Source` of the rows, and
    # whether a table of this name may be replaced.
    sink: Callable[[Any, Any, bool], Destination]
    # Lists the tables in a schema and a catalog of an open backend; schema and catalog may be None.
    list_tables: Callable[[Any, str | None, str | None], list[str]]
    instants: Callable[[ibis.Table], frozenset[str]]  # returns columns of instants without a zone
    adopt: Callable[[ibis.Table], ibis.Table]  # adapts a table that a user opened with Ibis
    # Opens a workbench for a table. The second argument is a name for messages. A store without
    # this function has each table copied to the private engine when the table is opened.
    workbench: Callable[[ibis.Table, str], QueryBench] | None = None
    # Counts the rows of a query with one column of strings, and adds up their digests
    # (`roadstead.tables.content`). None if the rows have to be copied to the private engine.
    digest: Callable[[ibis.Table], tuple[int, ...]] | None = None
    cancel: Callable[[Any], None] | None = None  # stops an open backend's queries from any thread
    frames: str | None = None  # the package of its data frames
    open_frame: Callable[[Any], Connection] | None = None  # opens a data frame
    explain: Explanations = Explanations()  # the explanations of its errors
    # Returns the location of the table that the options name, or of the file's only table. The last
    # argument limits the memory of an engine. None if the store's databases are not files.
    locate_in: Callable[[Path, Mapping[str, str], str], DatabaseLocation] | None = None


@functools.cache
def own_stores() -> tuple[Store, ...]:
    """Return the stores with a folder in this package."""
    folders = sorted(one.name for one in pkgutil.iter_modules(stores.__path__) if one.ispkg)
    modules = (importlib.import_module(f"{stores.__name__}.{name}.store") for name in folders)
    return tuple(module.STORE for module in modules)


def all_stores() -> tuple[Store, ...]:
    """Return the built-in stores, and the loaded stores from other packages."""
    return (*own_stores(), *_LOADED.values())


_LOADED: dict[str, Store] = {}
"""Stores from other packages, by the names of their entry points."""


def _installed(name: str) -> Store | None:
    """Load the store with this name from another package, or return None if there is none."""
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
    """Return the store for all databases that do not have their own store."""
    return next(store for store in own_stores() if not store.backend)


def by_backend(name: str) -> Store:
    """Return the store of an Ibis backend."""
    return _first(name, lambda store: store.backend == name)


def by_scheme(scheme: str) -> Store:
    """Return the store for a scheme of addresses."""
    return _first(scheme, lambda store: scheme in store.forms)


def of_file(kind: str) -> Callable[[Path, Mapping[str, str], str], DatabaseLocation] | None:
    """Return the function that locates a table in a store's file, or None for other files."""
    return next((store.locate_in for store in own_stores() if store.backend == kind), None)


def by_frame(package: str) -> Store | None:
    """Return the store that opens the data frames of a package, or None if there is none."""
    found = _first(package, lambda store: store.frames == package)
    return found if found.frames == package else None


def _first(name: str, fits: Callable[[Store], bool]) -> Store:
    """Return the store that fits. Load a store of another package only if it has this name."""
    found = next((store for store in all_stores() if fits(store)), None)
    if found is None and (offered := _installed(name)) is not None and fits(offered):
        found = offered
    return fallback() if found is None else found
