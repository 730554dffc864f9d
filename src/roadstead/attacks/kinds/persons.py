"""Linkage of persons: who knows one, two, three or all rows of a person looks for the person.

Where the release links rows by pseudonyms, a pseudonym fits if it has a row for each row that is
known, alike ones as often; who knows all rows also knows how many there are. One of the pseudonyms
that fit is picked, and is right with one in their number. Where rows are not linked, several known
rows cannot be looked for together: the best of them is taken, the one that the rows of the fewest
persons fit. Nobody outside can count persons then, so what is found is the most that can be.

The release promises that at least k persons fit, of whom up to so many rows are known as the policy
says; more rows than that are held against nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from roadstead.attacks.finding import (
    NOTHING,
    Findings,
    HeldAgainst,
    above_guessing,
    finding,
    not_tried,
    promise,
)
from roadstead.attacks.matching.persons import RowsOfPersons, ShownPersons
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.release.evidence import CertifiedAttack, Need


class PersonLinkage:
    """With m rows known of each person."""

    name: ClassVar = "persons"
    needs: ClassVar[tuple[Need, ...]] = ("original",)

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Try one, two, three and all rows."""
        release = target.release
        policy = release.policy
        rules = None if policy is None else policy.persons
        if policy is None or rules is None:
            return not_tried(self.name, "the release counts each record as a person of its own")
        people = target.people
        if rules.column not in people.attributes:
            return not_tried(self.name, "the original lacks the column that says whose records are")
        known = [n for n in settings.known or release.quasi if n in people.attributes]
        if not known:
            return not_tried(self.name, "the people have none of the columns that are known")
        chance = settings.chance(self.name)
        rows = RowsOfPersons(people, rules.column)
        chosen = chance.permutation(rows.persons)[: settings.attempts]
        shown = ShownPersons(target, rules.column, known)
        found = []
        for number in (1, 2, 3, "all"):
            drawn = [rows.some(int(person), number, chance) for person in chosen]
            right = float(shown.right(drawn, whole=number == "all").sum())
            found.append(self._found(target, known, number, (right, chosen.size), shown.persons))
        return Findings(tuple(found))

    def _found(
        self,
        target: Target,
        known: Sequence[str],
        number: int | str,
        right: tuple[float, int],
        persons: int,
    ) -> CertifiedAttack:
        return finding(
            self.name,
            {"known": tuple(known), "rows": number, "linked": target.release.linked_by is not None},
            right,
            (right[1] / max(persons, 1), right[1]),
            _held(target, known, number),
            needs=self.needs,
            interval=above_guessing(right, 1.0 / max(persons, 1)),
        )


def _held(target: Target, known: Sequence[str], number: int | str) -> HeldAgainst:
    """Hold against the promise for so many rows, if there is one."""
    release = target.release
    if not {*known} <= {*release.quasi}:
        return NOTHING
    for model in release.models:
        if isinstance(model, PersonAnonymity):
            most = model.knows
            linked = release.linked_by is not None
            # Who knows several rows that nobody can link has the best of them alone.
            inside = (
                not linked or number == most or (most != "all" and number in range(1, most + 1))
            )
            return promise(1.0 / model.k) if inside else NOTHING
    return NOTHING
