"""What a gate looks at, taken from the certificate of a release of any kind.

Not every kind has every fact. What is not there is `Unknown`, with the reason, and no rule about it
passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from roadstead.policies.document import Policy
from roadstead.policies.recodings.ends import with_ends
from roadstead.release.certificate import CERTIFICATE, Certificate, read_certificate
from roadstead.release.database.certificate import (
    DatabaseCertificate,
    is_database,
    read_database_certificate,
)
from roadstead.release.evidence import CertifiedAttack
from roadstead.release.private.certificate import (
    PrivateCertificate,
    is_private,
    read_private_certificate,
)
from roadstead.release.private.cut import CUT, read_cut

T = TypeVar("T")


@dataclass(frozen=True)
class Unknown:
    """A fact that this kind of release does not have, and why."""

    why: str


Fact: TypeAlias = T | Unknown


@dataclass(frozen=True)
class Promised(Generic[T]):
    """A bound that is promised, and the model that promises it."""

    bound: T
    of: str


@dataclass(frozen=True)
class GateFacts:
    """What the rules of a gate are about."""

    k: Fact[Promised[int]]
    l: Fact[Promised[int]]  # noqa: E741 - its name
    t: Fact[Promised[float]]
    epsilon: Fact[Fraction]
    delta: Fact[float]
    smallest_class: Fact[int]
    highest_risk: Fact[float]
    average_risk: Fact[float]
    suppression: Fact[float]
    loss: Fact[float]
    columns: tuple[str, ...]
    identifiers: Fact[tuple[str, ...]]
    quasi: tuple[str, ...]  # the quasi-identifiers that attacks may know
    attacks: Fact[tuple[CertifiedAttack, ...]]
    software: str
    created: str


def _looking_like_one(certificate: Certificate, policy: Policy) -> Fact[tuple[str, ...]]:
    forced = policy.columns.forced
    if certificate.identifiers is None and not forced:
        return Unknown("the certificate is of an earlier version, which looked for none")
    return (*(one.column for one in certificate.identifiers or ()), *forced)


def facts_of(folder: Path) -> GateFacts:
    """Take the facts of a release that was verified; a `VerificationError` if there are none."""
    path = folder / CERTIFICATE
    if is_database(folder):
        return _of_database(*read_database_certificate(path))
    if is_private(folder):
        document = read_cut(folder / CUT)
        own = () if document.target is None else (document.target,)
        columns = (*(one.attribute for one in document.attributes), *own)
        return _of_private(read_private_certificate(path), columns)
    return _of_table(*read_certificate(path))


def _of_table(certificate: Certificate, policy: Policy) -> GateFacts:
    risk, counts, loss = certificate.risk, certificate.counts, certificate.loss
    return GateFacts(
        k=_promised_k(policy),
        l=_promised_l(policy),
        t=_promised_t(policy),
        epsilon=Unknown("it is no differentially private release"),
        delta=Unknown("it is no differentially private release"),
        smallest_class=risk.smallest_class,
        highest_risk=risk.maximum,
        average_risk=risk.average,
        suppression=counts.suppressed / counts.records if counts.records else 0.0,
        loss=_number(loss.get("loss")) if loss else Unknown("the certificate has no loss"),
        columns=(*policy.released, *with_ends(policy.quasi, policy.two_columns)),
        identifiers=_looking_like_one(certificate, policy),
        quasi=policy.quasi,
        attacks=certificate.attacks or (),
        software=certificate.software,
        created=certificate.created,
    )


def _of_database(certificate: DatabaseCertificate, _policy: Policy) -> GateFacts:
    other = Unknown("the certificate of a whole database does not have it")
    persons = certificate.persons
    return GateFacts(
        k=Promised(certificate.k, f"{certificate.k}-anonymity of persons"),
        l=other,
        t=other,
        epsilon=Unknown("it is no differentially private release"),
        delta=Unknown("it is no differentially private release"),
        smallest_class=other,
        highest_risk=other,
        average_risk=other,
        suppression=persons.left_out / persons.source if persons.source else 0.0,
        loss=other,
        columns=tuple(
            name
            for table in certificate.tables.values()
            for pair in table.columns
            for name in dict.fromkeys(pair)
        ),
        identifiers=other,
        quasi=(),
        attacks=other,
        software=certificate.software,
        created=certificate.created,
    )


def _of_private(certificate: PrivateCertificate, columns: tuple[str, ...]) -> GateFacts:
    other = Unknown("a differentially private release has none")
    return GateFacts(
        k=other,
        l=other,
        t=other,
        epsilon=Fraction(certificate.exact),
        delta=certificate.delta,
        smallest_class=other,
        highest_risk=other,
        average_risk=other,
        suppression=other,
        loss=other,
        columns=columns,
        identifiers=other,
        quasi=(),
        attacks=certificate.attacks or (),
        software=certificate.software,
        created=certificate.created,
    )


def _promised_k(policy: Policy) -> Fact[Promised[int]]:
    """Take the greatest k of the models that promise so many in a class of the release."""
    found = [
        Promised(int(one["k"]), str(one["kind"]))
        for one in policy.privacy
        if one.get("kind") in ("k-anonymity", "person-anonymity")
    ]
    return max(found, key=lambda one: one.bound, default=Unknown("k-anonymity is not promised"))


def _promised_l(policy: Policy) -> Fact[Promised[int]]:
    bounds = _by_column(policy, "l")
    if isinstance(bounds, Unknown):
        return bounds
    column, least = min(((name, max(own)) for name, own in bounds.items()), key=lambda one: one[1])
    return Promised(int(least), column)


def _promised_t(policy: Policy) -> Fact[Promised[float]]:
    bounds = _by_column(policy, "t")
    if isinstance(bounds, Unknown):
        return bounds
    column, most = max(((name, min(own)) for name, own in bounds.items()), key=lambda one: one[1])
    return Promised(most, column)


def _by_column(policy: Policy, key: str) -> Fact[dict[str, list[float]]]:
    """List the bounds that are promised of each column; none may be missing that is sensitive."""
    bounds: dict[str, list[float]] = {}
    for model in policy.privacy:
        inner = model.get("model")
        own: Mapping[str, Any] = inner if isinstance(inner, Mapping) else model
        counts_blanks = own.get("blank") == "value"  # so it promises fewer values than its l
        if key in own and "column" in own and not counts_blanks:
            bounds.setdefault(str(own["column"]), []).append(float(own[key]))
    if not bounds:
        return Unknown(f"no {key} is promised")
    uncovered = [name for name in policy.columns.sensitive if name not in bounds]
    if uncovered:
        return Unknown(f"no {key} is promised of the sensitive column {uncovered[0]}")
    return bounds


def _number(value: object) -> Fact[float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return Unknown("the certificate has no loss")
