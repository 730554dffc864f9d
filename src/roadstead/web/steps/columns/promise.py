"""Set the privacy requirements.

The requirements consist of the smallest group, the suppression limit, models, and known facts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import tomlkit
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.errors import RoadsteadError, SettingError, quoted
from roadstead.front_end import naming
from roadstead.printable import printable_toml
from roadstead.regular_files import write_whole
from roadstead.reports.scan.remarks import rows_of_several_kinds
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import framed, page, whole_number, with_form
from roadstead.web.security.addresses import table_of
from roadstead.web.sessions.choices import Choices, choices_of, set_value
from roadstead.web.sessions.form_stamps import PROMISE, require_as_shown, stamp_of
from roadstead.web.typed_numbers import number_in
from roadstead.web.words import PageNaming

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_CANDIDATE = "promise.toml"
_PERSONS = ("knows", "leave_out", "link")


def shown(request: Request) -> Response:
    """Show the privacy requirements."""
    return _shown(request)


def _shown(
    request: Request,
    said: str = "",
    refusal: str | None = None,
    typed: Mapping[str, str] | None = None,
) -> Response:
    session = session_of(request)
    offered = bench_of(request).desk.answer(session, "models")["models"]
    framing = framed(session, "columns")
    return page(
        request,
        "columns/promise.html",
        status=422 if refusal else 200,
        **framing,
        offered=offered,
        models=[dict(one) for one in framing["choices"].get("privacy.models", ())],
        said=said,
        refusal=refusal,
        typed=typed or {},
        seen=stamp_of(framing["choices"], PROMISE),
        several_kinds=_several_kinds(framing["choices"], session.facts("scan")),
    )


def _several_kinds(choices: Choices, scan: Mapping[str, Any]) -> str:
    """Say that the rows of a person are of several kinds, if the chosen columns are."""
    found = (
        [name for name in kind if name in choices.quasi] for kind in scan.get("kinds_of_rows", ())
    )
    kinds = [*filter(None, found)]
    if len(kinds) < 2 or choices.person != scan.get("person"):  # noqa: PLR2004 - several
        return ""
    with naming(PageNaming()):
        return rows_of_several_kinds(kinds)


@with_form
def promised(request: Request, form: FormData) -> Response:
    """Store the numbers that the user entered for the privacy requirements."""

    def change(document: TOMLDocument) -> None:
        _set_number(document, "privacy.k", form, "k", "Smallest group (k)", whole=True)
        _set_share(document, form)
        set_value(document, "privacy.suppressed", _text(form, "suppressed") or None)
        if choices_of(session_of(request)).person is not None:
            for key in _PERSONS:
                set_value(document, f"persons.{key}", _text(form, key) or None)
        population = _text(form, "population")
        places = bench_of(request).places
        set_value(document, "population", table_of(places, population) if population else None)
        set_value(document, "population_counts", _text(form, "population_counts") or None)

    return _changed(request, change, form, "Settings saved.")


@with_form
def added(request: Request, form: FormData) -> Response:
    """Add a privacy model."""
    kind = _text(form, "kind")
    offered = bench_of(request).desk.answer(session_of(request), "models")["models"]
    about = next((one for one in offered if one["kind"] == kind), None)
    if about is None:
        raise SettingError(
            f"{quoted(kind)} is not a privacy model", fix="choose a model from the list"
        )

    def change(document: TOMLDocument) -> None:
        made = {"kind": kind}
        for one in about["parameters"]:
            value = _parameter(one, _text(form, f"{kind}.{one['key']}"))
            if value is not None and value != one["default"]:
                made[one["key"]] = value
        line = tomlkit.inline_table()
        line.update(made)
        models = [*document.get("privacy", {}).get("models", ())]
        set_value(document, "privacy.models", [*models, line])

    return _changed(request, change, form, f"Releases must now also meet {kind}.")


@with_form
def removed(request: Request, form: FormData) -> Response:
    """Remove a privacy model."""
    place = _text(form, "place")

    def change(document: TOMLDocument) -> None:
        models = [*document.get("privacy", {}).get("models", ())]
        if place.isascii() and place.isdecimal() and whole_number(place) < len(models):
            del models[int(place)]
        set_value(document, "privacy.models", models or None)

    return _changed(request, change, form, "Model removed.")


def _changed(
    request: Request, change: Callable[[TOMLDocument], None], form: FormData, said: str
) -> Response:
    """Change the privacy requirements, or report why the command line would reject them."""
    session = session_of(request)
    candidate = session.folder / _CANDIDATE
    choices = choices_of(session)
    columns = [one["name"] for one in choices.columns]
    try:
        require_as_shown(form.get("seen"), stamp_of(choices, PROMISE), "the privacy requirements")
    except RoadsteadError as error:  # Show the current setting, not the typed setting.
        return _shown(request, refusal=error.message)
    try:
        tried = session.choices()
        change(tried)
        write_whole(candidate, printable_toml(tomlkit.dumps(tried)).encode("utf-8"))
        bench_of(request).desk.answer(
            session, "taken", project=str(candidate), candidate=str(candidate), columns=columns
        )
        with session.changed() as document:
            change(document)
    except RoadsteadError as error:
        return _shown(request, refusal=error.message, typed={key: _text(form, key) for key in form})
    finally:
        candidate.unlink(missing_ok=True)
    return _shown(request, said=said)


def _text(form: FormData, key: str) -> str:
    value = form.get(key)
    return value.strip() if isinstance(value, str) else ""


def _set_number(
    document: TOMLDocument, place: str, form: FormData, key: str, title: str, *, whole: bool
) -> None:
    text = _text(form, key)
    set_value(document, place, number_in(text, title, whole=whole) if text else None)


def _set_share(document: TOMLDocument, form: FormData) -> None:
    """Parse a share in percent. The project file contains a fraction."""
    text = _text(form, "suppression").removesuffix("%").strip()
    share = None
    if text:
        share = round(number_in(text, "Maximum suppression") / 100, 12)
    set_value(document, "privacy.suppression", share)


def _parameter(about: Mapping[str, Any], text: str) -> Any:  # noqa: ANN401 - of any type
    if about["shape"] == "yes-no":
        return text == "yes"
    if not text:
        return None
    if about["shape"] in ("whole", "number"):
        whole = about["shape"] == "whole"
        found = number_in(text, about["key"], whole=whole)
        return found if whole else float(found)
    return text


ROUTES = (
    Route("/columns/promise", shown),
    Route("/columns/promise", promised, methods=["POST"]),
    Route("/columns/promise/model", added, methods=["POST"]),
    Route("/columns/promise/without", removed, methods=["POST"]),
)
