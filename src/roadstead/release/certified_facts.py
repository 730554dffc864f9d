"""Declare the entries `settings`, `loss`, and `search` of a certificate, and check them.

Each entry has a known type, and no other entry is allowed. So a certificate cannot contain a table
or a sentence without a check that reads it. The documentation lists the same entries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from roadstead.printable import named

Text: TypeAlias = Annotated[str, Field(max_length=1000)]
"""The name of a column, a code, or the name of a population."""
Name: TypeAlias = Annotated[str, Field(pattern=r"^\S{1,100}$")]
Number: TypeAlias = Annotated[int, Field(ge=0)]
Amount: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Fraction: TypeAlias = Annotated[str, Field(pattern=r"^[0-9]+(/[0-9]+)?$", max_length=1000)]
Decimal: TypeAlias = Annotated[str, Field(pattern=r"^-?[0-9.]+(E[+-]?[0-9]+)?$", max_length=100)]
Stake: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
Levels: TypeAlias = Annotated[list[Number], Field(min_length=2, max_length=2)]
Setting: TypeAlias = Name | Number | Amount
Ending: TypeAlias = Literal["complete", "budget", "iterations", "time limit", "interrupted"]

_CLOSED = with_config(ConfigDict(extra="forbid", strict=True))


@_CLOSED
class Quality(TypedDict):
    """A quality model with its parameters."""

    kind: Name
    aggregate: NotRequired[Name]
    weights: NotRequired[list[Amount] | None]
    average_over: NotRequired[Literal["persons"]]
    gs_factor: NotRequired[Share]
    gs_formula: NotRequired[Literal["arx"]]
    monotone: NotRequired[Literal[True]]
    target: NotRequired[Text]
    stakes: NotRequired[dict[Name, Stake]]
    attacker: NotRequired[Name]
    function: NotRequired[Name]


@_CLOSED
class CertifiedLoss(Quality):
    """The loss under a quality model, rounded to steps that do not reveal the data."""

    loss: Share
    by_attribute: dict[Text, Share]
    variance_lost: NotRequired[dict[Text, Share]]


@_CLOSED
class CertifiedSearch(TypedDict):
    """The search for a policy."""

    name: Name
    optimal: bool
    lower_bound: Share
    gap: Share
    evaluated: Number
    queries: Number
    lattice_size: Number
    ending: Ending
    recoding: NotRequired[Name]


@_CLOSED
class CertifiedFrontier(TypedDict):
    """The search for a frontier from which a person chose the policy."""

    name: Name
    evaluated: Number
    lattice_size: Number | Annotated[str, Field(pattern="^about 10 to the power of [0-9]{1,9}$")]
    ending: Ending
    members: Number
    area: Share
    risk: Share
    risk_measure: dict[Name, Setting]


@_CLOSED
class _Reading(TypedDict):
    missing: NotRequired[dict[Text, list[Text]]]
    missing_rare: NotRequired[list[Text]]


@_CLOSED
class SearchSettings(_Reading):
    """The request for a release with a policy from a search."""

    quasi: list[Text]
    privacy: list[dict[str, Any]]
    added: NotRequired[dict[str, Any]]
    suppression: Share
    suppressed_records: Literal["mask", "drop"]
    quality: Quality
    search: Name
    time_limit: Amount | None
    levels_allowed: NotRequired[dict[Text, Levels]]
    births_compared_with: NotRequired[dict[Text, Annotated[int, Field(ge=1, le=9999)]]]
    population: NotRequired[Text]


@_CLOSED
class PolicySettings(_Reading):
    """The request for a release with an existing policy."""

    unseen_values: dict[Text, Number]
    suppression: NotRequired[Share]
    suppression_of_policy: NotRequired[Share]


@_CLOSED
class _Widths(TypedDict):
    origin: Decimal
    widths: list[Decimal]


_Purpose = TypedDict("_Purpose", {"for": NotRequired[Literal["everything", "sample"]]})


@_CLOSED
class PrivateRequestSettings(_Purpose, total=False):
    """The request for a differentially private release."""

    epsilon: str | float
    specializations: Number | Literal["auto"]
    score: Name
    outside: Name
    target: Text | None
    classes: list[Text]
    levels: Name | dict[Text, Number]
    share: Fraction
    delta: Annotated[float, Field(gt=0, lt=1)]
    widths: dict[Text, _Widths]
    person: Text
    rows_per_person: Annotated[int, Field(ge=1)]
    per_person: dict[Text, Text]


def misplaced(
    facts: Mapping[str, Any],
    kind: Any,  # noqa: ANN401 - one of the types above
    entry: str,
    *,
    foreign: bool = False,
) -> str:
    """Describe the first entry that a declaration does not allow, or return an empty string.

    If a model or a search is `foreign`, another package determines its further entries.
    """
    known = {key: one for key, one in facts.items() if not foreign or key in kind.__annotations__}
    try:
        TypeAdapter(kind).validate_python(known)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join((entry, *(named(str(part)) for part in first["loc"])))
        if first["type"] == "extra_forbidden":
            return f"{place} is not an entry that Roadstead writes"
        return f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}"
    return ""
