"""Refuse a release that would suppress more records than its policy allows.

A model of one figure for all classes together, such as a mean risk, suppresses classes until the
rest satisfies it. Where nothing may be suppressed it is all or nothing, and what is said is the
figure and its bound.
"""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.errors import Refusal
from roadstead.front_end import option
from roadstead.policies.classes import keep
from roadstead.policies.document import Suppression
from roadstead.privacy.combination import takes_population
from roadstead.privacy.protocol import OneFigure, PrivacyModel
from roadstead.release.generalized import Generalized, every_row_a_class


def require_limit(
    generalized: Generalized,
    suppression: Suppression,
    models: Sequence[PrivacyModel],
    *,
    where: str,
    fix: str,
) -> None:
    """Refuse if more records are suppressed than the limit allows."""
    records = generalized.table.records
    limit = suppression.most(records)
    if generalized.suppressed <= limit:
        return
    what = (
        f"the policy would suppress {generalized.suppressed:,} of {records:,} records, and its "
        f"limit allows {limit:,}"
    )
    exceeded = _exceeded(generalized, models)
    if exceeded and not limit:
        what = f"the policy does not keep its promise: {exceeded}"
    elif exceeded:
        what = f"{what} ({exceeded})"
    if takes_population(models) and generalized.table.population is None:
        fix = f"name its population with {option('population', 'FILE')}, or {fix}"
    raise Refusal(what, where=where, fix=fix)


def _exceeded(generalized: Generalized, models: Sequence[PrivacyModel]) -> str:
    """Say of all classes, none suppressed, which figures are too large."""
    table = generalized.merged
    classes, _ = keep(every_row_a_class(table), table.counts > 0)
    bound = [(model.name, model.bind(table)) for model in models]
    return "; ".join(
        f"{name}: {one.stated(classes)}"
        for name, one in bound
        if isinstance(one, OneFigure) and not one.satisfied(classes).all()
    )
