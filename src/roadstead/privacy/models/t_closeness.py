"""t-closeness: the sensitive column has a similar distribution in every class and in the table.

The earth mover's distance (`ground_distances`) between each released class and the whole table is
at most t (Li, Li, Venkatasubramanian 2007). The distance is convex, so the union of two valid
classes is valid. The monotone part uses the smallest distance that the values in a class allow.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from roadstead.capabilities import Capabilities, Feature
from roadstead.errors import HierarchyError, SettingError, quoted
from roadstead.front_end import option
from roadstead.hierarchies.hierarchy import Hierarchy, from_columns
from roadstead.hierarchies.number_text import parse_number
from roadstead.near_names import did_you_mean
from roadstead.policies.classes import Classes
from roadstead.privacy.conditions import (
    SLACK,
    TOLERANCE,
    ClassCounts,
    OnValues,
    Text,
    class_counts,
)
from roadstead.privacy.ground_distances import (
    GroundDistance,
    LabelTree,
    ValueRow,
    equal_distance,
    placed,
)
from roadstead.privacy.least_classes import least_near
from roadstead.privacy.model_capabilities import OF_VALUES
from roadstead.privacy.protocol import ModelFigure, PrivacyModel
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.histograms import Histogram

Distance: TypeAlias = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True)
class TCloseness(PrivacyModel):
    """Classes whose distribution of a sensitive column is within `t` of the whole table.

    `distance` is ``equal`` if all values are equally far apart, ``ordered`` if the values are in a
    row, or ``hierarchical`` if the distance between two values is the height of their lowest common
    ancestor.
    """

    column: Text
    t: float  # largest earth mover's distance, from 0 to 1
    distance: Distance = "equal"
    # For ordered: all values, in order; None for numbers in their natural order. Values that are
    # not in the table have no place, because more places would make all distances smaller.
    order: tuple[Text, ...] | None = None
    # For hierarchical: each value and its labels, from specific to general. The last label is the
    # same for all values.
    hierarchy: tuple[tuple[Text, ...], ...] | None = None
    kind: ClassVar[str] = "t-closeness"
    sources: ClassVar[tuple[str, ...]] = ("li",)

    def __post_init__(self) -> None:
        fix = (
            "0 means that every group must have the same distribution as the whole table; 1 "
            "allows any distribution"
        )
        self.require("t", 0.0 <= self.t <= 1.0, "from 0 to 1", fix)
        if self.distance not in get_args(Distance):
            raise self.wrong(
                f"{self.distance!r} is not a known distance",
                fix=did_you_mean(str(self.distance), get_args(Distance)),
            )
        for name, owner in (("order", "ordered"), ("hierarchy", "hierarchical")):
            if getattr(self, name) is not None and self.distance != owner:
                raise self.wrong(
                    f"{name} is given, but the {self.distance} distance does not use it",
                    fix=f"use distance={owner}, or leave {name} out",
                )
        for value, times in Counter(self.order or ()).items():
            if times > 1:
                what = f"value {quoted(value)} is listed twice in the order"
                raise self.wrong(what, fix="list each value once")
        if self.distance == "hierarchical":
            _ = self._tree

    @property
    def capabilities(self) -> Capabilities:  # type: ignore[override] # it depends on the distance
        """Return the supported features."""
        return OF_VALUES if self.distance == "hierarchical" else OF_VALUES.adding(Feature.PROOF)

    @property
    def name(self) -> str:
        """Return the model's name with its parameters."""
        return f"{self.t:g}-closeness of {self.column}, {self.distance} distance"

    @property
    def promise(self) -> str:
        """Return the guarantee for a release."""
        return (
            f"In every released group, {self.clause} ({self.t:g}-closeness, earth mover's "
            f"distance, {self.distance} distance)."
        )

    @property
    def clause(self) -> str:
        """Return the condition on every class as a clause."""
        return (
            f"the distribution of {self.column} is within {self.t:g} of its distribution in the "
            "whole table"
        )

    def bind(self, table: FrequencyTable) -> OnValues:
        """Compare the classes of a table with the whole table.

        The monotone part requires that some distribution of the values in a class is within `t` of
        the whole table's distribution.

        Raises
        ------
        SettingError
            If a value is not in the order or in the hierarchy.
        """
        values, ground = self._measured(table)
        return OnValues(
            values,
            partial(self._near, ground),
            OnValues(values, partial(self._in_reach, ground)),
            partial(ground.most_within, self.t * (1.0 + SLACK)),
            least=partial(self._least, values) if self.distance == "equal" else None,
        )

    def _least(self, values: Histogram, counted: ClassCounts) -> NDArray[np.float64]:
        shares, near = values.whole / values.whole.sum(), self.t * (1.0 + SLACK)
        return least_near(counted.starts, counted.codes, counted.counts, shares, near)

    def _near(self, ground: GroundDistance, counted: ClassCounts) -> NDArray[np.bool_]:
        return ground.of(counted) <= self.t * (1.0 + TOLERANCE)

    def _in_reach(self, ground: GroundDistance, counted: ClassCounts) -> NDArray[np.bool_]:
        return ground.at_least(counted) <= self.t * (1.0 + SLACK)

    def _measured(self, table: FrequencyTable) -> tuple[Histogram, GroundDistance]:
        """Return the counts of the values, or of their places, and the ground distance."""
        values = table.histogram(self.column)
        if self.distance == "equal":
            return values, equal_distance(values.whole)
        if self.distance == "hierarchical":
            return values, self._ground(values)
        line = placed(values, *self._places(values))
        return line, ValueRow(line.whole)

    def places(self, table: FrequencyTable) -> list[list[str]]:
        """Return the values at each place of the ordered distance; empty for other distances."""
        if self.distance != "ordered":
            return []
        values = table.histogram(self.column)
        places, number = self._places(values)
        found: list[list[str]] = [[] for _ in range(number)]
        for value, place, many in zip(values.domain, places, values.whole.tolist(), strict=True):
            if many:
                found[place].append(value)
        return found

    def settings(self) -> dict[str, Any]:
        """Return the parameters for the certificate, including the order or the hierarchy."""
        settings = {key: value for key, value in super().settings().items() if value is not None}
        if self.order is not None:
            settings["order"] = list(self.order)
        if self.hierarchy is not None:
            settings["hierarchy"] = [list(row) for row in self.hierarchy]
        return settings

    @cached_property
    def _tree(self) -> Hierarchy:
        try:
            rows = list(zip(*(self.hierarchy or ()), strict=True))
        except ValueError:
            raise self.wrong(
                "rows of the hierarchy differ in length",
                fix="give every value the same number of labels",
            ) from None
        if not rows:
            raise self.wrong(
                "the hierarchy has no rows",
                fix="give each value with its labels, from specific to general",
            )
        try:
            return from_columns(self.column, rows, origin="hierarchy")
        except HierarchyError as error:
            raise SettingError(
                error.what, where=f"{option('privacy')} t-closeness, hierarchy", fix=error.fix
            ) from None

    def _ground(self, values: Histogram) -> LabelTree:
        try:
            codes = self._tree.covering(values.domain).codes_of(values.domain)
        except HierarchyError as error:
            raise SettingError(
                error.what, where=f"column {quoted(self.column)}", fix="add a row for it"
            ) from None
        # A level counts only if it merges values of the table, and if it does not merge all of
        # them. Otherwise, repeated levels would make all distances smaller.
        kept: list[NDArray[np.int32]] = []
        number = len(values.domain) + 1
        occurs = values.whole > 0
        for own in codes[:-1]:
            names = np.unique(own[occurs]).size
            if not kept or 1 < names < number:
                kept.append(np.unique(own, return_inverse=True)[1].astype(np.int32).reshape(-1))
                number = names
        stacked = np.array(kept, dtype=np.int32).reshape(len(kept), len(values.domain))
        return LabelTree(stacked, values.whole)

    def _places(self, values: Histogram) -> tuple[list[int], int]:
        """Return the zero-based place of each value and the number of places."""
        here = dict.fromkeys(values.occurring)
        if self.order is not None:
            place = {value: i for i, value in enumerate(v for v in self.order if v in here)}
            number = len(place)
            what, fix = "is not in the order", "add it to the order"
        else:
            read = {v: found for v in here if (found := parse_number(v)) is not None}
            rank = {found: i for i, found in enumerate(sorted(set(read.values())))}
            number = len(rank)
            place = {value: rank[found] for value, found in read.items()}
            what, fix = "is not a number", "list the values in order, or use the equal distance"
        for value in here:
            if value not in place:
                shown = f"value {quoted(value)}" if value else "the missing value"
                where = f"column {quoted(self.column)}"
                raise SettingError(f"{shown} {what}", where=where, fix=fix)
        return [place.get(value, 0) for value in values.domain], number

    def figure(self, table: FrequencyTable, classes: Classes) -> ModelFigure:
        """Return the largest distance between a class and the whole table."""
        values, ground = self._measured(table)
        distance = ground.of(class_counts(values, classes)).max()
        what = "largest distance of a group from the whole table"
        return ModelFigure(what, round(float(distance), 9), f"at most {self.t:g}")
