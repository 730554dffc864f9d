"""A loss that the user defines as a function of label widths.

The function takes the number of domain values that each label of a record covers, and returns the
cost of the record. The loss is the mean cost, on a scale from 0 (all widths are 1) to 1 (everything
is generalized). The bounds are correct only if the cost does not fall when a width rises. During a
search, Roadstead checks this condition. It compares the cost of each combination of widths with the
cost of the next smaller widths. It also compares the loss of each evaluated policy with earlier
bounds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import fsum, isfinite
from threading import Lock
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature, Reason, supporting
from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.policies.classes import Classes
from roadstead.policies.encoding import Encoding
from roadstead.policies.full_domain import Levels
from roadstead.quality.combination_widths import CombinationWidths, Reals
from roadstead.quality.words import QualityWords

Widths: TypeAlias = tuple[int, ...]
WidthFunction: TypeAlias = Callable[[Widths], float]

_OFF = 1e-9
"""The largest relative decrease in the function that is treated as a rounding error."""
_BOUNDS_KEPT = 500
"""The number of bounds to compare with policies that are evaluated later."""

_OF_NAMED_LOSSES = (
    Feature.TARGET,
    Feature.WEIGHTS,
    Feature.PERSON_WEIGHTS,
    Feature.SUPPRESSION_FACTOR,
    Feature.MONOTONE,
    Feature.SUPPRESSION_FORMULA,
    Feature.STAKES,
)
_SAYS_ITSELF = Reason(
    "the loss function already determines the loss of each record", "leave {key} out"
)


@dataclass(frozen=True)
class LossOfWidths:
    """The mean, over all records, of a function of each record's label widths."""

    function: WidthFunction
    name: ClassVar[str] = "widths"
    capabilities: ClassVar[Capabilities] = supporting(
        Feature.PERSONS, reasons=dict.fromkeys(_OF_NAMED_LOSSES, _SAYS_ITSELF)
    )
    columns: ClassVar[tuple[str, ...]] = ()
    words: ClassVar[QualityWords] = QualityWords(
        title="User-defined loss",
        figure="User-defined loss",
        sentence="The release loses {share}, measured by a user-defined function of widths.",
        clause="{share}, measured by a user-defined function of widths",
        by_attribute=False,
        formula="The search minimized the mean of a user-defined function over all records. The "
        "function uses the width of each label of a record: the number of values that the "
        "label covers. The search skipped policies because the function must not decrease "
        "if a width grows. Roadstead checked this for all widths that occurred.",
    )

    def bind(self, encoding: Encoding) -> BoundOfWidths:
        """Bind the model to the label widths of a table."""
        return BoundOfWidths(encoding, self.function)

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate, with the name of the function."""
        return {"kind": self.name, "function": getattr(self.function, "__name__", "function")}


class BoundOfWidths:
    """A function of widths, bound to one table. The tally is the number of suppressed records."""

    groupings = 0

    def __init__(self, encoding: Encoding, function: WidthFunction) -> None:
        self._widths = CombinationWidths(encoding)
        self._attributes = encoding.attributes
        self._records = encoding.records
        self._function = function
        self._known: dict[Widths, float] = {}
        self._told: deque[tuple[float, Levels, Levels]] = deque(maxlen=_BOUNDS_KEPT)
        self._telling = Lock()  # two parallel dives may use the bounds at the same time
        # For each attribute: the widths of all labels, in ascending order.
        self._steps = [
            np.unique(np.concatenate([np.array([1]), *levels])).tolist()
            for levels in encoding.leaves
        ]

    @cached_property
    def _most(self) -> float:
        return self._called(self._widths.everything)

    @cached_property
    def _least(self) -> float:
        return self._called((1,) * len(self._attributes))

    def nothing_suppressed(self) -> int:
        """Return 0, because no records are suppressed."""
        return 0

    def suppress(self, tally: int, rows: NDArray[np.uint32]) -> int:
        """Add the records of these rows to the tally."""
        return tally + int(np.add.reduce(self._widths.counts[rows]))

    def loss(self, levels: Levels, tally: int, classes: Classes) -> float:
        """Return the mean cost of the records. A mean below an earlier bound raises an error."""
        costs = classes.sizes * self._values(self._widths.of_classes(classes, levels))
        found = self._share(fsum(costs.tolist()), tally)
        with self._telling:
            told = tuple(self._told)
        for bound, lower, upper in told:
            inside = all(a <= at <= b for a, at, b in zip(lower, levels, upper, strict=True))
            if inside and found < bound - _OFF:
                raise _wrong(
                    f"a policy loses {found:.6g}, which is less than its lower bound of {bound:.6g}"
                )
        return found

    def loss_by_attribute(self, levels: Levels, tally: int, classes: Classes) -> None:  # noqa: ARG002 - as the protocol has it
        """Return None, because the function depends on all widths together."""
        return

    def lower_bound(self, lower: Levels, upper: Levels, tally: int, classes: Classes) -> float:
        """Return the loss that results when the kept records are at `lower`."""
        if lower == upper:
            return self.loss(lower, tally, classes)
        rows = classes.rows
        costs = self._widths.counts[rows] * self._values(self._widths.of_rows(rows, lower))
        bound = self._share(float(costs.sum()), tally)
        with self._telling:
            self._told.append((bound, lower, upper))
        return bound

    def raised_bounds(
        self, lower: Levels, upper: Levels, tally: int, classes: Classes
    ) -> list[list[float]]:
        """Return the bounds after one component of `lower` is raised."""
        found = []
        for i, (low, high) in enumerate(zip(lower, upper, strict=True)):
            raised = [(*lower[:i], one, *lower[i + 1 :]) for one in range(low + 1, high + 1)]
            own = [self.lower_bound(one, upper, tally, classes) for one in raised]
            found.append([float(one) for one in np.maximum.accumulate(own)])
        return found

    def _values(self, widths: list[NDArray[np.int64]]) -> Reals:
        """Call the function once for each combination of widths."""
        distinct, place = np.unique(np.stack(widths, axis=1), axis=0, return_inverse=True)
        values = [self._checked(tuple(one)) for one in distinct.tolist()]
        found: Reals = np.array(values, dtype=np.float64)[place.reshape(-1)]
        return found

    def _checked(self, widths: Widths) -> float:
        """Call the function, and check that the next smaller widths do not have a higher cost."""
        if widths in self._known:
            return self._known[widths]
        value = self._called(widths)
        for i, own in enumerate(widths):
            below = [one for one in self._steps[i] if one < own]
            if below:
                fewer = (*widths[:i], int(below[-1]), *widths[i + 1 :])
                less = self._called(fewer)
                if less > value + _OFF * max(1.0, abs(less)):
                    raise _wrong(
                        f"it falls from {less:.6g} to {value:.6g} when the width of "
                        f"{self._attributes[i]!r} grows from {fewer[i]} to {own} (widths: {widths})"
                    )
        self._known[widths] = value
        return value

    def _called(self, widths: Widths) -> float:
        value = float(self._function(widths))
        if not isfinite(value):
            raise _wrong(f"it gives {value} for the widths {widths}")
        return value

    def _share(self, kept: float, suppressed: int) -> float:
        """Convert the cost of all records to the scale from 0 to 1."""
        scale = self._most - self._least
        if scale <= 0.0:
            if scale < 0.0:
                raise _wrong(
                    f"its value for the largest widths, {self._most:.6g}, is below its value for "
                    f"the smallest widths, {self._least:.6g}"
                )
            return 0.0
        mean = (kept + suppressed * self._most) / self._records
        return min(1.0, max(0.0, (mean - self._least) / scale))


def _wrong(what: str) -> SettingError:
    return SettingError(
        f"the function cannot be used as a loss: {what}",
        where=option("quality"),
        fix="write a function that returns a number and does not decrease if a width grows",
    )
