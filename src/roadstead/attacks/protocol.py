"""Define the interface of an attack: it gets a target and settings, and returns its success.

**To add an attack**, write one file in `roadstead/attacks/kinds/`. The file has the name of the
attack, with ``_`` instead of ``-``. Another package can offer a class as an entry point of the
group ``roadstead.attacks``. The class has no parameters, and has the members of `Attack`: ``name``,
``needs``, and ``attempt``. You do not have to update a list: `roadstead.attacks.catalog` finds the
file, ``roadstead attack`` runs the attack, and the certificate contains the findings. The texts of
the attack are in `roadstead/reports/attacks/words/NAME.toml`. Code that several attacks share is
outside this folder, for example, in `roadstead.attacks.matching`.

A `Target` has two sides. The *attacker* has the released table, its policy, and its certificate
(`Target.release`). The settings say what the attacker knows about people. The *judge* has the
original, a register, held-out records, and a second release. The judge chooses the people, and
decides afterwards which guesses are correct. The judge's tables never influence a guess.
`roadstead.attacks.finding.finding` compares each figure with a limit, and computes the interval and
the verdict:

- ``promise(allowed)``, if the release has a limit for the attack, for example, a linkage that is
  correct in at most 1/k of all attempts;
- ``GUESSING``, if the attack may not gain anything over the baseline;
- ``NOTHING``, if the release does not cover what the attacker knows or wants. Then the figure is
  shown, but the release does not fail.

If an attack cannot run on a target, it returns `roadstead.attacks.finding.not_tried`. All random
numbers come from ``settings.chance(name)``. So the same target and settings give the same findings.
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
        The share of the attacker's knowledge that is wrong, if the attack uses the nearest record.
    """

    seed: int = 0
    attempts: int = 2_000
    known: Sequence[str] | None = None
    secrets: Sequence[str] | None = None
    overlap: float = 1.0
    errors: float = 0.1

    def chance(self, name: str) -> np.random.Generator:
        """Return a random number generator that no other attack uses."""
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
