"""Find columns with person IDs of other people, such as a mother, a twin, or a contact.

Nearly all values of such a column also occur in the person ID column. But if the person IDs are
whole numbers without gaps, the values of any column of counts also occur there. So in this case,
the column's name must also indicate a person or a thing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.objections import Objection
from roadstead.tables.identifiers.vocabulary import is_called, words
from roadstead.tables.text import BLANKS, as_text

if TYPE_CHECKING:
    import ibis

    from roadstead.tables.dependencies.rows import DrawnColumn, DrawnRows
    from roadstead.tables.source import Source

_MOSTLY: Final = 0.9
"""The minimum share of a column's values that are person IDs."""
_FEWEST: Final = 3
"""The minimum number of values of such a column."""
_BY_CHANCE: Final = 1e-3
"""The maximum probability of a chance match at which numbers count as person IDs."""
_FORM: Final = (re.compile(r"\d+"), re.compile(r"[^\W\d_]+"))
_NAMES: Final = re.compile(
    r"(^|_)(id|no|nr|key|source|contact|index|mother|father|parent|sibling|twin|partner|spouse|"
    r"infector|infected_by|donor|child|referr\w*|case|relative|head)(_|$)"
)


@dataclass(frozen=True)
class _Numbers:
    """The range of person IDs that are whole numbers, and the share of the range that is in use."""

    least: float
    greatest: float
    crowded: float


def references(
    source: Source, rows: DrawnRows, candidates: Sequence[str], person: str
) -> list[Objection]:
    """Find the columns whose values are person IDs."""
    forms = _forms(rows, person)
    alike = [
        name
        for name in candidates
        if name != person and rows[name].distinct >= _FEWEST and _forms(rows, name) <= forms
    ]
    if not alike:
        return []
    with engine_errors(source.name):
        ids = _values(source.table, person)
        numbers = _numbers(ids)
        found = []
        for name in alike:
            if not (reason := _possible(rows[name], numbers)):
                continue
            own = _values(source.table, name)
            counted = own.count().to_pyarrow().as_py()
            known = own.semi_join(ids, "value").count().to_pyarrow().as_py()
            if known >= max(_MOSTLY * counted, _FEWEST):
                why = f"{reason}: {known:,} of its {counted:,} are in {person}"
                found.append(Objection(name, "link", why, (person,)))
    return found


def _possible(column: DrawnColumn, ids: _Numbers | None) -> str:
    """Return why values can be person IDs, or "" if they may equal person IDs by chance."""
    sure, maybe = "its values are person IDs", "named like a key, it may contain person IDs"
    if ids is None or column.numbers is None:
        return sure
    within = (column.numbers >= ids.least) & (column.numbers <= ids.greatest)
    named = is_called(column.name, "person") or _NAMES.search(words(column.name)) is not None
    rare = ids.crowded**column.distinct < _BY_CHANCE
    if within.mean() < _MOSTLY:
        return ""
    return sure if rare else maybe if named else ""


def _forms(rows: DrawnRows, name: str) -> set[str]:
    """Return the forms of values: ``9`` is a run of digits, and ``a`` is a run of letters."""
    digits, letters = _FORM
    texts = rows[name].domain[:500].to_pylist()
    return {letters.sub("a", digits.sub("9", _plain(str(text)))) for text in texts}


def _plain(text: str) -> str:
    return re.sub(r"\.0+$", "", text.strip())


def _values(table: ibis.Table, column: str) -> ibis.Table:
    """Return the distinct values of a column. Whole numbers lose zeros after the decimal point."""
    text = as_text(table[column]).strip().re_replace(r"[.]0+$", "")
    own = table.select(value=text).distinct()
    return own.filter(own["value"].lower().notin(BLANKS))


def _numbers(ids: ibis.Table) -> _Numbers | None:
    """Return the range of the person IDs, or None if many person IDs are not whole numbers."""
    number = ids["value"].re_search("^[0-9]{1,15}$").ifelse(ids["value"], None).cast("int64")
    row = ids.aggregate(
        values=ids.count(), numbers=number.count(), least=number.min(), greatest=number.max()
    )
    (found,) = row.to_pyarrow().to_pylist()
    if not found["numbers"] or found["numbers"] < _MOSTLY * found["values"]:
        return None
    least, greatest = float(found["least"]), float(found["greatest"])
    return _Numbers(least, greatest, found["numbers"] / (greatest - least + 1.0))
