"""The certificate of a differentially private release: what it guarantees, and what it cost.

It holds no exact count of the table, not even how many records there are or were left out: those
are data like any other. All its numbers are noisy, public, or chosen by whoever made the release.

It ends with a seal, the SHA-256 of itself without the seal. That shows whatever was changed by
mistake. Somebody who knows how it is made can make it anew; it is not a signature.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.differential.budget import Grant
from roadstead.errors import VerificationError
from roadstead.regular_files import content_of
from roadstead.release.certificate import CERTIFICATE, files_of, unchanged_files
from roadstead.release.documents import STRICT, Fingerprint, json_text, read_document
from roadstead.release.private import promise

_KIND = "roadstead_private_certificate"

Exact: TypeAlias = Annotated[str, Field(pattern=r"^[0-9]+(/[0-9]+)?$", max_length=1000)]
"""A fraction as text."""

Amount: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""The same as a number, rounded."""

Number: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]


@checked_dataclass(frozen=True, config=STRICT)
class LedgerEntry:
    """An entry of the ledger: a step, what it cost as a number, and exactly."""

    step: str
    epsilon: Amount
    exact: Exact


@checked_dataclass(frozen=True, config=STRICT)
class Released:
    """What is in the tables."""

    groups: Number  # listed
    records: Number
    all_groups: Number  # that the cuts make, listed or not
    least: Annotated[int, Field(ge=1, lt=2**63)]  # the least noisy count that is listed


@checked_dataclass(frozen=True, config=STRICT)
class PrivateCertificate:
    """A certificate."""

    guarantee: str  # what holds of the release, in words
    epsilon: Amount
    exact: Exact
    neighbors: str  # which tables must be hard to distinguish
    unit: str  # what one of them has more
    ledger: tuple[LedgerEntry, ...]
    spent: Exact  # the sum of the ledger
    specializations: tuple[str, ...]  # in order, in words
    mechanisms: tuple[str, ...]
    randomness: str
    public: tuple[str, ...]  # what was declared and not read off the table
    outside: str  # what became of values that no domain has
    post_processing: str  # how the records released came from the noisy counts
    not_protected: tuple[str, ...]
    released: Released
    files: tuple[Fingerprint, ...]
    source: str  # the name of the table's file
    settings: dict[str, Any]  # the request
    software: str  # version of Roadstead
    created: str  # in UTC
    seal: str = ""  # SHA-256 of the certificate with an empty seal
    roadstead_private_certificate: Literal[1] = 1  # version of this format, and of the words


_CERTIFICATE: TypeAdapter[PrivateCertificate] = TypeAdapter(PrivateCertificate)


def ledger_entries(ledger: Sequence[Grant]) -> tuple[LedgerEntry, ...]:
    """Write a ledger down."""
    return tuple(LedgerEntry(one.step, float(one.epsilon), str(one.epsilon)) for one in ledger)


def words(
    epsilon: Fraction, unit: str, ledger: Sequence[LedgerEntry], settings: dict[str, Any]
) -> dict[str, Any]:
    """Give the entries of a certificate that are words, as they follow from its numbers."""
    return {
        "guarantee": promise.guarantee(epsilon, unit, settings),
        "neighbors": promise.neighbors(unit),
        "mechanisms": promise.mechanisms([one.step for one in ledger]),
        "randomness": promise.RANDOMNESS,
        "outside": promise.outside(settings),
        "post_processing": promise.POST_PROCESSING,
        "not_protected": promise.not_protected(settings),
    }


def rendered(certificate: PrivateCertificate) -> bytes:
    """Write a certificate as JSON; there is one way to write each."""
    document = _CERTIFICATE.dump_python(certificate, mode="json")
    document = {_KIND: document.pop(_KIND), **document}
    return json_text(document).encode()


def sealed(certificate: PrivateCertificate) -> PrivateCertificate:
    """Put the seal on a certificate."""
    bare = replace(certificate, seal="")
    return replace(certificate, seal=hashlib.sha256(rendered(bare)).hexdigest())


def is_private(folder: Path) -> bool:
    """Whether the certificate in a folder says that the release is differentially private."""
    try:
        document = json.loads(content_of(folder / CERTIFICATE, own=True))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and _KIND in document


def read_private_certificate(path: Path) -> PrivateCertificate:
    """Read a certificate; a `VerificationError` if there is none."""
    fix = "name the folder of a release"
    return read_document(path, _CERTIFICATE, "the certificate", where=str(path), fix=fix)


def private_files_of(folder: Path) -> frozenset[str]:
    """Name the files in a folder that are still those of a release, as `files_of` does."""
    if not is_private(folder):
        return files_of(folder)
    try:
        certificate = read_private_certificate(folder / CERTIFICATE)
    except VerificationError:
        return frozenset()
    return unchanged_files(folder, certificate.files)
