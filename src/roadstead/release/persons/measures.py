"""Measure the risk of people in a release and in its source table, for the certificate."""

from __future__ import annotations

import numpy as np

from roadstead.errors import SettingError
from roadstead.privacy.models.person_anonymity import Known
from roadstead.release.certificate import MeasuredRisk
from roadstead.release.generalized import GeneralizedPersons
from roadstead.release.persons.fitting import fitting_however_many
from roadstead.risk.persons.prosecutor import LEFT_OUT, person_risk, persons_fitting
from roadstead.tables.frequency import canonical


def measured_risk_of_persons(
    generalized: GeneralizedPersons, knows: Known, threshold: float
) -> MeasuredRisk:
    """Measure the risk before and after, for an attacker who knows `knows` rows of a person.

    If the original table has too many combinations of rows to count, the risk before the release is
    computed for one known row. This risk is never larger than the exact risk.
    """
    table = generalized.table
    persons, (classes, released) = table.persons, generalized.rows
    own = np.where(released, classes.astype(np.int64), LEFT_OUT)
    after = person_risk(persons, fitting_however_many(persons, own, knows), knows, threshold)
    as_it_is = canonical(table.attributes, table.domains, table.codes, table.counts)[1]
    try:
        fitting = persons_fitting(persons, as_it_is, knows)
    except SettingError:
        fitting = persons_fitting(persons, as_it_is, 1)
    before = person_risk(persons, fitting, knows, threshold)
    number = int(np.unique(own[released]).size)
    return MeasuredRisk(
        after.maximum, after.average, number, after.smallest, before.maximum, before.average
    )
