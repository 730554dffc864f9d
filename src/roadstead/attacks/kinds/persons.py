"""Find people in a release if an attacker knows one, two, three, or all of their rows.

Suppose that pseudonyms link the rows of a person. Then a pseudonym matches the person if each known
row matches a row of this pseudonym. If the attacker knows several identical rows, the pseudonym
must have at least as many matching rows. An attacker who knows all rows also knows how many rows
the person has. Without pseudonyms, the attacker uses the known row that matches the fewest people,
and the result is an upper bound. If the attacker knows at most as many rows as the policy assumes,
the limit is 1/k. The attack is repeated with each other released column as an additional known
column, and with as many rows as the policy assumes. The requirement does not cover these columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

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
from roadstead.attacks.matching.candidates import fitting, known_columns, shown_classes
from roadstead.attacks.matching.known_people import KnownPeople
from roadstead.attacks.matching.truth import masked_rows
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.privacy.models.person_anonymity import PersonAnonymity
from roadstead.release.evidence import CertifiedAttack, Need
from roadstead.tables.frequency import FrequencyTable

Integers = NDArray[np.int64]
_MOST_ROWS = 64
"""The largest number of different rows that are compared."""


class PersonLinkage:
    """Find people if the attacker knows m rows of each person."""

    name: ClassVar = "persons"
    needs: ClassVar[tuple[Need, ...]] = ("original",)

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Run the attack with one, two, three, and all known rows."""
        release = target.release
        policy = release.policy
        rules = None if policy is None else policy.persons
        if policy is None or rules is None:
            return not_tried(self.name, "the release counts each record as a different person")
        people = target.people
        if rules.column not in people.attributes:
            return not_tried(self.name, "the original lacks the person ID column")
        known = [n for n in settings.known or release.quasi if n in people.attributes]
        if not known:
            return not_tried(self.name, "the table of people has none of the known columns")
        chance = settings.chance(self.name)
        rows = RowsOfPersons(people, rules.column)
        chosen = chance.permutation(rows.persons)[: settings.attempts]
        shown = ShownPersons(target, rules.column, known)
        if not shown.classes:
            return not_tried(self.name, "every released record shows * in all known columns")
        found = []
        for number in (1, 2, 3, "all"):
            drawn = [rows.some(int(person), number, chance) for person in chosen]
            right = float(shown.right(drawn, whole=number == "all").sum())
            found.append(self._found(target, known, number, (right, chosen.size), shown.persons))
        further = (n for n in (*release.others, *release.sensitive) if n in people.attributes)
        number = policy.rows_known
        for name in further:
            if name in (*known, rules.column):
                continue
            more = ShownPersons(target, rules.column, [*known, name])
            drawn = [rows.some(int(person), number, chance) for person in chosen]
            right = float(more.right(drawn, whole=number == "all").sum())
            one = self._found(target, [*known, name], number, (right, chosen.size), more.persons)
            found.append(with_reach(one, release.quasi, release.promised or USUAL_RISK))
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
    """Return the limit for this number of known rows, if there is one."""
    release = target.release
    if not {*known} <= {*release.quasi}:
        return NOTHING
    for model in release.models:
        if isinstance(model, PersonAnonymity):
            most = model.knows
            linked = release.linked_by is not None
            # If an attacker knows several rows that cannot be linked, only the best row is useful.
            inside = (
                not linked or number == most or (most != "all" and number in range(1, most + 1))
            )
            return promise(1.0 / model.k) if inside else NOTHING
    return NOTHING


class RowsOfPersons:
    """The distinct rows of a table, grouped by person."""

    def __init__(self, people: FrequencyTable, column: str) -> None:
        owner = people.codes[people.attributes.index(column)]
        self._order = np.argsort(owner, kind="stable").astype(np.int64)
        self.persons = len(people.domains[people.attributes.index(column)])
        self._starts = np.searchsorted(owner[self._order], np.arange(self.persons + 1))
        self._counts = people.counts

    def some(self, person: int, number: int | str, chance: np.random.Generator) -> Integers:
        """Draw rows of a person. A row that represents n records can be drawn n times."""
        own = self._order[self._starts[person] : self._starts[person + 1]]
        own = np.repeat(own, self._counts[own])
        if number == "all":
            return own
        return chance.permutation(own)[: int(number)]


class ShownPersons:
    """The people in a release, with the number of rows that each person has in each class.

    If the release has pseudonyms, each pseudonym counts as one person. Otherwise, only the judge
    can count the people in each class.
    """

    def __init__(self, target: Target, column: str, known: Sequence[str]) -> None:
        from scipy.sparse import coo_array  # noqa: PLC0415 - takes long to load

        release = target.release
        self._known, self._release = known, release
        self._linked = release.linked_by is not None
        self._people, self._truth = target.people, target.truth
        self._classes = shown_classes(release, known, masked_rows(release))
        self.classes = self._classes.number
        table = release.rows if self._linked else self._people
        owner = table.codes[table.attributes.index(column)].astype(np.int64)
        of_row = self._classes.of_row
        place = of_row if self._linked else self._classes.of(self._truth)
        counts, inside = table.counts, place >= 0
        size = (max(self._classes.number, 1), int(owner.max(initial=0)) + 1)
        entries = counts[inside].astype(np.int64), (place[inside], owner[inside])
        self._has = coo_array(entries, shape=size).tocsr()
        self._rows_of = np.bincount(owner, weights=counts, minlength=size[1]).astype(np.int64)
        self.persons = int(np.unique(owner[inside]).size)

    def right(self, known: Sequence[Integers], *, whole: bool) -> NDArray[np.float64]:
        """Return the probability that a pick among the matching people is the right person.

        `known` lists the known rows of each person, and can contain a row several times. If `whole`
        is true, the attacker knows that the list contains all rows of the person.
        """
        every = np.unique(np.concatenate(known))
        fitted, alike = self._fitted(every)
        found = []
        for own in known:
            places = np.searchsorted(every, own)
            if not self._linked:
                found.append(self._best(places, own, fitted))
                continue
            fit = self._together(places, own, fitted, alike)
            if whole and (same := fit[self._rows_of[fit] == own.size]).size:
                fit = same
            found.append(1.0 / fit.size if fit.size else 0.0)
        return np.array(found)

    def _fitted(self, every: Integers) -> tuple[Any, Integers]:
        """For each known row, count the matching rows of each person, in shape ``(rows, persons)``.

        Known rows that match the same classes look identical in the release and therefore get the
        same number. A matching person must have at least as many rows with this number.
        """
        from scipy.sparse import csr_array, vstack  # noqa: PLC0415 - takes long to load

        table = self._people
        at = [table.attributes.index(name) for name in self._known]
        people = KnownPeople(
            tuple(self._known),
            tuple(table.domains[one] for one in at),
            tuple(table.codes[one][every] for one in at),
            self._truth[every],
        )
        columns = known_columns(self._release, people, self._known)
        blocks = (one for _, one in fitting(columns, people, self._classes))
        parts = [csr_array(one.astype(np.int64)) for one in blocks]
        fits = vstack(parts).tocsr()
        # If the classes differ, the sums of random numbers almost certainly differ too.
        marks = np.random.default_rng(0).integers(1 << 40, size=max(self._classes.number, 1))
        found = (fits @ self._has).tocsr()
        found.sort_indices()
        return found, fits @ marks

    def _together(
        self,
        places: Integers,
        own: Integers,
        fitted: Any,  # noqa: ANN401 - a sparse matrix of SciPy
        alike: Integers,
    ) -> Integers:
        """Return the pseudonyms that match all known rows, or nothing if a row is not released."""
        left = np.zeros(0, dtype=np.int64)
        if (self._truth[own] < 0).any():
            return left
        _, first, times = np.unique(alike[places], return_index=True, return_counts=True)
        each = places[first[:_MOST_ROWS]]
        for at, (place, often) in enumerate(zip(each, times, strict=False)):
            begin, end = fitted.indptr[place], fitted.indptr[place + 1]
            persons = fitted.indices[begin:end][fitted.data[begin:end] >= often]
            left = left[np.isin(left, persons, assume_unique=True)] if at else persons
        return left

    def _best(
        self,
        places: Integers,
        own: Integers,
        fitted: Any,  # noqa: ANN401 - a sparse matrix of SciPy
    ) -> float:
        """Return the probability of a correct pick if the attacker uses the best known row."""
        there = places[self._truth[own] >= 0]
        if not there.size:
            return 0.0
        return 1.0 / max(int(np.diff(fitted.indptr)[there].min()), 1)
