"""Assess a table with one record per person, before and after a policy is applied."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roadstead.policies.document import Policy
from roadstead.privacy.combination import columns_of
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.generalization import generalize
from roadstead.release.generalized import Generalized, masks
from roadstead.reports.noticed.gather import noticed
from roadstead.reports.promise import of_masked
from roadstead.reports.wording import counted
from roadstead.risk.assessment import Assessment, Population
from roadstead.risk.below_k import BelowK, counted_below_k, estimated_below_k
from roadstead.risk.dankar import dankar_uniques
from roadstead.risk.journalist import JournalistRisk, estimated_journalist_risk, journalist_risk
from roadstead.risk.population_uniques import PopulationUniques
from roadstead.risk.prosecutor import prosecutor_risk
from roadstead.risk.special_uniques import contributions_of
from roadstead.tables.codebooks.shown import labels_of_codes
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.kept_codes import missing_codes_shown
from roadstead.tables.roles import Roles
from roadstead.verbs.kept import with_kept_by
from roadstead.verbs.people import TableWithPopulation, missing_codes_used, people_of
from roadstead.verbs.persons.by_people import counted_with_risk
from roadstead.verbs.risk.people_sampled import sampled_population
from roadstead.verbs.risk.persons.figures import MODELS
from roadstead.verbs.risk.result import RiskFinding
from roadstead.verbs.table_of_people import require_people

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead.tables.source import Source
    from roadstead.verbs.risk.request import RiskRequest


def finding_of_records(
    request: RiskRequest,
    source: Source,
    quasi: tuple[str, ...],
    known: Policy | None,
    models: tuple[PrivacyModel, ...],
    k: int,
) -> RiskFinding:
    """Assess the risk of the records in a table.

    `known` is the given policy, and `k` is the required number of matching people.
    """
    left, kept = tuple(request.identifiers), tuple(request.release_anyway)
    require_people(source, Roles(quasi, identifiers=left, release_anyway=kept))
    threshold, columns = request.threshold, columns_of(models)
    people = _people(request, source, quasi, columns)
    table, notes = people.table, [*people.notes]
    about = _population_of(table, people.label, request.sampling_fraction)
    if people.counted:
        notes.append(
            f"For {counted(people.counted, 'record')}, no matching person is left in the "
            "population. Each of these records is counted as one more person."
        )
    below_k = _below_k(table, table.counts > 0, about, k)
    before = _assessed(table, table, 0, about, threshold, below_k)
    after = None
    if known is not None:
        own = with_kept_by(table, models, known, where=f"{called(request.policy)}, privacy")
        applied = generalize(own, known, models, where=source.name)
        after = _after(applied, about, threshold, k)
        masked = applied.suppressed if masks(known, applied) else 0
        if star := of_masked(masked, after.prosecutor.maximum):
            notes.append(f"The policy keeps the suppressed records. The prosecutor risk is {star}.")
        if applied.suppressed > (most := known.suppression.most(table.records)):
            notes.append(
                f"The policy suppresses {applied.suppressed:,} records, but allows only {most:,}; "
                "roadstead apply would refuse this table."
            )
    return RiskFinding(
        source=source.name,
        records=table.records,
        quasi=quasi,
        threshold=threshold,
        population=about,
        before=before,
        after=after,
        policy=called(request.policy),
        notes=(
            *noticed(
                table,
                fewest=k,
                labels=labels_of_codes(source),
                declared=missing_codes_shown(source),
            ),
            *notes,
            *_estimate_notes(about),
        ),
        counted=counted_with_risk(source, quasi, before.sizes),
        seconds=0.0,
    )


def _people(
    request: RiskRequest, source: Source, quasi: tuple[str, ...], columns: Sequence[str]
) -> TableWithPopulation:
    return people_of(
        summarize(source, quasi, columns),
        request.population,
        request.population_counts,
        (),
        absent=request.absent,
        seed=0,
        codes=missing_codes_used(source),
    )


def _below_k(
    table: FrequencyTable, out: NDArray[np.bool_], about: Population, k: int
) -> BelowK | None:
    if about.basis == "file" and table.population is not None:
        return counted_below_k(table.counts[out], table.population[out], k)
    if about.basis == "fraction" and about.fraction is not None:
        return estimated_below_k(table.counts, out, about.fraction, k)
    return None


def _after(applied: Generalized, about: Population, threshold: float, k: int) -> Assessment:
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
    """Compute the risks of a table. `drawn` includes suppressed records.

    Models of population uniqueness need a complete sample, so they use `drawn`.
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


def _population_of(table: FrequencyTable, label: str, fraction: float | None) -> Population:
    records = table.records
    if table.population is not None:
        people = int(table.population.sum())
        return Population("file", label, people, records / people)
    return sampled_population(records, fraction)


def called(policy: Policy | str | Path | None) -> str | None:
    """Return the file name of a policy, or None."""
    if policy is None:
        return None
    return "the policy" if isinstance(policy, Policy) else Path(policy).name


def _estimate_notes(about: Population) -> tuple[str, ...]:
    if about.basis != "fraction":
        return ()
    return (
        "The journalist risk is the expected value of 1/F for a random sample. F is the number of "
        "matching people in the population. The true risk of an individual record can be far "
        "higher (El Emam and Dankar 2008). The privacy model estimated-k-map suppresses groups "
        "that may have fewer than k people; the release reports how many of the other groups are "
        "expected to have fewer than k people.",
    )
