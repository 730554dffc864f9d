"""What can be done with a frontier: read it, write its page, take its points as a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from roadstead.printable import printable_lines
from roadstead.verbs.anonymize.words import counted
from roadstead.verbs.frontier.found import FoundFrontier
from roadstead.verbs.frontier.words import summary
from roadstead.verbs.frontier.writing import write
from roadstead.verbs.in_brief import brief

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

P = TypeVar("P")


class FrontierFinding(FoundFrontier[P]):
    """The policies found, with the files and tables they lead to."""

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write the page, the picture and the points into a new folder.

        Raises
        ------
        OutputError
            When it cannot be written there; `force` replaces a former frontier.
        """
        write(self, Path(out), force=force)

    def to_arrow(self) -> pa.Table:
        """Give the points as an Arrow table: index, risk, utility_loss, dominates_safe_harbor."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        better = set(self.dominating)
        return pa.table(
            {
                "index": list(range(len(self.members))),
                "risk": [member.risk for member in self.members],
                "utility_loss": [member.loss for member in self.members],
                "dominates_safe_harbor": [i in better for i in range(len(self.members))],
            }
        )

    def to_pandas(self) -> pd.DataFrame:
        """Give the points as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Give the points as a Polars data frame."""
        import polars as pl  # noqa: PLC0415 - optional

        frame = pl.from_arrow(self.to_arrow())
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()

    def _repr_html_(self) -> str:
        from markupsafe import escape  # noqa: PLC0415 - only notebooks need it

        return f"<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        return brief(
            self,
            self.source.name,
            counted(self.records),
            f"{len(self.members):,} policies",
            f"area {self.area:.4f}",
            f"{len(self.dominating)} of them better than Safe Harbor"
            if self.safe_harbor is not None
            else "Safe Harbor does not apply",
        )

    def __str__(self) -> str:
        return printable_lines(summary(self))
