"""The types of the tools' arguments and answers. None of these types can contain a cell of a table.

The text in an answer consists of Roadstead's own words and column names.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from roadstead.release.certificate import RiskIfUndone

_CLOSED = ConfigDict(extra="forbid", frozen=True)

Columns = tuple[str, ...]
TablePath = Annotated[
    str,
    Field(
        description="CSV, TSV, or Parquet file, a folder of such files, or an Excel, SPSS, Stata, "
        "SAS, or R file, in an allowed folder."
    ),
]
Quasi = Annotated[Columns, Field(description="Columns that an attacker may know about a person.")]
Person = Annotated[
    str | None,
    Field(description="Column with the person ID, if people can have several records."),
]
Release = Annotated[str, Field(description="Folder of a release, in an allowed folder.")]
Seconds = Annotated[
    float | None,
    Field(
        gt=0,
        description="Number of seconds after which the search stops and returns the best result "
        "so far.",
    ),
]
People = Annotated[
    str | None, Field(description="Table of the people in the population, in an allowed folder.")
]


class ToolArguments(BaseModel):
    """The arguments of a tool."""

    model_config = _CLOSED


class ScanArguments(ToolArguments):
    """Arguments to list the columns of a table."""

    data: TablePath


class RiskArguments(ToolArguments):
    """Arguments to measure the re-identification risk of an unchanged table."""

    data: TablePath
    quasi: Quasi
    person: Person = None
    threshold: Annotated[
        float, Field(gt=0, le=1, description="Highest acceptable risk, 0 to 1.")
    ] = 0.2


class FrontierArguments(ToolArguments):
    """Arguments to find the policies with the best balance of risk and loss."""

    data: TablePath
    quasi: Quasi
    person: Person = None
    population: People = None
    time_limit: Seconds = None


class AnonymizeArguments(ToolArguments):
    """Arguments to make a release. Columns without a role are not released."""

    data: TablePath
    out: Annotated[str, Field(description="New folder for the release, in an allowed folder.")]
    quasi: Quasi
    k: Annotated[int, Field(ge=2, description="Smallest group size, 2 or more.")] = 5
    sensitive: Annotated[Columns, Field(description="Sensitive columns, released unchanged.")] = ()
    unchanged: Annotated[Columns, Field(description="Other columns to release unchanged.")] = ()
    person: Person = None
    suppression: Annotated[
        float, Field(ge=0, le=1, description="Largest share of records to suppress, 0 to 1.")
    ] = 0.05
    time_limit: Seconds = None


class VerifyArguments(ToolArguments):
    """Arguments to check a release against its certificate."""

    release: Release


class GateArguments(ToolArguments):
    """Arguments to check a release against rules."""

    release: Release
    policy: Annotated[
        str, Field(description="File with the rules, for example gate.toml, in an allowed folder.")
    ]


class ToolAnswer(BaseModel):
    """The answer of a tool."""

    model_config = _CLOSED


class ColumnAnswer(ToolAnswer):
    """A column, its suggested role, and its number of distinct values."""

    name: str
    role: str | None
    type: str
    distinct: int
    missing: int


class IdentifierAnswer(ToolAnswer):
    """A column that looks like one of the 18 identifiers on the Safe Harbor list."""

    column: str
    number: int
    identifier: str


class ScanAnswer(ToolAnswer):
    """The columns of a table and their suggested roles."""

    records: int
    columns: tuple[ColumnAnswer, ...]
    person: str | None
    undecided: Columns
    safe_harbor: tuple[IdentifierAnswer, ...]


class RiskAnswer(ToolAnswer):
    """The prosecutor risk of the unchanged table."""

    records: int
    unit: Literal["record", "person"]
    threshold: float
    maximum: float
    average: float
    share_above_threshold: float
    smallest_class: int


class PointAnswer(ToolAnswer):
    """A policy with its risk and its loss, each as a share of the largest possible value."""

    index: int
    risk: float
    loss: float
    dominates_safe_harbor: bool


class FrontierAnswer(ToolAnswer):
    """The policies that no other policy beats in both risk and loss, and the proof of this."""

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
    """A withheld column, the reason, and the role (or None) that would release the column."""

    column: str
    why: str
    release_with: Literal["quasi", "sensitive", "unchanged", "release_anyway"] | None


class AnonymizeAnswer(ToolAnswer):
    """The figures of a release."""

    records: int
    unit: Literal["record", "person"]
    released: int
    suppressed: int
    levels: dict[str, int] | None
    risk_maximum: float
    risk_average: float
    risk_maximum_of_masked: float | None
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
    """A check, and whether the release passed the check."""

    check: str
    passed: bool


class VerifyAnswer(ToolAnswer):
    """The checks of a release."""

    passed: bool
    promised: bool
    promise: str
    highest_risk: float | None
    highest_risk_of_masked: float | None
    masked_records: int | None
    risk_if_undone: RiskIfUndone | None
    checks: tuple[CheckAnswer, ...]
    signature: Literal["unsigned", "broken", "claimed", "trusted", "stranger"] | None


class GateAnswer(ToolAnswer):
    """Whether a release meets the rules."""

    passed: bool
    rules: tuple[CheckAnswer, ...]
    requires_signature: bool
