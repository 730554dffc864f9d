"""Show the page of a column.

The page shows the column's role, a form for its hierarchy, and the result of each level.

While the user edits the form, the page shows the resulting levels. The project file changes only
when the user saves the form. The page does not show the values of a column that is or could be a
direct identifier.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.errors import RoadsteadError, SettingError, quoted
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import framed, page, whole_number, with_form
from roadstead.web.sessions.choices import Choices, choices_of, set_value
from roadstead.web.sessions.form_stamps import OF_A_COLUMN, require_as_shown, stamp, stamp_of
from roadstead.web.sessions.session import WorkSession
from roadstead.web.steps.columns.files import is_own
from roadstead.web.steps.columns.hierarchy_forms import (
    BOOKS,
    FORMS,
    UNITS,
    declaration,
    filled_in,
    form_named,
    kind_of,
    line_of,
)
from roadstead.web.steps.columns.questions import USUAL_K, answer, days_of, declared_of
from roadstead.web.steps.columns.roles import (
    RELEASED,
    ROLE_WORDS,
    TITLES,
    ColumnRow,
    column_row,
    require_quasi,
    set_hierarchy,
)
from roadstead.web.steps.columns.treatments import (
    WAYS,
    requested_treatment,
    set_treatment,
    shown_treatment,
)
from roadstead.web.steps.data import covered
from roadstead.web.typed_numbers import number_in

_LIMITS = (("least", "levels.min"), ("most", "levels.max"), ("weight", "quality.weights"))
_STARTS: Mapping[str, Mapping[str, Any]] = {
    "intervals": {"widths": [5, 10, 20]},
    "dates": {"units": ["day", "month", "year", "decade"]},
    "prefix": {"keep": [3, 1]},
    "ranges": {"widths": [20, 40]},
    "ordered": {"groups": [2, 4]},
}
"""The initial contents of a form if there is no proposal of this kind."""
_OF_DAYS = ("intervals", "cuts", "flat", "file")
"""The kinds of levels for a column that is released as days since another date."""


def shown(request: Request) -> Response:
    """Show the page of a column."""
    session = session_of(request)
    choices = choices_of(session)
    row = column_row(session, choices, request.path_params["number"])
    return page(
        request,
        "columns/one.html",
        **framed(session, "columns"),
        row=row,
        titles=TITLES,
        role_words=ROLE_WORDS,
        last=len(choices.columns),
    )


def editor(request: Request) -> Response:
    """Show the form for the hierarchy, or for the other kind of hierarchy that the user chose."""
    return _editor(request, request.query_params.get("kind"))


def _editor(request: Request, kind: str | None = None, said: str = "") -> Response:
    session = session_of(request)
    choices = choices_of(session)
    row = column_row(session, choices, request.path_params["number"])
    common = {**framed(session, "columns"), "row": row, "said": said, "titles": TITLES}
    if row.role != "quasi":
        hidden = row.name in covered(choices, session)
        own = shown_treatment(choices, row.name) if row.role in RELEASED else None
        return page(
            request,
            "columns/spread.html",
            **common,
            hidden=hidden,
            ways=WAYS,
            treatment=own,
            seen=stamp(own),
        )
    spec, days = declared_of(choices, row.name), days_of(choices, row.name)
    proposal = answer(request, choices, row, "proposed")
    chosen = kind or kind_of(spec or proposal["spec"])
    return page(
        request,
        "columns/editor.html",
        **common,
        forms=[one for one in FORMS if days is None or one.kind in (*_OF_DAYS, chosen)],
        form=form_named(chosen),
        units=UNITS,
        books=BOOKS,
        values=[(value, line_of(value), many) for value, many in proposal["values"] or ()],
        looks_like=BOOKS.get(proposal["book"] or "") if chosen != "codes" else None,
        filled=_filled(chosen, spec, proposal),
        noticed=proposal["noticed"] if spec is None else (),
        declared=spec is not None,
        unsaved=chosen != kind_of(spec or proposal["spec"]),
        limits={key: choices.get(place, {}).get(row.name, "") for key, place in _LIMITS},
        seen=stamp_of(choices, OF_A_COLUMN, row.name),
    )


def _filled(
    kind: str, spec: Mapping[str, Any] | None, proposal: Mapping[str, Any]
) -> dict[str, Any]:
    """Fill the form from the declaration, the proposal, or the initial contents."""
    for own in (spec, proposal["spec"]):
        if own and kind_of(own) == kind:
            return filled_in(own)
    if kind == "codes" and proposal["book"] is not None:
        return {"book": proposal["book"]}
    values = [value for value, _ in proposal["values"] or ()]
    start = {"kind": kind, **_STARTS.get(kind, {})}
    if values and kind == "ordered":
        start["order"] = values
    if values and kind == "mapping":
        start["groups"] = {"Other": values}
    if values and kind == "rows":
        start |= {"kind": "mapping", "levels": {value: ["Other"] for value in values}}
    return filled_in(start)


@with_form
def levels(request: Request, form: FormData) -> Response:
    """Show the effect of a hierarchy on the column while the user edits the hierarchy."""
    session = session_of(request)
    choices = choices_of(session)
    row = column_row(session, choices, request.path_params["number"])
    shown: dict[str, Any] = {"base": session.address, "row": row}
    try:
        _require_values(choices, session, row)
        spec = _spec(request, form) if row.role == "quasi" else None
        limits = _limits(form) if row.role == "quasi" else {}
        found = answer(
            request,
            choices,
            row,
            "levels",
            spec=spec,
            level=whole_number(str(form.get("level") or "")),
            **limits,
        )
    except RoadsteadError as error:
        return page(request, "columns/levels.html", found=None, refusal=error.message, **shown)
    drawn = {key: Markup(found[key]) for key in ("wide", "narrow")}  # noqa: S704 - of the reports
    return page(
        request,
        "columns/levels.html",
        found={**found, **drawn},
        refusal=None,
        k=choices.get("privacy.k", USUAL_K),
        hidden=row.name in covered(choices, session),
        limits=limits,
        **shown,
    )


def _require_values(choices: Choices, session: WorkSession, row: ColumnRow) -> None:
    """Raise an error if a column may be a direct identifier, so that its values are hidden."""
    if row.role != "quasi" and row.name in covered(choices, session):
        raise SettingError(
            "this page does not show the values of this column", fix="choose its role first"
        )


def _spec(request: Request, form: FormData) -> dict[str, Any]:
    """Return the declaration in a form. The page must be allowed to read any file that it names."""
    given = {key: [v for v in form.getlist(key) if isinstance(v, str)] for key in form}
    spec = declaration((given.get("kind") or [""])[0], given)
    if spec["kind"] == "file" and not is_own(session_of(request), spec):
        spec["path"] = str(bench_of(request).places.require(Path(spec["path"])))
    return spec


def _limits(form: FormData) -> dict[str, int | float | None]:
    found: dict[str, int | float | None] = {}
    what, fix = "this is not a number", "enter a number, for example, 1, or leave the field empty"
    for key, title in (("least", "Lowest level"), ("most", "Highest level"), ("weight", "Weight")):
        text = str(form.get(key) or "").strip()
        if not text:
            found[key] = None
        elif key == "weight":
            found[key] = float(number_in(text, title, what=what, fix=fix))
        else:
            found[key] = number_in(text, title, whole=True, what=what, fix=fix)
    return found


@with_form
def kept(request: Request, form: FormData) -> Response:
    """If the hierarchy fits the column, write it into the project file."""
    session = session_of(request)
    choices = choices_of(session)
    row = require_quasi(column_row(session, choices, request.path_params["number"]))
    now = stamp_of(choices, OF_A_COLUMN, row.name)
    require_as_shown(form.get("seen"), now, "how this column is made coarser")
    spec, limits = _spec(request, form), _limits(form)
    made = answer(request, choices, row, "levels", spec=spec, **limits)
    with session.changed() as document:
        set_hierarchy(document, row.name, spec)
        for key, place in _LIMITS:
            own = {**choices.get(place, {}), row.name: limits[key]}
            left = {name: value for name, value in own.items() if value is not None}
            set_value(document, place, left or None)
    return _editor(
        request, said=" ".join(filter(None, ("Saved in the project file.", made["old_births"])))
    )


@with_form
def treated(request: Request, form: FormData) -> Response:
    """Write the treatment of the column into the project file."""
    session = session_of(request)
    choices = choices_of(session)
    row = column_row(session, choices, request.path_params["number"])
    if row.role not in RELEASED:
        where = f"column {quoted(row.name)}"
        raise SettingError(
            "the role of this column does not allow this setting",
            where=where,
            fix="check its role",
        )
    now = stamp(shown_treatment(choices, row.name))
    require_as_shown(form.get("seen"), now, "how this column is released")
    way, number = (str(form.get(key) or "") for key in ("way", "number"))
    spec = requested_treatment(row.name, way, number, choices)
    with session.changed() as document:
        set_treatment(document, row.name, spec)
    return _editor(request, said="Saved in the project file.")


def left_to_proposal(request: Request) -> Response:
    """Remove the declaration, so that the proposal applies again."""
    session = session_of(request)
    row = column_row(session, choices_of(session), request.path_params["number"])
    with session.changed() as document:
        set_hierarchy(document, row.name, None)
    return _editor(request, said="Roadstead uses the suggested levels again.")


ROUTES = (
    Route("/columns/{number:int}", shown),
    Route("/columns/{number:int}/editor", editor),
    Route("/columns/{number:int}/levels", levels, methods=["POST"]),
    Route("/columns/{number:int}/hierarchy", kept, methods=["POST"]),
    Route("/columns/{number:int}/treatment", treated, methods=["POST"]),
    Route("/columns/{number:int}/proposal", left_to_proposal, methods=["POST"]),
)
