"""The figures of a release that claims can rest on: each with the field of the file that has it.

Figures are taken from the certificate and from a verification made just now. What a verification
works out again is `checked`; what rests on the word of whoever made the release, such as the risk
before, is not, and documents say so. A figure has numbers and names of columns, and no words but
those of rules: sentences are made of it in `reports`.
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
"""Stands for a file where a figure is of the verification made for the determination."""


@dataclass(frozen=True)
class MeasuredRelease:
    """All that is known of a release without asking anybody."""

    kind: str  # what the kind of the release is called
    certificate: str  # its SHA-256
    software: str
    created: str
    figures: dict[str, CertifiedFigure]
    columns: tuple[str, ...]  # of the source, which somebody may give reasons for
    released: tuple[str, ...]  # those of them that are released
    unit: str = "record"  # what is counted: records, or persons


def measured(
    folder: Path, verification: Verification, allowed: Collection[str] = ()
) -> MeasuredRelease:
    """Gather the figures of a release that was just verified."""
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
    """Say of each figure whether the verification worked it out, and give them by what they are."""
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
"""What rests on the promise, and may rest on what no file shows."""


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
    """Read attacks from their figure; none where there is no such figure."""
    return () if figure is None else _ATTACKS.validate_python(figure.value)
