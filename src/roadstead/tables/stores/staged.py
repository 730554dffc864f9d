"""Publish a new table in a database only if the table is complete and passes the checks.

The table of a `Sink` is first staged and then checked in the same way as a recipient would check
it. The table is published under its final name only after these steps. The `Destination` of a store
defines each step. This module defines the order of the steps, the condition for each step, and the
cleanup if a step fails.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Literal, TypeAlias

from roadstead.errors import OutputError
from roadstead.front_end import option
from roadstead.tables.failures import writing

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    import ibis

    from roadstead.tables.stores.store import Destination

State: TypeAlias = Literal["new", "writing", "staged", "published", "withdrawn"]

_REFUSALS = {
    "exists": ("it already exists", "name another table, or give {force}"),
    "source": ("Roadstead reads its rows from this table", "name another table"),
    "view": ("it is a view", "name another table"),
    "schema": ("there is no such schema", "create it first, or name another schema"),
    "needed": ("other objects depend on it", "drop these objects first"),
}


def refusal(
    reason: Literal["exists", "source", "view", "schema", "needed"], at: str
) -> OutputError:
    """Return the error that explains why a table cannot be created or must not be replaced."""
    what, fix = _REFUSALS[reason]
    return OutputError(what, where=at, fix=fix.format(force=option("force", True)))


class Sink:
    """One new table in a database. After the ``with`` block, only a published table remains.

    `destination` is the place of the table. The place has already checked that the table can be
    created.
    """

    def __init__(self, destination: Destination) -> None:
        self._destination = destination
        self.name = destination.name
        self.backend = destination.backend
        self._state: State = "new"

    def stage(self, rows: ibis.Table) -> ibis.Table:
        """Write rows to a table under a temporary name, and return the table for checks.

        Rows from another engine are streamed, so these rows must already be a release.
        """
        if self._state != "new":
            raise OutputError(
                "a table was already staged", where=self.name, fix="open another sink"
            )
        self._state = "writing"
        with self._writing():
            written = self._destination.write(rows)
        self._state = "staged"
        return written

    def publish(self) -> None:
        """Publish the staged table under its name, in one step."""
        if self._state != "staged":
            raise OutputError("no table was staged", where=self.name, fix="stage it first")
        with self._writing():
            self._destination.appear()
        self._state = "published"

    def withdraw(self) -> None:
        """Remove the published table after a related step failed."""
        if self._state != "published":
            return
        with self._writing():
            self._destination.disappear()
        self._state = "withdrawn"

    def __enter__(self) -> Self:
        """Return the sink."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Remove the table, unless it was published."""
        if self._state in ("writing", "staged"):
            self._state = "withdrawn"
            with contextlib.suppress(Exception):
                self._destination.discard()
        with contextlib.suppress(Exception):
            self._destination.close()

    def _writing(self) -> contextlib.AbstractContextManager[None]:
        return writing(self.name, self._destination.explain)
