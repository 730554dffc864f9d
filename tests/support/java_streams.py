"""Objects as Java serializes them, with numbers for classes and objects that occur again."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_TYPES = {float: ("D", ">d"), int: ("J", ">q"), bool: ("Z", ">?")}
_ARX = "org.deidentifier.arx."


@dataclass(eq=False)
class Stored:
    """An object; `elements` is what its class writes next to its fields, None for nothing."""

    name: str
    fields: Mapping[str, object] = field(default_factory=dict)
    elements: Sequence[Stored] | None = None


@dataclass(frozen=True)
class Constant:
    """A constant of an enumeration."""

    type: str
    name: str


class JavaStream:
    """Writes objects one after the other."""

    def __init__(self) -> None:
        self.content, self._number = b"\xac\xed\x00\x05", 0
        self._known: dict[object, int] = {}

    def write(self, value: object) -> None:
        """Write a value, or its number if it was written before."""
        if value is None:
            self.content += b"p"
        elif value in self._known:
            self.content += b"q" + struct.pack(">I", 0x7E0000 + self._known[value])
        elif isinstance(value, str):
            self._keep(value)
            self.content += b"t" + _text(value)
        elif isinstance(value, Constant):
            self.content += b"~"
            self._class(value.type, {}, 0x12)
            self._keep(value)
            self.write(value.name)
        elif isinstance(value, Stored):
            self.content += b"s"
            self._class(value.name, value.fields, 2 if value.elements is None else 3)
            self._keep(value)
            self._content(value)

    def _content(self, value: Stored) -> None:
        plain = {name: one for name, one in value.fields.items() if type(one) in _TYPES}
        for one in plain.values():
            self.content += struct.pack(_TYPES[type(one)][1], one)
        for name, other in value.fields.items():
            if name not in plain:
                self.write(other)
        if value.elements is not None:
            self.content += b"w\x04" + struct.pack(">I", len(value.elements))
            for element in value.elements:
                self.write(element)
            self.content += b"x"

    def _class(self, name: str, fields: Mapping[str, object], flags: int) -> None:
        key = ("class", name)
        if key in self._known:
            self.write(key)
            return
        self.content += b"r" + _text(name) + bytes(8)
        self._keep(key)
        self.content += struct.pack(">BH", flags, len(fields))
        plain = [one for one in fields if type(fields[one]) in _TYPES]
        for one in plain:
            self.content += _TYPES[type(fields[one])][0].encode() + _text(one)
        for one in fields:
            if one not in plain:
                self.content += b"L" + _text(one)
                self.write(f"L{one};")
        self.content += b"xp"

    def _keep(self, value: object) -> None:
        self._known[value] = self._number
        self._number += 1


def _text(text: str) -> bytes:
    content = text.encode("utf-8")
    return struct.pack(">H", len(content)) + content


def population(people: int | None, region: str = "NONE") -> Stored:
    """Return ARX's model of a population; older versions did not store its size."""
    size = None if people is None else Stored("java.lang.Long", {"value": people})
    fields = {
        "sampleFraction": 0.01,
        "populationSize": size,
        "region": Constant(f"{_ARX}ARXPopulationModel$Region", region),
    }
    return Stored(f"{_ARX}ARXPopulationModel", fields)


def configuration(
    amounts: Sequence[float] = (1200.0, 300.0, 300.0, 4.0),
    models: Sequence[tuple[str, Stored]] = (),
) -> Stored:
    """Return ARX's configuration: benefit, loss, gain, cost, and models with their populations."""
    benefit, loss, gain, cost = amounts
    costs = {
        "adversaryCost": cost,
        "adversaryGain": gain,
        "publisherBenefit": benefit,
        "publisherLoss": loss,
    }
    criteria = [Stored(f"{_ARX}criteria.{name}", {"populationModel": one}) for name, one in models]
    fields = {
        "practicalMonotonicity": False,
        "costBenefitConfiguration": Stored(f"{_ARX}ARXCostBenefitConfiguration", costs),
        "criteria": Stored("java.util.HashSet", {}, criteria),
    }
    return Stored(f"{_ARX}ARXConfiguration", fields)


def stream_of(*values: object) -> bytes:
    """Return a stream of values."""
    stream = JavaStream()
    for one in values:
        stream.write(one)
    return stream.content
