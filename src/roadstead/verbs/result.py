"""What an anonymization found: to be read, written as a release, or taken as a table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.policies.document import Policy, to_json
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.protocol import QualityModel
from roadstead.release.apply import released_table
from roadstead.release.generalized import Generalized
from roadstead.release.publish import Draft, publish
from roadstead.release.verify import Verification
from roadstead.risk.prosecutor import ProsecutorRisk, prosecutor_risk
from roadstead.search.protocol import Outcome, Problem, Search
from roadstead.tables.roles import Roles
from roadstead.tables.sources import Source

if TYPE_CHECKING:
    import ibis
    import pandas as pd
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True)
class Anonymization:
    """The best policy found for a table, and what is known of it.

    Attributes
    ----------
    source, roles
        The table and its columns' roles.
    policy, models, quality
        The policy, its privacy models, and the loss it minimizes.
    problem, outcome, search
        What was searched, what was found, and how.
    generalized
        The policy applied to the table's summary.
    loss_by_attribute
        Loss of each quasi-identifier, 0 to 1.
    origins
        Where each quasi-identifier's hierarchy came from.
    withheld
        Columns without a role that are not released, because they single people out by themselves,
        with the share of records whose value fewer than k have.
    time_limit, seed
        As asked for.
    seconds
        Time of the whole work, reading included.
    """

    source: Source
    roles: Roles
    policy: Policy
    models: tuple[PrivacyModel, ...]
    quality: QualityModel
    problem: Problem
    outcome: Outcome
    search: Search
    generalized: Generalized
    loss_by_attribute: dict[str, float]
    origins: dict[str, str]
    withheld: dict[str, float]
    time_limit: float | None
    seed: int | None
    seconds: float

    @property
    def levels(self) -> dict[str, int]:
        """Level of each quasi-identifier."""
        return self.policy.levels

    @property
    def loss(self) -> float:
        """The loss of the policy, 0 to 1."""
        return 0.0 if self.outcome.best is None else self.outcome.best.loss

    @property
    def optimal(self) -> bool:
        """Whether no policy of the lattice loses less, proven."""
        return self.outcome.optimal

    @property
    def suppressed(self) -> int:
        """Records suppressed."""
        return self.generalized.suppressed

    @property
    def records(self) -> int:
        """Records of the table."""
        return self.generalized.table.records

    @cached_property
    def risk(self) -> ProsecutorRisk:
        """Prosecutor risk of the records released."""
        return prosecutor_risk(self.generalized.sizes, self._threshold)

    @cached_property
    def risk_before(self) -> ProsecutorRisk:
        """Prosecutor risk of the table as it was."""
        return prosecutor_risk(self.generalized.table.counts, self._threshold)

    @property
    def _threshold(self) -> float:
        return 1.0 / max([getattr(model, "k", 1) for model in self.models])

    @property
    def draft(self) -> Draft:
        """All that the release is made of."""
        return Draft(
            source=self.source,
            policy=self.policy,
            models=self.models,
            generalized=self.generalized,
            loss={
                **self.quality.settings(),
                "loss": self.loss,
                "by_attribute": self.loss_by_attribute,
            },
            search=self.search_facts,
            settings=self.settings,
            seed=self.seed,
            report=self._report,
        )

    def _report(self) -> str:
        from roadstead.verbs.reporting import report_of  # noqa: PLC0415 - charts are heavy

        return report_of(self)

    @property
    def search_facts(self) -> dict[str, Any]:
        """How the policy was found, for the certificate."""
        return {
            "name": self.search.name,
            "optimal": self.optimal,
            "lower_bound": self.outcome.lower_bound,
            "gap": self.outcome.gap,
            "evaluated": self.outcome.evaluated,
            "lattice_size": self.problem.space.size,
            "ending": self.outcome.ending,
        }

    @property
    def settings(self) -> dict[str, Any]:
        """What was asked for."""
        space = self.problem.space
        return {
            "quasi": list(self.roles.quasi),
            "privacy": [model.settings() for model in self.models],
            "suppression": self.policy.suppression.limit,
            "suppressed_records": self.policy.suppression.records,
            "quality": self.quality.settings(),
            "search": self.search.name,
            "time_limit": self.time_limit,
            "levels_allowed": {
                name: [low, high]
                for name, low, high in zip(space.attributes, space.bottom, space.top, strict=True)
            },
        }

    def write(self, out: str | Path, *, force: bool = False) -> Verification:
        """Write the release, verified, into a new folder.

        Raises
        ------
        OutputError
            When it cannot be written there; `force` replaces a former release.
        VerificationError
            When the written release does not keep a promise; nothing is published.
        """
        return publish(self.draft, Path(out), force=force)

    def table(self) -> ibis.Table:
        """Give the release as an Ibis table, computed when it is asked for."""
        return released_table(self.source, self.policy, self.generalized, mask=self.draft.masks)

    def to_arrow(self) -> pa.Table:
        """Give the release as an Arrow table."""
        return self.table().to_pyarrow()

    def to_pandas(self) -> pd.DataFrame:
        """Give the release as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Give the release as a Polars data frame."""
        import polars as pl  # noqa: PLC0415 - optional

        frame = pl.from_arrow(self.to_arrow())
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()

    def to_dict(self) -> dict[str, Any]:
        """Give what was found as JSON holds it."""
        counts = self.draft.counts
        return {
            "policy": to_json(self.policy),
            "levels": self.levels,
            "loss": self.loss,
            "loss_by_attribute": self.loss_by_attribute,
            "suppressed": self.suppressed,
            "records": self.records,
            "released": counts.released,
            "masked": counts.masked,
            "dropped": counts.dropped,
            "risk": {
                "maximum": self.risk.maximum,
                "average": self.risk.average,
                "maximum_before": self.risk_before.maximum,
                "average_before": self.risk_before.average,
            },
            "evaluated": self.outcome.evaluated,
            "lattice_size": self.problem.space.size,
            "optimal": self.optimal,
            "lower_bound": self.outcome.lower_bound,
            "gap": self.outcome.gap,
            "ending": self.outcome.ending,
            "search": self.search.name,
            "quality": self.quality.settings(),
            "hierarchies": self.origins,
            "withheld": self.withheld,
            "seconds": self.outcome.seconds,
            "seconds_total": self.seconds,
        }

    def __str__(self) -> str:
        from roadstead.verbs.words import summary  # noqa: PLC0415 - words import this

        return "\n".join(summary(self))

    def _repr_html_(self) -> str:
        from roadstead.verbs.reporting import summary_of  # noqa: PLC0415 - charts are heavy

        return summary_of(self)
