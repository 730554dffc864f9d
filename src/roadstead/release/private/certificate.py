"""Define the certificate of a differentially private release.

The certificate states the guarantee and the privacy cost. It does not contain any exact count from
the table, not even the number of records. All numbers are noisy, public, or chosen by the
custodian. `guarantee` generates the sentences about the guarantee.

The seal is the SHA-256 hash of the certificate without the seal. The seal reveals accidental
changes. It is not a signature, because anyone can compute a new seal.
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
from roadstead.policies.json_document import NOT_NONE, STRICT, DocumentFormat
from roadstead.release.documents import Fingerprint, json_text, read_document
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.private.cut import origin_of
from roadstead.release.private.units import PrivacyUnit, Protects

EVERYTHING = "everything"
"""The purpose in the settings of a release for general use."""

SAMPLE = "sample"
"""The purpose in the settings of a generalized sample."""

_KIND = "roadstead_private_certificate"
FORMAT = DocumentFormat(_KIND, 3, "make the release again with roadstead synthesize")

Exact: TypeAlias = Annotated[str, Field(pattern=r"^[0-9]+(/[0-9]+)?$", max_length=1000)]
"""An exact fraction, written as text."""

Amount: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""A fraction, rounded to a number."""

Number: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]


@checked_dataclass(frozen=True, config=STRICT)
class LedgerEntry:
    """A step in the ledger. The cost is given as a rounded number and as an exact fraction."""

    step: BudgetStep
    epsilon: Amount
    exact: Exact


@checked_dataclass(frozen=True, config=STRICT)
class CertifiedSpecialization:
    """A specialization: a step that replaces a node of a taxonomy or an interval.

    For an interval, `node` is the interval's first step.
    """

    attribute: str
    node: Number
    end: Number | None  # the end of an interval, in steps; None for a node
    label: str | None  # the name of a node; None for an interval


@checked_dataclass(frozen=True, config=STRICT)
class PublicColumn:
    """A released column with its declared domain, which is a range, a taxonomy, or classes."""

    column: str
    kind: Literal["numeric", "categorical", "set", "classes"]
    size: Number  # number of distinct values, steps of a range, or items
    range: tuple[str, str, str] | None = None  # lowest, highest, step
    origin: str | None = None  # source of a taxonomy


@checked_dataclass(frozen=True, config=STRICT)
class Released:
    """Facts about the released tables."""

    groups: Number  # number of listed groups
    records: Number
    all_groups: Number  # number of all groups under the cuts, listed or not
    least: Annotated[int, Field(ge=1, lt=2**63)]  # smallest noisy count in the list


@checked_dataclass(frozen=True, config=STRICT)
class ReleasedMargins:
    """Facts about the tables of a release for general use."""

    records: Number
    margins: Number
    cells: Number  # number of cells in all margins
    agreeing: Number  # cells whose interval contains the released number


@checked_dataclass(frozen=True, config=STRICT)
class ReleasedSample:
    """Facts about the table of a generalized sample, and its privacy cost."""

    records: Number
    classes: Number
    least: Annotated[int, Field(ge=2, lt=2**31)]  # least number of records per class
    chance: Exact  # the sampling probability of each record
    delta: Annotated[float, Field(gt=0, lt=1)]
    levels: tuple[Annotated[int, Field(ge=0, lt=2**31)], ...]  # levels of the attributes, in order


def _kind_of(released: Any) -> str:  # noqa: ANN401 - what a file says, not yet checked
    """Return the kind of an unchecked entry, for error messages."""
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
    """The certified facts of a differentially private release."""

    epsilon: Amount
    exact: Exact
    protects: Protects  # the unit by which two neighboring tables differ
    rows_per_person: Annotated[int, Field(ge=1, lt=2**31)] | None  # largest number of records used
    second_tables: tuple[str, ...]  # tables with rows that belong to records of the table
    ledger: tuple[LedgerEntry, ...]
    spent: Exact  # the sum of the ledger
    specializations: tuple[CertifiedSpecialization, ...]  # in the order in which they were made
    public: tuple[PublicColumn, ...]  # declared facts, which were not computed from the table
    released: ReleasedTables
    files: tuple[Fingerprint, ...]
    source: str  # the name of the table's file
    settings: dict[str, Any]  # the request
    software: str  # the version of Roadstead
    created: str  # in UTC
    # The results of attacks that were run before the release; None if there were no attacks.
    attacks: Annotated[tuple[CertifiedAttack, ...] | None, NOT_NONE] = None
    seal: str = ""  # the SHA-256 hash of the certificate with an empty seal
    roadstead_private_certificate: Literal[3] = 3

    @property
    def delta(self) -> float:
        """Return the delta of (epsilon, delta)-differential privacy; 0 except for a sample."""
        return self.released.delta if isinstance(self.released, ReleasedSample) else 0.0

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the released columns. If there is a target, it is the last column."""
        return tuple(one.column for one in self.public)

    @property
    def privacy_unit(self) -> PrivacyUnit:
        """Return the unit that the guarantee protects."""
        return PrivacyUnit(self.protects, self.rows_per_person, self.second_tables)


_CERTIFICATE: TypeAdapter[PrivateCertificate] = TypeAdapter(PrivateCertificate)


def public_columns(
    cuts: Sequence[AttributeCut], target: str | None, classes: Sequence[str]
) -> tuple[PublicColumn, ...]:
    """Return the domain of each column, which is declared and not computed from the table."""
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
    """Convert specializations to the form that the certificate uses."""
    return tuple(
        CertifiedSpecialization(
            one.attribute, one.node, one.end, one.label if one.end is None else None
        )
        for one in steps
    )


def ledger_entries(ledger: Sequence[Grant]) -> tuple[LedgerEntry, ...]:
    """Convert a ledger to the form that the certificate uses."""
    return tuple(LedgerEntry(one.step, float(one.epsilon), str(one.epsilon)) for one in ledger)


def rendered(certificate: PrivateCertificate) -> bytes:
    """Return a certificate as JSON. The same certificate always gives the same text."""
    document = _CERTIFICATE.dump_python(certificate, mode="json")
    document = {_KIND: document.pop(_KIND), **document}
    return json_text(document).encode()


def sealed(certificate: PrivateCertificate) -> PrivateCertificate:
    """Return a certificate with its seal."""
    bare = replace(certificate, seal="")
    return replace(certificate, seal=hashlib.sha256(rendered(bare)).hexdigest())


def read_private_certificate(path: Path) -> PrivateCertificate:
    """Read a certificate, or raise a `VerificationError` if it is unreadable."""
    fix = "name the folder of a release"
    return read_document(
        path, _CERTIFICATE, "the certificate", where=str(path), fix=fix, form=FORMAT
    )
