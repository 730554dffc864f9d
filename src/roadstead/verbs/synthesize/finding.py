"""What can be done with a differentially private release: read it, write it, take it as a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from roadstead.errors import quoted
from roadstead.printable import printable_lines
from roadstead.release.private.groups import in_order
from roadstead.release.private.publish import PrivateDraft, publish_private
from roadstead.release.verification.checks import Verification
from roadstead.verbs.in_brief import brief
from roadstead.verbs.synthesize.found import FoundSynthesis
from roadstead.verbs.synthesize.words import summary

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class SynthesisFinding(FoundSynthesis):
    """A differentially private release, with the files and tables it leads to."""

    @property
    def draft(self) -> PrivateDraft:
        """All that the files are made of."""
        return PrivateDraft(
            synthesis=self.synthesis,
            counts=self.counts,
            target=self.request.target,
            source=self.source,
            unit=self.unit,
            settings=self.settings,
            report=self._report,
        )

    def write(self, out: str | Path, *, force: bool = False) -> Verification:
        """Write the release, verified, into a new folder.

        Raises
        ------
        OutputError
            When it cannot be written there; `force` replaces a former release.
        VerificationError
            When the written release does not keep a promise; nothing is published.
        """
        return publish_private(self.draft, Path(out), force=force)

    def to_arrow(self) -> pa.Table:
        """Give the released records as an Arrow table: generalized values, the class last."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        listed, _ = in_order(
            self.synthesis.groups.groups, self.synthesis.groups.counts, self.counts
        )
        group, of_class = np.divmod(
            np.repeat(np.arange(self.counts.size), listed.released.reshape(-1)), len(self.classes)
        )
        columns = {
            cut.attribute: pa.array(texts).take(pa.array(codes[group]))
            for cut, texts, codes in zip(self.cuts, listed.cells, listed.groups.codes, strict=True)
        }
        columns[self.request.target] = pa.array(self.classes).take(pa.array(of_class))
        return pa.table(columns)

    def to_pandas(self) -> pd.DataFrame:
        """Give the released records as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Give the released records as a Polars data frame."""
        import polars as pl  # noqa: PLC0415 - optional

        frame = pl.from_arrow(self.to_arrow())
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()

    def _report(self) -> str:
        from roadstead.verbs.synthesize.reporting import page_of  # noqa: PLC0415 - charts are heavy

        return page_of(self)

    def _repr_html_(self) -> str:
        from markupsafe import escape  # noqa: PLC0415 - only notebooks need it

        return f"<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        return brief(
            self,
            self.source,
            f"epsilon = {self.request.epsilon}",
            f"target {quoted(self.request.target)}",
            f"{self.specializations} specializations",
            f"{self.groups:,} groups",
            f"{self.records:,} records made up",
        )

    def __str__(self) -> str:
        return printable_lines(summary(self))
