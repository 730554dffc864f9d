"""Show the first step, in which the user chooses a table and the settings for reading it."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from tomlkit import TOMLDocument
from tomlkit.items import Table

from roadstead.errors import SettingError
from roadstead.places import TABLES, Places
from roadstead.printable import named
from roadstead.requests.groups import READING
from roadstead.tables.missing_file import is_codes_file
from roadstead.web.bench import WorkbenchState, bench_of, session_of
from roadstead.web.pages import every, first_row, framed, page, sampled, step_page, to, with_form
from roadstead.web.security.addresses import table_of
from roadstead.web.security.uploads import name_of
from roadstead.web.sessions.choices import Choices, choices_of, looks_identifying, set_value
from roadstead.web.sessions.raw import RawCopies
from roadstead.web.sessions.session import UNDO, WorkSession
from roadstead.web.steps.file_parts import file_of, part_fields, with_parts
from roadstead.web.work.jobs import JobRecord

_ROWS, _SAMPLE = 15, 8
_LARGEST = 64 << 30  # the largest uploaded table, in bytes
_CODEBOOK = "codebook-"
_CODEBOOKS = (".csv", ".tsv", ".txt", ".xml", ".ddi", ".json")
_PROPOSED = "proposed"
"""The name of the fact that contains the hierarchies that the last scan proposed."""
_KEPT = ("roles", "privacy", "hierarchies", "quality", "levels", "search", "persons", "synthesis")


def shown(request: Request) -> Response:
    """Show the table, or the form for choosing a table."""
    session, bench = session_of(request), bench_of(request)
    scanning = bench.desk.latest(session, "scan")
    choices, state = choices_of(session), session.state()
    gone = bool(state.get("dropped")) and not file_of(choices.data).is_file()
    return step_page(
        request,
        "data",
        places=bench.places.allowed,
        scanning=scanning,
        scan=session.facts("scan"),
        gone=gone,
        dropped=state.get("dropped"),
        reading=state.get("reading") or choices.get("reading", {}),
        named="table" in state,
        tried=(state.get("table") or {}).get("title"),
        endings=",".join(TABLES),
        codebook_endings=",".join(_CODEBOOKS),
        parts=part_fields((state.get("table") or {}).get("data")),
    )


def browsed(request: Request) -> Response:
    """Show a folder that the page may read."""
    bench = bench_of(request)
    folder = bench.places.require(Path(request.query_params.get("folder", "") or "."))
    if not folder.is_dir():
        raise SettingError(
            "this is not a folder", where=named(str(folder)), fix="choose another folder"
        )
    up = folder.parent if folder not in bench.places.allowed else None
    try:
        inside = [*bench.places.tables(folder)]
    except OSError as error:
        raise SettingError(
            f"cannot be read ({error.strerror})",
            where=named(str(folder)),
            fix="choose another folder",
        ) from None
    return page(
        request,
        "browse.html",
        folder=folder,
        up=up,
        inside=inside,
        **framed(session_of(request), "data"),
    )


@with_form
def opened(request: Request, form: FormData) -> Response:
    """Use the table at a path or an address."""
    kind, value = (one.strip() for one in every(form, "kind", "value"))
    if kind == "demo":
        return _demonstration(request)
    if not value:
        raise SettingError("the table is missing", fix="enter a file, a folder, or an address")
    data = table_of(bench_of(request).places, value)
    return scanned(request, {"data": data, "title": _title(data)})


def begun_with(
    bench: WorkbenchState,
    data: str,
    reading: Mapping[str, Any],
    further: Callable[[WorkSession], None] = lambda _: None,
) -> WorkSession:
    """Start a piece of work with a table. `further` is called after the scan."""
    address = table_of(bench.places, data)
    table = {"data": address, "title": _title(address)}
    session = bench.sessions.new(table["title"])
    _scan(bench, session, table, reading, further=further)
    return session


def _title(data: str) -> str:
    plain = data.partition("?")[0].rstrip("/").rpartition("/")[2]
    return named(plain or data)


def _demonstration(request: Request) -> Response:
    bench, session = bench_of(request), session_of(request)
    made = session.folder / "demonstration"
    table = {"data": str(made / "patients.csv"), "title": "Demonstration"}

    def then(record: JobRecord) -> None:
        _scan(bench, session, table, {}, after=record.name)

    _replaced(bench, session)
    given = {"verb": "demo", "given": {"out": str(made), "force": True}}
    bench.desk.begin(
        session, "scan", "Generating 20,000 made-up patients", given, then, do="deliver"
    )
    return to(request, f"{session.address}/data")


async def dropped(request: Request) -> Response:
    """Save an uploaded table during the upload. Only the owner may read the copy."""
    session, bench = session_of(request), bench_of(request)
    name = name_of(request.headers.get("x-file-name", ""))
    path = bench.raw.new_file(session.name, name)
    try:
        await _copied(request, bench.raw, path)
    except BaseException:
        bench.raw.drop(path)
        raise
    table = {"data": str(path), "title": named(name), "dropped": name}
    return await run_in_threadpool(scanned, request, table)


async def described(request: Request) -> Response:
    """Save an uploaded codebook in this piece of work, and scan the table with this codebook."""
    session, bench = session_of(request), bench_of(request)
    state = session.state()
    if "table" not in state:
        raise SettingError("this work does not have a table yet", fix="choose a table")
    name = name_of(request.headers.get("x-file-name", ""), _CODEBOOKS)
    folder = session.folder / f"{_CODEBOOK}{secrets.token_hex(4)}"
    folder.mkdir(mode=0o700)
    try:
        await _copied(request, bench.raw, folder / name)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    reading = {**(state.get("reading") or {}), "codebook": str(folder / name)}
    return await run_in_threadpool(scanned, request, state["table"], reading)


async def _copied(request: Request, raw: RawCopies, path: Path) -> None:
    size = 0
    try:
        with raw.open_new(path) as copy:
            async for part in request.stream():
                size += len(part)
                _require_small(size, path)
                await run_in_threadpool(copy.write, part)
    except OSError as error:
        raise SettingError(
            f"cannot be copied ({error.strerror})",
            where=named(path.name),
            fix="free disk space, or enter the path of the file instead",
        ) from None


def _require_small(size: int, path: Path) -> None:
    if size > _LARGEST:
        raise SettingError(
            "the file is too large to be copied",
            where=named(path.name),
            fix="enter its path instead",
        )


@with_form
def read_otherwise(request: Request, form: FormData) -> Response:
    """Read the table with a different delimiter, encoding, first row, or missing values."""
    said = dict(zip(READING, every(form, *READING), strict=True))
    if codebook := str(form.get("codebook", "")).strip():
        said["codebook"] = _codebook(request, codebook)
    reading: dict[str, Any] = {key: value for key, value in said.items() if value}
    if "header" in reading:
        reading["header"] = reading["header"] == "yes"
    if "missing" in reading:
        texts = [one.strip() for one in str(reading["missing"]).split(",")]
        reading["missing"] = [_code_or_file(bench_of(request).places, one) for one in texts]
    if reading.get("delimiter") == "tab":
        reading["delimiter"] = "\t"
    table = session_of(request).state().get("table")
    if table is None:
        raise SettingError("this work does not have a table yet", fix="choose a table")
    table = {**table, "data": with_parts(table["data"], form)}
    return scanned(request, table, reading)


def _codebook(request: Request, text: str) -> str:
    """Return the real path of a codebook: an uploaded copy, or a file that the page may read."""
    if text == (session_of(request).state().get("reading") or {}).get("codebook"):
        return text
    return str(bench_of(request).places.require(Path(text)))


def _code_or_file(places: Places, text: str, base: Path | None = None) -> str:
    """Return a code for missing values, or the path of a file with codes that pages may read."""
    if not is_codes_file(text):
        return text
    return str(places.require(Path(text) if base is None else base / text))


def reading_in(places: Places, reading: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """Return the reading settings of a project file, with real paths that pages may read."""
    found = dict(reading)
    if isinstance(codebook := found.get("codebook"), str):
        found["codebook"] = str(places.require(base / codebook))
    if isinstance(codes := found.get("missing"), list):
        found["missing"] = [_code_or_file(places, str(one), base) for one in codes]
    return found


def reads_a_file(session: WorkSession) -> bool:
    """Return whether the table is in a file. If so, the page shows settings for the file."""
    data = str((session.state().get("table") or {}).get("data", ""))
    return bool(data) and "://" not in data and not data.startswith(("omop:", "fhir:"))


def read_again(request: Request, more: Mapping[str, list[str]]) -> Response:
    """For each setting, read the table again with more codes for missing values."""
    session = session_of(request)
    if not reads_a_file(session):
        raise SettingError("this table is not in a file", fix="change its values in the database")
    table, reading = table_as_read(request)
    for key, texts in more.items():
        codes = [_code_or_file(bench_of(request).places, one) for one in texts]
        reading[key] = list(dict.fromkeys([*reading.get(key, ()), *codes]))
    return scanned(request, table, reading)


def table_as_read(
    request: Request, *, refused: bool = False
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the open table, or the table that was `refused` later, and its reading settings."""
    session = session_of(request)
    scan, state = bench_of(request).desk.latest(session, "scan"), session.state()
    choices = choices_of(session)
    if refused or scan is None or choices.data is None:
        return dict(state["table"]), dict(state.get("reading") or choices.get("reading", {}))
    table = {"data": choices.data, "title": choices.title}
    if state.get("dropped"):
        table["dropped"] = state["dropped"]
    return table, dict(choices.get("reading", {}))


def scanned(
    request: Request, table: Mapping[str, str], reading: Mapping[str, Any] | None = None
) -> Response:
    """Scan a table, and show the step again."""
    session = session_of(request)
    _scan(bench_of(request), session, table, reading or {})
    return to(request, f"{session.address}/data")


def _scan(
    bench: WorkbenchState,
    session: WorkSession,
    table: Mapping[str, str],
    reading: Mapping[str, Any],
    after: str | None = None,
    further: Callable[[WorkSession], None] = lambda _: None,
) -> None:
    """Scan a table, and use the proposal for the columns whose role is undecided.

    The earlier scan is kept until the new scan ends. `after` is the job that created the table.
    """
    _replaced(bench, session, after)

    def then(record: JobRecord) -> None:
        found = record.pop_found()
        _taken(session, found["project"], found["scan"], reading, new=new_codebook)
        session.keep(title=table["title"], dropped=table.get("dropped"))
        for former in bench.raw.of(session.name):
            if former != file_of(table["data"]):
                bench.raw.drop(former)
        for codebook in session.folder.glob(f"{_CODEBOOK}*/*"):
            if str(codebook) != reading.get("codebook"):
                shutil.rmtree(codebook.parent, ignore_errors=True)
        further(session)

    former_reading = session.state().get("reading") or {}
    new_codebook = reading.get("codebook") != former_reading.get("codebook")
    given = {"given": {"data": table["data"], **reading}, "folder": str(session.folder)}
    bench.desk.begin(session, "scan", "Reading the table", given, then)
    session.keep(table=dict(table), reading=dict(reading))
    if choices_of(session).data is None:
        session.keep(title=table["title"])


def _replaced(bench: WorkbenchState, session: WorkSession, after: str | None = None) -> None:
    """End earlier scans of a table, so that their results cannot arrive after newer results."""
    for former in bench.desk.at_work(session, "scan"):
        if former.name != after:
            bench.desk.drop(session, former.name)


def _taken(
    session: WorkSession,
    proposed: str,
    scan: Mapping[str, Any],
    reading: Mapping[str, Any],
    *,
    new: bool = False,
) -> None:
    """Use the roles that a scan proposes.

    If the columns have not changed, a person's earlier decisions are kept. A hierarchy that the
    earlier scan proposed is not a decision, so the new proposal replaces this hierarchy.

    If the codebook is `new`, its roles and its codes for missing values are used. The page shows
    these roles and codes, so that a person can remove them.
    """
    before = choices_of(session)
    same = _columns(before.columns) == _columns(scan["columns"]) and before.columns
    session.find("scan", scan)
    with session.changed() as document:
        former = document.copy()
        document.clear()
        document.update(tomlkit.parse(proposed))
        now = document.get("hierarchies", tomlkit.table())
        suggested, decided = document.unwrap(), former.unwrap()
        if new:
            missing = list(document.get("reading", {}).get("missing", ()))
            reading = {**reading, **({"missing": missing} if missing else {})}
            session.keep(reading=dict(reading))
        elif same:
            for key in _KEPT:
                if key in former and decided[key] != suggested.get(key):  # else, keep new comments
                    document[key] = former[key]
            _propose_again(document, session.facts(_PROPOSED), now)
        session.find(_PROPOSED, suggested.get("hierarchies", {}))
        set_value(document, "reading", dict(reading) or None)
    session.find(UNDO, None)  # The former project files belong to another table.


def _propose_again(document: TOMLDocument, former: Mapping[str, Any], now: Table) -> None:
    """Replace each proposed hierarchy, unless it has other settings or a person changed it."""
    kept, levels = document.get("hierarchies", {}), document.get("levels", {})
    dates = document.get("persons", {}).get("dates", {})
    decided = {*levels.get("min", ()), *levels.get("max", ()), *dates}
    for name in (kept.keys() & now.keys() & former.keys()) - decided:
        if kept[name].unwrap() == former[name]:
            kept[name] = now[name]


def _columns(columns: object) -> list[str]:
    return [one["name"] for one in columns]  # type: ignore[attr-defined] # of a scan


def rows(request: Request) -> Response:
    """Show some rows. The values of direct identifiers and of undecided columns are covered."""
    session, bench = session_of(request), bench_of(request)
    choices = choices_of(session)
    records = session.facts("scan").get("records", 0)
    first = first_row(request, records, _ROWS)
    found = bench.desk.answer(
        session,
        "rows",
        first=first,
        many=_SAMPLE if sampled(request) else _ROWS,
        shown=sorted(plain(choices, session)),
        sample=sampled(request),
    )
    return page(
        request,
        "rows.html",
        base=session.address,
        found=found,
        first=first,
        many=_ROWS,
        records=records,
        last=max((records - 1) // _ROWS * _ROWS, 0),
    )


def covered(choices: Choices, session: WorkSession) -> set[str]:
    """Return the columns whose values no page shows, because they may be direct identifiers."""
    return {one["name"] for one in choices.columns} - plain(choices, session)


def plain(choices: Choices, session: WorkSession) -> set[str]:
    """Return the columns whose values the pages may show.

    A request for values contains a list of these columns, because columns that were not scanned may
    have been added to the table.
    """
    looks = set(looks_identifying(session))
    decided = {"quasi", "sensitive", "unchanged"}
    return {name for name, role in choices.roles.items() if role in decided} - looks


ROUTES = (
    Route("/data", shown),
    Route("/data/browse", browsed),
    Route("/data/open", opened, methods=["POST"]),
    Route("/data/drop", dropped, methods=["PUT"]),
    Route("/data/codebook", described, methods=["PUT"]),
    Route("/data/reading", read_otherwise, methods=["POST"]),
    Route("/data/rows", rows),
)
