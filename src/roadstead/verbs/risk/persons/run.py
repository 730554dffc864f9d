"""Count people to assess a table with several records per person.

For comparison, the result also contains a summary that counts records.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.document import Policy
from roadstead.policies.person_rules import PersonRules
from roadstead.privacy.combination import needs_population
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.generalization import generalize
from roadstead.release.generalized import GeneralizedPersons
from roadstead.release.persons.dates import make_dates
from roadstead.reports.noticed.gather import noticed
from roadstead.reports.noticed.placeholder_ids import ids_in_two_spellings, shared_ids
from roadstead.reports.risk.facts import PersonFacts
from roadstead.reports.wording import counted
from roadstead.requests.checks import wrong
from roadstead.risk.assessment import Assessment, Population
from roadstead.risk.persons.knowledge import RowsKnown
from roadstead.risk.prosecutor import prosecutor_risk
from roadstead.tables.codebooks.shown import labels_of_codes
from roadstead.tables.kept_codes import missing_codes_shown
from roadstead.tables.persons.profiles import summarize_persons
from roadstead.tables.source import Source
from roadstead.verbs.risk.people_sampled import sampled_population
from roadstead.verbs.risk.persons.figures import AssessedPersons, known_to
from roadstead.verbs.risk.persons.population import joined_with_population

if TYPE_CHECKING:
    from roadstead.verbs.risk.request import RiskRequest

_SHIFTED = (
    "The policy shifts dates, and leaves out records near the first and last date. The shifts "
    "determine which records are left out, so these records are still counted here."
)


@dataclass(frozen=True)
class FoundByPerson:
    """The findings about people and the population, with a summary that counts records."""

    facts: PersonFacts
    population: Population
    records: int
    before: Assessment
    after: Assessment | None
    notes: tuple[str, ...]


def person_of(request: RiskRequest, policy: Policy | None) -> str | None:
    """Return the person ID column of the request, or of the policy if the request has none."""
    if request.person is not None or policy is None or policy.persons is None:
        return request.person
    return policy.persons.column


def assess_persons(
    request: RiskRequest,
    source: Source,
    quasi: Sequence[str],
    person: str,
    policy: Policy | None,
    models: Sequence[PrivacyModel],
    k: int,
) -> FoundByPerson:
    """Assess the risk of the people in a table, before and after a policy is applied.

    `k` is the required number of matching people unless the policy specifies the number.
    """
    if needs_population(models):
        what = "the policy compares records with a population, but people are counted"
        fix = "leave the person ID column out, or assess the table without the policy"
        raise wrong("person", what, fix)
    knows = known_to(request.knows, models, request.origin.project)
    k = max((m.k for m in models if isinstance(m, PersonAnonymity | KAnonymity)), default=k)
    rules = None if policy is None else policy.persons
    dated = _dates_of(rules)
    source = source if dated is None else dated(source)
    columns = tuple(dict.fromkeys(name for model in models for name in model.columns))
    table = summarize_persons(source, person, quasi, columns)
    about = sampled_population(table.units, request.sampling_fraction)
    work = AssessedPersons(table, knows, request.threshold, k, None, about)
    notes: tuple[str, ...] = ()
    if request.population is not None:
        work, notes = _with_population(work, request, dated, source)
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
        notes=(
            *shared_ids(source, person),
            *ids_in_two_spellings(source, person),
            *noticed(
                table,
                fewest=k,
                labels=labels_of_codes(source),
                declared=missing_codes_shown(source),
            ),
            *notes,
            *_notes(knows, work.about),
        ),
    )


def _with_population(
    work: AssessedPersons,
    request: RiskRequest,
    dated: Callable[[Source], Source] | None,
    source: Source,
) -> tuple[AssessedPersons, tuple[str, ...]]:
    joined, lacking = joined_with_population(
        work.table,
        request.population,
        request.population_counts,
        absent=request.absent,
        knows=work.knows,
        dated=dated,
        like=source,
    )
    people, label, persons = joined.people, joined.label, work.table.units
    notes: tuple[str, ...] = ()
    if lacking:
        people = max(people + lacking, persons)
        label += f", and {counted(lacking, 'person', 'people')} who are only in the table"
        notes += (
            f"For {counted(lacking, 'person', 'people')}, the population has fewer matching people "
            "than the table. These people are counted as in the table.",
        )
    if joined.register and work.knows != 1:
        notes += (
            "The population has one row per person, so an attacker who compares records with the "
            "population knows one row.",
        )
    about = Population("file", label, people, persons / people)
    return replace(work, table=joined.table, joined=joined, about=about), notes


def _left_out_in_part(applied: GeneralizedPersons) -> tuple[str, ...]:
    if applied.whole or not applied.suppressed:
        return ()
    return (
        "The policy leaves out records, not people, so some records of a person may be "
        "missing. The figures with the policy describe the remaining records.",
    )


def _dates_of(rules: PersonRules | None) -> Callable[[Source], Source] | None:
    """Return a function that replaces dates with days since an anchor, as a policy does.

    The function does not shift dates, because shifts do not change intervals.
    """
    dates = () if rules is None else tuple(rule for rule in rules.dates if not rule.is_date)
    if rules is None or not dates:
        return None
    unshifted = replace(rules, dates=dates, shift=None)
    return lambda source: make_dates(source, unshifted, None).source


def _by_records(sizes: NDArray[np.int64], suppressed: int) -> Assessment:
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
            "The journalist risk is the expected value of 1/F for a random sample of people. F is "
            "the number of matching people in the population. The true risk of an individual "
            "person can be far higher (El Emam and Dankar 2008)."
        )
    if about.people is not None and knows == 1:
        notes.append(
            "The models of population uniques estimate how many combinations are unique to one "
            "person in the population. If a person has several records in a group, the person "
            "counts once. An attacker who knows one row can single out at most this many people."
        )
    elif about.people is not None and knows != "all":
        notes.append(
            "The models of population uniques estimate how many people in the population are "
            "unique if an attacker knows all their rows. "
            f"An attacker who knows {knows} of each person's rows can single out at most this many "
            "people."
        )
    return tuple(notes)
