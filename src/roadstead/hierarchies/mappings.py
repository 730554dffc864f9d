"""Build hierarchies from labels, groups, or an order that a person declares.

There are three ways to declare a hierarchy. With `mapping`, the labels of each value are listed,
from specific to general::

    {"I21": ["Heart", "Circulatory"], "I63": ["Stroke", "Circulatory"]}

With `grouping`, the values of each label are listed, with one depth of nesting per level::

    {"Circulatory": {"Heart": ["I21"], "Stroke": ["I63"]}}

With `ordered`, the values are listed in their order, and neighbors are grouped. The listed values
are the domain, even if they do not occur in a table, so a policy may contain them. If the last
declared level has several labels, a level ``*`` is added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from roadstead.errors import HierarchyError, quoted
from roadstead.hierarchies.hierarchy import Hierarchy, from_columns, require_multiples

GroupTree: TypeAlias = Mapping[str, "Sequence[str] | GroupTree"]
"""A mapping from each label to its values, or to the groups inside the label."""

_TOP = "*"
SPAN = " .. "
"""The text between the first and the last value in the name of a group of neighbors."""


def mapping(attribute: str, levels: Mapping[str, Sequence[str]]) -> Hierarchy:
    """Build a hierarchy from the labels of each value, from specific to general."""
    source = f"mapping of {attribute!r}"
    expected = len(next(iter(levels.values()), ()))
    for value, labels in levels.items():
        if isinstance(labels, str) or len(labels) != expected:
            found = "text" if isinstance(labels, str) else f"{len(labels)} labels"
            raise HierarchyError(
                f"value {quoted(value)} has {found}, but the first value has {expected} labels",
                where=source,
                fix="give every value a list with one label per level",
            )
    return _from_paths(attribute, [(v, *labels) for v, labels in levels.items()], source)


def grouping(attribute: str, groups: GroupTree) -> Hierarchy:
    """Build a hierarchy from groups of values, from general to specific.

    If a group is nested less deeply than other groups, its label is repeated at the finer levels.
    """
    source = f"groups of {attribute!r}"
    paths = list(_paths(groups, ()))
    deepest = max((len(path) for path in paths), default=1)
    even = [(value, *[above[0]] * (deepest - len(above) - 1), *above) for value, *above in paths]
    return _from_paths(attribute, even, source)


def ordered(attribute: str, order: Sequence[str], groups: Sequence[int]) -> Hierarchy:
    """Build a hierarchy that groups neighbors in an order. Labels look like ``first .. last``.

    `groups`: the number of values per group at each level, counted from the first value. Each
    number is a multiple of the previous number. The last group of a level may be smaller.
    """
    source = f"order of {attribute!r}"
    require_multiples(
        [1, *groups],
        origin=source,
        what="groups of {finer} values cannot be combined into groups of {coarser}",
        fix="make each size a multiple of the previous size, such as 2, 4",
    )
    values = list(order)
    columns = [values]
    for size in groups:
        chunks = [values[start : start + size] for start in range(0, len(values), size)]
        ends = [(chunk[0], chunk[-1], len(chunk)) for chunk in chunks]
        columns.append([a if n == 1 else f"{a}{SPAN}{b}" for a, b, n in ends for _ in range(n)])
    return _from_paths(attribute, list(zip(*columns, strict=True)), source)


def _paths(groups: GroupTree, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield each value with its labels, from specific to general."""
    for label, inside in groups.items():
        labels = (label, *above)
        if isinstance(inside, Mapping):
            yield from _paths(inside, labels)
        else:
            yield from ((value, *labels) for value in inside)


def _from_paths(attribute: str, paths: Sequence[tuple[str, ...]], source: str) -> Hierarchy:
    if not paths:
        raise HierarchyError("no value is listed", where=source, fix="list the values")
    columns = [list(column) for column in zip(*paths, strict=True)]
    if len(columns) == 1 or len(set(columns[-1])) > 1:
        columns.append([_TOP] * len(paths))
    return from_columns(attribute, columns, origin=source)
