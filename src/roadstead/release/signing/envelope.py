"""Read and write the envelope of a signature, which follows DSSE 1.0.

An envelope contains the signed content, the type of the content, and the signatures. The signed
bytes include the type and the lengths (`pre_authentication`), so a signature for one kind of
document is not valid for another kind. The name of a key in an envelope is not signed, so no
decision depends on this name.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import VerificationError
from roadstead.policies.json_document import STRICT
from roadstead.release.documents import json_text, read_document

SIGNATURE = "signature.json"
"""The only file of a release that the certificate does not list."""
IN_TOTO = "application/vnd.in-toto+json"
"""The type of the payload, which is an in-toto statement."""
WHAT = "the signature"
"""The name of the signature file in error messages."""


@checked_dataclass(frozen=True, config=STRICT)
class EnvelopeSignature:
    """A signature in base64, with a hint about the key."""

    sig: str
    keyid: str = ""


@checked_dataclass(frozen=True, config=STRICT)
class Envelope:
    """A payload in base64, with its type and its signatures."""

    payload: str
    payloadType: str  # noqa: N815 - as the specification spells it
    signatures: Annotated[tuple[EnvelopeSignature, ...], Field(min_length=1, max_length=16)]

    @property
    def content(self) -> bytes:
        """Return the signed payload, or raise a `ValueError` if the payload is not base64."""
        return decoded(self.payload)

    @property
    def signed(self) -> bytes:
        """Return the bytes that the signatures cover."""
        return pre_authentication(self.payloadType, self.content)


_ENVELOPE: TypeAdapter[Envelope] = TypeAdapter(Envelope)


def pre_authentication(kind: str, content: bytes) -> bytes:
    """Return the bytes to sign: the type and the content, each preceded by its length in bytes."""
    named = kind.encode()
    return b"DSSEv1 %d %b %d %b" % (len(named), named, len(content), content)


def decoded(text: str) -> bytes:
    """Decode base64 in either alphabet, or raise a `ValueError` for any other text."""
    plain = text.translate(str.maketrans("-_", "+/"))
    return base64.b64decode(plain.encode("ascii"), validate=True)


def encoded(content: bytes) -> str:
    """Encode bytes as base64 in the standard alphabet."""
    return base64.b64encode(content).decode("ascii")


def rendered_envelope(envelope: Envelope) -> bytes:
    """Return an envelope as JSON."""
    return json_text(_ENVELOPE.dump_python(envelope, mode="json")).encode()


def read_envelope(folder: Path) -> Envelope:
    """Read the envelope in a release's folder, or raise a `VerificationError`."""
    path = folder / SIGNATURE
    found = read_document(path, _ENVELOPE, WHAT, where=str(path))
    try:
        found.content  # noqa: B018 - whether it can be read
    except ValueError:
        raise VerificationError(
            f"{WHAT} is damaged in the entry payload", where=str(path)
        ) from None
    return found


def is_envelope(folder: Path) -> bool:
    """Return whether a folder contains a readable signature, whether valid or not."""
    try:
        read_envelope(folder)
    except VerificationError:
        return False
    return True
