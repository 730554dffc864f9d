"""Describe how a policy treats one quasi-identifier, and check that the level fits the rule.

A policy document may come from another person, so a level in the document may not match its rule.
The last level always removes everything, and the first level keeps all values in the hierarchy. The
other levels depend on the hierarchy, which a policy does not contain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, get_args

from pydantic import Field
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.hierarchies.calendar_units import CalendarUnit
from roadstead.hierarchies.code_rules import Beginnings
from roadstead.hierarchies.hierarchy import Hierarchy
from roadstead.hierarchies.ordered_domain import in_words
from roadstead.hierarchies.rules import (
    Bands,
    Calendar,
    Cuts,
    Everything,
    Groups,
    Identity,
    Prefix,
    Rule,
)
from roadstead.policies.full_domain import Levels
from roadstead.policies.json_document import NOT_EMPTY, STRICT


@checked_dataclass(frozen=True, config=STRICT)
class AttributePolicy:
    """The treatment of one quasi-identifier, the column `name`.

    `level` is the chosen level, counted from 0, and `levels` is the number of levels in the
    hierarchy. `missing_codes` lists codes that the source declares as missing. These codes stay
    unchanged.
    """

    name: str
    level: Annotated[int, Field(ge=0)]
    levels: int
    rule: Annotated[Rule, Field(discriminator="kind")]
    missing_codes: Annotated[tuple[str, ...], NOT_EMPTY] = ()

    def label(self, value: str) -> str | None:
        """Return the label of a value, or None if the policy does not cover the value."""
        return value if value in self.missing_codes else self.rule.label(value)

    def produces(self, label: str) -> bool:
        """Return whether a label can occur in the column."""
        return label in self.missing_codes or self.rule.produces(label)

    @property
    def hides(self) -> bool:
        """Whether the rule can replace a value with ``*``. Other rules can only keep a ``*``."""
        return isinstance(self.rule, Everything | Groups | Beginnings) and self.rule.produces("*")

    @property
    def does(self) -> str:
        """A description of the rule."""
        return in_words(self.rule)


def attribute_policies(
    hierarchies: Sequence[Hierarchy], levels: Levels
) -> tuple[AttributePolicy, ...]:
    """Return the treatment of each attribute for a vector of levels."""
    found = []
    for hierarchy, level in zip(hierarchies, levels, strict=True):
        rule, kept = hierarchy.rule(level), missing_codes_at(hierarchy, level)
        found.append(AttributePolicy(hierarchy.attribute, level, hierarchy.height, rule, kept))
    return tuple(found)


def missing_codes_at(hierarchy: Hierarchy, level: int) -> tuple[str, ...]:
    """Return the declared missing codes that stay unchanged at a level."""
    return () if isinstance(hierarchy.rule(level), Everything) else hierarchy.missing_codes


def disagreement(attribute: AttributePolicy) -> str | None:
    """Explain why an attribute's level does not fit its rule, or return None if it fits."""
    if _can_be_level(attribute.rule, attribute.level, attribute.levels):
        return None
    levels = f"level {attribute.level} of 0-{attribute.levels - 1}"
    return f"{levels} does not match its rule ({attribute.does})"


def level_is_known(attribute: AttributePolicy) -> bool:
    """Return whether the rule alone determines the level, because it is the first or the last."""
    return attribute.level in (0, attribute.levels - 1)


def _can_be_level(rule: Rule, level: int, levels: int) -> bool:
    """Return whether a rule can be at `level` in a hierarchy with `levels` levels (or cuts)."""
    if levels == 1:
        return True
    if isinstance(rule, Everything) or level == levels - 1:
        return isinstance(rule, Everything) and level == levels - 1
    if isinstance(rule, Identity):
        return level == 0
    if isinstance(rule, Calendar):
        units = get_args(CalendarUnit)
        at = units.index(rule.unit)
        return level <= at and levels - 1 - level <= len(units) - at
    if isinstance(rule, Prefix):
        return level > 0 or (rule.length is not None and rule.keep >= rule.length)
    # Numbers in two of the forms are put into bands, and a hierarchy may consist only of bands.
    return level > 0 or isinstance(rule, Bands | Cuts)
