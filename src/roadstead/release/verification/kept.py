"""Compare the information that classes keep with the certified shares.

The certificate contains one share for each class, in the order of the classes' labels. The privacy
model is checked with these shares. If the rules of the policy list the values of each label,
Roadstead also computes the information that the classes really keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from roadstead.hierarchies.rules import Everything
from roadstead.policies.document import Policy
from roadstead.policies.label_bits import kept_by_rules, list_all_values, sizes_fit
from roadstead.printable import named
from roadstead.privacy.combination import sees_labels
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.kept import sizes_of
from roadstead.release.verification.checks import Check, counted
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.kept_bits import MILLION, of_shares


def with_certified_shares(
    table: FrequencyTable, shares: Sequence[float] | None
) -> tuple[FrequencyTable, list[Check]]:
    """Add the certified shares, which are in the order of the classes, to the classes."""
    if shares is None:
        return table, []
    # Use the decimals as written, rounded down.
    exact = [int(Fraction(repr(float(share))) * MILLION) for share in shares]
    name, classes = (
        "the certified shares match the groups",
        counted(table.distinct, "group"),
    )
    if len(exact) != table.distinct:
        wrong = f"the certificate has {len(exact):,} numbers for {table.distinct:,} groups"
        return table, [Check(name, passed=False, detail=wrong)]
    detail = (
        f"{classes}; certified shares of the information kept: {min(exact) / MILLION:.6f} to "
        f"{max(exact) / MILLION:.6f}"
    )
    known = replace(table, kept=of_shares(np.array(exact, dtype=np.int64)))
    return known, [Check(name, passed=True, detail=detail)]


def check_kept(
    table: FrequencyTable, policy: Policy, models: Sequence[PrivacyModel]
) -> list[Check]:
    """Compare the certified shares with the shares that result from the rules of the policy.

    `table` contains the certified shares of its classes. If the rules do not list the values, the
    function does not check anything.
    """
    sizes, rules = _listed_sizes(policy, models), [one.rule for one in policy.attributes]
    if sizes is None or table.kept is None:
        return []
    found = kept_by_rules(rules, sizes, table, labels=True)
    every = np.arange(table.distinct, dtype=np.uint32)
    classes = counted(table.distinct, "group")
    short = int((found.of(every) < table.kept.of(every)).sum())
    wrong = f"{short:,} of {classes} keep less information than certified" if short else None
    if not sizes_fit(rules, sizes):
        wrong = "the rules of the policy list more or fewer values than the policy states"
    name = "the groups keep as much information as certified"
    return [
        Check.of(name, wrong, f"{classes}, computed from the values that each label represents")
    ]


def unchecked_of_kept(policy: Policy, models: Sequence[PrivacyModel]) -> list[str]:
    """Return the facts about the certified shares that the files cannot confirm."""
    if not sees_labels(models):
        return []
    if _listed_sizes(policy, models) is None:
        return ["how much information each group keeps"]
    removed = [one.name for one in policy.attributes if isinstance(one.rule, Everything)]
    return [f"how many different values {' and '.join(map(named, removed))} had"] if removed else []


def _listed_sizes(policy: Policy, models: Sequence[PrivacyModel]) -> tuple[int, ...] | None:
    """Return the number of values of each quasi-identifier if the rules list all values."""
    sizes = sizes_of(models, policy)
    if sizes is None or policy.recoding is not None:
        return None
    return sizes if list_all_values([one.rule for one in policy.attributes]) else None
