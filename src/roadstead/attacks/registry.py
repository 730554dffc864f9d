"""The attacks by name, and how those asked for are tried one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roadstead.attacks.finding import Findings, all_of, not_tried
from roadstead.attacks.protocol import Attack, AttackSettings
from roadstead.attacks.target import Target
from roadstead.attacks.together import together
from roadstead.registry import Registry
from roadstead.release.evidence import Need

ATTACKS = Registry("roadstead.attacks.kinds", "name", "roadstead.attacks", default="scan")
"""The attacks by name."""

MISSING: dict[Need, str] = {
    "original": "it needs the table that the release was made of",
    "register": "it needs a register",
    "held-out": "it needs records that are not in the release",
    "second-release": "it needs a second release",
}


def attack_named(name: str) -> Attack:
    """Make an attack."""
    made: Attack = ATTACKS[name]()
    return made


def try_all(
    names: Sequence[str],
    target: Target,
    settings: AttackSettings,
    before: Callable[[str], None] = lambda _: None,
) -> Findings:
    """Try attacks in this order; `before` gets the name of each as it begins."""
    found = []
    for name in names:
        attack = attack_named(name)
        lacking = [need for need in attack.needs if need not in target.has]
        if lacking:
            found.append(not_tried(name, MISSING[lacking[0]]))
            continue
        before(name)
        found.append(attack.attempt(target, settings))
    return together(all_of(found))
