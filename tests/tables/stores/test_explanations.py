"""Errors about a table that cannot be written quote no word of the driver."""

from __future__ import annotations

import pytest

from roadstead.errors import OutputError
from roadstead.tables.failures import writing

CELL = "Key (name)=(Jane Doe)"


class FromDriver(Exception):  # noqa: N818 - a driver's
    """An error of a driver."""

    __module__ = "psycopg.errors"

    def __init__(self, sqlstate: str | None, text: str = CELL) -> None:
        super().__init__(text)
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (FromDriver("42501"), "you do not have permission to create a table there"),
        (FromDriver("42P07"), "a table with this name already exists"),
        (FromDriver("23505"), "a table with this name was created during the run"),
        (FromDriver("53100"), "the disk of the database is full"),
        (FromDriver("57P01"), "the database closed the connection"),
        (FromDriver("08006"), "the database closed the connection"),
        (FromDriver(None, "server closed the connection"), "the database closed the connection"),
        (FromDriver("57014"), "the database stopped the query"),
        (FromDriver("55P03"), "another program has locked the table"),
        (FromDriver(None, "No space left on device"), "is full"),
        (FromDriver(None, "Could not write file: File too large"), "is full"),
        (FromDriver(None, "Out of Memory Error"), "needs more memory"),
        (FromDriver("XX000"), "the database cannot write the table (FromDriver)"),
        (MemoryError(), "needs more memory"),
    ],
)
def test_an_error_is_reported_in_our_words(error: Exception, says: str) -> None:
    with pytest.raises(OutputError) as caught, writing("care.out"):
        raise error
    assert str(caught.value).startswith("care.out: ")
    assert says in str(caught.value)
    assert "Jane" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_what_is_no_failure_of_an_engine_passes() -> None:
    with pytest.raises(ZeroDivisionError), writing("out"):
        raise ZeroDivisionError
    with pytest.raises(KeyboardInterrupt), writing("out"):
        raise FromDriver(None, "Query interrupted")
