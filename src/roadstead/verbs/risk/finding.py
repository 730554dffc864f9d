"""What can be done with an assessment: read it, write its page, take its figures as a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.printable import printable_lines
from roadstead.reports.numbers import percent
from roadstead.verbs.anonymize.words import counted
from roadstead.verbs.in_brief import brief
from roadstead.verbs.risk.advice import Advice
from roadstead.verbs.risk.found import FoundRisk
from roadstead.verbs.risk.words import summary
from roadstead.verbs.risk.writing import write

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class RiskFinding(FoundRisk):
    """An assessment, with the files and tables it leads to."""

    def write(self, out: str | Path, *, force: bool = False, advice: Advice | None = None) -> None:
        """Write the page and the figures into a new folder.

        Raises
        ------
        OutputError
            When it cannot be written there; `force` replaces a former assessment.
        """
        write(self, Path(out), force=force, advice=advice)

    def to_arrow(self) -> pa.Table:
        """Give class sizes as an Arrow table: release (before, after), size, classes."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        rows = [("before", *pair) for pair in self.before.sizes]
        if self.after is not None:
            rows += [("after", *pair) for pair in self.after.sizes]
        names = ("release", "size", "classes")
        return pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})

    def to_pandas(self) -> pd.DataFrame:
        """Give class sizes as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Give class sizes as a Polars data frame."""
        import polars as pl  # noqa: PLC0415 - optional

        frame = pl.from_arrow(self.to_arrow())
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()

    def _repr_html_(self) -> str:
        from markupsafe import escape  # noqa: PLC0415 - only notebooks need it

        return f"<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        figures = [
            f"{len(self.quasi)} quasi-identifiers",
            f"prosecutor risk at most {percent(self.prosecutor.maximum)}",
            f"{percent(self.prosecutor.average)} on average",
        ]
        if self.after is not None:
            figures.append(f"{percent(self.after.prosecutor.maximum)} at most after the policy")
        return brief(self, self.source, counted(self.records), *figures)

    def __str__(self) -> str:
        return printable_lines(summary(self))
