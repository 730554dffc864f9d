"""What tools are asked, and what they answer: types that have no place for a cell.

Words in an answer are names of columns, which who asks has to know, and words of Roadstead's own.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

_CLOSED = ConfigDict(extra="forbid", frozen=True)

Columns = tuple[str, ...]
TablePath = Annotated[
    str, Field(description="CSV, TSV or Parquet file, or a folder of such, in an allowed folder.")
]
Quasi = Annotated[Columns, Field(description="Columns that others may know of a person.")]
Person = Annotated[
    str | None, Field(description="Column that says whose each record is, if persons have several.")
]
Release = Annotated[str, Field(description="Folder of a release, in an allowed folder.")]
Seconds = Annotated[
    float | None, Field(gt=0, description="After so many seconds, the best so far is the answer.")
]
People = Annotated[
    str | None, Field(description="Table of the population, in an allowed folder, if there is one.")
]


class ToolArguments(BaseModel):
    """What a tool is asked."""

    model_config = _CLOSED


class ScanArguments(ToolArguments):
    """What columns a table has."""

    data: TablePath


class RiskArguments(ToolArguments):
    """What risk a table has as it is."""

    data: TablePath
    quasi: Quasi
    person: Person = None
    threshold: Annotated[float, Field(gt=0, le=1, description="Risk that is acceptable.")] = 0.2


class FrontierArguments(ToolArguments):
    """Which policies have the least risk for what they lose."""

    data: TablePath
    quasi: Quasi
    person: Person = None
    population: People = None
    time_limit: Seconds = None


class AnonymizeArguments(ToolArguments):
    """How to release a table. Columns that have no role here are not released."""

    data: TablePath
    out: Annotated[str, Field(description="New folder, in an allowed folder, for the release.")]
    quasi: Quasi
    k: Annotated[int, Field(ge=2, description="Records that are to be alike at least.")] = 5
    sensitive: Annotated[Columns, Field(description="Sensitive columns, released as is.")] = ()
    unchanged: Annotated[Columns, Field(description="Other columns, released as is.")] = ()
    person: Person = None
    suppression: Annotated[
        float, Field(ge=0, le=1, description="Largest share of records to suppress.")
    ] = 0.05
    time_limit: Seconds = None


class VerifyArguments(ToolArguments):
    """Whether a release keeps its promises."""

    release: Release


class GateArguments(ToolArguments):
    """Whether a release passes a gate."""

    release: Release
    policy: Annotated[str, Field(description="Rules of the gate, a file in an allowed folder.")]


class ToolAnswer(BaseModel):
    """What a tool answers."""

    model_config = _CLOSED


class ColumnAnswer(ToolAnswer):
    """A column: what it is proposed to be, and how many values it has."""

    name: str
    role: str | None
    type: str
    distinct: int
    missing: int


class IdentifierAnswer(ToolAnswer):
    """A column that seems to hold one of the eighteen identifiers of Safe Harbor."""

    column: str
    number: int
    identifier: str


class ScanAnswer(ToolAnswer):
    """What a table has."""

    records: int
    columns: tuple[ColumnAnswer, ...]
    person: str | None
    undecided: Columns
    safe_harbor: tuple[IdentifierAnswer, ...]


class RiskAnswer(ToolAnswer):
    """The prosecutor risk of a table as it is."""

    records: int
    unit: Literal["record", "person"]
    threshold: float
    maximum: float
    average: float
    share_above_threshold: float
    smallest_class: int


class PointAnswer(ToolAnswer):
    """A policy: what risk it leaves and what it loses, as shares of the most."""

    index: int
    risk: float
    loss: float
    dominates_safe_harbor: bool


class FrontierAnswer(ToolAnswer):
    """Policies that no other one betters in both, and what is proven of them."""

    records: int
    unit: Literal["record", "person"]
    points: tuple[PointAnswer, ...]
    area: float
    safe_harbor: tuple[float, float] | None
    search: str
    evaluated: int
    gap: float | None
    ending: str


class WithheldAnswer(ToolAnswer):
    """A column without a role, why it was withheld, and the role that would release it."""

    column: str
    why: str
    release_with: Literal["quasi", "sensitive", "unchanged", "release_anyway"]


class AnonymizeAnswer(ToolAnswer):
    """What was released."""

    records: int
    unit: Literal["record", "person"]
    released: int
    suppressed: int
    levels: dict[str, int] | None
    risk_maximum: float
    risk_average: float
    risk_maximum_before: float
    risk_average_before: float
    loss: float
    lower_bound: float
    gap: float
    optimal: bool
    ending: str
    verified: bool
    promised: bool
    checks: int
    out: str
    columns_withheld: tuple[WithheldAnswer, ...]


class CheckAnswer(ToolAnswer):
    """Something that was checked, and whether it holds."""

    check: str
    passed: bool


class VerifyAnswer(ToolAnswer):
    """What was checked of a release."""

    passed: bool
    promised: bool
    promise: str
    highest_risk: float | None
    checks: tuple[CheckAnswer, ...]
    signature: Literal["unsigned", "broken", "claimed", "trusted", "stranger"] | None


class GateAnswer(ToolAnswer):
    """Whether a release passes."""

    passed: bool
    rules: tuple[CheckAnswer, ...]
    signed: bool
