"""Collect the parts of a release for general use: margins and synthetic records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from roadstead.differential.budget import Grant
from roadstead.differential.domains import AttributeCut
from roadstead.differential.margins.choosing import NoisyMargin
from roadstead.differential.margins.groups import coded_groups
from roadstead.differential.margins.variables import Variable
from roadstead.release.private.certificate import ReleasedMargins
from roadstead.release.private.margins import (
    MARGINS,
    Names,
    ReleasedMargin,
    certified_margins,
    rendered_margins,
)
from roadstead.release.private.publish import WritesTable
from roadstead.release.private.tables import ListedGroups
from roadstead.release.private.units import PrivacyUnit


@dataclass(frozen=True, eq=False)
class MarginsDraft:
    """All parts of a release for general use."""

    epsilon: Fraction  # the privacy budget
    ledger: tuple[Grant, ...]  # the steps that spent the budget
    margins: tuple[NoisyMargin, ...] = field(repr=False)
    variables: tuple[Variable, ...]
    cuts: tuple[AttributeCut, ...] = field(repr=False)
    listed: ListedGroups = field(repr=False)  # the records as distinct lines, in order
    target: str | None  # the column with declared classes, if any
    classes: tuple[str, ...]
    source: str  # the name of the table's file, without its folder
    unit: PrivacyUnit  # the unit that the guarantee protects
    settings: dict[str, Any]  # the released request

    steps = ()

    @cached_property
    def released(self) -> tuple[ReleasedMargin, ...]:
        """Return the margins as they are written in the file."""
        return tuple(
            ReleasedMargin(one.at, one.groupings, one.counts, one.grant.each)
            for one in self.margins
        )

    @property
    def names(self) -> Names:
        """Return the names of variables and values."""
        return Names(self.variables, self.cuts, self.classes)

    @cached_property
    def certified(self) -> ReleasedMargins:
        """Return the facts about the tables that the certificate states."""
        counts = self.listed.released
        records = coded_groups(self.listed.groups, counts, self.variables)
        return certified_margins(self.released, self.listed.records, records)

    def own_tables(self) -> Mapping[str, WritesTable]:
        """Return the function that writes the file of margins."""

        def write_margins(path: Path) -> None:
            path.write_bytes(rendered_margins(self.released, self.names))

        return {MARGINS: write_margins}
