"""Read the settings about people in a request, and the person ID column of a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from roadstead.errors import PolicyError, RoleError, quoted
from roadstead.policies.json_document import FROM_ROADSTEAD
from roadstead.privacy.models.person_anonymity import Known, PersonAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.registry import MADE_FOR_PERSONS
from roadstead.reports.release.columns import unit_by
from roadstead.reports.wording import CountedUnit
from roadstead.tables.dependencies.found import likely_persons
from roadstead.tables.identifiers.person_keys import named_person_keys

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.requests.persons import PersonProtection
    from roadstead.tables.source import Source


def person_anonymity(k: int, request: PersonProtection) -> PersonAnonymity:
    """Return the k-anonymity model for people that a request describes.

    By default, an attacker is assumed to know one row of a person, or two rows if the release links
    rows. If the attacker knows one row, single rows are suppressed. If the attacker knows several
    rows of the same person, people are suppressed with all their rows.
    """
    if request.person is None:
        raise ValueError("no person ID column is named")
    known = known_rows(request.knows, linked=links(request))
    return PersonAnonymity(k, request.person, known, request.leave_out or left_out(known))


def known_rows(knows: str | int | None, *, linked: bool) -> Known:
    """Return how many rows of a person an attacker may know.

    The default is one row, or two rows if the release links rows.
    """
    if knows is None:
        return 2 if linked else 1
    return "all" if knows == "all" else int(knows)


def left_out(known: Known) -> Literal["rows", "persons"]:
    """Return what is suppressed by default if an attacker knows so many rows of a person."""
    return "rows" if known == 1 else "persons"


def links(request: object) -> bool:
    """Return whether the release shows which rows belong to one person."""
    return getattr(request, "link", None) == "pseudonym"


def shifts(request: object) -> bool:
    """Return whether the dates of each person are shifted."""
    asked: Mapping[str, str] = getattr(request, "dates", None) or {}
    return any(form.strip().startswith("shift") for form in asked.values())


def require_linked_protection(policy: Policy, models: Sequence[PrivacyModel]) -> None:
    """Reject a policy that links the rows of a person but protects only one row."""
    if policy.linked_by is None:
        return
    if not any(isinstance(model, PersonAnonymity) and model.knows != 1 for model in models):
        raise PolicyError(
            "the policy links the rows of a person, but protects only against an attacker who "
            "knows one row",
            where="the policy",
            fix="anonymize the table again, with two known rows or more",
        )


def person_of_policy(
    policy: Policy, models: Sequence[PrivacyModel], source: Source | None = None
) -> str | None:
    """Return the column by which a policy counts people, or None if the policy counts records.

    The function raises a PolicyError if the policy names two person ID columns, releases the person
    ID column, or has a model that counts records. It raises a RoleError if the source lacks the
    column, because each record would otherwise be counted as a different person.
    """
    own = [model for model in models if isinstance(model, PersonAnonymity)]
    if len(own) > 1:
        raise PolicyError(
            "this policy has several models of what an attacker knows about a person, but only one "
            "of these models can determine who is left out",
            where="the policy",
            fix="keep only the model with the strongest protection",
        )
    named = {model.person for model in own}
    if policy.persons is not None:
        named.add(policy.persons.column)
    if not named:
        return None
    if len(named) > 1:
        raise PolicyError(
            f"people are identified by {' and '.join(map(quoted, sorted(named)))}, but only one "
            "column can be the person ID",
            where="the policy",
            fix=FROM_ROADSTEAD,
        )
    for model in models:
        if model.kind not in MADE_FOR_PERSONS:
            raise PolicyError(
                f"{model.name} counts records, but the policy counts people",
                where="the policy",
                fix=FROM_ROADSTEAD,
            )
    (column,) = named
    if column in (*policy.quasi, *policy.columns.released):
        raise PolicyError(
            f"column {quoted(column)} identifies people, but is released",
            where="the policy",
            fix=FROM_ROADSTEAD,
        )
    if source is not None and column not in source.columns:
        raise RoleError(
            "the policy counts people by this column, but the table does not have the column",
            where=f"{source.name}, column {quoted(column)}",
            fix="add the person ID column; without it, each record would count as a person",
        )
    return column


def unit_of(source: Source, quasi: Sequence[str], person: str | None = None) -> CountedUnit:
    """Return the unit that is counted, with columns whose names suggest a person ID."""
    if person is not None:
        return CountedUnit(person)
    return unit_by(named_person_keys(source), quasi)


def unit_seen(
    source: Source, quasi: Sequence[str], person: str | None = None, *, alone: bool = False
) -> CountedUnit:
    """Examine all columns, and return the unit that is counted.

    The examination can find a person ID column with any name. If `alone` is true, each record
    belongs to a different `person`, so another column may be the person ID.
    """
    alone = alone and person is not None
    if person is not None and not alone:
        return CountedUnit(person)
    unit = unit_by(named_person_keys(source), quasi, person, alone=alone)
    if unit.suspects or unit.single is not None:
        return unit
    return unit_by(likely_persons(source, quasi), quasi, person, alone=alone)
