"""The command ``reproduce``: a paper's experiments, ours beside the published figures."""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.cli.show import note, on_one_line, show, show_json
from roadstead_reproductions.papers import experiments_of
from roadstead_reproductions.reproduction import Reproduction, ResultTable, Tell
from roadstead_reproductions.writing import check_folder, write

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH = 160
"""Columns of a table where no terminal says how many there are."""


def reproduce(paper: str, out: Path | None, *, quick: bool, force: bool, as_json: bool) -> int:
    """Run the command."""
    experiments = experiments_of(paper)
    if out is not None:
        check_folder(out, force=force)
    note(f"{paper}: about {_duration(experiments.expected_seconds(quick=quick))} on two cores")
    with _telling() as tell:
        found = experiments.run(tell, quick=quick)
        if out is not None:
            tell(f"writing {out}")
            write(found, out, force=force)
    if as_json:
        show_json({**found.to_dict(), "out": None if out is None else str(out)})
        return 0
    show(_rendered(found).split("\n"))
    if out is not None:
        note(f"Tables, pictures and all figures: {out}")
    return 0


@contextlib.contextmanager
def _telling() -> Iterator[Tell]:
    """Say what is being done: on a terminal one line that changes, elsewhere a line each."""
    began = time.monotonic()

    def timed(say: Callable[[str], None]) -> Tell:
        return lambda line: say(f"{time.monotonic() - began:6.0f} s  {line}")

    if not sys.stderr.isatty():
        yield timed(note)
        return
    with on_one_line("starting") as say:
        yield timed(say)


def _rendered(found: Reproduction) -> str:
    """Lay the tables out for the width there is."""
    from rich.console import Console  # noqa: PLC0415 - where something is shown

    text = io.StringIO()
    wide = shutil.get_terminal_size((_WIDTH, 24)).columns
    console = Console(file=text, width=max(80, wide), force_terminal=False, highlight=False)
    for table in found.tables:
        if not table.drawn:
            _render(table, console)
    return text.getvalue().rstrip("\n")


def _render(table: ResultTable, console: Console) -> None:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - where something is shown
    from rich.table import Table  # noqa: PLC0415 - likewise
    from rich.text import Text  # noqa: PLC0415 - likewise

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


def _duration(seconds: float) -> str:
    if seconds < 90:  # noqa: PLR2004 - a minute and a half
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes"
