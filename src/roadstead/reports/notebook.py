"""Show the result of a call in a notebook, as a self-contained block.

A block contains words, tables, and charts. Every rule of the block's style begins with the class of
the block, so nothing else in the notebook changes. Without styles, the notebook still shows
everything. Text has the notebook's own colors. Charts have a white background, which fits their
colors. All text is escaped. Charts with equal content have equal names, so elements with the same
name are identical.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from roadstead.reports.charts.svg import WIDE, Chart, image
from roadstead.reports.wording import legible

_STYLE = Markup(
    "<style>"
    ".roadstead{max-width:64rem;line-height:1.45}"
    ".roadstead pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0 0 .8em}"
    ".roadstead table{border-collapse:collapse;width:100%;margin:0 0 .8em;font-size:.93em}"
    ".roadstead caption{text-align:left;caption-side:top;padding:0 0 .5em;color:inherit}"
    ".roadstead tr,.roadstead tr:nth-child(even){background:none}"
    ".roadstead th,.roadstead td{text-align:left;vertical-align:top;padding:.35em .8em .35em 0;"
    "border:0;border-bottom:1px solid rgba(127,127,127,.4);white-space:normal;max-width:none;"
    "overflow-wrap:anywhere;min-width:4.5em}"
    ".roadstead thead th{font-size:.9em;vertical-align:bottom}"
    ".roadstead .number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    ".roadstead .open{border-left:3px solid #b9822b;padding-left:.6em}"
    ".roadstead svg{display:block;width:100%;height:auto}"
    "</style>"
)
_PANEL = (
    "max-width:46rem;background:#fff;color:#1b2430;color-scheme:light;padding:.8em;margin:0 0 .8em"
)


class NotebookCell(NamedTuple):
    """The content of a cell. `open` marks a decision that a person must make."""

    said: str
    number: bool = False
    open: bool = False


def block(*parts: Markup) -> str:
    """Combine parts, one below the other, in a block."""
    return str(Markup('<div class="roadstead">{}{}</div>').format(_STYLE, Markup().join(parts)))


def words(text: str) -> Markup:
    """Show text with its line breaks, as in a terminal."""
    return Markup("<pre>{}</pre>").format(legible(text))


def drawn(chart: Chart) -> Markup:
    """Draw a chart on a white background."""
    content = repr((chart.name, chart.title, chart.description)).encode("utf-8", "backslashreplace")
    name = f"{chart.name}-{hashlib.sha256(content).hexdigest()[:12]}"
    svg = image(chart.draw(WIDE), name, chart.title, chart.description)
    return Markup('<div style="{}">{}</div>').format(_PANEL, svg)


def table(
    caption: str, heads: Sequence[NotebookCell], rows: Iterable[Sequence[NotebookCell]]
) -> Markup:
    """Return a table as HTML. The first cell of each row is the name of the row."""
    return Markup(
        "<table><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>"
    ).format(
        legible(caption),
        Markup().join(_cell("th", one, "col") for one in heads),
        Markup().join(
            Markup("<tr>{}</tr>").format(
                Markup().join(
                    _cell("td" if at else "th", one, "" if at else "row")
                    for at, one in enumerate(row)
                )
            )
            for row in rows
        ),
    )


def _cell(tag: str, cell: NotebookCell, scope: str) -> Markup:
    looks = "number" if cell.number else "open" if cell.open else ""
    return Markup("<{}{}{}>{}</{}>").format(
        tag,
        Markup(' scope="{}"').format(scope) if scope else "",
        Markup(' class="{}"').format(looks) if looks else "",
        legible(cell.said),
        tag,
    )
