"""A few values of every column, to be looked at and never shown.

The first records of the table are enough to see what values read like. A column that shows few
values there, for it is mostly empty or begins with one text many times, is looked up again among
the records in which one of such columns has a value that was not seen yet. Of e-mail addresses and
of telephone and social security numbers one is enough, so all records are asked for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from roadstead.tables.failures import engine_errors
from roadstead.tables.profile import MARKERS, ColumnProfile
from roadstead.tables.texts import texts_of

if TYPE_CHECKING:
    from roadstead.tables.source import Source
    from roadstead.tables.texts import Texts

RECORDS: Final = 2_000
"""So many records are read at a time."""

VALUES: Final = 300
"""So many distinct values of a column are kept, from all over those records."""

_FORMS: Final = (
    "[A-Za-z0-9]@[A-Za-z0-9-]+[.][A-Za-z]",
    "[0-9]{3}[-. )] ?[0-9]{2,3}[-. ][0-9]{4}",
)
"""Forms to ask all records for, in what regular expressions of every engine have in common."""
_SHORTEST_FORM: Final = 6

_FEW: Final = 50
_MOST_ROUNDS: Final = 20
_TOGETHER: Final = 20
"""So many columns are asked for at once; engines do not take conditions of any length."""
_SKETCH: Final = 0.8
"""A sketch of the number of distinct values is a few percent off."""


def sample(source: Source, columns: Sequence[ColumnProfile]) -> Mapping[str, tuple[str, ...]]:
    """Take distinct values of every column that has some.

    `source`: the table. `columns`: the profile of each of the columns to look at. Returns for each
    column, up to `VALUES` distinct texts without blanks around them, in the order in which they
    come; none is missing. Texts that stand for a missing value are among them. Raises SourceError:
    the engine cannot read the source.
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
    """Give for each column a text of each form, if any record has one: in one query at most."""
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
    """Add values of the columns that showed few, until none gives more."""
    lacking = [place for place in names if _lacking(names[place], found[place])]
    for start in range(0, len(lacking), _TOGETHER):
        _look_for(texts, lacking[start : start + _TOGETHER], names, found)


def _look_for(
    texts: Texts,
    sparse: list[str],
    names: Mapping[str, ColumnProfile],
    found: dict[str, list[str]],
) -> None:
    for _ in range(_MOST_ROUNDS):
        if not sparse:
            return
        seen = {place: ["", *found[place]] for place in sparse}
        # So many that one of the columns at least shows enough, unless it has no more to show.
        more = _distinct(texts.unseen(seen, max(RECORDS, _FEW * len(sparse))))
        still = []
        for place in sparse:
            new = [text for text in more[place] if text not in seen[place]]
            found[place] += new
            if _lacking(names[place], found[place]):
                still.append(place)
        if not any(len(found[place]) >= len(seen[place]) for place in sparse):
            return
        sparse = still


def _lacking(column: ColumnProfile, found: Sequence[str]) -> bool:
    return len(found) < min(_FEW, _SKETCH * column.distinct) or (not found and column.present > 0)


def _distinct(cells: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {place: [cell for cell in dict.fromkeys(own) if cell] for place, own in cells.items()}


def _spread(cells: Sequence[str]) -> tuple[str, ...]:
    """Choose distinct values at even distances, and all that stand for missing."""
    stripped = dict.fromkeys(cell.strip() for cell in cells)
    distinct = [text for text in stripped if text]
    step = max(len(distinct) / VALUES, 1.0)
    chosen = (distinct[int(at * step)] for at in range(min(len(distinct), VALUES)))
    return tuple(dict.fromkeys((*chosen, *(t for t in distinct if t.lower() in MARKERS))))
