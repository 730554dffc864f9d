"""Check that a signature is valid and trusted, covers the files, and has not expired.

A signature contains its own public key, so anyone can check that the signature is valid. However,
this key does not show who signed the release, because any person can sign the same files again
under any name. So the signer's name is trusted only if the recipient received the key from another
source. Until then, the signature is only a claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from roadstead.errors import VerificationError
from roadstead.printable import named
from roadstead.release.kind import signed_files
from roadstead.release.signing.envelope import IN_TOTO, SIGNATURE, Envelope, read_envelope
from roadstead.release.signing.finding import SignatureFinding
from roadstead.release.signing.keys import PublicKey, public_key_of, short
from roadstead.release.signing.statement import Statement, read_statement
from roadstead.release.verification.checks import Check, Verification, counted

_CLOCKS_APART = timedelta(days=1)
"""The longest time by which the signer's date may be ahead of the recipient's date."""


def with_signature(
    verification: Verification, folder: Path, trusted: Sequence[PublicKey], today: date
) -> Verification:
    """Add the result of the signature check to the verification of a release."""
    finding, checks = check_signature(folder, trusted, today)
    return replace(verification, checks=(*verification.checks, *checks), signature=finding)


def check_signature(
    folder: Path, trusted: Sequence[PublicKey], today: date
) -> tuple[SignatureFinding, tuple[Check, ...]]:
    """Check the signature of a release. The signature must be made with one of the `trusted` keys.

    If there are no trusted keys, a valid signature is only a claim, and a release without a
    signature passes.
    """
    if not _is_there(folder):
        unsigned = _by_trusted(None, trusted, "the release is not signed")
        return SignatureFinding("unsigned"), (unsigned,) if trusted else ()
    try:
        envelope, statement, own = _read(folder)
    except VerificationError as error:
        check = Check("the signature can be read", passed=False, detail=error.what)
        return SignatureFinding("broken"), (check,)
    maker = next((key for key in (*trusted, own) if _made_with(envelope, key)), None)
    wrong = None if maker else "the signature was changed, or it was made with another key"
    whole = Check.of("the signature is valid", wrong, f"Ed25519, key {short((maker or own).id)}")
    files = _check_files(folder, statement)
    checks = (whole, files, *_check_days(statement, today))
    found = _found(statement, maker or own)
    by = maker if maker in trusted else None
    if trusted:
        checks = (*checks, _by_trusted(by, trusted, _stranger(maker, own)))
    if not (whole.passed and files.passed):
        return found, checks
    if not trusted:
        return replace(found, state="claimed"), checks
    return replace(found, state="trusted" if by else "stranger"), checks


def _is_there(folder: Path) -> bool:
    path = folder / SIGNATURE
    return path.exists() or path.is_symlink()


def _read(folder: Path) -> tuple[Envelope, Statement, PublicKey]:
    """Return the content that was signed, and the key in the signature.

    If the signature is unreadable, a `VerificationError` is raised.
    """
    where = str(folder)
    envelope = read_envelope(folder)
    if envelope.payloadType != IN_TOTO:
        what = f"the payload of the signature is {named(envelope.payloadType)}, not {IN_TOTO}"
        raise VerificationError(what, where=where)
    statement = read_statement(envelope.content, where=where)
    try:
        return envelope, statement, public_key_of(statement.predicate.signer.publicKey)
    except ValueError:
        raise VerificationError(
            "the public key in the signature is not valid", where=where
        ) from None


def _made_with(envelope: Envelope, key: PublicKey) -> bool:
    return any(key.fits(one.sig, envelope.signed) for one in envelope.signatures)


def _found(statement: Statement, key: PublicKey) -> SignatureFinding:
    said = statement.predicate
    name, role = said.signer.name, said.signer.role
    return SignatureFinding("broken", name, role, key.id, said.signed, said.expires)


def _by_trusted(by: PublicKey | None, trusted: Sequence[PublicKey], wrong: str) -> Check:
    name = (
        "the release is signed with the expected key"
        if len(trusted) == 1
        else "the release is signed with an expected key"
    )
    return Check.of(name, None if by else wrong, "" if by is None else f"key {short(by.id)}")


def _stranger(maker: PublicKey | None, own: PublicKey) -> str:
    if maker is None:
        return "the signature is not valid"
    return (
        f"the release is signed with a different key, {short(own.id)}; do not trust the name "
        "in the signature"
    )


def _check_files(folder: Path, statement: Statement) -> Check:
    present = {one.name: one.sha256 for one in signed_files(folder)}
    signed, wrong = statement.digests, None
    if len(signed) != len(statement.subject):
        wrong = "a file is listed twice in the signature"
    elif others := sorted(present.keys() ^ signed.keys()):
        wrong = f"{named(others[0])} is {'not ' if others[0] in present else ''}signed"
        wrong += "" if others[0] in present else ", and is not part of the release"
    elif changed := [name for name in present if present[name] != signed[name]]:
        wrong = f"{named(changed[0])} was changed after it was signed"
    return Check.of("the signature is for this release", wrong, counted(len(signed), "file"))


def _check_days(statement: Statement, today: date) -> tuple[Check, ...]:
    said, checks = statement.predicate, []
    if said.signed - today > _CLOCKS_APART:
        wrong = f"the signature is from {said.signed.isoformat()}, which is in the future"
        checks.append(
            Check("the day of the signature is not in the future", passed=False, detail=wrong)
        )
    if said.expires is not None:
        last, past = said.expires.isoformat(), counted((today - said.expires).days, "day")
        wrong = f"the signature expired on {last} (UTC), {past} before {today.isoformat()}"
        checks.append(
            Check.of(
                "the signature has not expired",
                wrong if today > said.expires else None,
                f"valid until {last} (UTC)",
            )
        )
    return tuple(checks)
