"""The figures of a release that claims can rest on: each with the field of the file that has it.

Figures are taken from the certificate and from a verification made just now. What a verification
works out again is `checked`; what rests on the word of whoever made the release, such as the risk
before, is not, and documents say so. A figure has numbers and names of columns, and no words but
those of rules: sentences are made of it in `reports`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.determination.set_columns import uses_in_a_set
from roadstead.errors import VerificationError
from roadstead.policies.document import Policy
from roadstead.privacy.settings import model_from
from roadstead.regular_files import content_of
from roadstead.release.certificate import (
    CERTIFICATE,
    Certificate,
    TableFingerprint,
    read_certificate,
)
from roadstead.release.database.certificate import (
    DatabaseCertificate,
    is_database,
    read_database_certificate,
)
from roadstead.release.documents import fingerprint
from roadstead.release.evidence import CertifiedAttack, document_of_attack
from roadstead.release.private.certificate import (
    PrivateCertificate,
    is_private,
    read_private_certificate,
)
from roadstead.release.signing.envelope import SIGNATURE
from roadstead.release.verification.checks import Verification

VERIFICATION = "verification"
"""Stands for a file where a figure is of the verification made for the determination."""
ReleaseKind: TypeAlias = Literal["table", "private", "database"]


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class CertifiedFigure:
    """A figure: what it is called, where it stands, and what it is."""

    id: str
    file: str
    field: str
    value: Any
    checked: bool = False  # whether the verification worked it out again, from the files alone


@dataclass(frozen=True)
class MeasuredRelease:
    """All that is known of a release without asking anybody."""

    kind: ReleaseKind
    certificate: str  # its SHA-256
    software: str
    created: str
    figures: dict[str, CertifiedFigure]
    columns: tuple[str, ...]  # of the source, which somebody may give reasons for
    released: tuple[str, ...]  # those of them that are released
    unit: str = "record"  # what is counted: records, or persons


def measured(folder: Path, verification: Verification) -> MeasuredRelease:
    """Gather the figures of a release that was just verified."""
    path = folder / CERTIFICATE
    digest = fingerprint(path).sha256
    common = [*_verified(verification)]
    if is_private(folder):
        private = read_private_certificate(path)
        names = _private_columns(private)
        return MeasuredRelease(
            "private",
            digest,
            private.software,
            private.created,
            _by_id("private", [*common, *_of_private(private), *_attacks(path)], verification),
            names,
            names,
        )
    if is_database(folder):
        database, policy = read_database_certificate(path)
        released = tuple(
            dict.fromkeys(name for one in database.tables.values() for name, _ in one.columns)
        )
        every = (*released, *(c for one in database.tables.values() for c in one.left_out))
        return MeasuredRelease(
            "database",
            digest,
            database.software,
            database.created,
            _by_id(
                "database",
                [*common, *_of_database(database, policy), *_attacks(path)],
                verification,
            ),
            tuple(dict.fromkeys(every)),
            released,
            "person",
        )
    certificate, policy = read_certificate(path)
    columns = tuple(dict.fromkeys((*policy.released, *policy.columns.removed)))
    return MeasuredRelease(
        "table",
        digest,
        certificate.software,
        certificate.created,
        _by_id("table", [*common, *_of_table(certificate, policy), *_attacks(path)], verification),
        columns,
        tuple(name for name in columns if name in frozenset(policy.released)),
        "record" if certificate.persons is None else "person",
    )


def released_columns(folder: Path) -> tuple[str, ...]:
    """Name the columns of a released table, which somebody may give reasons for."""
    path = folder / CERTIFICATE
    if is_private(folder):
        return _private_columns(read_private_certificate(path))
    _, policy = read_certificate(path)
    return tuple(dict.fromkeys(policy.released))


def _by_id(
    kind: ReleaseKind, figures: list[CertifiedFigure], verification: Verification
) -> dict[str, CertifiedFigure]:
    """Say of each figure whether the verification worked it out, and give them by what they are."""
    checked = _CHECKED[kind]
    if verification.promise_rests_on:
        checked -= _OF_PROMISE | _OF_RISK
    if verification.signature is not None and verification.signature.state in (
        "trusted",
        "unsigned",
    ):
        checked |= {"signed"}
    if {one.id for one in figures} & {"expected", "population"}:
        checked -= _OF_PROMISE
    return {one.id: replace(one, checked=one.id in checked) for one in figures}


_OF_PROMISE = frozenset({"promise", "models", "k-of-tables"})
_OF_RISK = frozenset({"risk-maximum", "risk-average", "smallest", "added"})
_CHECKED: Mapping[ReleaseKind, frozenset[str]] = {
    "table": _OF_PROMISE | _OF_RISK | {"verified", "files", "variables", "removed", "treatment"},
    "private": frozenset({"verified", "files", "records"}),
    "database": _OF_PROMISE | {"verified", "files", "removed"},
}
"""What a verification works out again, unless the promise rests on what no file shows."""


def _figure(name: str, field: str, value: Any) -> CertifiedFigure:  # noqa: ANN401 - as JSON has it
    return CertifiedFigure(name, CERTIFICATE, field, value)


def _verified(verification: Verification) -> Iterator[CertifiedFigure]:
    value = {
        "checks": len(verification.checks),
        "unchecked": list(verification.unchecked),
        "rests_on": verification.promise_rests_on,
    }
    yield CertifiedFigure("verified", VERIFICATION, "checks", value)
    signature = verification.signature
    if signature is not None:
        file = VERIFICATION if signature.state == "unsigned" else SIGNATURE
        yield CertifiedFigure("signed", file, "payload", signature.to_dict())


def _of_table(certificate: Certificate, policy: Policy) -> Iterator[CertifiedFigure]:
    risk, counts = certificate.risk, certificate.counts
    yield _figure("promise", "promise", certificate.promise)
    yield _figure(
        "models",
        "policy.privacy",
        [model_from(one, where=CERTIFICATE).name for one in policy.privacy],
    )
    yield _figure("files", "table, files", _files(certificate))
    yield _figure("request", "settings, policy", _made(certificate))
    yield _figure("variables", "policy.attributes, policy.columns", _roles(policy))
    yield _figure("removed", "policy.columns.removed", _left_out(policy))
    if (found := certificate.identifiers) is not None:  # else nobody looked
        look_alikes = [[one.column, one.identifier, one.forced] for one in found]
        yield _figure("look-alikes", "identifiers", look_alikes)
    yield _figure("treatment", "policy.attributes", [list(one) for one in policy.words.items()])
    numbers = {name: getattr(counts, name) for name in ("records", "released", "masked", "dropped")}
    yield _figure("records", "counts", numbers)
    limit = {"limit": policy.suppression.limit, "records": counts.suppressed, "of": counts.records}
    where = "counts.suppressed, policy.suppression"
    yield _figure("suppression", where, limit)
    yield _figure("risk-maximum", "risk.maximum", risk.maximum)
    yield _figure("risk-average", "risk.average", risk.average)
    smallest = {"smallest": risk.smallest_class, "classes": risk.classes}
    yield _figure("smallest", "risk.smallest_class, risk.classes", smallest)
    before = {"maximum": risk.maximum_before, "average": risk.average_before}
    yield _figure("risk-before", "risk.maximum_before, risk.average_before", before)
    yield from _of_columns(certificate)
    yield from _of_persons(certificate, policy)
    if certificate.loss is not None and "loss" in certificate.loss:
        loss = {"kind": certificate.loss.get("kind", "loss"), "loss": certificate.loss["loss"]}
        yield _figure("loss", "loss", loss)
    if certificate.search is not None:
        search = {key: certificate.search.get(key) for key in ("name", "ending", "optimal")}
        yield _figure("search", "search", search)


def _of_columns(certificate: Certificate) -> Iterator[CertifiedFigure]:
    """Give what else may be known, and whom it is among."""
    added = certificate.added
    if added is not None:
        value: dict[str, Any] = {
            "k": added.k,
            "records": added.records,
            "groups_of": added.groups_of,
            "quasi_unique": added.quasi.unique,
            "unique": added.together.unique,
            "below_k": added.together.below_k,
            "columns": len(added.columns),
        }
        yield _figure("added", "added", value)
    expected = certificate.expected_below_k
    if expected is not None:
        value = {key: expected.get(key) for key in ("k", "records", "released")}
        yield _figure("expected", "expected_below_k", value)
    if certificate.population:
        people = certificate.population
        value = {"people": sum(people), "classes": certificate.risk.classes, "least": min(people)}
        yield _figure("population", "population", value)


def _of_persons(certificate: Certificate, policy: Policy) -> Iterator[CertifiedFigure]:
    persons = certificate.persons
    linked: dict[str, Any] = {"linkage": "one-each", "pseudonyms": None}
    if persons is not None:
        linked = {"linkage": persons.linkage, "pseudonyms": persons.pseudonyms}
        keys = ("column", "knows", "persons", "released", "left_out")
        of_persons: dict[str, Any] = {key: getattr(persons, key) for key in keys}
        yield _figure("persons", "persons", of_persons)
    yield _figure("link", "persons.linkage" if persons else "policy", linked)
    rules = policy.persons
    if rules is not None and (rules.dates or rules.shift):
        shift = None if rules.shift is None else rules.shift.most
        keyed = rules.shift is not None and rules.shift.keyed
        dates = {"columns": [one.column for one in rules.dates], "shift": shift, "keyed": keyed}
        yield _figure("dates", "policy.persons", dates)


def _of_private(certificate: PrivateCertificate) -> Iterator[CertifiedFigure]:
    yield _figure("promise", "guarantee", certificate.guarantee)
    yield _figure("models", "guarantee", ["differential privacy"])
    yield _figure("epsilon", "epsilon, unit", [certificate.epsilon, certificate.unit])
    files = [[one.name, one.sha256, one.bytes] for one in certificate.files]
    yield _figure("files", "files", files)
    yield _figure("request", "settings", _made(certificate))
    parts = (one.partition(": ") for one in certificate.public)
    variables = [[name, "public", words] for name, _, words in parts]
    yield _figure("variables", "public", variables)
    yield _figure("treatment", "mechanisms", [["", one] for one in certificate.mechanisms])
    numbers = {"records": None, "released": certificate.released.records, "masked": 0, "dropped": 0}
    yield _figure("records", "released", numbers)
    sample = certificate.delta > 0.0
    linkage = "sampled" if sample else "synthetic"
    yield _figure("link", "unit", {"linkage": linkage, "pseudonyms": None})


def _private_columns(certificate: PrivateCertificate) -> tuple[str, ...]:
    return tuple(one.partition(": ")[0] for one in certificate.public)


def _of_database(certificate: DatabaseCertificate, policy: Policy) -> Iterator[CertifiedFigure]:
    tables, persons = certificate.tables, certificate.persons
    yield _figure("promise", "promise", certificate.promise)
    yield _figure("models", "k, knows", [f"{certificate.k}-anonymity of persons"])
    files = [[one.name, one.sha256, one.bytes] for one in certificate.files]
    yield _figure("files", "tables", files)
    yield _figure("request", "policy, tables", _made(certificate))
    yield _figure("variables", "tables", uses_in_a_set(certificate, policy))
    left = [f"{table}.{name}" for table, one in tables.items() for name in one.left_out]
    yield _figure("removed", "tables", [*left, *certificate.tables_left_out])
    yield _figure("treatment", "policy", [list(one) for one in policy.words.items()])
    # Rows of persons: a table of codes may have more than its source, the codes that others became.
    own = [one for one in tables.values() if one.rules.person is not None]
    rows = {
        "records": sum(one.rows_of_source for one in own),
        "released": sum(one.rows for one in own),
        "masked": 0,
        "dropped": sum(one.rows_of_source - one.rows for one in own),
    }
    yield _figure("records", "tables", rows)
    people = {
        "column": None,
        "knows": certificate.knows,
        "persons": persons.source,
        "released": persons.released,
        "left_out": persons.left_out,
    }
    yield _figure("persons", "persons", people)
    yield _figure("k-of-tables", "k, knows", [certificate.k, certificate.knows])
    keyed = certificate.keys == "by the custodian's key"
    linked = {"linkage": "pseudonym", "pseudonyms": "keyed" if keyed else "forgotten"}
    yield _figure("link", "keys", linked)
    if certificate.dates is not None:
        dates = {"columns": [], "shift": certificate.dates.days, "keyed": keyed}
        yield _figure("dates", "dates", dates)


def _files(certificate: Certificate) -> list[list[Any]]:
    table = certificate.table
    own = [[one.name, one.sha256, one.bytes] for one in certificate.all_files]
    if isinstance(table, TableFingerprint):
        return [[table.name, table.content, None], *own]
    return own


def _made(certificate: Certificate | PrivateCertificate | DatabaseCertificate) -> dict[str, str]:
    return {"software": certificate.software, "created": certificate.created}


def _roles(policy: Policy) -> list[list[str]]:
    """List every released column with its role, and what was done to it."""
    linked = policy.linked_by
    words = {**policy.words, **{name: one.does for name, one in policy.treated.items()}}
    groups = {
        "quasi-identifier": policy.quasi,
        "pseudonym": () if linked is None else (linked,),
        "sensitive": policy.columns.sensitive,
        "insensitive": policy.columns.insensitive,
        "forced": policy.columns.forced,
    }
    return [[name, role, words.get(name, "")] for role, names in groups.items() for name in names]


def _left_out(policy: Policy) -> list[str]:
    persons = policy.persons
    unlinked = [] if persons is None or persons.link == "pseudonym" else [persons.column]
    return list(dict.fromkeys((*policy.columns.removed, *unlinked)))


_ATTACKS: TypeAdapter[tuple[CertifiedAttack, ...]] = TypeAdapter(tuple[CertifiedAttack, ...])


def attacks_of(figure: CertifiedFigure | None) -> tuple[CertifiedAttack, ...]:
    """Read attacks from their figure; none where there is no such figure."""
    return () if figure is None else _ATTACKS.validate_python(figure.value)


def _attacks(path: Path) -> Iterator[CertifiedFigure]:
    """Give the attacks that the certificate has, of whatever kind the release is."""
    found = json.loads(content_of(path, own=True)).get("attacks")
    if not found:
        return
    try:
        attacks = _ATTACKS.validate_python(found)
    except ValidationError:
        what = "the certificate is damaged at attacks"
        raise VerificationError(what, where=str(path)) from None
    yield _figure("attacks", "attacks", [document_of_attack(one) for one in attacks])
