"""The results for a paper, formatted for a terminal and written to files.

The files are a CSV file with unrounded figures for each table, `results.json` with all figures,
each picture as SVG and PNG, and a README that describes the run. `results.json` contains the
fingerprints of the other files, so that only unmodified files are replaced.
"""

from __future__ import annotations

import csv
import io
import json
import os
import platform
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import vl_convert
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from roadstead import __version__
from roadstead.errors import OutputError
from roadstead.release.documents import Fingerprint, fingerprint, is_unchanged, write_json
from roadstead.release.staging import check_output, staged
from roadstead_reproductions.tables import Picture, ResultTable

RESULTS, README = "results.json", "README.md"
_DOTS = 2
"""The resolution of a PNG file, in pixels per pixel of the SVG file."""


def check_folder(out: Path, *, force: bool) -> None:
    """Check that the folder can be written before any work starts.

    The function raises an OutputError if the folder exists and `force` is not set, or if the folder
    contains other files.
    """
    check_output(out, force=force, own=_former)


@dataclass(frozen=True)
class Reproduction:
    """The results of the experiments of one paper.

    `paper` is the name of the paper on the command line, and `reference` is the citation.
    `settings` describes what was run: extent, data sets, limits, and seeds.
    """

    paper: str
    reference: str
    settings: dict[str, Any]
    tables: tuple[ResultTable, ...]
    pictures: tuple[Picture, ...]
    seconds: float

    def lines(self, width: int) -> list[str]:
        """Format the tables for a terminal of this width, excluding the tables that are drawn."""
        text = io.StringIO()
        console = Console(file=text, width=width, force_terminal=False, highlight=False)
        for table in self.tables:
            if not table.drawn:
                _print_table(table, console)
        return text.getvalue().rstrip("\n").split("\n")

    def write(self, out: Path, *, force: bool = False) -> None:
        """Write the tables, the pictures, all figures, and a README.

        The method raises an OutputError if the folder exists or cannot be written.
        """
        with staged(out, force=force, own=_former) as folder:
            for table in self.tables:
                _write_table(table, folder / f"{table.name}.csv")
            for picture in self.pictures:
                _write_picture(picture, folder)
            (folder / README).write_text(_readme(self), encoding="utf-8")
            files = [asdict(fingerprint(path)) for path in sorted(folder.iterdir())]
            write_json({**self.to_dict(), "made": _made(), "files": files}, folder / RESULTS)

    def to_dict(self) -> dict[str, Any]:
        """Return everything except the pictures as plain values."""
        return {
            "paper": self.paper,
            "reference": self.reference,
            "settings": self.settings,
            "seconds": self.seconds,
            "tables": {
                table.name: {
                    "title": table.title,
                    "rows": [{name: row[name] for name in table.names} for row in table.rows],
                    "notes": list(table.notes),
                }
                for table in self.tables
            },
        }


def _print_table(table: ResultTable, console: Console) -> None:
    shown = Table(box=SIMPLE_HEAD, title=Text(table.title), title_justify="left", pad_edge=False)
    for column in table.columns:
        numbers = column.kind != "text"
        shown.add_column(Text(column.title), justify="right" if numbers else "left")
    for row in table.rows:
        shown.add_row(*map(Text, table.texts(row)))
    console.print(shown)
    for line in table.notes:
        console.print(Text(line))
    console.print()


def _write_table(table: ResultTable, path: Path) -> None:
    names = table.names
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: row[name] for name in names} for row in table.rows)


def _write_picture(picture: Picture, folder: Path) -> None:
    try:
        svg: str = vl_convert.vegalite_to_svg(picture.specification)
        png: bytes = vl_convert.vegalite_to_png(picture.specification, scale=_DOTS)
    except ValueError as error:
        raise OutputError(
            f"cannot be drawn ({type(error).__name__})",
            where=picture.name,
            fix="report this; without --out, only the tables are printed",
        ) from error
    (folder / f"{picture.name}.svg").write_text(svg, encoding="utf-8")
    (folder / f"{picture.name}.png").write_bytes(png)


def _made() -> dict[str, str | int | None]:
    return {
        "software": f"roadstead {__version__}",
        "created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
    }


def _readme(found: Reproduction) -> str:
    """Describe what was run, on which data, and when, and include every table and picture."""
    made = _made()
    lines = [
        f"# {found.paper}: our figures and the published figures\n",
        "",
        f"{found.reference}",
        "",
        f"Run by {made['software']} on {made['created']} in {found.seconds:,.0f} seconds, with "
        f"Python {made['python']} on {made['system']}, {made['cores']} cores. Times depend on "
        "this machine and its other work; counts and qualities are exact.",
        "",
        "| setting | |",
        "|---|---|",
        *(f"| {name} | {_said(value)} |" for name, value in found.settings.items()),
        "",
        f"`{RESULTS}` has all figures unrounded, and each `.csv` file has one table. Published "
        "figures are in parentheses next to ours.",
        "",
    ]
    for table in (table for table in found.tables if not table.drawn):
        lines += [f"## {table.title}", "", *_markdown(table), ""]
        lines += [f"{note}\n" for note in table.notes]
    for picture in found.pictures:
        lines += [f"## {picture.title}", "", f"![{picture.title}]({picture.name}.svg)", ""]
    return "\n".join(lines)


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _markdown(table: ResultTable) -> list[str]:
    bars = ["---" if column.kind == "text" else "--:" for column in table.columns]
    return [
        f"| {' | '.join(column.title for column in table.columns)} |",
        f"| {' | '.join(bars)} |",
        *(f"| {' | '.join(table.texts(row))} |" for row in table.rows),
    ]


def _former(folder: Path) -> frozenset[str]:
    """Return the names of files that are unchanged since an earlier reproduction."""
    try:
        document = json.loads((folder / RESULTS).read_text("utf-8"))
        files = [Fingerprint(**entry) for entry in document["files"]]
    except (OSError, ValueError, TypeError, KeyError):
        return frozenset()
    return frozenset({RESULTS, *(file.name for file in files if is_unchanged(folder, file))})
