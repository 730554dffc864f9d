"""What results can do: be shown on a line, and be taken as a data frame where they are a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.errors import quoted

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class TabularResult:
    """A result that gives itself as an Arrow table, and so as data frames."""

    def to_arrow(self) -> pa.Table:
        """Give it as an Arrow table."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """Give what `to_arrow` has as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Give what `to_arrow` has as a Polars data frame."""
        import polars as pl  # noqa: PLC0415 - optional

        frame = pl.from_arrow(self.to_arrow())
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()


def brief(result: object, source: str, *figures: str) -> str:
    """Write a result on one line, as a debugger shows it: its kind, its table, its key figures.

    What its table is called comes from outside, and is quoted.
    """
    return f"<{type(result).__name__} of {quoted(source)}: {'; '.join(figures)}>"
