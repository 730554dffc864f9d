"""What classes of a release keep of their information, as it may be shared.

How wide a label is depends on its hierarchy, which is not in a release. Where widths are read off
the data, exact shares would tell of the data: how old the oldest is, or how many ZIP codes occur
(`quality.for_sharing`). So a certificate says of each class that it keeps at least what it has to.
That follows from its records and the amounts, so it tells nothing else.
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
    """Say what share each class of a release has to keep; None where no model asks."""
    classes = every_row_a_class(table)
    needed = [m.bind(table).needed(classes) for m in models if isinstance(m, Profitability)]
    if not needed:
        return None
    return tuple(share / MILLION for share in np.max(np.stack(needed), axis=0).tolist())


def sizes_of(models: Sequence[PrivacyModel], policy: Policy) -> tuple[int, ...] | None:
    """How many values each quasi-identifier has, as models say; None where they do not."""
    for model in models:
        if isinstance(model, Profitability) and model.domains is not None:
            sizes = tuple(model.domains.get(name, 0) for name in policy.quasi)
            return sizes if all(sizes) else None
    return None
