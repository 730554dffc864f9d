"""Define the full-domain lattice, whose policies have one level for each attribute.

A policy is a vector of levels, ordered componentwise. The bottom leaves the data unchanged, and the
top removes everything (paper 003, Preliminaries). The lattice is never stored in memory, so a
lattice of 10**18 policies takes no more memory than a lattice of ten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TypeAlias

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.near_names import did_you_mean

Levels: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class FullDomain:
    """All vectors of levels from the most specific to the most general, including both ends."""

    attributes: tuple[str, ...]
    bottom: Levels
    top: Levels

    @property
    def size(self) -> int:
        """The number of policies."""
        return prod(high - low + 1 for low, high in zip(self.bottom, self.top, strict=True))

    def __contains__(self, levels: Levels) -> bool:
        return is_below(self.bottom, levels) and is_below(levels, self.top)

    def __iter__(self) -> Iterator[Levels]:
        """Yield every policy in lexicographic order, which is practical only for small lattices."""
        return product(
            *(range(low, high + 1) for low, high in zip(self.bottom, self.top, strict=True))
        )


def is_below(specific: Levels, general: Levels) -> bool:
    """Return whether each level in the first vector is at most the level in the second vector."""
    return all(a <= b for a, b in zip(specific, general, strict=True))


def rank(levels: Levels) -> int:
    """Return the sum of the levels, which is the distance from the original data."""
    return sum(levels)


def with_level(levels: Levels, attribute: int, level: int) -> Levels:
    """Return the policy with a different level for one attribute."""
    return (*levels[:attribute], level, *levels[attribute + 1 :])


def full_domain(
    hierarchies: Sequence[Hierarchy],
    minimum: Mapping[str, int] | None = None,
    maximum: Mapping[str, int] | None = None,
) -> FullDomain:
    """Build the lattice of the levels that a user allows.

    A `SettingError` is raised if a limit names an unknown attribute or does not allow any level of
    an attribute.
    """
    least, most = dict(minimum or {}), dict(maximum or {})
    names = tuple(h.attribute for h in hierarchies)
    for name in (*least, *most):
        if name not in names:
            raise SettingError(
                f"a level limit names {name!r}, which is not a quasi-identifier",
                fix=did_you_mean(name, names, show=repr),
            )
    for h in hierarchies:
        low, high = least.get(h.attribute, 0), most.get(h.attribute, h.height - 1)
        if not 0 <= low <= high <= h.height - 1:
            raise SettingError(
                f"levels {low} to {high} of {h.attribute!r} are not within 0 to {h.height - 1}",
                where=f"{option('min_level')}, {option('max_level')}",
                fix=f"write levels from 0 to {h.height - 1}"
                + (", the lower limit first" if 0 <= high < low < h.height else ""),
            )
    return FullDomain(
        names,
        tuple(least.get(h.attribute, 0) for h in hierarchies),
        tuple(most.get(h.attribute, h.height - 1) for h in hierarchies),
    )
