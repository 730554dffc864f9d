"""Define the result of an anonymization."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roadstead.policies.document import to_json
from roadstead.printable import printable_lines
from roadstead.reports import wording
from roadstead.reports.numbers import percent
from roadstead.reports.runnable import runnable_document
from roadstead.reports.shared_values import shared_values_document
from roadstead.reports.treatments import treated_document
from roadstead.verbs.anonymize.facts import AnonymizationFacts
from roadstead.verbs.anonymize.words import summary
from roadstead.verbs.frames import brief

if TYPE_CHECKING:
    from roadstead.reports.content import ReportContent


@dataclass(frozen=True)
class Anonymization(AnonymizationFacts):
    """The best policy that the search found for a table, facts about it, and its release."""

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as a dictionary that can be converted to JSON."""
        counts, risk = self.draft.counts, self.draft.risk
        return {
            "policy": to_json(self.policy),
            "models": [model.name for model in self.models],
            "added_model": self.added_model,
            "counted": self.counted.to_dict(),
            "levels": self.levels,
            "loss": self.loss,
            "loss_by_attribute": self.loss_by_attribute,
            "suppressed": self.suppressed,
            "records": self.records,
            "released": counts.released,
            "masked": counts.masked,
            "dropped": counts.dropped,
            "risk": {
                "maximum": risk.maximum,
                "average": risk.average,
                "maximum_before": risk.maximum_before,
                "average_before": risk.average_before,
            },
            "expected_below_k": self.draft.expected_below_k,
            **({} if self.recoded is None else {"recoding": self.recoded.to_dict()}),
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
            "released_columns_add": self.added.to_dict(),
            **self.draft.all_rows_document,
            **shared_values_document(self.shared_values),
            **runnable_document(self.runnable),
            **treated_document(self.generalized.treated),
            "matched": {pattern: list(names) for pattern, names in self.matched.items()},
            "seconds": self.outcome.seconds,
            "seconds_total": self.seconds,
            **({} if self.policy.persons is None else {"dates": self.dates.to_dict()}),
            "columns_withheld": self.withheld_document,
        }

    @property
    def content(self) -> ReportContent:
        """Return the complete content of the report."""
        from roadstead.verbs.anonymize.reporting import content_of  # noqa: PLC0415 - heavy

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
        return printable_lines([*summary(self), *self.ending()])
