"""What the runs of a rehearsal are made of: methods, what each brought, and means over runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias

from roadstead.differential.evaluation.accuracy import mean_of_runs

MEANS = (
    "groups",
    "records",
    "specializations",
    "one_way",
    "two_way",
    "correlation_change",
    "seconds",
)
"""Figures of a method, other than its accuracy."""

MethodName: TypeAlias = Literal["diffgen", "contingency", "top-down"]


class FigureRow(NamedTuple):
    """A figure as a table has it; what does not apply is empty."""

    run: int
    way: str
    classifier: str
    figure: str
    value: float


@dataclass(frozen=True)
class Figure:
    """A mean over runs, and half the width of its 95 % confidence interval; None of one run."""

    mean: float
    margin: float | None

    def to_dict(self) -> dict[str, float | None]:
        """Give it as JSON holds it."""
        none = self.margin is None
        return {
            "mean": self.mean,
            "margin": self.margin,
            "low": None if none else self.mean - (self.margin or 0),
            "high": None if none else self.mean + (self.margin or 0),
        }


def figure(values: Sequence[float]) -> Figure:
    """Average a figure over the runs, at least one."""
    if len(values) == 1:
        return Figure(float(values[0]), None)
    found = mean_of_runs(values)
    return Figure(found.mean, found.margin)


@dataclass(frozen=True)
class ReleaseMethod:
    """A way to make something of the records that a classifier can learn from.

    ``diffgen`` is what `synthesize` does; ``contingency`` counts all combinations with noise, with
    numbers in `detail` bands; ``top-down`` makes groups of at least `detail` records without noise.
    """

    method: MethodName
    epsilon: Fraction | None = None
    specializations: int | None = None
    detail: int | None = None

    @property
    def name(self) -> str:
        """What it is called in tables."""
        budget = "" if self.epsilon is None else f"{float(self.epsilon):.4g}"
        match self.method:
            case "diffgen":
                steps = "" if self.specializations is None else f", h = {self.specializations}"
                return f"synthesize, epsilon = {budget}{steps}"
            case "contingency":
                return f"contingency table, epsilon = {budget}"
            case "top-down":
                return f"top-down, k = {self.detail}, not private"


@dataclass(frozen=True)
class MethodOutcome:
    """What one method brought in one run.

    CA by classifier: the share of the held-out records whose class is predicted. Distances are mean
    total variation distances of the marginals from those of the records that were released; the
    correlation's change is that of Cramer's V.
    """

    way: ReleaseMethod
    accuracy: Mapping[str, float]
    groups: int
    records: int
    specializations: int
    one_way: float
    two_way: float
    correlation_change: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON holds it."""
        return {**asdict(self), "way": self.way.name}


@dataclass(frozen=True)
class Run:
    """One run: the records parted, and every method tried on the same parts.

    The lower bound is LA, what the most frequent class is right of; the baseline is BA by
    classifier, learned from the records as they are. Absent are classes that no record to learn
    from has.
    """

    number: int
    train: int
    test: int
    lower_bound: float
    baseline: Mapping[str, float]
    outcomes: tuple[MethodOutcome, ...] = field(repr=False)
    absent: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON holds it."""
        return {
            "run": self.number,
            "train": self.train,
            "test": self.test,
            "lower_bound": self.lower_bound,
            "baseline": dict(self.baseline),
            "ways": [one.to_dict() for one in self.outcomes],
        }
