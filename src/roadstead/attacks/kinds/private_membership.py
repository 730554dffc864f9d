"""Guess whether a private release counts a person's record.

The attacker compares the noisy count of the person's group with the count that the attacker expects
from other people of the same kind. In a generalized sample, the group is a class. If the noisy
count is higher than expected, the person is more likely to be a member. Members are original
records, and non-members are held-out records. Epsilon limits the probability of a correct guess to
e^epsilon / (1 + e^epsilon). In a release for general use, the attacker uses margins instead of
groups (`roadstead.attacks.membership.margins`). The attack is only a weak test of a mechanism. For
a stronger test, use `roadstead.attacks.membership.audit`.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.finding import Findings, finding, not_tried
from roadstead.attacks.membership.groups import places_in_groups
from roadstead.attacks.membership.margins import guessed_by_margins
from roadstead.attacks.membership.scores import (
    LEAST,
    NEEDS,
    allowed_by,
    by_scores,
)
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.release.evidence import Need
from roadstead.release.private.tables import PrivateRelease
from roadstead.tables.frequency import FrequencyTable

_NOWHERE = -1
_HALF = 0.5


class PrivateMembership:
    """Guess membership from the noisy counts in one release."""

    name: ClassVar = "private-membership"
    needs: ClassVar[tuple[Need, ...]] = ("original", "held-out")

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Guess for each person whether the release counts the person."""
        private, epsilon = target.release.private, target.release.epsilon
        if private is None or epsilon is None:
            return not_tried(self.name, "the release is not differentially private")
        assert target.held_out is not None  # noqa: S101 - the attack requires it
        chance = settings.chance(self.name)
        if private.for_every_use:
            return self._by_margins(target, private, epsilon, settings, chance)
        cells = []
        for people in (target.people, target.rows_of(target.held_out)):
            own = _cells(private, people)
            if own is None:
                return not_tried(
                    self.name, "a column that defines the groups contains sets, or is missing"
                )
            cells.append(np.repeat(own, people.counts))
        members, others = cells
        # Half of the non-members are used only for estimating the expected counts.
        aside = chance.random(others.size) < _HALF
        expected = np.bincount(others[aside] + 1, minlength=private.listed.noisy.size + 1)[1:]
        noisy = private.listed.noisy.reshape(-1).astype(np.float64)
        scale = noisy.sum() / max(int(expected.sum()), 1)
        surplus = np.append((noisy - scale * expected) / np.sqrt(scale * expected + 1.0), 0.0)
        return by_scores(
            self.name,
            {"by": "counts", "epsilon": epsilon},
            _some(surplus[members], settings, chance),
            _some(surplus[others[~aside]], settings, chance),
            allowed_by(epsilon, private.certificate.delta),
            chance,
        )

    def _by_margins(
        self,
        target: Target,
        private: PrivateRelease,
        epsilon: float,
        settings: AttackSettings,
        chance: np.random.Generator,
    ) -> Findings:
        """Guess from all margins if the attacker knows all other records."""
        assert target.held_out is not None  # noqa: S101 - the attack requires it
        if private.certificate.privacy_unit.persons:
            return not_tried(self.name, "the counted rows of each person were chosen at random")
        tables = (target.people, target.rows_of(target.held_out))
        columns = {*target.release.rows.attributes}
        if not all(columns <= {*one.attributes} for one in tables):
            return not_tried(self.name, "a column of the release is missing")
        guesses = guessed_by_margins(
            target.release.folder, private, tables, settings.attempts, chance
        )
        if guesses is None:
            why = (
                f"fewer than {LEAST} records are in the release, or fewer than {LEAST} records "
                "are outside it"
            )
            return not_tried(self.name, why)
        found = finding(
            self.name,
            {"by": "margins", "epsilon": epsilon},
            (guesses.right, guesses.judged),
            (guesses.judged / 2, guesses.judged),
            allowed_by(epsilon),
            needs=NEEDS,
            interval=(guesses.low - _HALF, guesses.high - _HALF),
        )
        return Findings((found,))


def _cells(private: PrivateRelease, people: FrequencyTable) -> NDArray[np.int64] | None:
    """Return the index of the count to which each row contributes, or -1."""
    groups = places_in_groups(private, people)
    if private.target is None:
        return groups
    if groups is None or private.target not in people.attributes:
        return None
    at = people.attributes.index(private.target)
    known = {name: code for code, name in enumerate(private.classes)}
    label = np.array([known.get(one, _NOWHERE) for one in people.domains[at]], dtype=np.int64)
    own = label[people.codes[at]]
    inside = (groups >= 0) & (own >= 0)
    return np.where(inside, groups * len(private.classes) + own, _NOWHERE)


def _some(
    scores: NDArray[np.float64], settings: AttackSettings, chance: np.random.Generator
) -> NDArray[np.float64]:
    most = min(scores.size, settings.attempts)
    return np.asarray(chance.choice(scores, size=most, replace=False))
