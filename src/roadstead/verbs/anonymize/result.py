"""Define the result of an anonymization."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from roadstead.policies.document import to_json
from roadstead.printable import printable_lines
from roadstead.reports import wording
from roadstead.reports.numbers import percent
from roadstead.reports.release.facts import AnonymizationFacts
from roadstead.reports.terminal.anonymization import summary
from roadstead.verbs.frames import brief
from roadstead.verbs.released import ReleaseResult

if TYPE_CHECKING:
    from roadstead.reports.content import ReportContent


@dataclass(frozen=True)
class Anonymization(AnonymizationFacts, ReleaseResult):
    """The best policy that a search found for a table, facts about the policy, and its release."""

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as a dictionary that can be converted to JSON."""
        return {
            "policy": to_json(self.policy),
            "models": [model.name for model in self.models],
            "added_model": self.added_model,
            "counted": self.counted.to_dict(),
            "levels": self.levels,
            "loss": self.loss,
            "loss_by_attribute": self.loss_by_attribute,
            "suppressed": self.suppressed,
            **asdict(self.draft.counts),
            "risk": self.risk_document,
            "expected_below_k": self.draft.expected_below_k,
            **({} if self.recoded is None else {"recoding": asdict(self.recoded)}),
            "evaluated": self.outcome.evaluated,
            "pruned": self.outcome.pruned,
            "hits": self.outcome.hits,
            "queries": self.outcome.queries,
            "lattice_size": self.space.size,
            "optimal": self.optimal,
            "lower_bound": self.outcome.lower_bound,
            "gap": self.outcome.gap,
            "ending": self.outcome.ending,
            "search": self.search.name,
            "quality": self.quality.settings(),
            "hierarchies": self.origins,
            "noticed": list(self.noticed),
            **self.decided.to_dict(),
            **self.columns_document,
            "matched": {pattern: list(names) for pattern, names in self.matched.items()},
            "seconds": round(self.outcome.seconds, 3),
            "seconds_total": round(self.seconds, 3),
            **({} if self.policy.persons is None else {"dates": self.dates.to_dict()}),
            "columns_withheld": self.withheld_document,
            **self.ledger_document,
        }

    @property
    def content(self) -> ReportContent:
        """Return the complete content of the report."""
        from roadstead.reports.release.anonymization import content_of  # noqa: PLC0415 - heavy

        return content_of(self)

    def __repr__(self) -> str:
        counts = self.draft.counts
        return brief(
            self,
            self.source.name,
            wording.counted(counts.records, "record"),
            wording.first_few(tuple(model.name for model in self.models)),
            f"{len(self.policy.quasi)} quasi-identifiers",
            f"{percent(counts.suppressed / counts.records)} suppressed",
            f"loss {percent(self.loss)}" + (", optimal" if self.optimal else ""),
        )

    def __str__(self) -> str:
        return printable_lines([*summary(self), *self.ledger_lines, *self.ending()])
