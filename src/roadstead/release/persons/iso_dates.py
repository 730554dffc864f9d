"""Convert the dates of a column to YYYY-MM-DD if they are written in another form.

The form must fit all dates of the column. If more than one form fits, day and month cannot be
distinguished, so the column is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from roadstead.errors import SourceError, quoted
from roadstead.hierarchies.date_forms import fitting_forms
from roadstead.hierarchies.written_dates import WrittenForm, precision_of
from roadstead.tables.failures import engine_errors
from roadstead.tables.persons.dates import day_of, transformed
from roadstead.tables.stores.access import with_small
from roadstead.tables.text import MISSING, as_text

if TYPE_CHECKING:
    from roadstead.tables.source import Source

_MOST = 200_000
"""The largest number of different dates that are read."""
_TEXT, _ISO = "text of a date", "date of a text"


def with_iso_dates(
    source: Source, columns: Sequence[str], timed: Collection[str] = ()
) -> tuple[Source, dict[str, str]]:
    """Return the table with dates as YYYY-MM-DD, and the form of each column that changed.

    Missing values, years, and months do not change. The columns in `timed` must keep their times of
    day, so a form with a time is refused for them. Columns that are not in the table are ignored.
    """
    found: dict[str, str] = {}
    for column in dict.fromkeys(columns):
        if column not in source.columns or not source.table[column].type().is_string():
            continue
        texts = _texts_in_other_forms(source, column)
        if not texts:
            continue
        form = _form_of(source, column, texts)
        if form is None or (column in timed and "%H" in str(form.form)):
            continue  # the dates are refused later, with the first value that is not a date
        source = _with_form(source, column, form, texts)
        found[column] = str(form.form)
    return source, found


def _texts_in_other_forms(source: Source, column: str) -> list[str]:
    """Return the different strings of a column if not all of them are dates, or an empty list."""
    text = as_text(source.table[column])
    other = source.table.filter((text != MISSING) & day_of(source.table[column]).isnull())
    with engine_errors(source.name):
        if not other.limit(1).count().to_pyarrow().as_py():
            return []
        rows = source.table.select(text=text).distinct().limit(_MOST + 1).to_pyarrow()
    texts = [one for one in rows.column("text").to_pylist() if one != MISSING]
    return texts if len(texts) <= _MOST else []


def _form_of(source: Source, column: str, texts: Sequence[str]) -> WrittenForm | None:
    forms = [
        form
        for form in fitting_forms([text.strip() for text in texts])
        if precision_of(form.form) == "day" and not form.has_two_digit_years and not form.serials
    ]
    if len(forms) > 1:
        raise SourceError(
            "the day and the month of its dates cannot be distinguished, because several "
            f"forms fit all these dates ({', '.join(str(form.form) for form in forms)})",
            where=f"{source.name}, column {quoted(column)}",
            fix="write its dates as YYYY-MM-DD",
        )
    return forms[0] if forms else None


def _with_form(source: Source, column: str, form: WrittenForm, texts: Sequence[str]) -> Source:
    import ibis  # noqa: PLC0415 - heavy
    import pyarrow as pa  # noqa: PLC0415 - heavy

    read = {text: form.read(text) for text in texts}
    days = {text: one.first for text, one in read.items() if one and one.finest == "day"}
    small = pa.table({_TEXT: [*days], _ISO: [day.isoformat() for day in days.values()]})
    table, mapping = with_small(source, small)
    joined = table.left_join(mapping, as_text(table[column]) == mapping[_TEXT])
    own = {name: joined[name] for name in table.columns}
    own[column] = ibis.coalesce(joined[_ISO], joined[column])
    return transformed(source, joined.select(**own))
