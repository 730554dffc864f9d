"""Write strings and column names in SQL, and advise what to do if SQL is not possible."""

from __future__ import annotations

from collections.abc import Iterable

from roadstead.errors import PolicyError, quoted
from roadstead.front_end import worded


def text(value: str) -> str:
    """Return a string as an SQL literal."""
    _refuse_nul(value)
    return "'" + value.replace("'", "''") + "'"


def texts(values: Iterable[str]) -> str:
    """Return strings as SQL literals, separated by commas."""
    return ", ".join(map(text, values))


def column(name: str) -> str:
    """Return the quoted name of a column."""
    _refuse_nul(name)
    return '"' + name.replace('"', '""') + '"'


def without_sql() -> str:
    """Return the advice to apply the policy with Roadstead instead of in SQL."""
    return worded(
        command="use roadstead apply without --sql", python="use roadstead.apply instead of as_sql"
    )


def _refuse_nul(value: str) -> None:
    if "\x00" in value:
        raise PolicyError(
            f"{quoted(value)} contains a NUL character, which SQL cannot express",
            fix=without_sql(),
        )
