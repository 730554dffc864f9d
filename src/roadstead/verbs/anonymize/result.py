"""What an anonymization found: the policy, all that is known of it, and the release it leads to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.front_end import option
from roadstead.policies.document import Policy, to_json
from roadstead.policies.full_domain import Levels
from roadstead.printable import printable_lines
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.protocol import QualityModel
from roadstead.release.added_risk import AddedRisk
from roadstead.release.apply import released_batches, released_table
from roadstead.release.draft import Draft
from roadstead.release.generalized import Generalized
from roadstead.release.publish import publish_release
from roadstead.release.verification.checks import Verification
from roadstead.reports.numbers import percent
from roadstead.risk.prosecutor import ProsecutorRisk, prosecutor_risk, risk_as_it_is
from roadstead.search.protocol import Outcome
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.anonymize.question import Searched, Strategy
from roadstead.verbs.anonymize.words import counted, listed, summary
from roadstead.verbs.columns import ColumnDecisions
from roadstead.verbs.in_brief import brief

if TYPE_CHECKING:
    import ibis
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from roadstead.reports.content import ReportContent


@dataclass(frozen=True)
class Anonymization:
    """The best policy found for a table, what is known of it, and the release it leads to.

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
        Loss of each quasi-identifier, 0 to 1; Iyengar's where the quality model speaks of classes.
    origins
        Where each quasi-identifier's hierarchy or order came from.
    decided
        What becomes of the other columns.
    added_k
        The k of a k-anonymity that nobody asked for, beside the models that somebody did; None
        where there is none.
    matched
        For each pattern in the lists of columns, those it matched.
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
    problem: Searched
    outcome: Outcome[Levels]
    search: Strategy
    generalized: Generalized
    loss_by_attribute: dict[str, float]
    origins: dict[str, str]
    decided: ColumnDecisions
    time_limit: float | None
    seed: int | None
    seconds: float
    added_k: int | None = None
    matched: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def added_model(self) -> str | None:
        """What was added to the request, and how to leave it out."""
        if self.added_k is None:
            return None
        return (
            f"{self.added_k}-anonymity was added because no k was given; {option('k', 1)} leaves "
            "it out"
        )

    @property
    def withheld(self) -> dict[str, float]:
        """Columns that nobody decided on and that are not released; how rare their values are."""
        return self.decided.rare

    @cached_property
    def added(self) -> AddedRisk:
        """How many records the released columns tell apart, beside the quasi-identifiers."""
        return self.draft.count_added()

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
        return risk_as_it_is(self.generalized.table, self._threshold)

    @property
    def _threshold(self) -> float:
        return min(model.threshold for model in self.models)

    @property
    def draft(self) -> Draft:
        """All that the release is made of, but for the report."""
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
            identifiers=self.decided.certified,
        )

    @property
    def search_facts(self) -> dict[str, Any]:
        """How the policy was found, for the certificate."""
        return {
            "name": self.search.name,
            "optimal": self.optimal,
            "lower_bound": self.outcome.lower_bound,
            "gap": self.outcome.gap,
            "evaluated": self.outcome.evaluated,
            "queries": self.outcome.queries,
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

    def to_dict(self) -> dict[str, Any]:
        """Give what was found as JSON holds it."""
        counts = self.draft.counts
        return {
            "policy": to_json(self.policy),
            "models": [model.name for model in self.models],
            "added_model": self.added_model,
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
            "expected_below_k": self.draft.expected_below_k,
            "evaluated": self.outcome.evaluated,
            "pruned": self.outcome.pruned,
            "hits": self.outcome.hits,
            "queries": self.outcome.queries,
            "lattice_size": self.problem.space.size,
            "optimal": self.optimal,
            "lower_bound": self.outcome.lower_bound,
            "gap": self.outcome.gap,
            "ending": self.outcome.ending,
            "search": self.search.name,
            "quality": self.quality.settings(),
            "hierarchies": self.origins,
            **self.decided.to_dict(),
            "released_columns_add": self.added.to_dict(),
            "matched": {pattern: list(names) for pattern, names in self.matched.items()},
            "seconds": self.outcome.seconds,
            "seconds_total": self.seconds,
        }

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
        from roadstead.reports.page import render  # noqa: PLC0415 - templates are heavy

        return render(self._content())

    def _content(self) -> ReportContent:
        from roadstead.verbs.anonymize.reporting import content_of  # noqa: PLC0415 - heavy

        return content_of(self)

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
        from roadstead.reports.page import render_summary  # noqa: PLC0415 - templates are heavy

        return render_summary(self._content())
