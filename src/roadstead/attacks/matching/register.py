"""Choose the people about whom an attacker knows something, and find their released rows.

A person in a register may not be in the release. If the original is available, the person is
matched with an original record that is equal in all known columns. Without the original, any
matching released record counts as the person's record, so the result is an upper bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.matching.candidates import fitting, known_columns, shown_classes
from roadstead.attacks.matching.known_people import KnownPeople, drawn, strangers, together
from roadstead.attacks.matching.truth import masked_rows, numbered
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.tables.frequency import FrequencyTable

_NOBODY = -1


def people_known(
    target: Target, settings: AttackSettings, chance: np.random.Generator
) -> KnownPeople:
    """Draw the people to attack from the register or, without a register, from the original."""
    if target.register is not None:
        return _registered(target, settings, chance)
    people = drawn(target.people, target.truth, settings.attempts, chance)
    inside = round(people.number * settings.overlap)
    outside = people.number - inside
    if not outside:
        return people
    if target.held_out is None:
        others = strangers(people, chance).first(outside)
    else:
        table = target.rows_of(target.held_out)
        there = table.project(people.attributes)
        nobody = np.full(there.distinct, _NOBODY, dtype=np.int64)
        others = drawn(there, nobody, outside, chance)
    every = together(people.first(inside), others)
    return every.chosen(chance.permutation(every.number))


def _registered(
    target: Target, settings: AttackSettings, chance: np.random.Generator
) -> KnownPeople:
    assert target.register is not None  # noqa: S101 - just checked
    release = target.release
    wanted = settings.known or release.quasi
    full = target.rows_of(target.register)
    known = [name for name in full.attributes if name in wanted]
    table = full.project(known) if known else full
    if target.original is None:
        people = drawn(
            table, np.full(table.distinct, _NOBODY, dtype=np.int64), settings.attempts, chance
        )
        return KnownPeople(
            people.attributes, people.domains, people.codes, _first_fit(target, people)
        )
    rows = _rows_by_original(table, target)
    return drawn(table, rows, settings.attempts, chance)


def _rows_by_original(table: FrequencyTable, target: Target) -> NDArray[np.int64]:
    """Find the released row for each row of a register by matching equal original records."""
    people, names = target.people, table.attributes
    columns, sizes = [], []
    for name in names:
        own, others = (
            table.domains[table.attributes.index(name)],
            people.domains[people.attributes.index(name)],
        )
        place = {value: at for at, value in enumerate(dict.fromkeys((*own, *others)))}
        one = np.array([place[value] for value in own])[table.codes[names.index(name)]]
        other = np.array([place[value] for value in others])[
            people.codes[people.attributes.index(name)]
        ]
        columns.append(np.concatenate([one, other]))
        sizes.append(len(place))
    keys = numbered(columns, sizes)
    own_keys, keys = keys[: table.distinct], keys[table.distinct :]
    # If several records are equal, the last assignment wins, and is a released record.
    order = np.argsort(target.truth, kind="stable")
    found = np.full(int(max(own_keys.max(), keys.max())) + 1, _NOBODY, dtype=np.int64)
    found[keys[order]] = target.truth[order]
    return found[own_keys]


def _first_fit(target: Target, people: KnownPeople) -> NDArray[np.int64]:
    """For each person, return a released row that matches the person, or -1."""
    release = target.release
    classes = shown_classes(release, people.attributes, masked_rows(release))
    row = np.full(classes.number, _NOBODY, dtype=np.int64)
    inside = np.flatnonzero(classes.of_row >= 0)
    row[classes.of_row[inside]] = inside
    found = np.full(people.number, _NOBODY, dtype=np.int64)
    for block, fits in fitting(known_columns(release, people, classes.names), people, classes):
        found[block] = np.where(fits.any(axis=1), row[fits.argmax(axis=1)], _NOBODY)
    return found
