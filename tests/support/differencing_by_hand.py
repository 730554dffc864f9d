"""An attacker who compares releases, and knows everything except the sensitive cells.

The attacker knows who is in each extract, their quasi-identifiers, and each policy. The attacker
therefore knows the people of each class in a release, the masked records among them, and how many
of them have each diagnosis. Take some classes of one release, and some classes of others. If the
second set contains all people of the first set, subtraction gives the diagnoses of the rest. A rest
is a hole if it has fewer than k people and no release shows it directly.

Nothing here is shared with the package: people are bits of a number, and every union is tried.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from monthly_extracts import Record, labels_of

MASKED = ("*", "*")


@dataclass(frozen=True)
class Extract:
    """A table of people, by their number, and how it is released."""

    people: tuple[int, ...]
    levels: tuple[int, int]
    suppressed: Literal["mask", "drop"]

    def classes(self, everyone: Sequence[Record], k: int) -> dict[tuple[str, str], int]:
        """Give the people of each class that is released, as bits."""
        found: dict[tuple[str, str], int] = defaultdict(int)
        for person in self.people:
            found[labels_of(everyone[person], *self.levels)] |= 1 << person
        shown: dict[tuple[str, str], int] = defaultdict(int)
        for labels, people in found.items():
            if people.bit_count() >= k:
                shown[labels] |= people
            elif self.suppressed == "mask":
                shown[MASKED] |= people
        return dict(shown)


def unions(classes: Sequence[int]) -> list[int]:
    """Give the people of every union of classes but the empty one."""
    found = [0]
    for one in classes:
        found += [own | one for own in found]
    return found[1:]


def holes(extracts: Sequence[Extract], everyone: Sequence[Record], k: int) -> Iterator[int]:
    """Find groups of fewer than k that follow from two releases, or from two joined and a third."""
    shown = [one.classes(everyone, k) for one in extracts]
    alone = {own.get(MASKED, 0) for own in shown}
    every = [set(unions(list(own.values()))) for own in shown]
    for one, other in combinations(range(len(extracts)), 2):
        yield from _between(every[one], every[other], alone, k)
    for whole in range(len(extracts) if len(extracts) > 2 else 0):
        first, second = (every[at] for at in range(3) if at != whole)
        joined = {a | b for a in first for b in second if not a & b}
        yield from _between(joined, every[whole], alone, k)


def _between(ones: set[int], others: set[int], alone: set[int], k: int) -> Iterator[int]:
    for a in ones:
        for b in others:
            rest = a & ~b if a & b == b else b & ~a if a & b == a else 0
            if rest and rest.bit_count() < k and rest not in alone:
                yield rest


def drawn(
    chance: random.Random, *, levels: Sequence[tuple[int, int]], mixed: bool
) -> tuple[list[Record], list[Extract]]:
    """Draw people and three extracts between which some come and go, alone or in groups.

    `levels`: those of each extract are one of these. `mixed`: whether each may mask or drop.
    """
    diagnoses = chance.choice(("xy", "xyz"))
    number = chance.randint(14, 26)
    everyone = [
        (chance.choice("AB"), chance.choice(("11", "12", "21")), chance.choice(diagnoses))
        for _ in range(number)
    ]
    everyone.sort(key=lambda one: one[:2])
    present = {person for person in range(number) if chance.random() < 0.7}
    extracts, suppressed = [], chance.choice(("mask", "drop"))
    for _ in range(3):
        if mixed:
            suppressed = chance.choice(("mask", "drop"))
        own: Literal["mask", "drop"] = "mask" if suppressed == "mask" else "drop"
        extracts.append(Extract(tuple(sorted(present)), chance.choice(levels), own))
        for _ in range(chance.randint(0, 2)):
            begin, size = chance.randrange(number), chance.choice((1, 1, 2, 3, 4, 5))
            group = {*range(begin, min(begin + size, number))}
            present = present | group if chance.random() < 0.6 else present - group
        present = present or {0}
    return everyone, extracts
