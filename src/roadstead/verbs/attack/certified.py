"""Combine the findings of new attacks with the findings in a certificate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roadstead.front_end import option, worded
from roadstead.release.attacked import Certified
from roadstead.release.evidence import for_sharing
from roadstead.reports.attacks.words import attack_words
from roadstead.reports.verification import held
from roadstead.reports.wording import counted
from roadstead.requests.checks import wrong
from roadstead.verbs.attack.result import AttackFinding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roadstead.release.evidence import CertifiedAttack


def without_records(found: AttackFinding) -> AttackFinding:
    """Keep only findings that do not use records, because noise does not protect other findings."""
    kept = tuple(one for one in found.facts.found if not one.needs)
    if not kept:
        what = (
            "epsilon covers only the released data; these figures were computed from the records "
            "themselves, without noise"
        )
        fix = worded(
            command=f"write them to a folder that you do not share: {option('out', 'DIR')}",
            python=f"write them to a folder that you do not share: {option('out', 'DIR')}",
            page='read them only here, and leave "Certify" unchecked',
        )
        raise wrong("certify", what, fix)
    return AttackFinding(replace(found.facts, found=kept))


def with_former(certified: Sequence[CertifiedAttack], found: AttackFinding) -> AttackFinding:
    """Add the certified findings, including failures, of attacks that were not run again."""
    tried = frozenset(found.facts.names)
    former = tuple(one for one in certified if one.attack not in tried)
    there = {one.attack for one in former}
    untried = tuple(one for one in found.facts.untried if one.attack not in there)
    return AttackFinding(replace(found.facts, found=(*former, *found.facts.found), untried=untried))


def former_ones(found: AttackFinding, kept: AttackFinding) -> list[str]:
    """Return lines about the findings that are kept from earlier attacks."""
    former = [name for name in kept.facts.names if name not in found.facts.names]
    if not former:
        return []
    names = ", ".join(attack_words(name).title.lower() for name in former)
    successes = sum(one.attack in former for one in kept.facts.convicted)
    of_which = f"; {successes:,} of them show that an attack succeeds" if successes else ""
    number = sum(one.attack in former for one in kept.facts.found)
    return [f"{number:,} figures of {names} were kept from an earlier run{of_which}."]


def replaced_ones(certified: Sequence[CertifiedAttack], found: AttackFinding) -> list[str]:
    """Return lines about replaced findings, so that the user sees when a failure is replaced."""
    gone = [one for one in certified if one.attack in found.facts.names]
    if not gone:
        return []
    successes = sum(one.convicted for one in gone)
    of_which = (
        f"; {successes:,} of the replaced figures show that an attack succeeds" if successes else ""
    )
    return [f"These figures replace {counted(len(gone), 'figure')} of an earlier run{of_which}."]


def for_release(found: AttackFinding) -> AttackFinding:
    """Return the findings with figures that are rounded for publication."""
    shared = tuple(map(for_sharing, found.facts.found))
    return AttackFinding(replace(found.facts, found=shared, rounded=True))


def certified_in(folder: Path, made: Certified, kept: AttackFinding) -> list[str]:
    """Say where the `kept` findings were certified, and whether to sign the release again."""
    said = [
        f"The results were added to {folder}. The release was {held(made.verification)}. Read "
        "attacks.html in this folder."
    ]
    if any(one.needs for one in kept.facts.found):
        said.append(
            "In the certificate and on its pages, figures that were computed from the original "
            "table are rounded to half a percent. The figures shown here are not rounded."
        )
    if made.unsigned:
        said.append(
            "The certificate changed, so its signature was removed. Sign the release again."
        )
    said.append(
        "If you have a file of answers for roadstead determine, it refers to the earlier "
        "certificate by its SHA-256. The certificate now contains the attacks, so review the "
        "answers, and then change the SHA-256 in the file."
    )
    return said
