"""Collect the parts of a release, and compute counts, risks, and other figures from these parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from roadstead.errors import Refusal
from roadstead.front_end import option
from roadstead.policies.document import SUPPRESSED, Policy
from roadstead.privacy.combination import columns_of, takes_population
from roadstead.privacy.models.person_anonymity import Known, PersonAnonymity
from roadstead.privacy.models.values_of_persons import ValuesOfPersons
from roadstead.privacy.protocol import OneFigure, PrivacyModel
from roadstead.release.added_risk import (
    AddedRisk,
    SingledOutPeople,
    added_risk,
    group_size,
    size_within,
)
from roadstead.release.below_promise import BelowPromise
from roadstead.release.certificate import (
    CertifiedPersons,
    Counts,
    IdentifierReleased,
    MeasuredRisk,
    NearEnds,
    RiskIfUndone,
)
from roadstead.release.expectation import expected_below_k
from roadstead.release.generalized import (
    Generalized,
    GeneralizedPersons,
    every_row_a_class,
    masks,
    visible,
)
from roadstead.release.kept import needed_shares
from roadstead.release.ledger.facts import Overlay
from roadstead.release.persons.added_people import people_of_unlinked_rows
from roadstead.release.persons.figures import (
    PersonRiskLeft,
    linked_rows_known,
    person_risk_left,
    risk_of_persons_before,
)
from roadstead.release.plugins import CertifiedPlugin, plugins_of
from roadstead.release.runnable import RunnableCells, runnable_cells
from roadstead.release.shared_values import SharedValues, shared_values
from roadstead.release.values_left import in_words, only_bands, values_left, without_values
from roadstead.risk.below_k import BelowK
from roadstead.risk.persons.prosecutor import PersonRisk
from roadstead.risk.prosecutor import ProsecutorRisk, prosecutor_risk, risk_as_it_is
from roadstead.tables.source import Source


@dataclass(frozen=True)
class Draft:
    """All parts of a release that has not been written yet."""

    source: Source
    policy: Policy
    models: tuple[PrivacyModel, ...]  # the policy's models
    generalized: Generalized  # the policy applied to the source's frequency table
    # The exact loss. The certificate contains the rounded loss, because the exact loss would reveal
    # facts about the data.
    loss: dict[str, Any] | None
    search: dict[str, Any] | None
    settings: dict[str, Any]
    seed: int | None = None
    report: Callable[[], str] | None = None  # generates the HTML report; None if there is no report
    verifier: bool = False  # whether to include the page that checks the release
    identifiers: tuple[IdentifierReleased, ...] = ()  # released columns that look like identifiers
    undone: RiskIfUndone | None = None  # if columns reveal the values that a group hides
    below_promise: BelowPromise | None = None  # unmet declared requirements
    near_ends: NearEnds | None = None  # what was left out because dates are shifted
    overlay: Overlay | None = None  # the comparison with earlier releases
    # A function that is called with the path of the certificate after all files are written and
    # checked, and before they are published.
    complete: Callable[[Path], None] | None = None

    @property
    def k(self) -> int:
        """Return the smallest group size that keeps the risk within the threshold."""
        return size_within(self.models)

    @property
    def group_size(self) -> int:
        """Return the group size below which a record counts as at risk."""
        return group_size(self.models)

    @property
    def declared_missing(self) -> dict[str, list[str]]:
        """Return the codes that the user declared as missing, by released column.

        Each of these codes occurs in enough records to be shared. A rarer code can be a value that
        the user wanted to hide.
        """
        codes = {
            name: sorted(code for code, records in found.items() if records >= self.group_size)
            for name, found in self._made_missing.items()
        }
        return {name: listed for name, listed in codes.items() if listed}

    @property
    def rare_missing(self) -> list[str]:
        """Return the released columns that have declared missing codes in only a few records."""
        return [
            name
            for name, found in self._made_missing.items()
            if min(found.values()) < self.group_size
        ]

    @property
    def _made_missing(self) -> dict[str, Mapping[str, int]]:
        released = frozenset(self.policy.released)
        return {name: n for name, n in self.source.made_missing.items() if name in released}

    def count_added(self) -> AddedRisk:
        """Measure the risk that the released columns add, with a few queries to the source."""
        found = added_risk(
            self.source, self.policy, self.generalized, mask=self.masks, k=self.group_size
        )
        return self.with_people(found)

    def with_people(self, found: AddedRisk) -> AddedRisk:
        """Add the people whom an attacker singles out, if the release does not link their rows."""
        return found if self._people_added is None else replace(found, people=self._people_added)

    @cached_property
    def _people_added(self) -> SingledOutPeople | None:
        return people_of_unlinked_rows(
            self.source, self.policy, self.generalized, mask=self.masks, k=self.group_size
        )

    def count_runnable(self) -> RunnableCells:
        """Count the released cells that a spreadsheet may run as formulas, with one query."""
        return runnable_cells(self.source, self.policy, self.generalized, mask=self.masks)

    def count_shared_values(self) -> tuple[SharedValues, ...]:
        """Count the groups that share an unprotected sensitive value, with one query."""
        policy, bound = self.policy, columns_of(self.models)
        sensitive = [
            name
            for name in policy.columns.sensitive
            if name not in bound and name not in policy.treated
        ]
        knows = self.knows or 1
        return shared_values(
            self.source, policy, self.generalized, sensitive, mask=self.masks, knows=knows
        )

    @property
    def plugins(self) -> tuple[CertifiedPlugin, ...] | None:
        """Return the models and searches from other packages that the release uses."""
        return plugins_of(self.policy.privacy, self.loss, self.search)

    @property
    def masks(self) -> bool:
        """Return whether suppressed records are kept with ``*``."""
        return masks(self.policy, self.generalized)

    @cached_property
    def without_values(self) -> tuple[str, ...]:
        """Return the quasi-identifiers without a value in any released record."""
        return without_values(self.generalized.merged, self.generalized.kept)

    @property
    def values_left(self) -> dict[str, frozenset[str]]:
        """Return the values of each quasi-identifier in the released records."""
        return values_left(self.generalized.merged, self.generalized.kept)

    @cached_property
    def words(self) -> dict[str, str]:
        """Describe how the policy changes each quasi-identifier, or state that no value is left."""
        gone, left = self.without_values, self.values_left
        found = {
            name: in_words(does, left=name not in gone) for name, does in self.policy.words.items()
        }
        if self.policy.recoding is None:
            for one in self.policy.attributes:
                if bands := only_bands(one.rule, left[one.name]):
                    found[one.name] = f"{bands} (the rule: {one.does})"
        return found

    @property
    def counts(self) -> Counts:
        """Return the numbers of records in the source and in the release."""
        records, suppressed = self.generalized.table.records, self.generalized.suppressed
        masked = suppressed if self.masks else 0
        return Counts(
            records, records - suppressed + masked, suppressed, masked, suppressed - masked
        )

    @property
    def knows(self) -> Known | None:
        """Return how many of a person's rows an attacker may know, if a model counts people."""
        return next((m.knows for m in self.models if isinstance(m, PersonAnonymity)), None)

    @property
    def persons(self) -> CertifiedPersons | None:
        """Return the person ID column and the counts of people, or None if records are counted."""
        rules, generalized = self.policy.persons, self.generalized
        if rules is None or not isinstance(generalized, GeneralizedPersons):
            return None
        made, counts = generalized.pseudonyms, generalized.persons
        return CertifiedPersons(
            column=rules.column,
            knows=self.knows,
            linkage=rules.link,
            pseudonyms=None if made is None else "keyed" if made.keyed else "forgotten",
            persons=counts.persons,
            released=counts.released,
            in_part=counts.in_part,
            left_out=counts.left_out,
            near_ends=self.near_ends,
        )

    @cached_property
    def all_rows(self) -> SingledOutPeople | None:
        """Return the people whom an attacker can single out with the knowledge of all their rows.

        Return None if the release does not link rows, or if a model already covers all rows.
        """
        rules, generalized = self.policy.persons, self.generalized
        if rules is None or rules.link == "none" or self.knows == "all":
            return None
        if not isinstance(generalized, GeneralizedPersons):
            return None
        return linked_rows_known(generalized, self.group_size)

    @property
    def all_rows_document(self) -> dict[str, Any]:
        """Return `all_rows` for documents, or an empty dictionary."""
        return {} if self.all_rows is None else {"all_rows_known": asdict(self.all_rows)}

    @property
    def population(self) -> tuple[int, ...] | None:
        """Return the population of each released class, if a model uses the population."""
        if not takes_population(self.models):
            return None
        people = self.generalized.released(mask=self.masks).population
        return None if people is None else tuple(people.tolist())

    @property
    def kept_at_least(self) -> tuple[float, ...] | None:
        """Return the minimum share of information that each class keeps, if a model uses it."""
        return needed_shares(self.generalized.released(mask=self.masks), self.models)

    @property
    def below_k(self) -> BelowK | None:
        """Return the released records that match fewer than k people, or None if k is not set."""
        return expected_below_k(self.generalized, self.models)

    @property
    def expected_below_k(self) -> dict[str, Any] | None:
        """Return `below_k` as a dictionary for documents."""
        return None if self.below_k is None else self.below_k.to_dict()

    @property
    def figures(self) -> tuple[str, ...]:
        """Return a sentence for each model that has one figure for all classes."""
        if not any(isinstance(m.bind(self.generalized.merged), OneFigure) for m in self.models):
            return ()
        table = self.generalized.released(mask=self.masks)
        classes = every_row_a_class(table)
        found = [(model.name, model.bind(table)) for model in self.models]
        stated = (f"{n}: {one.stated(classes)}." for n, one in found if isinstance(one, OneFigure))
        return tuple(f"{one[:1].upper()}{one[1:]}" for one in stated)

    @property
    def threshold(self) -> float:
        """Return the highest prosecutor risk that the models accept."""
        return min(model.threshold for model in self.models)

    @cached_property
    def record_risk(self) -> ProsecutorRisk:
        """Return the prosecutor risk of the records that are not suppressed."""
        return prosecutor_risk(self.generalized.sizes, self.threshold)

    @cached_property
    def record_risk_before(self) -> ProsecutorRisk:
        """Return the prosecutor risk of the records in the source."""
        return risk_as_it_is(self.generalized.table, self.threshold)

    @cached_property
    def person_risk(self) -> PersonRiskLeft | None:
        """Return the risk of people, or None if records are counted."""
        return person_risk_left(self.generalized, self.models)

    @cached_property
    def person_risk_before(self) -> PersonRisk | None:
        """Return the risk of people in the source, or None if records are counted."""
        left = self.person_risk
        return None if left is None else risk_of_persons_before(self.generalized, left)

    @cached_property
    def risk(self) -> MeasuredRisk:
        """Return the risk before and after the release, for people if people are counted."""
        of_people, generalized = self.person_risk, self.generalized
        if of_people is None or not isinstance(generalized, GeneralizedPersons):
            after, before = self.record_risk, self.record_risk_before
            now = (after.maximum, after.average, after.classes, after.smallest)
            masked = self.counts.masked
            of_masked = 1.0 / masked if masked else None
            return MeasuredRisk(*now, before.maximum, before.average, of_masked, self.undone)
        left, had = of_people.after, self.person_risk_before or of_people.after
        classes, released = generalized.rows
        number = int(np.unique(classes[released]).size)
        now = (left.maximum, left.average, number, left.smallest)
        return MeasuredRisk(*now, had.maximum, had.average, if_undone=self.undone)

    def _require_visible_groups(self) -> None:
        """Refuse a released group that looks like suppressed records."""
        merged, kept = self.generalized.merged, self.generalized.kept
        stars = kept & ~visible(merged)
        if stars.any() and not self.policy.hides_all:
            raise Refusal(
                f"{int(merged.counts[stars].sum()):,} records have {SUPPRESSED} in every "
                "quasi-identifier, so a recipient could not distinguish them from suppressed "
                "records",
                where=self.source.name,
                fix=f"treat these values as missing with {option('missing', SUPPRESSED)}",
            )

    def require_checkable(self) -> None:
        """Refuse to release a table without records or a table that a recipient could not check.

        Some models compare classes with the whole table. If records are dropped, the release and
        the source have different distributions. Then the release may fail such a model. The release
        must not contain the source's distribution, because this distribution would reveal the
        dropped records.
        """
        counts = self.counts
        if not counts.released:
            what = "every record would be suppressed and left out, so nothing would be released"
            units = "people" if self.generalized.unit == "person" else f"{self.generalized.unit}s"
            fix = (
                "allow coarser levels, or use a table with more records; Roadstead cannot release "
                f"fewer {units} than k"
            )
            raise Refusal(what, where=self.source.name, fix=fix)
        self._require_visible_groups()
        if not counts.dropped or not columns_of(self.models):
            return
        table = self.generalized.released(mask=self.masks)
        for model in self.models:
            if isinstance(model, ValuesOfPersons) and not model.refuted_by_rows:
                continue  # holds for people with all their rows, so one group may have one value
            failing = int((~model.bind(table).satisfied(every_row_a_class(table))).sum())
            if failing:
                raise Refusal(
                    f"after {counts.dropped:,} records are left out, {failing:,} of "
                    f"{table.distinct:,} groups do not meet {model.name} in the released "
                    "table",
                    where=self.source.name,
                    fix=(
                        "anonymize the table with a slightly stricter requirement (for example, a "
                        "smaller t) or a different k"
                    ),
                )
