"""Compare two releases to learn who was added or removed (differencing).

Even if each class of both releases meets its requirements, a class of the later release may have
only one new record. The attacker knows the quasi-identifiers of a person who was added or removed.
The attacker compares both releases. From the records in the person's class, the attacker picks a
record that is in only one of the releases. If there are n such records, the pick is correct with
probability 1/n. The baseline picks any record in the class. The attack examines all records of two
releases with the same policy. For different policies, see `roadstead.attacks.kinds.intersection`.

The success rate is an average, and large classes can hide a class with one new record. So the
attack also counts the classes with fewer than k new records, as the ledger does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil
from typing import ClassVar

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.finding import (
    NONE_AT_ALL,
    NOTHING,
    Findings,
    finding,
    not_tried,
    promise,
)
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.policies.document import SUPPRESSED
from roadstead.release.evidence import CertifiedAttack, Need
from roadstead.release.ledger.differences import same_rules

Rows = Counter[tuple[tuple[str, ...], tuple[str, ...]]]
"""The number of records with each combination of labels and of other cells."""
_DIGITS = 9
"""The number of digits to which 1/(1/k) is rounded, so that the result is k."""


class Differencing:
    """Compare the classes of two releases that have the same policy."""

    name: ClassVar = "differencing"
    needs: ClassVar[tuple[Need, ...]] = ("second-release",)

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:  # noqa: ARG002 - no randomness
        """Find records that are in only one of the two releases."""
        one, other = target.release, target.second
        assert other is not None  # noqa: S101 - the attack requires it
        if one.policy is None or other.policy is None:
            return not_tried(self.name, "noisy counts differ even if the records are the same")
        if not same_rules(one.policy, other.policy):
            return not_tried(self.name, "the two releases have different policies")
        others = [n for n in (*one.sensitive, *one.others) if n in other.rows.attributes]
        mine, theirs = (rows_of(own, one.policy.quasi, others) for own in (one, other))
        if not mine & theirs:
            return not_tried(self.name, "the two releases have no record in common")
        found = [
            result
            for here, there, which in ((theirs, mine, "second"), (mine, theirs, "first"))
            if here - there
            for result in self._found(here - there, here, one.promised, which)
        ]
        if not found:
            return not_tried(self.name, "the two releases have the same records")
        return Findings(tuple(found))

    def _found(
        self, only: Rows, whole: Rows, promised: float | None, which: str
    ) -> Iterator[CertifiedAttack]:
        new, sizes = _by_class(only), _by_class(whole)
        number = sum(new.values())
        guessing = sum(count / sizes[labels] for labels, count in new.items())
        if promised is not None:
            least = ceil(round(1.0 / promised, _DIGITS))
            small = sum(count < least for count in new.values())
            yield finding(
                self.name,
                {"only_in": which, "looks_for": "small-groups", "least": least},
                (small, len(new)),
                (0, len(new)),
                NONE_AT_ALL,
                needs=("second-release",),
                counted=True,
            )
        yield finding(
            self.name,
            {"only_in": which, "classes": len(new)},
            (len(new), number),
            (guessing, number),
            NOTHING if promised is None else promise(promised),
            needs=("second-release",),
            counted=True,
        )


def rows_of(release: AttackedRelease, quasi: Sequence[str], others: Sequence[str]) -> Rows:
    """Count the records in a release, excluding the suppressed records."""
    table = release.rows.project((*quasi, *others))
    hidden = (SUPPRESSED,) * len(quasi)
    own = None if release.policy is None else release.policy.recoding
    suppressed = own is None or hidden not in own.shown  # otherwise, the records are in a class
    found: Rows = Counter()
    for row, count in zip(table.texts(), table.counts.tolist(), strict=True):
        labels = row[: len(quasi)]
        if labels != hidden or not suppressed:
            found[labels, row[len(quasi) :]] += count
    return found


def _by_class(rows: Rows) -> Counter[tuple[str, ...]]:
    found: Counter[tuple[str, ...]] = Counter()
    for (labels, _), count in rows.items():
        found[labels] += count
    return found
