"""Files dropped on the page: readable by their owner only, plainly named, and temporary."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import PATIENCE, wait_until
from workbench import Answer, Bench, served

from roadstead.errors import SettingError
from roadstead.printable import printable
from roadstead.tables.addresses import is_address
from roadstead.tables.health import locations as health
from roadstead.web.security.uploads import name_of

TABLE = b"age,sex\n" + b"30,f\n40,m\n" * 20


@given(st.text(max_size=300), st.sampled_from([".csv", ".CSV", ".tsv.gz", ".parquet", ".txt"]))
def test_every_name_is_made_plain_or_refused(text: str, ending: str) -> None:
    """The result is one part of a path, without a special meaning, and fully visible."""
    sent = quote(text.encode("utf-8", "replace") + ending.encode(), safe="")
    try:
        name = name_of(sent)
    except SettingError:
        return
    assert Path(name).name == name
    assert printable(name) == name
    assert not set(name) & set("/\\:?*[]#%\0")
    assert len(name.encode()) <= 140
    assert not name.startswith((".", " "))
    assert name.lower().endswith(ending.lower().rpartition(".")[2])
    assert not is_address(f"/raw/{name}")
    assert health.parse(f"/raw/{name}") is None
    assert name_of(quote(name)) == name


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("visits.csv", "visits.csv"),
        ("besuche%20m%C3%A4rz.csv", "besuche märz.csv"),
        ("..%2F..%2Fetc%2Fvisits.csv", "visits.csv"),
        ("C%3A%5Cdata%5Cvisits.csv", "visits.csv"),
        ("omop%3A..csv.csv", "omop_..csv.csv"),
        ("%E2%80%AEgnp.csv", "gnp.csv"),
        ("a%00b%0Ac%1B.csv", "abc.csv"),
        ("%252e%252e%252fvisits.csv", "_2e_2e_2fvisits.csv"),
        ("%3Cscript%3Ealert(1)%3C%2Fscript%3E.csv", "script>.csv"),
        ("%7B%7B7*7%7D%7D%22'.csv", "{{7_7}}\"'.csv"),
        (quote("ä" * 300) + ".csv", "ä" * 60 + ".csv"),
        ("..visits.csv", "visits.csv"),
        ("PTIR71FL.DAT", "PTIR71FL.DAT"),
        ("registry.sqlite", "registry.sqlite"),
    ],
)
def test_names_as_browsers_send_them(sent: str, name: str) -> None:
    """Percent-encoded, with whatever a stranger called the file."""
    assert name_of(sent) == name


@pytest.mark.parametrize(
    "sent", ["", ".csv", "%2F", "visits.exe", "visits.csv%2F", "visits.csv%00.png", "..%2F.csv"]
)
def test_what_is_no_table_is_refused_by_its_name(sent: str) -> None:
    """Before a byte of it is kept."""
    with pytest.raises(SettingError):
        name_of(sent)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench."""
    folder = tmp_path_factory.mktemp("uploads")
    with served(folder / "state", [folder]) as own:
        yield own


def dropped(bench: Bench, piece: str, name: str, content: bytes) -> Answer:
    """Drop a file on the page."""
    return bench.request(
        "PUT",
        f"{piece}/data/drop",
        content,
        {"X-File-Name": quote(name, safe=""), "HX-Request": "true"},
    )


def copies(bench: Bench, piece: str = "") -> list[Path]:
    """List the copies of a piece of work, or all."""
    found: list[Path] = []
    for folder in bench.state.glob(f"raw-*/{piece.rpartition('/')[2]}*-*"):
        with suppress(FileNotFoundError, NotADirectoryError):  # removed, or a mark
            found += folder.iterdir()
    return sorted(found)


def test_a_copy_is_its_owners_alone_and_goes_with_its_work(bench: Bench) -> None:
    """The file 0600 in folders 0700; a next one takes its place, and the work takes it along."""
    piece = bench.begin()
    assert dropped(bench, piece, "visits 1.csv", TABLE).location == f"{piece}/data"
    assert bench.wait(piece, "scan")["state"] == "done"
    (copy,) = copies(bench, piece)
    assert copy.read_bytes() == TABLE
    assert copy.stat().st_mode & 0o777 == 0o600
    for folder in (copy.parent, copy.parent.parent, bench.folder(piece)):
        assert folder.stat().st_mode & 0o777 == 0o700
    for kept in bench.folder(piece).rglob("*"):
        assert TABLE not in (kept.read_bytes() if kept.is_file() else b"")

    dropped(bench, piece, "visits 2.csv", TABLE)
    wait_until(
        lambda: [one.name for one in copies(bench, piece)] == ["visits 2.csv"], "the former to go"
    )
    assert bench.post(f"{piece}/remove").status == 303
    assert copies(bench, piece) == []
    assert not bench.folder(piece).exists()


def test_a_table_stays_until_another_was_looked_at(bench: Bench) -> None:
    """An unreadable file replaces nothing, and the page reports only this."""
    piece = bench.begin()
    dropped(bench, piece, "good.csv", TABLE)
    assert bench.wait(piece, "scan")["state"] == "done"
    dropped(bench, piece, "bad.csv", b"\x89PNG\r\n\x1a\n\x00\x00\x00")
    wait_until(
        lambda: 'data-state="failed"' in bench.get(f"{piece}/data").text, "the second to be refused"
    )
    shown = bench.get(f"{piece}/data").text
    assert "good.csv" in shown
    assert "was deleted when the workbench ended" not in shown
    assert "40 records" in shown
    assert "<td>30</td>" in bench.get(f"{piece}/data/rows").text


def test_what_cannot_be_read_can_be_read_otherwise(bench: Bench) -> None:
    """The user can name an encoding for a table that is unreadable without it."""
    piece = bench.begin()
    dropped(bench, piece, "umlauts.csv", "größe,sex\n1,f\n2,m\n".encode("cp1252"))
    wait_until(lambda: 'data-state="failed"' in bench.get(f"{piece}/data").text, "it to be refused")
    assert "Change how the file is read" in bench.get(f"{piece}/data").text
    bench.post(f"{piece}/data/reading", encoding="cp1252")
    wait_until(lambda: "2 records" in bench.get(f"{piece}/data").text, "it to be read")


def test_uploads_that_break_off_leave_nothing(bench: Bench) -> None:
    """A browser that is closed in the middle, at once and after a while."""
    piece = bench.begin()
    (cookie,) = (f"{key}={value}" for key, value in bench.cookies.items())
    head = (
        f"PUT {piece}/data/drop HTTP/1.1\r\nHost: 127.0.0.1:{bench.port}\r\n"
        f"Origin: {bench.address}\r\nCookie: {cookie}\r\nX-File-Name: visits.csv\r\n"
        f"Content-Length: {1 << 30}\r\n\r\n"
    ).encode()
    for size in (0, 1, 1 << 20):
        with socket.create_connection(("127.0.0.1", bench.port), timeout=PATIENCE) as line:
            line.sendall(head + b"a" * size)
            wait_until(lambda: copies(bench, piece), "the copy to begin")
        wait_until(lambda: not copies(bench, piece), "the copy to go")
    own = f"raw-*/{piece.rpartition('/')[2]}*"
    wait_until(lambda: not [*bench.state.glob(own)], "the folder of the copy to go")
    assert "Untitled" in bench.get(f"{piece}/data").text


def test_a_file_that_is_refused_is_not_kept(bench: Bench) -> None:
    """Nor one that no cookie or no page of ours came with."""
    piece = bench.begin()
    answer = dropped(bench, piece, "program.exe", TABLE)
    assert answer.status == 422
    assert "drop one of" in answer.text
    for headers in ({"Cookie": ""}, {"Origin": "http://rebound.example"}, {"Origin": None}):
        sent = {"X-File-Name": "visits.csv", **headers}
        assert bench.request("PUT", f"{piece}/data/drop", TABLE, sent).status == 403
    assert copies(bench, piece) == []


@pytest.mark.quick(1)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["ended", "killed"])
def test_copies_go_with_the_server_and_work_stays(tmp_path: Path, number: int) -> None:
    """The server may end in any way; the next server finds the work and requests the file again."""
    with served(tmp_path / "state", [tmp_path]) as first:
        piece = first.begin()
        dropped(first, piece, "visits.csv", TABLE)
        assert first.wait(piece, "scan")["state"] == "done"
        (raw,) = {one.parent.parent for one in copies(first)}
        first.end(number)
    wait_until(lambda: not raw.exists(), "the copies to go")
    with served(tmp_path / "state", [tmp_path]) as second:
        shown = second.get(f"{piece}/data").text
        assert "Drop the file again" in shown
        assert "visits.csv" in second.get("/").text
        dropped(second, piece, "visits.csv", TABLE)
        wait_until(lambda: "40 records" in second.get(f"{piece}/data").text, "it to be read")
