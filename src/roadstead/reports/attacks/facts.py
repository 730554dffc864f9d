"""What attacks on a release found: facts for the terminal, the page and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roadstead.attacks.finding import Untried
from roadstead.release.evidence import CertifiedAttack, document_of_attack
from roadstead.reports.attacks.words import (
    attack_words,
    attempts_in_words,
    found_in_words,
    is_beyond,
    judged_in_words,
)

_SHOWN = 2
"""Findings of an attack that convict nobody and are held against nothing, which lines show."""


@dataclass(frozen=True)
class AttackFacts:
    """What was tried on a release, and what was found.

    Attributes
    ----------
    release
        What the folder is called.
    found
        What each attack found, variant by variant.
    untried
        What was not tried, and why.
    seed
        Seed of all chance.
    promise
        What the release promises of which columns, as a clause; empty where it promises nothing,
        and None where the certificate alone is at hand.
    """

    release: str
    found: tuple[CertifiedAttack, ...]
    untried: tuple[Untried, ...] = ()
    seed: int = 0
    promise: str | None = None

    @property
    def convicted(self) -> tuple[CertifiedAttack, ...]:
        """What convicts the release."""
        return tuple(one for one in self.found if one.convicted)

    @property
    def held(self) -> int:
        """How many were held against a promise or against guessing."""
        return sum(one.against != "nothing" for one in self.found)

    @property
    def names(self) -> tuple[str, ...]:
        """The attacks that found something, in order."""
        return tuple(dict.fromkeys(one.attack for one in self.found))

    def of(self, name: str) -> tuple[CertifiedAttack, ...]:
        """Give what one attack found: first what convicts, then what is held against something."""
        own = [one for one in self.found if one.attack == name]
        return tuple(
            sorted(
                own,
                key=lambda one: (
                    not one.convicted,
                    one.against == "nothing",
                    not is_beyond(one),
                    -one.low,
                ),
            )
        )

    @property
    def gist(self) -> str:
        """Say it in a sentence."""
        tried = attempts_in_words(len(self.found))
        if self.convicted:
            return (
                f"CONVICTED: {len(self.convicted):,} of {tried} to attack show more than the "
                "release promises."
            )
        if not self.found:
            return "Nothing was tried."
        if self.promise == "":
            return f"Attacked in {tried}. The release promises nothing that an attack could break."
        terms = "" if self.promise is None else f" ({self.promise})"
        if (worst := self._worst_beyond) is not None:
            return (
                f"Attacked in {tried}: none breaks the promise{terms}, which does not cover "
                f"everything. {found_in_words(worst)}"
            )
        return (
            f"Attacked in {tried}: none shows more than the release promises{terms}. "
            "That is no proof that no attack can."
        )

    @property
    def _worst_beyond(self) -> CertifiedAttack | None:
        """Give the attack that the promise does not cover and that finds most, with least known."""
        beyond = [one for one in self.found if is_beyond(one)]
        return max(beyond, key=_strength, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON holds it."""
        return {
            "release": self.release,
            "convicted": bool(self.convicted),
            "seed": self.seed,
            "attacks": [
                {**document_of_attack(one), "sentence": sentence(one)} for one in self.found
            ],
            "untried": [{"attack": one.attack, "why": one.why} for one in self.untried],
        }


def _strength(one: CertifiedAttack) -> tuple[bool, int, float]:
    """Rank linkage first, then what needs less to be known, then what finds more."""
    known = one.knowledge.get("known") or one.knowledge.get("columns") or ()
    return one.attack == "linkage", -len(known) if isinstance(known, tuple) else 0, one.success


def sentence(one: CertifiedAttack) -> str:
    """Say what an attack found and what follows from it."""
    return f"{found_in_words(one)} {judged_in_words(one)}"


def attack_lines(facts: AttackFacts) -> tuple[str, ...]:
    """Say what was found, the gist first; of what convicts nobody, the worst of each attack."""
    lines = [facts.gist]
    for name in facts.names:
        own = facts.of(name)
        judged = [one for one in own if one.against != "nothing"]
        shown = [one for one in own if one.against == "nothing"]
        lines += ["", attack_words(name).title]
        lines += [f"  {sentence(one)}" for one in _fewer(judged)]
        lines += [f"  {sentence(one)}" for one in shown[:_SHOWN]]
        more = len(own) - len(_fewer(judged)) - len(shown[:_SHOWN])
        lines += [f"  {more:,} more in the page and in JSON."] if more else []
    for one in _once(facts.untried):
        lines += ["", f"Not tried: {attack_words(one.attack).title.lower()}, because {one.why}."]
    return tuple(lines)


def _fewer(judged: Sequence[CertifiedAttack]) -> tuple[CertifiedAttack, ...]:
    """Keep all that convict, and the first few of the others."""
    guilty = [one for one in judged if one.convicted]
    return (*guilty, *[one for one in judged if not one.convicted][: _SHOWN + 1])


def _once(untried: Sequence[Untried]) -> tuple[Untried, ...]:
    return tuple(dict.fromkeys(untried))
