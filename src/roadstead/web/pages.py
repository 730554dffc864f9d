"""Build pages from templates, including the frame of a page and error messages.

The frame shows the five steps and the choices so far. If htmx requested a fragment of a page, an
error message is also sent as a fragment, and the page shows the fragment in its place for messages.
All other requests get a whole page.
"""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from roadstead import __version__
from roadstead.errors import RoadsteadError
from roadstead.reports import environment
from roadstead.reports.rounded import rounded
from roadstead.web.bench import WorkbenchState, bench_of, session_of
from roadstead.web.sessions.candidate_requests import USUAL
from roadstead.web.sessions.choices import Choices, choices_of
from roadstead.web.sessions.form_stamps import stamp
from roadstead.web.sessions.prepared import Prepared, prepared_of
from roadstead.web.sessions.session import WorkSession
from roadstead.web.suggested import suggestions

if TYPE_CHECKING:
    from jinja2 import Environment


class PageStep(NamedTuple):
    """A step of the work: its address, its name, and its question."""

    name: str
    title: str
    does: str


STEPS = (
    PageStep("data", "Data", "Which table?"),
    PageStep("columns", "Columns", "What is each column?"),
    PageStep("risk", "Risk", "Who could be found?"),
    PageStep("explore", "Explore", "What can be kept?"),
    PageStep("release", "Release", "Write and verify"),
)


def page(
    request: Request,  # noqa: ARG001 - every such function takes the request first
    name: str,
    *,
    status: int = 200,
    **shown: Any,  # noqa: ANN401 - whatever the template takes
) -> HTMLResponse:
    """Return a page, or a fragment of a page, from a template."""
    return HTMLResponse(rendered(name, **shown), status_code=status)


def step_page(
    request: Request,
    step: str,
    *,
    template: str | None = None,
    **shown: Any,  # noqa: ANN401 - as above
) -> Response:
    """Return the page of a step.

    If the step cannot be reached yet, redirect to an earlier step.

    `template` may name the template of another page of the same step.
    """
    frame = framed(session_of(request), step)
    if step not in frame["reached"]:
        return to(request, f"{frame['base']}/{'columns' if frame['choices'].columns else 'data'}")
    return page(request, template or f"{step}.html", **frame, **shown)


def framed(session: WorkSession, step: str) -> dict[str, Any]:
    """Return the content of a step's frame: the other steps, and the choices so far."""
    choices = choices_of(session)
    return {
        "session": session,
        "base": session.address,
        "steps": STEPS,
        "step": next(one for one in STEPS if one.name == step),
        "reached": reached(choices),
        "choices": choices,
        "prepared_now": _chosen(session),
        "held": stamp(session.digest(), session.state().get("chosen")),
    }


def _chosen(session: WorkSession) -> Prepared | None:
    """Return the chosen candidate after its run, because the header shows its requirements."""
    prepared = prepared_of(session)
    chosen = prepared.tried.name != USUAL.name and prepared.certificate
    return prepared if chosen else None


def reached(choices: Choices) -> frozenset[str]:
    """Return the steps that can be reached. Later steps require a table and decided columns."""
    names = ["data"]
    if choices.columns:
        names.append("columns")
        if not choices.open and choices.quasi:
            names += ["risk", "explore", "release"]
    return frozenset(names)


def rendered(name: str, **shown: Any) -> str:  # noqa: ANN401 - as above
    """Fill a template."""
    return _environment().get_template(name).render(version=__version__, **shown)


@cache
def _environment() -> Environment:
    made = environment.of_package("roadstead.web")
    made.filters["markup"] = Markup  # for the workbench's own fragments, kept as JSON
    made.filters["suggestions"] = suggestions
    made.filters["rounded"] = rounded
    return made


def to(request: Request, address: str) -> Response:
    """Redirect the browser to another page, with or without htmx."""
    if "hx-request" in request.headers:
        return Response(headers={"HX-Redirect": address})
    return RedirectResponse(address, status_code=303)


def refused(request: Request, error: Exception) -> Response:
    """Show why a request was rejected, in the part of the page that sent the request."""
    assert isinstance(error, RoadsteadError)  # noqa: S101 - as entered
    return _words(request, error.message, field=error.field, status=422)


def missing(request: Request, _: Exception) -> Response:
    """Report that a page does not exist."""
    return _words(
        request, "This page does not exist. Go back, or start from the list of work.", status=404
    )


def defect(request: Request, error: Exception) -> Response:
    """Report an unexpected error, but omit all text that may contain data."""
    say_place(bench_of(request), error)
    words = (
        f"Roadstead has a bug ({type(error).__name__}). Your work is safe. Please report the bug."
    )
    return _words(request, words, status=500)


def say_place(bench: WorkbenchState, error: Exception) -> None:
    """Print where an unexpected error occurred. Omit the error's text, which may contain data."""
    bench.say(f"Roadstead has a bug ({type(error).__name__}). Please report these lines:")
    for frame in traceback.extract_tb(error.__traceback__):
        bench.say(f"  {frame.filename}:{frame.lineno}, in {frame.name}")


def _words(request: Request, message: str, *, status: int, field: str | None = None) -> Response:
    words: Mapping[str, Any] = {"message": message, "field": field}
    if "hx-request" in request.headers:
        headers = {"HX-Retarget": "#refusal", "HX-Reswap": "innerHTML", "HX-Push-Url": "false"}
        return HTMLResponse(rendered("refusal.html", **words), status_code=status, headers=headers)
    return page(request, "refused.html", status=status, **words)


def with_form(
    work: Callable[[Request, FormData], Response],
) -> Callable[[Request], Awaitable[Response]]:
    """Turn a function that takes a submitted form into an endpoint that runs in a thread."""

    @wraps(work)
    async def respond(request: Request) -> Response:
        return await run_in_threadpool(work, request, await request.form())

    return respond


def every(form: Mapping[str, Any], *keys: str) -> Sequence[str]:
    """Return the text for each key of a form. Missing text becomes an empty string."""
    return [value if isinstance(value := form.get(key), str) else "" for key in keys]


_FURTHEST = 10**12


def whole_number(text: str, most: int = _FURTHEST) -> int:
    """Parse an integer up to `most`. Return 0 if the text is not an integer."""
    if not (text.isascii() and text.isdecimal()):
        return 0
    digits = text.lstrip("0") or "0"  # Text with thousands of digits is not converted to a number.
    return min(int(digits), most) if len(digits) <= len(str(most)) else most


def sampled(request: Request) -> bool:
    """Return whether the address requests a random sample of the rows."""
    return request.query_params.get("sample") == "yes"


def first_row(request: Request, records: int = _FURTHEST, many: int = 1) -> int:
    """Return the first row of a page of `many` rows. The last page is the limit."""
    return whole_number(request.query_params.get("first", ""), max(records - 1, 0) // many * many)
