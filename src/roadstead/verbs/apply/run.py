"""Apply a policy to new data: the same generalization, the same promise, checked anew.

The rules of the policy generalize the new values; the privacy models decide afresh which classes
are suppressed. If that takes more than the policy's limit, the policy does not suit the new data,
and nothing is written. A limit of 0 makes it all or nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.capabilities import require_combination, require_use_of_policy
from roadstead.errors import Refusal, RoadsteadError, RoleError, SettingError
from roadstead.front_end import option
from roadstead.jobs import Delivery, Observer
from roadstead.log import LOG
from roadstead.policies.document import PersonRules, Policy, read_policy
from roadstead.policies.treatments.document import treatment_parts
from roadstead.privacy.combination import columns_of
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.release.generalization import generalize
from roadstead.release.generalized import require_limit
from roadstead.release.persons.dates import DatesMade, make_dates
from roadstead.release.persons.pseudonyms import Pseudonyms
from roadstead.reports.wording import first_few
from roadstead.requests.checks import wrong
from roadstead.requests.fields import set_fields
from roadstead.tables import names
from roadstead.tables.persons.profiles import counted_by
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.apply.as_sql import as_sql
from roadstead.verbs.apply.decided import unrecorded, with_named, without_unrecorded
from roadstead.verbs.apply.drift import Drift, drift_of, share_suppressed_then
from roadstead.verbs.apply.result import Application
from roadstead.verbs.columns import (
    ColumnDecisions,
)
from roadstead.verbs.combination import NEW_RECORDS_PART, population_parts
from roadstead.verbs.examined_table import examined_columns, examined_table
from roadstead.verbs.kept import with_kept_by
from roadstead.verbs.key.use import pseudonyms_by, require_use_of_key
from roadstead.verbs.opening import opened
from roadstead.verbs.people import populated
from roadstead.verbs.persons.dates import require_all_shifted
from roadstead.verbs.persons.settings import person_of_policy, require_linked_protection
from roadstead.verbs.settings import USUAL_K, reasons_of
from roadstead.verbs.writing import delivered, require_new_table, require_output

_OF_A_RELEASE = (
    "out",
    "into",
    "suppression",
    "population",
    "population_counts",
    "release",
    "key",
    "force",
    "ledger",
    "ledger_people",
    "ledger_warn",
)
"""What a statement has no use for."""

_NOT_LISTED = "the policy records no decision on it"

if TYPE_CHECKING:
    from roadstead.release.generalized import Generalized
    from roadstead.tables.frequency import FrequencyTable
    from roadstead.verbs.apply.request import ApplyRequest


def deliver(request: ApplyRequest, observer: Observer) -> Delivery[Any]:
    """Write the release, or the statement, and say what was done."""
    _require_sql_alone(request)
    if request.sql or request.sql_check:
        return _statement(request, observer)
    if request.data is None:
        raise SettingError(
            "there is no table to apply the policy to",
            where="DATA",
            fix="name one, or print the policy as SQL with "
            f"{option('sql', value=True)} {option('table', 'NAME')}",
        )
    require_output(request)
    source = opened(request.data, request, observer, quietly=True)
    require_new_table(request, source)
    result = application_of(request, source)
    observer.finished()
    return delivered(result, request, result.lines)


def _statement(request: ApplyRequest, observer: Observer) -> Delivery[str]:
    dialect = request.dialect or "duckdb"
    text = as_sql(
        request.policy,
        None if request.data is None else opened(request.data, request, observer, quietly=True),
        dialect=dialect,
        table=request.table,
        unseen=request.unseen,
        check=request.sql_check,
        insensitive=request.insensitive,
    )
    observer.finished()
    document = {"dialect": dialect, "sql": text}
    return Delivery(text, (), document, statement=text.removesuffix("\n") + ";")


def _require_sql_alone(request: ApplyRequest) -> None:
    """Refuse both statements at once, and options of a release or of a statement without it."""
    given = set_fields(request).keys()
    if request.sql and request.sql_check:
        raise SettingError(
            "both exclude each other",
            where=f"{option('sql')}, {option('sql_check')}",
            fix="ask twice",
        )
    if request.sql or request.sql_check:
        for key in _OF_A_RELEASE:
            if key in given:
                fix = f"leave it out, or {option('sql')}"
                raise wrong(key, "a statement is printed, and nothing is written or counted", fix)
        return
    for key in ("dialect", "table"):
        if key in given:
            raise wrong(key, f"belongs to {option('sql')}", f"add {option('sql')}, or leave it out")


def application_of(request: ApplyRequest, source: Source) -> Application:
    """Apply the policy to a table."""
    policy = request.policy
    given = policy if isinstance(policy, Policy) else read_policy(Path(policy))
    known = with_named(given, request.release, request.insensitive, reasons_of(request))
    where = "the policy" if isinstance(policy, Policy) else f"{Path(policy).name}, privacy"
    then = None if isinstance(policy, Policy) else share_suppressed_then(Path(policy), known)
    models = tuple(model_from(settings, where=where) for settings in known.privacy)
    require_use_of_policy((*treatment_parts(known.treatments), NEW_RECORDS_PART))
    require_combination(population_parts(request, models))
    left = tuple(one for one in unrecorded(known, models) if one not in request.insensitive)
    known, person = _of_persons(without_unrecorded(known, left), models, source)
    made, pseudonyms = _made_by_key(request, known, source)
    source = made.source
    names.require(known.released, source.columns)
    # A column that is released as it is, not by name, must not look like an identifier here.
    own = known.columns
    removed = tuple(name for name in own.removed if name not in (*left, person))
    roles = Roles(known.quasi, own.sensitive, removed, own.insensitive, own.forced, person=person)
    roles = replace(roles, reasons=own.reasons)
    _require_listed(request, roles.undeclared(source.columns))
    examined = examined_columns(source, roles, (), fix="anonymize the table afresh")
    require_all_shifted(known.persons, roles, examined)
    table = examined_table(
        source,
        roles,
        examined,
        k=max((one.k for one in models if isinstance(one, PersonAnonymity)), default=USUAL_K),
        linked=pseudonyms is not None,
        treatments=known.treatments,
    )
    counted = counted_by(source, person, known.quasi, columns_of(models))
    decided = _as_recorded(table.decided(counted.records), known)
    counted = populated(counted, request.population, request.population_counts)
    counted = with_kept_by(counted, models, known, where=where)
    policy, generalized = _applied(request, known, models, counted, source, then)
    applied = table.released(policy, generalized.with_pseudonyms(pseudonyms), decided)
    return table.checked(
        Application(
            source=source,
            policy=applied.policy,
            models=models,
            generalized=applied.generalized,
            decided=applied.decided,
            unrecorded=left,
            limit_of_policy=known.suppression.limit,
            share_then=then,
            dates=made,
        )
    )


def _applied(
    request: ApplyRequest,
    known: Policy,
    models: Sequence[PrivacyModel],
    table: FrequencyTable,
    source: Source,
    then: float | None,
) -> tuple[Policy, Generalized]:
    """Generalize a table by a policy; an error that says what drifted if it does not fit.

    `then`: the share of records that the policy suppressed when it was made.
    """
    kept, limit = known.suppression, request.suppression
    suppression = replace(kept, limit=kept.limit if limit is None else limit)
    applied = replace(known, suppression=suppression)
    generalized = generalize(table, applied, models, suppress_unseen=True, where=source.name)
    LOG.info("generalized %d records, %d suppressed", table.records, generalized.suppressed)
    try:
        if request.unseen == "refuse":
            generalize(table, applied, models, where=source.name)
        require_limit(
            generalized,
            applied.suppression,
            models,
            where=source.name,
            fix="anonymize the new table afresh",
        )
    except RoadsteadError as refusal:
        raise _refused(refusal, drift_of(generalized, applied, models, then)) from None
    return applied, generalized


def _refused(refusal: RoadsteadError, drift: Drift) -> RoadsteadError:
    """Say what drifted, and no way on except one that helps and protects as much."""
    error = refusal
    if not isinstance(refusal, Refusal) and drift.fits is None:
        # Values that the policy does not cover need not be suppressed: that would not do.
        fix = "anonymize the new table afresh"
        error = type(refusal)(refusal.what, where=refusal.where, fix=fix)
    error.drift = drift
    return error


def _of_persons(
    policy: Policy, models: Sequence[PrivacyModel], source: Source
) -> tuple[Policy, str | None]:
    """Say by which column persons are counted; the policy then says so too, and not only a model.

    Refused are a table that does not have it, and links between rows that nothing protects.
    """
    person = person_of_policy(policy, models, source)
    require_linked_protection(policy, models)
    if person is not None and policy.persons is None:
        return replace(policy, persons=PersonRules(person)), person
    return policy, person


def _made_by_key(
    request: ApplyRequest, policy: Policy, source: Source
) -> tuple[DatesMade, Pseudonyms | None]:
    """Make dates what the policy says, and the pseudonyms of a policy that links rows."""
    linked, rules = policy.linked_by is not None, policy.persons
    shifted = rules is not None and rules.shift is not None
    require_use_of_key(request.key, used=linked or shifted, policy=True)
    drawn = pseudonyms_by(request.key, request.out) if linked or shifted else None
    made = DatesMade(source) if rules is None else make_dates(source, rules, drawn)
    return made, drawn if linked else None


def _require_listed(request: ApplyRequest, others: Sequence[str]) -> None:
    """Refuse columns that the policy does not list, where the request says so."""
    if request.undecided == "refuse" and others:
        raise RoleError(
            f"the policy records no decision on {first_few(others)}",
            where=option("undecided", "refuse"),
            fix=f"release them with {option('insensitive', list(others))}, or withhold them with "
            f"{option('undecided', 'withhold')}",
        )


def _as_recorded(decided: ColumnDecisions, policy: Policy) -> ColumnDecisions:
    """Say of the columns without a role why, and which the policy releases without a decision."""
    free = policy.columns.undecided or ()
    roles = decided.roles
    return replace(
        decided,
        roles=replace(roles, insensitive=tuple(x for x in roles.insensitive if x not in free)),
        unnamed=free,
        withheld=tuple(
            replace(
                one, unchanged=True, reason=_NOT_LISTED if one.why == "undecided" else one.reason
            )
            for one in decided.withheld
        ),
    )
