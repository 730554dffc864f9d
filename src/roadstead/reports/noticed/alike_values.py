"""Find values of a column that a privacy model would wrongly count as different."""

from __future__ import annotations

from roadstead.tables.alike_values import alike_values
from roadstead.tables.failures import engine_errors
from roadstead.tables.source import Source
from roadstead.tables.texts import texts_of


def alike_words(source: Source, column: str) -> str:
    """Say how many values differ only in capital letters or spaces, or return an empty string."""
    with engine_errors(source.name):
        many = alike_values(texts_of(source, (column,)).distinct())
    if not many:
        return ""
    return (
        f"{many:,} values differ from another value only in case, blanks, or characters "
        "that are not visible; a privacy model of the column requires that each value is "
        "written in only one way"
    )
