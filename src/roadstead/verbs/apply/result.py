"""Define the result of applying a policy to new data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from roadstead.printable import printable_lines
from roadstead.reports import wording
from roadstead.reports.content import ReportContent
from roadstead.reports.numbers import percent
from roadstead.reports.release.application import ApplicationFacts, content_of
from roadstead.reports.terminal.application import lines_of
from roadstead.verbs.frames import brief
from roadstead.verbs.released import ReleaseResult


@dataclass(frozen=True)
class Application(ApplicationFacts, ReleaseResult):
    """The result of applying a policy to new data."""

    def to_dict(self) -> dict[str, Any]:
        """Return the results as a dictionary that can be converted to JSON."""
        risk = self.risk_document
        return {
            "noticed": list(self.noticed),
            "levels": self.levels,
            "counted": self.decided.counted.to_dict(),
            **asdict(self.draft.counts),
            "risk": {key: one for key, one in risk.items() if not key.endswith("_before")},
            "expected_below_k": self.draft.expected_below_k,
            "unseen_values": self.unseen,
            "columns_not_released": list(self.unknown_columns),
            "drift": self.drift.to_dict(),
            **self.limits,
            **({} if self.policy.persons is None else {"dates": self.dates.to_dict()}),
            "released_by_name": list(self.decided.roles.release_anyway),
            "released_identifiers": [one.to_dict() for one in self.decided.released_identifiers],
            **self.columns_document,
            "columns_withheld": self.withheld_document,
            **self.ledger_document,
        }

    def reminder(self, *, advice: bool = True) -> tuple[str, ...]:
        """Return a reminder of the ledger, unless the release was written with a ledger."""
        return () if self.compared else super().reminder(advice=advice)

    @property
    def content(self) -> ReportContent:
        """Return the complete content of the report."""
        return content_of(self)

    def __repr__(self) -> str:
        counts = self.draft.counts
        return brief(
            self,
            self.source.name,
            wording.counted(counts.records, "record"),
            wording.first_few(tuple(model.name for model in self.models)),
            f"{percent(counts.suppressed / counts.records)} suppressed, limit "
            f"{percent(self.policy.suppression.limit)}",
        )

    def __str__(self) -> str:
        return printable_lines([*self.lines, *self.ledger_lines, *self.ending()])

    @property
    def lines(self) -> list[str]:
        """Return the lines of the output, except the last block."""
        return lines_of(self)
