"""The certificate: what a release promises, measured, so that somebody else can check it.

It holds the promise, the policy, the measured risk and loss, the counts, the fingerprints of the
released table and of the files beside it, and how the policy was found. It holds no value of the
data. Where a privacy model compares classes with a population, it says how many people are in each
class released. Of a table in a database it says neither the host nor who put it there.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import PolicyError, VerificationError, quoted
from roadstead.front_end import option
from roadstead.policies.document import Policy, from_json, to_json
from roadstead.printable import named, printable_json
from roadstead.regular_files import content_of, opened
from roadstead.release.added_risk import AddedRisk

CERTIFICATE = "certificate.json"
POLICY = "policy.json"
REPORT = "report.html"
_BLOCK = 1 << 20
_LENIENT = ConfigDict(extra="allow")
_STRICT = ConfigDict(extra="forbid")
_KINDS = ("Fingerprint", "TableFingerprint")
"""Which of two kinds of fingerprint is tried, which says nothing about where the damage is."""


People: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]
"""A number of people, or of records."""


@checked_dataclass(frozen=True, config=_STRICT)
class Fingerprint:
    """A file of the release: its name, SHA-256 and size in bytes."""

    name: Annotated[str, Field(pattern="^[^/]+$")]
    sha256: str
    bytes: int


@checked_dataclass(frozen=True, config=_STRICT)
class TableFingerprint:
    """A released table in a database.

    Attributes
    ----------
    name
        What it is called there, with its schema where one was named.
    engine
        The kind of database.
    records
        How many rows it has.
    content
        What `roadstead.tables.content.content_digest` makes of it, in any order of its rows.
    """

    name: str
    engine: str
    records: Annotated[int, Field(ge=0)]
    content: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


@checked_dataclass(frozen=True, config=_STRICT)
class TableForm:
    """How the released table is written, for who reads it back.

    Attributes
    ----------
    kind
        The kind of file, or ``table`` for one in a database.
    delimiter, quote, encoding, header, compressed, newline
        The dialect of a text file; None in others.
    columns
        The columns of a text file without a header.
    """

    kind: Literal["csv", "parquet", "table"]
    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    header: bool | None = None
    compressed: bool | None = None
    newline: str | None = None
    columns: tuple[str, ...] | None = None


@checked_dataclass(frozen=True, config=_STRICT)
class Counts:
    """Records in and out.

    Attributes
    ----------
    records
        Records of the source.
    released
        Records of the release, masked ones included.
    suppressed
        Records whose quasi-identifiers were not released: masked and dropped.
    masked, dropped
        Suppressed records kept with ``*``, and left out.
    """

    records: People
    released: People
    suppressed: People
    masked: People
    dropped: People


@checked_dataclass(frozen=True, config=_STRICT)
class MeasuredRisk:
    """Prosecutor risk of the records released with their quasi-identifiers, and of the source."""

    maximum: float
    average: float
    classes: int
    smallest_class: int
    maximum_before: float
    average_before: float


@checked_dataclass(frozen=True, config=_STRICT)
class IdentifierReleased:
    """A released column that looks like one of the eighteen identifiers of Safe Harbor.

    Attributes
    ----------
    column, number, identifier
        The column, and the number and name of what it looks like.
    forced
        Whether it was released by name, against the rule.
    """

    column: str
    number: int
    identifier: str
    forced: bool


@checked_dataclass(frozen=True, config=_LENIENT)
class Certificate:
    """A certificate.

    Attributes
    ----------
    promise
        What holds of the release, in words.
    table
        Fingerprint of the released table.
    files
        Fingerprints of the other files.
    policy
        The policy applied.
    counts, risk
        Counts and risk as measured.
    loss
        The loss and the loss by attribute, with the model's settings; None where a policy was
        applied to new data and no hierarchy was at hand to measure it with.
    search
        How the policy was found, and what is proven of it; None where it was given.
    settings
        What was asked for.
    software, created
        Version of Roadstead, and the time in UTC.
    format
        How the table is written.
    seed
        Seed of random choices; None when there were none.
    population
        People of the population in each class of the release, in the order of the frequency table
        of its quasi-identifiers; None where no privacy model looks at them.
    added
        How many records the other released columns tell apart; None in older certificates.
    identifiers
        Released columns that look like an identifier, those released by name among them.
    expected_below_k
        Released records with fewer than k people of the population behind them, counted or
        estimated; None where no privacy model asks for a number of people.
    roadstead_certificate
        Version of this format.
    """

    promise: str
    table: Fingerprint | TableFingerprint
    files: tuple[Fingerprint, ...]
    policy: dict[str, Any]
    counts: Counts
    risk: MeasuredRisk
    loss: dict[str, Any] | None
    search: dict[str, Any] | None
    settings: dict[str, Any]
    software: str
    created: str
    format: TableForm
    seed: int | None = None
    population: tuple[People, ...] | None = None
    added: AddedRisk | None = None
    identifiers: tuple[IdentifierReleased, ...] = ()
    expected_below_k: dict[str, Any] | None = None
    roadstead_certificate: Literal[1] = 1

    @property
    def all_files(self) -> tuple[Fingerprint, ...]:
        """Fingerprints of all files of the release; the table's, where it is one, is the first."""
        return (*([self.table] if isinstance(self.table, Fingerprint) else []), *self.files)


_CERTIFICATE: TypeAdapter[Certificate] = TypeAdapter(Certificate)


def fingerprint(path: Path) -> Fingerprint:
    """Work out the SHA-256 and size of a file, which must be a regular one and no link.

    Raises
    ------
    OSError
        It is not there, is something else, or cannot be read.
    """
    digest, size = hashlib.sha256(), 0
    with opened(path, own=True) as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return Fingerprint(path.name, digest.hexdigest(), size)


def write_certificate(certificate: Certificate, path: Path) -> None:
    """Write a certificate as JSON."""
    document = _CERTIFICATE.dump_python(certificate, mode="json")
    head = {"roadstead_certificate": document.pop("roadstead_certificate")}
    for absent in ("population", "expected_below_k", "added"):
        if document[absent] is None:
            del document[absent]
    write_json({**head, **document}, path)


def read_certificate(path: Path) -> tuple[Certificate, Policy]:
    """Read a certificate and the policy in it.

    Raises
    ------
    VerificationError
        When there is none, or it is not one.
    """
    try:
        content = content_of(path, own=True)
        require_said_once(content, where=str(path))
        certificate = _CERTIFICATE.validate_json(content)
        return certificate, from_json(certificate.policy, where=path.name)
    except FileNotFoundError:
        raise VerificationError(
            "there is no certificate",
            where=str(path),
            fix=f"name the folder of a release, or a table with {option('quasi')} and "
            f"{option('k')}",
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(named(str(part)) for part in first["loc"] if part not in _KINDS)
        place = place or "the document"
        raise VerificationError(f"the certificate is damaged at {place}", where=str(path)) from None
    except OSError as error:
        raise VerificationError(
            f"the certificate cannot be read ({error.strerror})", where=str(path)
        ) from None
    except PolicyError as error:
        raise VerificationError(
            f"the certificate is damaged at policy: {error.what}", where=str(path)
        ) from None


def require_said_once(content: bytes, *, where: str) -> None:
    """Refuse JSON that says one thing twice: a person reads the first, a program the last.

    Raises
    ------
    VerificationError
        It does, or is nested too deeply to be read.
    """
    twice: list[str] = []

    def once(pairs: list[tuple[str, Any]]) -> None:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            twice.append(next(key for key in keys if keys.count(key) > 1))

    try:
        json.loads(content, object_pairs_hook=once)
    except RecursionError:
        raise VerificationError("the JSON is nested too deeply", where=where) from None
    except ValueError:
        return  # whoever reads it next says where it is damaged
    if twice:
        raise VerificationError(
            f"the certificate is damaged: {quoted(twice[0])} is there twice", where=where
        )


def files_of(folder: Path) -> frozenset[str]:
    """Name the files in a folder that are still those of the release its certificate speaks of.

    A folder without a certificate that can be read is no release, and the answer is empty. A file
    that was changed or put in the place of another is somebody's, and not named.
    """
    try:
        certificate, _ = read_certificate(folder / CERTIFICATE)
    except VerificationError:
        return frozenset()
    certified = certificate.all_files
    return frozenset({CERTIFICATE, *(f.name for f in certified if is_unchanged(folder, f))})


def is_unchanged(folder: Path, expected: Fingerprint) -> bool:
    """Whether a file is a regular one with the fingerprint expected."""
    path = folder / expected.name
    if path.is_symlink() or not path.is_file() or path.stat().st_size != expected.bytes:
        return False
    return fingerprint(path) == expected


def write_policy(policy: Policy, path: Path) -> None:
    """Write a policy document as JSON."""
    write_json(to_json(policy), path)


def write_json(document: object, path: Path) -> None:
    """Write JSON as a person reads it."""
    path.write_text(json_text(document), encoding="utf-8")


def json_text(document: object) -> str:
    """Give JSON as a person reads it."""
    return printable_json(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"
