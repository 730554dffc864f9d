"""Define the output of the commands that do not have their own schema module."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from pydantic import ConfigDict, with_config
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


@with_config(ConfigDict(extra="allow"))
class ReproduceJSON(TypedDict):
    """The reproduced figures of a paper. Their structure differs between papers."""

    out: str | None
