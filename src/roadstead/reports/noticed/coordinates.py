"""Report exact coordinates that a release contains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from roadstead.front_end import option
from roadstead.printable import named
from roadstead.reports.wording import listed
from roadstead.tables.identifiers.descriptions import called_or_described
from roadstead.tables.identifiers.vocabulary import TextForm

if TYPE_CHECKING:
    from roadstead.policies.document import Policy
    from roadstead.release.generalized import Generalized
    from roadstead.tables.source import Source

_EXACT: Final = TextForm(r"[+-]?\d{1,3}[.,]\d{3,}")
"""A number with three or more decimals. In degrees, the third decimal is about 100 meters."""


def exact_coordinates(
    source: Source, policy: Policy, generalized: Generalized, *, advice: bool = True
) -> Iterator[str]:
    """Yield a sentence if quasi-identifiers show exact latitudes or longitudes.

    `advice` states whether the sentence says what the custodian can do.
    k-anonymity is met if all people at a place are in one group, but the place is still exact.
    """
    merged, exact = generalized.merged, []
    for name, domain, codes in zip(merged.attributes, merged.domains, merged.codes, strict=True):
        if called_or_described(source, name, "coordinate"):
            shown = np.unique(codes[generalized.kept])
            if any(_EXACT(domain[at]) for at in shown.tolist()):
                exact.append(named(name))
    if not exact:
        return
    way = "" if policy.recoding is not None else f" with {option('min_level')}"
    fix = (
        f" To show only larger areas, require a higher level{way}. You can also remove the columns."
    )
    yield (
        f"The release contains exact coordinates in {listed(exact)}. They show where the people of "
        "a group live or were, to within 100 meters, even if the group has enough people."
        f"{fix if advice else ''}"
    )
