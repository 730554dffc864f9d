"""Define the output of `frontier`."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import Field

from roadstead.release.documents import Fingerprint
from roadstead.schemas.releases import NewPolicyJSON
from roadstead.schemas.shared import (
    ClosedJSON,
    Count,
    CountedJSON,
    EarlierReleasesJSON,
    RefusedByLedgerJSON,
    Share,
)


class FrontierPointJSON(ClosedJSON):
    risk: float
    utility_loss: float
    policy: dict[str, Any]


class SafeHarborJSON(FrontierPointJSON):
    says: list[str]


class ClusterJSON(ClosedJSON):
    medoid: Count
    indices: list[Count]
    common: list[str]


class FrontierPopulationJSON(ClosedJSON):
    basis: str
    label: str


class FrontierFiguresJSON(ClosedJSON):
    """The printed and saved figures of a frontier."""

    points: list[FrontierPointJSON]
    area: float
    safe_harbor: SafeHarborJSON | None
    dominating_safe_harbor: Count
    clusters: list[ClusterJSON]
    threshold: str | None
    domains: dict[str, Any]
    boundaries: Count | None
    records: Count
    persons: Count | None
    counted: CountedJSON
    risk_measure: dict[str, Any]
    loss_measure: dict[str, Any]
    population: FrontierPopulationJSON
    search: str
    evaluated: Count
    known: Annotated[Count, Field(alias="told")]
    gap: float | None
    ending: str
    seed: int
    notes: list[str]
    seconds: float
    seconds_total: float


class PopulationRiskJSON(ClosedJSON):
    mean: Share
    sum: float
    maximum: Share
    gamma: float


class BelowPromiseJSON(ClosedJSON):
    declared: list[dict[str, Any]]
    reason: str


class FrontierReleaseJSON(NewPolicyJSON):
    noticed: list[str]  # sentences about unusual values
    levels: dict[str, Count]
    loss: float
    loss_by_attribute: dict[str, float]
    population_risk: list[PopulationRiskJSON]
    population: str | None
    below_promise: NotRequired[BelowPromiseJSON]


class FrontierOutputJSON(FrontierFiguresJSON):
    release: NotRequired[FrontierReleaseJSON]
    out: NotRequired[str]
    replaced_signature: NotRequired[bool]
    into: NotRequired[str]
    earlier_releases: NotRequired[EarlierReleasesJSON]


FrontierJSON = FrontierOutputJSON | RefusedByLedgerJSON


class FrontierFileJSON(FrontierFiguresJSON):
    files: list[Fingerprint]
