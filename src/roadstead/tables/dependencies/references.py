"""Columns whose values are person IDs: of the one who infected a patient, of a mother, of a twin.

Nearly all values of such a column are values of the person ID. If these are whole numbers without
gaps, the values of any column of counts are among them: then its header must say that it names
somebody or something.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from roadstead.tables.failures import engine_errors
from roadstead.tables.identifiers.objections import Objection
from roadstead.tables.identifiers.vocabulary import is_called, words
from roadstead.tables.text import BLANKS, as_text

if TYPE_CHECKING:
    import ibis

    from roadstead.tables.dependencies.rows import DrawnRows
    from roadstead.tables.source import Source

_MOSTLY: Final = 0.9
"""This share of the values of a column are person IDs."""
_FEWEST: Final = 3
"""So many values it has at least."""
_BY_CHANCE: Final = 1e-3
"""Numbers drawn between the least and the greatest person ID would all be some, at most."""
_FORM: Final = (re.compile(r"\d+"), re.compile(r"[^\W\d_]+"))
_NAMES: Final = re.compile(
    r"(^|_)(id|no|nr|key|source|contact|index|mother|father|parent|sibling|twin|partner|spouse|"
    r"infector|infected_by|donor|child|referr\w*|case|relative|head)(_|$)"
)


def references(
    source: Source, rows: DrawnRows, candidates: Sequence[str], person: str
) -> list[Objection]:
    """Find the columns whose values are values of a person ID."""
    forms = _forms(rows, person)
    alike = [
        name
        for name in candidates
        if name != person and rows[name].distinct >= _FEWEST and _forms(rows, name) <= forms
    ]
    if not alike:
        return []
    with engine_errors(source.name):
        table = source.table
        ids = _values(table, person)
        crowded = _crowded(ids)
        found = []
        for name in alike:
            own = _values(table, name)
            counted = own.count().to_pyarrow().as_py()
            known = own.semi_join(ids, "value").count().to_pyarrow().as_py()
            named = is_called(name, "person") or _NAMES.search(words(name)) is not None
            if known >= max(_MOSTLY * counted, _FEWEST) and (
                named or crowded**counted < _BY_CHANCE
            ):
                why = f"its values are person IDs: {known:,} of its {counted:,} are in {person}"
                found.append(Objection(name, "link", why, (person,)))
    return found


def _forms(rows: DrawnRows, name: str) -> set[str]:
    """Give the forms of some values: digits as one sign, letters as another."""
    digits, letters = _FORM
    texts = rows[name].domain[:500].to_pylist()
    return {letters.sub("a", digits.sub("9", _plain(str(text)))) for text in texts}


def _plain(text: str) -> str:
    return re.sub(r"\.0+$", "", text.strip())


def _values(table: ibis.Table, column: str) -> ibis.Table:
    """Give the different values of a column; a whole number written as a float is the number."""
    text = as_text(table[column]).strip().re_replace(r"[.]0+$", "")
    own = table.select(value=text).distinct()
    return own.filter(own["value"].lower().notin(BLANKS))


def _crowded(ids: ibis.Table) -> float:
    """Say how many of the whole numbers between the least and the greatest ID are IDs."""
    number = ids["value"].re_search("^[0-9]{1,15}$").ifelse(ids["value"], None).cast("int64")
    row = ids.aggregate(
        values=ids.count(), numbers=number.count(), least=number.min(), greatest=number.max()
    )
    (found,) = row.to_pyarrow().to_pylist()
    if not found["numbers"] or found["numbers"] < _MOSTLY * found["values"]:
        return 0.0
    return float(found["numbers"]) / (found["greatest"] - found["least"] + 1)
