"""The figures of a release that support claims, each with the file and the field that contain it.

The figures come from the certificate and from a verification that was just made. A figure that the
verification recomputes is `checked`. A figure that relies on the maker of the release, such as the
risk before treatment, is not checked, and documents state this. A figure consists of numbers,
column names, and the descriptions of rules. The package `reports` turns it into sentences.
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
"""The replacement for a file name if a figure comes from the verification for the determination."""


@dataclass(frozen=True)
class MeasuredRelease:
    """All facts about a release that do not need a person's answer."""

    kind: str  # the name of the release's kind
    certificate: str  # the SHA-256 of the certificate
    software: str
    created: str
    figures: dict[str, CertifiedFigure]
    columns: tuple[str, ...]  # the columns of the source; people may give reasons for them
    released: tuple[str, ...]  # the columns that are released
    unit: str = "record"  # the counted unit: record or person


def measured(
    folder: Path, verification: Verification, allowed: Collection[str] = ()
) -> MeasuredRelease:
    """Return the figures of a release that was just verified."""
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
    """Index the figures by what they measure, and mark those that the verification recomputed."""
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
"""The figures that depend on the guarantee and may depend on facts outside the files."""


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
    """Return the attacks in a figure; empty if there is no such figure."""
    return () if figure is None else _ATTACKS.validate_python(figure.value)
