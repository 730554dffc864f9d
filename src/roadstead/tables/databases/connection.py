"""An open table of a database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import ibis


@dataclass(frozen=True)
class Connection:
    """A table of a database, and what ends the connection to it.

    Attributes
    ----------
    table
        The table.
    backend
        The kind of database, by Ibis's name for it.
    close
        Ends the connection; to call it twice is harmless.
    """

    table: ibis.Table
    backend: str
    close: Callable[[], None]
