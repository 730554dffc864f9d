"""Find a person's record by the values of some known columns (linkage).

The attacked people are taken from a register, or from the original if there is no register. The
attack has three variants. *Exact*: the attacker picks one of the matching records. *Policy*: if
classes overlap, the attacker considers only the class to which the policy assigns the known values.
*Nearest*: some known values are wrong, and the attacker picks one of the nearest records. A pick
among n records is correct with probability 1/n. If no record matches, the attacker picks a record
whose quasi-identifiers are all suppressed.

If only a share of the people are in the release, the limit is multiplied by this share. The attack
is repeated with every other released column as an additional known column. If the attacker knows
only such a column, the success rate must not exceed the limit. If the attacker knows the column and
the quasi-identifiers, the success rate is compared with the limit only if the column looks like an
identifier. Success rates for sensitive columns are only reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.finding import (
    NOTHING,
    USUAL_RISK,
    Findings,
    HeldAgainst,
    above_guessing,
    finding,
    not_tried,
    promise,
    with_reach,
)
from roadstead.attacks.matching.candidates import (
    ShownClasses,
    fitting,
    known_columns,
    nearest,
    placed,
    shown_classes,
    weighed,
)
from roadstead.attacks.matching.known_people import KnownPeople, with_errors
from roadstead.attacks.matching.register import people_known
from roadstead.attacks.matching.truth import masked_rows
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.policies.document import Policy
from roadstead.release.evidence import CertifiedAttack, Need

_FEWER = 4
"""In attacks with an additional column, the number of attacked people is divided by this number."""


class Linkage:
    """Find people's records by the values of known columns."""

    name: ClassVar = "linkage"
    needs: ClassVar[tuple[Need, ...]] = ()

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Attack with the known columns, and then with every other released column."""
        release = target.release
        if release.private is not None:
            why = "records of a private release do not belong to people"
            if release.delta:
                why = (
                    "no one knows whose records were sampled, and each record is identical to "
                    "many others"
                )
            return not_tried(self.name, why)
        if not {"original", "register"} & target.has:
            return not_tried(self.name, "the attack requires the original table or a register")
        chance = settings.chance(self.name)
        people = people_known(target, settings, chance)
        known = [n for n in settings.known or release.quasi if n in people.attributes]
        if not known:
            return not_tried(self.name, "the table of people has none of the known columns")
        if not (people.rows >= 0).any():
            return not_tried(self.name, "none of the known people is in the release")
        held = held_of(release, known)
        found = [self._exact(target, settings, people, known, held)]
        policy = release.policy
        if policy is not None and policy.recoding is not None and {*known} == {*policy.quasi}:
            found.append(self._exact(target, settings, people, known, held, by=policy))
        if settings.errors > 0:
            wrong = with_errors(people, known, settings.errors, chance)
            found.append(self._nearest(target, settings, wrong, known, held))
        return Findings((*found, *self._further(target, settings, people, known)))

    def _exact(
        self,
        target: Target,
        settings: AttackSettings,
        people: KnownPeople,
        known: Sequence[str],
        held: HeldAgainst,
        by: Policy | None = None,
    ) -> CertifiedAttack:
        release = target.release
        aside = masked_rows(release) if set(known) & set(release.quasi) else None
        classes = shown_classes(release, known, aside)
        right = np.zeros(people.number)
        truth = classes.of(people.rows)
        columns = known_columns(release, people, known)
        found = (
            fitting(columns, people, classes)
            if by is None
            else placed(release, by, people, classes)
        )
        for block, fits in found:
            right[block] = _right(fits, classes, truth[block])
            if aside is not None and aside.any():
                lost = ~fits.any(axis=1) & (people.rows[block] >= 0) & (truth[block] < 0)
                right[block][lost] = 1.0 / int(release.rows.counts[aside].sum())
        matching = "exact" if by is None else "policy"
        return self._found(target, settings, people, known, right, held, matching=matching)

    def _nearest(
        self,
        target: Target,
        settings: AttackSettings,
        people: KnownPeople,
        known: Sequence[str],
        held: HeldAgainst,
    ) -> CertifiedAttack:
        classes = shown_classes(target.release, known, masked_rows(target.release))
        right = np.zeros(people.number)
        truth = classes.of(people.rows)
        columns = known_columns(target.release, people, known)
        for block, fits in nearest(columns, people, classes) if classes.number else ():
            right[block] = _right(fits, classes, truth[block])
        return self._found(
            target, settings, people, known, right, held, matching="nearest", errors=settings.errors
        )

    def _found(
        self,
        target: Target,
        settings: AttackSettings,
        people: KnownPeople,
        known: Sequence[str],
        right: NDArray[np.float64],
        held: HeldAgainst,
        **how: str | float,
    ) -> CertifiedAttack:
        there = int(np.count_nonzero(people.rows >= 0))
        of_attack = (float(right.sum()), people.number)
        guessing = there / target.release.rows.records
        registered = target.register is not None
        if not registered and settings.overlap < 1.0:
            how["overlap"] = settings.overlap
        if held.allowed is not None:  # Only people who are in the release can be linked.
            there_of_all = there / people.number
            held = promise(held.allowed * there_of_all, held.tolerance * there_of_all)
            if held_of(target.release, known) is NOTHING:
                how["bound"] = "usual"
        needs: tuple[Need, ...] = ("register",) if registered else ()
        return finding(
            self.name,
            {"known": tuple(known), **how},
            of_attack,
            (guessing, people.number),
            held,
            needs=(*needs, *(("original",) if target.original is not None else ())),
            interval=above_guessing(of_attack, guessing / people.number),
        )

    def _further(
        self,
        target: Target,
        settings: AttackSettings,
        people: KnownPeople,
        known: Sequence[str],
    ) -> Iterator[CertifiedAttack]:
        release = target.release
        few = people.first(max(1, people.number // _FEWER))
        for name in (*release.others, *release.sensitive):
            if name in known or name not in people.attributes:
                continue
            secret = name in release.sensitive
            by_itself = promise(release.promised or USUAL_RISK)
            alone = self._exact(target, settings, people, [name], NOTHING if secret else by_itself)
            looks = not secret and name in release.look_known
            held = by_itself if looks else NOTHING
            both = self._exact(target, settings, few, [*known, name], held)
            allowed = release.promised or USUAL_RISK
            yield from (with_reach(one, release.quasi, allowed) for one in (alone, both))


def held_of(release: AttackedRelease, known: Sequence[str]) -> HeldAgainst:
    """Return the limit that covers the known columns, if there is one."""
    if release.promised is None or not set(known) <= set(release.quasi):
        return NOTHING
    return promise(release.promised)


def _right(
    fits: NDArray[np.bool_], classes: ShownClasses, truth: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the probability that a pick among the matching records is the person's record."""
    if not classes.number:  # every released record shows * in all known columns
        return np.zeros(truth.size)
    sizes = weighed(fits, classes.counts)
    inside = (truth >= 0) & fits[np.arange(truth.size), np.maximum(truth, 0)]
    return np.where(inside, 1.0 / np.maximum(sizes, 1.0), 0.0)
