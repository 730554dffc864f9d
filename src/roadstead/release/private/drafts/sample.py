"""Collect the parts of a generalized sample: sampled records at chosen levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from roadstead.differential.budget import Grant
from roadstead.differential.domains import AttributeCut
from roadstead.differential.sampled.release import SampledRelease
from roadstead.release.private.certificate import ReleasedSample
from roadstead.release.private.publish import WritesTable
from roadstead.release.private.tables import ListedGroups, in_order
from roadstead.release.private.units import PrivacyUnit


@dataclass(frozen=True, eq=False)
class SampleDraft:
    """All parts of a generalized sample."""

    sample: SampledRelease = field(repr=False)
    source: str  # the name of the table's file, without its folder
    unit: PrivacyUnit  # the unit that the guarantee protects
    settings: dict[str, Any]  # the released request

    target = None
    classes = ()
    steps = ()

    @property
    def epsilon(self) -> Fraction:
        """Return the privacy budget."""
        return sum((one.epsilon for one in self.ledger), Fraction(0))

    @property
    def ledger(self) -> tuple[Grant, ...]:
        """Return the steps that spent the budget."""
        return self.sample.ledger

    @property
    def cuts(self) -> tuple[AttributeCut, ...]:
        """Return the level of detail of each attribute in the release."""
        return self.sample.groups.cuts

    @cached_property
    def listed(self) -> ListedGroups:
        """Return the classes in the order in which they are released."""
        counts = self.sample.counts.reshape(-1, 1)
        return in_order(self.sample.groups, np.zeros_like(counts), counts)[0]

    @property
    def certified(self) -> ReleasedSample:
        """Return the certified facts about the table and its privacy cost."""
        budget = self.sample.budget
        return ReleasedSample(
            int(self.sample.counts.sum()),
            self.sample.counts.size,
            budget.least,
            str(budget.chance),
            budget.delta,
            self.sample.levels,
        )

    def own_tables(self) -> Mapping[str, WritesTable]:
        """Return an empty dictionary, because the release has only records."""
        return {}
