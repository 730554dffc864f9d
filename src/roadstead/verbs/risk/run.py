"""Assess a table: how likely its records are re-identified, by whom, and what makes it so.

The table is summarized where it lies; all figures come from its classes, the groups of records with
the same quasi-identifiers. The prosecutor's risk needs nothing else. The journalist's needs the
population: person by person from a file, or its size alone, from the share that was sampled. With a
policy, the same is told of what it would release.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import require_combination
from roadstead.errors import SettingError, quoted
from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.policies.document import Policy, read_policy
from roadstead.privacy.combination import columns_of
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.release.expectation import k_of_people
from roadstead.release.generalization import generalize
from roadstead.release.generalized import Generalized
from roadstead.reports.wording import CountedUnit, counted
from roadstead.requests import checks
from roadstead.requests.checks import wrong
from roadstead.requests.origin import Origin, Project
from roadstead.requests.writing import arguments
from roadstead.risk.assessment import Assessment, Population
from roadstead.risk.below_k import BelowK, counted_below_k, estimated_below_k
from roadstead.risk.dankar import dankar_uniques
from roadstead.risk.individual_risk import check_fraction
from roadstead.risk.journalist import (
    JournalistRisk,
    estimated_journalist_risk,
    journalist_risk,
)
from roadstead.risk.population_uniques import PopulationUniques
from roadstead.risk.prosecutor import prosecutor_risk
from roadstead.risk.special_uniques import contributions_of
from roadstead.tables import names
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.anonymize.words import matches
from roadstead.verbs.combination import assessed_parts
from roadstead.verbs.kept import with_kept_by
from roadstead.verbs.opening import opened
from roadstead.verbs.people import people_of
from roadstead.verbs.persons.by_people import counted_with_risk
from roadstead.verbs.risk.advice import (
    QUESTIONS,
    Advice,
    Answers,
    advise,
    check_threshold,
    least_k,
    open_questions,
)
from roadstead.verbs.risk.people_sampled import sampled_population
from roadstead.verbs.risk.persons.run import MODELS, assess_persons, person_of
from roadstead.verbs.risk.result import PAGE, RiskFinding, check_folder
from roadstead.verbs.risk.words import advised, summary
from roadstead.verbs.writing import nothing_written

if TYPE_CHECKING:
    from roadstead.tables.source import Source
    from roadstead.verbs.risk.request import RiskRequest


def deliver(request: RiskRequest, observer: Observer) -> Delivery[RiskFinding]:
    """Assess a table, write page and figures, and say what was found.

    With advice asked for, it says which attacker applies; of questions that nobody answered, what
    each answer leads to.
    """
    if request.out is not None:
        check_folder(request.out, force=request.force)
    answers = _answers(request, observer)
    found = result_of(request, observer)
    advice = None
    if answers is not None and not answers.unanswered:
        advice = _advice(found, answers, request.origin.project)
    lines, document = summary(found), found.to_dict()
    typed = _arguments(request, found, advice)
    if advice is not None:
        command = found.command(advice, typed)
        lines += ["", *advised(advice, command)]
        document["advice"] = advice.to_dict() | {"command": command}
    elif answers is not None:

        def leads_to(one: Advice) -> str:
            return found.command(one, _arguments(request, found, one))

        more, document["advice"] = open_questions(answers, found.circumstances, leads_to)
        lines += ["", *more]
    notes: tuple[str, ...] = ()
    if request.out is not None:
        found.write(request.out, force=request.force, advice=advice, arguments=typed)
        document["out"] = str(request.out)
        lines += ["", f"Look at {request.out / PAGE}."]
    else:
        notes = (nothing_written("the page and the figures"),)
    return Delivery(found, tuple(lines), document, notes)


def _answers(request: RiskRequest, observer: Observer) -> Answers | None:
    """Gather the answers, and ask for those that are missing; None where no advice is asked for.

    Where nobody is there to be asked, questions stay open.
    """
    given = {question.name: getattr(request, question.name) for question in QUESTIONS}
    if request.advise:
        asked = {one.name: observer.ask(one.asks) for one in Answers(**given).unanswered}
        return Answers(**{**given, **asked})
    for question in QUESTIONS:
        answer = request.origin.given.get(question.name)
        if answer is not None:
            raise SettingError(
                "an answer is given, and no advice is asked for",
                where=question.option if answer else question.negative,
                fix=f"add {option('advise', True)}",
            )
    return None


def _advice(found: RiskFinding, answers: Answers, project: Project) -> Advice:
    """Advise, and note what of the project file stands against it."""
    advice = advise(answers, found.circumstances)
    answers.check(found.circumstances.fraction)
    notes = []
    if advice.model != "k-anonymity" and (k := project.get("privacy.k")) is not None:
        notes.append(
            f"The project file asks for k-anonymity with k = {k} too. Take it out there, or more "
            "is lost than the model asks for."
        )
    if advice.model != "k-map" and project.get("population") is not None:
        notes.append(
            "The project file names a population, which the model does not look at. Take it out "
            "there before you release the table."
        )
    return replace(advice, notes=(*advice.notes, *notes))


def _arguments(request: RiskRequest, found: RiskFinding, advice: Advice | None) -> list[str]:
    """Give the arguments of ``roadstead anonymize`` that name the same table and columns."""
    origin = request.origin
    population = advice is not None and advice.model == "k-map"
    kept = {"data", "quasi", "person", "knows", "delimiter", "encoding", "header", "missing"}
    if population and origin.given.get("population") is not None:
        kept |= {"population", "population_counts"}
    given = {key: value for key, value in origin.given.items() if key in kept}
    if given.get("quasi") or origin.project.path is None:
        given["quasi"] = found.quasi
    if found.by_person is not None:
        given |= {"person": found.by_person.column, "knows": str(found.by_person.knows)}
    return arguments(AnonymizeRequest, Origin(given, origin.project))


def result_of(request: RiskRequest, observer: Observer) -> RiskFinding:
    """Assess how likely the records of a table are re-identified."""
    began = time.perf_counter()
    policy, threshold = request.policy, request.threshold
    checks.number(threshold, "threshold")
    check_threshold(threshold)
    _check_population(request)
    known = policy
    if policy is not None and not isinstance(policy, Policy):
        known = read_policy(Path(policy))
    quasi = _quasi(checks.names(request.quasi, "quasi"), known)
    models: tuple[PrivacyModel, ...] = ()
    if known is not None:
        where = f"{_called(policy)}, privacy"
        models = tuple(model_from(settings, where=where) for settings in known.privacy)
    columns = columns_of(models)
    person = person_of(request, known)
    require_combination(assessed_parts(request, person))
    source = opened(request.data, request, observer)
    quasi, matched = names.matching(quasi, source.columns)
    names.require((*quasi, *columns), source.columns)
    k = k_of_people(models) or least_k(threshold)
    if person is None:
        found = _of_records(request, source, quasi, known, models, k)
    else:
        found = _of_persons(request, source, quasi, person, known, models, k)
    notes = (*matches(matched), *found.notes)
    return replace(found, notes=notes, seconds=time.perf_counter() - began)


def _of_persons(
    request: RiskRequest,
    source: Source,
    quasi: tuple[str, ...],
    person: str,
    known: Policy | None,
    models: tuple[PrivacyModel, ...],
    k: int,
) -> RiskFinding:
    """Assess the persons of a table; `known` is the policy, `k` how many persons should fit."""
    if person in quasi:
        what = f"{quoted(person)} is the person ID and a quasi-identifier"
        raise wrong("person", what, "take it out of one of them")
    persons = assess_persons(request, source, quasi, person, known, models, k)
    return RiskFinding(
        source=source.name,
        records=persons.records,
        quasi=quasi,
        threshold=request.threshold,
        population=persons.population,
        before=persons.before,
        after=persons.after,
        policy=_called(request.policy),
        notes=tuple(persons.notes),
        by_person=persons.facts,
        counted=CountedUnit(person),
        seconds=0.0,
    )


def _of_records(
    request: RiskRequest,
    source: Source,
    quasi: tuple[str, ...],
    known: Policy | None,
    models: tuple[PrivacyModel, ...],
    k: int,
) -> RiskFinding:
    """Assess the records of a table; `known` is the policy, `k` how many people should fit."""
    threshold, columns, notes = request.threshold, columns_of(models), list[str]()
    people = people_of(
        summarize(source, quasi, columns),
        request.population,
        request.population_counts,
        (),
        absent=request.absent,
        seed=0,
    )
    table = people.table
    about = _population_of(table, people.label, request.sampling_fraction)
    if people.counted:
        notes.append(
            f"Nobody of the population is like {counted(people.counted, 'record')}; counted as "
            "people of their own."
        )
    below_k = _below_k(table, table.counts > 0, about, k)
    before = _assessed(table, table, 0, about, threshold, below_k)
    after = None
    if known is not None:
        own = with_kept_by(table, models, known, where=f"{_called(request.policy)}, privacy")
        applied = generalize(own, known, models, where=source.name)
        after = _after(applied, about, threshold, k)
        if applied.suppressed > (most := known.suppression.most(table.records)):
            notes.append(
                f"The policy suppresses {applied.suppressed:,} records, and allows {most:,}; it "
                "would not be applied to this table."
            )
    return RiskFinding(
        source=source.name,
        records=table.records,
        quasi=quasi,
        threshold=threshold,
        population=about,
        before=before,
        after=after,
        policy=_called(request.policy),
        notes=(*notes, *_estimate_notes(about)),
        counted=counted_with_risk(source, quasi, before.sizes),
        seconds=0.0,
    )


def _below_k(
    table: FrequencyTable, out: NDArray[np.bool_], about: Population, k: int
) -> BelowK | None:
    """Count or estimate the records that are released with fewer than k people behind them."""
    if about.basis == "file" and table.population is not None:
        return counted_below_k(table.counts[out], table.population[out], k)
    if about.basis == "fraction" and about.fraction is not None:
        return estimated_below_k(table.counts, out, about.fraction, k)
    return None


def _after(applied: Generalized, about: Population, threshold: float, k: int) -> Assessment:
    """Work out the risks of what a policy releases; suppressed records are in no class."""
    merged = applied.merged
    below_k = _below_k(merged, applied.kept, about, k)
    released = applied.released(mask=False) if applied.kept.any() else _without_rows(merged)
    return _assessed(released, merged, applied.suppressed, about, threshold, below_k)


def _without_rows(table: FrequencyTable) -> FrequencyTable:
    codes = tuple(column[:0] for column in table.codes)
    people = None if table.population is None else table.population[:0]
    return FrequencyTable(
        table.attributes, table.domains, codes, table.counts[:0], population=people
    )


def _assessed(
    released: FrequencyTable,
    drawn: FrequencyTable,
    suppressed: int,
    about: Population,
    threshold: float,
    below_k: BelowK | None,
) -> Assessment:
    """Work out the risks of a table, of which `drawn` has the suppressed records too.

    Models of population uniqueness need a whole sample, so they look at these as well.
    """
    sizes = released.counts[released.counts > 0]
    found, number = np.unique(sizes, return_counts=True)
    contributions, combinations = contributions_of(released)
    return Assessment(
        prosecutor=prosecutor_risk(sizes, threshold),
        journalist=_journalist(released, about, threshold),
        sizes=tuple(zip(found.tolist(), number.tolist(), strict=True)),
        suppressed=suppressed,
        population_uniques=_uniques(drawn, about),
        contributions=contributions,
        combinations=combinations,
        below_k=below_k,
    )


def _journalist(
    table: FrequencyTable, about: Population, threshold: float
) -> JournalistRisk | None:
    if about.basis == "file" and table.population is not None:
        return journalist_risk(table.counts, table.population, threshold)
    if about.basis == "fraction" and about.fraction is not None:
        return estimated_journalist_risk(table.counts, about.fraction, threshold)
    return None


def _uniques(table: FrequencyTable, about: Population) -> tuple[PopulationUniques, ...]:
    """Count or estimate who is unique in the population, by every model."""
    if about.people is None:
        return ()
    found = []
    if table.population is not None:
        alone = int((table.population == 1).sum())
        found.append(PopulationUniques("counted", float(alone), alone / about.people))
    sizes = table.counts[table.counts > 0]
    found += [model(sizes, about.people) for model in MODELS]
    taken = dankar_uniques(sizes, about.people)
    return (*found, replace(taken, model="dankar", takes=taken.model))


def _check_population(request: RiskRequest) -> None:
    population, fraction = request.population, request.sampling_fraction
    if fraction is None:
        return
    checks.number(fraction, "sampling_fraction")
    if population is not None:
        raise SettingError(
            "a population and a sampling fraction are given",
            where=f"{option('population')}, {option('sampling_fraction')}",
            fix="leave one of them out; the population tells the fraction",
        )
    try:
        check_fraction(fraction)
    except SettingError as error:
        raise SettingError(error.what, where=option("sampling_fraction"), fix=error.fix) from None


def _population_of(table: FrequencyTable, label: str, fraction: float | None) -> Population:
    """Say what is known of the population."""
    records = table.records
    if table.population is not None:
        people = int(table.population.sum())
        return Population("file", label, people, records / people)
    return sampled_population(records, fraction)


def _called(policy: Policy | str | Path | None) -> str | None:
    if policy is None:
        return None
    return "the policy" if isinstance(policy, Policy) else Path(policy).name


def _quasi(named: tuple[str, ...], policy: Policy | None) -> tuple[str, ...]:
    """Take the policy's quasi-identifiers, which those named must be."""
    if policy is None and not named:
        fix = "name the columns that others may know of a person"
        raise wrong("quasi", "no quasi-identifier is named", fix)
    if policy is not None and named and set(named) != set(policy.quasi):
        what = f"the policy is for {', '.join(policy.quasi)}, and {', '.join(named)} are named"
        raise wrong("quasi", what, "name the same columns, or leave it out")
    return named if policy is None else policy.quasi


def _estimate_notes(about: Population) -> tuple[str, ...]:
    if about.basis != "fraction":
        return ()
    return (
        "Journalist risk is the expectation of 1/F for a random sample. The true risk of single "
        "records can be far above it (El Emam and Dankar 2008). The privacy model estimated-k-map "
        "suppresses classes that may have fewer than k people; how many of the others have fewer "
        "is told with its release.",
    )
