"""Show the last step.

The step shows the content of the release, its folder, and how to repeat the release.

A release is prepared in the folder of the session, in this step or as a candidate in the previous
step. The user can review the prepared release, and exactly this release is written. If the choices
or the table have changed since then, the release is not written.
"""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from roadstead.errors import OutputError, SettingError
from roadstead.front_end import naming
from roadstead.printable import named
from roadstead.rooms import part_of
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import every, first_row, page, sampled, step_page, to, with_form
from roadstead.web.sessions import candidate_requests
from roadstead.web.sessions.choices import Choices, choices_of
from roadstead.web.sessions.declared_promise import CERTIFICATE
from roadstead.web.sessions.last_release import changed_files
from roadstead.web.sessions.prepared import Prepared, mark_of, prepared_of
from roadstead.web.sessions.session import WorkSession
from roadstead.web.steps.data import plain
from roadstead.web.steps.release_files import document, is_at_work, require_nobody_at_work
from roadstead.web.words import PageNaming
from roadstead.web.work.jobs import JobRecord

_ROWS, _SAMPLE = 15, 8
_SHOWN_ATTACK = part_of("attacks", "web.steps.attacking:shown_attack")
_SHOWN_DETERMINATION = part_of("determination", "web.steps.determining:shown_determination")


def shown(request: Request) -> Response:
    """Show the prepared release and the written release. The jobs are read before the results."""
    session, desk = session_of(request), bench_of(request).desk
    job, writing = candidate_requests.chosen_of(session).job, desk.latest(session, "write")
    preparing = None if job is None else desk.job(session, job)
    attack = _SHOWN_ATTACK and _SHOWN_ATTACK(request)
    determination = _SHOWN_DETERMINATION and _SHOWN_DETERMINATION(request)
    prepared, written, state = prepared_of(session), session.facts("written"), session.state()
    return step_page(
        request,
        "release",
        prepared=prepared,
        preparing=preparing,
        writing=writing,
        written=written,
        changed=changed_files(written) if written and not is_at_work(request) else [],
        current=written.get("made_for") == [prepared.tried.name, *mark_of(session, prepared.tried)],
        suggested=state.get("out") or _suggested(request),
        places=bench_of(request).places.allowed,
        dropped=_dropped(session),
        undecided=_undecided(choices_of(session)),
        judged=choices_of(session).get("roles.undecided") == "release",
        attack=attack,
        determination=determination,
    )


def _dropped(session: WorkSession) -> list[str]:
    """Return the names of the table and the codebook, if they were uploaded on the page."""
    state = session.state()
    codebook = Path((state.get("reading") or {}).get("codebook") or "")
    own = codebook.name if codebook.is_relative_to(session.folder) else None
    return [name for name in (state.get("dropped"), own) if name]


def _undecided(choices: Choices) -> list[str]:
    named = (one["name"] for one in choices.columns)
    return [name for name in named if name not in choices.roles and name not in choices.forced]


def _suggested(request: Request) -> str:
    """Suggest a folder that does not exist yet."""
    places = bench_of(request).places.allowed
    if not places:
        return ""
    numbers = ("", *(f"-{number}" for number in range(2, 100)))
    free = (places[0] / f"release{number}" for number in numbers)
    return str(next((one for one in free if not one.exists()), places[0] / "release"))


def prepare(request: Request) -> Response:
    """Prepare the chosen release in the folder of the session."""
    session, bench = session_of(request), bench_of(request)
    chosen = candidate_requests.chosen_of(session)
    if bench.desk.at_work(session, "prepare"):
        raise SettingError(
            "Roadstead is already preparing this release", fix="wait, or stop the preparation"
        )
    basis, table = mark_of(session, chosen)
    given = {**chosen.given, "out": str(chosen.folder(session)), "force": True}
    task = {"verb": chosen.verb, "project": str(session.project), "given": given}

    def then(record: JobRecord) -> None:
        candidate_requests.changed(session, chosen.name, basis=basis, table=table, job=record.name)

    candidate_requests.changed(session, chosen.name, basis="")  # before the job can end
    record = bench.desk.start(
        session, "prepare", "Preparing the release", {"do": "deliver", "with": task}, then
    )
    candidate_requests.changed(session, chosen.name, job=record.name)
    return to(request, f"{session.address}/release")


def columns(request: Request) -> Response:
    """Show how each column is treated."""
    session = session_of(request)
    prepared = _ready(request)
    words = bench_of(request).desk.answer(session, "words", folder=str(prepared.folder))
    return page(request, "fates.html", fates=prepared.fates(words))


def rows(request: Request) -> Response:
    """Show some rows of the prepared release."""
    session, bench = session_of(request), bench_of(request)
    prepared = _ready(request)
    choices = choices_of(session)
    found = bench.desk.answer(
        session,
        "released",
        folder=str(prepared.folder),
        first=first_row(request),
        many=_SAMPLE if sampled(request) else _ROWS,
        sample=sampled(request),
        shown=sorted({*plain(choices, session), *prepared.linked}),
    )
    last = max((found["records"] - 1) // _ROWS * _ROWS, 0)
    return page(
        request,
        "released.html",
        base=session.address,
        found=found,
        first=found["first"],
        many=_ROWS,
        last=last,
    )


def _ready(request: Request) -> Prepared:
    """Return the release that was prepared for the current choices and the current table."""
    prepared = prepared_of(session_of(request))
    if not prepared.ready:
        raise SettingError(
            "the settings or the table changed after the release was prepared",
            fix="prepare and check the release again before you write it",
        )
    return prepared


@with_form
def write(request: Request, form: FormData) -> Response:
    """Write the release to the named folder."""
    named_out, replacing, seen = every(form, "out", "replace", "seen")
    replace = replacing == "yes"
    session, bench = session_of(request), bench_of(request)
    prepared = _ready(request)
    if not prepared.promise_is_kept:
        raise SettingError(
            f"it does not meet your privacy requirements ({' and '.join(prepared.missing)})",
            where=prepared.tried.title,
            fix="choose another release, or choose this release with a reason in the “Explore” "
            "step",
        )
    if seen not in ("", prepared.stamp):
        raise SettingError(
            "another tab chose or prepared another release, so nothing was written",
            fix="reload the page and check the release",
        )
    require_nobody_at_work(request)
    with naming(PageNaming()):
        out = _folder(request, named_out.strip())
    if (out / CERTIFICATE).is_file() and not replace:
        return page(request, "replace.html", out=out, base=session.address)
    chosen, state = prepared.tried, session.state()
    mark = [chosen.name, *mark_of(session, chosen)]
    warnings, notes = [" ".join(prepared.added), *prepared.warnings], prepared.notes
    task = {
        "prepared": str(prepared.folder),
        "out": str(out),
        "force": replace,
        "project": str(session.project),
        "dropped": state.get("dropped"),
        "verb": chosen.verb,
        "given": dict(chosen.given),
    }

    def then(record: JobRecord) -> None:
        found = {**record.pop_found(), "made_for": mark, "title": chosen.title}
        session.find("written", {**found, "warnings": warnings, "notes": notes})

    bench.desk.begin(session, "write", "Writing and verifying", task, then, do="publish")
    session.keep(out=str(out))
    return to(request, f"{session.address}/release")


def _folder(request: Request, text: str) -> Path:
    """Check that a folder is allowed, is outside the work folders, and is new or a release."""
    bench = bench_of(request)
    if not text:
        raise SettingError("the folder is missing", fix="enter a new folder")
    out = bench.places.require(Path(text))
    own = bench.sessions.folder.resolve()
    if out.is_relative_to(own) or own.is_relative_to(out) or out in bench.places.allowed:
        what = "Roadstead cannot write a release directly into this folder"
        raise OutputError(what, where=named(str(out)), fix="enter a new folder inside this folder")
    if out.exists() and not out.is_dir():
        raise OutputError("is a file", where=named(str(out)), fix="enter a new folder")
    try:
        inside = next(out.iterdir(), None) if out.is_dir() else None
    except OSError as error:
        raise OutputError(
            f"cannot be read ({error.strerror})", where=named(str(out)), fix="enter another folder"
        ) from None
    if inside is not None and not (out / CERTIFICATE).is_file():
        raise OutputError(
            "contains other files",
            where=named(str(out)),
            fix="enter a new or an empty folder",
        )
    return out


def prepared_file(request: Request) -> Response:
    """Show a document of the prepared release."""
    return document(_ready(request).folder, request.path_params["name"])


ROUTES = (
    Route("/release", shown),
    Route("/release/prepare", prepare, methods=["POST"]),
    Route("/release/columns", columns),
    Route("/release/rows", rows),
    Route("/release/write", write, methods=["POST"]),
    Route("/release/prepared/{name}", prepared_file),
)
