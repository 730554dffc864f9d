"""What a verification finds: one answer a check, with the evidence in words."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from roadstead.errors import VerificationError
from roadstead.printable import named
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.documents import Fingerprint, fingerprint
from roadstead.release.signing.envelope import SIGNATURE
from roadstead.release.signing.finding import SignatureFinding
from roadstead.release.verification.terms import NO_TERMS, PromiseTerms


@dataclass(frozen=True)
class Check:
    """One thing that was checked, whether it holds, and the evidence in words."""

    check: str
    passed: bool
    detail: str

    @staticmethod
    def of(check: str, wrong: str | None, evidence: str) -> Check:
        """Hold unless something is wrong; that is the detail then, and the evidence otherwise."""
        return Check(check, passed=not wrong, detail=wrong or evidence)


@dataclass(frozen=True)
class Verification:
    """All checks of a release or a table.

    Attributes
    ----------
    checks
        The checks.
    unchecked
        What a release says that nobody can check from its files, in words.
    promise_rests_on
        What a part of the promise itself rests on, because nobody can check it from the files.
    signature
        What was found of the signature of a release; None where nobody looked, as of a table.
    terms
        What is promised, of which columns, and the highest risk of a released record.
    drawn
        Whether the promise rests on chance that no file shows.
    """

    checks: tuple[Check, ...]
    unchecked: tuple[str, ...] = ()
    promise_rests_on: str = ""
    signature: SignatureFinding | None = None
    terms: PromiseTerms = NO_TERMS
    drawn: bool = False

    @property
    def passed(self) -> bool:
        """Whether all checks hold."""
        return all(check.passed for check in self.checks)

    @property
    def promised(self) -> bool:
        """Whether the release promises anything about its quasi-identifiers."""
        return self.terms.promised

    @property
    def reassures(self) -> bool:
        """Whether all checks hold, something is promised, and no record has a risk above 1/2."""
        return self.passed and self.terms.reassures

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that do not hold."""
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
            answer = f"{self.terms.clause}, a highest risk above 1/2"
        return (
            f"<{type(self).__name__}: {answer}; {len(self.checks) - len(self.failed)} of "
            f"{len(self.checks)} checks passed>"
        )

    def require(self, *, where: str) -> None:
        """Raise unless all checks hold; a `VerificationError` names the first that fails."""
        if not self.passed:
            first = self.failed[0]
            raise VerificationError(f"a check fails: {first.check}: {first.detail}", where=where)


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """Write a number with its noun."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def check_file(folder: Path, expected: Fingerprint) -> Check:
    """Check that a file of the folder is a regular one, and the one certified."""
    wrong = None
    try:
        if fingerprint(folder / expected.name) != expected:
            wrong = "the file was changed after certification"
    except FileNotFoundError:
        wrong = "the file is missing"
    except OSError as error:
        wrong = f"the file cannot be read ({error.strerror or type(error).__name__})"
    name = f"{named(expected.name)} is the certified file"
    return Check.of(name, wrong, f"SHA-256 {expected.sha256[:16]}…")


def check_folder(
    folder: Path, certified: Sequence[str], needed: Sequence[str], allowed: Collection[str]
) -> Check:
    """Check that a folder holds all that a release needs, and nothing that is none of it."""
    known = {CERTIFICATE, *certified}
    if SIGNATURE not in certified and os.path.lexists(folder / SIGNATURE):
        known.add(SIGNATURE)  # another check looks at it
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
