"""The interface of an attack: it gets a target and settings, and returns how often it was right.

**To add an attack**, write one file in `roadstead/attacks/kinds/`, with the name of the attack and
``-`` as ``_`` (or offer a class as an entry point of the group ``roadstead.attacks``). It has a
class without parameters with the members of `Attack`: ``name``, ``needs``, and ``attempt``. No list
needs an update: `roadstead.attacks.catalog` finds the file, ``roadstead attack`` runs it, and the
certificate keeps its findings. Its texts are one file too,
`roadstead/reports/attacks/words/NAME.toml`. Code that several attacks share is next to the folder,
like `roadstead.attacks.matching`.

An attack uses two sides of a `Target`. The *attacker* has the released table, its policy, and its
certificate (`Target.release`), and what the settings say is known about people. The *judge* has the
original, a register, held-out records, and a second release. The judge's side supplies the people
about whom an attacker knows something, and decides afterwards which guesses were right. It never
influences a guess. Each figure comes from `roadstead.attacks.finding.finding`, which computes the
interval and the verdict from what the figure is compared with:

- ``promise(allowed)``, if the release has a limit for the attack, for example a linkage that is
  right in at most 1/k;
- ``GUESSING``, if the attack may not gain anything over the baseline;
- ``NOTHING``, if the release does not cover what the attacker knows or wants: the figure is shown,
  and the release does not fail.

An attack that cannot run on a target says so with `roadstead.attacks.finding.not_tried`. The same
target and settings give the same findings: all random numbers come from ``settings.chance(name)``.
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
        The largest number of people, or guesses, per attack; drawn at random if there are more.
    known
        The columns of people that an attacker knows; None: the release's quasi-identifiers.
    secrets
        The columns that an attacker wants to learn; None: the sensitive columns of the policy.
    overlap
        Share of the attacker's targets who are in the release, if a register is simulated.
    errors
        Share of the attacker's knowledge that is wrong, if the attack looks for the nearest record.
    """

    seed: int = 0
    attempts: int = 2_000
    known: Sequence[str] | None = None
    secrets: Sequence[str] | None = None
    overlap: float = 1.0
    errors: float = 0.1

    def chance(self, name: str) -> np.random.Generator:
        """Return the random number generator of an attack, which no other attack shares."""
        return np.random.default_rng((self.seed, crc32(name.encode())))


class Attack(Protocol):
    """One way to learn something about people that a release should not reveal."""

    name: ClassVar[str]
    """The name: letters and dashes, like its file with underscores."""
    needs: ClassVar[tuple[Need, ...]]
    """The inputs that the attack requires; the command reports a missing input."""

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Run the attack in all its variants.

        Parameters
        ----------
        target
            The attacker's side and the judge's side.
        settings
            The settings.
        """
