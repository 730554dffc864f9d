"""Collect the results of attacks on a release for the terminal, the page, and JSON."""

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
from roadstead.reports.wording import counted

_SHOWN = 2
"""The number of results per attack that the terminal displays."""


@dataclass(frozen=True)
class AttackFacts:
    """The attacks that were run on a release, and their results.

    `release` is the name of the folder. `found` has one result per variant of an attack. `untried`
    lists the attacks that were not run and the reasons. `promise` names the privacy requirements
    and their columns in a clause. `promise` is empty if there are no requirements, and None if only
    the certificate is available. If the figures are `rounded` for sharing, the sentences say so.
    """

    release: str
    found: tuple[CertifiedAttack, ...]
    untried: tuple[Untried, ...] = ()
    seed: int = 0
    promise: str | None = None
    rounded: bool = False

    @property
    def convicted(self) -> tuple[CertifiedAttack, ...]:
        """The results of the attacks that succeed."""
        return tuple(one for one in self.found if one.convicted)

    @property
    def held(self) -> int:
        """The number of results that were compared with a requirement or with a guess."""
        return sum(one.against != "nothing" for one in self.found)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the attacks that have results, in order."""
        return tuple(dict.fromkeys(one.attack for one in self.found))

    def of(self, name: str) -> tuple[CertifiedAttack, ...]:
        """Return the results of one attack, with the successful results first."""
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
        """A summary of the results in one sentence."""
        tried = attempts_in_words(len(self.found))
        ran = f"{tried} {'was' if len(self.found) == 1 else 'were'}"
        if self.convicted:
            return (
                f"ATTACKS SUCCEED: {len(self.convicted):,} of {tried} reveal more than the "
                "privacy requirements allow."
            )
        if not self.found:
            return "No attack was run."
        if self.promise == "":
            return f"{ran} run. This release has no privacy requirement that an attack could break."
        terms = "" if self.promise is None else f" ({self.promise})"
        if (worst := self._worst_beyond) is not None:
            return (
                f"{ran} run. None breaks the privacy requirements{terms}. The privacy requirements "
                f"do not cover everything: {_lowered(found_in_words(worst, rounded=self.rounded))}"
            )
        number = len({one.attack for one in self.untried} - {one.attack for one in self.found})
        untried = f"{counted(number, 'attack')} {'was' if number == 1 else 'were'} not run. "
        return (
            f"{ran} run. None reveals more than the privacy requirements "
            f"allow{terms}. {untried if number else ''}Other attacks may still succeed."
        )

    @property
    def _worst_beyond(self) -> CertifiedAttack | None:
        """The strongest result that is outside the requirements and succeeds too often."""
        beyond = [one for one in self.found if is_beyond(one)]
        return max(beyond, key=_strength, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as JSON."""
        return {
            "release": self.release,
            "convicted": bool(self.convicted),
            "seed": self.seed,
            "attacks": [
                {**document_of_attack(one), "sentence": sentence(one, rounded=self.rounded)}
                for one in self.found
            ],
            "untried": [{"attack": one.attack, "why": one.why} for one in self.untried],
        }


def _strength(one: CertifiedAttack) -> tuple[bool, int, float]:
    """Return a sort key: linkage attacks first, then less knowledge, then more success."""
    known = one.knowledge.get("known") or one.knowledge.get("columns") or ()
    return one.attack == "linkage", -len(known) if isinstance(known, tuple) else 0, one.success


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def sentence(one: CertifiedAttack, *, rounded: bool = False) -> str:
    """Return a sentence with the result of an attack, and the verdict."""
    return f"{found_in_words(one, rounded=rounded)} {judged_in_words(one)}"


def attack_lines(facts: AttackFacts) -> tuple[str, ...]:
    """Return the summary of all attacks, and the strongest results of each attack, as lines."""
    lines = [facts.gist]
    for name in facts.names:
        own = facts.of(name)
        judged = [one for one in own if one.against != "nothing"]
        shown = [one for one in own if one.against == "nothing"]
        lines += ["", attack_words(name).title]
        lines += [f"  {sentence(one, rounded=facts.rounded)}" for one in _fewer(judged)]
        lines += [f"  {sentence(one, rounded=facts.rounded)}" for one in shown[:_SHOWN]]
        more = len(own) - len(_fewer(judged)) - len(shown[:_SHOWN])
        if more:
            lines.append(f"  The page and the JSON output have {counted(more, 'more result')}.")
    for one in _once(facts.untried):
        lines += ["", f"Not run: {attack_words(one.attack).title.lower()}, because {one.why}."]
    return tuple(lines)


def _fewer(judged: Sequence[CertifiedAttack]) -> tuple[CertifiedAttack, ...]:
    """Return all results that succeed, and the first few of the other results."""
    guilty = [one for one in judged if one.convicted]
    return (*guilty, *[one for one in judged if not one.convicted][: _SHOWN + 1])


def _once(untried: Sequence[Untried]) -> tuple[Untried, ...]:
    return tuple(dict.fromkeys(untried))
