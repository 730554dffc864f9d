"""Define the certificate: the measured facts of a release, which a recipient can check.

A certificate contains only facts. Roadstead generates all sentences from these facts, so a forger
cannot insert other sentences. A certificate does not contain values from the data. For a table in a
database, a certificate names neither the host nor the person who created the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.errors import PolicyError, VerificationError
from roadstead.front_end import option
from roadstead.policies.document import Policy, from_json
from roadstead.policies.json_document import NOT_NONE, STRICT, DocumentFormat
from roadstead.policies.person_rules import PersonRules
from roadstead.printable import named
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.added_risk import AddedRisk
from roadstead.release.below_promise import BelowPromise
from roadstead.release.documents import (
    Fingerprint,
    TableForm,
    is_unchanged,
    json_text,
    read_document,
)
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.ledger.facts import Overlay, overlay_in_document
from roadstead.release.plugins import CertifiedPlugin
from roadstead.release.signing.envelope import SIGNATURE, is_envelope
from roadstead.tables.identifiers.objections import ObjectionKind

CERTIFICATE = "certificate.json"
REPORT = "report.html"
MISSING_CODES, RARE_MISSING = "missing", "missing_rare"
"""The settings with the missing codes that the user declared, by released column, and with the
columns whose rare codes are not listed."""
ATTACKS_PAGE = "attacks.html"
"""The name of the page about attacks that were run before the release."""

_LENIENT = ConfigDict(extra="ignore")
"""A document with fields from a later version can be read, but the document fails verification."""

FORMAT = DocumentFormat(
    "roadstead_certificate", 2, "make the release again with roadstead anonymize"
)

People: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]
"""A number of people or of records."""
Share: TypeAlias = Annotated[float, Field(ge=0.0, le=1.0)]
Chance: TypeAlias = Annotated[float, Field(gt=1e-19, le=1.0)]
"""1 / a number of records or people."""


def _require_name(facts: dict[str, Any]) -> dict[str, Any]:
    """Reject a sentence instead of a name, because reports display names as written."""
    for name in (facts.get(key, "") for key in ("kind", "name")):
        if not isinstance(name, str) or len(name.split()) > 1:
            raise ValueError("is not a name")
    return facts


NamedFacts: TypeAlias = Annotated[dict[str, Any], AfterValidator(_require_name)]
"""The name of a quality model or a search, with its certified facts."""


@checked_dataclass(frozen=True, config=STRICT)
class TableFingerprint:
    """A released table in a database."""

    name: str  # the name in the database, with the schema if the user named one
    engine: str
    records: Annotated[int, Field(ge=0)]
    # The result of `roadstead.tables.content.content_digest`, which does not depend on the order of
    # the rows.
    content: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


@checked_dataclass(frozen=True, config=STRICT)
class Counts:
    """The numbers of records in the source and in the release."""

    records: People  # in the source
    released: People  # including masked records
    suppressed: People  # suppressed records, which are masked or dropped
    masked: People  # suppressed, but kept with ``*``
    dropped: People  # suppressed and dropped


@checked_dataclass(frozen=True, config=STRICT)
class NearEnds:
    """The records near or beyond the ends of the extract, which would reveal date shifts."""

    records: People
    persons: People  # people without any other record


@checked_dataclass(frozen=True, config=STRICT)
class CertifiedPersons:
    """The person ID column, how records are linked, and the numbers of people."""

    column: str  # the person ID column of the source
    # The number of a person's rows that an attacker may know; None if no model sets this number.
    knows: Annotated[int, Field(ge=1, le=3)] | Literal["all"] | None
    linkage: Literal["none", "pseudonym"]
    # How pseudonyms were generated: with a key, so other releases may have the same pseudonyms, or
    # with a key that was not kept. None if there are no pseudonyms.
    pseudonyms: Literal["keyed", "forgotten"] | None
    persons: People  # in the source
    released: People  # with at least one record
    in_part: People  # released people with a dropped record
    left_out: People  # people without any released record
    unit: Literal["person"] = "person"  # the unit that is counted
    # What was left out before counting; None if dates are not shifted.
    near_ends: Annotated[NearEnds | None, NOT_NONE] = None


@checked_dataclass(frozen=True, config=STRICT)
class RiskIfUndone:
    """The highest risk if columns that are released anyway undo the generalization of others."""

    columns: Annotated[tuple[str, ...], Field(min_length=1)]  # released anyway
    quasi: Annotated[tuple[str, ...], Field(min_length=1)]  # whose values these columns determine
    maximum: Chance
    unit: Literal["record", "person"]
    # Whether the risk can be higher, because an attacker may know several rows of a person.
    at_least: bool

    @property
    def clause(self) -> str:
        """Say which columns determine which quasi-identifiers."""
        columns, quasi = (", ".join(map(named, one)) for one in (self.columns, self.quasi))
        return f"{columns} {'determines' if len(self.columns) == 1 else 'determine'} {quasi}"


@checked_dataclass(frozen=True, config=STRICT)
class MeasuredRisk:
    """The prosecutor risk in the source, and in the records that are not suppressed.

    If people are counted, the figures describe the risk of people. The smallest class is then the
    smallest number of people who match an attacker's knowledge.
    """

    maximum: float
    average: float
    classes: int
    smallest_class: int
    maximum_before: float
    average_before: float
    # The risk of each masked record: 1 / their number. None if no record is masked.
    maximum_of_masked: Annotated[Chance | None, NOT_NONE] = None
    if_undone: Annotated[RiskIfUndone | None, NOT_NONE] = None

    @property
    def masked(self) -> int:
        """Return the number of masked records."""
        return round(1.0 / self.maximum_of_masked) if self.maximum_of_masked else 0

    @property
    def smallest_group(self) -> int:
        """Return the size of the smallest group. The masked records form a group, too."""
        return min((one for one in (self.smallest_class, self.masked) if one), default=0)

    @property
    def highest(self) -> float:
        """Return the highest of the three risks of a released record or person."""
        undone = 0.0 if self.if_undone is None else self.if_undone.maximum
        return max(self.maximum, self.maximum_of_masked or 0.0, undone)


@checked_dataclass(frozen=True, config=STRICT)
class IdentifierReleased:
    """A released column that looks like an identifier, or about which there is another warning."""

    column: str
    # The number among the 18 identifiers of Safe Harbor; None for another objection.
    number: Annotated[int, Field(ge=1, le=18)] | None
    objection: ObjectionKind | None  # the other objection, if there is no number
    forced: bool  # whether a person chose to release the column anyway


@checked_dataclass(frozen=True, config=_LENIENT)
class Certificate:
    """The certified facts of a release."""

    table: Fingerprint | TableFingerprint
    files: tuple[Fingerprint, ...]  # all other files
    policy: dict[str, Any]
    counts: Counts
    risk: MeasuredRisk
    # The total loss, the loss of each attribute, and the model's settings. None if a policy was
    # applied to new data without a hierarchy for measuring the loss.
    loss: NamedFacts | None
    search: NamedFacts | None  # how the policy was found, and what was proven
    settings: dict[str, Any]  # the request
    software: str  # the version of Roadstead
    created: str  # in UTC
    format: TableForm
    seed: int | None = None
    # The number of people in the population in each class of the release, in the order of the
    # frequency table of the quasi-identifiers. None if no privacy model uses these numbers.
    population: Annotated[tuple[People, ...] | None, NOT_NONE] = None
    # The share of information that each class must keep, in the same order and with six digits,
    # because the exact share would reveal something about the data. None if no model uses this
    # share.
    kept_at_least: Annotated[tuple[Share, ...] | None, NOT_NONE] = None
    # The numbers of records that the other released columns distinguish; None if not counted.
    added: Annotated[AddedRisk | None, NOT_NONE] = None
    # The released columns that look like identifiers; None if not checked.
    identifiers: Annotated[tuple[IdentifierReleased, ...] | None, NOT_NONE] = None
    # The released records that match fewer than k people in the population, counted or estimated.
    # None if no privacy model requires a number of people.
    expected_below_k: Annotated[dict[str, Any] | None, NOT_NONE] = None
    # None if each record counts as one person.
    persons: Annotated[CertifiedPersons | None, NOT_NONE] = None
    # The results of attacks on the release; None if no attack was run.
    attacks: Annotated[tuple[CertifiedAttack, ...] | None, NOT_NONE] = None
    # The comparison with earlier releases; None if no ledger was named.
    earlier_releases: Annotated[Overlay | None, NOT_NONE] = None
    # The unmet declared requirements and the reason for the release; None if all requirements are
    # met.
    below_promise: Annotated[BelowPromise | None, NOT_NONE] = None
    # The models and searches from other packages; None if all are from Roadstead.
    plugins: Annotated[tuple[CertifiedPlugin, ...] | None, NOT_NONE] = None
    roadstead_certificate: Literal[2] = 2

    @property
    def all_files(self) -> tuple[Fingerprint, ...]:
        """Return the fingerprints of all files. If the table is a file, the table comes first."""
        return (*([self.table] if isinstance(self.table, Fingerprint) else []), *self.files)


_CERTIFICATE: TypeAdapter[Certificate] = TypeAdapter(Certificate)


def promise_of(policy: Policy, models: Sequence[PrivacyModel]) -> str:
    """Describe the guarantee that a policy gives for every release, based on the policy alone."""
    quasi = ", ".join(policy.quasi)
    persons = policy.persons is not None
    promises = " ".join(
        (
            *(model.promise for model in models),
            *(one.promise(persons=persons) for one in policy.treatments),
        )
    )
    return f"An attacker may know a person's {quasi}. {_whose(policy.persons)} {promises}"


def _whose(persons: PersonRules | None) -> str:
    """Describe how records belong to people, and whether the records of a person can be linked."""
    if persons is None:
        return "Each record is assumed to belong to a different person."
    whose = f"A person may have several records. The person ID column is {persons.column}."
    if persons.link == "pseudonym":
        return f"{whose} The release shows a pseudonym for each person instead."
    return (
        f"{whose} It is not released. Roadstead assumes that the rest of the release does not "
        "show which records belong to the same person."
    )


def write_certificate(certificate: Certificate, path: Path) -> None:
    """Write a certificate as JSON."""
    path.write_bytes(rendered(certificate))


def rendered(certificate: Certificate) -> bytes:
    """Return a certificate as JSON. The same certificate always gives the same text."""
    document = _CERTIFICATE.dump_python(certificate, mode="json")
    head = {"roadstead_certificate": document.pop("roadstead_certificate")}
    if certificate.earlier_releases is not None:
        document["earlier_releases"] = overlay_in_document(document["earlier_releases"])
    return json_text({**head, **document}).encode()


def read_certificate(path: Path) -> tuple[Certificate, Policy]:
    """Read a certificate and its policy.

    An unreadable certificate raises a `VerificationError`.
    """
    where = str(path)
    fix = f"use the folder of a release, or a table with {option('quasi')} and {option('k')}"
    certificate = read_document(
        path, _CERTIFICATE, "the certificate", where=where, fix=fix, form=FORMAT
    )
    try:
        return certificate, from_json(certificate.policy, where=path.name)
    except PolicyError as error:
        raise VerificationError(
            f"the certificate is damaged in the entry policy: {error.what}", where=where
        ) from None


def in_release(path: Path, out: Path | None = None) -> bool:
    """Return whether a path is in a release or in the new release `out`.

    A recipient gets all files in a release.
    """
    real = path.resolve()
    folders = (real, *real.parents)
    return (out is not None and out.resolve() in folders) or any(
        (folder / CERTIFICATE).is_file() for folder in folders
    )


def unchanged_files(folder: Path, certified: Sequence[Fingerprint]) -> frozenset[str]:
    """Return the names of the certificate, the signature, and the unchanged certified files."""
    unchanged = (file.name for file in certified if is_unchanged(folder, file))
    return frozenset({CERTIFICATE, *unchanged, *([SIGNATURE] if is_envelope(folder) else [])})
