"""What can be done with an evaluation: read it, write it, take its figures as a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.printable import printable_lines
from roadstead.reports.numbers import percent
from roadstead.verbs.evaluate.found import FoundJudgment, FoundRehearsal
from roadstead.verbs.evaluate.words import judgment, rehearsal
from roadstead.verbs.evaluate.writing import write
from roadstead.verbs.in_brief import brief

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

COLUMNS = ("run", "way", "classifier", "figure", "value")

_KEPT = (
    "groups",
    "records",
    "specializations",
    "one_way",
    "two_way",
    "correlation_change",
    "seconds",
)

Line = tuple[int, str, str, str, float]
"""Run, way, classifier, figure and value; what does not apply is empty."""


@dataclass(frozen=True)
class EvaluationFinding:
    """An evaluation; none of it is private.

    Attributes
    ----------
    found
        A release judged on held-out records, or a request rehearsed.
    """

    found: FoundJudgment | FoundRehearsal

    @property
    def lines(self) -> list[str]:
        """The evaluation in words."""
        if isinstance(self.found, FoundRehearsal):
            return rehearsal(self.found)
        return judgment(self.found)

    def to_dict(self) -> dict[str, Any]:
        """Give the document that ``--json`` prints."""
        return self.found.to_dict()

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write the figures into a new folder.

        Raises
        ------
        OutputError
            When it cannot be written there; `force` replaces a former evaluation.
        """
        write(self.to_dict(), COLUMNS, self._figures(), Path(out), force=force)

    def to_arrow(self) -> pa.Table:
        """Give each figure of each run as an Arrow table: run, way, classifier, figure, value."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        figures = self._figures()
        return pa.table({name: [row[at] for row in figures] for at, name in enumerate(COLUMNS)})

    def to_pandas(self) -> pd.DataFrame:
        """Give the figures as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Give the figures as a Polars data frame."""
        import polars as pl  # noqa: PLC0415 - optional

        frame = pl.from_arrow(self.to_arrow())
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()

    def _figures(self) -> list[Line]:
        if isinstance(self.found, FoundRehearsal):
            return _of_runs(self.found)
        return _of_release(self.found)

    def _repr_html_(self) -> str:
        from markupsafe import escape  # noqa: PLC0415 - only notebooks need it

        return f"<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        found = self.found
        if isinstance(found, FoundRehearsal):
            runs = f"{len(found.runs)} of {found.asked} runs"
            return brief(
                self, found.source, "not private", runs, f"{len(found.ways)} ways compared"
            )
        right = [f"{name} right of {percent(share)}" for name, share in found.accuracy.items()]
        return brief(self, found.release, "not private", f"epsilon = {found.epsilon:g}", *right)

    def __str__(self) -> str:
        return printable_lines(self.lines)


def _of_runs(found: FoundRehearsal) -> list[Line]:
    lines: list[Line] = []
    for run in found.runs:
        at = run.number
        lines.append((at, "most frequent class", "", "LA", run.lower_bound))
        lines += [
            (at, "records as they are", name, "BA", right) for name, right in run.baseline.items()
        ]
        for one in run.outcomes:
            way = one.way.name
            lines += [(at, way, name, "CA", right) for name, right in one.accuracy.items()]
            lines += [(at, way, "", name, float(getattr(one, name))) for name in _KEPT]
    return lines


def _of_release(found: FoundJudgment) -> list[Line]:
    way, kept = found.release, found.kept
    return [
        (1, "most frequent class of the release", "", "LA", found.majority_of_release),
        (1, "most frequent class of the held-out records", "", "LA", found.majority_of_held_out),
        *((1, way, name, "CA", right) for name, right in found.accuracy.items()),
        (1, way, "", "one_way", kept.mean_one_way),
        (1, way, "", "two_way", kept.mean_two_way),
        (1, way, "", "correlation_change", kept.mean_change),
    ]
