"""The policies one step away: one attribute a level more general."""

from __future__ import annotations

from collections.abc import Iterator

from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import FullDomain, Levels


def generalizations(space: FullDomain, levels: Levels) -> Iterator[Levels]:
    """Every policy of the space with one attribute a level higher, the first attribute first."""
    for i, (level, highest) in enumerate(zip(levels, space.top, strict=True)):
        if level < highest:
            yield raised(levels, i)


def raised(levels: Levels, attribute: int) -> Levels:
    """Give the policy with one attribute a level higher."""
    return (*levels[:attribute], levels[attribute] + 1, *levels[attribute + 1 :])


def distinct(encoding: Encoding, levels: Levels, attribute: int) -> int:
    """How many values an attribute shows under a policy."""
    return encoding.labels[attribute][levels[attribute]]
