"""Check a model of sensitive values that counts persons, as far as whoever receives a table can.

Where rows are linked, the groups of persons whose rows are the same can be found, and what values
they have. Where rows are not, a class shows which values it has, and not how many persons have
each. And a release from which persons were left out does not show how the whole table was
distributed, which some models compare with.
"""

from __future__ import annotations

import numpy as np

from roadstead.kernels import grouping
from roadstead.policies.classes import Classes
from roadstead.policies.document import Policy
from roadstead.printable import named
from roadstead.privacy.models.values_of_persons import ValuesOfPersons
from roadstead.release.generalized import every_row_a_class
from roadstead.release.verification.checks import Check, counted
from roadstead.release.verification.persons import LinkedRows
from roadstead.search.left_out import ALL, PersonsLeftOut
from roadstead.tables.frequency import FrequencyTable, canonical


def check_values_of_persons(
    table: FrequencyTable, linked: LinkedRows | None, model: ValuesOfPersons
) -> list[Check]:
    """Check what can be; no check where nothing can, which `unchecked_values` then says."""
    if model.compares_with_whole:
        return []
    if linked is None or model.knows != "all":
        return [_check_values_of_rows(table, model)]
    known = linked.with_values(model.columns)
    assert known.persons is not None  # noqa: S101 - just counted
    number = canonical(known.attributes, known.domains, known.codes, known.counts)[1]
    classes = int(number.max()) + 1
    members = grouping.pack(known.distinct) | number.astype(np.uint64)
    sizes = grouping.class_sizes(members, classes, np.ascontiguousarray(known.counts))
    everyone = Classes(members, np.arange(classes, dtype=np.uint32), sizes)
    left = PersonsLeftOut(known.counts, known.persons, 1, ALL).kept(everyone, model.bind(known))
    people = counted(known.persons.number, "person")
    wrong = f"{left.missing:,} of {people} are among persons of whom it does not hold"
    return [Check.of(named(model.name), wrong if left.missing else None, people)]


def _check_values_of_rows(table: FrequencyTable, model: ValuesOfPersons) -> Check:
    """Check that enough values occur in each class; who has them the rows do not show."""
    satisfied = model.bind_rows(table).satisfied(every_row_a_class(table))
    classes = counted(table.distinct, "class", "classes")
    failing = int((~satisfied).sum())
    return Check.of(
        f"each class has the values that {named(model.name)} needs",
        f"{failing:,} of {classes} lack some" if failing else None,
        classes,
    )


def unchecked_values(policy: Policy) -> tuple[str, ...]:
    """Name what is certified of values and persons that nobody can check from the files."""
    some = [one for one in policy.privacy if one.get("kind") == ValuesOfPersons.kind]
    if not some:
        return ()
    if policy.linked_by is None:
        return ("how many persons have each sensitive value in a class, which is certified",)
    if any(ValuesOfPersons.compares(one.get("model")) for one in some):
        return ("how sensitive values were distributed in the whole table, which is certified",)
    return ()
