"""A result on one line, as a debugger shows it: its kind, its table, its key figures."""

from __future__ import annotations

from roadstead.errors import quoted


def brief(result: object, source: str, *figures: str) -> str:
    """Write a result on one line; what its table is called comes from outside, and is quoted."""
    return f"<{type(result).__name__} of {quoted(source)}: {'; '.join(figures)}>"
