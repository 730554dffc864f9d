"""Collect the parts of a release for a target: groups with noisy counts, and records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roadstead.differential.budget import Grant
from roadstead.differential.domains import AttributeCut, Specialization
from roadstead.differential.synthesis import Synthesis
from roadstead.errors import SettingError
from roadstead.release.private.certificate import Released
from roadstead.release.private.publish import WritesTable
from roadstead.release.private.tables import (
    GROUPS,
    ListedGroups,
    check_names,
    in_order,
    write_groups,
)
from roadstead.release.private.units import PrivacyUnit


@dataclass(frozen=True, eq=False)
class GroupsDraft:
    """All parts of a release for a target."""

    synthesis: Synthesis = field(repr=False)  # the outputs of the mechanisms
    # The number of released records, with the shape ``(groups, classes)``.
    counts: NDArray[np.int64] = field(repr=False)
    target: str  # the column to predict, with the classes
    source: str  # the name of the table's file, without its folder
    unit: PrivacyUnit  # the unit that the guarantee protects
    settings: dict[str, Any]  # the released request

    @property
    def epsilon(self) -> Fraction:
        """Return the privacy budget."""
        return self.synthesis.epsilon

    @property
    def ledger(self) -> tuple[Grant, ...]:
        """Return the steps that spent the budget."""
        return self.synthesis.ledger

    @property
    def steps(self) -> tuple[Specialization, ...]:
        """Return the specializations."""
        return self.synthesis.steps

    @property
    def cuts(self) -> tuple[AttributeCut, ...]:
        """Return the level of detail of each attribute in the release."""
        return self.synthesis.groups.groups.cuts

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the values of the target."""
        return self.synthesis.groups.classes

    @cached_property
    def listed(self) -> ListedGroups:
        """Return the groups in the order in which they are released."""
        noisy = self.synthesis.groups
        return in_order(noisy.groups, noisy.counts, self.counts)[0]

    @property
    def certified(self) -> Released:
        """Return the certified facts about the tables."""
        noisy, listed = self.synthesis.groups, self.listed
        return Released(listed.groups.size, listed.records, noisy.all_groups, noisy.least)

    def own_tables(self) -> Mapping[str, WritesTable]:
        """Return the function that writes the groups, or reject groups that cannot be released."""
        noisy = self.synthesis.groups
        if self.counts.shape != noisy.counts.shape or (self.counts < 0).any():
            raise SettingError(
                "the numbers of records to release do not match the groups",
                where=self.source,
                fix="give a number of 0 or more for each class of each group",
            )
        check_names([cut.attribute for cut in self.cuts], self.target, self.classes)
        return {GROUPS: partial(write_groups, self.listed, self.target, self.classes)}
