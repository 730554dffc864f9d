"""Describe results on one line, and convert tables to data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.errors import quoted

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class TabularResult:
    """A result that can be converted to an Arrow table, and so to data frames."""

    def to_arrow(self) -> pa.Table:
        """Return the result as an Arrow table."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """Return the table of `to_arrow` as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return the table of `to_arrow` as a Polars data frame."""
        import polars as pl  # noqa: PLC0415 - optional

        frame = pl.from_arrow(self.to_arrow())
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()


def brief(result: object, source: str, *figures: str) -> str:
    """Describe a result on one line: type, table, and key figures.

    The name of the table comes from outside Roadstead, so it is put in quotes.
    """
    return f"<{type(result).__name__} of {quoted(source)}: {'; '.join(figures)}>"
