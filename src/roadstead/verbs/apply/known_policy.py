"""Apply a policy's rules about people, dates, and columns to a new table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.capabilities import require_use_of_policy
from roadstead.errors import PolicyError, RoleError, quoted
from roadstead.front_end import option
from roadstead.policies.document import Policy
from roadstead.policies.person_rules import ANCHOR, PersonRules
from roadstead.policies.treatments.document import treatment_parts
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.certificate import CERTIFICATE, Certificate
from roadstead.release.kind import release_of
from roadstead.release.persons.dates import DatesMade, make_dates
from roadstead.release.persons.id_form import require_same_form
from roadstead.release.persons.pseudonyms import Pseudonyms
from roadstead.reports.release.columns import ColumnDecisions
from roadstead.reports.terminal.columns import AGAIN
from roadstead.reports.wording import first_few
from roadstead.tables import names
from roadstead.tables.source import Source
from roadstead.verbs.combination import NEW_RECORDS_PART
from roadstead.verbs.key.use import pseudonyms_by, require_use_of_key
from roadstead.verbs.persons.settings import person_of_policy, require_linked_protection
from roadstead.verbs.policy_labels import as_policy_shows
from roadstead.verbs.settings import USUAL_K

if TYPE_CHECKING:
    from roadstead.tables.frequency import FrequencyTable
    from roadstead.verbs.apply.request import ApplyRequest


_REPEATED = 10
"""The expected number of repeated person IDs that cannot be missing by chance."""
_NOT_LISTED = "the policy does not record who decided to release this column"


def require_one_table(policy: Path) -> None:
    """Reject the release of a whole database, because it contains no policy for other tables."""
    folder = policy.parent if policy.name == CERTIFICATE else policy
    if not (folder / CERTIFICATE).is_file() or release_of(folder).name != "database":
        return
    raise PolicyError(
        "this is the release of a whole database, and it contains no policy for other tables",
        where=str(policy),
        fix="release the new tables with roadstead anonymize and the same settings as before; if "
        f"{option('key')} is also the same, people keep their pseudonyms and shifts",
    )


def people_required(models: Sequence[PrivacyModel]) -> int:
    """Return the number of people who must match, or the default number if records are counted."""
    return max((one.k for one in models if isinstance(one, PersonAnonymity)), default=USUAL_K)


def policy_of_persons(
    policy: Policy, models: Sequence[PrivacyModel], source: Source
) -> tuple[Policy, str | None]:
    """Add the person ID column to the policy if only a privacy model names it.

    The function rejects a table without the column. It also rejects a policy that links the rows of
    each person if no model protects linked rows.
    """
    person = person_of_policy(policy, models, source)
    require_linked_protection(policy, models)
    if person is not None and policy.persons is None:
        return replace(policy, persons=PersonRules(person)), person
    return policy, person


def require_several(
    source: Source, person: str | None, table: FrequencyTable, then: Certificate | None
) -> None:
    """Reject a person ID that differs in all records if people had several records before.

    `then` is the certificate of the release that the policy comes from. With the earlier number of
    records per person, some IDs in the new table would be repeated. The column is rejected if at
    least `_REPEATED` IDs would be repeated.
    """
    if person is None or then is None or then.persons is None or table.units < table.records:
        return
    records, people = then.counts.records, then.persons.persons
    if table.records * (records - people) < _REPEATED * records:
        return
    raise RoleError(
        "every record has a different person ID, but people had several records when the policy "
        "was made; if these are IDs of visits or records, each record would count as one person",
        where=f"{source.name}, column {quoted(person)}",
        fix=f"put the person IDs into {quoted(person)}; if each person really has one record now, "
        "anonymize the new table again",
    )


def made_by_key(
    request: ApplyRequest, policy: Policy, source: Source
) -> tuple[DatesMade, Pseudonyms | None]:
    """Change the dates as the policy requires. If the policy links rows, also create pseudonyms.

    The policy defines which codes are replaced by labels. The function rejects a table that lacks a
    released column.
    """
    linked, rules = policy.linked_by is not None, policy.persons
    new = () if rules is None or rules.shifted_anchor is None else (ANCHOR,)
    names.require([name for name in policy.released if name not in new], source.columns)
    shifted = rules is not None and rules.shift is not None
    require_use_of_key(request.key, used=linked or shifted, policy=True)
    drawn = pseudonyms_by(request.key, request.out) if linked or shifted else None
    if rules is not None and request.key is not None:
        require_same_form(source, rules)
    made = DatesMade(source) if rules is None else make_dates(source, rules, drawn)
    made = replace(made, source=as_policy_shows(made.source, policy))
    return made, drawn if linked else None


def require_listed(request: ApplyRequest, others: Sequence[str]) -> None:
    """If the request allows no undecided columns, reject columns that the policy does not list."""
    if request.undecided == "refuse" and others:
        raise RoleError(
            f"the policy does not record who decided to release {first_few(others)}",
            where=option("undecided", "refuse"),
            fix=f"release them with {option('unchanged', list(others))}, or withhold them with "
            f"{option('undecided', 'withhold')}",
        )


def as_recorded(decided: ColumnDecisions, policy: Policy) -> ColumnDecisions:
    """Set the reasons for columns without a role.

    Also mark the columns that are released without a decision.
    """
    free = policy.columns.undecided or ()
    roles = decided.roles
    return replace(
        decided,
        roles=replace(roles, unchanged=tuple(x for x in roles.unchanged if x not in free)),
        unnamed=free,
        first=AGAIN,
        withheld=tuple(
            replace(
                one,
                only_unchanged=True,
                reason=_NOT_LISTED if one.why == "undecided" else one.reason,
            )
            for one in decided.withheld
        ),
    )


def require_use(policy: Policy) -> None:
    """Reject treatments that depend on the records of a single table instead of on rules."""
    require_use_of_policy((*treatment_parts(policy.treatments), NEW_RECORDS_PART))
