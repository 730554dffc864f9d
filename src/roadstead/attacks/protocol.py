"""What an attack is: it gets a target and settings, and gives back how often it was right.

**To add an attack**, write one file in `roadstead/attacks/kinds/`, called as the attack is, with
``-`` as ``_`` (or offer a class as an entry point of the group ``roadstead.attacks``). It has a
class without parameters that has what `Attack` has: ``name``, ``needs`` and ``attempt``. Nothing
has a list to be kept up to date: `roadstead.attacks.registry` finds the file, ``roadstead attack``
runs it, the certificate keeps what it found. Its words are one file too,
`roadstead/reports/attacks/words/NAME.toml`. What several attacks share stands next to the folder,
as `roadstead.attacks.matching` does.

An attack looks at two sides of a `Target`. What an *attacker* has: the released table, its policy
and certificate (`Target.release`), and what the settings say is known of people. And what the
*judge* has: the original, a register, records that were held out, a second release. The judge's
side makes the people whom an attacker knows something of, and says afterwards who was right; it
never tells a guess. Each number found is made by `roadstead.attacks.finding.finding`, which works
out the interval and the verdict by what it is held against:

- ``promise(allowed)``, where the release promises something about the attack,
  such as a linkage that is right in at most 1/k;
- ``GUESSING``, where any gain over the base line is one that nobody was to have;
- ``NOTHING``, where the attacker knows or wants what the release never spoke of: the
  figure is shown, and convicts nobody.

An attack that cannot be tried on a target says so with `roadstead.attacks.finding.not_tried`.
Same target and settings, same findings: all chance comes from ``settings.chance(name)``.
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
    """What is asked of all attacks.

    Attributes
    ----------
    seed
        What all chance is drawn from.
    attempts
        Most people, or guesses, that an attack is tried on; drawn at random where there are more.
    known
        Columns that an attacker knows of people; None: the release's quasi-identifiers.
    secrets
        Columns that an attacker wants to know; None: the sensitive columns of the policy.
    overlap
        Share of the people an attacker knows of who are in the release, where a register is made.
    errors
        Share of what an attacker knows that is wrong, where the nearest is looked for.
    """

    seed: int = 0
    attempts: int = 2_000
    known: Sequence[str] | None = None
    secrets: Sequence[str] | None = None
    overlap: float = 1.0
    errors: float = 0.1

    def chance(self, name: str) -> np.random.Generator:
        """Give the generator of an attack, which no other attack shares."""
        return np.random.default_rng((self.seed, crc32(name.encode())))


class Attack(Protocol):
    """One way to learn of people what a release was not to tell."""

    name: ClassVar[str]
    """What it is called: letters and dashes, as its file is with underscores."""
    needs: ClassVar[tuple[Need, ...]]
    """What it cannot be tried without; the verb says so where one is missing."""

    def attempt(self, target: Target, settings: AttackSettings) -> Findings:
        """Try it in all its variants.

        Parameters
        ----------
        target
            What an attacker has, and what the judge has.
        settings
            What is asked.
        """
