"""What can be done with a finding: read it, write it as a release, take it as a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.printable import printable_lines
from roadstead.release.apply import released_batches, released_table
from roadstead.release.publish import publish_release
from roadstead.release.verification.checks import Verification
from roadstead.reports.numbers import percent
from roadstead.verbs.anonymize.finding import Finding
from roadstead.verbs.anonymize.words import counted, listed, summary
from roadstead.verbs.in_brief import brief

if TYPE_CHECKING:
    import ibis
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class Anonymization(Finding):
    """A finding, with the release it leads to."""

    def write(
        self, out: str | Path, *, into: str | None = None, force: bool = False
    ) -> Verification:
        """Write the release, verified, into a new folder.

        Parameters
        ----------
        out
            The folder.
        into
            The address of a new table in a database. The released table goes there, made by the
            engine itself if that holds the source too, and the folder gets the documents alone.
        force
            Replace a former release in the folder, and a former table.

        Raises
        ------
        OutputError
            When it cannot be written there, or exists and `force` is not given.
        VerificationError
            When the written release does not keep a promise; nothing is published.
        """
        _ = self.added  # counted now: once the release streams, the engine is not to be asked
        draft = replace(self.draft, report=self._report)
        return publish_release(draft, Path(out), into, force=force)

    def table(self) -> ibis.Table:
        """Give the release as an Ibis table, computed when it is asked for."""
        return released_table(self.source, self.policy, self.generalized, mask=self.draft.masks)

    def to_arrow(self) -> pa.Table:
        """Give the release as an Arrow table."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        mask = self.draft.masks
        released = released_batches(
            self.source, self.policy, self.generalized, mask=mask
        ).read_all()
        plain = [
            pa.field(field.name, field.type.value_type)
            if pa.types.is_dictionary(field.type)
            else field
            for field in released.schema
        ]
        return released.cast(pa.schema(plain))

    def to_pandas(self) -> pd.DataFrame:
        """Give the release as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Give the release as a Polars data frame."""
        import polars as pl  # noqa: PLC0415 - optional

        frame = pl.from_arrow(self.to_arrow())
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()

    def _report(self) -> str:
        from roadstead.verbs.anonymize.reporting import report_of  # noqa: PLC0415 - charts are heavy

        return report_of(self)

    def __repr__(self) -> str:
        counts = self.draft.counts
        return brief(
            self,
            self.source.name,
            counted(counts.records),
            listed(tuple(model.name for model in self.models)),
            f"{len(self.policy.quasi)} quasi-identifiers",
            f"{percent(counts.suppressed / counts.records)} suppressed",
            f"loss {percent(self.loss)}" + (", optimal" if self.optimal else ""),
        )

    def __str__(self) -> str:
        return printable_lines(summary(self))

    def _repr_html_(self) -> str:
        from roadstead.verbs.anonymize.reporting import summary_of  # noqa: PLC0415 - charts are heavy

        return summary_of(self)
