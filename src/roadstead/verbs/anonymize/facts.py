"""Define the facts about an anonymization that the output and the report describe."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.policies.recodings.document import RecodingKind
from roadstead.privacy.conditions import SizeModel
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.quality.protocol import QualityModel
from roadstead.release.draft import Draft
from roadstead.release.persons.dates import DatesMade
from roadstead.release.persons.figures import (
    PersonRiskLeft,
    person_risk_left,
    risk_of_persons_before,
)
from roadstead.reports import wording
from roadstead.reports.treatments import treated_loss
from roadstead.risk.persons.prosecutor import PersonRisk
from roadstead.risk.prosecutor import ProsecutorRisk, prosecutor_risk, risk_as_it_is
from roadstead.search.protocol import Named, Outcome
from roadstead.tables.codebooks.shown import labels_of_codes
from roadstead.tables.roles import Roles
from roadstead.verbs.noticed.ages import old_ages
from roadstead.verbs.noticed.births import births_compared_with
from roadstead.verbs.noticed.declared_missing import declared_codes_lost
from roadstead.verbs.noticed.gather import noticed, noticed_elsewhere
from roadstead.verbs.released import ReleaseResult


@dataclass(frozen=True)
class RecodingFound:
    """Facts about a recoding that generalizes each class in a different way.

    For each attribute, `shown` contains the share of the records at each level of the hierarchy. If
    the attribute has intervals instead of levels, `shown` contains the shares of records with a
    single value, with an interval of all values, and with any other interval.
    """

    kind: RecodingKind
    classes: int
    arithmetic: float
    geometric: float
    lower_bound: float  # lower bound on the arithmetic mean
    gap: float  # largest share of the arithmetic loss that can be avoided
    shown: dict[str, dict[str, float]]
    attacks: tuple[str, ...]  # the results of attacks on the classes, in sentences
    # Additional columns that a privacy model uses. The search ignored these columns, and
    # classes that the model rejected were merged. The bound ignores these columns too.
    unseen: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as values for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class AnonymizationFacts(ReleaseResult):
    """Facts about the best policy that the search found for a table.

    Attributes
    ----------
    source, roles
        The table, and the roles of its columns.
    policy, models, quality
        The policy, its privacy models, and the minimized loss.
    space, limit
        The searched policies, and the maximum number of records that a policy may suppress.
    outcome, search
        The outcome of the search, and the name of the search.
    generalized
        The summary of the table, generalized by the policy.
    loss_by_attribute
        The loss of each quasi-identifier, from 0 to 1. If the quality model has no loss per
        attribute, this is Iyengar's loss.
    hierarchies, origins
        The hierarchy of each quasi-identifier, and the source of the hierarchy or of the order of
        its values.
    decided
        The decisions about the other columns.
    added_k
        The k of k-anonymity if k-anonymity was added to the requested models by default, or else
        None.
    matched
        For each pattern in a list of columns, the columns that match the pattern.
    time_limit, seed
        The time limit and the seed of the request.
    seconds
        The duration of the whole work, including reading the table.
    recoded
        Facts about the classes if each class is generalized in a different way, or else None.
    dates
        The changes to the dates of each person, and the records that date shifts exclude.
    """

    roles: Roles
    quality: QualityModel
    space: FullDomain
    limit: int
    outcome: Outcome[Levels]
    search: Named
    loss_by_attribute: dict[str, float]
    hierarchies: tuple[Hierarchy, ...]
    origins: dict[str, str]
    time_limit: float | None
    seed: int | None
    seconds: float
    dates: DatesMade
    added_k: int | None = None
    recoded: RecodingFound | None = None
    matched: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def added_model(self) -> str | None:
        """Return a note that names the model added by default, and explains how to turn it off."""
        if self.added_k is None:
            return None
        if self.policy.persons is not None:  # people need k for any protection
            return f"{self.added_k}-anonymity of people was added because no k was given"
        return (
            f"{self.added_k}-anonymity was added because no k was given; to leave it out, use "
            f"{option('k', 1)}"
        )

    @property
    def without_k(self) -> str | None:
        """Return a note if classes have no minimum size, or else None."""
        if any(isinstance(model, SizeModel | PersonAnonymity) for model in self.models):
            return None
        return (
            "These requirements do not include k-anonymity, so a record may be alone in its group; "
            f"to add k-anonymity, use {option('k', 5)}"
        )

    @property
    def counted(self) -> wording.CountedUnit:
        """Return the unit that is counted: records or people."""
        return self.decided.counted

    @cached_property
    def noticed(self) -> tuple[str, ...]:
        """Return sentences about unusual values in the columns."""
        table, fewest = self.generalized.table, self.draft.group_size
        others = noticed_elsewhere(self.decided.examined.samples, table.attributes)
        labels = labels_of_codes(self.source)
        said = noticed(table, self.hierarchies, fewest=fewest, labels=labels)
        lost = declared_codes_lost(self.source, self.policy.released)
        return (*said, *others, *lost, *old_ages(self.policy, self.generalized))

    @property
    def levels(self) -> dict[str, int] | None:
        """Return the level of each quasi-identifier.

        Return None if each class has its own levels (see `recoded`).
        """
        return None if self.policy.recoding is not None else self.policy.levels

    @property
    def loss(self) -> float:
        """Return the loss of the policy as a number from 0 to 1."""
        return 0.0 if self.outcome.best is None else self.outcome.best.loss

    @property
    def optimal(self) -> bool:
        """Return whether the search proved that no policy in the lattice has a lower loss."""
        return self.outcome.optimal

    @property
    def narrowed(self) -> bool:
        """Return whether the request excludes some levels of the hierarchies."""
        highest = tuple(attribute.levels - 1 for attribute in self.policy.attributes)
        return any(self.space.bottom) or self.space.top != highest

    @property
    def suppressed(self) -> int:
        """Return the number of suppressed records."""
        return self.generalized.suppressed

    @property
    def records(self) -> int:
        """Return the number of records in the table."""
        return self.generalized.table.records

    @cached_property
    def risk(self) -> ProsecutorRisk | PersonRisk:
        """Return the prosecutor risk of the released records, or of the released people."""
        if self._persons_risk is not None:
            return self._persons_risk.after
        return prosecutor_risk(self.generalized.sizes, self.draft.threshold)

    @cached_property
    def risk_before(self) -> ProsecutorRisk | PersonRisk:
        """Return the prosecutor risk of the original table."""
        if self._persons_risk is not None:
            return risk_of_persons_before(self.generalized, self._persons_risk)
        return risk_as_it_is(self.generalized.table, self.draft.threshold)

    @cached_property
    def _persons_risk(self) -> PersonRiskLeft | None:
        return person_risk_left(self.generalized, self.models)

    @cached_property
    def draft(self) -> Draft:
        """Return all parts of the release, except the report."""
        outcome, space = self.outcome, self.space
        levels = zip(space.attributes, space.bottom, space.top, strict=True)
        return self.drafted(
            loss={
                **self.quality.settings(),
                "loss": self.loss,
                "by_attribute": self.loss_by_attribute,
                **treated_loss(self.generalized.treated),
            },
            search={
                "name": self.search.name,
                "optimal": self.optimal,
                "lower_bound": outcome.lower_bound,
                "gap": outcome.gap,
                "evaluated": outcome.evaluated,
                "queries": outcome.queries,
                "lattice_size": space.size,
                "ending": outcome.ending,
                **({} if self.recoded is None else {"recoding": self.recoded.kind}),
            },
            settings={
                "quasi": list(self.roles.quasi),
                "privacy": [model.settings() for model in self.models],
                **({} if self.added_k is None else {"added": self.models[0].settings()}),
                "suppression": self.policy.suppression.limit,
                "suppressed_records": self.policy.suppression.records,
                "quality": self.quality.settings(),
                "search": self.search.name,
                "time_limit": self.time_limit,
                "levels_allowed": {name: [low, high] for name, low, high in levels},
                **births_compared_with(self.hierarchies),
            },
            seed=self.seed,
        )
