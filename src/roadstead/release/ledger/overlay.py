"""A new release, laid over earlier ones of the same people.

What is compared how follows from the policies: under one policy differences of counts, under two
the records that are alike in both. What cannot be compared is listed, never passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from roadstead.policies.document import Policy, from_json
from roadstead.release.ledger.classes import ReleasedClasses
from roadstead.release.ledger.differences import (
    differencing,
    same_rules,
    sets_of_values,
    values_of_newcomers,
)
from roadstead.release.ledger.entry import EarlierRelease
from roadstead.release.ledger.facts import NotLaid, Overlay, OverlayFinding, WhyNotLaid
from roadstead.release.ledger.joint import joint_sizes
from roadstead.tables.frequency import OutgrownError, summarize
from roadstead.tables.source import Source

MOST_COMBINATIONS = 20_000_000
"""Combinations of the quasi-identifiers of two policies that are held in memory."""


@dataclass(frozen=True, eq=False)
class ReleaseToLay:
    """A release that is about to leave."""

    source: Source  # its records, before the policy
    content: str  # digest of these
    policy: Policy
    k: int
    classes: ReleasedClasses


def laid_over(new: ReleaseToLay, earlier: Sequence[EarlierRelease]) -> Overlay:
    """Lay a release over earlier ones."""
    findings: list[OverlayFinding] = []
    not_laid: list[NotLaid] = []
    changed: dict[str, int] = {}
    same = others = same_table = 0
    for one in earlier:
        if one.policy is None or one.classes is None:
            not_laid.append(NotLaid(one.name, "private"))
            continue
        policy = from_json(one.policy, where=one.name)
        k = max(new.k, one.k or 1)
        if not _same_dates(new.policy, policy):
            not_laid.append(NotLaid(one.name, "dates"))
        elif same_rules(new.policy, policy):
            same += 1
            findings += differencing(one.classes, new.classes, k=k, name=one.name)
            promised = promised_values(new.policy)
            findings += values_of_newcomers(
                one.classes, new.classes, promised=promised, name=one.name
            )
            for column, number, found in sets_of_values(
                one.classes, new.classes, promised=promised, name=one.name
            ):
                changed[column] = max(changed.get(column, 0), number)
                findings += [] if found is None else [found]
        else:
            tried = _intersection(new, (policy, one.classes), k=k, name=one.name)
            if isinstance(tried, str):
                not_laid.append(NotLaid(one.name, tried))
                continue
            others += 1
            same_table += one.content == new.content
            findings += tried
    return Overlay(same, others, same_table, tuple(findings), tuple(not_laid), changed)


def promised_values(policy: Policy) -> dict[str, int]:
    """Say of how many values each class has at least, by column, where the policy promises it."""
    found: dict[str, int] = {}
    for model in policy.privacy:
        column, least = model.get("column"), model.get("l")
        if isinstance(column, str) and isinstance(least, int | float) and least > 1:
            # Entropy and recursive l-diversity imply l distinct values.
            found[column] = max(found.get(column, 0), ceil(least))
    return found


def _same_dates(one: Policy, other: Policy) -> bool:
    """Say whether dates of persons became the same in both, before anything was generalized."""
    rules = [None if p.persons is None else p.persons.dates for p in (one, other)]
    return (rules[0] or ()) == (rules[1] or ())


def _intersection(
    new: ReleaseToLay, earlier: tuple[Policy, ReleasedClasses], *, k: int, name: str
) -> list[OverlayFinding] | WhyNotLaid:
    quasi = tuple(dict.fromkeys((*new.policy.quasi, *earlier[0].quasi)))
    if not {*quasi} <= {*new.source.columns}:
        return "columns"
    try:
        table = summarize(new.source, quasi, most=MOST_COMBINATIONS)
    except OutgrownError:
        return "size"
    sizes = joint_sizes(table, (new.policy, new.classes), earlier)
    few = sizes[sizes < k]
    if not few.size:
        return []
    return [OverlayFinding("intersection", name, int(few.size), k, int(few.min()))]
