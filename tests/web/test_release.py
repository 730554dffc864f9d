"""From choices to a verified release on the page, and the same again by its command."""

from __future__ import annotations

import html
import io
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from urllib.parse import urlencode

import pytest
import workbench
from commands import run
from warm_start import working
from workbench import Bench, served

_TIMES = re.compile(
    rb'"created": "[^"]*"|\d+ [A-Z][a-z]+ \d{4}, \d{2}:\d{2} UTC|(?<=, after )[\d. a-z]+(?=</td>)'
)
"""In a certificate and a report: when it was made, and how long the search took."""
_REPORT_SHA = re.compile(rb'("name": "report.html",\s+"sha256": ")[0-9a-f]{64}(",\s+"bytes": )\d+')


def _table(path: Path, rows: int = 400) -> Path:
    lines = [
        f"Person {i},{20 + i * 7 % 60},{'fm'[i % 2]},{10000 + i % 9 * 111},"
        f"{'' if i % 5 else '='}d{i % 5}"
        for i in range(rows)
    ]
    path.write_text("\n".join(["name,age,sex,zip,diagnosis", *lines, ""]))
    return path


def _project(data: Path | str) -> str:
    return f"""data = {json.dumps(str(data))}

[roles]
quasi = ["age", "sex", "zip"]
sensitive = ["diagnosis"]
identifiers = ["name"]

[hierarchies]
age = {{kind = "intervals", widths = [5, 10, 20]}}
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench for all tests of this file, which may use the folder `allowed`."""
    folder = tmp_path_factory.mktemp("release")
    (folder / "allowed").mkdir()
    with served(folder / "state", [folder / "allowed"]) as bench:
        yield bench


@pytest.fixture(scope="module")
def allowed(bench: Bench) -> Path:
    """Give the folder that may be used."""
    return bench.state.parent / "allowed"


@pytest.fixture(scope="module")
def piece(bench: Bench, allowed: Path) -> str:
    """Give a piece of work with a prepared release; each test leaves its choices unchanged."""
    return _prepared(bench, allowed)


def _prepared(bench: Bench, allowed: Path) -> str:
    piece = bench.begin()
    table = _table(allowed / "patients.csv")
    bench.open(piece, str(table))
    bench.choose(piece, _project(table))
    assert bench.post(f"{piece}/release/prepare").status == 303
    record = bench.wait(piece, "prepare")
    assert record["state"] == "done", record
    return piece


def _written(bench: Bench, piece: str, out: Path, **form: str) -> dict[str, object]:
    answer = bench.post(f"{piece}/release/write", out=str(out), **form)
    assert answer.status == 303, answer.text
    return dict(bench.wait(piece, "write"))


def _shown(page: str, name: str) -> str:
    """Give what is to be copied from a page."""
    found = re.search(rf'id="{name}"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert found is not None
    return html.unescape(found[1])


def _alike(content: bytes) -> bytes:
    """Give a document without what differs by nature: times, and the hash of the report's."""
    return _REPORT_SHA.sub(rb"\1\2", _TIMES.sub(b"", content))


@pytest.mark.quick(1)
@pytest.mark.parametrize("first", ["abc", "-1", "1e9", "²", "", "9" * 5000, "1000000000", "399"])
def test_a_page_of_rows_begins_at_a_row_whatever_its_address_says(
    bench: Bench, piece: str, first: str
) -> None:
    """A number beyond the table is its last page; an invalid number is its first."""
    rows = "391 to 400 of 400" if first.isdecimal() else "1 to 15 of 400"
    for place in ("data/rows", "release/rows"):
        answer = bench.get(f"{piece}/{place}?{urlencode({'first': first})}")
        assert (answer.status, f"Rows {rows}" in answer.text) == (200, True), place
    assert bench.get(f"{piece}/explore/policies?{urlencode({'first': first})}").status == 200


def test_what_is_written_was_looked_at_and_the_command_writes_the_same(
    bench: Bench, allowed: Path, piece: str
) -> None:
    page = bench.get(f"{piece}/release").text
    assert "5-anonymity" in page
    assert "The default is 5" in page
    rows = bench.get(f"{piece}/release/rows").text
    assert "of 400" in rows
    assert "Person" not in page + rows

    out = allowed / "release"
    assert _written(bench, piece, out)["state"] == "done"
    page = bench.get(f"{piece}/release").text
    assert "Written and verified" in page
    head = page[page.index("Written and verified") : page.index("Download the folder as ZIP")]
    assert "Warning: an attacker who also knows diagnosis can single out" in head
    assert "Warning: a spreadsheet may run cells of" in head
    command = _shown(page, "again-command")
    program, *arguments = shlex.split(command)
    assert program == "roadstead"
    with chdir("/"):  # the paths of a shown command do not depend on the working folder
        done = run(*arguments)
    assert done.code == 0, done.err
    again = allowed / "release-again"
    assert sorted(one.name for one in again.iterdir()) == sorted(one.name for one in out.iterdir())
    for one in out.iterdir():
        other = (again / one.name).read_bytes()
        if one.name in ("patients.csv", "policy.json"):
            assert one.read_bytes() == other
        assert _alike(one.read_bytes()) == _alike(other), one.name

    call = _shown(page, "again-call")
    third = call.replace("release-again", "release-third")
    subprocess.run([sys.executable, "-c", third], check=True, cwd="/")
    assert (allowed / "release-third" / "patients.csv").read_bytes() == (
        out / "patients.csv"
    ).read_bytes()


def test_documents_open_harmlessly_and_the_folder_comes_as_a_zip(
    bench: Bench, allowed: Path, piece: str
) -> None:
    out = allowed / "sent"
    _written(bench, piece, out)
    report = bench.get(f"{piece}/release/files/report.html")
    assert report.body == (out / "report.html").read_bytes()
    assert report.headers["content-security-policy"].startswith("sandbox")
    assert bench.get(f"{piece}/release/files/patients.csv").status == 404
    assert bench.get(f"{piece}/release/files/..%2f..%2fpatients.csv").status == 404
    sent = bench.get(f"{piece}/release/archive")
    with zipfile.ZipFile(io.BytesIO(sent.body)) as found:
        assert found.testzip() is None
        assert {name: found.read(name) for name in found.namelist()} == {
            f"sent/{one.name}": one.read_bytes() for one in out.iterdir()
        }


def test_a_release_that_changed_on_disk_is_not_called_verified_and_is_not_sent(
    bench: Bench, allowed: Path, piece: str
) -> None:
    """A row is added with another program. A file that has another time only is the same."""
    out = allowed / "changed"
    _written(bench, piece, out)
    table = out / "patients.csv"
    before = table.read_bytes()
    os.utime(table, (1, 1))
    assert 'id="changed"' not in bench.get(f"{piece}/release").text
    lines = before.splitlines(keepends=True)
    table.write_bytes(before + lines[-1])
    page = bench.get(f"{piece}/release").text
    assert "patients.csv differs from the release that was verified" in page
    assert "Changed after verification" in page
    assert "Written and verified" not in page
    sent = bench.get(f"{piece}/release/archive")
    assert sent.status == 422
    assert "patients.csv" in sent.text
    assert bench.get(f"{piece}/release/files/report.html").status == 200
    table.write_bytes(before)
    assert bench.get(f"{piece}/release/archive").status == 200
    state = table.stat()
    table.write_bytes(before[:-2] + bytes([before[-2] ^ 1]) + before[-1:])
    os.utime(table, ns=(state.st_atime_ns, state.st_mtime_ns))  # as if it had not changed
    assert bench.get(f"{piece}/release/archive").status == 422


def test_what_was_prepared_for_other_choices_or_another_table_is_not_written(
    bench: Bench, allowed: Path, piece: str
) -> None:

    def refused() -> None:
        assert "after this release was prepared" in bench.get(f"{piece}/release").text
        answer = bench.post(f"{piece}/release/write", out=str(allowed / "refused"))
        assert answer.status == 422
        assert "prepare and check the release again" in answer.text
        assert not (allowed / "refused").exists()

    bench.choose(piece, _project(allowed / "patients.csv") + "\n[privacy]\nk = 7\n")
    refused()
    bench.choose(piece, _project(allowed / "patients.csv"))
    assert "Write and verify" in bench.get(f"{piece}/release").text
    table = allowed / "patients.csv"
    before = table.stat()
    _table(table, rows=300)
    refused()
    _table(table)
    os.utime(table, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_release_that_is_there_is_replaced_only_when_that_is_decided(
    bench: Bench, allowed: Path, piece: str
) -> None:
    out = allowed / "replaced"
    _written(bench, piece, out)
    first = (out / "certificate.json").stat().st_ino
    asked = bench.post(f"{piece}/release/write", out=str(out))
    assert asked.status == 200
    assert "Replace it" in asked.text
    assert (out / "certificate.json").stat().st_ino == first
    record = _written(bench, piece, out, replace="yes")
    assert record["state"] == "done", record
    assert (out / "certificate.json").stat().st_ino != first


def test_folders_that_cannot_be_written_to_are_refused_in_words(
    bench: Bench, allowed: Path, piece: str
) -> None:
    (allowed / "full").mkdir()
    (allowed / "full" / "notes.txt").write_text("mine")
    before = {one.name for one in allowed.iterdir()}
    for place, words in (
        ("/elsewhere", "outside the allowed folders"),
        ("../../other", "outside the allowed folders"),
        ("", "the folder is missing"),
        (str(allowed), "cannot write a release directly into this folder"),
        (str(allowed / "full"), "contains other files"),
        (str(allowed / "patients.csv"), "is a file"),
    ):
        answer = bench.post(f"{piece}/release/write", out=place)
        assert (answer.status, words in answer.text) == (422, True), answer.text
    assert {one.name for one in allowed.iterdir()} == before


def test_no_policy_is_said_with_what_would_do(bench: Bench, allowed: Path, piece: str) -> None:
    scan = bench.folder(piece) / "facts" / "scan.json"
    piece = bench.begin()
    (bench.folder(piece) / "facts").mkdir()
    shutil.copy(scan, bench.folder(piece) / "facts")
    own = "\n[privacy]\nk = 300\n\n[levels]\nmax = {age = 0}\n"
    bench.choose(piece, _project(allowed / "patients.csv") + own)
    bench.post(f"{piece}/release/prepare")
    record = bench.wait(piece, "prepare")
    assert record["state"] == "failed"
    page = html.unescape(bench.get(f"{piece}/release").text).replace("\N{NO-BREAK SPACE}", " ")
    assert str(record["error"]["message"]) in page  # type: ignore[index] # of JSON
    assert "--" not in str(record["error"])
    assert "Write and verify" not in page


def test_what_is_noticed_is_shown_before_and_after_writing(bench: Bench, allowed: Path) -> None:
    """With the page's name of the field. Fault class: a written release without its notes."""
    piece, table = bench.begin(), allowed / "places.csv"
    rows = [f"{38 + i % 4 / 7:.6f},{8 + i % 4 / 9:.6f},{'fm'[i % 8 // 4]}" for i in range(400)]
    table.write_text("\n".join(["latitude,longitude,sex", *rows, ""]))
    bench.open(piece, str(table))
    roles = '[roles]\nquasi = ["latitude", "longitude", "sex"]\n'
    bench.choose(piece, f"data = {json.dumps(str(table))}\n{roles}")
    bench.post(f"{piece}/release/prepare")
    record = bench.wait(piece, "prepare")
    assert record["state"] == "done", record["error"]
    note = "The release contains exact coordinates in latitude and longitude."
    fix = "require a higher level with “Lowest level allowed”."
    page = bench.get(f"{piece}/release").text
    assert note in page
    assert fix in page
    assert _written(bench, piece, allowed / "placed")["state"] == "done"
    written = bench.get(f"{piece}/release").text.partition('id="chosen-release"')[0]
    assert "Written and verified" in written
    assert note in written
    assert fix in written


def test_a_full_disk_is_said_and_nothing_is_left(bench: Bench, allowed: Path, piece: str) -> None:
    """No process of the workbench may write a file of more than a few bytes."""
    children = Path(f"/proc/{bench.number}/task").glob("*/children")
    for one in {int(pid) for task in children for pid in task.read_text().split()}:
        resource.prlimit(working(workbench.PYTHON, one), resource.RLIMIT_FSIZE, (512, 512))
    before = {one.name for one in allowed.iterdir()}
    record = _written(bench, piece, allowed / "none")
    assert record["state"] == "failed"
    assert "the disk is full" in str(record["error"])
    assert "the disk is full" in bench.get(f"{piece}/release").text
    assert {one.name for one in allowed.iterdir()} == before
