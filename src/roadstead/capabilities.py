"""Check which parts of a request can be combined. Each part declares which features it supports.

A request combines *parts*: a search, a recoding, privacy models, a loss, and settings such as a
population. A part *brings* features, and other parts declare whether they support each feature. A
part supports only the features that it declares. Therefore, a part from another package is rejected
until its author declares its features.

The declarations are stored with the parts: in a privacy model, in a loss, or in the entry of a
search. The page `docs/combinations.md` is generated from the declarations, and a test checks all
pairs of parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, TypeAlias

from roadstead.errors import PolicyError, SettingError
from roadstead.front_end import option

Kind: TypeAlias = Literal[
    "search",
    "recoding",
    "privacy",
    "quality",
    "price",
    "treat",
    "persons",
    "engine",
    "tables",
    "proof",
]
"""The kinds of parts.

A setting without a kind can bring features, and supports all features of other parts.
"""
_NAMED = re.compile(r"\{(\w+)(?:=([^}]*))?\}")
"""A pattern that matches the name of a part or a field in a message."""


@dataclass(frozen=True)
class Reason:
    """The reason why two parts cannot be combined, and what the user can do instead.

    In both messages, the name of the part that lacks support replaces ``{part}``, and the name of
    the part that brings the feature replaces ``{other}``. A field of the request replaces a form
    such as ``{search=exact}``. `where` lists the keys of the fields in a message. If `where` is
    empty, the `Feature` determines the field.
    """

    what: str
    fix: str
    where: tuple[str, ...] = ()


class Feature(Enum):
    """A feature that a part can bring, with its title and the kinds of parts that must support it.

    `setting` is true if an optional setting brings the feature. In this case, an error message
    names the field of the setting. Otherwise, an error message names the field of the part that
    does not support the feature.
    """

    PERSONS = "counting people", ("search", "recoding", "privacy", "quality", "engine"), False
    ROWS_TOGETHER = "several known rows", ("recoding",), True
    SOME_ROWS = "2 or 3 known rows", ("privacy",), False
    LINKED_ROWS = "linked rows", ("persons",), True
    POPULATION = "a population", ("recoding", "persons", "engine", "tables"), True
    MASKING = "keeping suppressed records", ("persons", "tables"), True
    LEVEL_LIMITS = "level limits", ("search", "recoding"), True
    SUPPRESSION_FACTOR = "a suppression factor", ("quality", "recoding", "engine", "proof"), True
    SUPPRESSION_FORMULA = "a different formula for suppression", ("quality", "proof"), True
    MONOTONE = (
        "a monotone loss",
        ("quality", "price", "search", "recoding", "engine", "proof"),
        True,
    )
    PERSON_WEIGHTS = "equal weight per person", ("quality", "recoding", "proof"), True
    WEIGHTS = "weights of columns", ("quality",), True
    STAKES = "stakes", ("quality",), True
    TARGET = "a column to predict", ("quality",), True
    KEYED_VALUES = "pseudonyms or shifted dates", (), True
    MADE_DATES = "dates that are changed", ("proof",), True
    SHIFTED_DATES = "shifted dates", (), True
    K_ANONYMITY = "k-anonymity", (), True
    PEOPLE_COMPARED = "a model that uses a population", (), False
    OTHER_AGGREGATE = "an aggregate other than the arithmetic mean", ("recoding",), True
    NO_MEAN = "an aggregate that is not a mean", ("proof",), True
    ORDERS = "orders of values", ("search",), True
    MODELS = "further privacy models", ("search",), True
    EVALUATIONS = "a limit on evaluated policies", ("search",), True
    THRESHOLD = "a threshold", (), True
    CHOICE = "a policy chosen from the frontier", (), True
    CUTS = "a partition search", ("privacy", "quality"), False
    INFERENCE = "a search that infers which policies are allowed", ("privacy",), False
    INFERENCE_SUPPRESSED = (
        "a search that infers which policies are allowed, with suppression",
        ("privacy",),
        False,
    )
    RECODING = "a local recoding", ("privacy", "quality", "tables"), False
    INTERVALS = "recoding to intervals", (), False
    IN_ENGINE = "computation in the engine", ("search", "recoding", "privacy", "quality"), False
    SQL = "an SQL statement", ("privacy", "treat", "persons"), False
    LEDGER = "a ledger", ("treat", "tables"), True
    NEW_RECORDS = "new records", ("treat",), False
    UNLINKED = "rows that are not linked", ("tables",), True
    ONE_TABLE = "settings of one table", ("tables",), True
    PROOF = (
        "a proof of optimality",
        ("search", "recoding", "privacy", "quality", "persons", "engine", "tables"),
        True,
    )

    def __init__(self, title: str, concerns: tuple[Kind, ...], setting: bool) -> None:  # noqa: FBT001 - an entry of the table above
        self.title, self.concerns, self.setting = title, concerns, setting


@dataclass(frozen=True)
class Capabilities:
    """The features that a part supports, and the reasons why other features are not supported.

    If no reason is listed for a feature, the part that brings the feature provides the reason.
    """

    supports: frozenset[Feature] = frozenset()
    reasons: Mapping[Feature, Reason] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.supports & self.reasons.keys():
            raise ValueError("a feature is supported, but a reason states that it is not supported")

    def adding(self, *features: Feature) -> Capabilities:
        """Return a copy of these capabilities with additional supported features."""
        reasons = {one: why for one, why in self.reasons.items() if one not in features}
        return Capabilities(self.supports.union(features), reasons)


NOTHING = Capabilities()
"""The capabilities of a part without a declaration."""


def supporting(*features: Feature, reasons: Mapping[Feature, Reason] | None = None) -> Capabilities:
    """Return the capabilities of a part that supports only these features."""
    return Capabilities(frozenset(features), reasons or {})


@dataclass(frozen=True)
class Component:
    """A part of a request: its kind, and the features that it brings or supports.

    `key` is the field that selects the part. `brings` lists the features of the part, and `needs`
    lists the features that another part must bring. For each kind of part that does not support the
    features of this part, `otherwise` contains the reason. `instead` describes an alternative to
    this part.
    """

    kind: Kind | None
    name: str
    key: str
    brings: frozenset[Feature] = frozenset()
    needs: Mapping[Feature, Reason] = field(default_factory=dict)
    capabilities: Capabilities = NOTHING
    otherwise: Mapping[Kind, Reason] = field(default_factory=dict)
    instead: str = ""


def refusals(part: Component, other: Component) -> Iterator[tuple[Feature, str, str, str]]:
    """Yield each unsupported feature of another part, with the reason, the field, and the fix."""
    for feature in Feature:
        concerned = feature in other.brings and part.kind in feature.concerns
        if concerned and feature not in part.capabilities.supports:
            key = other.key if feature.setting else part.key
            yield feature, *_written(reason_of(part, feature, other), (key,), part, other)


def conflicts(parts: Sequence[Component]) -> Iterator[tuple[str, str, str]]:
    """Yield the message, the field, and the fix for each conflict between parts."""
    for part in parts:
        for other in parts:
            for _, what, where, fix in refusals(part, other):
                yield what, where, fix
    brought = frozenset[Feature]().union(*(part.brings for part in parts))
    for part in parts:
        for feature, reason in part.needs.items():
            if feature not in brought:
                yield _written(reason, (part.key,), part, part)


def require_combination(parts: Iterable[Component]) -> None:
    """Raise an error if parts cannot be combined. The error describes the first conflict."""
    for what, where, fix in conflicts(tuple(parts)):
        raise SettingError(what, where=where, fix=fix)


def require_use_of_policy(parts: Iterable[Component], where: str = "the policy") -> None:
    """Raise a `PolicyError` if the parts of a policy cannot be combined for the intended use."""
    for what, _, fix in conflicts(tuple(parts)):
        raise PolicyError(what, where=where, fix=fix)


def reason_of(part: Component, feature: Feature, other: Component) -> Reason:
    """Return the reason why a part does not support a feature that another part brings."""
    if feature in part.capabilities.reasons:
        return part.capabilities.reasons[feature]
    if part.kind is not None and part.kind in other.otherwise:
        return other.otherwise[part.kind]
    return Reason(f"{{part}} does not support {feature.title}", "leave {key} out")


def _written(
    reason: Reason, keys: tuple[str, ...], part: Component, other: Component
) -> tuple[str, str, str]:
    keys = reason.where or keys
    names = {"part": part.name, "other": other.name, "key": option(keys[0])}
    names |= {"instead": filled(part.instead, names), "rather": filled(other.instead, names)}
    where = ", ".join(option(key) for key in keys)
    return filled(reason.what, names), where, filled(reason.fix, names)


def filled(text: str, names: Mapping[str, str]) -> str:
    """Insert the names of parts and fields into a message."""

    def named(found: re.Match[str]) -> str:
        key, value = found.groups()
        if key in names:
            return names[key]
        return option(key, int(value) if value and value.isdecimal() else value)

    return _NAMED.sub(named, text)
