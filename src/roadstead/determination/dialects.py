"""The dialects: what each regulator, or standard, asks to be written down, as data.

A point is a question in our own words, with the place that it comes from, and by whom it is
answered: by figures of the release (`tool`, and `also`, which is shown where it is there), by
people (`people`), or by both. Each source says how much of the original was read.
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
"""How much of an original was read: its wording; its headings or summary; what others say of it."""


@checked_dataclass(frozen=True, config=_STRICT)
class AskingSource:
    """A document that asks for points, and how it was read."""

    document: str
    by: str
    version: str
    read: Read
    through: str  # which copy, or whose words


@checked_dataclass(frozen=True, config=_STRICT)
class DialectPoint:
    """A question of a dialect."""

    id: str
    question: str
    source: str  # a key of the dialect's sources
    place: str  # where in it
    tool: tuple[str, ...] = ()  # figures that answer it, all of them
    people: tuple[str, ...] = ()  # questions to people that answer it, all of them
    also: tuple[str, ...] = ()  # figures that are shown with it, where they are there


@checked_dataclass(frozen=True, config=_STRICT)
class DialectPart:
    """Points under one heading."""

    id: str
    title: str
    points: tuple[DialectPoint, ...]


@checked_dataclass(frozen=True, config=_STRICT)
class RegulatorDialect:
    """All that one regulator, or standard, asks."""

    title: str
    short: str
    rule: str
    about: str
    sources: dict[str, AskingSource]
    parts: tuple[DialectPart, ...]
    threshold: Annotated[float, Field(gt=0.0, le=1.0)] | None = None  # of risk, where one is named

    @property
    def points(self) -> tuple[DialectPoint, ...]:
        """The points of all parts, in order."""
        return tuple(point for part in self.parts for point in part.points)


_DIALECT: TypeAdapter[RegulatorDialect] = TypeAdapter(RegulatorDialect)


@cache
def dialect(name: DialectName) -> RegulatorDialect:
    """Read a dialect."""
    text = (files("roadstead.determination") / "data" / f"{name}.toml").read_text(encoding="utf-8")
    return _DIALECT.validate_python(tomllib.loads(text))
