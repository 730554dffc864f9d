"""Hierarchies over codes in which the first characters are the most important: ZIP, ICD, FIPS.

A code is coarsened from its end. The dropped characters are masked or cut. Masking keeps the length
of a code (``37212``, ``3721*``, ``372**``). Cutting (``I50.9``, ``I50``, ``I5``, ``I``) suits codes
of unequal length, because the number of stars would reveal the length of the hidden part.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from roadstead.errors import HierarchyError
from roadstead.hierarchies.hierarchy import Hierarchy, from_rules
from roadstead.hierarchies.rules import MISSING, Everything, Identity, Prefix, Rule


def prefixes(
    attribute: str, values: Sequence[str], keep: Sequence[int], *, mask: str = "*"
) -> Hierarchy:
    """Build levels that keep fewer and fewer characters.

    Level 0 is the code as it is and the last level is ``*``; labels cover as many values as were
    given. If all codes have one length and are masked, the length becomes part of the rule, and
    codes of other lengths are not covered.

    `keep`: how many characters each level keeps, falling. Numbers that drop nothing from the
    longest code repeat level 0 and are passed over.
    """
    source = f"prefixes of {attribute!r}"
    falling = all(finer > coarser for finer, coarser in pairwise(keep))
    if not keep or not falling or keep[-1] < 1:
        raise HierarchyError(
            "the numbers of characters to keep are missing, not decreasing, or below one",
            where=source,
            fix="list one number per level, such as 5, 3, 1",
        )
    if len(mask) > 1:
        raise HierarchyError(
            f"mask {mask!r} has several characters", where=source, fix="use one character, or none"
        )
    lengths = {len(value) for value in values if value != MISSING}
    length = next(iter(lengths)) if mask and len(lengths) == 1 else None
    shorter = [one for one in keep if one < max(lengths, default=0)]
    finest = Identity() if length is None else Prefix(length, length, mask)
    rules: list[Rule] = [finest, *(Prefix(one, length, mask) for one in shorter), Everything()]
    return from_rules(attribute, values, rules, origin=source)
