"""Recognize the code system of a column, and report how certain the result is.

A system is *named* if only this system has the column's name. A system is *possible* if other
systems also have the name, or if the form of the codes identifies the system. If several systems
remain, the result lists all of them. If the values clearly fit another system better, the name
alone does not decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from roadstead.code_systems.forms import shape_of
from roadstead.code_systems.system import CodeSystem, systems

_NEARLY_ALL: Final = 0.9
_FEWEST_BESIDE_ONE: Final = 3
_FEWER: Final = 0.05
"""A system remains possible if its share of fitting values is within this of the best share."""
_ENOUGH: Final = 50
"""The minimum number of distinct values at which shares of fitting values are compared."""
_LOOKED_AT: Final = 2_000
"""The number of distinct values that are sampled and compared with all systems."""
_FEWEST_SURE: Final = 5
"""If a column has at least this many distinct values, their form alone can identify a system."""


@dataclass(frozen=True)
class Recognition:
    """The possible code systems of a column.

    If several systems are possible, `chosen` is None. `possible` lists the possible systems, best
    first. `besides` lists the systems that fit the values, but neither the column's name nor the
    form of the codes. `fits` is the share of distinct values that are codes of the first possible
    system. `by` names the evidence for the result.
    """

    chosen: CodeSystem | None
    possible: tuple[CodeSystem, ...]
    besides: tuple[CodeSystem, ...]
    fits: float
    by: Literal["name", "form", "values"]


def recognized(called: str, values: Sequence[str], *, postal: bool) -> Recognition | None:
    """Recognize the code system of a column, or return None if no system is possible.

    `called` contains the words of the column's name, in lowercase with underscores. `postal`
    indicates whether the column's name is a word for postal codes in any language.
    """
    step = max(len(values) // _LOOKED_AT, 1)
    every, values = values, values[::step]
    # With at least three codes, one further value may be something other than a code.
    one_apart = 1 - 1 / len(values) if len(values) > _FEWEST_BESIDE_ONE else 1.0
    shares = {
        system: share
        for system in systems().values()
        if (share := _share(system, called, values, postal=postal)) >= min(_NEARLY_ALL, one_apart)
    }
    named = {one: share for one, share in shares.items() if is_named(one, called)}
    sure = {one: share for one, share in shares.items() if _is_sure(one, values)}
    left = named or sure or shares
    misnamed = left is shares and any(is_named(one, called) for one in systems().values())
    if not left or (misnamed and len(values) < _ENOUGH):
        return None
    by: Literal["name", "form", "values"] = "name" if named else "form" if sure else "values"
    if len(values) >= _ENOUGH:
        best = max(left.values())
        near = {one: share for one, share in left.items() if share > best - _FEWER}
        left = near | {one: share for one, share in shares.items() if share >= best + _FEWER}
    possible = sorted(left, key=lambda one: (-left[one], one.name))
    if by == "name" and (len(named) > 1 or not left.keys() <= named.keys()):
        by = "values"
    chosen = possible[0] if len(possible) == 1 and not misnamed else None
    besides = tuple(one for one in shares if one not in possible) if chosen else ()
    fits = possible[0].share(every)  # the reported share must be true for all values
    return Recognition(chosen, tuple(possible), besides, fits, by)


def is_named(system: CodeSystem, called: str) -> bool:
    """Return whether the name of a column indicates the codes of a system."""
    return _called(system.called, called)


def _share(system: CodeSystem, called: str, values: Sequence[str], *, postal: bool) -> float:
    """Return the share of values that fit a system, or 0 if neither name nor form suggests it."""
    allowed = (
        (postal and system.country)
        or is_named(system, called)
        or _called(system.also, called)
        or _is_sure(system, values)
    )
    return system.share(values) if allowed else 0.0


def _is_sure(system: CodeSystem, values: Sequence[str]) -> bool:
    """Return whether nearly all values have a form that is unique to the codes of this system."""
    if not system.sure or len(values) < _FEWEST_SURE:
        return False
    shapes = frozenset(system.sure)
    return sum(shape_of(value) in shapes for value in values) >= _NEARLY_ALL * len(values)


def _called(written: str, called: str) -> bool:
    return bool(written) and _pattern(written).search(called) is not None


@cache
def _pattern(written: str) -> re.Pattern[str]:
    return re.compile("".join(written.split()))
