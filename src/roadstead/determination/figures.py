"""Collect the figures that support claims about a release, with the file and field of each.

The figures come from the certificate and from a verification that has just run. A figure is
`checked` if the verification recomputed the figure. Otherwise, a reader must trust the person who
created the release, and documents state this.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from roadstead.release.certificate import CERTIFICATE
from roadstead.release.documents import fingerprint
from roadstead.release.evidence import CertifiedAttack, document_of_attack
from roadstead.release.facts import CertifiedFigure, figure
from roadstead.release.kind import ReleaseKind, release_of
from roadstead.release.signing.envelope import SIGNATURE
from roadstead.release.verification.checks import Verification

VERIFICATION = "verification"
"""The file name that is given for a figure from the verification."""


@dataclass(frozen=True)
class MeasuredRelease:
    """All facts about a release that Roadstead can determine without people's answers."""

    kind: str  # the name of the release's kind
    certificate: str  # the SHA-256 hash of the certificate
    software: str
    created: str
    figures: dict[str, CertifiedFigure]
    columns: tuple[str, ...]  # the columns of the source, for which people may give reasons
    released: tuple[str, ...]  # the released columns
    unit: str = "record"  # the unit that is counted: record or person


def measured(
    folder: Path, verification: Verification, allowed: Collection[str] = ()
) -> MeasuredRelease:
    """Return the figures of a release that has just been verified."""
    release = release_of(folder, allowed)
    facts = release.facts
    made = {"software": facts.software, "created": facts.created}
    figures = [
        *_verified(verification),
        *release.figures(),
        figure("request", release.request, made),
    ]
    if release.attacks:
        found = [document_of_attack(one) for one in release.attacks]
        figures.append(figure("attacks", "attacks", found))
    return MeasuredRelease(
        release.name,
        fingerprint(folder / CERTIFICATE).sha256,
        facts.software,
        facts.created,
        _by_id(release, figures, verification),
        release.columns,
        release.released,
        facts.unit,
    )


def _by_id(
    release: ReleaseKind, figures: list[CertifiedFigure], verification: Verification
) -> dict[str, CertifiedFigure]:
    """Index the figures by id, and mark the figures that the verification recomputed."""
    checked = release.checked
    if verification.promise_rests_on:
        checked -= _OF_PROMISE | _OF_RISK
    if verification.signature is not None and verification.signature.state in (
        "trusted",
        "unsigned",
    ):
        checked |= {"signed"}
    if {one.id for one in figures} & {"expected", "population"}:
        checked -= _OF_PROMISE
    return {one.id: replace(one, checked=one.id in checked) for one in figures}


_OF_PROMISE = frozenset({"promise", "models", "k-of-tables"})
_OF_RISK = frozenset({"risk-maximum", "risk-average", "smallest", "added"})
"""Risk figures that count as unchecked if the guarantee depends on facts outside the files."""


def _verified(verification: Verification) -> Iterator[CertifiedFigure]:
    value = {
        "checks": len(verification.checks),
        "unchecked": list(verification.unchecked),
        "rests_on": verification.promise_rests_on,
    }
    yield CertifiedFigure("verified", VERIFICATION, "checks", value)
    signature = verification.signature
    if signature is not None:
        file = VERIFICATION if signature.state == "unsigned" else SIGNATURE
        yield CertifiedFigure("signed", file, "payload", signature.to_dict())


_ATTACKS: TypeAdapter[tuple[CertifiedAttack, ...]] = TypeAdapter(tuple[CertifiedAttack, ...])


def attacks_of(figure: CertifiedFigure | None) -> tuple[CertifiedAttack, ...]:
    """Return the attacks in a figure, or an empty tuple if the figure does not exist."""
    return () if figure is None else _ATTACKS.validate_python(figure.value)
