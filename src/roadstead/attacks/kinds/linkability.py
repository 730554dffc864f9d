"""Use the release to join two lists with different columns about the same people.

Linkability is the second risk that the Article 29 Working Party describes (WP 216). The test
follows Giomi et al. (PoPETs 2023, section 4.3). Each list has half of the known columns. The
attacker takes one entry from each list. For each of the two entries, the attacker picks one of the
nearest released records. If both picks are the same record, the attacker claims that both entries
belong to one person. If the attack has held-out records, the baseline is the same attack on the
held-out records. Otherwise, the baseline picks two released records at random. The limit is 1/k.
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
    """Join two lists that each have half of the known columns."""

    name: ClassVar = "linkability"
    needs: ClassVar[tuple[Need, ...]] = ("original",)

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Split the known columns into two halves, and join them."""
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
    """Return the probability that the records picked for both halves are the same."""
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
    """Return the same classes with only some of their columns."""
    codes = tuple(classes.codes[classes.names.index(name)] for name in names)
    return ShownClasses(tuple(names), codes, classes.of_row, classes.counts)
