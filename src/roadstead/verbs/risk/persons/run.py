"""Assess a table whose records several may be of one person: every figure is of persons.

What counting records would have said is worked out too, and told as such: nothing shows better that
rows are not people.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.document import PersonRules, Policy
from roadstead.privacy.combination import needs_population
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.generalization import generalize
from roadstead.release.generalized import GeneralizedPersons
from roadstead.release.persons.dates import make_dates
from roadstead.reports.risk.facts import PersonFacts
from roadstead.reports.wording import counted
from roadstead.requests.checks import wrong
from roadstead.risk.assessment import Assessment, Population
from roadstead.risk.below_k import counted_below_k
from roadstead.risk.dankar import dankar_uniques
from roadstead.risk.journalist import (
    JournalistRisk,
    estimated_risk_of_persons,
    journalist_risk,
)
from roadstead.risk.persons.assessment import (
    PersonAssessment,
    figures_of_persons,
    sizes_for_models,
)
from roadstead.risk.persons.prosecutor import LEFT_OUT, RowsKnown, persons_of_each_class
from roadstead.risk.pitman import pitman_exact_uniques, pitman_uniques
from roadstead.risk.population_uniques import PopulationUniques
from roadstead.risk.prosecutor import prosecutor_risk
from roadstead.risk.snb import snb_uniques
from roadstead.risk.special_uniques import contributions_to_persons
from roadstead.risk.zayatz import zayatz_uniques
from roadstead.tables.frequency import canonical
from roadstead.tables.persons.profiles import PersonTable, summarize_persons
from roadstead.tables.source import Source
from roadstead.verbs.risk.people_sampled import sampled_population
from roadstead.verbs.risk.persons.population import PersonsAndPopulation, joined_with_population

if TYPE_CHECKING:
    from roadstead.verbs.risk.request import RiskRequest

MODELS = (pitman_uniques, pitman_exact_uniques, zayatz_uniques, snb_uniques)
"""Of population uniqueness; Dankar's rule takes one of them."""
_SHIFTED = (
    "The policy shifts dates, and leaves out records near the ends of the extract. Which these are "
    "follows from the shifts, so they are counted here."
)


@dataclass(frozen=True)
class FoundByPerson:
    """What was found: the persons, what is known of the population, and the records, in short."""

    facts: PersonFacts
    population: Population
    records: int
    before: Assessment
    after: Assessment | None
    notes: tuple[str, ...]


def person_of(request: RiskRequest, policy: Policy | None) -> str | None:
    """Give the column that says whose each record is: that named, else the policy's."""
    if request.person is not None or policy is None or policy.persons is None:
        return request.person
    return policy.persons.column


def known_of(request: RiskRequest, models: Sequence[PrivacyModel]) -> RowsKnown:
    """Say how many rows of a person may be known: what was asked, else what the policy protects."""
    if request.knows is not None:
        return "all" if request.knows == "all" else int(request.knows)
    for model in models:
        if isinstance(model, PersonAnonymity):
            return model.knows
    return 1


def assess_persons(
    request: RiskRequest,
    source: Source,
    quasi: Sequence[str],
    person: str,
    policy: Policy | None,
    models: Sequence[PrivacyModel],
    k: int,
) -> FoundByPerson:
    """Assess the persons of a table, before a policy and after it.

    `k` is how many persons should fit where no policy says it.
    """
    if needs_population(models):
        what = "the policy compares records with a population, and persons are to be counted"
        raise wrong("person", what, "leave it out, or assess the table without the policy")
    knows = known_of(request, models)
    k = max((m.k for m in models if isinstance(m, PersonAnonymity | KAnonymity)), default=k)
    rules = None if policy is None else policy.persons
    dated = _dates_of(rules)
    source = source if dated is None else dated(source)
    columns = tuple(dict.fromkeys(name for model in models for name in model.columns))
    table = summarize_persons(source, person, quasi, columns)
    about = sampled_population(table.units, request.sampling_fraction)
    work = _Assessing(table, knows, request.threshold, k, None, about)
    notes: tuple[str, ...] = ()
    if request.population is not None:
        work, notes = _with_population(work, request, dated)
    after, records_after = None, None
    if policy is not None:
        applied = generalize(work.table, policy, models, where=source.name)
        assert isinstance(applied, GeneralizedPersons)  # noqa: S101 - of a table of persons
        after = work.under(applied)
        records_after = _by_records(applied.sizes, applied.suppressed)
        notes += _left_out_in_part(applied)
    if rules is not None and rules.shift is not None:
        notes += (_SHIFTED,)
    return FoundByPerson(
        facts=PersonFacts(person, knows, table.units, k, work.as_it_is(), after),
        population=work.about,
        records=table.records,
        before=_by_records(table.combinations.counts, 0),
        after=records_after,
        notes=(*notes, *_notes(knows, work.about)),
    )


def _with_population(
    work: _Assessing, request: RiskRequest, dated: Callable[[Source], Source] | None
) -> tuple[_Assessing, tuple[str, ...]]:
    """Put the population of a request next to the table; also say what should be known of it."""
    joined, lacking = joined_with_population(
        work.table,
        request.population,
        request.population_counts,
        absent=request.absent,
        knows=work.knows,
        dated=dated,
    )
    people, label, persons = joined.people, joined.label, work.table.units
    notes: tuple[str, ...] = ()
    if lacking:
        people = max(people + lacking, persons)
        label += f", and {counted(lacking, 'person')} of the table whom it lacks"
        notes += (
            f"The population has fewer people who fit {counted(lacking, 'person')} than the "
            "table has; they are counted as the table has them.",
        )
    if joined.register and work.knows != 1:
        notes += (
            "The population has one row a person, so whoever matches with it links by one row.",
        )
    about = Population("file", label, people, persons / people)
    return replace(work, table=joined.table, joined=joined, about=about), notes


def _left_out_in_part(applied: GeneralizedPersons) -> tuple[str, ...]:
    """Say that persons may be released in part, where a policy leaves out records."""
    if applied.whole or not applied.suppressed:
        return ()
    return (
        "The policy leaves out records, not persons, so of a person in the release some "
        "may be missing; the figures after are of what is left.",
    )


def _dates_of(rules: PersonRules | None) -> Callable[[Source], Source] | None:
    """Put days since a person's anchor in the place of dates, as a policy counts them.

    Shifts change no interval, so what is only shifted does not matter here.
    """
    dates = () if rules is None else tuple(rule for rule in rules.dates if rule.form != "shift")
    if rules is None or not dates:
        return None
    unshifted = replace(rules, dates=dates, shift=None)
    return lambda source: make_dates(source, unshifted, None).source


def _by_records(sizes: NDArray[np.int64], suppressed: int) -> Assessment:
    """Say what counting records would tell, of the prosecutor alone."""
    found, number = np.unique(sizes[sizes > 0], return_counts=True)
    return Assessment(
        prosecutor=prosecutor_risk(sizes, 0.5),
        journalist=None,
        sizes=tuple(zip(found.tolist(), number.tolist(), strict=True)),
        suppressed=suppressed,
        population_uniques=(),
        contributions=(),
        combinations=(),
    )


def _notes(knows: RowsKnown, about: Population) -> tuple[str, ...]:
    notes = []
    if about.basis == "fraction":
        notes.append(
            "Journalist risk is the expectation of 1/F for a random sample of persons. The true "
            "risk of single persons can be far above it (El Emam and Dankar 2008)."
        )
    if about.people is not None and knows == 1:
        notes.append(
            "The models of population uniques count the combinations that one person alone has, "
            "each person once in each class; at most so many persons are singled out by one row."
        )
    elif about.people is not None and knows != "all":
        notes.append(
            "The models of population uniques count persons who are unique by all their rows; at "
            f"most so many are singled out by {knows} of them."
        )
    return tuple(notes)


@dataclass(frozen=True)
class _Assessing:
    """Assesses a table, and what a policy leaves of it."""

    table: PersonTable
    knows: RowsKnown
    threshold: float
    k: int
    joined: PersonsAndPopulation | None
    about: Population

    def as_it_is(self) -> PersonAssessment:
        """Assess the table before any policy."""
        classes = canonical(
            self.table.attributes, self.table.domains, self.table.codes, self.table.counts
        )[1]
        joint = None if self.joined is None else self.joined.classes(self.table.domains)
        contributions, combinations = contributions_to_persons(self.table)
        return replace(
            self._assessed(classes, joint),
            population_uniques=self._uniques(classes, joint),
            contributions=contributions,
            combinations=combinations,
        )

    def under(self, applied: GeneralizedPersons) -> PersonAssessment:
        """Assess what a policy releases."""
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
        """Work out the risks by the class of each row, and of both populations' rows."""
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
        """Count or estimate how many are singled out in the population, by every model.

        Models need a whole sample, so classes are of all rows, those left out too.
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
        """Give how many units the population has: persons, or each once in each of its classes."""
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
    """Leave out the records that are unique: persons are told with the population's uniques."""
    return None if risk is None else replace(risk, uniques=None)


def _of_people(found: PopulationUniques, people: int) -> PopulationUniques:
    """Give the share of the population's persons, of whom no more can be singled out."""
    if found.uniques is None:
        return found
    uniques = min(found.uniques, float(people))
    return replace(found, uniques=uniques, share=uniques / people)
