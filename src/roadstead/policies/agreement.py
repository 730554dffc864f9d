"""Whether what a policy says in words and levels agrees with its rules.

The rule is what is applied. Words and level stand next to it for people, and a stranger may have
written them. The words follow from the rule, so they are compared with it; of the level, the rule
shows some: the last level leaves nothing, the first one all that its hierarchy has. Which of the
levels between it is, only the hierarchy knows, and a policy stands without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from roadstead.hierarchies.ordered_domain import in_words
from roadstead.hierarchies.rules import (
    Calendar,
    CalendarUnit,
    Cuts,
    Everything,
    Identity,
    Prefix,
    Rule,
)

if TYPE_CHECKING:
    from roadstead.policies.document import AttributePolicy

_UNITS = get_args(CalendarUnit)


def disagreement(attribute: AttributePolicy) -> str | None:
    """Say what of an attribute's words and level its rule does not bear out; None if nothing.

    The answer holds the words that follow from the rule, and none that somebody wrote.
    """
    rule, words = attribute.rule, in_words(attribute.rule)
    if attribute.does not in (words, rule.describe()):
        return f"its words are not those of its rule ({words})"
    if not _can_be_level(rule, attribute.level, attribute.levels):
        return (
            f"level {attribute.level} of 0-{attribute.levels - 1} is not that of its rule ({words})"
        )
    return None


def level_is_known(attribute: AttributePolicy) -> bool:
    """Whether the level follows from the rule alone, as the first and the last do."""
    return attribute.level in (0, attribute.levels - 1)


def _can_be_level(rule: Rule, level: int, levels: int) -> bool:
    """Whether a hierarchy of so many levels, or as many places to cut, can have the rule there."""
    if levels == 1:
        return True
    if isinstance(rule, Everything) or level == levels - 1:
        return isinstance(rule, Everything) and level == levels - 1
    if isinstance(rule, Identity):
        return level == 0
    if isinstance(rule, Calendar):
        at = _UNITS.index(rule.unit)
        return level <= at and levels - 1 - level <= len(_UNITS) - at
    if isinstance(rule, Prefix):
        return level > 0 or (rule.length is not None and rule.keep >= rule.length)
    return level > 0 or isinstance(rule, Cuts)  # numbers that are written in two ways are cut
