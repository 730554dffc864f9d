"""Working on a table where it lives, and publishing a new one there.

A *workbench* is a place in the source's own engine. Small tables of labels and classes are brought
to it, expressions are worked out on it, and what it keeps goes away with it. Records never leave
the engine for it.

A *sink* is where one new table appears, whole or not at all. It is staged, looked at as a stranger
would, and only then published under its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    import ibis
    import pyarrow as pa


class Workbench(Protocol):
    """A place beside a source, in its engine.

    It reads the source as it was when it was opened, where the engine can promise that. Closing it
    twice is harmless.
    """

    @property
    def table(self) -> ibis.Table:
        """The source's table, for expressions of this workbench."""
        ...

    def small(self, columns: pa.Table) -> ibis.Table:
        """Bring a small table to the engine: of labels, codes or counts, never of records.

        Parameters
        ----------
        columns
            Columns of text, whole numbers or floating-point numbers, some of them null.
        """
        ...

    def keep(self, expression: ibis.Table) -> ibis.Table:
        """Work an expression out once, and keep its rows in the engine where nobody else sees them.

        Raises
        ------
        SourceError, OutputError
            The engine cannot work it out, has no room for it, or does not let this user keep
            tables.
        """
        ...

    def drop(self, kept: ibis.Table) -> None:
        """Forget a table that was kept."""
        ...

    def close(self) -> None:
        """Forget everything that was kept."""
        ...


class Sink(Protocol):
    """A new table in a database; leaving its ``with`` block unpublished leaves nothing there."""

    @property
    def name(self) -> str:
        """What the table will be called, with its schema where one was named; never its host."""
        ...

    @property
    def backend(self) -> str:
        """The kind of database, by Ibis's name for it."""
        ...

    def stage(self, rows: ibis.Table) -> ibis.Table:
        """Write rows to a table that nobody sees under the final name, and give it to be checked.

        Rows of another engine are streamed, and only where they are a release already.

        Raises
        ------
        OutputError
            They cannot be written there.
        """
        ...

    def publish(self) -> None:
        """Let what was staged appear under its name, in one step.

        Raises
        ------
        OutputError
            The name was taken meanwhile, or the database refuses.
        """
        ...

    def withdraw(self) -> None:
        """Take back what was published, after something that belongs to it failed."""
        ...

    def __enter__(self) -> Self:
        """Use it."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave nothing but what was published."""
        ...
