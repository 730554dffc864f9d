"""Find columns with person IDs of other people, such as a mother, a twin, or a contact.

Nearly all values of such a column also occur in the person ID column. But if the person IDs are
whole numbers without gaps, the values of any column of counts also occur there. So in this case,
the column's name must also indicate a person or a thing. The numbers of visits or of wards are not
person IDs either: they are few, they are the first numbers, and many people share each of them
(`_numbers_things`). This does not apply to a column whose name indicates a person.
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
    from ibis.expr import types as ir

    from roadstead.tables.dependencies.rows import DrawnColumn, DrawnRows
    from roadstead.tables.source import Source

_MOSTLY: Final = 0.9
"""The minimum share of a column's values that are person IDs."""
_FEWEST: Final = 3
"""The minimum number of values of such a column."""
_BY_CHANCE: Final = 1e-3
"""The maximum probability of a chance match at which numbers count as person IDs."""
_FEW: Final = 0.1
"""The maximum number of values, as a share of the person IDs, if they may number other things."""
_GAPS: Final = 3
"""The maximum ratio of the greatest of these values to their number."""
_SHARING: Final = 10
"""The minimum number of people who share each of these values."""
_FORWARD: Final = 0.25
"""The minimum ratio of the people with a value above their own ID to the values."""
_FORM: Final = (re.compile(r"\d+"), re.compile(r"[^\W\d_]+"))
_SURE: Final = "its values are person IDs"
_MAYBE: Final = "its name looks like the name of a key, so it may contain person IDs"
_KEYS: Final = re.compile(r"(^|_)(id|no|nr|key)(_|$)")
_PEOPLE: Final = re.compile(
    r"(^|_)(source|contact|index|mother|father|parent|sibling|twin|partner|spouse|infector|"
    r"infected_by|donor|child|referr\w*|case|relative|head)(_|$)"
)
"""Names of columns that refer to people."""


@dataclass(frozen=True)
class _Numbers:
    """The range of person IDs that are whole numbers, and the share of the range that is in use.

    `many` is the number of person IDs.
    """

    least: float
    greatest: float
    crowded: float
    many: int


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
            if known < max(_MOSTLY * counted, _FEWEST):
                continue
            thing = reason == _MAYBE and not _of_people(name)
            if not thing or not _numbers_things(source.table, name, person, numbers):
                why = f"{reason}: {known:,} of its {counted:,} values are in {person}"
                found.append(Objection(name, "link", why, (person,)))
    return found


def _possible(column: DrawnColumn, ids: _Numbers | None) -> str:
    """Return why values can be person IDs, or "" if they may equal person IDs by chance."""
    if ids is None or column.numbers is None:
        return _SURE
    within = (column.numbers >= ids.least) & (column.numbers <= ids.greatest)
    named = _of_people(column.name) or _KEYS.search(words(column.name)) is not None
    rare = ids.crowded**column.distinct < _BY_CHANCE
    if within.mean() < _MOSTLY:
        return ""
    return _SURE if rare else _MAYBE if named else ""


def _of_people(name: str) -> bool:
    return is_called(name, "person") or _PEOPLE.search(words(name)) is not None


def _numbers_things(table: ibis.Table, name: str, person: str, ids: _Numbers | None) -> bool:
    """Return whether a column numbers things, such as visits, that many people share.

    Its values must be few and among the first numbers, and each must be shared by many people. The
    first people of an outbreak, a family, or a chain of referrals can also have the first person
    IDs, and be named by many others. But they are the first: their own values are blank, or name
    themselves or an earlier person. So enough of them must have a value above their own ID.
    """
    most = 0 if ids is None else int(_FEW * ids.many)
    whole = r"^[0-9]{1,15}$"
    pairs = table.select(value=_text(table[name]), own=_text(table[person])).distinct()
    pairs = pairs.filter(pairs["value"].lower().notin(BLANKS), pairs["own"].re_search(whole))
    shared = pairs.group_by("value").aggregate(people=pairs.count()).limit(most + 1)
    people = {row["value"]: row["people"] for row in shared.to_pyarrow().to_pylist()}
    if not 0 < len(people) <= most or not all(re.fullmatch(whole, value) for value in people):
        return False
    if max(map(int, people)) > _GAPS * len(people) or min(people.values()) < _SHARING:
        return False
    value, own = pairs["value"].cast("int64"), pairs["own"].cast("int64")
    forward = pairs["own"].nunique(where=value > own).to_pyarrow().as_py()
    return int(forward) >= _FORWARD * len(people)


def _forms(rows: DrawnRows, name: str) -> set[str]:
    """Return the forms of values: ``9`` is a run of digits, and ``a`` is a run of letters."""
    digits, letters = _FORM
    texts = rows[name].domain[:500].to_pylist()
    return {letters.sub("a", digits.sub("9", _plain(str(text)))) for text in texts}


def _plain(text: str) -> str:
    return re.sub(r"\.0+$", "", text.strip())


def _values(table: ibis.Table, column: str) -> ibis.Table:
    """Return the distinct values of a column. Whole numbers lose zeros after the decimal point."""
    own = table.select(value=_text(table[column])).distinct()
    return own.filter(own["value"].lower().notin(BLANKS))


def _text(column: ir.Column) -> ir.StringValue:
    return as_text(column).strip().re_replace(r"[.]0+$", "")


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
    crowded = found["numbers"] / (greatest - least + 1.0)
    return _Numbers(least, greatest, crowded, found["values"])
