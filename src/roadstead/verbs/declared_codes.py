"""Choose the declared missing codes that a release keeps as separate values.

A release keeps a code, such as ``refused``, if the number of records with the code is at least the
minimum size of a group. If a person ID is named, people are counted. A rarer code becomes a plain
missing value, even if each value of the column has a label. In a quasi-identifier, such labels are
generalized like all others.

If a privacy model or a treatment uses a column, the codes of this column become plain missing
values. A code is not a value, so it must not make a group diverse, and must not change a mean.
Births and years also keep plain missing values, because they are compared with other dates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from roadstead.hierarchies.rules import Everything
from roadstead.policies.document import SUPPRESSED, Policy, PolicyColumns, Suppression
from roadstead.privacy.combination import columns_of
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.settings import model_from
from roadstead.release.persons.days_shown import is_called_a_year
from roadstead.tables.kept_codes import (
    counting_people,
    frequent_codes,
    with_codes,
    without_rare_codes,
)
from roadstead.tables.source import ProgramFile, Source
from roadstead.verbs.settings import USUAL_K, smallest_class

if TYPE_CHECKING:
    from roadstead.policies.attribute_policy import AttributePolicy
    from roadstead.policies.person_rules import PersonRules
    from roadstead.policies.treatments.document import Treatment
    from roadstead.privacy.protocol import PrivacyModel
    from roadstead.tables.roles import Roles


def missing_codes_of(source: Source) -> dict[str, tuple[str, ...]]:
    """Return the missing codes that a table shows as separate values, by column."""
    if not isinstance(source.format, ProgramFile):
        return {}
    columns = source.format.codebook.columns
    return {name: tuple(notes.kept) for name, notes in columns.items() if notes.kept}


def keeping_codes(
    source: Source,
    columns: Iterable[str],
    others: Collection[str],
    used: Collection[str],
    smallest: int,
    person: str | None = None,
) -> Source:
    """Return a table in which missing codes are separate values if enough records have them.

    `columns` may keep codes even if other values have no label. `others` lists the released columns
    that are not quasi-identifiers. `used` lists the columns that models and treatments use.
    `smallest` is the minimum size of a group in the release. If `person` is the column of the
    person ID, people are counted.
    """
    fewest = _fewest(smallest)
    source = counting_people(source, person)
    # The codes of numbers come first: they no longer fit a table in which labels have changed.
    found = with_codes(source, _frequent(source, columns, fewest))
    return without_rare_codes(without_rare_codes(found, used), others, fewest, person)


def keeping_codes_in(
    source: Source, roles: Roles, quasi: Collection[str], used: Collection[str], smallest: int
) -> Source:
    """Return a table with the missing codes that a release keeps, for columns with roles.

    `quasi` lists the quasi-identifiers that may keep codes. The other arguments have the same
    meaning as in `keeping_codes`.
    """
    others = {*roles.sensitive, *roles.unchanged, *roles.release_anyway}
    if roles.undecided == "release":
        others |= {*roles.undeclared(source.columns)}
    others -= {*roles.quasi}
    used = {*used} - {*roles.quasi}
    kept = (*quasi, *(others - used))
    return keeping_codes(source, kept, others, used, smallest, roles.person)


def keeping_codes_of(source: Source, policy: Policy, *, compared: bool = False) -> Source:
    """Return a table with the missing codes that a release under the policy keeps.

    If the table is `compared` with a population, the codes of removed columns are not kept, because
    the population is read without codes.
    """
    if not isinstance(source.format, ProgramFile):
        return source
    models = [model_from(settings, where="the policy") for settings in policy.privacy]
    fewest = fewest_records(models)
    released = [name for name in policy.columns.released if name in source.columns]
    people = policy.persons
    person = people.column if people is not None and people.column in source.columns else None
    if people is not None and (people.dates or person is None):
        return without_rare_codes(source, released, fewest, person)
    used = {*policy.treated, *columns_of(models)} & {*source.columns}
    source = counting_people(source, person)
    others = {*policy.columns.released} - used
    own = {one.name: one.missing_codes for one in policy.attributes}
    kept = _frequent(source, (*own, *others), fewest)
    # The risk before the release counts the codes of removed columns.
    everything = () if compared else policy.attributes
    removed = (one.name for one in everything if isinstance(one.rule, Everything))
    own |= {name: tuple(kept.get(name, ())) for name in removed}
    kept |= {
        name: {text: code for text, code in texts.items() if text in own[name]}
        for name, texts in kept.items()
        if name in own
    }
    found = with_codes(source, {name: texts for name, texts in kept.items() if texts})
    return without_rare_codes(without_rare_codes(found, used), released, fewest, person)


def policy_of(
    attributes: Sequence[AttributePolicy],
    models: Sequence[PrivacyModel],
    roles: Roles,
    columns: Sequence[str],
    persons: PersonRules | None,
    treatments: Sequence[Treatment] = (),
) -> Policy:
    """Return a policy that releases the columns of a table according to their roles."""
    unchanged = roles.undeclared(columns) if roles.undecided == "release" else ()
    return Policy(
        attributes=tuple(attributes),
        privacy=tuple(model.settings() for model in models),
        suppression=Suppression(0.0, "mask" if roles.person is None else "drop"),
        columns=PolicyColumns(
            roles.sensitive,
            (*roles.unchanged, *unchanged),
            forced=tuple(roles.release_anyway),
            undecided=(),
        ),
        persons=persons,
        treatments=tuple(treatments),
    )


def fewest_records(models: Sequence[PrivacyModel]) -> int:
    """Return how many records must have a missing code, so that the release keeps the code."""
    people = (model.k for model in models if isinstance(model, PersonAnonymity))
    return _fewest(max(smallest_class(models), *people, 1))


def _fewest(smallest: int) -> int:
    return smallest if smallest > 1 else USUAL_K


def _frequent(source: Source, columns: Iterable[str], fewest: int) -> dict[str, dict[str, float]]:
    """Return the missing codes that enough records or people have, by column."""
    columns = [name for name in columns if not is_called_a_year(name)]
    found = frequent_codes(source, columns, fewest)
    # In a release that is the source of another release, this code represents suppressed values.
    kept = {
        name: {text: code for text, code in texts.items() if text != SUPPRESSED}
        for name, texts in found.items()
    }
    return {name: texts for name, texts in kept.items() if texts}
