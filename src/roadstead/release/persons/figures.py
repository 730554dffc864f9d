"""Compute the risk of people and the unicity curves, before and after a release.

If the attacker knows two or three rows, the original table may have too many combinations. Then the
figure for the original table is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roadstead.errors import SettingError
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.added_risk import SingledOutPeople
from roadstead.release.generalized import Generalized, GeneralizedPersons
from roadstead.release.persons.fitting import fitting_however_many
from roadstead.risk.persons.knowledge import RowsKnown
from roadstead.risk.persons.prosecutor import (
    LEFT_OUT,
    PersonRisk,
    person_risk,
    persons_fitting,
)
from roadstead.risk.persons.unicity import Singled, unicity_curve
from roadstead.tables.frequency import canonical


@dataclass(frozen=True)
class PersonRiskLeft:
    """The prosecutor risk of people. If the table has too many combinations, `before` is absent."""

    column: str
    knows: RowsKnown
    threshold: float
    before: PersonRisk | None
    after: PersonRisk


@dataclass(frozen=True)
class UnicityCurves:
    """The unicity curves before and after a release. If nothing is released, `after` is empty."""

    before: tuple[Singled, ...]
    after: tuple[Singled, ...]


def person_risk_left(
    generalized: Generalized, models: Sequence[PrivacyModel]
) -> PersonRiskLeft | None:
    """Compute the exact risk of people, or return None if records are counted."""
    if not isinstance(generalized, GeneralizedPersons):
        return None
    persons = generalized.table.persons
    found = [model for model in models if isinstance(model, PersonAnonymity)]
    knows, threshold = found[0].knows if found else 1, min(model.threshold for model in models)
    as_it_is, released = _classes(generalized)
    before = None
    with suppress(SettingError):
        before = person_risk(persons, persons_fitting(persons, as_it_is, knows), knows, threshold)
    fitting = fitting_however_many(persons, released, knows)
    after = person_risk(persons, fitting, knows, threshold)
    return PersonRiskLeft(persons.column, knows, threshold, before, after)


def risk_of_persons_before(generalized: Generalized, left: PersonRiskLeft) -> PersonRisk:
    """Return the risk of people in the original table.

    If there are too many combinations of several known rows, the result is for one known row. This
    risk is never larger than the exact risk.
    """
    if left.before is not None or not isinstance(generalized, GeneralizedPersons):
        return left.before or left.after
    persons = generalized.table.persons
    fitting = persons_fitting(persons, _classes(generalized)[0], 1)
    return person_risk(persons, fitting, 1, left.threshold)


def linked_rows_known(generalized: GeneralizedPersons, k: int) -> SingledOutPeople:
    """Count the released people in small groups, if an attacker knows all rows of a person.

    The attacker knows the released quasi-identifiers in these rows, and how many rows there are.
    """
    persons, (_, released) = generalized.table.persons, _classes(generalized)
    fitting = fitting_however_many(persons, released, "all")
    risk = person_risk(persons, fitting, "all", 1.0 / k)
    return SingledOutPeople("all", risk.persons, risk.uniques, risk.above_threshold)


def unicity_left(generalized: Generalized, k: int) -> UnicityCurves | None:
    """Compute the unicity curves before and after, or return None if records are counted."""
    if not isinstance(generalized, GeneralizedPersons):
        return None
    persons = generalized.table.persons
    before, after = _classes(generalized)
    there = after >= 0
    released: tuple[Singled, ...] = ()
    if there.any():
        released = unicity_curve(persons.with_rows(there), after[there], k, seed=0)
    return UnicityCurves(unicity_curve(persons, before, k, seed=0), released)


def _classes(generalized: GeneralizedPersons) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the class of each row before and after. A suppressed row gets `LEFT_OUT`."""
    table, rows = generalized.table, generalized.rows
    before = canonical(table.attributes, table.domains, table.codes, table.counts)[1]
    return before, np.where(rows[1], rows[0].astype(np.int64), LEFT_OUT)
