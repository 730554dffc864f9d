"""Guess a person's sensitive value from the matching records (attribute inference).

The attacker knows the quasi-identifiers of a person, and guesses the most frequent value among the
matching records. The baseline guesses the most frequent value in the whole release. A value is
*certain* if all matching records have the value (homogeneity, Machanavajjhala et al. 2007). If a
model limits the frequency of a value in a class, the attack is compared with this limit. If a model
requires several values per class, no value may be certain. In all other cases, the release cannot
fail, and the figure is only reported.

A blank is not a value that an attacker learns. So the attacker does not guess blanks, and people
with a blank are not counted, unless a model for the column counts blanks as values.
"""

from __future__ import annotations

from math import log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from roadstead.attacks.attacked_release import AttackedRelease
from roadstead.attacks.finding import (
    NONE_AT_ALL,
    NOTHING,
    Findings,
    HeldAgainst,
    above_guessing,
    finding,
    not_tried,
    promise,
)
from roadstead.attacks.matching.known_people import KnownPeople, drawn
from roadstead.attacks.matching.secrets import (
    SecretColumn,
    said_of,
    secret_column,
    truth_of,
    with_a_value,
    without_blank_guesses,
)
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.target import Target
from roadstead.privacy.blanks import DiversityModel
from roadstead.privacy.models.beta_likeness import BetaLikeness
from roadstead.privacy.models.delta_disclosure import DeltaDisclosure
from roadstead.privacy.models.entropy_l_diversity import EntropyLDiversity
from roadstead.privacy.models.recursive_cl_diversity import RecursiveCLDiversity
from roadstead.privacy.models.t_closeness import TCloseness
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.evidence import Knowledge, Need

_SEVERAL = 2


class AttributeInference:
    """Guess a person's sensitive value from the matching records."""

    name: ClassVar = "attribute-inference"
    needs: ClassVar[tuple[Need, ...]] = ("original",)

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Attack each sensitive column."""
        release = target.release
        table = target.people
        known = [n for n in settings.known or release.quasi if n in table.attributes]
        secrets = [
            name
            for name in settings.secrets or release.sensitive
            if name in table.attributes and name not in known
        ]
        if not known or not secrets:
            return not_tried(
                self.name, "no sensitive column is in both the release and the original"
            )
        people = drawn(table, target.truth, settings.attempts, settings.chance(self.name))
        found = Findings()
        for name in secrets:
            secret = secret_column(release, known, name)
            if secret is None:
                found += not_tried(self.name, f"{name} has too many values")
                continue
            found += self._of(release, secret, people)
        return found

    def _of(self, release: AttackedRelease, secret: SecretColumn, people: KnownPeople) -> Findings:
        everyone = people.number
        models = [model for model in release.models if model.columns == (secret.name,)]
        no_value = [isinstance(m, DiversityModel) and m.blank == "no-value" for m in models]
        if any(no_value) or not models:
            secret = without_blank_guesses(release, secret)
        if all(no_value):  # no model sets a limit for blanks
            people = with_a_value(release, people, secret.name)
        if not people.number:
            return not_tried(self.name, f"{secret.name} has no value")
        right, certain = np.zeros(people.number), np.zeros(people.number)
        own = truth_of(secret, people)
        by_margins = _most_frequent(secret.margins[None, :].astype(np.float64), own)
        for block, said in said_of(release, secret, people, near=False):
            there = said.any(axis=1)
            guessed = _most_frequent(said, own[block])
            right[block] = np.where(there, guessed, by_margins[block])
            alone = np.count_nonzero(said, axis=1) == 1
            certain[block] = np.where(alone, guessed, 0.0)
        number = people.number
        knowledge: Knowledge = {"known": secret.classes.names, "secret": secret.name}
        if number < everyone:
            knowledge["without_value"] = everyone - number
        share = secret.margins / max(int(secret.margins.sum()), 1)
        # The models cover only an attacker who knows nothing except the quasi-identifiers.
        promised = {*secret.classes.names} <= {*release.quasi}
        return Findings(
            (
                finding(
                    self.name,
                    {**knowledge, "guess": "frequent"},
                    (float(right.sum()), number),
                    (float(by_margins.sum()), number),
                    held_of(release, secret.name, share) if promised else NOTHING,
                    needs=self.needs,
                ),
                finding(
                    self.name,
                    {**knowledge, "guess": "certain"},
                    (float(certain.sum()), number),
                    (0.0, number),
                    _held_if_certain(release, secret.name) if promised else NOTHING,
                    needs=self.needs,
                    interval=above_guessing((float(certain.sum()), number), 0.0),
                ),
            )
        )


def _most_frequent(said: NDArray[np.float64], own: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probability that a guess of the most frequent value is correct."""
    most = said.max(axis=1, keepdims=True, initial=0.0)
    best = (said == most) & (most > 0.0)
    row = np.arange(own.size) if said.shape[0] > 1 else np.zeros(own.size, dtype=np.int64)
    hit = best[row, np.maximum(own, 0)] & (own >= 0)
    return np.where(hit, 1.0 / np.maximum(best.sum(axis=1)[row], 1), 0.0)


def held_of(release: AttackedRelease, column: str, margins: NDArray[np.float64]) -> HeldAgainst:
    """Compare a guess with the largest frequency that a model allows for a value in a class."""
    bounds = [_bound(model, margins) for model in release.models if model.columns == (column,)]
    least = min((one for one in bounds if one is not None), default=1.0)
    return promise(least) if least < 1.0 else NOTHING


def _bound(model: PrivacyModel, margins: NDArray[np.float64]) -> float | None:
    """Return the largest share of a class that a model allows for a value, or None if unlimited."""
    if isinstance(model, TCloseness) and model.distance == "equal":
        return float(margins.max()) + model.t
    if isinstance(model, BetaLikeness):
        grown = model.beta
        there = margins[margins > 0]
        most = np.minimum(grown, -np.log(there)) if model.enhanced else np.full(there.size, grown)
        return float((there * (1.0 + most)).max())
    if isinstance(model, DeltaDisclosure):
        return min(1.0, float(margins.max()) * float(2.0**model.delta))
    if isinstance(model, RecursiveCLDiversity):
        return model.c / (1.0 + model.c)
    if isinstance(model, EntropyLDiversity):
        return _by_entropy(log(model.l), int(np.count_nonzero(margins)))
    return None


def _by_entropy(least: float, values: int) -> float:
    """Return the largest share of a value at which the entropy can still reach `least`."""
    if values < _SEVERAL:
        return 1.0
    shares = np.linspace(1.0 / values, 1.0, 100_001)
    rest = 1.0 - shares
    with np.errstate(divide="ignore", invalid="ignore"):
        own = -shares * np.log(shares)
        others = np.where(rest > 0.0, -rest * np.log(rest / (values - 1)), 0.0)
    enough = own + others >= least
    return float(shares[enough].max(initial=1.0 / values)) if enough.any() else 1.0


def _held_if_certain(release: AttackedRelease, column: str) -> HeldAgainst:
    """Forbid certainty about a value if a model requires at least two values in each class."""
    for model in release.models:
        if isinstance(model, DiversityModel) and model.column == column:
            return NONE_AT_ALL
    return NOTHING
