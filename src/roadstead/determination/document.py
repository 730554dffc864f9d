"""Determine which points of one or more dialects have an answer for a release.

The determination is stored in ``determination.json``. Roadstead answers a point if all required
figures exist. A point counts as answered by people if they answer all its questions. Only the
expert draws a conclusion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from roadstead import __version__
from roadstead.determination.answers import AllAnswers
from roadstead.determination.dialects import DialectName, DialectPoint, dialect
from roadstead.determination.figures import (
    MeasuredRelease,
    attacks_of,
)
from roadstead.determination.thresholds import compared
from roadstead.errors import SettingError
from roadstead.near_names import did_you_mean
from roadstead.printable import named
from roadstead.release.documents import Fingerprint, write_json
from roadstead.release.facts import CertifiedFigure
from roadstead.release.ledger.facts import OverlayFinding, overlay_of

DOCUMENT = "determination.json"
MARK = "roadstead_determination"
_STRICT = ConfigDict(extra="forbid")

AnsweredBy: TypeAlias = Literal["tool", "people", "both", "part", "nobody"]
"""How a point is answered: ``part`` if some answers are missing, ``nobody`` if all are missing."""
BY: tuple[AnsweredBy, ...] = ("tool", "people", "both", "part", "nobody")


@checked_dataclass(frozen=True, config=_STRICT)
class PeoplesAnswer:
    """People's answer to one question. The answer is missing if the question was not assessed."""

    key: str
    answer: str | float | None
    columns: tuple[tuple[str, str], ...] = ()  # the reason for the role of each column
    missing: tuple[str, ...] = ()  # released columns without a reason from people


@checked_dataclass(frozen=True, config=_STRICT)
class AnsweredPoint:
    """A point of a dialect, together with its answers."""

    id: str
    answered: AnsweredBy
    figures: tuple[str, ...]  # ids of existing figures
    missing: tuple[str, ...]  # ids of required figures that do not exist
    people: tuple[PeoplesAnswer, ...]


@checked_dataclass(frozen=True, config=_STRICT)
class AnsweredDialect:
    """A dialect, together with its answered points."""

    dialect: DialectName
    rule: str
    figures: dict[str, CertifiedFigure]  # all figures that the points refer to
    points: tuple[AnsweredPoint, ...]

    @property
    def by(self) -> dict[AnsweredBy, int]:
        """Return the number of points that are answered in each way."""
        return {who: sum(one.answered == who for one in self.points) for who in BY}


@checked_dataclass(frozen=True, config=_STRICT)
class Determination:
    """A determination about one release, for one or more dialects.

    `kind` is ``table``, ``private``, ``database``, or the kind of another package. `unit` is
    ``record`` or ``person``. `release` is an empty string if people did not name the release.
    `convicted` lists the certified attacks that succeeded more often than the release allows.
    `singled_out` lists the certified groups of too few people that this release and earlier
    releases reveal together. `concluded` indicates whether the document contains a dated conclusion
    by a named expert. `expires` is the last day on which the determination is valid, or None.
    `made_by` and `made` describe the release. `software` and `created` describe the determination.
    """

    certificate: str
    kind: str
    unit: str
    release: str
    made_by: str
    made: str
    convicted: tuple[str, ...]
    singled_out: tuple[OverlayFinding, ...]
    concluded: bool
    expired: bool
    expires: str | None
    expert: dict[str, str | None]
    dialects: tuple[AnsweredDialect, ...]
    software: str
    created: str
    files: tuple[Fingerprint, ...] = ()
    roadstead_determination: Literal[1] = 1

    def to_dict(self) -> dict[str, Any]:
        """Return the determination as a dictionary that JSON can represent."""
        document = _DETERMINATION.dump_python(self, mode="json")
        return {MARK: document.pop(MARK), **document}


_DETERMINATION: TypeAdapter[Determination] = TypeAdapter(Determination)


def determined(
    of: MeasuredRelease,
    answers: AllAnswers,
    names: Iterable[DialectName],
    *,
    release: str,
    today: date,
    created: str,
) -> Determination:
    """Combine the measured figures with people's answers for each point."""
    _require_known_columns(of, answers)
    expert = answers.expert
    attacks = attacks_of(of.figures.get("attacks"))
    earlier = of.figures.get("earlier")
    return Determination(
        certificate=of.certificate,
        kind=of.kind,
        unit=of.unit,
        release=release,
        made_by=of.software,
        made=of.created,
        convicted=tuple(dict.fromkeys(one.attack for one in attacks if one.convicted)),
        concluded=None not in (expert.name, expert.conclusion, expert.date),
        expired=expert.expires is not None and expert.expires < today,
        expires=None if expert.expires is None else expert.expires.isoformat(),
        expert={key: _text(getattr(expert, key)) for key in type(expert).model_fields},
        dialects=tuple(_answered(name, of, answers) for name in names),
        software=__version__,
        created=created,
        singled_out=() if earlier is None else overlay_of(earlier.value).findings,
    )


def write_determination(determination: Determination, folder: Path) -> None:
    """Write the document of a determination to a folder."""
    write_json(determination.to_dict(), folder / DOCUMENT)


def _answered(name: DialectName, of: MeasuredRelease, answers: AllAnswers) -> AnsweredDialect:
    one = dialect(name)
    figures = of.figures | compared(of, answers, one.threshold)
    points = tuple(_point(point, figures, of, answers) for point in one.points)
    used = {figure for point in points for figure in point.figures}
    kept = {key: figures[key] for key in figures if key in used}
    return AnsweredDialect(name, one.rule, kept, points)


def _point(
    point: DialectPoint,
    figures: Mapping[str, CertifiedFigure],
    of: MeasuredRelease,
    answers: AllAnswers,
) -> AnsweredPoint:
    people = tuple(_people(key, of, answers) for key in point.people)
    given = [one for one in people if one.answer is not None]
    complete = [one for one in given if not one.missing]
    missing = tuple(name for name in point.tool if name not in figures)
    tool = any(name in figures for name in (*point.tool, *point.partly))
    return AnsweredPoint(
        point.id,
        _by(point, missing, len(given), len(complete), tool=tool),
        tuple(name for name in (*point.tool, *point.also, *point.partly) if name in figures),
        missing,
        people,
    )


def _by(
    point: DialectPoint, missing: Sequence[str], given: int, complete: int, *, tool: bool
) -> AnsweredBy:
    if not missing and complete == len(point.people):
        if not point.people:
            return "tool"
        return "both" if tool else "people"
    return "part" if given or tool else "nobody"


def _people(key: str, of: MeasuredRelease, answers: AllAnswers) -> PeoplesAnswer:
    answer = answers.answer(key)
    if isinstance(answer, dict):
        given = {name: why for name, why in answer.items() if why is not None}
        missing = tuple(name for name in of.released if name not in given)
        said = "\n".join(f"{name}: {why}" for name, why in given.items())
        return PeoplesAnswer(key, said or None, tuple(given.items()), missing if given else ())
    return PeoplesAnswer(key, answer if isinstance(answer, float) else _text(answer))


def _text(answer: object) -> str | None:
    """Return an answer as a string. A day is formatted like 2026-03-01."""
    return None if answer is None else str(answer)


def _require_known_columns(of: MeasuredRelease, answers: AllAnswers) -> None:
    """Reject reasons for columns that do not exist, for example, because of a misspelled name."""
    for name in answers.data.variables:
        if name not in of.columns:
            raise SettingError(
                f"data.variables.{named(name)}: the release does not have this column",
                where="the answers",
                fix=did_you_mean(name, of.columns, "leave it out", show=named),
            )


def require_days_in_order(answers: AllAnswers) -> None:
    """Reject a conclusion that expires before the day on which the conclusion was drawn."""
    expert = answers.expert
    if expert.date is not None and expert.expires is not None and expert.expires < expert.date:
        raise SettingError(
            "expert.expires: is before expert.date", where="the answers", fix="correct one of them"
        )
