"""Linkability: two lists have different columns of the same people, and the release joins them.

The second of the three of the Article 29 Working Party (WP 216), tried as Giomi et al. do (PoPETs
2023, section 4.3). One list has one half of the columns that are known of a person, the other list
the other half. The attacker looks for the released records nearest to each half, picks one of each,
and says that both halves are of one person where it is the same record. That is right by chance
where few records are near. Guessing is to pick two released records; with records held out, it is
the same tried on these.

Where each class has at least k records, each half has as many near it, so both picks are the same
in at most 1/k of all cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.finding import NOTHING, Findings, above_guessing, finding, not_tried, promise
from roadstead.attacks.matching.candidates import (
    ShownClasses,
    known_columns,
    nearest,
    shown_classes,
    weighed,
)
from roadstead.attacks.matching.control import control_group, held_of_private
from roadstead.attacks.matching.known_people import KnownPeople, drawn
from roadstead.attacks.matching.truth import masked_rows
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.release.evidence import Knowledge, Need

_LEAST = 2


class Linkability:
    """Of two halves of the known columns."""

    name: ClassVar = "linkability"
    needs: ClassVar[tuple[Need, ...]] = ("original",)

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Try the halves of what is known."""
        release = target.release
        chance = settings.chance(self.name)
        known = [n for n in settings.known or release.quasi if n in target.people.attributes]
        if len(known) < _LEAST:
            return not_tried(self.name, "fewer than two known columns are released")
        one, other = tuple(known[::2]), tuple(known[1::2])
        people = drawn(target.people, target.truth, settings.attempts, chance)
        right = _joined(release, people, one, other)
        control = control_group(target, settings, chance)
        records = release.rows.records
        base, needs, knowledge = (
            (right.size / records, right.size),
            self.needs,
            _halves(one, other),
        )
        if control is not None and {*known} <= {*control.attributes}:
            outside = _joined(release, control, one, other)
            base = (float(outside.sum()), outside.size)
            needs, knowledge = (*needs, "held-out"), {**knowledge, "control": "held-out"}
        held = NOTHING
        if release.promised is not None and {*known} <= {*release.quasi}:
            held = promise(release.promised)
        elif "held-out" in needs:
            held = held_of_private(release, base)
        return Findings(
            (
                finding(
                    self.name,
                    knowledge,
                    (float(right.sum()), right.size),
                    base,
                    held,
                    needs=needs,
                    interval=None
                    if "held-out" in needs
                    else above_guessing((float(right.sum()), right.size), 1.0 / records),
                ),
            )
        )


def _halves(one: Sequence[str], other: Sequence[str]) -> Knowledge:
    return {"known": tuple(one), "known_elsewhere": tuple(other)}


def _joined(
    release: AttackedRelease, people: KnownPeople, one: Sequence[str], other: Sequence[str]
) -> NDArray[np.float64]:
    """Give the probability that the records picked for both halves are the same."""
    both = shown_classes(release, (*one, *other), masked_rows(release))
    right = np.zeros(people.number)
    if not both.number:
        return right
    columns = known_columns(release, people, both.names)
    halves = (_part(both, one), _part(both, other))
    ways = (nearest(columns, people, half) for half in halves)
    for (block, fits), (_, also) in zip(*ways, strict=True):
        sizes = weighed(fits, both.counts) * weighed(also, both.counts)
        right[block] = weighed(fits & also, both.counts) / np.maximum(sizes, 1.0)
    return right


def _part(classes: ShownClasses, names: Sequence[str]) -> ShownClasses:
    """Compare classes by some of their columns."""
    codes = tuple(classes.codes[classes.names.index(name)] for name in names)
    return ShownClasses(tuple(names), codes, classes.of_row, classes.counts)
