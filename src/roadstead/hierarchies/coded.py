"""Build the hierarchies of codes from the hierarchies of their labels.

A person groups labels such as ``female`` and ``north``, but the table contains codes such as ``2``
and ``11``. So Roadstead builds a hierarchy for the labels and then replaces each label with its
code. The names of groups do not change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from roadstead.errors import HierarchyError, RoadsteadError, quoted
from roadstead.hierarchies.hierarchy import Hierarchy, Level
from roadstead.hierarchies.mappings import SPAN
from roadstead.hierarchies.rules import Everything, Identity

Made = Callable[[tuple[str, ...]], Hierarchy]
"""A function from a domain to a hierarchy that covers the domain."""


def made_for_labels(make: Made, domain: tuple[str, ...], faces: Mapping[str, str]) -> Hierarchy:
    """Build a hierarchy for the labels of some codes, and convert it to a hierarchy of codes.

    `faces` maps each code of the domain to its label, and may contain other codes. A hierarchy that
    was declared for the codes does not change.
    """
    try:
        made = make(tuple(faces[code] for code in domain))
    except RoadsteadError:
        try:
            return make(domain)
        except RoadsteadError:
            pass
        raise
    return in_codes(made, {face: code for code, face in faces.items()})


def in_codes(hierarchy: Hierarchy, codes: Mapping[str, str]) -> Hierarchy:
    """Convert a hierarchy of labels to a hierarchy of codes. `codes` maps each label to its code.

    Raises `HierarchyError` if a group has the name of another code.
    """
    levels = tuple(_coded(hierarchy, level, codes) for level in hierarchy.levels)
    values = tuple(codes.get(value, value) for value in hierarchy.values)
    return replace(hierarchy, values=values, levels=levels)


def _code(label: str, codes: Mapping[str, str]) -> str:
    """Return the code of a label. In the name of a range, replace both labels with codes."""
    first, dots, last = label.partition(SPAN)
    if dots and first in codes and last in codes:
        return f"{codes[first]}{SPAN}{codes[last]}"
    return codes.get(label, label)


def _coded(hierarchy: Hierarchy, level: Level, codes: Mapping[str, str]) -> Level:
    labels = tuple(_code(label, codes) for label in level.labels)
    if len(set(labels)) < len(labels):
        group = next(one for one in level.labels if one in codes.values() and one not in codes)
        raise HierarchyError(
            f"the group {quoted(group)} of {hierarchy.attribute!r} has the same name as a code",
            where=hierarchy.origin,
            fix="give the group another name",
        )
    rule = level.rule
    if isinstance(rule, Identity) and rule.values is not None:
        rule = Identity(tuple(codes.get(value, value) for value in rule.values))
    # Other rules read labels, so the rule for codes is built from the labels of the level.
    kept = rule if isinstance(rule, Identity | Everything) else None
    return replace(level, labels=labels, rule=kept)
