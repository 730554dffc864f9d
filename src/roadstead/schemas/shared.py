"""Define the parts that several documents share.

A schema is closed: it rejects any key that is not in the type. So tests detect a key that a command
prints but that is not in the type.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from roadstead.release.certificate import RiskIfUndone

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Identifier = Annotated[int, Field(ge=1, le=18)]
"""The number of an identifier on the Safe Harbor list, from 1 to 18."""
Role = Literal["quasi", "unchanged", "sensitive", "release_anyway"]


@with_config(ConfigDict(extra="forbid"))
class ClosedJSON(TypedDict):
    """A JSON object that has no keys other than its fields."""


class CountedJSON(ClosedJSON):
    unit: Literal["records", "persons"]
    person: str | None
    look_like_persons: list[str]
    sentence: str
    risk_by_people: NotRequired[Annotated[float, Field(gt=0, le=1)]]


class FoundIdentifierJSON(ClosedJSON):
    column: str
    number: Identifier
    identifier: str
    why: str
    remedy: str
    called: bool
    share: Share | None


class ReleasedIdentifierJSON(ClosedJSON):
    column: str
    number: Identifier | None
    identifier: str
    why: str
    remedy: str
    forced: bool


class ChecklistPointJSON(ClosedJSON):
    number: Identifier
    identifier: str
    answer: str
    columns: list[str]
    note: str


class GroupCountsJSON(ClosedJSON):
    unique: Count
    unique_share: Share
    below_k: Count
    below_k_share: Share


class SpreadsheetFormulasJSON(ClosedJSON):
    cells: dict[str, Annotated[int, Field(ge=1)]]
    names: list[str]


class SingledOutPeopleJSON(ClosedJSON):
    knows: Literal[1, 2, 3, "all"]
    persons: Count
    unique: Count | None
    below_k: Count | None


class AddedRiskJSON(ClosedJSON):
    k: Count
    records: Count
    groups_of: Literal["records", "persons"]
    quasi: GroupCountsJSON
    together: GroupCountsJSON
    columns: dict[str, GroupCountsJSON]
    people: SingledOutPeopleJSON | None


class SharedValuesJSON(ClosedJSON):
    column: str
    groups: Count
    records: Count
    of_groups: Count
    of_records: Count


class RecordsBelowKJSON(ClosedJSON):
    records: Count
    share: Share
    low: Count
    high: Count
    k: Count
    released: Count
    estimated: bool


class TimesOfDayJSON(ClosedJSON):
    records: Count
    of_one_person: Count


class DatesLeftOutJSON(ClosedJSON):
    records_left_out: Count
    persons_left_out: Count
    persons_counted_from_a_later_date: NotRequired[Count]
    times_of_day: NotRequired[dict[str, TimesOfDayJSON]]


class CheckJSON(ClosedJSON):
    check: str
    passed: bool
    detail: str


class SignerJSON(ClosedJSON):
    signer: str | None
    role: str | None
    key: str | None
    signed: str | None
    expires: str | None


class SignatureJSON(SignerJSON):
    state: Literal["unsigned", "broken", "claimed", "trusted", "stranger"]


class VerificationJSON(ClosedJSON):
    passed: bool
    checks: list[CheckJSON]
    unchecked: list[str]
    promise_rests_on: str
    promised: bool
    promise: str
    highest_risk: float | None
    highest_risk_of_masked: float | None
    masked_records: Count | None
    risk_if_undone: RiskIfUndone | None
    reassures: bool
    signature: NotRequired[SignatureJSON]
    earlier_releases: NotRequired[LedgerComparisonJSON]


class FigureJSON(ClosedJSON):
    mean: float
    margin: float | None
    low: float | None
    high: float | None


class ReleaseRiskJSON(ClosedJSON):
    maximum: Share
    average: Share
    maximum_of_masked: Share | None
    if_undone: RiskIfUndone | None


class RiskBeforeAndAfterJSON(ReleaseRiskJSON):
    maximum_before: Share
    average_before: Share


class WithheldJSON(ClosedJSON):
    why: str
    reason: str
    identifiers: list[Identifier]
    decide: str


class ComparedReleasesJSON(ClosedJSON):
    same_policy: Count
    other_policy: Count
    same_table: Count


class LedgerFindingJSON(ClosedJSON):
    kind: Literal[
        "added", "removed", "newcomers", "intersection", "values", "parts", "together", "joined"
    ]
    earlier: str
    classes: Count
    least: Count
    smallest: Count | None
    column: str | None
    unit: NotRequired[Literal["person"]]
    others: NotRequired[list[str]]
    masked: NotRequired[Literal[True]]


class ReleaseNotComparedJSON(ClosedJSON):
    earlier: str
    why: Literal["private", "columns", "dates", "size"]


class ReleaseComparedInPartJSON(ClosedJSON):
    earlier: str
    why: Literal["people", "columns", "treated"]
    columns: list[str]


class LedgerComparisonJSON(ClosedJSON):
    compared: ComparedReleasesJSON
    findings: list[LedgerFindingJSON]
    not_compared: list[ReleaseNotComparedJSON]
    changed_sets: dict[str, Count]
    unit: NotRequired[Literal["person"]]
    cut_short: NotRequired[Literal[True]]
    no_size: NotRequired[Literal[True]]
    joined: NotRequired[dict[str, Count]]
    unlike: NotRequired[dict[str, str]]
    partly: NotRequired[list[ReleaseComparedInPartJSON]]
    strange: NotRequired[Count]
    apart: NotRequired[Count]


class EarlierReleasesJSON(LedgerComparisonJSON):
    entry: str


class RefusedByLedgerJSON(ClosedJSON):
    refused: Literal[True]
    earlier_releases: LedgerComparisonJSON


class LinkingColumnsJSON(ClosedJSON):
    columns: list[str]
    share: Share


class TreatedColumnJSON(ClosedJSON):
    does: str
    groups: Count | None
    variance_lost: Annotated[float, Field(ge=0)] | None
    variance_kept: Annotated[float, Field(le=1)] | None
    emptied: Count


class WithheldColumnsJSON(ClosedJSON):
    why: str
    reason: str
    columns: list[str]


class ColumnsWithheldJSON(ClosedJSON):
    because: list[WithheldColumnsJSON]
    release_with: dict[Role, list[str]]
    text: dict[Role, list[str]]
