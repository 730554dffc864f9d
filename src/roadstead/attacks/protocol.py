"""Define the interface of an attack: it gets a target and settings, and returns its success.

**To add an attack**, write one file in `roadstead/attacks/kinds/`. Its name is the name of the
attack, with ``-`` as ``_``. Or offer a class as an entry point of the group ``roadstead.attacks``.
The file has a class without parameters that has the members of `Attack`: ``name``, ``needs``, and
``attempt``. You do not have to update a list: `roadstead.attacks.catalog` finds the file,
``roadstead attack`` runs the attack, and the certificate keeps its findings. Its texts are in one
file, `roadstead/reports/attacks/words/NAME.toml`. Code that several attacks share is outside this
folder, for example, in `roadstead.attacks.matching`.

An attack uses two sides of a `Target`. The *attacker* has the released table, its policy, and its
certificate (`Target.release`), and knows about people what the settings say. The *judge* has the
original, a register, held-out records, and a second release. The judge's side supplies the people
about whom an attacker knows something. Afterwards, it decides which guesses were correct. It never
influences a guess. Each figure comes from `roadstead.attacks.finding.finding`, which computes the
interval and the verdict from what the figure is compared with:

- ``promise(allowed)``, if the release has a limit for the attack, for example, a linkage that is
  correct in at most 1/k of all attempts;
- ``GUESSING``, if the attack may not gain anything over the baseline;
- ``NOTHING``, if the release does not cover what the attacker knows or wants. Then the figure is
  shown, but the release does not fail.

If an attack cannot run on a target, it returns `roadstead.attacks.finding.not_tried`. The same
target and settings give the same findings, because all random numbers come from
``settings.chance(name)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol
from zlib import crc32

import numpy as np

from roadstead.attacks.finding import Findings
from roadstead.attacks.target import Target
from roadstead.release.evidence import Need


@dataclass(frozen=True)
class AttackSettings:
    """The settings of all attacks.

    Attributes
    ----------
    seed
        The seed of all random numbers.
    attempts
        The largest number of people, or of guesses, per attack. If there are more, they are drawn
        at random.
    known
        The columns of people that an attacker knows. None means the quasi-identifiers of the
        release.
    secrets
        The columns that an attacker wants to learn. None means the sensitive columns of the policy.
    overlap
        The share of the attacker's targets who are in the release, if a register is simulated.
    errors
        The share of the attacker's knowledge that is wrong, if the attack looks for the nearest
        record.
    """

    seed: int = 0
    attempts: int = 2_000
    known: Sequence[str] | None = None
    secrets: Sequence[str] | None = None
    overlap: float = 1.0
    errors: float = 0.1

    def chance(self, name: str) -> np.random.Generator:
        """Return the random number generator of an attack. No other attack uses it."""
        return np.random.default_rng((self.seed, crc32(name.encode())))


class Attack(Protocol):
    """One way to learn something about people that a release should not reveal."""

    name: ClassVar[str]
    """The name of the attack, in letters and dashes. Its file has underscores instead of dashes."""
    needs: ClassVar[tuple[Need, ...]]
    """The inputs that the attack requires. The command reports missing inputs."""

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Run the attack in all its variants.

        Parameters
        ----------
        target
            The attacker's side and the judge's side.
        settings
            The settings.
        """
