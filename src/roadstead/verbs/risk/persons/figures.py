"""Compute the risk of the people in a table, before and after a policy is applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.generalized import GeneralizedPersons
from roadstead.requests.origin import Project
from roadstead.risk.assessment import Population
from roadstead.risk.below_k import counted_below_k
from roadstead.risk.dankar import dankar_uniques
from roadstead.risk.journalist import JournalistRisk, estimated_risk_of_persons, journalist_risk
from roadstead.risk.persons.assessment import PersonAssessment, figures_of_persons, sizes_for_models
from roadstead.risk.persons.knowledge import RowsKnown
from roadstead.risk.persons.prosecutor import LEFT_OUT, persons_of_each_class
from roadstead.risk.pitman import pitman_exact_uniques, pitman_uniques
from roadstead.risk.population_uniques import PopulationUniques
from roadstead.risk.snb import snb_uniques
from roadstead.risk.special_uniques import contributions_of
from roadstead.risk.zayatz import zayatz_uniques
from roadstead.tables.frequency import canonical
from roadstead.tables.persons.profiles import PersonTable
from roadstead.verbs.persons.settings import known_rows
from roadstead.verbs.risk.persons.population import PersonsAndPopulation

MODELS = (pitman_uniques, pitman_exact_uniques, zayatz_uniques, snb_uniques)
"""The models of population uniqueness."""


def known_to(
    knows: str | int | None, models: Sequence[PrivacyModel], project: Project
) -> RowsKnown:
    """Return how many rows of a person an attacker may know: as a release would assume.

    The request, the policy, or the link between rows in the project file determines the number.
    """
    own = [model.knows for model in models if isinstance(model, PersonAnonymity)]
    if knows is None and own:
        return own[0]
    return known_rows(knows, linked=project.get("persons.link") == "pseudonym")


@dataclass(frozen=True)
class AssessedPersons:
    """A table of people that is assessed before and after a policy is applied."""

    table: PersonTable
    knows: RowsKnown
    threshold: float
    k: int
    joined: PersonsAndPopulation | None
    about: Population

    def as_it_is(self) -> PersonAssessment:
        """Assess the unchanged table."""
        classes = canonical(
            self.table.attributes, self.table.domains, self.table.codes, self.table.counts
        )[1]
        joint = None if self.joined is None else self.joined.classes(self.table.domains)
        contributions, combinations = contributions_of(self.table)
        return replace(
            self._assessed(classes, joint),
            population_uniques=self._uniques(classes, joint),
            contributions=contributions,
            combinations=combinations,
        )

    def under(self, applied: GeneralizedPersons) -> PersonAssessment:
        """Assess the release under a policy."""
        numbers, kept = applied.rows
        classes = np.where(kept, numbers.astype(np.int64), LEFT_OUT)
        if self.joined is None:
            return replace(
                self._assessed(classes, None), population_uniques=self._uniques(numbers, None)
            )
        joint, drawn = (self.joined.classes(applied.labels, one) for one in (kept, None))
        return replace(
            self._assessed(classes, joint), population_uniques=self._uniques(numbers, drawn)
        )

    def _assessed(
        self, classes: NDArray[np.integer], joint: NDArray[np.integer] | None
    ) -> PersonAssessment:
        """Compute the risks from the class of each row in the table and in the population."""
        found = figures_of_persons(
            self.table.persons, classes, self.knows, self.threshold, self.k, seed=0
        )
        there = classes >= 0
        people, k = self.table.persons.people, self.k
        journalist, below = None, None
        if self.joined is not None and joint is not None:
            fitting = self.joined.fitting(joint, self.knows)
            some = fitting > 0
            journalist = journalist_risk(people[some], fitting[some], self.threshold)
            below = counted_below_k(people[some], fitting[some], k)
        elif self.about.fraction is not None:
            journalist = estimated_risk_of_persons(
                people, found.fitting, self.about.fraction, self.threshold
            )
        records = int(self.table.counts[there].sum())
        return PersonAssessment(
            prosecutor=found.prosecutor,
            unicity=found.unicity,
            class_sizes=found.class_sizes,
            fitting=found.fitting,
            journalist=_of_persons(journalist),
            records=records,
            records_left_out=self.table.records - records,
            persons_left_out=self.table.units - found.prosecutor.persons,
            below_k=below,
        )

    def _uniques(
        self, classes: NDArray[np.integer], joint: NDArray[np.integer] | None
    ) -> tuple[PopulationUniques, ...]:
        """Count the people who are unique in the population, or estimate their number by model.

        The models need a complete sample, so `classes` must include suppressed rows.
        """
        about = self.about
        if about.people is None:
            return ()
        found = []
        if self.joined is not None and joint is not None:
            alone = self.joined.alone(joint, self.knows)
            found.append(PopulationUniques("counted", float(alone), alone / about.people))
        sizes = sizes_for_models(self.table.persons, classes, self.knows)
        people = self._units(sizes, joint)
        found += [model(sizes, people) for model in MODELS]
        taken = dankar_uniques(sizes, people)
        found.append(replace(taken, model="dankar", takes=taken.model))
        return tuple(_of_people(one, about.people) for one in found)

    def _units(self, sizes: NDArray[np.int64], joint: NDArray[np.integer] | None) -> int:
        """Return the size of the population in the unit that the models of uniqueness use."""
        about = self.about
        if about.people is None or about.fraction is None:
            raise ValueError("the size of the population is not known")
        if self.knows != 1:
            return about.people
        if self.joined is None or joint is None:
            return round(int(sizes.sum()) / about.fraction)
        theirs = self.joined.both.people.copy()
        theirs[: self.table.persons.people.size] = 0
        units = int(persons_of_each_class(self.joined.both, joint, theirs).sum())
        return max(units, int(sizes.sum()))


def _of_persons(risk: JournalistRisk | None) -> JournalistRisk | None:
    """Remove the number of unique records, because the population uniqueness counts people."""
    return None if risk is None else replace(risk, uniques=None)


def _of_people(found: PopulationUniques, people: int) -> PopulationUniques:
    """Limit the number of unique people to the size of the population, and update the share."""
    if found.uniques is None:
        return found
    uniques = min(found.uniques, float(people))
    return replace(found, uniques=uniques, share=uniques / people)
