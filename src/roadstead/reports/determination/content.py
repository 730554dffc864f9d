"""Collect the content of a determination as plain strings, for the page and the PDF.

Each claim refers to the number of the figure that supports it. Points that are not assessed are
also listed, so that readers see what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roadstead.determination.answers import NOT_ASSESSED, questions
from roadstead.determination.dialects import AskingSource, DialectPoint, RegulatorDialect, dialect
from roadstead.determination.document import (
    BY,
    AnsweredBy,
    AnsweredDialect,
    AnsweredPoint,
    Determination,
    PeoplesAnswer,
)
from roadstead.determination.figures import VERIFICATION, attacks_of
from roadstead.release.facts import CertifiedFigure
from roadstead.reports.determination.words import LABELS, ROLES, convicting, not_there, said
from roadstead.reports.ledger import finding_words
from roadstead.reports.wording import counted, format_count

STATES: dict[AnsweredBy, str] = {
    "tool": "Answered by Roadstead",
    "people": "Answered by people",
    "both": "Answered by Roadstead and people",
    "part": "Answered in part",
    "nobody": "Not assessed",
}
READ = {
    "text": "The wording was read",
    "contents": "Only the headings or the summary were read",
    "secondhand": "The original was not read",
}
_NO_REASON = "data.variables"


@dataclass(frozen=True)
class Claim:
    """A sentence, and the number of the figure that supports it."""

    says: str
    number: int
    figure: str


@dataclass(frozen=True)
class ShownAnswer:
    """A question for people and its answer. The answer is None if the question was not assessed."""

    label: str
    answer: str | None


@dataclass(frozen=True)
class ShownVariable:
    """A released column, its treatment, and the reasons that people gave for its role."""

    column: str
    role: str
    does: str
    why: str | None


@dataclass(frozen=True)
class ShownPoint:
    """A point of a dialect."""

    number: int
    id: str
    question: str
    place: str  # the place in the source
    unread: str  # how the source was read; empty if the original was read
    answered: AnsweredBy
    above: bool  # whether a risk is above a threshold or people are found
    claims: tuple[Claim, ...]
    missing: tuple[str, ...]
    answers: tuple[ShownAnswer, ...]
    variables: tuple[ShownVariable, ...]
    variables_figure: int

    @property
    def state(self) -> str:
        """The source of the answer, in words."""
        return STATES[self.answered]


@dataclass(frozen=True)
class ShownPart:
    """The points under one heading."""

    id: str
    title: str
    points: tuple[ShownPoint, ...]


@dataclass(frozen=True)
class ShownFigure:
    """A row of the table of figures."""

    number: int
    id: str
    label: str
    value: tuple[str, ...]
    file: str
    field: str
    checked: bool


@dataclass(frozen=True)
class ShownSource:
    """A document that requires some of the points."""

    document: str
    by: str
    version: str
    read: str


@dataclass(frozen=True)
class DeterminationContent:
    """The content of one document."""

    title: str
    short: str
    rule: str
    about: str
    release: str
    certificate: str
    created: str
    version: str
    made: str
    alarms: tuple[str, ...]
    state: str
    conclusion: str | None  # the conclusion of the expert, if a name and a date are given
    counts: tuple[tuple[AnsweredBy, str, int], ...]
    parts: tuple[ShownPart, ...]
    figures: tuple[ShownFigure, ...]
    sources: tuple[ShownSource, ...]
    signature: tuple[ShownAnswer, ...]

    @property
    def points(self) -> tuple[ShownPoint, ...]:
        """The points of all parts."""
        return tuple(point for part in self.parts for point in part.points)


def content_of_dialect(whole_: Determination, one: AnsweredDialect) -> DeterminationContent:
    """Return the content of a document in one dialect."""
    spec = dialect(one.dialect)
    numbers = {name: at for at, name in enumerate(one.figures, start=1)}
    answered = {point.id: point for point in one.points}
    order = {point.id: at for at, point in enumerate(spec.points, start=1)}
    parts = tuple(
        ShownPart(
            part.id,
            part.title,
            tuple(
                _point(point, order[point.id], answered[point.id], one, numbers, whole_)
                for point in part.points
            ),
        )
        for part in spec.parts
    )
    return DeterminationContent(
        title=spec.title,
        short=spec.short,
        rule=spec.rule,
        about=spec.about,
        release=whole_.release,
        certificate=whole_.certificate,
        created=whole_.created,
        version=whole_.software,
        made=whole_.made,
        alarms=tuple(alarms_of(whole_, one)),
        state=_state(whole_, one),
        conclusion=whole_.expert["conclusion"] if whole_.concluded else None,
        counts=tuple((who, STATES[who], one.by[who]) for who in BY),
        parts=parts,
        figures=tuple(_figure(at, one.figures[name], whole_) for name, at in numbers.items()),
        sources=tuple(_source(source) for source in spec.sources.values()),
        signature=_signature(whole_),
    )


def alarms_of(whole_: Determination, one: AnsweredDialect) -> Iterator[str]:
    """Yield the warnings that a reader must see first."""
    if whole_.expired:
        yield f"This determination has expired. It was valid until {whole_.expires}."
    if whole_.convicted:
        names = convicting(whole_.convicted)
        yield f"Attacks on the release reveal more than the privacy requirements allow: {names}."
    if whole_.singled_out:
        found = "; ".join(map(finding_words, whole_.singled_out))
        yield f"Together with earlier releases, the release can single out people: {found}."
    for name in ("threshold-maximum", "threshold-average", "own-threshold", "overall"):
        figure = one.figures.get(name)
        if figure is not None and _is_above(figure):
            yield " ".join(said(figure, whole_.unit))


def _is_not_met(point: DialectPoint, figures: Sequence[CertifiedFigure]) -> bool:
    """Return whether a figure shows that a point is not met.

    If the point requires a figure that is compared with a threshold, other figures with a threshold
    are ignored. These figures may refer to another risk, such as the maximum risk.
    """
    asked = [one for one in figures if one.id in point.tool and _compares(one)]
    others = [one for one in figures if not _compares(one)]
    return any(_is_above(one) for one in ([*asked, *others] if asked else figures))


def _compares(figure: CertifiedFigure) -> bool:
    return isinstance(figure.value, dict) and "under" in figure.value


def _is_above(figure: CertifiedFigure) -> bool:
    """Return whether a figure is a risk above a threshold, or shows that people are found."""
    if figure.id == "attacks":
        return any(one.convicted for one in attacks_of(figure))
    value = figure.value if isinstance(figure.value, dict) else {}
    if figure.id == "earlier":
        return bool(value["findings"])
    return value.get("under") is False or value.get("not_certain") is True


def _state(whole_: Determination, one: AnsweredDialect) -> str:
    open_ = one.by["nobody"] + one.by["part"]
    points = counted(len(one.points), "point")
    left = f"{format_count(open_)} of {points} are not assessed, or are assessed only in part."
    left = f"All {points} are answered." if not open_ else left
    if whole_.concluded:
        until = (
            f" The determination is valid until {whole_.expires}."
            if whole_.expires
            else " It does not have an expiry date."
        )
        expert = whole_.expert
        return f"{expert['name']} made this determination on {expert['date']}.{until} {left}"
    return (
        "This is a draft: no expert has made a determination. Roadstead shows figures, and a "
        f"person must decide what follows from them. {left}"
    )


def _point(
    point: DialectPoint,
    number: int,
    answered: AnsweredPoint,
    of: AnsweredDialect,
    numbers: Mapping[str, int],
    whole_: Determination,
) -> ShownPoint:
    source = dialect(of.dialect).sources[point.source]
    reasons = next((one for one in answered.people if one.key == _NO_REASON), None)
    table = reasons is not None or "variables" in point.tool
    variables = _variables(of.figures.get("variables"), reasons) if table else ()
    return ShownPoint(
        number=number,
        id=point.id,
        question=point.question,
        place=point.place,
        unread="" if source.read == "text" else READ[source.read].lower(),
        answered=answered.answered,
        above=_is_not_met(point, [of.figures[name] for name in answered.figures]),
        claims=tuple(
            Claim(sentence, numbers[name], name)
            for name in answered.figures
            if not (variables and name == "variables")
            for sentence in said(of.figures[name], whole_.unit)
        ),
        missing=tuple(not_there(name, whole_.kind) for name in answered.missing),
        answers=tuple(
            ShownAnswer(questions()[one.key].title, _said(one))
            for one in answered.people
            if not (variables and one.key == _NO_REASON)
        ),
        variables=variables,
        variables_figure=numbers.get("variables", 0),
    )


def _said(one: PeoplesAnswer) -> str | None:
    return f"{one.answer:g}" if isinstance(one.answer, float) else one.answer


def _variables(
    figure: CertifiedFigure | None, reasons: PeoplesAnswer | None
) -> tuple[ShownVariable, ...]:
    """Yield the released columns, and the reasons that people gave for the role of each column."""
    if figure is None:
        return ()
    given = {} if reasons is None else dict(reasons.columns)
    return tuple(
        ShownVariable(column, ROLES[role], does, given.get(column))
        for column, role, does in figure.value
    )


def _figure(number: int, figure: CertifiedFigure, whole_: Determination) -> ShownFigure:
    fresh = figure.file == VERIFICATION
    return ShownFigure(
        number=number,
        id=figure.id,
        label=LABELS[figure.id],
        value=tuple(_value(figure, whole_)),
        file="verified for this document" if fresh else figure.file,
        field="" if fresh else figure.field,
        checked=figure.checked,
    )


def _value(figure: CertifiedFigure, whole_: Determination) -> Iterator[str]:
    """Yield the value of a figure, or the fingerprints of files."""
    if figure.id == "files":
        for name, digest, size in figure.value:
            yield f"{name}: SHA-256 {digest}" + (
                "" if size is None else f", {format_count(size)} bytes"
            )
        return
    if figure.id == "variables":
        yield ", ".join(column or does for column, _, does in figure.value)
        return
    yield from said(figure, whole_.unit)


def _source(source: AskingSource) -> ShownSource:
    return ShownSource(
        source.document, source.by, source.version, f"{READ[source.read]}: {source.through}."
    )


def _signature(whole_: Determination) -> tuple[ShownAnswer, ...]:
    keys = ("expert.name", "expert.qualification", "expert.conclusion", "expert.date")
    expert: Mapping[str, Any] = whole_.expert
    return tuple(
        ShownAnswer(questions()[key].title, expert.get(key.partition(".")[2]))
        for key in (*keys, "expert.expires")
    )


__all__ = ["NOT_ASSESSED", "DeterminationContent", "RegulatorDialect", "content_of_dialect"]
