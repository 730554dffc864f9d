"""What stands in a cell of a differentially private release: the name of a place in a cut.

An interval and a group of categories have one name each. A set is described by the names of the
nodes that it has items under, ``heart failure; diabetes``, and the empty set is ``(none)``. In
these lists a semicolon or a backslash within a name has a backslash before it, and so has a name
that reads ``(none)`` itself. An attribute of which nothing is shown has the name of everything.

Two groups of a taxonomy may have one name, such as ``other`` in two chapters. If both are in a cut,
each is followed by the number of its node, so that every cell says which place is meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from roadstead.differential.domains import AttributeCut, NumericCut, SetCut

EMPTY_SET = "(none)"
BETWEEN = "; "

_PART = re.compile(r"(?:[^\\;]|\\.)*", re.DOTALL)
_SPECIAL = re.compile(r"[\\;]")


def names_of(cut: AttributeCut) -> tuple[str, ...]:
    """Name the places of a cut, each differently."""
    names = list(cut.labels)
    nodes = range(len(names)) if isinstance(cut, NumericCut) else cut.nodes
    while max((often := Counter(names)).values()) > 1:
        names = [
            f"{name} (node {node})" if often[name] > 1 else name
            for name, node in zip(names, nodes, strict=True)
        ]
    return tuple(names)


def cells_of(
    cut: AttributeCut, combinations: Sequence[tuple[int, ...]] | None = None
) -> tuple[str, ...]:
    """Say what stands in the cells of an attribute.

    Returns for each combination its cell; for other attributes the cell of each place of the cut.
    """
    names = names_of(cut)
    if combinations is None:
        return names
    parts = [_escaped(name) for name in names]
    return tuple(
        BETWEEN.join(parts[place] for place in one) if one else EMPTY_SET for one in combinations
    )


def places_of(cut: AttributeCut, cells: Sequence[str]) -> list[tuple[int, ...] | None]:
    """Find the places that cells name; the way back from `cells_of`.

    Returns for each cell its places, one unless the attribute is set-valued; None where the cell
    is none of the cut.
    """
    names = names_of(cut)
    if not isinstance(cut, SetCut):
        at = {name: (place,) for place, name in enumerate(names)}
        return [at.get(cell) for cell in cells]
    parts = {_escaped(name): place for place, name in enumerate(names)}
    return [_places(cell, parts, specialized=cut.is_specialized) for cell in cells]


def _places(cell: str, parts: dict[str, int], *, specialized: bool) -> tuple[int, ...] | None:
    """Take the cell of a set apart; its places ascend, and one that says nothing is the root."""
    if cell == EMPTY_SET:
        return () if specialized else None
    places = [parts.get(part, -1) for part in _split(cell)]
    ascending = all(one < other for one, other in zip([-1, *places], places, strict=False))
    return tuple(places) if ascending else None


def _split(cell: str) -> list[str]:
    """Part a cell at the semicolons that are not escaped; what is malformed stays, as no name."""
    parts: list[str] = []
    at = 0
    while True:
        found = _PART.match(cell, at)
        assert found is not None  # noqa: S101 - the pattern matches nothing, too
        at = found.end()
        if at == len(cell):
            return [*parts, found[0]]
        if not cell.startswith(BETWEEN, at):
            return [cell]
        parts.append(found[0])
        at += len(BETWEEN)


def _escaped(name: str) -> str:
    escaped = _SPECIAL.sub(r"\\\g<0>", name)
    return f"\\{escaped}" if name == EMPTY_SET else escaped
