"""Determine how much information the classes of a release keep, in a form that can be shared.

Exact shares could reveal facts about the data, such as the highest age or the number of ZIP codes
(`quality.for_sharing`). So the certificate contains only the share that each class is required to
keep. The required share depends only on the number of records in the class and on the required
amounts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from roadstead.policies.document import Policy
from roadstead.privacy.models.profitability import Profitability
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.generalized import every_row_a_class
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.kept_bits import MILLION


def needed_shares(
    table: FrequencyTable, models: Sequence[PrivacyModel]
) -> tuple[float, ...] | None:
    """Return the share that each class of a release must keep, or None if no model requires it."""
    classes = every_row_a_class(table)
    needed = [m.bind(table).needed(classes) for m in models if isinstance(m, Profitability)]
    if not needed:
        return None
    return tuple(share / MILLION for share in np.max(np.stack(needed), axis=0).tolist())


def sizes_of(models: Sequence[PrivacyModel], policy: Policy) -> tuple[int, ...] | None:
    """Return the number of values that the models state for each quasi-identifier, or None."""
    for model in models:
        if isinstance(model, Profitability) and model.domains is not None:
            sizes = tuple(model.domains.get(name, 0) for name in policy.quasi)
            return sizes if all(sizes) else None
    return None
