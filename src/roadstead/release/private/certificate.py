"""The certificate of a differentially private release: what it guarantees, and what it cost.

It holds no exact count of the table, not even how many records there are or were left out: those
are data like any other. All its numbers are noisy, public, or chosen by whoever made the release.
It holds no sentence: the guarantee follows from epsilon, the unit of privacy, the ledger and the
request, and is made of them where it is shown (`guarantee`).

It ends with a seal, the SHA-256 of itself without the seal. That shows whatever was changed by
mistake. Somebody who knows how it is made can make it anew; it is not a signature.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.domains import AttributeCut, NumericDomain, SetCut, Specialization
from roadstead.policies.json_document import DocumentFormat
from roadstead.release.documents import STRICT, Fingerprint, json_text, read_document
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.private.cut import origin_of
from roadstead.release.private.units import PrivacyUnit, Protects

EVERYTHING = "everything"
"""What a release for every use says in its settings that it is for."""

SAMPLE = "sample"
"""What a generalized sample says in its settings that it is for."""

_KIND = "roadstead_private_certificate"
FORMAT = DocumentFormat(_KIND, 3, "make the release again with roadstead synthesize")

Exact: TypeAlias = Annotated[str, Field(pattern=r"^[0-9]+(/[0-9]+)?$", max_length=1000)]
"""A fraction as text."""

Amount: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""The same as a number, rounded."""

Number: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]


@checked_dataclass(frozen=True, config=STRICT)
class LedgerEntry:
    """An entry of the ledger: a step, what it cost as a number, and exactly."""

    step: BudgetStep
    epsilon: Amount
    exact: Exact


@checked_dataclass(frozen=True, config=STRICT)
class CertifiedSpecialization:
    """What was told in more detail: a node of a taxonomy, or an interval by its first step."""

    attribute: str
    node: Number
    end: Number | None  # where an interval ends, in steps; None for a node
    label: str | None  # what a node is called; None for an interval


@checked_dataclass(frozen=True, config=STRICT)
class PublicColumn:
    """A column that is told, and what was declared of it: a range, a taxonomy, or its classes."""

    column: str
    kind: Literal["numeric", "categorical", "set", "classes"]
    size: Number  # how many values, steps of a range or items are distinguished
    range: tuple[str, str, str] | None = None  # lowest, highest, step
    origin: str | None = None  # of a taxonomy


@checked_dataclass(frozen=True, config=STRICT)
class Released:
    """What is in the tables."""

    groups: Number  # listed
    records: Number
    all_groups: Number  # that the cuts make, listed or not
    least: Annotated[int, Field(ge=1, lt=2**63)]  # the least noisy count that is listed


@checked_dataclass(frozen=True, config=STRICT)
class ReleasedMargins:
    """What is in the tables of a release for every use."""

    records: Number
    margins: Number
    cells: Number  # of all margins
    agreeing: Number  # cells in whose interval the number of released records lies


@checked_dataclass(frozen=True, config=STRICT)
class ReleasedSample:
    """What is in the table of a generalized sample, and what its cost comes to."""

    records: Number
    classes: Number
    least: Annotated[int, Field(ge=2, lt=2**31)]  # records that a class has at least
    chance: Exact  # that each record was drawn with
    delta: Annotated[float, Field(gt=0, lt=1)]
    levels: tuple[Annotated[int, Field(ge=0, lt=2**31)], ...]  # of the attributes, in order


def _kind_of(released: Any) -> str:  # noqa: ANN401 - what a file says, not yet checked
    """Tell the kinds apart before they are checked, so that an error names the entry."""
    if isinstance(released, ReleasedSample) or (
        isinstance(released, Mapping) and "delta" in released
    ):
        return "of a sample"
    margins = isinstance(released, ReleasedMargins) or (
        isinstance(released, Mapping) and "margins" in released
    )
    return "of margins" if margins else "of groups"


ReleasedTables: TypeAlias = Annotated[
    Annotated[Released, Tag("of groups")]
    | Annotated[ReleasedMargins, Tag("of margins")]
    | Annotated[ReleasedSample, Tag("of a sample")],
    Discriminator(_kind_of),
]


@checked_dataclass(frozen=True, config=STRICT)
class PrivateCertificate:
    """A certificate."""

    epsilon: Amount
    exact: Exact
    protects: Protects  # what a neighboring table has more: a record, or a person with all records
    rows_per_person: Annotated[int, Field(ge=1, lt=2**31)] | None  # at most so many were used
    second_tables: tuple[str, ...]  # whose rows belong to the records of the table
    ledger: tuple[LedgerEntry, ...]
    spent: Exact  # the sum of the ledger
    specializations: tuple[CertifiedSpecialization, ...]  # in order
    public: tuple[PublicColumn, ...]  # what was declared and not read off the table
    released: ReleasedTables
    files: tuple[Fingerprint, ...]
    source: str  # the name of the table's file
    settings: dict[str, Any]  # the request
    software: str  # version of Roadstead
    created: str  # in UTC
    # What attacks found, tried before the release left; None where none were.
    attacks: tuple[CertifiedAttack, ...] | None = None
    seal: str = ""  # SHA-256 of the certificate with an empty seal
    roadstead_private_certificate: Literal[3] = 3

    @property
    def delta(self) -> float:
        """What is promised beyond the factor of epsilon; 0 but of a generalized sample."""
        return self.released.delta if isinstance(self.released, ReleasedSample) else 0.0

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are told, the target last where there is one."""
        return tuple(one.column for one in self.public)

    @property
    def privacy_unit(self) -> PrivacyUnit:
        """Whom the guarantee is for."""
        return PrivacyUnit(self.protects, self.rows_per_person, self.second_tables)


_CERTIFICATE: TypeAdapter[PrivateCertificate] = TypeAdapter(PrivateCertificate)


def public_columns(
    cuts: Sequence[AttributeCut], target: str | None, classes: Sequence[str]
) -> tuple[PublicColumn, ...]:
    """Return what was declared of each column, and not read off the table."""
    own = () if target is None else (PublicColumn(target, "classes", len(classes)),)
    return (*map(_public, cuts), *own)


def _public(cut: AttributeCut) -> PublicColumn:
    domain = cut.domain
    if isinstance(domain, NumericDomain):
        ends = (str(domain.low), str(domain.high), str(domain.step))
        return PublicColumn(cut.attribute, "numeric", domain.size, range=ends)
    kind: Literal["set", "categorical"] = "set" if isinstance(cut, SetCut) else "categorical"
    origin = origin_of(domain.taxonomy)
    return PublicColumn(cut.attribute, kind, domain.taxonomy.size, origin=origin)


def specializations_of(steps: Sequence[Specialization]) -> tuple[CertifiedSpecialization, ...]:
    """Write specializations down."""
    return tuple(
        CertifiedSpecialization(
            one.attribute, one.node, one.end, one.label if one.end is None else None
        )
        for one in steps
    )


def ledger_entries(ledger: Sequence[Grant]) -> tuple[LedgerEntry, ...]:
    """Write a ledger down."""
    return tuple(LedgerEntry(one.step, float(one.epsilon), str(one.epsilon)) for one in ledger)


def rendered(certificate: PrivateCertificate) -> bytes:
    """Write a certificate as JSON; there is one way to write each."""
    document = _CERTIFICATE.dump_python(certificate, mode="json")
    document = {_KIND: document.pop(_KIND), **document}
    if document["attacks"] is None:
        del document["attacks"]
    return json_text(document).encode()


def sealed(certificate: PrivateCertificate) -> PrivateCertificate:
    """Put the seal on a certificate."""
    bare = replace(certificate, seal="")
    return replace(certificate, seal=hashlib.sha256(rendered(bare)).hexdigest())


def read_private_certificate(path: Path) -> PrivateCertificate:
    """Read a certificate; a `VerificationError` if there is none."""
    fix = "name the folder of a release"
    return read_document(
        path, _CERTIFICATE, "the certificate", where=str(path), fix=fix, form=FORMAT
    )
