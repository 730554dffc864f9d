"""Check that the attack results in a certificate are consistent, and that the page exists.

This module does not repeat attacks, because a recipient cannot repeat an attack that required the
original table.
"""

from __future__ import annotations

from collections.abc import Sequence

from roadstead.release.certificate import ATTACKS_PAGE, REPORT
from roadstead.release.evidence import CertifiedAttack, wrong_with
from roadstead.release.verification.checks import Check, counted


def allowed_pages(attacks: Sequence[CertifiedAttack] | None) -> tuple[str, ...]:
    """Return the names of the pages that a release may contain."""
    return (REPORT,) if attacks is None else (REPORT, ATTACKS_PAGE)


def check_attacks(
    files: Sequence[str], attacks: Sequence[CertifiedAttack] | None
) -> tuple[Check, ...]:
    """Check the results of attacks, if there are any."""
    if attacks is None:
        return ()
    wrong = next((found for one in attacks if (found := wrong_with(one)) is not None), None)
    if ATTACKS_PAGE not in files:
        wrong = f"{ATTACKS_PAGE} is not certified"
    number = sum(one.convicted for one in attacks)
    detail = f"{counted(len(attacks), 'attack variant')}, of which {number:,} succeeded"
    return (Check.of("the results of the attacks are consistent", wrong, detail),)


def unchecked_of_attacks(attacks: Sequence[CertifiedAttack] | None) -> tuple[str, ...]:
    """Return the facts about attacks that the files cannot confirm."""
    if attacks is None:
        return ()
    return (f"the results of the attacks, and the text of {ATTACKS_PAGE}",)
