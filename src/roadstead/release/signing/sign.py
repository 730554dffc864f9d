"""Sign a release by adding a signature file to its folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from roadstead import __version__
from roadstead.errors import OutputError
from roadstead.front_end import option
from roadstead.regular_files import write_flushed
from roadstead.release.kind import signed_files
from roadstead.release.leftovers import at_work, put_right
from roadstead.release.signing.envelope import (
    IN_TOTO,
    SIGNATURE,
    Envelope,
    EnvelopeSignature,
    encoded,
    pre_authentication,
    rendered_envelope,
)
from roadstead.release.signing.finding import SignatureFinding
from roadstead.release.signing.keys import SigningKey
from roadstead.release.signing.statement import (
    ReleaseSigned,
    Signer,
    rendered_statement,
    statement_of,
)


def sign_release(
    folder: Path,
    key: SigningKey,
    signer: str,
    *,
    role: str | None = None,
    signed: date,
    expires: date | None = None,
    force: bool = False,
) -> SignatureFinding:
    """Write the signature of a release, and return the signed content.

    The caller must first check that the release passes verification. The function raises an
    `OutputError` if the file cannot be written, or if the release is already signed and `force` is
    false.
    """
    require_unsigned(folder, force=force)
    public = key.public
    predicate = ReleaseSigned(
        signer=Signer(name=signer, role=role, publicKey=public.text),
        signed=signed,
        expires=expires,
        software=__version__,
    )
    content = rendered_statement(statement_of(signed_files(folder), predicate))
    made = EnvelopeSignature(keyid=public.id, sig=key.sign(pre_authentication(IN_TOTO, content)))
    envelope = Envelope(payload=encoded(content), payloadType=IN_TOTO, signatures=(made,))
    _write(folder, rendered_envelope(envelope))
    return SignatureFinding("trusted", signer, role, public.id, signed, expires)


def require_unsigned(folder: Path, *, force: bool) -> None:
    """Raise an error for a release that is already signed, unless `force` is true."""
    if os.path.lexists(folder / SIGNATURE) and not force:
        raise OutputError(
            "the release is already signed",
            where=str(folder),
            fix=f"to replace the signature, give {option('force', value=True)}",
        )


def _write(folder: Path, content: bytes) -> None:
    """Write the signature next to the folder, and then move the complete file into the folder.

    An extra file in the folder would make the release invalid. With this method, the folder does
    not contain an extra file even if the process is killed. The next run removes anything that a
    killed process left next to the folder.
    """
    target = folder.resolve()
    with _explained(folder):
        put_right(target, lambda _: frozenset())
        with at_work(target) as aside:
            aside.part.mkdir(mode=0o700)
            made = aside.part / SIGNATURE
            try:
                write_flushed(made.open("xb"), content)
                made.replace(target / SIGNATURE)
            finally:
                made.unlink(missing_ok=True)
                aside.part.rmdir()


@contextlib.contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise OutputError(
            f"the signature cannot be written ({why})",
            where=str(folder),
            fix="sign a copy of the release in a folder where you can write",
        ) from None
