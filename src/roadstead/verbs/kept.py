"""Compute how much detail a policy keeps in each row, for the privacy models that need this.

If the rules of a policy list their values, the detail follows from the number of values, which the
model in the policy stores. For other rules, the detail follows from the default hierarchy of the
new table, provided that this hierarchy has the same rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from roadstead.errors import PolicyError, quoted
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.rules import Bands, Calendar
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.document import Policy
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import Levels
from roadstead.policies.label_bits import (
    KeptAtLevels,
    kept_by_rules,
    list_all_values,
    listed_sizes,
    sizes_fit,
)
from roadstead.privacy.combination import sees_labels
from roadstead.privacy.models.profitability import Profitability
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.kept import sizes_of
from roadstead.release.persons.early_births import EarlyBirths
from roadstead.release.persons.old_ages import is_called_a_birth
from roadstead.tables.frequency import FrequencyTable
from roadstead.verbs.defaults import default_hierarchy


def listing_domains(
    models: Sequence[PrivacyModel], hierarchies: Sequence[Hierarchy]
) -> tuple[PrivacyModel, ...]:
    """If hierarchies list all values, store the number of values in the models that need it."""
    if not sees_labels(models):
        return tuple(models)
    sizes = listed_sizes(hierarchies)
    names = [hierarchy.attribute for hierarchy in hierarchies]
    domains = None if sizes is None else dict(zip(names, sizes, strict=True))
    return tuple(one.listing(domains) if isinstance(one, Profitability) else one for one in models)


def with_kept(
    table: FrequencyTable,
    models: Sequence[PrivacyModel],
    hierarchies: Sequence[Hierarchy],
    levels: Levels,
) -> FrequencyTable:
    """If a model needs this, store in a table how much detail the hierarchy levels keep."""
    if not sees_labels(models):
        return table
    return replace(table, kept=KeptAtLevels(encode(table, hierarchies), levels).of_all())


def with_kept_by(
    table: FrequencyTable, models: Sequence[PrivacyModel], policy: Policy, *, where: str
) -> FrequencyTable:
    """If a model needs this, store in a table how much detail the rules of a policy keep.

    The function raises a PolicyError if the detail of a quasi-identifier cannot be computed. In the
    error message, `where` is the location of the problem.
    """
    if not sees_labels(models):
        return table
    rules = [attribute.rule for attribute in policy.attributes]
    sizes = sizes_of(models, policy)
    if sizes is not None and list_all_values(rules) and sizes_fit(rules, sizes):
        return replace(table, kept=kept_by_rules(rules, sizes, table, labels=False))
    found = [
        _of_table(attribute, domain)
        for attribute, domain in zip(policy.attributes, table.domains, strict=True)
    ]
    for attribute, one in zip(policy.attributes, found, strict=True):
        if one is None:
            names = " and ".join(model.name for model in models if model.sees_labels)
            raise PolicyError(
                f"{names} compares how much detail a group keeps, but the rule of "
                f"{quoted(attribute.name)} does not record how much detail this table keeps",
                where=where,
                fix="anonymize the new table again",
            )
    known = cast("list[tuple[Hierarchy, int]]", found)
    levels = tuple(level for _, level in known)
    return with_kept(table, models, [hierarchy for hierarchy, _ in known], levels)


def _of_table(attribute: AttributePolicy, domain: Sequence[str]) -> tuple[Hierarchy, int] | None:
    """In a column's default hierarchy, find the level whose rule equals the rule of a policy."""
    rule = attribute.rule
    bottom = rule.bottom if isinstance(rule, Bands | Calendar) else None
    born = None
    if bottom is not None and is_called_a_birth(attribute.name):
        born = EarlyBirths(int(bottom))
    hierarchy = default_hierarchy(attribute.name, domain, born=born)
    same = (n for n in range(hierarchy.height) if hierarchy.rule(n) == attribute.rule)
    level = next(same, None)
    return None if level is None else (hierarchy, level)
