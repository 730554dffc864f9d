"""No answer, no file of a session, and no terminal output has a covered cell.

Every cell of a direct identifier or an undecided column is a unique word, so that a leaked one can
be recognized anywhere.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

import pytest
from crawling import crawled, named_in
from patience import wait_until
from workbench import Bench, served

RECORDS = 60
HEADER = "full name,note,ssn,age,sex,city,person,illness"
PROJECT_TEMPLATE = """data = {data}
[roles]
quasi = ["age", "sex", "city"]
identifiers = ["full name", "ssn"]
sensitive = ["illness"]
{person}
[privacy]
k = 3
suppression = 0.5
"""
RUNNING = 'data-state="running"'
_CANARY = re.compile(r"zq[a-z]{3}\d{4}|9\d\d-7[0-9]-8\d{3}", re.IGNORECASE)


def table() -> str:
    """Write a table of people whose names, notes, numbers and keys are canaries."""
    rows = [HEADER]
    for i in range(RECORDS):
        name, note, key = f"Zqnam{i:04} Zqfam{i:04}", f"zqnot{i:04}", f"zqkey{i // 2:04}"
        number = f"9{i:02}-7{i % 10}-8{i:03}"
        quasi = f"{30 + i % 4},{'fm'[i % 2]},city{i % 3}"
        rows.append(f"{name},{note},{number},{quasi},{key},illness{i % 5}")
    return "\n".join(rows) + "\n"


def canaries(text: str) -> list[str]:
    """Find canaries in a text, however it is escaped."""
    return _CANARY.findall("\n".join((text, html.unescape(text), unquote(text))))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench whose words on the terminal are read at the end."""
    folder = tmp_path_factory.mktemp("never")
    (folder / "people.csv").write_text(table())
    with served(folder / "state", [folder]) as started:
        yield started
        started.end()
        assert started.process.stderr is not None
        assert canaries(started.process.stderr.read()) == []


def test_the_witness_sees_a_canary() -> None:
    """In every cell that it is about, also where it is escaped."""
    for row in table().splitlines()[1:]:
        assert len(canaries(row)) >= 5, row
    assert canaries("&#122;qnot0001")
    assert canaries("a%7Aqnot0001b")


def nothing_shown(bench: Bench, piece: str, least: int) -> None:
    """Get everything that can be got, look through all that is kept."""
    found = dict(crawled(bench, piece))
    shown = {address: answer.status for address, answer in found.items() if answer.status == 200}
    assert len(shown) >= least, shown
    for address, answer in found.items():
        assert answer.status < 500, (address, answer.text)
        assert canaries(answer.text) == [], address
        assert canaries(str(answer.headers)) == [], address
        if "html" in (answer.headers["content-type"] or ""):
            page = named_in(answer.text)
            assert len(page.ids) == len(set(page.ids)), address
            assert not page.scripts, address
            assert not page.inline, (address, page.inline)
    for file in bench.folder(piece).rglob("*"):
        if file.is_file():
            assert canaries(file.read_text("utf-8", "replace")) == [], file


def test_nothing_is_shown_of_a_table_that_was_looked_at(bench: Bench) -> None:
    """With the roles that are proposed, of which some are open."""
    piece = bench.begin()
    bench.open(piece, "people.csv")
    assert "undecided" in (bench.folder(piece) / "project.toml").read_text()
    nothing_shown(bench, piece, 5)


@pytest.mark.quick(1)
@pytest.mark.parametrize("person", ["", 'person = "person"'], ids=["records", "persons"])
def test_nothing_is_shown_of_a_table_with_roles(bench: Bench, person: str) -> None:
    """Whatever was worked out of it; a column that looks like an identifier counts as one."""
    piece = bench.begin()
    bench.open(piece, "people.csv")
    data = f'"{bench.state.parent / "people.csv"}"'
    rest = ("" if person else 'unchanged = ["person"]\n') + 'undecided = ["note"]'
    bench.choose(piece, PROJECT_TEMPLATE.format(data=data, person=f"{person}\n{rest}"))
    bench.post(f"{piece}/risk", threshold="0.2")
    bench.wait(piece, "risk")
    nothing_shown(bench, piece, 6)


def test_a_column_that_comes_later_is_not_shown(bench: Bench) -> None:
    """Requests for rows name the visible columns, because a file may change."""
    own = bench.state.parent / "changing.csv"
    own.write_text("age,sex\n" + "30,f\n" * 40)
    piece = bench.begin()
    bench.open(piece, "changing.csv")
    own.write_text("age,sex,note\n" + "30,f,zqnot0001\n" * 40)
    answer = bench.get(f"{piece}/data/rows")
    assert canaries(answer.text) == []
    assert answer.status in (200, 422)


BROKEN = {
    "ragged": table().replace("zqnot0007", "zqnot0007,zqnot0008"),
    "quoted": table().replace("zqnot0009", '"zqnot0009'),
    "bytes": table() + "zqnot0001\x00zqnot0002,\x80\xff,a,b,c,d,e,f\n",
    "twice": HEADER.replace("note", "age") + "\n" + "\n".join(table().splitlines()[1:]),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_no_refusal_has_a_cell(bench: Bench, fault: str) -> None:
    """In an unreadable table, no column has been decided."""
    (bench.state.parent / "broken.csv").write_text(BROKEN[fault], encoding="latin-1")
    piece = bench.begin()
    answer = bench.post(f"{piece}/data/open", kind="path", value="broken.csv")
    assert canaries(answer.text) == []
    record = bench.wait(piece, "scan")
    assert canaries(str(record["error"])) == []
    nothing_shown(bench, piece, 3)


FORMS = (
    ("/risk", {"threshold": "zq"}),
    ("/risk", {"threshold": "0.2", "population": "people.csv"}),
    ("/data/reading", {"encoding": "utf-16"}),
    ("/data/reading", {"delimiter": ";"}),
    ("/data/reading", {"header": "no"}),
    ("/data/reading", {"missing": "?, zq"}),
)


def test_no_refusal_of_a_form_has_a_cell(bench: Bench) -> None:
    """Nor what comes of a table that is read in another way."""
    piece = bench.begin()
    bench.open(piece, "people.csv")
    data = f'"{bench.state.parent / "people.csv"}"'
    bench.choose(piece, PROJECT_TEMPLATE.format(data=data, person='person = "person"'))
    for path, form in FORMS:
        answer = bench.post(f"{piece}{path}", **form)
        assert canaries(answer.text) == []
        step = f"{piece}{path.removesuffix('/reading')}"

        def ended(at: str = step) -> bool:
            return RUNNING not in bench.get(at).text

        wait_until(ended, "the work to end")
    nothing_shown(bench, piece, 3)
