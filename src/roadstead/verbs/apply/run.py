"""Apply a policy to new data, and check the privacy requirements again.

If more records are suppressed than the policy allows, nothing is written. With a limit of 0, no
record may be suppressed.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.capabilities import require_combination
from roadstead.jobs import Delivery, Observer
from roadstead.policies.document import Policy, read_policy
from roadstead.privacy.combination import columns_of
from roadstead.privacy.settings import model_from
from roadstead.release.added_risk import group_size
from roadstead.reports.opened import codebook_codes
from roadstead.reports.release.drift import certificate_of_policy, share_suppressed_then
from roadstead.tables.persons.profiles import counted_by
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.apply.decided import with_named
from roadstead.verbs.apply.fit import fitted
from roadstead.verbs.apply.known_policy import (
    as_recorded,
    made_by_key,
    people_required,
    policy_of_persons,
    require_listed,
    require_one_table,
    require_several,
    require_use,
)
from roadstead.verbs.apply.result import Application
from roadstead.verbs.apply.statement import require_sql_alone, statement_of
from roadstead.verbs.combination import population_parts
from roadstead.verbs.examined_table import examined_columns, examined_table
from roadstead.verbs.kept import with_kept_by
from roadstead.verbs.opening import opened, with_recorded_missing
from roadstead.verbs.people import missing_codes_used, populated
from roadstead.verbs.persons.dates import require_all_shifted
from roadstead.verbs.settings import reasons_of
from roadstead.verbs.writing import delivered, require_new_table, require_output

if TYPE_CHECKING:
    from roadstead.verbs.apply.request import ApplyRequest


def deliver(request: ApplyRequest, observer: Observer) -> Delivery[Any]:
    """Write the release or the SQL statement, and describe the result."""
    if not isinstance(request.policy, Policy):
        require_one_table(Path(request.policy))
    require_sql_alone(request)
    if request.sql or request.sql_check:
        return statement_of(request, observer)
    require_output(request)
    if not isinstance(request.policy, Policy):
        request = with_recorded_missing(request, Path(request.policy).parent, observer)
    source = opened(request.data, request, observer, quietly=True)
    for line in codebook_codes(source):
        observer.note(line)
    require_new_table(request, source)
    result = application_of(request, source)
    observer.finished()
    return delivered(result, request, result.lines, observer)


def application_of(
    request: ApplyRequest, source: Source, *, new_records: bool = True
) -> Application:
    """Apply the policy of a request to a table.

    Some treatments form groups from all records of a table, so they cannot be used for new records.
    `new_records` is false if the policy comes from a release of the same table.
    """
    policy = request.policy
    given = policy if isinstance(policy, Policy) else read_policy(Path(policy))
    known = with_named(given, request.release_anyway, request.unchanged, reasons_of(request))
    where = "the policy" if isinstance(policy, Policy) else f"{Path(policy).name}, privacy"
    certificate = None if isinstance(policy, Policy) else certificate_of_policy(Path(policy), given)
    then = share_suppressed_then(certificate)
    models = tuple(model_from(settings, where=where) for settings in known.privacy)
    known = replace(known, privacy=tuple(model.settings() for model in models))
    if new_records:
        require_use(known)
    # The policy decides whether a key is needed, and `made_by_key` checks the key.
    parts = population_parts(request, models)
    require_combination(tuple(part for part in parts if part.key != "key"))
    known, person = policy_of_persons(known, models, source)
    made, pseudonyms = made_by_key(request, known, source)
    source = made.source
    roles = _roles_of(known, person)
    require_listed(request, roles.undeclared(source.columns))
    again = "anonymize the table again"
    examined = examined_columns(
        source, roles, (), fewest=group_size(models), treatments=known.treatments, fix=again
    )
    require_all_shifted(known.persons, roles, examined, made.before)
    table = examined_table(
        source,
        roles,
        examined,
        k=people_required(models),
        known=True,  # the policy says how many rows an attacker knows
        linked=pseudonyms is not None,
        treatments=known.treatments,
        fix="anonymize the table again",
    )
    counted = counted_by(source, person, known.quasi, columns_of(models))
    require_several(source, person, counted, certificate)
    decided = as_recorded(table.decided(counted), known)
    codes = missing_codes_used(source)
    counted = populated(counted, request.population, request.population_counts, codes)
    counted = with_kept_by(counted, models, known, where=where)
    policy, generalized = fitted(request, known, models, counted, source, then)
    applied = table.released(policy, generalized.with_pseudonyms(pseudonyms), decided)
    return table.checked(
        Application(
            source=source,
            policy=applied.policy,
            models=models,
            generalized=applied.generalized,
            decided=applied.decided,
            limit_of_policy=known.suppression.limit,
            share_then=then,
            uncompared=new_records and request.ledger is None,
            dates=made,
        )
    )


def _roles_of(known: Policy, person: str | None) -> Roles:
    """Return the roles that a policy gives to columns.

    A column without a role that is released unchanged must not look like an identifier in the new
    data.
    """
    own = known.columns
    removed = tuple(name for name in own.removed if name != person)
    roles = Roles(known.quasi, own.sensitive, removed, own.unchanged, own.forced, person=person)
    return replace(roles, reasons=own.reasons, forced_quasi=own.forced_quasi)
