"""Facts about a release of any kind, taken from its documents.

Not every kind of release has every fact. A missing fact is `Unknown`, with the reason, and no rule
of a gate about it passes. A determination uses figures. Each figure names its field of the
certificate. It contains numbers, names of columns, and words of rules, but no other words.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.policies.json_document import STRICT
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.evidence import CertifiedAttack

T = TypeVar("T")


@dataclass(frozen=True)
class Unknown:
    """A fact that this kind of release does not have, and why."""

    why: str


Fact: TypeAlias = T | Unknown


@dataclass(frozen=True)
class Promised(Generic[T]):
    """A bound in the privacy requirements, and the model that sets it."""

    bound: T
    of: str


@dataclass(frozen=True)
class ReleaseFacts:
    """The privacy requirements of a release and its measured facts, as in its certificate."""

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
    columns: tuple[str, ...]  # as named in the files
    identifiers: Fact[tuple[str, ...]]
    quasi: tuple[str, ...]  # the quasi-identifiers that an attacker may know
    attacks: Fact[tuple[CertifiedAttack, ...]]
    software: str
    created: str
    unit: str = "record"  # what is counted: ``record`` or ``person``

    @classmethod
    def lacking(cls, why: str, **known: Any) -> ReleaseFacts:  # noqa: ANN401 - the fields above
        """Return facts with the known ones filled in; the same reason applies to all others."""
        others = {one.name: Unknown(why) for one in fields(cls)[:-1] if one.name not in known}
        return cls(**{**others, **known})


@checked_dataclass(frozen=True, config=STRICT)
class CertifiedFigure:
    """A figure: its name, its place in the certificate, and its value."""

    id: str
    file: str
    field: str
    value: Any
    checked: bool = False  # whether the verification recomputed it from the files alone


def figure(name: str, field: str, value: Any) -> CertifiedFigure:  # noqa: ANN401 - as JSON has it
    """Return a figure of the certificate."""
    return CertifiedFigure(name, CERTIFICATE, field, value)
