"""Describe how columns are treated, and how much detail is lost.

In text for recipients, the loss of detail is rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roadstead.policies.treatments.document import Microaggregation
from roadstead.quality.for_sharing import coarse
from roadstead.release.treatments.values import TreatedLoss, TreatedValues
from roadstead.reports.numbers import percent
from roadstead.reports.wording import counted, listed


def losses_of(treated: Sequence[TreatedValues]) -> tuple[TreatedLoss, ...]:
    """Return the loss of detail of each treated column."""
    return tuple(loss for one in treated for loss in one.losses)


def treated_document(treated: Sequence[TreatedValues]) -> dict[str, Any]:
    """Return the treatment of each column as JSON. The result is empty if no column is treated."""
    found = {
        one.column: {
            "does": one.does,
            "groups": one.groups,
            "variance_lost": one.lost,
            "variance_kept": None if one.lost is None else 1.0 - one.lost,
            "emptied": one.emptied,
        }
        for one in losses_of(treated)
    }
    return {"treated": found} if found else {}


def treated_loss(treated: Sequence[TreatedValues]) -> dict[str, Any]:
    """Return the share of lost variance per column, in coarse steps that do not reveal the data."""
    found = {
        one.column: coarse(min(one.lost, 1.0)) for one in losses_of(treated) if one.lost is not None
    }
    return {"variance_lost": found} if found else {}


def treatment_lines(treated: Sequence[TreatedValues]) -> list[str]:
    """Describe the treatments and their exact loss, for the person who creates the release."""
    lines = []
    for one in losses_of(treated):
        told = [one.does]
        if one.groups is not None:
            told.append(counted(one.groups, "group"))
        if one.lost is not None:
            told.append(f"{percent(one.lost)} of the variance is lost")
        if one.emptied:
            told.append(
                f"{counted(one.emptied, 'value')} left out, because too few records share them"
            )
        lines.append(f"Treated before release: {one.column}, {'; '.join(told)}.")
    return [*lines, *_caution(treated)]


def treatment_notes(treated: Sequence[TreatedValues]) -> list[str]:
    """Describe the treatments, with the loss in coarse steps, for the readers of the report."""
    notes = []
    for one in losses_of(treated):
        lost = ""
        if one.lost is not None:
            lost = f" About {percent(coarse(min(one.lost, 1.0)))} of its variance is lost."
        notes.append(f"{one.column} was treated before release: {one.does}.{lost}")
    return [*notes, *_caution(treated)]


def _caution(treated: Sequence[TreatedValues]) -> list[str]:
    """Name the attacks against which the groups do not protect."""
    groups = [one.treatment for one in treated if isinstance(one.treatment, Microaggregation)]
    told = []
    over_table = [column for one in groups if one.within == "table" for column in one.columns]
    if over_table:
        told.append(
            f"Records from different groups can share a treated value of {listed(over_table)}. "
            "An attacker who also knows the quasi-identifiers may still find a single record, as "
            "counted above."
        )
    parted = [one for one in groups if one.within == "classes" and one.groups == "mdav"]
    if len(parted) > 1:
        told.append(
            "If several columns are treated separately within groups, their values "
            "together may single out a record. This does not happen if the columns are treated "
            "together, or have one treated value per group."
        )
    if statistics := {one.function for one in groups} - {"interval"}:
        told.append(
            "A treated value protects only against attackers with little knowledge. An attacker "
            "who knows all values of a group except one can compute this value. If the values of a "
            "group are similar, the treated value reveals them."
        )
        if statistics - {"mean"}:
            told.append("A median or a mode can be the exact value of a record.")
    return told
