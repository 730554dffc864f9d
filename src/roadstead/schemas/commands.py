"""Define the output of the commands that do not have their own schema module."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from roadstead.schemas.shared import (
    ChecklistPointJSON,
    ClosedJSON,
    Count,
    CountedJSON,
    FoundIdentifierJSON,
    SignerJSON,
    VerificationJSON,
)


class ScannedColumnJSON(ClosedJSON):
    name: str
    role: Literal["identifiers", "quasi", "sensitive", "unchanged", "person"] | None
    reason: str
    type: str
    missing: Count
    distinct: Count
    hierarchy: dict[str, Any] | None
    warning: str


class ObjectionJSON(ClosedJSON):
    kind: str
    why: str
    others: list[str]


class ScannedCodebookJSON(ClosedJSON):
    name: str
    format: str
    not_described: list[str]
    not_in_table: list[str]
    missing: dict[str, Count]


class ScanJSON(ClosedJSON):
    source: str
    format: str
    records: Count
    columns: list[ScannedColumnJSON]
    codebook: ScannedCodebookJSON | None
    noticed: list[str]
    kinds_of_rows: list[list[str]]
    person: str | None
    undecided: list[str]
    safe_harbor: list[FoundIdentifierJSON]
    checklist: list[ChecklistPointJSON]
    objections: dict[str, list[ObjectionJSON]]
    project: str


class RepeatJSON(ClosedJSON):
    repeated: bool
    same: list[str]
    different: list[str]


class SecretKeyJSON(ClosedJSON):
    key: str


class SigningKeyJSON(ClosedJSON):
    key: str
    public_key: str
    id: str


KeyJSON = SecretKeyJSON | SigningKeyJSON


class SignJSON(SignerJSON):
    signature: str


class VerifyJSON(VerificationJSON):
    counted: NotRequired[CountedJSON]


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


@with_config(ConfigDict(extra="allow"))
class ReproduceJSON(TypedDict):
    """The reproduced figures of a paper. Their structure differs between papers."""

    out: str | None
