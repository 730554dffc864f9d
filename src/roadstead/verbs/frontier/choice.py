"""Check which policy on the frontier a request chooses, and where to write the release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from roadstead.errors import SettingError
from roadstead.front_end import option
from roadstead.release.verification.checks import Verification
from roadstead.reports.written import released, released_to
from roadstead.verbs.ledger import LedgerUse, require_ledger
from roadstead.verbs.writing import check_with, documented, require_folder

if TYPE_CHECKING:
    from roadstead.verbs.frontier.request import FrontierRequest


def released_at(
    place: Path,
    into: str | None,
    ledger: LedgerUse | None,
    verification: Verification | None,
) -> tuple[list[str], dict[str, Any]]:
    """Return where a chosen release was written, and what the ledger noted about the release."""
    said = released(released_to(place, into), verification, check_with(place, into))
    if ledger is None:
        return [said], documented(place, into)
    told = {**documented(place, into), "earlier_releases": ledger.document}
    return [*ledger.lines, said], told


def chooses(request: FrontierRequest) -> bool:
    """Return whether the request chooses a policy on the frontier for a release."""
    return request.choose is not None or request.risk is not None


def require_choice(request: FrontierRequest) -> None:
    """Reject a contradictory choice, and a choice without a folder or table for the release."""
    choosing = f"{option('choose')}, {option('risk')}"
    if request.choose is not None and request.risk is not None:
        raise SettingError(
            "the policy is chosen by its index and also by its risk",
            where=choosing,
            fix="leave one of them out",
        )
    if chooses(request) and request.out is None:
        raise SettingError(
            "a policy is chosen, but no folder for its release is given",
            where=choosing,
            fix=f"add {option('out', 'DIR')}",
        )
    require_folder(request.into, request.out)
    require_ledger(request, request.out)
