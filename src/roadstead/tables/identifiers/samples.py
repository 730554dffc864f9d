"""Sample some distinct values of each column, with one or two queries for a few thousand records.

A single email address, telephone number, or social security number is enough evidence. So the
module searches all records for these forms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from roadstead.tables.failures import engine_errors
from roadstead.tables.profile import MARKERS, ColumnProfile
from roadstead.tables.source import Source
from roadstead.tables.texts import Texts, texts_of

RECORDS: Final = 2_000
"""The number of records per query."""

VALUES: Final = 300
"""The number of evenly spaced distinct values to keep per column."""

_FORMS: Final = (
    "[A-Za-z0-9]@[A-Za-z0-9-]+[.][A-Za-z]",
    "[0-9]{3}[-. )] ?[0-9]{2,3}[-. ][0-9]{4}",
)
"""Forms to search for in all records, as regular expressions that all engines understand."""
_SHORTEST_FORM: Final = 6

_FEW: Final = 50
_MOST_ROUNDS: Final = 20
_TOGETHER: Final = 20
"""The number of columns per query, because engines limit the length of conditions."""
_SKETCH: Final = 0.8
"""A safety margin, because approximate numbers of distinct values can be too low."""


def sample(source: Source, columns: Sequence[ColumnProfile]) -> Mapping[str, tuple[str, ...]]:
    """Return up to `VALUES` distinct values of each column, in order of first occurrence.

    Blanks around values are removed. Empty values are omitted, but strings that represent a missing
    value are included.
    """
    if not columns:
        return {}
    names = {f"value_{at}": column for at, column in enumerate(columns)}
    texts = texts_of(source, [column.name for column in columns])
    with engine_errors(source.name):
        found = _distinct(texts.first(RECORDS))
        if columns[0].records > RECORDS:
            _look_again(texts, names, found)
        forms = _look_for_forms(texts, names, found)
    return {
        column.name: tuple(dict.fromkeys((*_spread(found[place]), *forms.get(place, ()))))
        for place, column in names.items()
    }


def _look_for_forms(
    texts: Texts, names: Mapping[str, ColumnProfile], found: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Return one string of each form for each column that contains such a string."""
    unseen = [
        place
        for place, column in names.items()
        if column.type.lstrip("!").startswith("string")
        and column.longest >= _SHORTEST_FORM
        and column.distinct > min(len(found[place]), VALUES)
    ]
    if not unseen:
        return {}
    row = texts.forms(unseen, _FORMS)
    return {
        place: [text.strip() for at in range(len(_FORMS)) if (text := row[f"{place}_{at}"])]
        for place in unseen
    }


def _look_again(
    texts: Texts, names: Mapping[str, ColumnProfile], found: dict[str, list[str]]
) -> None:
    """Query more values for columns with few values, until a query does not find new values."""
    lacking = [place for place in names if _lacking(names[place], found[place])]
    for start in range(0, len(lacking), _TOGETHER):
        sparse = lacking[start : start + _TOGETHER]
        for _ in range(_MOST_ROUNDS):
            seen = {place: ["", *found[place]] for place in sparse}
            # This number of records gives at least one column enough values, if enough exist.
            most = max(RECORDS, _FEW * len(sparse))
            more = _distinct(texts.unseen(seen, most))
            for place in sparse:
                found[place] += [text for text in more[place] if text not in seen[place]]
            gained = any(len(found[place]) >= len(seen[place]) for place in sparse)
            sparse = [place for place in sparse if _lacking(names[place], found[place])]
            if not (gained and sparse):
                break


def _lacking(column: ColumnProfile, found: Sequence[str]) -> bool:
    return len(found) < min(_FEW, _SKETCH * column.distinct) or (not found and column.present > 0)


def _distinct(cells: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {place: [cell for cell in dict.fromkeys(own) if cell] for place, own in cells.items()}


def _spread(cells: Sequence[str]) -> tuple[str, ...]:
    """Return evenly spaced distinct values, and also all strings that mean a missing value."""
    stripped = dict.fromkeys(cell.strip() for cell in cells)
    distinct = [text for text in stripped if text]
    step = max(len(distinct) / VALUES, 1.0)
    chosen = (distinct[int(at * step)] for at in range(min(len(distinct), VALUES)))
    return tuple(dict.fromkeys((*chosen, *(t for t in distinct if t.lower() in MARKERS))))
