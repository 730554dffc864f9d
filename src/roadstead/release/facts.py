"""What is said of a release of any kind, taken from its documents.

Not every kind has every fact. What is not there is `Unknown`, with the reason, and no rule of a
gate about it passes. A determination asks for figures: each names the field of the certificate
that it stands in, and has numbers and names of columns, and no words but those of rules.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked_dataclass

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
    """A bound that is promised, and the model that promises it."""

    bound: T
    of: str


@dataclass(frozen=True)
class ReleaseFacts:
    """What a release promises and what was measured of it, as its certificate has it."""

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
    columns: tuple[str, ...]  # as the files name them
    identifiers: Fact[tuple[str, ...]]
    quasi: tuple[str, ...]  # the quasi-identifiers that attacks may know
    attacks: Fact[tuple[CertifiedAttack, ...]]
    software: str
    created: str
    unit: str = "record"  # what is counted, or ``person``

    @classmethod
    def lacking(cls, why: str, **known: Any) -> ReleaseFacts:  # noqa: ANN401 - the fields above
        """Return the facts that are known; each other one is unknown for the same reason."""
        others = {one.name: Unknown(why) for one in fields(cls)[:-1] if one.name not in known}
        return cls(**{**others, **known})


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class CertifiedFigure:
    """A figure: what it is called, where it stands, and what it is."""

    id: str
    file: str
    field: str
    value: Any
    checked: bool = False  # whether the verification worked it out again, from the files alone


def figure(name: str, field: str, value: Any) -> CertifiedFigure:  # noqa: ANN401 - as JSON has it
    """Return a figure that stands in the certificate."""
    return CertifiedFigure(name, CERTIFICATE, field, value)
