"""Guess a person's value in one column from other columns (inference).

Inference is the third risk that the Article 29 Working Party describes (WP 216). The test follows
Giomi et al. (PoPETs 2023, section 4.4). The attacker picks one of the released records that are
nearest to the known values, and guesses the value in this record. A guessed number is correct if it
differs from the true number by at most 5%. A blank is not a value that an attacker learns, so
records with a blank are neither guessed nor counted. If there are held-out records, the baseline is
the same attack on people outside the release. Otherwise, the baseline picks any released record.
Only private releases have a limit for this attack (`roadstead.attacks.matching.control`).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.finding import Findings, finding, not_tried
from roadstead.attacks.matching.control import control_group, held_of_private
from roadstead.attacks.matching.known_people import KnownPeople, drawn
from roadstead.attacks.matching.secrets import (
    SecretColumn,
    said_of,
    secret_column,
    taken_for_right,
    with_a_value,
    without_blank_guesses,
)
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.release.evidence import Knowledge, Need


class Inference:
    """Guess that a person has the same value as the nearest released record."""

    name: ClassVar = "inference"
    needs: ClassVar[tuple[Need, ...]] = ("original",)

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Attack each sensitive column."""
        release = target.release
        chance = settings.chance(self.name)
        there = target.people.attributes
        known = [n for n in settings.known or release.quasi if n in there]
        wanted = settings.secrets or release.sensitive
        secrets = [n for n in wanted if n in there and n not in known]
        if not known or not secrets:
            return not_tried(
                self.name, "no sensitive column is in both the release and the original"
            )
        people = drawn(target.people, target.truth, settings.attempts, chance)
        control = control_group(target, settings, chance)
        found = Findings()
        for name in secrets:
            secret = secret_column(release, known, name)
            if secret is None:
                found += not_tried(self.name, f"{name} has too many values")
                continue
            found += self._of(release, without_blank_guesses(release, secret), people, control)
        return found

    def _of(
        self,
        release: AttackedRelease,
        secret: SecretColumn,
        people: KnownPeople,
        control: KnownPeople | None,
    ) -> Findings:
        everyone = people.number
        people = with_a_value(release, people, secret.name)
        if not people.number:
            return not_tried(self.name, f"{secret.name} has no value")
        wanted = {*secret.classes.names, secret.name}
        if control is not None and wanted <= {*control.attributes}:
            control = with_a_value(release, control, secret.name)
        right = _said_right(release, secret, people)
        base, held = _picked(secret, people), held_of_private(release, None)
        knowledge: Knowledge = {"known": secret.classes.names, "secret": secret.name}
        if people.number < everyone:
            knowledge["without_value"] = everyone - people.number
        needs: tuple[Need, ...] = self.needs
        if control is not None and wanted <= {*control.attributes} and control.number:
            base = _said_right(release, secret, control)
            held = held_of_private(release, (float(base.sum()), base.size))
            needs, knowledge = (*needs, "held-out"), {**knowledge, "control": "held-out"}
        one = finding(
            self.name,
            knowledge,
            (float(right.sum()), right.size),
            (float(base.sum()), base.size),
            held,
            needs=needs,
        )
        return Findings((one,))


def _said_right(
    release: AttackedRelease, secret: SecretColumn, people: KnownPeople
) -> NDArray[np.float64]:
    """Return the probability that the value in a randomly picked nearest record is correct."""
    right = np.zeros(people.number)
    near = taken_for_right(secret, people)
    own = people.of(secret.name)
    for block, said in said_of(release, secret, people, near=True):
        hits = (said * near[own[block]]).sum(axis=1)
        right[block] = hits / np.maximum(said.sum(axis=1), 1.0)
    return right


def _picked(secret: SecretColumn, people: KnownPeople) -> NDArray[np.float64]:
    """Return the probability that the value in a random released record is correct."""
    share = secret.margins / max(int(secret.margins.sum()), 1)
    found: NDArray[np.float64] = (taken_for_right(secret, people) @ share)[people.of(secret.name)]
    return found
