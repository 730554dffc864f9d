"""The dialects: the documentation that each regulator or standard requires, as data files.

A point of a dialect is a question in Roadstead's own words, with its place in the source document.
Figures of the release (`tool`, `also`) and people's answers (`people`) answer the point.
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
"""How a source was read: in full, only headings or summary, or through others' descriptions."""


@checked_dataclass(frozen=True, config=_STRICT)
class AskingSource:
    """A source document of a dialect."""

    document: str
    by: str
    version: str
    read: Read
    through: str  # which copy was read, or whose description


@checked_dataclass(frozen=True, config=_STRICT)
class DialectPoint:
    """A question of a dialect."""

    id: str
    question: str
    source: str  # a key of the dialect's sources
    place: str  # its place in the source
    tool: tuple[str, ...] = ()  # required figures
    people: tuple[str, ...] = ()  # required answers from people
    also: tuple[str, ...] = ()  # optional figures


@checked_dataclass(frozen=True, config=_STRICT)
class DialectPart:
    """The points under one heading."""

    id: str
    title: str
    points: tuple[DialectPoint, ...]


@checked_dataclass(frozen=True, config=_STRICT)
class RegulatorDialect:
    """All points of one regulator or standard."""

    title: str
    short: str
    rule: str
    about: str
    sources: dict[str, AskingSource]
    parts: tuple[DialectPart, ...]
    threshold: Annotated[float, Field(gt=0.0, le=1.0)] | None = None  # of risk, if one is named

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
