"""Answer regulators' questions about the written release.

This is a part of the last step.

The form contains the questions of `roadstead.determination`. The answers are stored in the file
that the command line reads. The user can download this file and load the file again later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from roadstead.determination.form import FormQuestion, form_of
from roadstead.errors import SettingError
from roadstead.regular_files import MIB, content_of, write_whole
from roadstead.requests.fields import options_of
from roadstead.verbs.determine.request import DetermineRequest
from roadstead.web.bench import bench_of, session_of
from roadstead.web.pages import every, step_page, to, whole_number
from roadstead.web.security.headers import DOCUMENT
from roadstead.web.sessions.determination_answers import (
    DETERMINED,
    GivenAnswers,
    answers_of,
    folder_of,
    keep_answers,
)
from roadstead.web.sessions.form_stamps import require_as_shown
from roadstead.web.sessions.last_release import WRITTEN, certificate_of
from roadstead.web.steps.release_files import require_nobody_at_work, written_folder
from roadstead.web.work.archive import zipped
from roadstead.web.work.jobs import JobRecord

KIND = "determine"
_DIALECT = "all"
"""The dialect of the documents if the user did not choose one."""
_FILE, _UPLOADED = "determination.toml", "uploaded.toml"
_MOST_FIELDS, _MOST_FILE = 10_000, 4 * MIB
_TYPES = {"html": "text/html", "pdf": "application/pdf", "json": "application/json"}


def shown_determination(request: Request) -> dict[str, Any]:
    """Return the content about a determination in the last step."""
    session = session_of(request)
    job, found = bench_of(request).desk.latest(session, KIND), session.facts(DETERMINED)
    now = certificate_of(session.facts(WRITTEN))
    return {
        "does": (DetermineRequest.__doc__ or "").partition("\n")[0],
        "found": found or None,
        "current": bool(found) and found["certificate"] == now,
        "answers": answers_of(session),
        "job": job,
    }


def form(request: Request) -> Response:
    """Show the questions and the answers so far."""
    session, out = session_of(request), written_folder(request)
    now, given = certificate_of(session.facts(WRITTEN)), answers_of(session)
    asked = bench_of(request).desk.answer(session, "asked", folder=str(out))
    options, parts = options_of(DetermineRequest), form_of()
    columns = list(dict.fromkeys((*asked["columns"], *given.variables)))
    progress = [_progress(title, of_part, given, columns) for title, of_part in parts]
    progress.append(PartProgress("Documents", 0, 0))
    part = min(max(whole_number(request.query_params.get("part", "")), 1), len(progress))
    return step_page(
        request,
        "release",
        template="determination.html",
        out=out,
        progress=progress,
        part=part,
        questions=parts[part - 1][1] if part <= len(parts) else (),
        columns=columns,
        given=given,
        certificate=now,
        earlier=bool(given.number) and given.certificate != now,
        dialect=_DIALECT,
        dialects=options["dialect"].form.words,
        options={key: one.help for key, one in options.items()},
    )


class PartProgress(NamedTuple):
    """A part of the questions, and how many of its questions are answered."""

    title: str
    questions: int
    answered: int


def _progress(
    title: str, questions: Sequence[FormQuestion], given: GivenAnswers, columns: Sequence[str]
) -> PartProgress:
    answers = [given.answers.get(one.key, "") for one in questions]
    if questions[0].key.startswith("data."):
        answers += [given.variables.get(name, "") for name in columns]
    return PartProgress(title, len(answers), sum(bool(one.strip()) for one in answers))


async def kept(request: Request) -> Response:
    """Save the answers, and write the documents if the user requests them."""
    return await run_in_threadpool(_kept, request, await request.form(max_fields=_MOST_FIELDS))


def _kept(request: Request, sent: FormData) -> Response:
    session, bench = session_of(request), bench_of(request)
    out = written_folder(request)
    require_nobody_at_work(request)
    (seen, before, then_, dialect, pdf) = every(sent, "seen", "before", "then", "dialect", "pdf")
    require_as_shown(seen, certificate_of(session.facts(WRITTEN)), "the release")
    require_as_shown(before, answers_of(session).stamp, "an answer")
    given = _given(sent, answers_of(session))
    made = bench.desk.answer(
        session,
        "answers",
        folder=str(out),
        answers=given.answers,
        variables=given.variables,
    )
    if then_ == "write":
        # The page shows a refused form again with its old stamp, so its answers are saved later.
        choice = dialect or _DIALECT  # only the last part has a list of dialects
        _determine(request, str(out), made["text"], dialect=choice, pdf=pdf == "yes")
    keep_answers(session, GivenAnswers(made["certificate"], given.answers, given.variables))
    if then_ == "write":
        return to(request, f"{session.address}/release#determine")
    return to(request, f"{session.address}/release/determination?part={whole_number(then_)}")


def _given(sent: FormData, before: GivenAnswers) -> GivenAnswers:
    """Return all answers after one part of the form was sent; keep answers in other parts."""
    keys = [one.key for _, questions in form_of() for one in questions]
    texts = dict(zip(keys, every(sent, *keys), strict=True))
    answers = {key: texts[key] if key in sent else before.answers.get(key, "") for key in keys}
    named = zip(sent.getlist("column"), sent.getlist("reason"), strict=False)
    reasons = {**before.variables, **{str(name): str(text) for name, text in named}}
    return GivenAnswers(
        "",
        {key: text for key, text in answers.items() if text},
        {name: text for name, text in reasons.items() if text.strip()},
    )


def _determine(request: Request, out: str, text: str, *, dialect: str, pdf: bool) -> None:
    session, desk = session_of(request), bench_of(request).desk
    if desk.at_work(session, KIND):
        what, fix = "Roadstead is already writing the documents", "wait, or stop the job"
        raise SettingError(what, fix=fix)
    if dialect not in options_of(DetermineRequest)["dialect"].form.words:
        raise SettingError("this dialect does not exist", fix="choose a dialect from the list")
    file = session.folder / _FILE
    write_whole(file, text.encode("utf-8"))
    task = {
        "release": out,
        "answers": str(file),
        "dialect": dialect,
        "pdf": pdf,
        "out": str(folder_of(session)),
        "at": f"{session.address}/release/determination/files",
    }

    def then(record: JobRecord) -> None:
        session.find(DETERMINED, record.pop_found())

    desk.begin(session, KIND, "Writing the documents", task, then)


def questions(request: Request) -> Response:
    """Send a file with the questions and the answers so far."""
    session, given = session_of(request), answers_of(session_of(request))
    made = bench_of(request).desk.answer(
        session,
        "answers",
        folder=str(written_folder(request)),
        answers=dict(given.answers),
        variables=dict(given.variables),
    )
    headers = {"content-disposition": f'attachment; filename="{_FILE}"'}
    return Response(made["text"], media_type="application/toml", headers=headers)


async def brought(request: Request) -> Response:
    """Replace the current answers with the answers in a file."""
    sent = (await request.form()).get("file")
    if not isinstance(sent, UploadFile) or not sent.filename:
        raise SettingError("the file is missing", fix=f"choose an answered {_FILE}")
    content = await sent.read(_MOST_FILE + 1)
    if len(content) > _MOST_FILE:
        raise SettingError("the file is too large", fix=f"choose an answered {_FILE}")
    return await run_in_threadpool(_brought, request, content)


def _brought(request: Request, content: bytes) -> Response:
    session, out = session_of(request), written_folder(request)
    file = session.folder / _UPLOADED
    write_whole(file, content)
    try:
        now = certificate_of(session.facts(WRITTEN))
        found: Mapping[str, Any] = bench_of(request).desk.answer(
            session, "answers-taken", folder=str(out), file=str(file)
        )
    finally:
        with suppress(OSError):
            file.unlink()
    keep_answers(session, GivenAnswers(now, found["answers"], found["variables"]))
    return to(request, f"{session.address}/release/determination")


def document(request: Request) -> Response:
    """Show a document, or send a document that is for printing."""
    session, name = session_of(request), request.path_params["name"]
    kind = _TYPES.get(name.rpartition(".")[2])
    if kind is None or name not in session.facts(DETERMINED).get("files", ()):
        raise HTTPException(404)
    try:
        content = content_of(folder_of(session) / name, own=True)
    except OSError:
        raise HTTPException(404) from None
    headers = {"content-security-policy": DOCUMENT}
    if kind == _TYPES["pdf"]:
        headers["content-disposition"] = f'attachment; filename="{name}"'
    return Response(content, media_type=kind, headers=headers)


def archive(request: Request) -> Response:
    """Send all documents as one file."""
    session = session_of(request)
    names = session.facts(DETERMINED).get("files")
    folder = folder_of(session)
    if not names or not all((folder / name).is_file() for name in names):
        raise HTTPException(404)
    headers = {"content-disposition": 'attachment; filename="determination.zip"'}
    return StreamingResponse(zipped(folder, names), media_type="application/zip", headers=headers)


ROUTES = (
    Route("/release/determination", form),
    Route("/release/determination", kept, methods=["POST"]),
    Route("/release/determination/questions", questions),
    Route("/release/determination/file", brought, methods=["POST"]),
    Route("/release/determination/files/{name}", document),
    Route("/release/determination/archive", archive),
)
