"""Represent the facts that the documents of any kind of release state.

If a kind of release does not have a fact, the fact is `Unknown` and has a reason. If a gate has a
rule about an unknown fact, the rule fails. Determinations use figures. Each figure names the field
of the certificate, and contains only numbers, names of columns, and words from rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead.policies.json_document import STRICT
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.evidence import CertifiedAttack

T = TypeVar("T")
_MOST_DECIMALS = 20


@dataclass(frozen=True)
class Unknown:
    """A fact that this kind of release does not have, and the reason."""

    why: str


Fact: TypeAlias = T | Unknown


@dataclass(frozen=True)
class Promised(Generic[T]):
    """A bound in the privacy requirements, and the model that sets it."""

    bound: T
    of: str


@dataclass(frozen=True)
class ReleaseFacts:
    """The privacy requirements and the measured facts in the certificate of a release."""

    k: Fact[Promised[int]]
    l: Fact[Promised[int]]  # noqa: E741 - its name
    t: Fact[Promised[float]]
    epsilon: Fact[Fraction]
    delta: Fact[float]
    smallest_class: Fact[int]
    highest_risk: Fact[float]
    average_risk: Fact[float]
    suppression: Fact[float]  # the share of people, if people are left out with all records
    left_out_by_shift: Fact[float]  # the share of records
    loss: Fact[float]
    columns: tuple[str, ...]  # named as in the files
    identifiers: Fact[tuple[str, ...]]
    quasi: tuple[str, ...]  # the quasi-identifiers that an attacker may know
    attacks: Fact[tuple[CertifiedAttack, ...]]
    software: str
    created: str
    unit: str = "record"  # the unit that is counted: ``record`` or ``person``
    certified: frozenset[str] = frozenset()  # the facts above that only the certificate shows
    counts: Mapping[str, str] = field(default_factory=dict)  # shares above as numbers, in words

    @classmethod
    def lacking(cls, why: str, **known: Any) -> ReleaseFacts:  # noqa: ANN401 - the fields above
        """Return facts with the `known` values. All other facts are `Unknown`."""
        others = {one.name: Unknown(why) for one in fields(cls)[:-3] if one.name not in known}
        return cls(**{**others, **known})


@checked_dataclass(frozen=True, config=STRICT)
class CertifiedFigure:
    """A figure with its name, its place in the certificate, and its value."""

    id: str
    file: str
    field: str
    value: Any
    checked: bool = False  # whether the verification recomputed the value from the files alone


def figure(name: str, field: str, value: Any) -> CertifiedFigure:  # noqa: ANN401 - as JSON has it
    """Return a figure from the certificate."""
    return CertifiedFigure(name, CERTIFICATE, field, value)


def amount(epsilon: Fraction) -> str:
    """Return the exact value of an epsilon, as a decimal number or, if necessary, as a fraction."""
    decimals = 0
    while (epsilon * 10**decimals).denominator > 1 and decimals <= _MOST_DECIMALS:
        decimals += 1
    if decimals > _MOST_DECIMALS:
        return str(epsilon)
    digits = str(int(epsilon * 10**decimals)).zfill(decimals + 1)
    return f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
