"""A result on one line, as a debugger shows it: its kind, its table, its key figures."""

from __future__ import annotations

from roadstead.errors import quoted


def brief(result: object, source: str, *figures: str) -> str:
    """Write a result on one line.

    Parameters
    ----------
    result
        Whose class it begins with.
    source
        What the table is called; it comes from outside, and is quoted.
    figures
        The key figures, in words.
    """
    return f"<{type(result).__name__} of {quoted(source)}: {'; '.join(figures)}>"
