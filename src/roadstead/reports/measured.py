"""How near the classes of a release come to what a privacy model allows, in words.

For each model beyond k-anonymity one figure, which the model measures: the class that comes nearest
to its bound. It is worked out from the counts of the release, and says nothing of any single value.
"""

from __future__ import annotations

from roadstead.policies.classes import Classes
from roadstead.privacy.protocol import PrivacyModel
from roadstead.reports.content import Measured
from roadstead.reports.wording import decimal
from roadstead.tables.frequency import FrequencyTable


def measured(model: PrivacyModel, table: FrequencyTable, classes: Classes) -> Measured | None:
    """Measure the released classes, of rows of a table, as a model does.

    None for a model without a figure of its own, and where nothing is released.
    """
    figure = model.figure(table, classes) if classes.sizes.size else None
    if figure is None:
        return None
    match figure.found:
        case (least, most):
            found = f"{decimal(least)} to {decimal(most)}"
        case str(text):
            found = text
        case number:
            found = decimal(number)
    return Measured(figure.what.format(*map(decimal, figure.amounts)), found, figure.allowed)
