"""Combine two releases about the same people to learn more about each person (intersection).

A person belongs to one class in each release, and both classes show the person's values (Ganta,
Kasiviswanathan and Smith, Composition attacks and auxiliary information in data privacy, KDD 2008).
The attacker knows both policies and the quasi-identifiers of the person.

*record*: the attacker picks a record that occurs in both classes. Two records are treated as the
same record if they agree in all columns that both releases publish unchanged. The limit is 1/k,
where k belongs to the first release.

*value*: the attacker guesses the most likely sensitive value. By Bayes' theorem, the weight of a
value s is n(s) m(s) / N(s) if the two classes are independent given the value. The baseline uses
only the first class.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.finding import (
    GUESSING,
    NOTHING,
    Findings,
    HeldAgainst,
    finding,
    not_tried,
    promise,
)
from roadstead.attacks.kinds.differencing import rows_of
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.recodings.gain import likeliest
from roadstead.attacks.recodings.published import classes_of
from roadstead.attacks.target import Target
from roadstead.release.evidence import CertifiedAttack, Knowledge, Need
from roadstead.search.recoding.protocol import OUT
from roadstead.tables.frequency import FrequencyTable

Places = NDArray[np.int64]
Reals = NDArray[np.float64]


class Intersection:
    """Combine the two classes to which each person belongs."""

    name: ClassVar = "intersection"
    needs: ClassVar[tuple[Need, ...]] = ("original", "second-release")

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Guess records and sensitive values."""
        one, other = target.release, target.second
        assert other is not None  # noqa: S101 - the attack requires it
        if one.policy is None or other.policy is None:
            return not_tried(self.name, "noisy counts do not belong to a person")
        people = target.people
        if {*one.policy.quasi, *other.policy.quasi} - {*people.attributes}:
            why = (
                "a quasi-identifier of one of the two releases is missing from the original or "
                "from the first release"
            )
            return not_tried(self.name, why)
        both = {*other.sensitive, *other.others} & {*people.attributes}
        shared = [name for name in (*one.sensitive, *one.others) if name in both]
        if not shared:
            return not_tried(self.name, "no column is unchanged in both releases")
        placed = _placed(one, people), _placed(other, people)
        seen = np.flatnonzero((placed[0].rows != OUT) & (placed[1].rows != OUT))
        if not seen.size:
            return not_tried(self.name, "no one is in both releases")
        seen = np.repeat(seen, people.counts[seen])
        if seen.size > settings.attempts:
            chance = settings.chance(self.name)
            seen = np.sort(chance.choice(seen, size=settings.attempts, replace=False))
        held = NOTHING if one.promised is None else promise(one.promised)
        found = [self._records(people, placed, seen, shared, held)]
        secrets = settings.secrets or one.sensitive
        found += [self._values(people, placed, seen, name) for name in secrets if name in shared]
        return Findings(tuple(found))

    def _records(
        self,
        people: FrequencyTable,
        placed: tuple[_Placed, _Placed],
        seen: Places,
        shared: list[str],
        held: HeldAgainst,
    ) -> CertifiedAttack:
        numbers = _Numbers(people, shared)
        mine, theirs = (numbers.by_class(one) for one in placed)
        a, b = (one.rows[seen] for one in placed)
        own = numbers.of_people[seen]
        # A record occurs in both classes at most as often as in the class in which it is rarer.
        left = np.asarray(mine[a].minimum(theirs[b]).sum(axis=1)).ravel()
        # If the second class does not contain the person's values, the person is not in both
        # releases, so the guess fails.
        inside = theirs[b, own] > 0
        right = np.where(inside, 1.0 / np.maximum(left, 1.0), 0.0)
        guessing = 1.0 / np.asarray(mine.sum(axis=1)).ravel()[a]
        knowledge: Knowledge = {"goal": "record", "compared": tuple(shared)}
        return self._found(knowledge, right, guessing, held)

    def _values(
        self, people: FrequencyTable, placed: tuple[_Placed, _Placed], seen: Places, name: str
    ) -> CertifiedAttack:
        numbers = _Numbers(people, [name])
        mine, theirs = (
            numbers.by_class(one).toarray()[one.rows[seen]].astype(np.float64) for one in placed
        )
        whole = numbers.by_class(placed[0]).sum(axis=0)
        both = mine * theirs / np.maximum(whole, 1)
        apart = ~both.any(axis=1)
        both[apart] = mine[apart]
        own = np.arange(seen.size), numbers.of_people[seen]
        right, guessing = likeliest(both)[own], likeliest(mine)[own]
        knowledge: Knowledge = {"goal": "value", "column": name}
        return self._found(knowledge, right, guessing, GUESSING)

    def _found(
        self, knowledge: Knowledge, right: Reals, guessing: Reals, held: HeldAgainst
    ) -> CertifiedAttack:
        tried, base = (float(right.sum()), right.size), (float(guessing.sum()), right.size)
        needs: tuple[Need, ...] = ("original", "second-release")
        return finding(self.name, knowledge, tried, base, held, needs=needs)


@dataclass(frozen=True)
class _Placed:
    """The class of each person's row, and the labels of each class."""

    release: AttackedRelease
    rows: NDArray[np.int32] = field(repr=False)
    labels: tuple[tuple[str, ...], ...] = field(repr=False)


def _placed(release: AttackedRelease, people: FrequencyTable) -> _Placed:
    """Assign all people to the classes of a release, like an attacker who has the policy."""
    assert release.policy is not None  # noqa: S101 - checked before
    found = classes_of(release, release.policy, people)
    if found is None:
        return _Placed(release, np.full(people.distinct, OUT, dtype=np.int32), ())
    return _Placed(release, *found)


class _Numbers:
    """Number the combinations of values in columns that are released unchanged."""

    def __init__(self, people: FrequencyTable, columns: list[str]) -> None:
        self._columns = columns
        places = [people.attributes.index(name) for name in columns]
        texts = [[people.domains[at][code] for code in people.codes[at].tolist()] for at in places]
        self._known: dict[tuple[str, ...], int] = {}
        found = [self._number(row) for row in zip(*texts, strict=True)]
        self.of_people = np.array(found, dtype=np.int64)

    def _number(self, row: tuple[str, ...]) -> int:
        return self._known.setdefault(row, len(self._known))

    def by_class(self, placed: _Placed) -> Any:  # noqa: ANN401 - SciPy's own type, loaded inside
        """Count how often each known combination occurs in each class of a released table."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - takes long to load

        number = {labels: at for at, labels in enumerate(placed.labels)}
        policy = placed.release.policy
        assert policy is not None  # noqa: S101 - checked before
        counted = [
            (number[labels], self._known[others], count)
            for (labels, others), count in rows_of(
                placed.release, policy.quasi, self._columns
            ).items()
            if labels in number and others in self._known
        ]
        rows, columns, counts = np.array(counted, dtype=np.int64).reshape(-1, 3).T
        shape = (len(placed.labels), len(self._known))
        return csr_array((counts, (rows, columns)), shape=shape)
