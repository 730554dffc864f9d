"""Read dialects: data files that describe the documentation that a regulator or standard requires.

A point of a dialect is a question in Roadstead's own words. The point refers to a passage in the
source document. Two kinds of answers exist for a point: figures (`tool`, `also`, `partly`) and
people's answers (`people`).
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

_STRICT = ConfigDict(extra="forbid")

DialectName: TypeAlias = Literal["hipaa", "ema", "iso27559", "ipc", "ehds"]
NAMES: tuple[DialectName, ...] = ("hipaa", "ema", "iso27559", "ipc", "ehds")

Read: TypeAlias = Literal["text", "contents", "secondhand"]
"""How a source was read: in full, in part, or only in other people's descriptions."""


@checked_dataclass(frozen=True, config=_STRICT)
class AskingSource:
    """A document on which a dialect is based."""

    document: str
    by: str
    version: str
    read: Read
    through: str  # the copy or the description that was read


@checked_dataclass(frozen=True, config=_STRICT)
class DialectPoint:
    """A question of a dialect."""

    id: str
    question: str
    source: str  # the key of one of the dialect's sources
    place: str  # the passage in the source
    tool: tuple[str, ...] = ()  # ids of required figures
    people: tuple[str, ...] = ()  # keys of questions that people must answer
    also: tuple[str, ...] = ()  # ids of optional figures
    partly: tuple[str, ...] = ()  # ids of optional figures that answer a part of the question


@checked_dataclass(frozen=True, config=_STRICT)
class DialectPart:
    """The points under one heading."""

    id: str
    title: str
    points: tuple[DialectPoint, ...]


@checked_dataclass(frozen=True, config=_STRICT)
class RegulatorDialect:
    """A dialect: all points of one regulator or standard."""

    title: str
    short: str
    rule: str
    about: str
    sources: dict[str, AskingSource]
    parts: tuple[DialectPart, ...]
    threshold: Annotated[float, Field(gt=0.0, le=1.0)] | None = None  # largest risk, if named

    @property
    def points(self) -> tuple[DialectPoint, ...]:
        """Return the points of all parts, in order."""
        return tuple(point for part in self.parts for point in part.points)


_DIALECT: TypeAdapter[RegulatorDialect] = TypeAdapter(RegulatorDialect)


@cache
def dialect(name: DialectName) -> RegulatorDialect:
    """Read a dialect from its data file."""
    text = (files("roadstead.determination") / "data" / f"{name}.toml").read_text(encoding="utf-8")
    return _DIALECT.validate_python(tomllib.loads(text))
