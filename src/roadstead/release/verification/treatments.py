"""Check the treatments of columns from the released table alone.

Enough records must share each value in a microaggregated column. But no check can show that the
value is the mean of the original values. A rounded number must be a multiple of its base. An
interval must be in the policy. A cell without a value does not reveal anything, and is not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from roadstead.hierarchies.number_text import parse_number, plain_number
from roadstead.policies.document import Policy
from roadstead.policies.treatments.document import Microaggregation, Rounding, exact_number
from roadstead.printable import named
from roadstead.release.verification.checks import Check, counted
from roadstead.tables.failures import engine_errors
from roadstead.tables.frequency import summarize
from roadstead.tables.source import Source
from roadstead.tables.text import MISSING, as_text

if TYPE_CHECKING:
    from ibis.expr import types as ir


def check_treatments(source: Source, policy: Policy) -> list[Check]:
    """Check every treatment of a policy in a released table with the right columns."""
    found: list[Check] = []
    for one in policy.treatments:
        if isinstance(one, Rounding):
            found.append(_check_multiples(source, one))
            continue
        found.append(_check_shared(source, policy, one))
        if one.function == "interval":
            found += [_check_intervals(source, one, at) for at in range(len(one.columns))]
    return found


def unchecked_of_treatments(policy: Policy) -> tuple[str, ...]:
    """Return the facts about treatments that the release cannot confirm."""
    groups = [one for one in policy.treatments if isinstance(one, Microaggregation)]
    made = [column for one in groups if one.function != "interval" for column in one.columns]
    told = []
    if made:
        which = "whether the value shown" if len(made) == 1 else "whether the value shown in each"
        told.append(
            f"{which} of {', '.join(map(named, made))} was computed from the values of its group"
        )
    if groups and policy.persons is not None and policy.linked_by is None:
        told.append("how many people share a microaggregated value")
    if policy.treatments:
        told.append("how much detail the treatments of columns removed")
    return tuple(told)


def _check_shared(source: Source, policy: Policy, one: Microaggregation) -> Check:
    """Check that enough records or people share each value in the treated columns."""
    linked = policy.linked_by
    by = policy.quasi if one.within == "classes" else ()
    table = source.table
    texts = {f"text_{at}": as_text(table[name]) for at, name in enumerate(one.columns)}
    records = table.select(
        **texts,
        **{f"key_{at}": as_text(table[name]) for at, name in enumerate(by)},
        **({} if linked is None else {"who": as_text(table[linked])}),
    )
    seen: Any = records["text_0"] != MISSING
    for name in list(texts)[1:]:
        seen |= records[name] != MISSING
    records = records.filter(seen)
    keys = [name for name in records.columns if name != "who"]
    groups = records.group_by(keys).aggregate(own=_members(records))
    figures = groups.aggregate(
        groups=groups.count(),
        least=groups["own"].min().fill_null(0),
        small=(groups["own"] < one.k).sum().fill_null(0),
    )
    with engine_errors(source.name):
        (row,) = figures.to_pyarrow().to_pylist()
    units = "record" if linked is None else "person"
    shown = counted(int(row["groups"]), "combination" if len(one.columns) > 1 else "value")
    smallest = (
        "the rarest is shared by "
        f"{counted(int(row['least']), units, 'people' if units == 'person' else None)}"
    )
    where = " in its group" if one.within == "classes" else ""
    wrong = (
        f"{int(row['small']):,} of {shown} are shared by fewer than {one.k} "
        f"{'people' if units == 'person' else 'records'}{where}"
    )
    name = f"every value of {', '.join(map(named, one.columns))} is shared by {one.k}{where}"
    return Check.of(name, wrong if row["small"] else None, f"{shown}, {smallest}")


def _members(records: ir.Table) -> ir.IntegerScalar:
    who = "who" in records.columns
    return records["who"].nunique() if who else records.count()


def _shown(source: Source, column: str) -> Sequence[str]:
    return [one for one in summarize(source, (column,)).domains[0] if one != MISSING]


def _check_multiples(source: Source, one: Rounding) -> Check:
    shown = _shown(source, one.column)
    wrong = sum(
        (number := parse_number(text)) is None or one.rounded(number) != number for text in shown
    )
    name = f"{named(one.column)} is rounded to its base"
    base = plain_number(exact_number(one.base, "the base"))
    said = f"{counted(len(shown), 'value')}, multiples of {base}"
    return Check.of(name, f"{wrong:,} of {said} are not" if wrong else None, said)


def _check_intervals(source: Source, one: Microaggregation, at: int) -> Check:
    shown = _shown(source, one.columns[at])
    own = frozenset[str]() if not one.ends else one.ends[at].all_labels(single=one.single)
    wrong = sum(text not in own for text in shown)
    said = counted(len(shown), "interval")
    name = f"{named(one.columns[at])} shows intervals of the policy"
    return Check.of(name, f"{wrong:,} of {said} are not in the policy" if wrong else None, said)
