"""Release a person's dates as days or years since another date, or shift them per person.

The form edits the entry for a column in `persons.dates` of the project file, and the longest shift.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.errors import RoleError, SettingError, quoted
from roadstead.requests.checks import LONGEST_SHIFT
from roadstead.web.bench import session_of
from roadstead.web.pages import page, whole_number, with_form
from roadstead.web.sessions.choices import FORCED, Choices, choices_of, set_value
from roadstead.web.sessions.form_stamps import require_as_shown, stamp
from roadstead.web.sessions.session import WorkSession
from roadstead.web.steps.columns.roles import (
    TITLES,
    ColumnRow,
    column_row,
    column_rows,
    set_hierarchy,
)

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_USUAL = 182
_SHIFTED_DATES = ("shift", "shift-time")
_NOT_DAYS = ("", *_SHIFTED_DATES)


class DateForm(NamedTuple):
    """A way to release a person's dates, with its title and its setting in the project file."""

    written: str
    title: str


def is_of_dates(row: ColumnRow) -> bool:
    """Return whether a column seems to contain dates."""
    proposed = row.about.get("hierarchy") or {}
    return row.kind in ("dates", "times") or proposed.get("kind") == "dates"


def date_forms(session: WorkSession, choices: Choices, row: ColumnRow) -> Sequence[DateForm]:
    """Return the treatments that a column of dates can have.

    With the first treatment, the column's role decides what happens to the dates.
    """
    others = [one.name for one in column_rows(session, choices) if is_of_dates(one)]
    others = [name for name in others if name not in (row.name, choices.person)]
    first = "the first date of the person in this column"
    return (
        DateForm("", "Treat the dates like other values"),
        DateForm("interval:first", f"Days since {first}"),
        *(DateForm(f"interval:{one}", f"Days since the earliest {one}") for one in others),
        *(DateForm(f"since:{one}", f"Days since {one} of the same record") for one in others),
        *(DateForm(f"age:{one}", f"Age in years at {one}") for one in others),
        DateForm("shift:first", f"Days since {first}, and the shifted first date"),
        *(DateForm(f"shift:{one}", f"Days since {one}, and the shifted {one}") for one in others),
        DateForm("shift", "Dates without times, with the same shift for all dates of a person"),
        DateForm(
            "shift-time",
            "Dates with exact times of day, with the same shift for all dates of a person",
        ),
    )


def shown(request: Request) -> Response:
    """Show the form for a column of dates.

    The form is empty for all other columns, and also if records are counted.
    """
    return _shown(request)


def _shown(request: Request, said: str = "") -> Response:
    session = session_of(request)
    choices = choices_of(session)
    row = column_row(session, choices, request.path_params["number"])
    offered = choices.person not in (None, row.name) and is_of_dates(row)
    return page(
        request,
        "columns/person_dates.html",
        base=session.address,
        row=row,
        forms=date_forms(session, choices, row) if offered else (),
        chosen=(chosen := choices.get("persons.dates", {}).get(row.name, "")),
        of_years=chosen.startswith("age:"),
        of_days=chosen not in _NOT_DAYS,
        days=choices.get("persons.shift_days", ""),
        weeks=choices.get("persons.shift_weeks", False),
        usual=_USUAL,
        said=said,
        seen=_stamped(choices, row),
    )


def _stamped(choices: Choices, row: ColumnRow) -> str:
    own = choices.get("persons", {})
    return stamp(*(own.get(key) for key in ("shift_days", "shift_weeks")), _dates(own, row))


def _dates(persons: Mapping[str, Any], row: ColumnRow) -> Any:  # noqa: ANN401 - as TOML has it
    return persons.get("dates", {}).get(row.name)


@with_form
def kept(request: Request, form: FormData) -> Response:
    """Write the treatment of the dates into the project file."""
    session = session_of(request)
    choices = choices_of(session)
    row = column_row(session, choices, request.path_params["number"])
    require_as_shown(form.get("seen"), _stamped(choices, row), "the dates of this column")
    written = str(form.get("form") or "")
    if all(one.written != written for one in date_forms(session, choices, row)):
        raise SettingError("this form of dates does not exist", fix="choose a form from the list")
    _require_role(choices, row, written)
    days = _days(str(form.get("days") or "").strip())
    dates = {**choices.get("persons.dates", {}), row.name: written}
    left = {name: one for name, one in dates.items() if one}
    shifted = any(one.startswith("shift") for one in left.values())
    with session.changed() as document:
        set_value(document, "persons.dates", left or None)
        _set_levels(document, choices, row, written)
        set_value(document, "persons.shift_days", days if shifted else None)
        weeks = form.get("weeks") == "yes" and shifted
        set_value(document, "persons.shift_weeks", weeks or None)
    answer = _shown(request, said="Saved in the project file.")
    answer.headers["HX-Trigger"] = "dates-changed"  # the editor shows levels of dates or of days
    return answer


def _set_levels(document: TOMLDocument, choices: Choices, row: ColumnRow, written: str) -> None:
    """For days or ages, let the proposal set the levels. For dates, restore the column's levels.

    Levels and their limits apply only to the kind of values for which they were set.
    """
    if _kind(choices.get("persons.dates", {}).get(row.name, "")) == _kind(written):
        return
    for place in ("levels.min", "levels.max"):
        own = {key: one for key, one in choices.get(place, {}).items() if key != row.name}
        set_value(document, place, own or None)
    of_dates = row.about.get("hierarchy") if row.role == "quasi" else None
    set_hierarchy(document, row.name, of_dates if written in _NOT_DAYS else None)


def _kind(form: str) -> str:
    if form in _NOT_DAYS:
        return "dates"
    return "ages" if form.startswith("age:") else "days"


def _require_role(choices: Choices, row: ColumnRow, written: str) -> None:
    """Reject a form about dates that does not fit the role.

    Days and ages can be quasi-identifiers, but shifted dates cannot.
    """
    if choices.person is None:
        raise RoleError("no column is the person ID", fix="set the role of a column to Person ID")
    role = FORCED if written in _SHIFTED_DATES else "quasi"
    if written and row.role not in (role, FORCED):
        raise RoleError(
            f"the role of this column is {TITLES[row.role]}, but the form requires {TITLES[role]}",
            where=f"column {quoted(row.name)}",
            fix=_way_to(role),
        )


def _way_to(role: str) -> str:
    """Say how to give a column a role. The list of roles does not contain “Released anyway”."""
    if role != FORCED:
        return f"set its role to {TITLES[role]} first"
    return (
        f"set its role to {TITLES['unchanged']} first, and give the reason to release "
        "the column anyway"
    )


def _days(text: str) -> int | None:
    if not text:
        return None
    days = whole_number(text)
    if not 1 <= days <= LONGEST_SHIFT:
        raise SettingError(
            "this is not a number of days",
            where="Longest shift",
            fix=f"enter a whole number from 1 to {LONGEST_SHIFT}",
        )
    return days


ROUTES = (
    Route("/columns/{number:int}/dates", shown),
    Route("/columns/{number:int}/dates", kept, methods=["POST"]),
)
