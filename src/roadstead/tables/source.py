"""The value that represents a table, wherever it is: its rows, its columns, and its origin."""

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
    from roadstead.tables.health.locations import HealthLocation
    from roadstead.tables.locations import CdmLocation, DatabaseLocation
    from roadstead.tables.stores.store import Connection


@dataclass(frozen=True)
class Csv:
    """A delimited text file in some dialect."""

    dialect: Dialect = field(default_factory=Dialect)

    def describe(self) -> str:
        """Describe the form in words."""
        return self.dialect.describe()


@dataclass(frozen=True)
class Parquet:
    """A Parquet file."""

    def describe(self) -> str:
        """Describe the form in words."""
        return "Parquet"


@dataclass(frozen=True)
class Memory:
    """A table of another library in this process; ``kind`` says which."""

    kind: Literal["arrow", "pandas", "polars"]

    def describe(self) -> str:
        """Describe the form in words."""
        return f"{self.kind} table in memory"


@dataclass(frozen=True)
class Engine:
    """A table that stays in a query engine, ``backend`` by Ibis's name for it."""

    backend: str

    def describe(self) -> str:
        """Describe the form in words."""
        return f"table in {by_backend(self.backend).label or self.backend}"


@dataclass(frozen=True)
class ProgramFile:
    """A file of another program, such as Excel or SPSS.

    `kind`: the name of its format. `label`: the format in words. `codebook`: what the file says
    about its columns.
    """

    kind: str
    label: str
    codebook: Codebook = field(default_factory=Codebook, compare=False)

    def describe(self) -> str:
        """Describe the form in words."""
        return ", ".join((self.label, *self.codebook.details))


Format = Csv | Parquet | ProgramFile | Memory | Engine
"""The form a table came in, which is the form its release goes out in."""


@dataclass(frozen=True)
class Source:
    """A table that can be queried, with its origin.

    A source from a file or from memory holds an engine, and a source from an address holds a
    connection. Close it, or use it in a ``with`` statement, to free these at once and not at exit.

    Attributes
    ----------
    held
        The rows: an expression of Ibis, or a table of texts in a private engine.
    columns
        Its column names in order.
    name
        The name in messages: usually the name of the file.
    format
        The form it came in.
    path
        The file or folder it was read from, if any.
    location
        The database it is in, if it was opened by its address.
    instants
        Columns of instants whose zone is unknown, so that their day is unknown.
    named_by_us
        Columns without a name in the header, under the names that Roadstead gave them.
    read_from
        What a project file names instead of `path`: a file with the part that is the table, or the
        archive that holds the file.
    suspect_rows
        Rows of a text file that do not look like records.
    from_folders
        Columns whose values are in the names of folders, such as ``year=2020``.
    skipped
        The rows that were left out because the user named them, in words.
    digit_groups
        Columns whose numbers had groups of digits, such as 1,117.89, and are plain numbers now.
    two_readings
        Columns whose numbers can be read in two ways, such as 1.117, with the sign in them.
    whole_codes
        Columns of codes that were written as numbers with decimals, such as 91911.0.
    made_missing
        How many values of each column were made missing, by code, because the user named the codes.
    codebook
        What a separate codebook says about the columns. The table keeps its codes.
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
    _again: tuple[Callable[..., Source], Any, tuple[Any, ...]] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def texts(self) -> TextTable | None:
        """The table of texts that it is, if it is one."""
        return self.held if isinstance(self.held, TextTable) else None

    @property
    def table(self) -> ibis.Table:
        """The table as an Ibis expression."""
        return self.held.expression if isinstance(self.held, TextTable) else self.held

    @property
    def types(self) -> dict[str, str]:
        """The type of each column, by Ibis's name."""
        if self.texts is not None:
            return dict.fromkeys(self.columns, "string")
        return {name: str(kind) for name, kind in self.table.schema().items()}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle how the table is opened again; a table in a foreign engine is copied."""
        if self._again is None:
            raise TypeError(f"{self!r} cannot be pickled: it was not opened by read")
        reader, data, manner = self._again
        given = (self.table.to_pyarrow() if data is None else data, *manner)
        return reader, given, {"codebook": self.codebook}

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {quoted(self.name)}: {self.format.describe()}; "
            f"{len(self.columns)} columns>"
        )

    def kept_until_closed(self, remove: Callable[[], None]) -> None:
        """Call a function when the engine of this source ends."""
        if self._engine is not None:
            weakref.finalize(self._engine.con, remove)

    def close(self) -> None:
        """Release the engine or connection that belongs to this source, if it has one."""
        for held in (self._engine, self._connection):
            if held is not None:
                held.close()

    def cancel(self) -> None:
        """Stop the queries that run on this source, from another thread; then close the source.

        Code that waits for such a query gets a KeyboardInterrupt. An engine that cannot be stopped
        works until its query ends.
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
