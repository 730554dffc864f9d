"""Tables and pictures of a reproduction, with our figures next to the published figures.

Each column defines its kind of figure, so the same rows can be rounded for readers and written to
files unrounded. A picture is a Vega-Lite specification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal[
    "text", "count", "seconds", "bytes", "share", "change", "times", "quality"
]
Cell: TypeAlias = str | int | float | bool | None
Row: TypeAlias = Mapping[str, Cell]
Tell: TypeAlias = Callable[[str], None]
"""A function that reports the progress of the work on one line."""


@dataclass(frozen=True)
class Column:
    """A column of figures.

    `name` is the column's name in files, and `heading` is the name for readers. `beside` names the
    published figures to display in parentheses next to ours.
    """

    name: str
    heading: str
    kind: Kind
    beside: str | None = None

    @property
    def title(self) -> str:
        """Return the heading."""
        return self.heading if self.beside is None else f"{self.heading} (published)"

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all figures of the column."""
        return (self.name,) if self.beside is None else (self.name, self.beside)

    def text(self, row: Row) -> str:
        """Format the column's cell of a row."""
        own = shown(row[self.name], self.kind)
        if self.beside is None or row[self.beside] is None:
            return own
        return f"{own} ({shown(row[self.beside], self.kind)})"


@dataclass(frozen=True)
class ResultTable:
    """A table of results.

    `name` is the table's name in files, and `title` states the content and the place in the paper.
    `rows` contains unrounded figures, or None for missing figures. `notes` explains differences
    from the paper. If `drawn` is true, a picture replaces the table everywhere except in files.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    drawn: bool = False

    @property
    def names(self) -> list[str]:
        """Return the names of the figures of a row, in order."""
        return [name for column in self.columns for name in column.names]

    def texts(self, row: Row) -> list[str]:
        """Format the cells of a row."""
        return [column.text(row) for column in self.columns]


@dataclass(frozen=True)
class Picture:
    """A picture with a name for files, a title, and a Vega-Lite specification."""

    name: str
    title: str
    specification: dict[str, Any]


def shown(cell: Cell, kind: Kind) -> str:
    """Format a figure for a reader."""
    if cell is None:
        return "-"
    if isinstance(cell, str | bool):
        return str(cell)
    return _WRITERS[kind](cell)


def _seconds(value: float) -> str:
    if value < 1.0:
        return f"{1000 * value:.3g} ms"
    return f"{value:,.1f} s"


def _bytes(value: float) -> str:
    if value < 1e6:  # noqa: PLR2004 - a megabyte
        return f"{value / 1e3:,.3g} kB"
    return f"{value / 1e6:,.{0 if value >= 1e8 else 1}f} MB"  # noqa: PLR2004 - three digits


def _share(value: float) -> str:
    percents = 100 * value
    return f"{percents:.3f}%" if 0 < percents < 0.1 else f"{percents:.1f}%"  # noqa: PLR2004 - digits


_WRITERS: dict[Kind, Callable[[float], str]] = {
    "text": str,
    "count": lambda value: f"{value:,}",
    "seconds": _seconds,
    "bytes": _bytes,
    "share": _share,
    "change": lambda value: f"{100 * value:+.2f}%",
    "times": lambda value: f"{value:.3g}",
    "quality": lambda value: f"{value:.6f}",
}
