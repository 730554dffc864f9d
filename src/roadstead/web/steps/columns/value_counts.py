"""Show the most frequent and the unusual values of a column on its card."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.errors import RoadsteadError, SettingError
from roadstead.web.bench import session_of
from roadstead.web.pages import page, with_form
from roadstead.web.sessions.choices import choices_of
from roadstead.web.steps.columns.questions import answer
from roadstead.web.steps.columns.roles import column_row
from roadstead.web.steps.data import read_again, reads_a_file


def shown(request: Request) -> Response:
    """Show the values of a column, or the reason why the values are hidden."""
    session = session_of(request)
    choices = choices_of(session)
    row = column_row(session, choices, request.path_params["number"])
    found, refusal = None, ""
    try:
        found = answer(request, choices, row, "values")
    except RoadsteadError as error:
        refusal = error.message
    return page(
        request,
        "columns/values.html",
        base=session.address,
        row=row,
        found=found,
        refusal=refusal,
        unit="records" if choices.person in (None, row.name) else "people",
        reads_files=reads_a_file(session),
    )


@with_form
def taken_as_missing(request: Request, form: FormData) -> Response:
    """Read the table again, and count further strings as missing values."""
    texts = [one for one in form.getlist("value") if isinstance(one, str) and one.strip()]
    if not texts:
        raise SettingError("no value is selected", fix="select the values that mean missing")
    return read_again(request, {"missing": texts})


ROUTES = (
    Route("/columns/{number:int}/values", shown),
    Route("/columns/{number:int}/missing", taken_as_missing, methods=["POST"]),
)
