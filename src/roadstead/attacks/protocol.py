"""Define the interface of an attack, which takes a target and settings and returns findings.

**To add an attack**, write one file in `roadstead/attacks/kinds/`. The name of the file is the name
of the attack, with ``_`` instead of ``-``. Another package can provide a class as an entry point in
the group ``roadstead.attacks``. The class must not require parameters, and must define the members
of `Attack`: ``name``, ``needs``, and ``attempt``. No list has to be updated:
`roadstead.attacks.catalog` finds the file, ``roadstead attack`` runs the attack, and the
certificate contains the findings. Put the wording of the attack into
`roadstead/reports/attacks/words/NAME.toml`. Code that several attacks share belongs outside this
folder, for example, in `roadstead.attacks.matching`.

A `Target` has two sides. The *attacker* has the released table, its policy, and its certificate
(`Target.release`). The settings define what the attacker knows about people. The *judge* has the
original, a register, held-out records, and a second release. The judge selects the people to
attack, and decides afterward which guesses are correct. The judge's tables never influence a guess.
`roadstead.attacks.finding.finding` compares each success rate with a standard, and computes the
confidence interval and the verdict. The standard is one of these:

- ``promise(allowed)`` if the release sets a limit for the attack. For example, linkage may be
  correct in at most 1/k of all attempts.
- ``GUESSING`` if the attack must not gain anything over the baseline.
- ``NOTHING`` if the privacy requirements do not cover what the attacker knows or wants to learn.
  Then the success rate is reported, but the release does not fail.

If an attack cannot run on a target, it returns `roadstead.attacks.finding.not_tried`. An attack
takes all random numbers from ``settings.chance(name)``, so the same target and settings always lead
to the same findings.
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
        The largest number of people, or of guesses, per attack. If there are more, a random sample
        is drawn.
    known
        The columns whose values an attacker knows. None means the quasi-identifiers of the release.
    secrets
        The columns that an attacker wants to learn. None means the sensitive columns of the policy.
    overlap
        The share of the attacked people who are in the release, if a register is simulated.
    errors
        The share of the known values that are wrong, in attacks that use the nearest record.
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
    """A method to learn facts about people that the release should hide."""

    name: ClassVar[str]
    """The name of the attack, in letters and dashes. The file name has underscores instead."""
    needs: ClassVar[tuple[Need, ...]]
    """The inputs that the attack requires. The command reports inputs that are missing."""

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Run the attack in all its variants.

        Parameters
        ----------
        target
            The attacker's side and the judge's side.
        settings
            The settings.
        """
