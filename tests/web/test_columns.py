"""The step Columns by requests: one request per change, and each refusal in its place."""

from __future__ import annotations

import csv
import http.client
import re
import socket
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
import uvicorn
from commands import run
from patience import PATIENCE, wait_until

import roadstead as rs
from roadstead.hierarchies.declare import KINDS, build_declared
from roadstead.places import Places
from roadstead.requests.fields import options_of
from roadstead.requests.forms import TEXT
from roadstead.verbs.catalog import REQUESTS
from roadstead.web.application import application
from roadstead.web.bench import WorkbenchState
from roadstead.web.security.doors import Keys
from roadstead.web.sessions.choices import choices_of
from roadstead.web.sessions.raw import raw_copies
from roadstead.web.sessions.session import Sessions, WorkSession
from roadstead.web.steps.columns.hierarchy_forms import (
    declaration,
    filled_in,
    form_named,
    kind_of,
)
from roadstead.web.work.exporting import paths_in
from roadstead.web.work.jobs import Desk


class Answer(NamedTuple):
    """The answer of the server."""

    status_code: int
    text: str


class Client:
    """A browser that was let in, at a server in a thread of this process."""

    def __init__(self, port: int, cookie: str) -> None:
        self.port = port
        self.headers = {
            "cookie": cookie,
            "origin": f"http://127.0.0.1:{port}",
            "hx-request": "true",
            "hx-current-url": "/columns",
        }

    def ask(self, method: str, path: str, content: bytes | None = None, kind: str = "") -> Answer:
        """Send a request for a page, or for a change."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {**self.headers, **({"content-type": kind} if kind else {})}
        connection.request(method, path, content, headers)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8")
        connection.close()
        return Answer(answer.status, text)


class Page:
    """A session with a table, and a browser that was let in."""

    def __init__(self, client: Client, session: WorkSession) -> None:
        self.client, self.session = client, session
        self.base = session.address

    def get(self, path: str) -> str:
        """Get a page or a piece of one."""
        answer = self.client.ask("GET", f"{self.base}{path}")
        assert answer.status_code == 200, answer.text
        return answer.text

    def post(self, _path: str, _status: int = 200, /, **form: str) -> str:
        """Send a form."""
        answer = self.client.ask(
            "POST",
            f"{self.base}{_path}",
            urlencode(form).encode(),
            "application/x-www-form-urlencoded",
        )
        assert answer.status_code == _status, answer.text
        return answer.text

    def put(self, path: str, content: bytes, status: int = 200) -> str:
        """Drop a file."""
        answer = self.client.ask("PUT", f"{self.base}{path}", content)
        assert answer.status_code == status, answer.text
        return answer.text

    def number(self, name: str) -> int:
        """Give a column's number."""
        return [one["name"] for one in choices_of(self.session).columns].index(name) + 1

    def role(self, name: str, role: str, status: int = 200, **more: str) -> str:
        """Choose a role in the list."""
        return self.post(f"/columns/{self.number(name)}/role", status, role=role, **more)

    @property
    def project(self) -> dict[str, Any]:
        """The project file."""
        return tomllib.loads(self.session.project.read_text(encoding="utf-8"))


MakePage = Callable[[Sequence[str], Sequence[Sequence[object]]], Page]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, WorkbenchState]]:
    """Serve from memory, with a process that answers questions."""
    folder = tmp_path_factory.mktemp("workbench")
    allowed = folder / "allowed"
    allowed.mkdir()
    with raw_copies(folder / "state") as raw:
        bench = WorkbenchState(Sessions(folder / "state"), raw, Places.of((allowed,)), Desk())
        keys = Keys()
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            port = listening.getsockname()[1]
            made = application(bench, keys, port)
            server = uvicorn.Server(uvicorn.Config(made, log_level="critical", ws="none"))
            thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
            thread.start()
            wait_until(lambda: server.started, "the server")
            try:
                yield Client(port, f"roadstead-{port}={keys.secret}"), bench
            finally:
                server.should_exit = True
                thread.join()


@pytest.fixture(scope="module")
def make(opened: tuple[Client, WorkbenchState]) -> MakePage:
    """Make a session of rows."""
    client, bench = opened

    def made(names: Sequence[str], rows: Sequence[Sequence[object]]) -> Page:
        session = bench.sessions.new("table.csv")
        path = bench.places.allowed[0] / f"{session.name}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([names, *rows])
        proposal = rs.scan(str(path))
        session.find("scan", proposal.to_dict())
        session.project.write_text(proposal.to_toml(session.folder), encoding="utf-8")
        return Page(client, session)

    return made


def _people(many: int = 400) -> list[list[object]]:
    """Rows of visits: two of each person, an age over 89 that one has alone."""
    return [
        [
            f"P{at // 2:05d}",
            97 if at < 2 else 20 + at // 2 % 60,
            "FM"[at // 2 % 2],
            f"{2100 + at // 2 % 9:05d}",
            ["I10", "E11", "J45"][at % 3],
            f"user{at}@example.org",
            at % 7,
        ]
        for at in range(many)
    ]


_NAMES = ("patient_id", "age", "sex", "zip", "diagnosis", "email", "score")


@pytest.fixture
def page(make: MakePage) -> Page:
    """A table with people."""
    return make(_NAMES, _people())


@pytest.fixture(scope="module")
def first_page(make: MakePage) -> Page:
    """The same for tests that change nothing."""
    return make(_NAMES, _people())


def test_every_column_stands_in_the_list_with_its_reason(first_page: Page) -> None:
    """Undecided columns come first."""
    text = first_page.get("/columns")
    assert all(f">{name}</a>" in text for name in _NAMES)
    assert "What is score?" in text
    assert "Choose a role for 1 more column" in text
    assert "named like a person ID" in text


def test_a_decision_updates_what_was_chosen_and_the_way_onward(page: Page) -> None:
    """In one answer: the card, the column's cell, the choices so far, the steps."""
    text = page.role("score", "unchanged", asked="yes")
    assert page.project["roles"]["unchanged"] == ["score"]
    assert "Every column has a role" in text
    assert 'href="/piece' in text.partition('id="onward"')[2]
    assert f'id="cell-{page.number("score")}" hx-swap-oob="true"' in text
    assert 'id="chosen"' in text
    assert "score: Not sensitive." in text


def test_an_identifier_is_not_released_by_a_slip(page: Page) -> None:
    """The refusal is at the column, and nothing changes; a user who confirms can release it."""
    before = page.project
    text = page.role("email", "sensitive", 422)
    assert "HIPAA Safe Harbor requires its removal" in text
    assert 'aria-invalid="true"' in text
    assert page.project == before
    assert "the reason is missing" in page.role("email", "release_anyway", 422)
    assert page.project == before
    reason = "Agreed <i>in</i> writing with the board"
    text = page.role("email", "release_anyway", reason=reason)
    assert "The report and the certificate show a warning" in text
    assert "Agreed &lt;i&gt;in&lt;/i&gt; writing" in text
    assert page.project["roles"]["release_anyway"] == ["email"]
    assert page.project["roles"]["reasons"] == {"email": reason}
    assert "email" not in page.project["roles"]["identifiers"]
    assert "email" not in choices_of(page.session).open


def test_a_role_that_another_tab_gave_is_not_undone_unseen(page: Page) -> None:
    """The other tab still shows the former role; with the present role, the choice is saved."""
    page.role("score", "sensitive", was="undecided")
    text = page.role("score", "unchanged", 422, was="undecided")
    assert "another tab set the role of" in text
    assert "score" in page.project["roles"]["sensitive"]
    page.role("score", "unchanged", was="sensitive")
    assert "score" in page.project["roles"]["unchanged"]


@pytest.mark.quick(1)
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_a_column_keeps_its_role_if_it_is_also_released_anyway(page: Page, role: str) -> None:
    page.role("email", role, reason="Agreed with the board")
    roles = page.project["roles"]
    assert "email" in roles[role]
    assert roles["release_anyway"] == ["email"]
    assert roles["reasons"] == {"email": "Agreed with the board"}
    page.role("email", "identifiers")
    assert not page.project["roles"].get("release_anyway")
    assert "reasons" not in page.project["roles"]
    page.role("email", "sensitive", 422)


def test_a_second_person_takes_the_place_of_the_first(page: Page) -> None:
    """There is only one; the former column is undecided again, and both cells are sent."""
    text = page.role("email", "person")
    assert page.project["roles"]["person"] == "email"
    assert "patient_id was the person ID before" in text
    assert 'id="cell-1" hx-swap-oob="true"' in text
    assert "patient_id" in choices_of(page.session).open


def test_what_was_chosen_for_persons_goes_with_the_person(page: Page) -> None:
    """The command line would refuse it."""
    page.post("/columns/promise", k="3", suppression="5", knows="2", leave_out="", link="")
    assert page.project["persons"] == {"knows": "2"}
    page.role("patient_id", "identifiers")
    assert "persons" not in page.project


def test_all_that_is_undecided_can_be_left_out_and_asked_for_again(page: Page) -> None:
    """By one word of the project file."""
    text = page.post("/columns/undecided", all="yes")
    assert page.project["roles"]["undecided"] == "withhold"
    assert "1 column withheld" in text
    assert "/risk" in text
    assert "What is score?" in page.post("/columns/undecided", all="no")
    assert page.project["roles"]["undecided"] == ["score"]


def test_a_hierarchy_comes_back_with_the_role(page: Page) -> None:
    """Moving through the roles by keyboard keeps all entries of the user."""
    number = page.number("age")
    page.post(f"/columns/{number}/hierarchy", kind="intervals", widths="10, 40", top="90")
    kept = {"kind": "intervals", "widths": [10, 40], "top": 90}
    assert page.project["hierarchies"]["age"] == kept
    page.role("age", "identifiers")
    assert "age" not in page.project["hierarchies"]
    page.role("age", "quasi")
    assert page.project["hierarchies"]["age"] == kept


def test_a_released_column_is_treated_as_chosen(page: Page) -> None:
    """The project file has it; the form shows it; another role takes it away; mistakes are said."""
    page.role("score", "sensitive")
    number = page.number("score")
    assert "How the column is released" in page.get(f"/columns/{number}/editor")
    page.post(f"/columns/{number}/treatment", way="mean", number="4")
    kept = {"kind": "microaggregation", "within": "classes", "column": "score", "k": 4}
    assert page.project["treatments"] == [kept]
    text = page.get(f"/columns/{number}/editor")
    assert '<option value="mean" selected>' in text
    assert 'name="number" inputmode="decimal" value="4"' in text
    for way, typed, said in (
        ("mean", "2", "Smallest group size (k): this is not a possible group size; enter a whole"),
        (
            "interval",
            "3.5",
            "Smallest group size (k): this is not a possible group size; enter a whole",
        ),
        ("rounded", "", "Multiple to round to: is empty; enter a number, for example, 5"),
        ("rounded", "0", "Multiple to round to: this is not a number above zero; enter a number"),
    ):  # Fault class: words of the command line on the page
        text = page.post(f"/columns/{number}/treatment", 422, way=way, number=typed)
        assert said in text
        assert "=" not in text.partition("<p>")[2].partition("</p>")[0]
    page.post(f"/columns/{number}/treatment", way="rounded", number="2.5")
    assert page.project["treatments"] == [{"kind": "rounding", "column": "score", "base": 2.5}]
    page.role("score", "identifiers")
    assert "treatments" not in page.project
    page.post(f"/columns/{number}/treatment", 422, way="rounded", number="5")


def test_levels_say_what_each_leaves(first_page: Page) -> None:
    """Values, loss, and people whom the column alone puts into small groups."""
    text = first_page.post(
        f"/columns/{first_page.number('age')}/levels", kind="intervals", widths="20"
    )
    rows = re.findall(r'<td class="number">([^<]*)</td>', text)
    assert rows[:6] == ["61", "0%", "100%", "4", "24.7%", "0.5%"]
    assert "People in groups smaller than 5" in text


def test_a_rare_age_is_not_named(first_page: Page) -> None:
    """It looks like what Safe Harbor restricts, and one person has it."""
    text = first_page.post(
        f"/columns/{first_page.number('age')}/levels", kind="intervals", widths="20"
    )
    assert "97" not in re.sub(r"<[^>]*>", " ", text).split()
    assert "rare value" in text


def test_bars_of_ages_are_in_their_order(make: MakePage) -> None:
    """And not in the order of how many have them, or of their first signs."""
    page = make(("age", "note"), [[age, "x"] for age in (9, 100, 20, 20, 30) for _ in range(6)])
    page.role("age", "quasi")
    text = page.post(f"/columns/{page.number('age')}/levels", kind="flat")
    table = text.partition("Show the chart as a table")[2]
    assert re.findall(r'<th scope="row">(\d+)</th>', table) == ["9", "20", "30", "100"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "intervals", "widths": "ten"}, "&#39;ten&#39; is not a number"),
        ({"kind": "intervals", "widths": ""}, "Widths, one per level: is empty"),
        ({"kind": "intervals", "widths": "10, 15"}, "not a multiple"),
        ({"kind": "dates", "units": "year"}, "is not a date"),
        ({"kind": "file", "path": "/etc/passwd"}, "outside the allowed folders"),
        ({"kind": "nonsense"}, "is not a kind of hierarchy"),
        ({"kind": "intervals", "widths": "10", "most": "9"}, "levels 0 to 9"),
        ({"kind": "mapping", "groups": "All\n  20\nOther"}, "is not in a group"),
    ],
)
def test_what_is_wrong_with_a_declaration_is_said_at_the_form(
    first_page: Page, given: Mapping[str, str], said: str
) -> None:
    """And nothing is kept."""
    before = first_page.project
    assert said in first_page.post(f"/columns/{first_page.number('age')}/levels", **given)
    assert said in first_page.post(f"/columns/{first_page.number('age')}/hierarchy", 422, **given)
    assert first_page.project == before


def test_a_message_names_a_wrong_value_of_a_quasi_identifier_alone(make: MakePage) -> None:
    """On the page of the person who has the table, and never in a file of the work."""
    rows = [[f"{2100 + at % 5:05d}", at] for at in range(50)] + [["K1A 0B1-secret", 1]]
    page = make(("zip", "n"), rows)
    page.role("zip", "quasi")
    text = page.post(f"/columns/{page.number('zip')}/levels", kind="intervals", widths="10")
    assert "is not a number" in text
    assert "K1A 0B1-secret" in text
    folder = page.session.folder
    kept = [one for one in folder.rglob("*") if one.is_file() and one.suffix in (".json", ".toml")]
    assert kept
    assert all("secret" not in one.read_text("utf-8") for one in kept)


_AGES = [str(age) for age in range(20, 95)]
_DAYS = [f"{year}-{month:02d}-15" for year in (1925, 1988, 2001) for month in range(1, 13)]
_ZIPS = ["01201", "02139", "02141"]
_SETTINGS: tuple[tuple[Sequence[str], Mapping[str, Any]], ...] = (
    (_AGES, {"kind": "intervals", "widths": [5, 10]}),
    (_AGES, {"kind": "intervals", "widths": [5, 10], "top": 90, "bottom": 30, "origin": 2}),
    (_AGES, {"kind": "intervals", "widths": [5], "lowest": 0, "highest": 120, "form": "mixed"}),
    (_AGES, {"kind": "intervals", "widths": [5], "bands_only": True}),
    (
        _AGES,
        {
            "kind": "cuts",
            "cuts": [[30, 40.5, 60], [40.5]],
            "lowest": 0,
            "highest": 120,
            "form": "plain",
        },
    ),
    (_DAYS, {"kind": "dates"}),
    (_DAYS, {"kind": "dates", "units": ["month", "year"], "bottom": 1930}),
    (["15.03.88", "16.04.99"], {"kind": "dates", "form": "%d.%m.%y", "pivot": 1930}),
    (["44197", "44250"], {"kind": "dates", "serials": True}),
    (_ZIPS, {"kind": "prefix", "keep": [3, 1]}),
    (_ZIPS, {"kind": "prefix", "keep": [3, 1], "mask": ""}),
    (_ZIPS, {"kind": "prefix", "keep": [3, 1], "mask": " "}),
    (["10-19", "20-29"], {"kind": "ranges", "widths": [20, 40]}),
    (["10-14", "15-19"], {"kind": "ranges", "widths": [10], "spreadsheet_dates": True}),
    (["a", "b", " c"], {"kind": "ordered", "order": ["a", "b", " c"], "groups": [2]}),
    (["a", "b"], {"kind": "ordered", "order": ["a", "b"], "groups": []}),
    (["a", "b"], {"kind": "mapping", "groups": {"A": {"B": ["a"]}, "C": {"D": ["b"]}}}),
    (["a", "b"], {"kind": "mapping", "levels": {"a": ["x", "z"], "b": ["y;", "z"]}}),
    (["I21.4"], {"kind": "codes", "book": "icd10"}),
    (["1", "2"], {"kind": "concepts", "path": "concepts.csv", "code": "id", "groups": ["group"]}),
    (["1", "2"], {"kind": "file", "path": "levels.csv"}),
    (["1", "2"], {"kind": "file", "path": "levels.csv", "delimiter": "\t"}),
    (["a", "b"], {"kind": "flat"}),
)


@pytest.mark.parametrize(("values", "spec"), _SETTINGS, ids=lambda one: str(one)[:60])
def test_a_form_saved_without_changes_keeps_the_hierarchy(
    values: Sequence[str], spec: Mapping[str, Any], tmp_path: Path
) -> None:
    """The form shows the default of each key that the declaration omits."""
    tab = "\t" if "delimiter" in spec else ";"
    (tmp_path / "levels.csv").write_text(f"1{tab}a{tab}*\n2{tab}b{tab}*\n")
    (tmp_path / "concepts.csv").write_text("id,group\n1,x\n2,y\n")
    kind = kind_of(spec)
    filled = filled_in(spec)
    sent = {
        one.key: own
        if isinstance(own := filled.get(one.key, ""), list)
        else (["yes"] if own else [])
        if one.shape == "tick"
        else [own]
        for one in form_named(kind).fields
    }
    before, after = (
        build_declared("column", one, values, folder=tmp_path)
        for one in (spec, declaration(kind, sent))
    )
    assert after.values == before.values
    assert [(one.labels, one.rule, [*one.codes], [*one.leaves]) for one in after.levels] == [
        (one.labels, one.rule, [*one.codes], [*one.leaves]) for one in before.levels
    ]


def test_every_kind_of_levels_is_saved_without_changes() -> None:
    """The test above covers each kind and each of its keys."""
    for kind, declared in KINDS.items():
        keys = {key for _, spec in _SETTINGS if spec["kind"] == kind for key in spec}
        assert keys >= {*declared.model_fields} - {"delimiter"}


def test_numbers_in_a_csv_file_are_not_called_text(first_page: Page) -> None:
    """The file stores every column as text."""
    listed = first_page.get("/columns")
    assert re.search(r"numbers; about \d+ values", listed)
    assert "text; about" not in listed
    assert "Text; about" not in listed


def test_an_empty_form_is_not_refused_before_anything_is_entered(first_page: Page) -> None:
    """The page says what to fill in, with an example."""
    number = first_page.number("age")
    empty = first_page.get(f"/columns/{number}/editor?kind=cuts")
    assert "Fill in “Cuts, one line per level” to see the levels." in empty
    assert "such as 20, 40, 60 on the first line" in empty
    assert 'hx-trigger="input from:#hierarchy' in empty
    full = first_page.get(f"/columns/{number}/editor?kind=intervals")
    assert 'hx-trigger="load, input from:#hierarchy' in full


def test_a_limit_alone_does_not_change_the_suggested_levels(make: MakePage) -> None:
    """The mask of a ZIP code stays."""
    rows = [[code, "x"] for code in ("01201", "02139", "02141") for _ in range(6)]
    page = make(("zip", "note"), rows)
    page.role("zip", "quasi")
    number = page.number("zip")
    text = page.get(f"/columns/{number}/editor?kind=prefix")
    fields = dict(re.findall(r'<input id="h-\w+" name="(\w+)" value="([^"]*)"', text))
    assert fields["mask"] == "*"
    shown = page.post(f"/columns/{number}/levels", kind="prefix", level="1", **fields)
    assert "021**" in shown
    fields["most"] = "1"
    seen = re.search(r'name="seen" value="([^"]*)"', text)
    assert seen is not None
    page.post(f"/columns/{number}/hierarchy", kind="prefix", seen=seen[1], **fields)
    assert page.project["hierarchies"]["zip"]["mask"] == "*"


def test_no_value_of_an_undecided_or_identifying_column_is_shown(first_page: Page) -> None:
    """Neither its levels nor its values, whatever is asked."""
    for name in ("email", "patient_id", "score"):
        number = first_page.number(name)
        assert "This page does not show" in first_page.get(f"/columns/{number}/editor")
        text = first_page.post(f"/columns/{number}/levels", kind="flat")
        assert "this page does not show the values of this column" in text
        answer = first_page.client.ask("GET", f"{first_page.base}/columns/{number}/export")
        assert answer.status_code == 422
        assert "example.org" not in text + answer.text


def test_a_hierarchy_file_goes_in_and_out(page: Page) -> None:
    """In ARX's form."""
    number = page.number("sex")
    page.put(f"/columns/{number}/file", b"F;any;*\nM;any;*\n")
    assert page.project["hierarchies"]["sex"] == {
        "kind": "file",
        "path": f"hierarchies/{number}.csv",
    }
    assert page.get(f"/columns/{number}/export") == "F;any;*\nM;any;*\n"
    text = page.put(f"/columns/{number}/file", b"F;*\n", 422)
    assert "is not in the hierarchy" in text
    assert page.get(f"/columns/{number}/export") == "F;any;*\nM;any;*\n"


def test_hierarchy_files_of_a_folder_are_taken_by_their_names(page: Page) -> None:
    """One that does not fit is refused by name; the others are taken."""
    folder = Path(page.project["data"]).with_suffix("")
    folder.mkdir()
    (folder / "any_hierarchy_sex.csv").write_text("F;*\nM;*\n")
    (folder / "age.csv").write_text("20;*\n")
    text = page.post("/columns/hierarchies", folder=str(folder))
    assert "<strong>sex</strong>: loaded" in text
    assert "<strong>age</strong>: not loaded" in text
    assert "value &#39;21&#39; of &#39;age&#39; is not in the hierarchy" in text
    kept = page.project["hierarchies"]
    assert kept["sex"] == {"kind": "file", "path": str(folder / "any_hierarchy_sex.csv")}
    assert kept["age"]["kind"] == "intervals"
    assert "outside the allowed folders" in page.post("/columns/hierarchies", 422, folder="/etc")


def test_a_saved_project_file_carries_the_hierarchies_that_were_dropped(page: Page) -> None:
    """So that another piece of work can take it."""
    page.put(f"/columns/{page.number('sex')}/file", b"F;any;*\nM;any;*\n")
    saved = page.get("/columns/project/file")
    page.put("/columns/project/drop", saved.encode())
    assert page.project["hierarchies"]["sex"] == {
        "kind": "mapping",
        "levels": {"F": ["any", "*"], "M": ["any", "*"]},
    }


def test_another_piece_of_works_files_cannot_be_named(page: Page) -> None:
    """Neither by a path that climbs, nor in full."""
    for path in ("../x/project.toml", "hierarchies/../project.toml", str(page.session.project)):
        text = f'[hierarchies]\nage = {{kind = "file", path = "{path}"}}\n'
        page.put("/columns/project/drop", text.encode(), 422)
        given = {"kind": "file", "path": path}
        text = page.post(f"/columns/{page.number('age')}/levels", **given)
        assert re.search("outside the allowed folders|does not exist|no such file", text)


def test_the_promise_is_kept_as_the_command_line_has_it(page: Page) -> None:
    """A wrong number is refused next to the form, and changes nothing."""
    text = page.post("/columns/promise", 422, k="1", suppression="5")
    assert "at least 2" in text
    page.post("/columns/promise", k="4", suppression="12.5%", knows="all")
    assert page.project["privacy"] == {"k": 4, "suppression": 0.125}
    text = page.post("/columns/promise/model", kind="t-closeness", **_T)
    assert "must now also meet t-closeness" in text
    assert page.project["privacy"]["models"] == [
        {"kind": "t-closeness", "column": "diagnosis", "t": 0.3}
    ]
    assert "uses this column" in page.role("diagnosis", "unchanged", 422)
    page.post("/columns/promise/without", place="0")
    assert "models" not in page.project["privacy"]


_T = {"t-closeness.column": "diagnosis", "t-closeness.t": "0.3"}


def test_the_command_line_takes_what_the_page_wrote(page: Page, tmp_path: Path) -> None:
    """The file may be the downloaded one, in any folder, or the file of the session."""
    number = page.number("sex")
    page.put(f"/columns/{number}/file", b"F;any;*\nM;any;*\n")
    page.post(
        f"/columns/{page.number('age')}/hierarchy",
        kind="intervals",
        widths="20",
        least="1",
        weight="2",
    )
    page.role("score", "unchanged")
    page.post("/columns/promise", k="2", suppression="30")
    file = tmp_path / "saved.toml"
    file.write_text(page.get("/columns/project/file"), encoding="utf-8")
    releases = []
    for at, project in enumerate((file, page.session.project)):
        out = tmp_path / f"release{at}"
        done = run("anonymize", "--project", project, "--out", out)
        assert done.code == 0, done.err
        releases.append([one.read_bytes() for one in out.glob("*.csv")])
    assert releases[0] == releases[1] != []


def test_a_project_file_is_taken_if_it_fits_the_table(page: Page) -> None:
    """Patterns become names; the table stays."""
    data = page.project["data"]
    page.put(
        "/columns/project/drop",
        b'data = "/elsewhere.csv"\n[roles]\nquasi = ["age", "se*"]\nidentifiers = ["patient_id", '
        b'"email", "zip"]\nsensitive = ["diagnosis"]\nundecided = "withhold"\n[privacy]\nk = 9\n',
    )
    assert page.project["roles"]["quasi"] == ["age", "sex"]
    assert page.project["privacy"]["k"] == 9
    assert page.project["data"] == data
    said = page.get("/columns?loaded=yes")
    assert "loaded: columns by role: Quasi-identifier 2, Sensitive 1, Direct identifier 3" in said
    assert "; k = 9." in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"[roles\n", "cannot be read"),
        (b"\xff\xfe", "not UTF-8"),
        (b'[roles]\nquasi = ["height"]\n', "no such column"),
        (b'[roles]\nquasi = ["age"]\nsensitive = ["age"]\n', "is listed as"),
        (b"[privacy]\nkk = 5\n", "did you mean privacy.k"),
        (
            b'[hierarchies]\nage = {kind = "file", path = "/etc/passwd"}\n',
            "outside the allowed folders",
        ),
        (b'hierarchy_folder = "/etc"\n', "outside the allowed folders"),
        (b'[persons]\nkey = "/etc/shadow"\n', "outside the allowed folders"),
        (b'[hierarchies]\nage = {kind = "bands"}\n', "there is no kind"),
        (b'population = "duckdb:///etc/people.db?table=p"\n', "outside the allowed folders"),
        (b'population = "file:///etc/passwd"\n', "outside the allowed folders"),
        (b'[sets]\nd = {file = "/etc/passwd", key = "a"}\n', "outside the allowed folders"),
        (b'[sets]\nd = {file = "sqlite:///etc/p.db?table=t"}\n', "outside the allowed folders"),
        (b'[domains]\nage = {taxonomy = "/etc/passwd"}\n', "outside the allowed folders"),
        (b'[domains]\nage = {taxonomy = "/etc/passwd:a:b"}\n', "outside the allowed folders"),
        (b'[domains]\nage = {taxonomy = "passwd"}\n', "does not exist"),
    ],
)
def test_a_project_file_that_does_not_fit_is_refused(
    first_page: Page, text: bytes, said: str
) -> None:
    """With the reason, and nothing is changed."""
    before = first_page.session.project.read_bytes()
    refusal = first_page.put("/columns/project/drop", text, 422)
    assert said in refusal
    assert "candidate" not in refusal
    assert first_page.session.project.read_bytes() == before


def test_relative_paths_start_at_the_folder_of_the_loaded_file(page: Page) -> None:
    """Each path becomes a full path; the name of a code system stays."""
    folder = Path(page.project["data"]).parent / "study"
    folder.mkdir()
    for name in ("people.csv", "codes.csv", "groups"):
        (folder / name).write_text("name,code,chapter\n1,2,3\n")
    (folder / "mine.toml").write_text(
        'population = "people.csv"\n[privacy]\nmodels = [{kind = "k-map", k = 2}]\n'
        '[sets]\nd = {file = "codes.csv", key = "name"}\n[domains]\n'
        'age = {taxonomy = "codes.csv:code:chapter"}\nsex = {taxonomy = "groups"}\n'
        'zip = {taxonomy = "icd9"}\n'
    )
    page.post("/columns/project/take", path=str(folder / "mine.toml"))
    assert page.project["population"] == str(folder / "people.csv")
    assert page.project["sets"]["d"]["file"] == str(folder / "codes.csv")
    taxonomies = [one["taxonomy"] for one in page.project["domains"].values()]
    assert taxonomies == [f"{folder}/codes.csv:code:chapter", f"{folder}/groups", "icd9"]
    saved = tomllib.loads(page.get("/columns/project/file"))
    assert saved["domains"] == page.project["domains"]


def test_every_key_that_contains_a_path_is_known_to_the_page() -> None:
    """A new key with a path must be checked before the page reads the path."""
    project = {"data": "a", "population": "a", "hierarchy_folder": "a", "persons": {"key": "a"}}
    project |= {"sets": {"a": {"file": "a"}}, "domains": {"a": {"taxonomy": "a"}}}
    known = {"data", "population", "hierarchy_folder", "persons.key", "sets"}
    assert {key for _, key, _ in paths_in(project)} == {
        *(*known - {"persons.key", "sets"}, "key", "file", "taxonomy")
    }
    placed = {
        one.place
        for kind in REQUESTS
        for one in options_of(kind).values()
        if one.place is not None and one.form.located is not TEXT.located
    }
    ignored = {"out", "into", "reading.codebook", "reading.missing", "release.ledger"}
    assert placed == known | ignored


_HOSTILE = (
    'a"b',
    "<script>alert(1)</script>",
    "line\nbreak",
    "quote'",
    "{{7*7}}",
    "a&b",
    "back\\slash",
    "dot.ted",
    "[brackets]",
    "#hash = 1",
    "\u202eevil",
)


def test_hostile_names_and_values_stay_text(make: MakePage, tmp_path: Path) -> None:
    """On every page of the step, in the project file, and on the way to a release."""
    values = ("<img src=x onerror=alert(1)>", 'q"q', "line\ntwo", "; drop", "{{1+1}}")
    rows = [[values[(at + i) % 5] for i in range(len(_HOSTILE))] for at in range(60)]
    page = make(_HOSTILE, rows)
    for name in _HOSTILE:
        page.role(name, "quasi")
    text = page.get("/columns")
    for name in _HOSTILE:
        number = page.number(name)
        text += page.get(f"/columns/{number}")
        editor = page.get(f"/columns/{number}/editor?kind=mapping")
        tree = re.findall(r"<textarea[^>]*>\n?(.*?)</textarea>", editor, re.DOTALL)[0]
        given = {"kind": "mapping", "groups": unescape(tree)}
        text += editor + page.post(f"/columns/{number}/levels", **given)
        text += page.post(f"/columns/{number}/hierarchy", **given)
    assert not re.search(r"<script>alert|<img src=x|>\s*49\s*<|\u202e", text)
    spec = page.project["hierarchies"]
    assert all(sorted(spec[name]["groups"]["Other"]) == sorted(values) for name in _HOSTILE)
    file = tmp_path / "saved.toml"
    file.write_text(page.get("/columns/project/file"), encoding="utf-8")
    page.put("/columns/project/drop", file.read_bytes())
    assert page.project["hierarchies"] == spec


@pytest.mark.nightly
def test_a_table_of_two_hundred_columns_is_listed_without_asking_for_values(
    make: MakePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page uses the results of the scan."""
    page = make([f"col {at}" for at in range(200)], [[at] * 200 for at in range(8)])

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a question")

    monkeypatch.setattr(Desk, "answer", refuse)
    text = page.get("/columns")
    assert text.count("<tr data-name") == 200
    assert "data-filter" in text
    assert len(page.role("col 7", "unchanged")) < 20_000


def test_columns_that_are_shown_are_decided_on_together(make: MakePage) -> None:
    """Only undecided ones; what looks like an identifier stays, and the answer says why."""
    rows = [[at, at % 7, at % 5, at % 3] for at in range(40)]
    page = make(("age", "lab_1", "lab_2", "other"), rows)
    assert {"lab_1", "lab_2", "other"} <= set(choices_of(page.session).open)
    text = page.post("/columns/together", role="unchanged", columns="1 2 3")
    assert "2 columns: Not sensitive." in text
    roles = choices_of(page.session).roles
    assert (roles["age"], roles["lab_1"], roles["lab_2"]) == ("quasi", *["unchanged"] * 2)
    assert choices_of(page.session).open == ("other",)
    assert "What is other?" in text
    page.post("/columns/together", 422, role="unchanged", columns="1 2")
    page.post("/columns/together", 422, role="person", columns="4")


def test_persons_with_several_records_are_told_of_where_records_are_counted(page: Page) -> None:
    """On top of each step, at the decision and before a release is made."""
    warned = "although some people seem to have several records"
    assert warned not in page.get("/columns")
    assert warned in page.role("patient_id", "identifiers")
    assert "less protected than k suggests" in page.get("/columns")
    page.role("score", "unchanged")
    assert "less protected than k suggests" in page.get("/release")


def test_codes_take_the_levels_of_their_code_book(page: Page) -> None:
    """It is offered, kept, saved in ARX's format, and the saved file loads unchanged."""
    number = page.number("diagnosis")
    page.role("diagnosis", "quasi")
    assert "These values could be ICD-10-CM codes" in page.get(f"/columns/{number}/editor")
    assert 'value="icd10" selected' in page.get(f"/columns/{number}/editor?kind=codes")
    form = {"kind": "codes", "book": "icd10"}
    assert "as ICD-10-CM chapters" in page.post(f"/columns/{number}/levels", **form)
    page.post(f"/columns/{number}/hierarchy", **form)
    assert page.project["hierarchies"]["diagnosis"] == form
    saved = page.get(f"/columns/{number}/export")
    assert "I10;I10;I10 to I16 hypertensive diseases;I00 to I99 circulatory system;*" in saved
    page.put(f"/columns/{number}/file", saved.encode())
    assert page.project["hierarchies"]["diagnosis"]["kind"] == "file"
    assert page.get(f"/columns/{number}/export") == saved
