"""Define the output of `synthesize`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field

from roadstead.schemas.shared import ClosedJSON, Count, CountedJSON


class BudgetStepJSON(ClosedJSON):
    step: str
    epsilon: float


class PrivateMarginJSON(ClosedJSON):
    columns: list[str]
    groups: list[Annotated[int, Field(ge=1)]]
    standard_error: Annotated[float, Field(ge=0)]
    half_width: Count


class PrivateReleaseJSON(ClosedJSON):
    """The fields of every differentially private release."""

    source: str
    guarantee: str
    epsilon: Annotated[float, Field(gt=0)]
    unit: str
    protects: Literal["records", "persons"]
    rows_per_person: Count | None
    counted: CountedJSON
    classes: list[str]
    ledger: list[BudgetStepJSON]
    cut: dict[str, list[str]]
    specialized: Annotated[list[str], Field(alias="told")]
    records: Count
    settings: dict[str, Any]
    notes: list[str]
    seconds: float
    not_covered: list[str]
    out: NotRequired[str]
    verified: NotRequired[bool]
    replaced_signature: NotRequired[bool]


class PrivateGroupsJSON(PrivateReleaseJSON):
    """A differentially private release for a target column."""

    target: str
    specializations: Count
    steps: list[str]
    groups: Count
    all_groups: Count
    least_count: Count
    records_by_class: dict[str, Count]


class PrivateMarginsJSON(PrivateReleaseJSON):
    """A differentially private release for general use."""

    for_: Annotated[Literal["everything"], Field(alias="for")]
    target: str | None
    error_bars: str
    margins: list[PrivateMarginJSON]
    cells: Count
    agreeing: Count


class PrivateSampleJSON(PrivateReleaseJSON):
    """A random sample of the records."""

    for_: Annotated[Literal["sample"], Field(alias="for")]
    target: str | None
    delta: Annotated[float, Field(gt=0)]
    chance: Annotated[float, Field(gt=0, lt=1)]
    least_class: Annotated[int, Field(ge=2)]
    levels: dict[str, Count]
    groups: Count


SynthesizeJSON = PrivateGroupsJSON | PrivateMarginsJSON | PrivateSampleJSON
