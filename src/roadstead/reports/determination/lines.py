"""Show each point of a determination in the terminal, and say who answers the point."""

from __future__ import annotations

from collections.abc import Iterator

from roadstead.determination.dialects import dialect
from roadstead.determination.document import BY, AnsweredDialect, Determination
from roadstead.reports.determination.content import alarms_of
from roadstead.reports.wording import counted, shortened

_WIDTH = 100


def lines_of(determination: Determination) -> Iterator[str]:
    """Yield the answered points of each dialect, and the warnings about the release."""
    for one in determination.dialects:
        yield from _dialect(one)
        for alarm in alarms_of(determination, one):
            yield f"  ! {alarm}"
        yield ""
    if not determination.concluded:
        yield (
            "No determination is made, because the expert's name, the conclusion, or the date is "
            "missing from the answers. A person must decide what the figures mean."
        )


def _dialect(one: AnsweredDialect) -> Iterator[str]:
    spec = dialect(one.dialect)
    by = ", ".join(f"{one.by[who]} {who}" for who in BY)
    yield f"{one.dialect}: {spec.title}"
    yield f"  {counted(len(one.points), 'point')}: {by}"
    for point, answered in zip(spec.points, one.points, strict=True):
        number = spec.points.index(point) + 1
        question = shortened(point.question, _WIDTH - 14)
        yield f"  {answered.answered:<7} {number:>2}  {question}"
