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

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.differential.attribute_cuts import AttributeCut
from roadstead.differential.budget import Grant
from roadstead.errors import VerificationError
from roadstead.printable import named
from roadstead.regular_files import content_of
from roadstead.release.certificate import (
    CERTIFICATE,
    Fingerprint,
    files_of,
    is_unchanged,
    json_text,
    require_said_once,
)
from roadstead.release.private import promise as private_promise

_STRICT = ConfigDict(extra="forbid")
_KIND = "roadstead_private_certificate"

Exact: TypeAlias = Annotated[str, Field(pattern=r"^[0-9]+(/[0-9]+)?$", max_length=1000)]
"""A fraction as text."""

Amount: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""The same as a number, rounded."""

Number: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]


@checked_dataclass(frozen=True, config=_STRICT)
class LedgerEntry:
    """An entry of the ledger: a step, what it cost as a number, and exactly."""

    step: str
    epsilon: Amount
    exact: Exact


@checked_dataclass(frozen=True, config=_STRICT)
class Released:
    """What is in the tables.

    Attributes
    ----------
    groups
        Groups that are listed.
    records
        Records released.
    all_groups
        Groups that the cuts make, listed or not.
    least
        The least noisy count that is listed.
    """

    groups: Number
    records: Number
    all_groups: Number
    least: Annotated[int, Field(ge=1, lt=2**63)]


@checked_dataclass(frozen=True, config=_STRICT)
class PrivateCertificate:
    """A certificate.

    Attributes
    ----------
    guarantee
        What holds of the release, in words.
    epsilon, exact
        The privacy budget as a number, and exactly.
    neighbors, unit
        Which tables must be hard to tell apart; what one of them has more.
    ledger, spent
        What the budget was spent on, and the exact sum.
    specializations
        The specializations in order, in words.
    mechanisms, randomness
        How chance entered.
    public
        What was declared and not read off the table.
    outside
        What became of values that no domain has.
    post_processing
        How the records released came from the noisy counts.
    not_protected
        What the guarantee does not cover.
    released
        What is in the tables.
    files
        Fingerprints of the files beside it.
    source
        The name of the table's file.
    settings
        What was asked for.
    software, created
        Version of Roadstead, and the time in UTC.
    seal
        SHA-256 of the certificate with an empty seal.
    roadstead_private_certificate
        Version of this format, and of the words.
    """

    guarantee: str
    epsilon: Amount
    exact: Exact
    neighbors: str
    unit: str
    ledger: tuple[LedgerEntry, ...]
    spent: Exact
    specializations: tuple[str, ...]
    mechanisms: tuple[str, ...]
    randomness: str
    public: tuple[str, ...]
    outside: str
    post_processing: str
    not_protected: tuple[str, ...]
    released: Released
    files: tuple[Fingerprint, ...]
    source: str
    settings: dict[str, Any]
    software: str
    created: str
    seal: str = ""
    roadstead_private_certificate: Literal[1] = 1


_CERTIFICATE: TypeAdapter[PrivateCertificate] = TypeAdapter(PrivateCertificate)


def ledger_entries(ledger: Sequence[Grant]) -> tuple[LedgerEntry, ...]:
    """Write a ledger down."""
    return tuple(LedgerEntry(one.step, float(one.epsilon), str(one.epsilon)) for one in ledger)


def words(
    epsilon: Fraction, unit: str, ledger: Sequence[LedgerEntry], settings: dict[str, Any]
) -> dict[str, Any]:
    """Give the entries of a certificate that are words, as they follow from its numbers."""
    return {
        "guarantee": private_promise.guarantee(epsilon, unit, settings),
        "neighbors": private_promise.neighbors(unit),
        "mechanisms": private_promise.mechanisms([one.step for one in ledger]),
        "randomness": private_promise.RANDOMNESS,
        "outside": private_promise.outside(settings),
        "post_processing": private_promise.POST_PROCESSING,
        "not_protected": private_promise.not_protected(settings),
    }


def public_words(
    cuts: Sequence[AttributeCut], target: str, classes: Sequence[str]
) -> tuple[str, ...]:
    """Say what was declared, as the certificate does."""
    return private_promise.public(cuts, target, classes)


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
    """Read a certificate.

    Raises
    ------
    VerificationError
        There is none, or it is not one.
    """
    try:
        content = content_of(path, own=True)
        require_said_once(content, where=str(path))
        return _CERTIFICATE.validate_json(content)
    except FileNotFoundError:
        raise VerificationError(
            "there is no certificate", where=str(path), fix="name the folder of a release"
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(named(str(part)) for part in first["loc"]) or "the document"
        raise VerificationError(f"the certificate is damaged at {place}", where=str(path)) from None
    except OSError as error:
        raise VerificationError(
            f"the certificate cannot be read ({error.strerror})", where=str(path)
        ) from None


def private_files_of(folder: Path) -> frozenset[str]:
    """Name the files in a folder that are still those of a release, differentially private or not.

    A folder without a certificate that can be read is no release, and the answer is empty. A file
    that was changed or put in the place of another is somebody's, and not named.
    """
    if not is_private(folder):
        return files_of(folder)
    try:
        certificate = read_private_certificate(folder / CERTIFICATE)
    except VerificationError:
        return frozenset()
    unchanged = (file.name for file in certificate.files if is_unchanged(folder, file))
    return frozenset({CERTIFICATE, *unchanged})
