"""Represent a table from any origin, with its rows, its columns, and its origin."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from roadstead.errors import quoted
from roadstead.tables.codebooks.described import TableNotes
from roadstead.tables.dialect import Dialect
from roadstead.tables.engine import TextTable
from roadstead.tables.extra_rows import SuspectRows
from roadstead.tables.failures import CANCELLED
from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.stores.store import by_backend

if TYPE_CHECKING:
    import ibis

    from roadstead.tables.engine import PrivateEngine
    from roadstead.tables.formats.declared_codes import DeclaredCodes
    from roadstead.tables.health.locations import HealthLocation
    from roadstead.tables.locations import CdmLocation, DatabaseLocation
    from roadstead.tables.stores.store import Connection


@dataclass(frozen=True)
class Csv:
    """A delimited text file and its dialect."""

    dialect: Dialect = field(default_factory=Dialect)

    def describe(self) -> str:
        """Return the format in words."""
        return self.dialect.describe()


@dataclass(frozen=True)
class Parquet:
    """A Parquet file."""

    def describe(self) -> str:
        """Return the format in words."""
        return "Parquet"


@dataclass(frozen=True)
class Memory:
    """A table from another library in this process. `kind` names the library."""

    kind: Literal["arrow", "pandas", "polars"]

    def describe(self) -> str:
        """Return the format in words."""
        return f"{self.kind} table in memory"


@dataclass(frozen=True)
class Engine:
    """A table that stays in a query engine. `backend` is the engine's name in Ibis."""

    backend: str

    def describe(self) -> str:
        """Return the format in words."""
        return f"table in {by_backend(self.backend).label or self.backend}"


@dataclass(frozen=True)
class ProgramFile:
    """A file from another program, such as Excel or SPSS.

    `kind` is the name of the format. `codebook` is the file's information about its columns.
    """

    kind: str
    label: str
    codebook: Codebook = field(default_factory=Codebook, compare=False)

    def describe(self) -> str:
        """Return the format in words."""
        return ", ".join((self.label, *self.codebook.details))


Format = Csv | Parquet | ProgramFile | Memory | Engine
"""The form of a table, which is also the form of its release."""


@dataclass(frozen=True)
class Source:
    """A table that can be queried, and its origin.

    A source from a file or from memory has an engine, and a source from an address has a
    connection. To free the engine or connection before the process ends, close the source, or use
    the source in a ``with`` statement.

    Attributes
    ----------
    held
        The rows, as an Ibis expression or as a table of strings in a private engine.
    columns
        The column names in order.
    name
        The name in messages, which is usually the name of the file.
    format
        The form of the table.
    path
        The file or folder of the table, if there is one.
    location
        The database of the table, if the table was opened by an address.
    instants
        Columns of instants for which the time zone, and therefore the day, is unknown.
    named_by_us
        The names that Roadstead gave to columns without a name in the header.
    read_from
        The path that a project file names instead of `path`: the archive that contains the file, or
        a file followed by the name of the table in the file.
    suspect_rows
        Rows of a text file or a sheet that do not look like records.
    from_folders
        Columns whose values come from the names of folders, such as ``year=2020``.
    skipped
        A description of the rows that the user skipped.
    digit_groups
        Columns whose numbers had thousands separators, such as 1,117.89, and are now plain numbers.
    two_readings
        Columns whose numbers can be read in two ways, such as 1.117. Each column has the sign
        between the digits.
    whole_codes
        Columns whose codes were written as numbers with decimals, such as 91911.0.
    made_missing
        For each column and code that the user named, the number of values that became missing.
    codebook
        The information about the columns from a separate codebook. The table keeps its codes.
    codebook_missing
        The missing codes of the codebook that the table no longer shows, and the number of values
        for each code. The codes have the form of the option for missing codes.
    codebook_unused
        Columns in which no missing code of the codebook occurs.
    declared
        The missing codes that the file declares and that the table shows as missing values.
    """

    held: ibis.Table | TextTable
    columns: tuple[str, ...]
    name: str
    format: Format
    path: Path | None = None
    _engine: PrivateEngine | None = field(default=None, repr=False, compare=False)
    _connection: Connection | None = field(default=None, repr=False, compare=False)
    location: DatabaseLocation | CdmLocation | HealthLocation | None = field(
        default=None, repr=False, compare=False
    )
    instants: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    named_by_us: tuple[str, ...] = ()
    read_from: Path | None = None
    suspect_rows: tuple[SuspectRows, ...] = ()
    skipped: str = ""
    from_folders: tuple[str, ...] = ()
    digit_groups: tuple[str, ...] = ()
    two_readings: Mapping[str, str] = field(default_factory=dict, compare=False)
    whole_codes: tuple[str, ...] = ()
    made_missing: Mapping[str, Mapping[str, int]] = field(
        default_factory=dict, repr=False, compare=False
    )
    codebook: TableNotes | None = field(default=None, repr=False, compare=False)
    codebook_missing: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)
    codebook_unused: tuple[str, ...] = field(default=(), repr=False, compare=False)
    declared: DeclaredCodes | None = field(default=None, repr=False, compare=False)
    _again: tuple[Callable[..., Source], Any, tuple[Any, ...]] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def texts(self) -> TextTable | None:
        """Return the table of strings in a private engine, or None for other sources."""
        return self.held if isinstance(self.held, TextTable) else None

    @property
    def table(self) -> ibis.Table:
        """The table as an Ibis expression."""
        return self.held.expression if isinstance(self.held, TextTable) else self.held

    @property
    def private(self) -> PrivateEngine | None:
        """Return the private engine of the rows, or None if another engine holds the rows."""
        return self._engine

    @property
    def types(self) -> dict[str, str]:
        """The names of the columns' types in Ibis."""
        if self.texts is not None:
            return dict.fromkeys(self.columns, "string")
        return {name: str(kind) for name, kind in self.table.schema().items()}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the information for opening the table again, or a copy if this is not possible."""
        if self._again is None:
            raise TypeError(
                f"{self!r} cannot be pickled, because it was not opened with the function `read`"
            )
        reader, data, (manner, missing, decimal) = self._again
        markers = (*missing, *self.codebook_missing)
        given = (self.table.to_pyarrow() if data is None else data, manner, markers, decimal)
        state = {"codebook": self.codebook, "codebook_missing": self.codebook_missing}
        return reader, given, state

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {quoted(self.name)}: {self.format.describe()}; "
            f"{len(self.columns)} columns>"
        )

    def kept_until_closed(self, remove: Callable[[], None]) -> None:
        """Call a function when the engine of this source is closed."""
        if self._engine is not None:
            weakref.finalize(self._engine.con, remove)

    def close(self) -> None:
        """Close the engine or connection that belongs to this source."""
        for held in (self._engine, self._connection):
            if held is not None:
                held.close()

    def cancel(self) -> None:
        """Stop the queries of this source from another thread. Close the source after this call.

        Code that waits for a stopped query gets a KeyboardInterrupt. Some engines cannot be
        stopped. Their queries continue to the end.
        """
        if self.texts is not None:
            self.texts.engine.con.interrupt()
            return
        backend = self.table.get_backend()
        cancel = by_backend(str(backend.name)).cancel
        if cancel is not None:
            CANCELLED.add(backend)
            cancel(backend)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
