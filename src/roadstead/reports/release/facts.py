"""Store the facts about the release of a table.

The certificate, the document, the report, the terminal, and the page are derived from these facts.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.document import Policy
from roadstead.policies.full_domain import FullDomain, Levels
from roadstead.policies.recodings.document import RecodingKind
from roadstead.privacy.conditions import SizeModel
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.protocol import QualityModel
from roadstead.release.added_risk import AddedRisk
from roadstead.release.certificate import NearEnds
from roadstead.release.draft import Draft
from roadstead.release.generalized import Generalized
from roadstead.release.persons.dates import DatesMade, placeholder_sentences
from roadstead.release.rare_labels import labels_left_out
from roadstead.release.runnable import RunnableCells
from roadstead.release.shared_values import SharedValues
from roadstead.reports import wording
from roadstead.reports.noticed.ages import old_ages
from roadstead.reports.noticed.births import births_compared_with
from roadstead.reports.noticed.codes_not_listed import codes_not_listed
from roadstead.reports.noticed.coordinates import exact_coordinates
from roadstead.reports.noticed.declared_missing import declared_codes
from roadstead.reports.noticed.for_sharing import notes_for_sharing
from roadstead.reports.noticed.gather import noticed, noticed_elsewhere
from roadstead.reports.noticed.placeholder_ids import (
    SHARED_IDS,
    SPELLED_IDS,
    ids_in_two_spellings,
    shared_ids,
)
from roadstead.reports.noticed.rare_labels import rare_labels
from roadstead.reports.noticed.table import rows_unlike_records
from roadstead.reports.release.columns import ColumnDecisions
from roadstead.reports.runnable import runnable_document
from roadstead.reports.shared_values import shared_values_document
from roadstead.reports.treatments import treated_document, treated_loss
from roadstead.risk.persons.prosecutor import PersonRisk
from roadstead.risk.prosecutor import ProsecutorRisk
from roadstead.search.protocol import Named, Outcome
from roadstead.tables.codebooks.shown import labels_of_codes
from roadstead.tables.kept_codes import missing_codes_shown
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TableReleaseFacts:
    """The facts that every release of a table has.

    `generalized` is the summary of a table after a policy generalized it. `decided` contains the
    decisions about the other columns of the table.
    """

    source: Source
    policy: Policy
    models: tuple[PrivacyModel, ...]
    generalized: Generalized
    decided: ColumnDecisions

    @property
    def draft(self) -> Draft:
        """Return all parts of the release except the report."""
        raise NotImplementedError

    @property
    def _near_ends(self) -> NearEnds | None:
        """Return how many records and people the date shifts left out, or None without shifts."""
        made, rules = getattr(self, "dates", None), self.policy.persons
        if made is None or rules is None or rules.shift is None:
            return None
        return NearEnds(made.records_left_out, made.persons_left_out)

    def drafted(self, **found: Any) -> Draft:  # noqa: ANN401 - loss, search, settings, seed
        """Return the draft of the release.

        `found` contains the results and the settings of the search.
        """
        return Draft(
            source=self.source,
            policy=self.policy,
            models=self.models,
            generalized=self.generalized,
            identifiers=self.decided.certified,
            near_ends=self._near_ends,
            undone=self.decided.undone,
            **found,
        )

    @cached_property
    def added(self) -> AddedRisk:
        """Return the risk that the released columns add to the risk of the quasi-identifiers."""
        return self.draft.count_added()

    @cached_property
    def runnable(self) -> RunnableCells:
        """Return the cells of the release that a spreadsheet program might run as formulas."""
        return self.draft.count_runnable()

    @cached_property
    def shared_values(self) -> tuple[SharedValues, ...]:
        """Return the groups in which all records have the same sensitive value."""
        return self.draft.count_shared_values()

    @cached_property
    def shared_ids(self) -> tuple[str, ...]:
        """Return sentences about person IDs that many people share, or that have two spellings."""
        return (*self._ids[0], *self._ids[1])

    @cached_property
    def _ids(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        rules = self.policy.persons
        person = None if rules is None else rules.column
        spelled = ids_in_two_spellings(self.source, person)
        return tuple(shared_ids(self.source, person)), tuple(spelled)

    @property
    def shared_ids_for_sharing(self) -> tuple[str, ...]:
        """Return the same warnings for the report, without counts."""
        shared, spelled = self._ids
        return (*([SHARED_IDS] if shared else []), *([SPELLED_IDS] if spelled else []))

    @cached_property
    def codes_not_listed(self) -> tuple[str, ...]:
        """Return sentences about released values that the codebook does not list, with counts."""
        return tuple(codes_not_listed(self.source, self.policy.released))

    @cached_property
    def labels_left_out(self) -> dict[str, int]:
        """Return how many labels of each column the file leaves out, because they are rare."""
        return labels_left_out(self.draft)

    def noticed_in_columns(self, *, applied: bool = False, advice: bool = True) -> tuple[str, ...]:
        """Return sentences about released values. The sentences are the same in all outputs.

        If `advice` is true, the sentences say what the custodian can do. If `applied` is true, the
        policy existed before.
        """
        rules, draft = self.policy.persons, self.draft
        person = None if rules is None else rules.column
        lost = declared_codes(
            self.source, self.policy.released, draft.group_size, draft.values_left, person
        )
        shown = self.source, self.policy, self.generalized
        ages = old_ages(*shown, applied=applied, advice=advice)
        labels = rare_labels(self.labels_left_out, draft.group_size, person)
        rows = rows_unlike_records(self.source, advice=advice)
        return (*lost, *labels, *ages, *exact_coordinates(*shown, advice=advice), *rows)

    @property
    def levels(self) -> dict[str, int] | None:
        """Return the level of each quasi-identifier, or None if each class has its own levels."""
        return None if self.policy.recoding is not None else self.policy.levels

    @property
    def risk_document(self) -> dict[str, Any]:
        """Return the highest and the mean risk, before and after the release, for JSON."""
        found = asdict(self.draft.risk)
        return {key: one for key, one in found.items() if "class" not in key}

    @property
    def columns_document(self) -> dict[str, Any]:
        """Return the findings about the released columns, for JSON."""
        return {
            "released_columns_add": self.added.to_dict(),
            **self.draft.all_rows_document,
            **shared_values_document(self.shared_values),
            **runnable_document(self.runnable),
            **treated_document(self.generalized.treated),
        }


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


@dataclass(frozen=True)
class AnonymizationFacts(TableReleaseFacts):
    """Facts about the best policy that the search found for a table.

    Attributes
    ----------
    roles, quality
        The roles of the columns, and the minimized loss.
    space, limit
        The searched policies, and the maximum number of records that a policy may suppress.
    outcome, search
        The outcome of the search, and the name of the search.
    loss_by_attribute
        The loss of each quasi-identifier, from 0 to 1. If the quality model has no loss per
        attribute, this is Iyengar's loss.
    hierarchies, origins
        The hierarchy of each quasi-identifier, and the source of the hierarchy or of the order of
        its values.
    added_k
        The k of k-anonymity if k-anonymity was added to the requested models by default, and
        otherwise None.
    matched
        For each pattern in a list of columns, the columns that match the pattern.
    time_limit, seed
        The time limit and the seed of the request.
    seconds
        The duration of all work, including reading the table.
    recoded
        Facts about the classes if each class is generalized in a different way, and otherwise None.
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
        """Return a note if classes do not have a minimum size, and otherwise None."""
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
        said = noticed(
            table,
            self.hierarchies,
            fewest=fewest,
            labels=labels_of_codes(self.source),
            declared=missing_codes_shown(self.source),
        )
        far = placeholder_sentences(self.dates)
        own = (*self._noticed_elsewhere, *self.noticed_in_columns())
        return (*self.shared_ids, *far, *self.codes_not_listed, *said, *own)

    @cached_property
    def noticed_for_sharing(self) -> tuple[str, ...]:
        """Return sentences for the report, without counts of the original values."""
        said = notes_for_sharing(self.hierarchies, self.draft.values_left)
        own = (*self._noticed_elsewhere, *self.noticed_in_columns(advice=False))
        return (*self.shared_ids_for_sharing, *said, *own)

    @property
    def _noticed_elsewhere(self) -> tuple[str, ...]:
        samples = self.decided.examined.samples
        return noticed_elsewhere(samples, self.generalized.table.attributes)

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
        return self.draft.counts.suppressed

    @property
    def records(self) -> int:
        """Return the number of records in the table."""
        return self.draft.counts.records

    @property
    def risk(self) -> ProsecutorRisk | PersonRisk:
        """Return the prosecutor risk of the released records, or of the released people."""
        of_people = self.draft.person_risk
        return self.draft.record_risk if of_people is None else of_people.after

    @property
    def risk_before(self) -> ProsecutorRisk | PersonRisk:
        """Return the prosecutor risk of the original table."""
        return self.draft.person_risk_before or self.draft.record_risk_before

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
