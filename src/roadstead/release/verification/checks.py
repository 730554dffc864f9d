"""Represent the result of a verification, with the evidence for each check."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from roadstead.errors import VerificationError
from roadstead.printable import named
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.documents import Fingerprint, fingerprint
from roadstead.release.ledger.facts import Overlay, OverlayFinding
from roadstead.release.signing.envelope import SIGNATURE
from roadstead.release.signing.finding import SignatureFinding
from roadstead.release.verification.terms import NO_TERMS, PromiseTerms


@dataclass(frozen=True)
class Check:
    """A check: whether it passed, and the evidence in words."""

    check: str
    passed: bool
    detail: str

    @staticmethod
    def of(check: str, wrong: str | None, evidence: str) -> Check:
        """Return a check that fails with the reason `wrong`, or passes with the evidence."""
        return Check(check, passed=not wrong, detail=wrong or evidence)


@dataclass(frozen=True)
class Verification:
    """All checks of a release or a table.

    Attributes
    ----------
    checks
        The checks.
    unchecked
        The statements of the release that the files alone cannot confirm, in words.
    promise_rests_on
        The facts, in words, on which the privacy requirements depend, and which the files cannot
        confirm.
    signature
        The result of checking the signature of a release; None for a table.
    terms
        The privacy requirements, their columns, and the highest risk of a released record.
    drawn
        Whether the privacy requirements depend on random choices that no file shows.
    earlier
        The certified comparison with earlier releases; None if no ledger was used.
    """

    checks: tuple[Check, ...]
    unchecked: tuple[str, ...] = ()
    promise_rests_on: str = ""
    signature: SignatureFinding | None = None
    terms: PromiseTerms = NO_TERMS
    drawn: bool = False
    earlier: Overlay | None = None

    @property
    def passed(self) -> bool:
        """Return whether all checks passed."""
        return all(check.passed for check in self.checks)

    @property
    def promised(self) -> bool:
        """Return whether a privacy requirement applies to the quasi-identifiers."""
        return self.terms.promised

    @property
    def reassures(self) -> bool:
        """Return whether all checks passed, a requirement applies, and no person is at high risk.

        If earlier releases could not be compared, it is unknown whether they single out people.
        """
        known = not self.singled_out and not self.uncompared
        return self.passed and self.terms.reassures and known

    @property
    def uncompared(self) -> bool:
        """Return whether the certified comparison does not include all earlier releases."""
        return self.earlier is not None and self.earlier.incomplete

    @property
    def singled_out(self) -> tuple[OverlayFinding, ...]:
        """Return the certified groups of too few people that this and earlier releases reveal."""
        return () if self.earlier is None else self.earlier.findings

    @property
    def failed(self) -> tuple[Check, ...]:
        """Return the checks that failed."""
        return tuple(check for check in self.checks if not check.passed)

    def __repr__(self) -> str:
        answer = (
            f"FAILED, first {self.failed[0].check!r}"
            if self.failed
            else "no privacy requirement applies"
        )
        if self.reassures:
            answer = f"passed, {self.terms.clause}"
        elif self.passed and self.promised:
            why = "a highest risk above 1/2"
            if self.singled_out and self.terms.reassures:
                why = "but earlier releases and this release single out people"
            elif self.terms.reassures:
                why = "but not compared with all earlier releases"
            answer = f"{self.terms.clause}, {why}"
        return (
            f"<{type(self).__name__}: {answer}; {len(self.checks) - len(self.failed)} of "
            f"{len(self.checks)} checks passed>"
        )

    def require(self, *, where: str) -> None:
        """Raise a `VerificationError` that names the first failed check, if there is one."""
        if not self.passed:
            first = self.failed[0]
            raise VerificationError(f"a check failed: {first.check}: {first.detail}", where=where)


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """Return a number, followed by its noun in the singular or plural."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def check_file(folder: Path, expected: Fingerprint) -> Check:
    """Check that a file in the folder is a regular file and is identical to the certified file."""
    wrong = None
    try:
        if fingerprint(folder / expected.name) != expected:
            wrong = "the file was changed after certification"
    except FileNotFoundError:
        wrong = "the file is missing"
    except OSError as error:
        wrong = f"the file cannot be read ({error.strerror or type(error).__name__})"
    name = f"{named(expected.name)} matches the certificate"
    return Check.of(name, wrong, f"SHA-256 {expected.sha256[:16]}…")


def check_folder(
    folder: Path, certified: Sequence[str], needed: Sequence[str], allowed: Collection[str]
) -> Check:
    """Check that a folder contains all files of a release, and no other files."""
    known = {CERTIFICATE, *certified}
    if SIGNATURE not in certified and os.path.lexists(folder / SIGNATURE):
        known.add(SIGNATURE)  # a separate check covers it
    missing = [name for name in needed if name not in certified]
    present = {entry.name for entry in folder.iterdir()}
    others = sorted(present - known | (set(certified) - {*needed, *allowed}))
    wrong = None
    if others:
        wrong = f"the folder also contains {named(others[0])!r}"
    elif len(certified) != len(set(certified)):
        wrong = "a file is listed twice in the certificate"
    elif missing:
        wrong = f"{missing[0]} is not in the certificate"
    return Check.of("the folder contains no other files", wrong, counted(len(known), "file"))
