"""Scan: all of a release is looked at for what should not be in it; no chance, and no people.

*Small classes*: records whose class is smaller than what was promised, by persons where rows are
linked. One such class among thousands is found, which a sample of people would miss.

*Leftover identifiers*: released columns that by name and content look like an identifier. One that
was released by name, against the rule, is said by the release itself, and shown only.

*Shifted dates*: whoever knows the first and the last day of an extract rules shifts out that would
put a date beyond them. Where records near the ends are not left out, a person who was there early
or late is left with few shifts, or one. Guessing is one in all shifts that can happen.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.finding import NOTHING, Findings, finding, not_tried, promise
from roadstead.attacks.matching.candidates import shown_classes
from roadstead.attacks.matching.shifts import shifts_left
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.release.evidence import CertifiedAttack, Need
from roadstead.tables.identifiers.judgment import examine

_SLACK = 1e-6


class Scan:
    """For small classes, leftover identifiers, and dates that tell their shift."""

    name: ClassVar = "scan"
    needs: ClassVar[tuple[Need, ...]] = ()

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:  # noqa: ARG002 - all is looked at, whatever is asked
        """Look at all of it."""
        if target.release.private is not None:
            why = "the groups of a private release have noise for a size"
            if target.release.delta:
                why = "verify checks the least class, and each column has public values alone"
            return not_tried(self.name, why)
        classes = tuple(self._small_classes(target))
        return Findings((*classes, *self._identifiers(target))) + self._shifts(target)

    def _small_classes(self, target: Target) -> Iterator[CertifiedAttack]:
        release = target.release
        if release.promised is None:
            return
        least = ceil(1.0 / release.promised - _SLACK)
        rows = release.rows
        classes = shown_classes(release, release.quasi)
        if release.linked_by is None:
            sizes = classes.counts
        else:
            owner = rows.codes[rows.attributes.index(release.linked_by)].astype(np.int64)
            pairs = np.unique(classes.of_row * (int(owner.max()) + 1) + owner)
            sizes = np.bincount(pairs // (int(owner.max()) + 1), minlength=classes.number)
        persons = any(isinstance(model, PersonAnonymity) for model in release.models)
        small = int(classes.counts[sizes < least].sum())
        unit = "persons" if persons and release.linked_by is not None else "records"
        yield finding(
            self.name,
            {"looks_for": "small-classes", "known": release.quasi, "least": least, "of": unit},
            (small, rows.records),
            (0, rows.records),
            promise(0.0),
            counted=True,
        )

    def _identifiers(self, target: Target) -> Iterator[CertifiedAttack]:
        release = target.release
        policy = release.policy
        assert policy is not None  # noqa: S101 - it is not private
        others = (*release.others, *release.sensitive)
        if not others:
            return
        judged = examine(release.source, others).judgments
        found = tuple(name for name in others if judged[name].role == "identifying")
        forced = tuple(name for name in found if name in policy.columns.forced)
        unlisted = tuple(name for name in found if name not in forced)
        for columns, held in ((unlisted, promise(0.0)), (forced, NOTHING)):
            if columns or held is not NOTHING:
                yield finding(
                    self.name,
                    {"looks_for": "identifiers", "columns": columns},
                    (len(columns), len(others)),
                    (0, len(others)),
                    held,
                    counted=True,
                )

    def _shifts(self, target: Target) -> Findings:
        policy = target.release.policy
        rules = None if policy is None else policy.persons
        if rules is None or rules.shift is None:
            return Findings()
        if target.original is None:
            return not_tried(self.name, "the ends of the dates need the original")
        left, every = shifts_left(target, rules)
        if not left.size:
            return not_tried(self.name, "no shifted date is released that can be read")
        base = left.size / every
        return Findings(
            (
                finding(
                    self.name,
                    {"looks_for": "shifts", "shifts": every},
                    (_sum(1.0 / left), left.size),
                    (base, left.size),
                    promise(1.0 / every),
                    needs=("original",),
                    counted=True,
                ),
            )
        )


def _sum(one: NDArray[np.float64]) -> float:
    return float(one.sum())
