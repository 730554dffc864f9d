"""Run the command ``reproduce``, which repeats the experiments of a paper and compares the results.

The experiments are part of a separate distribution. The distribution declares an entry point for
each paper, and this command runs the entry point.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from roadstead.cli.show import note, on_one_line, show, show_json
from roadstead.errors import MissingExtraError, SettingError
from roadstead.registry import INSTALL_REPRODUCTIONS, Registry

_NARROWEST, _WIDTH = 80, 160
"""The minimum width of a table, in columns, and the width if there is no terminal."""

Say: TypeAlias = Callable[[str], None]
"""A function that receives a line about the progress."""


class PaperResult(Protocol):
    """The results of the experiments in a paper."""

    def lines(self, width: int) -> list[str]:
        """Return the tables as lines for a terminal with the given width."""

    def to_dict(self) -> dict[str, Any]:
        """Return all results as a dictionary of plain values."""

    def write(self, out: Path, *, force: bool) -> None:
        """Write all results to a new folder."""


class Experiments(Protocol):
    """An interface for the experiments in a paper."""

    def expected_seconds(self, *, quick: bool) -> float:
        """Estimate how long the experiments take."""

    def check_folder(self, out: Path, *, force: bool) -> None:
        """Before any work starts, reject an output folder that cannot be written to."""

    def run(self, report: Say, *, quick: bool) -> PaperResult:
        """Run the experiments."""


def _why_no_experiments(_: str, loaded: object) -> str | None:
    """Return the reason why a loaded object cannot run experiments, or None if it can."""
    return None if callable(getattr(loaded, "run", None)) else "it has no experiments to run"


PAPERS: Registry[Experiments] = Registry("roadstead.reproductions", {}, _why_no_experiments)
"""The experiments; the key is the name of the paper."""


def reproduce(paper: str, out: Path | None, *, quick: bool, force: bool, as_json: bool) -> int:
    """Run the command ``reproduce``."""
    experiments = experiments_of(paper)
    if out is not None:
        experiments.check_folder(out, force=force)
    note(f"{paper}: about {_duration(experiments.expected_seconds(quick=quick))} on two cores")
    with _shown_progress() as report:
        found = experiments.run(report, quick=quick)
        if out is not None:
            report(f"writing {out}")
            found.write(out, force=force)
    if as_json:
        show_json({**found.to_dict(), "out": None if out is None else str(out)})
        return 0
    wide = shutil.get_terminal_size((_WIDTH, 24)).columns
    show(found.lines(max(_NARROWEST, wide)))
    if out is not None:
        note(f"Tables, pictures, and figures are in {out}")
    return 0


def experiments_of(paper: str) -> Experiments:
    """Load the experiments in a paper."""
    if not PAPERS:
        raise MissingExtraError(
            "the papers' experiments are not installed",
            fix=INSTALL_REPRODUCTIONS,
        )
    if paper not in PAPERS:
        raise SettingError(
            f"there are no experiments for a paper named {paper!r}",
            fix="use " + ", ".join(PAPERS),
        )
    return PAPERS[paper]


@contextlib.contextmanager
def _shown_progress() -> Iterator[Say]:
    began = time.monotonic()

    def timed(say: Callable[[str], None]) -> Say:
        return lambda line: say(f"{time.monotonic() - began:6.0f} s  {line}")

    if not sys.stderr.isatty():
        yield timed(note)
        return
    with on_one_line("starting") as say:
        yield timed(say)


def _duration(seconds: float) -> str:
    if seconds < 90:  # noqa: PLR2004 - a minute and a half
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes"
