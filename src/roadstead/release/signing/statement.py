"""Define the content that is signed, which is an in-toto statement.

The statement follows version 1 of the specification. The subjects of the statement are the
certificate and every file that the certificate lists, each with its SHA-256 hash. The predicate
contains the signer, the role, the public key, the day of the signature, and the last valid day if
there is one.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Literal

from pydantic import Field, Strict, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.policies.json_document import STRICT
from roadstead.release.documents import Fingerprint, document_of, json_text
from roadstead.release.signing.envelope import SIGNATURE, WHAT

STATEMENT: Literal["https://in-toto.io/Statement/v1"] = "https://in-toto.io/Statement/v1"
RELEASE_SIGNED: Literal["urn:roadstead:release-signed:v1"] = "urn:roadstead:release-signed:v1"
"""The type of the predicate."""
LONGEST = 200
"""The largest number of characters in a signer's name or role."""

Day = Annotated[date, Strict()]
"""A day, written like 2027-06-30."""
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


@checked_dataclass(frozen=True, config=STRICT)
class Digest:
    """The digest of a file."""

    sha256: Sha256


@checked_dataclass(frozen=True, config=STRICT)
class Subject:
    """A file that the signature covers."""

    name: Annotated[str, Field(pattern="^[^/]+$")]
    digest: Digest


@checked_dataclass(frozen=True, config=STRICT)
class Signer:
    """The name and role that the signer states, and the public key in base64 (DER)."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    publicKey: str  # noqa: N815 - spelled as the rest of a statement is
    role: Annotated[str, Field(min_length=1, max_length=LONGEST)] | None = None


@checked_dataclass(frozen=True, config=STRICT)
class ReleaseSigned:
    """The predicate of the statement: the signer, the day, the software, and the last valid day."""

    signer: Signer
    signed: Day
    software: str
    expires: Day | None = None


@checked_dataclass(frozen=True, config=STRICT)
class Statement:
    """An in-toto statement about the files of a release."""

    subject: Annotated[tuple[Subject, ...], Field(min_length=1)]
    predicate: ReleaseSigned
    type: Annotated[Literal["https://in-toto.io/Statement/v1"], Field(alias="_type")] = STATEMENT
    predicateType: Literal["urn:roadstead:release-signed:v1"] = RELEASE_SIGNED  # noqa: N815 - as above

    @property
    def digests(self) -> dict[str, str]:
        """Return the SHA-256 hash of each file."""
        return {one.name: one.digest.sha256 for one in self.subject}


_STATEMENT: TypeAdapter[Statement] = TypeAdapter(Statement)


def statement_of(files: Iterable[Fingerprint], predicate: ReleaseSigned) -> Statement:
    """Return a statement about the given files."""
    subjects = (Subject(name=one.name, digest=Digest(sha256=one.sha256)) for one in files)
    return Statement(subject=tuple(subjects), predicate=predicate)


def rendered_statement(statement: Statement) -> bytes:
    """Return a statement as JSON, with the fields in the order of the specification."""
    document = _STATEMENT.dump_python(statement, mode="json", by_alias=True, exclude_none=True)
    order = ("_type", "subject", "predicateType", "predicate")
    return json_text({key: document[key] for key in order}).encode()


def read_statement(content: bytes, *, where: str) -> Statement:
    """Read a statement about a release, or raise a `VerificationError`."""
    return document_of(content, _STATEMENT, f"{WHAT}'s statement", where=f"{where}, {SIGNATURE}")
