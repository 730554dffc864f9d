"""The result of a search for the frontier: good trades between risk and loss, by index.

Indices go up with the risk, from 0. The same request gives the same frontier, and so the same
indices, unless a time limit ended the search. A result can be pickled, and releases made of it
where it is read again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from roadstead.errors import Refusal, SettingError
from roadstead.front_end import option
from roadstead.printable import printable_lines
from roadstead.reports.frontier.facts import FrontierFacts
from roadstead.reports.frontier.lines import document, in_brief, lines
from roadstead.requests import checks
from roadstead.search.frontiers.frontier import CLOSE
from roadstead.tables.source import Source
from roadstead.verbs.frontier.release import FrontierRelease
from roadstead.verbs.frontier.study import Study
from roadstead.verbs.frontier.writing import write
from roadstead.verbs.in_brief import brief

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

P = TypeVar("P")


@dataclass(frozen=True, eq=False, repr=False)
class FrontierFinding(FrontierFacts[P]):
    """The policies that no other policy met betters in both risk and loss, as facts describe them.

    `study` has the table and the policies that were searched: what releases are made of.
    """

    study: Study[P] = field(kw_only=True)

    @property
    def source(self) -> Source:
        """The table."""
        return self.study.source

    def choose(self, index: int) -> FrontierRelease:
        """Make the release of a policy.

        Raises
        ------
        SettingError
            When the frontier has no policy of the index.
        """
        if not 0 <= index < len(self.members):
            raise SettingError(
                f"the frontier has no policy {index}",
                where=option("choose"),
                fix=f"choose one of 0 to {len(self.members) - 1}",
            )
        member = self.members[index]
        return self.study.release(member, member.risk, self)

    def within(self, risk: float) -> FrontierRelease:
        """Make the release of the policy that loses least of those whose risk is not above.

        Parameters
        ----------
        risk
            A share of the original data's risk.

        Raises
        ------
        SettingError
            When it is no share: 5 is no 5 %, and would let everything be released.
        Refusal
            When no policy found has so little risk.
        """
        checks.share(risk, "risk")
        fitting = [member for member in self.members if member.risk <= risk + CLOSE]
        if not fitting:
            least = self.members[0].risk
            raise Refusal(
                f"no policy found has a risk of at most {risk:g} of the original data's",
                where=option("risk"),
                fix=f"the least found is {least:.6g}",
            )
        return self.study.release(min(fitting, key=lambda member: member.loss), risk, self)

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write the page, the picture and the points into a new folder.

        Raises
        ------
        OutputError
            When it cannot be written there; `force` replaces a former frontier.
        """
        write(self, self.source, Path(out), force=force)

    def to_dict(self) -> dict[str, Any]:
        """Give what was found as JSON holds it."""
        return document(self)

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
        from roadstead.reports.frontier.page import in_notebook  # noqa: PLC0415 - charts are heavy

        return in_notebook(self)

    def __repr__(self) -> str:
        return brief(self, self.source.name, *in_brief(self))

    def __str__(self) -> str:
        return printable_lines(lines(self))
