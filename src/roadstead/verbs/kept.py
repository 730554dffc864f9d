"""Say of each row what a policy keeps of its information, for privacy models that look at that.

Whoever makes a policy has the hierarchies. Whoever applies it has its rules. Where these list their
values, the model in the policy says how many there are, and that is enough. Where they are bands,
beginnings of codes or dates, what labels keep depends on the table: it is looked up in the
hierarchy that the new table would have by itself, if that has the same rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from roadstead.errors import PolicyError, quoted
from roadstead.hierarchies.defaults import default_hierarchy
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.policies.document import AttributePolicy, Policy
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
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.identifiers.vocabulary import meaning


def listing_domains(
    models: Sequence[PrivacyModel], hierarchies: Sequence[Hierarchy]
) -> tuple[PrivacyModel, ...]:
    """Note in models that look at labels how many values hierarchies list, where all list them."""
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
    """Say what levels of hierarchies keep, if a model asks."""
    if not sees_labels(models):
        return table
    return replace(table, kept=KeptAtLevels(encode(table, hierarchies), levels).of_all())


def with_kept_by(
    table: FrequencyTable, models: Sequence[PrivacyModel], policy: Policy, *, where: str
) -> FrequencyTable:
    """Say what the rules of a policy keep, if a model asks; `where` is what has its models.

    A PolicyError names a quasi-identifier of which that cannot be told.
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
                f"{quoted(attribute.name)} does not record it for this table",
                where=where,
                fix="anonymize the new table again",
            )
    known = cast("list[tuple[Hierarchy, int]]", found)
    levels = tuple(level for _, level in known)
    return with_kept(table, models, [hierarchy for hierarchy, _ in known], levels)


def _of_table(attribute: AttributePolicy, domain: Sequence[str]) -> tuple[Hierarchy, int] | None:
    """Find the level that has the rule in the hierarchy that a column has by itself."""
    hierarchy = default_hierarchy(attribute.name, domain, meaning(attribute.name))
    same = (n for n in range(hierarchy.height) if hierarchy.rule(n) == attribute.rule)
    level = next(same, None)
    return None if level is None else (hierarchy, level)
