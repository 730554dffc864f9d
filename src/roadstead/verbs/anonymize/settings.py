"""Apply the settings of an anonymization to a table, and check them before the table is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from roadstead.capabilities import require_combination
from roadstead.front_end import option
from roadstead.policies.treatments.document import treated_columns
from roadstead.privacy.combination import columns_of
from roadstead.privacy.protocol import PrivacyModel
from roadstead.quality.protocol import QualityModel
from roadstead.quality.registry import quality_model
from roadstead.quality.width_formula import LossOfWidths
from roadstead.quality.words import QUALITY_MODELS
from roadstead.search.registry import LEVELS, PARTITIONS
from roadstead.tables import names
from roadstead.verbs.anonymize.plan import AnonymizationPlan
from roadstead.verbs.anonymize.proof import require_plain_text, require_proof
from roadstead.verbs.combination import anonymize_parts
from roadstead.verbs.declared_codes import keeping_codes_in
from roadstead.verbs.hierarchies import declared_hierarchies
from roadstead.verbs.key.use import pseudonyms_by
from roadstead.verbs.persons.dates import planned_persons
from roadstead.verbs.persons.models import in_persons, require_requestable
from roadstead.verbs.persons.settings import links
from roadstead.verbs.privacy import models_of
from roadstead.verbs.settings import (
    USUAL_K,
    aggregate_of,
    check_target,
    choose,
    choose_search,
    k_alongside,
    roles_of,
    smallest_class,
)
from roadstead.verbs.treatments import require_free, treatments_of, with_treated_columns

if TYPE_CHECKING:
    from roadstead.search.optimality_proof import ExactMean
    from roadstead.tables.roles import Roles
    from roadstead.tables.source import Source
    from roadstead.verbs.anonymize.request import AnonymizeRequest


def check_names(request: AnonymizeRequest) -> None:
    """Reject an unknown loss or search before opening any table."""
    if not callable(request.quality):
        choose(request.quality, QUALITY_MODELS, option("quality"))
    if request.recoding == "global":
        choose_search(request.search, LEVELS, PARTITIONS)
    else:
        from roadstead.verbs.anonymize.recoding.find import recoding_search  # noqa: PLC0415 - heavy

        recoding_search(request, request.recoding)


def plan_of(request: AnonymizeRequest, source: Source) -> AnonymizationPlan:
    """Apply the roles, the models, and the loss to the table. Reject conflicting settings."""
    roles, matched = roles_of(request).matched(source.columns)
    roles.check(source.columns)
    given = declared_hierarchies(request, source.columns, roles.quasi)
    models = models_of(
        request.privacy, roles.for_models, given.folder, given.by_column, base=request.base
    )
    require_requestable(models)
    k = k_alongside(request.k, models)
    treatments = treatments_of(request.treat, roles, source.columns, k or USUAL_K)
    parts = anonymize_parts(request, models, k, treatments)
    require_combination(parts)
    persons = planned_persons(request, roles, source)
    source, roles = persons.dates.source, persons.roles
    pseudonyms = pseudonyms_by(request.key, request.out) if links(request) else None
    roles.check(source.columns)
    check_target(request.target, roles)
    quality = _quality(request, roles.quasi, max(k or 1, smallest_class(models)))
    plan = AnonymizationPlan(
        request,
        source,
        roles,
        persons,
        quality,
        in_persons(models, request),
        k,
        given.folder,
        given.without(columns_of(models)),
        parts,
        treatments,
        _mean_of_proof(request, source, quality, roles, models),
        pseudonyms,
        matched,
    )
    names.require(plan.judged, source.columns)
    require_free(treatments, plan.judged, () if persons.rules is None else persons.rules.dates)
    roles = with_treated_columns(roles.with_sensitive(plan.judged), treatments)
    roles.require_decided(source.columns)
    plan = replace(plan, roles=roles)
    return replace(plan, source=_keeping_codes(plan), read=source)


def _keeping_codes(plan: AnonymizationPlan) -> Source:
    """Return the table of a plan, with the declared missing codes that its release keeps."""
    request, quasi = plan.request, plan.roles.quasi
    in_two = request.recoding == "intervals" and request.intervals == "columns"
    if in_two or request.proof is not None:
        quasi = ()  # these columns contain only numbers, or another program reads the table
    if request.population is not None:
        quasi = ()  # the population is read without codes
    used = {*plan.judged, *treated_columns(plan.treatments)}
    smallest = max(plan.k or 1, smallest_class(plan.privacy))
    return keeping_codes_in(plan.source, plan.roles, quasi, used, smallest)


def _mean_of_proof(
    request: AnonymizeRequest,
    source: Source,
    quality: QualityModel,
    roles: Roles,
    models: Sequence[PrivacyModel],
) -> ExactMean | None:
    """Return the mean that a requested proof uses, or reject the request."""
    if request.proof is None:
        return None
    persons = () if request.person is None else (request.person,)
    counted = (*columns_of(models), *persons)
    mean = require_proof(request.proof, request.out, quality, len(roles.quasi), counted)
    require_plain_text(source, request.missing or (), (*roles.quasi, *counted))
    return mean


def _quality(request: AnonymizeRequest, quasi: tuple[str, ...], smallest: int) -> QualityModel:
    """Return the loss that the search minimizes. A class has at least `smallest` records."""
    if callable(request.quality):
        return LossOfWidths(request.quality)
    # A recoding minimizes the arithmetic mean, because bounds are known for this mean.
    mean = request.aggregate if request.recoding == "global" else "arithmetic"
    return quality_model(
        request.quality,
        aggregate_of(mean, request.weights, quasi),
        request.target,
        smallest,
        request.average_over,
        suppression={
            "gs_factor": request.gs_factor,
            "monotone": request.monotone,
            "gs_formula": request.gs_formula,
        },
        stakes={
            **(request.stakes or {}),
            **({} if request.attacker is None else {"attacker": request.attacker}),
        },
    )
