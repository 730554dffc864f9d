"""Define the output of `evaluate`: an evaluation of a release, a trial run, or a comparison."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field

from roadstead.release.documents import Fingerprint
from roadstead.schemas.shared import ClosedJSON, Count, CountedJSON, FigureJSON, Share


class EvaluationJSON(ClosedJSON):
    """The fields of every evaluation."""

    private: Literal[False]
    warning: str
    notes: list[str]
    seconds: float


class OutsideJSON(ClosedJSON):
    left_out: dict[str, Count]
    clamped: dict[str, Count]
    unlisted: dict[str, Count]


class LowerBoundJSON(ClosedJSON):
    majority_of_release: Share
    majority_of_held_out: Share


class VariableJSON(ClosedJSON):
    variable: str
    distance: float


class VariablePairJSON(ClosedJSON):
    variables: list[str]
    distance: float
    in_held_out: float
    in_release: float


class KeptFiguresJSON(ClosedJSON):
    one_way: float
    two_way: float
    correlation_change: float
    variables: list[VariableJSON]
    pairs: list[VariablePairJSON]


class EvaluatedReleaseJSON(EvaluationJSON):
    question: Literal["release"]
    counted: CountedJSON
    release: str
    held_out: str
    epsilon: float
    target: str
    records_released: Count
    records_by_class: dict[str, Count]
    held_out_records: Count
    left_out: Count
    outside: OutsideJSON
    tested: Count
    tested_by_class: dict[str, Count]
    accuracy: dict[str, Share]
    lower_bound: LowerBoundJSON
    kept: KeptFiguresJSON


class AccuracyJSON(ClosedJSON):
    ca: FigureJSON
    ba_minus_ca: FigureJSON
    ca_minus_la: FigureJSON


class RehearsedWayJSON(ClosedJSON):
    way: str
    method: Literal["diffgen", "contingency", "top-down"]
    differentially_private: bool
    epsilon: float | None
    specializations_requested: Annotated[Count | None, Field(alias="specializations_asked")]
    accuracy: dict[str, AccuracyJSON]
    groups: FigureJSON
    records: FigureJSON
    specializations: FigureJSON
    one_way: FigureJSON
    two_way: FigureJSON
    correlation_change: FigureJSON
    seconds: FigureJSON


class WayInRunJSON(ClosedJSON):
    way: str
    accuracy: dict[str, Share]
    groups: Count
    records: Count
    specializations: Count
    one_way: float
    two_way: float
    correlation_change: float
    seconds: float


class RehearsalRunJSON(ClosedJSON):
    run: Count
    train: Count
    test: Count
    lower_bound: Share
    baseline: dict[str, Share]
    ways: list[WayInRunJSON]


class RehearsalJSON(EvaluationJSON):
    question: Literal["rehearsal"]
    counted: CountedJSON
    source: str
    records: Count
    left_out: Count
    outside: OutsideJSON
    runs: Count
    runs_requested: Annotated[Count, Field(alias="runs_asked")]
    train: Count
    test: Count
    lower_bound: FigureJSON
    baseline: dict[str, FigureJSON]
    ways: list[RehearsedWayJSON]
    by_run: list[RehearsalRunJSON]
    settings: dict[str, Any]


class CountedRecordsJSON(ClosedJSON):
    unit: Literal["record"]


class ComparedRiskJSON(ClosedJSON):
    largest: Share
    mean: Share


class CoefficientJSON(ClosedJSON):
    term: str
    estimate: float | None
    low: float | None
    high: float | None


class RegressionJSON(ClosedJSON):
    formula: str
    kind: Literal["linear", "logistic"]
    event: str | None
    draws: Count
    drawn_from: str
    records: Count
    coefficients: list[CoefficientJSON]


class ColumnPairJSON(ClosedJSON):
    columns: list[str]
    distance: float


class DistancesJSON(ClosedJSON):
    columns: dict[str, float]
    removed: list[str]
    pairs: list[ColumnPairJSON]


class ComparedAccuracyJSON(ClosedJSON):
    ca: FigureJSON | None
    ca_alike: FigureJSON | None
    ba_minus_ca: FigureJSON


class ComparedCoefficientJSON(CoefficientJSON):
    overlap: float | None


class ComparedReleaseJSON(ClosedJSON):
    release: str
    promise: str
    recoding: str
    records: Count
    left_out: Count
    masked: Count
    risk: ComparedRiskJSON
    loss: Share | None
    left_open: Share
    one_way: float
    two_way: float
    distances: DistancesJSON
    accuracy: dict[str, ComparedAccuracyJSON] | None
    coefficients: list[ComparedCoefficientJSON] | None
    mean_overlap: float | None


class ComparisonJSON(EvaluationJSON):
    question: Literal["comparison"]
    counted: CountedRecordsJSON
    original: str
    records: Count
    columns: list[str]
    quasi: list[str]
    target: str | None
    runs: Count
    risk: ComparedRiskJSON
    lower_bound: FigureJSON | None
    baseline: dict[str, FigureJSON | None]
    regression: RegressionJSON | None
    releases: list[ComparedReleaseJSON]


class PrintedReleaseEvaluationJSON(EvaluatedReleaseJSON):
    out: NotRequired[str]


class PrintedRehearsalJSON(RehearsalJSON):
    out: NotRequired[str]


class PrintedComparisonJSON(ComparisonJSON):
    out: NotRequired[str]


EvaluateJSON = PrintedReleaseEvaluationJSON | PrintedRehearsalJSON | PrintedComparisonJSON


class EvaluationFilesJSON(ClosedJSON):
    roadstead_evaluation: Literal[1]
    software: str
    created: str
    files: list[Fingerprint]


class ReleaseEvaluationFileJSON(EvaluatedReleaseJSON, EvaluationFilesJSON):
    pass


class RehearsalFileJSON(RehearsalJSON, EvaluationFilesJSON):
    pass


class ComparisonFileJSON(ComparisonJSON, EvaluationFilesJSON):
    pass


EvaluationFileJSON = ReleaseEvaluationFileJSON | RehearsalFileJSON | ComparisonFileJSON
