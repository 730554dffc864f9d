"""Show the list of columns, with their roles and reasons.

Undecided columns are first.

Each change is one small request. The response contains the changed parts of the page.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.errors import RoadsteadError, SettingError, quoted
from roadstead.reports.wording import counted
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import every, framed, page, step_page, to, with_form
from roadstead.web.sessions.choices import FORCED, ROLES, UNDECIDED, Choices, choices_of
from roadstead.web.sessions.session import WorkSession
from roadstead.web.steps.columns.roles import (
    ROLE_WORDS,
    TITLES,
    ColumnRow,
    column_row,
    column_rows,
    decide,
    first_open,
    withhold,
)

_NAMED = ("data", "reading", "roles", "privacy", "hierarchies")
"""The sections of a project file that the message names otherwise, or that are ignored."""


def shown(request: Request) -> Response:
    """Show the step and, after a project file was loaded, the settings from this file."""
    session = session_of(request)
    listed = _listed(session)
    if "loaded" in request.query_params:
        listed["said"] = _loaded(choices_of(session))
    return step_page(request, "columns", **listed)


def _loaded(choices: Choices) -> str:
    roles = (*ROLES, FORCED)
    numbers = {TITLES[role]: len(choices.of(role)) for role in roles}
    numbers["no role"] = len(choices.unnamed)
    listed = [f"{title} {many}" for title, many in numbers.items() if many]
    parts = [f"columns by role: {', '.join(listed)}"]
    parts.append(f"k = {choices.get('privacy.k', 5)}")
    if hierarchies := choices.get("hierarchies"):
        parts.append(f"hierarchies of {counted(len(hierarchies), 'column')}")
    others = [key for key in choices.document if key not in _NAMED]
    more = f" It also has settings in these sections: {', '.join(others)}." if others else ""
    return f"The project file is loaded: {'; '.join(parts)}.{more}"


def _listed(session: WorkSession) -> dict[str, Any]:
    choices = choices_of(session)
    rows = column_rows(session, choices)
    return {
        "rows": rows,
        "asked_for": first_open(rows),
        "role_words": ROLE_WORDS,
        "titles": TITLES,
        "said": "",
        "refusal": None,
        "focus": False,
    }


@with_form
def decided(request: Request, form: FormData) -> Response:
    """Give a column its role. `asked` means that the form comes from the card."""
    role, asked, was, reason = every(form, "role", "asked", "was", "reason")
    number = request.path_params["number"]
    chosen = RoleChoice(role, was, reason)
    return _decided(request, number, chosen, by_card=bool(asked))


class RoleChoice(NamedTuple):
    """The contents of a form about a column: the new role, the displayed role, and a reason."""

    role: str
    was: str
    reason: str


def _decided(request: Request, number: int, chosen: RoleChoice, *, by_card: bool) -> Response:
    session = session_of(request)
    before = choices_of(session)
    column, refusal, said = column_row(session, before, number), None, ""
    try:
        _require_as_shown(column, chosen.was, chosen.role)
        said = decide(session, column.name, chosen.role, chosen.reason)
    except RoadsteadError as error:
        refusal = error.message
    return _answer(request, before, column, refusal, said, by_card=by_card)


def _require_as_shown(column: ColumnRow, was: str, role: str) -> None:
    """Reject a role if another tab has given the column a different role."""
    if was and column.role not in (was, role):
        raise SettingError(
            f"another tab set the role of {quoted(column.name)} to "
            f"{quoted(TITLES[column.role])}, so your choice was not saved",
            fix="choose the role again to change it",
        )


def _answer(
    request: Request,
    before: Choices,
    column: ColumnRow,
    refusal: str | None,
    said: str,
    *,
    by_card: bool,
) -> Response:
    """Return the changed parts of the page: the cells of this and other changed columns."""
    session = session_of(request)
    shown = _listed(session)
    rows: tuple[ColumnRow, ...] = shown["rows"]
    former, framing = before.roles, framed(session, "columns")
    others = [
        row
        for row in rows
        if row.number != column.number and row.role != former.get(row.name, "undecided")
    ]
    answer = page(
        request,
        "columns/decided.html",
        status=422 if refusal else 200,
        **framing,
        **{**shown, "refusal": refusal, "said": said, "focus": by_card},
        row=rows[column.number - 1],
        others=others,
        by_card=by_card,
        own=column.name if refusal is not None and by_card else "",  # the refused column
        # The page of the column shows its generalization further down.
        linked=request.headers.get("hx-current-url", "").endswith("/columns"),
    )
    person = framing["choices"].person != before.person  # other privacy requirements apply
    again = "person-changed" if person else "values-changed"  # what the requirements show
    answer.headers["HX-Trigger"] = f"role-changed, {again}"
    return answer


@with_form
def together(request: Request, form: FormData) -> Response:
    """Give a role to the displayed columns whose role is undecided."""
    role, columns = every(form, "role", "columns")
    session = session_of(request)
    before = choices_of(session)
    shown = {int(one) for one in columns.split() if one.isascii() and one.isdecimal()}
    rows = column_rows(session, before)
    chosen = [row for row in rows if row.number in shown and row.role == UNDECIDED]
    if not chosen:
        raise SettingError(
            "the list does not show undecided columns",
            fix="clear the filter, or choose the role of each column",
        )
    if role not in ROLES or role == "person":
        raise SettingError(
            "only one column can have this role", where=quoted(role), fix="choose another role"
        )
    refusals: dict[str, str] = {}
    for row in chosen:
        try:
            decide(session, row.name, role)
        except RoadsteadError as error:
            refusals[row.name] = error.message
    listed = _listed(session)
    changed = [row for row in listed["rows"] if row.role != before.roles.get(row.name, UNDECIDED)]
    done = f"{counted(len(changed), 'column')}: {TITLES[role]}."
    first = next(iter(refusals.values()), "")
    left = f" Not changed: {counted(len(refusals), 'column')}. {first}" if refusals else ""
    answer = page(
        request,
        "columns/together.html",
        **framed(session, "columns"),
        **{**listed, "said": done + left, "focus": True},
        changed=changed,
    )
    answer.headers["HX-Trigger"] = "values-changed"
    return answer


@with_form
def refused(request: Request, form: FormData) -> Response:
    """If the job objected to a column, release the column with a reason, or withhold it."""
    job, column, does, reason = every(form, "job", "column", "does", "reason")
    session = session_of(request)
    record = bench_of(request).desk.job(session, job)
    found = {} if record is None or record.error is None else record.error.get("refused", {})
    if column not in found:
        fix = "check the list of columns"
        raise SettingError(
            "Roadstead did not refuse this column", where=f"column {quoted(column)}", fix=fix
        )
    if does == "release":
        own = choices_of(session).roles.get(column)
        role = own if own in ("quasi", "sensitive") else FORCED
        decide(session, column, role, reason, refused=found[column])
    else:
        decide(session, column, "identifiers")
    return to(request, f"{session.address}/columns")


@with_form
def withheld(request: Request, form: FormData) -> Response:
    """Withhold all undecided columns, or make them undecided again."""
    (all_of_them,) = every(form, "all")
    session = session_of(request)
    withhold(session, all_of_them=all_of_them == "yes")
    shown = _listed(session)
    return page(
        request,
        "columns/withheld.html",
        **framed(session, "columns"),
        **{**shown, "focus": True},
    )


ROUTES = (
    Route("/columns", shown),
    Route("/columns/together", together, methods=["POST"]),
    Route("/columns/undecided", withheld, methods=["POST"]),
    Route("/columns/refused", refused, methods=["POST"]),
    Route("/columns/{number:int}/role", decided, methods=["POST"]),
)
