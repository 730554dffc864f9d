"""Describe results on one line, and convert result tables to data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roadstead.errors import quoted
from roadstead.tables.arrow_tables import readable

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from roadstead.tables.source import Source


class TabularResult:
    """A result that can be converted to an Arrow table or to a data frame."""

    def to_arrow(self) -> pa.Table:
        """Return the result as an Arrow table."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """Return the table of `to_arrow` as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return the table of `to_arrow` as a Polars data frame.

        Times are in UTC or in a named time zone.
        """
        import polars as pl  # noqa: PLC0415 - optional

        table = self.to_arrow()
        frame = pl.from_arrow(table.cast(readable(table.schema, offsets=False)))
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()


class ResultOfTable(TabularResult):
    """A result that reads its table again, and so keeps the table open."""

    if TYPE_CHECKING:  # a field or a property of each result

        @property
        def source(self) -> Source:
            """The table."""

    def close(self) -> None:
        """Close the table, which ends the transaction of a database.

        After this, the result can no longer write or convert a release. A release that was chosen
        from a frontier closes the table of the frontier.
        """
        self.source.close()

    def __enter__(self) -> Self:
        """Return the result, whose table is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the table."""
        self.close()


def brief(result: object, source: str, *figures: str) -> str:
    """Describe a result on one line, with its type, its table, and its key figures.

    The name of the table is quoted, because the name can contain any characters.
    """
    return f"<{type(result).__name__} of {quoted(source)}: {'; '.join(figures)}>"
