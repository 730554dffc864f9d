"""Build hierarchies of codes whose first characters matter most, such as ZIP or ICD codes.

Each level masks or cuts characters at the end of the code. Masking keeps the length of a code
(``37212``, ``3721*``, ``372**``). Cutting (``I50.9``, ``I50``, ``I5``, ``I``) suits codes of
unequal length, because the number of stars would reveal the length of the hidden part.
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
    """Build a hierarchy in which each level keeps fewer characters of a code than the level before.

    Level 0 is the unchanged code, and the last level is ``*``. The size of a label is the number of
    given values that it covers. If all codes have the same length and are masked, the length
    becomes part of the rule, and the rule does not cover codes of other lengths.

    `keep` contains the number of characters that each level keeps, in descending order. A number is
    skipped if it is not smaller than the length of the longest code, because its level would repeat
    level 0.
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
            f"mask {mask!r} has several characters",
            where=source,
            fix="use at most one character as the mask",
        )
    lengths = {len(value) for value in values if value != MISSING}
    length = next(iter(lengths)) if mask and len(lengths) == 1 else None
    shorter = [one for one in keep if one < max(lengths, default=0)]
    finest = Identity() if length is None else Prefix(length, length, mask)
    rules: list[Rule] = [finest, *(Prefix(one, length, mask) for one in shorter), Everything()]
    return from_rules(attribute, values, rules, origin=source)
