"""Define differentially private releases, with noisy counts or synthetic records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from roadstead.release.certificate import CERTIFICATE
from roadstead.release.documents import Fingerprint, TableForm
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.facts import CertifiedFigure, ReleaseFacts, amount, figure
from roadstead.release.kind import ReleaseKind
from roadstead.release.private.certificate import (
    PrivateCertificate,
    read_private_certificate,
    rendered,
    sealed,
)
from roadstead.release.private.guarantee import declared_words, guarantee, mechanisms
from roadstead.release.private.tables import RECORDS, read_private
from roadstead.release.private.verify import verify_private
from roadstead.release.shown import ShownRelease
from roadstead.release.verification.checks import Verification
from roadstead.tables.source import Source

_FORM = TableForm(kind="csv", delimiter=",", encoding="utf-8", header=True)


@dataclass(frozen=True)
class NoisyRelease(ReleaseKind):
    """A differentially private release."""

    folder: Path
    name: ClassVar = "private"
    mark: ClassVar = "roadstead_private_certificate"
    noisy: ClassVar = True
    checked: ClassVar = frozenset({"verified", "files", "records"})

    @cached_property
    def _certificate(self) -> PrivateCertificate:
        return read_private_certificate(self.folder / CERTIFICATE)

    @property
    def files(self) -> tuple[Fingerprint, ...]:
        """Return the fingerprints of all files except the certificate."""
        return self._certificate.files

    @property
    def facts(self) -> ReleaseFacts:
        """Return the privacy guarantee. A release of this kind has no measured classes."""
        certificate = self._certificate
        return ReleaseFacts.lacking(
            "a differentially private release does not have this figure",
            epsilon=Fraction(certificate.exact),
            delta=certificate.delta,
            columns=certificate.columns,
            quasi=(),
            attacks=certificate.attacks or (),
            software=certificate.software,
            created=certificate.created,
        )

    def figures(self) -> Iterator[CertifiedFigure]:
        """Return the figures that a claim can refer to."""
        return _figures(self._certificate)

    def verify(self, table: Source | None, allowed: Collection[str]) -> Verification:  # noqa: ARG002 - it has neither
        """Check the release from its files alone."""
        return verify_private(self.folder)

    def shown(self, allowed: Collection[str], done: str) -> ShownRelease:  # noqa: ARG002 - nothing refuses it
        """Return the released records, which were generated from noisy counts."""
        private = read_private(self.folder)
        certificate = private.certificate
        quasi = tuple(cut.attribute for cut in private.listed.groups.cuts)
        sensitive = () if private.target is None else (private.target,)
        missing = Fingerprint(RECORDS, "", 0)  # No file has this fingerprint.
        return ShownRelease(
            self.folder,
            next((one for one in certificate.files if one.name == RECORDS), missing),
            _FORM,
            quasi=quasi,
            sensitive=sensitive,
            released=(*quasi, *sensitive),
            promise=f"epsilon = {amount(Fraction(certificate.exact))}",
            epsilon=float(certificate.epsilon),
            delta=certificate.delta,
            private=private,
        )

    def with_attacks(
        self, files: Sequence[Fingerprint], attacks: Sequence[CertifiedAttack]
    ) -> bytes:
        """Return the certificate with the given files, the results of attacks, and a new seal."""
        made = replace(self._certificate, files=tuple(files), attacks=tuple(attacks))
        return rendered(sealed(made))


def _figures(certificate: PrivateCertificate) -> Iterator[CertifiedFigure]:
    unit, steps = certificate.privacy_unit, [one.step for one in certificate.ledger]
    promise = guarantee(Fraction(certificate.exact), unit, certificate.settings)
    yield figure("promise", "exact, protects, settings", promise)
    yield figure("models", "exact, protects", ["differential privacy"])
    yield figure("epsilon", "epsilon, protects", [certificate.epsilon, unit.words])
    files = [[one.name, one.sha256, one.bytes] for one in certificate.files]
    yield figure("files", "files", files)
    variables = [[one.column, "public", declared_words(one)] for one in certificate.public]
    yield figure("variables", "public", variables)
    yield figure("treatment", "ledger", [["", one] for one in mechanisms(steps, unit.rows)])
    numbers = {"records": None, "released": certificate.released.records, "masked": 0, "dropped": 0}
    yield figure("records", "released", numbers)
    sample = certificate.delta > 0.0
    linkage = "sampled" if sample else "synthetic"
    yield figure("link", "protects", {"linkage": linkage, "pseudonyms": None})
