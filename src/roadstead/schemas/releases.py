"""Define the output of the commands that release a table or a whole database."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from roadstead.policies.document import Policy
from roadstead.release.documents import Fingerprint
from roadstead.schemas.shared import (
    AddedRiskJSON,
    ChecklistPointJSON,
    ClosedJSON,
    ColumnsWithheldJSON,
    Count,
    CountedJSON,
    DatesLeftOutJSON,
    EarlierReleasesJSON,
    LinkingColumnsJSON,
    RecordsBelowKJSON,
    RefusedByLedgerJSON,
    ReleasedIdentifierJSON,
    ReleaseRiskJSON,
    RiskBeforeAndAfterJSON,
    Share,
    SharedValuesJSON,
    SingledOutPeopleJSON,
    SpreadsheetFormulasJSON,
    TreatedColumnJSON,
    VerificationJSON,
    WithheldJSON,
)


class ReleasedColumnsJSON(ClosedJSON):
    """The fields about columns and records in every release of a table."""

    records: Count
    released: Count
    suppressed: Count
    dates: NotRequired[DatesLeftOutJSON]
    released_by_name: list[str]
    released_identifiers: list[ReleasedIdentifierJSON]
    released_columns_add: AddedRiskJSON
    all_rows_known: NotRequired[SingledOutPeopleJSON]
    shared_sensitive_values: list[SharedValuesJSON]
    spreadsheet_formulas: NotRequired[SpreadsheetFormulasJSON]
    columns_withheld: ColumnsWithheldJSON


class NewPolicyJSON(ReleasedColumnsJSON):
    """The fields of a release whose policy was found by a search."""

    policy: Policy
    models: list[str]
    risk: RiskBeforeAndAfterJSON
    hierarchies: dict[str, str]
    withheld: dict[str, Share]
    withheld_because: dict[str, WithheldJSON]
    released_without_a_role: list[str]
    checklist: list[ChecklistPointJSON]
    linking: list[LinkingColumnsJSON]


class RecodingJSON(ClosedJSON):
    kind: str
    classes: Count
    arithmetic: float
    geometric: float
    lower_bound: float
    gap: float
    shown: dict[str, dict[str, float]]
    attacks: list[str]
    unseen: list[str]


class AnonymizationJSON(NewPolicyJSON):
    """The output that `anonymize` and `demo` share."""

    noticed: list[str]  # sentences about the values of the quasi-identifiers
    added_model: str | None
    counted: CountedJSON
    levels: dict[str, Count] | None
    loss: Share
    loss_by_attribute: dict[str, Share]
    masked: Count
    dropped: Count
    expected_below_k: RecordsBelowKJSON | None
    recoding: NotRequired[RecodingJSON]
    evaluated: Count
    pruned: Count
    hits: Count
    queries: Count
    lattice_size: Count
    optimal: bool
    lower_bound: Share
    gap: Share
    ending: Literal["complete", "budget", "iterations", "time limit", "interrupted"]
    search: str
    quality: dict[str, Any]
    matched: dict[str, list[str]]
    seconds: float
    seconds_total: float


class AnonymizedTableJSON(AnonymizationJSON):
    treated: NotRequired[dict[str, TreatedColumnJSON]]
    out: NotRequired[str]
    into: NotRequired[str]
    verified: NotRequired[bool]
    promised: NotRequired[bool]
    replaced_signature: NotRequired[bool]
    earlier_releases: NotRequired[EarlierReleasesJSON]


class DemoJSON(AnonymizationJSON):
    out: str
    verification: VerificationJSON


class PersonCountsJSON(ClosedJSON):
    source: Count
    released: Count
    left_out: Count


class PeopleOfTableJSON(ClosedJSON):
    source: Count
    released: Count


class PercentOfCodesJSON(ClosedJSON):
    least: Count
    greatest: Count


class RowCountsJSON(ClosedJSON):
    rows_of_source: Count
    rows: Count
    people: NotRequired[PeopleOfTableJSON]
    percent_of_a_code: NotRequired[PercentOfCodesJSON]


class AnonymizedDatabaseJSON(ClosedJSON):
    out: str
    promise: str
    persons: PersonCountsJSON
    tables: dict[str, RowCountsJSON]
    spreadsheet_formulas: NotRequired[dict[str, SpreadsheetFormulasJSON]]
    tables_left_out: list[str]
    cells_left_empty: NotRequired[dict[str, str]]
    verified: bool
    replaced_signature: NotRequired[bool]
    columns_withheld: dict[str, list[str]]


AnonymizeJSON = AnonymizedTableJSON | AnonymizedDatabaseJSON | RefusedByLedgerJSON


class DriftOfAttributeJSON(ClosedJSON):
    name: str
    unseen_values: Count
    unseen_records: Count
    suppressed_without: Count


class DriftJSON(ClosedJSON):
    attributes: list[DriftOfAttributeJSON]
    unseen_records: Count
    units: Literal["records", "persons"]
    suppressed_share: Share
    suppressed_share_then: Share | None
    limit: Share
    limit_that_would_do: Share | None


class AppliedPolicyJSON(ReleasedColumnsJSON):
    noticed: list[str]  # sentences about ages over 89
    levels: dict[str, Count] | None
    counted: CountedJSON
    masked: Count
    dropped: Count
    risk: ReleaseRiskJSON
    expected_below_k: RecordsBelowKJSON | None
    unseen_values: dict[str, Count]
    columns_not_released: list[str]
    drift: DriftJSON
    suppression: NotRequired[Share]
    suppression_of_policy: NotRequired[Share]
    treated: NotRequired[dict[str, TreatedColumnJSON]]
    out: NotRequired[str]
    into: NotRequired[str]
    verified: NotRequired[bool]
    promised: NotRequired[bool]
    replaced_signature: NotRequired[bool]
    earlier_releases: NotRequired[EarlierReleasesJSON]


class PolicyInSQLJSON(ClosedJSON):
    dialect: str
    sql: str


class RefusedDriftJSON(ClosedJSON):
    refused: Literal[True]
    drift: DriftJSON


ApplyJSON = AppliedPolicyJSON | PolicyInSQLJSON | RefusedDriftJSON | RefusedByLedgerJSON
DemoFileJSON = list[Fingerprint]
