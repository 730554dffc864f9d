"""A candidate below the declared requirements needs a typed reason on the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from workbench import Bench, served

import roadstead as rs
from roadstead.errors import RoleError, SettingError
from roadstead.web.pages import rendered
from roadstead.web.sessions.candidate_requests import Tried, choose, try_out
from roadstead.web.sessions.choices import Choices, choices_of
from roadstead.web.sessions.declared_promise import certificate_in, declared_of
from roadstead.web.sessions.prepared import Prepared
from roadstead.web.sessions.session import Sessions, WorkSession
from roadstead.web.steps.columns.roles import column_row, decide
from roadstead.web.steps.explore.drawn import chart, points
from roadstead.web.work.child import _error_of

PROJECT = """data = {data}

[roles]
quasi = ["age", "sex"]
sensitive = ["charges"]

[privacy]
k = 5
"""
REASON = "Agreed <i>by</i> the steering board"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench, and a table in the folder that it may use."""
    folder = tmp_path_factory.mktemp("promise")
    (folder / "allowed").mkdir()
    rows = [f"{20 + i * 7 % 60},{'fm'[i % 2]},{100 + i * 37}.5" for i in range(100)]
    (folder / "allowed" / "patients.csv").write_text("\n".join(["age,sex,charges", *rows, ""]))
    with served(folder / "state", [folder / "allowed"]) as bench:
        yield bench


def test_masked_records_are_a_group_of_a_prepared_release(tmp_path: Path) -> None:
    """Fault class: with eight masked records, 10-anonymity counted as met; the page hid the 12.5%.

    The candidate has another k than the step Columns.
    """
    table = pa.table({"area": [*["N"] * 49, *["S"] * 49, *(f"X{at}" for at in range(8))]})
    found = rs.anonymize(table, quasi=["area"], k=5, max_level={"area": 0}, suppression=0.1)
    assert found.write(tmp_path / "out").passed
    choices = Choices("Patients", None, (), {}, frozenset(), {"privacy": {"k": 10}})
    certificate = certificate_in(tmp_path / "out")
    tried = Tried("one", "One")
    own = Prepared(tried, tmp_path / "out", certificate, choices, current=True, said={})
    assert own.missing == ("10-anonymity",)
    assert [one["k"] for one in declared_of(choices).not_kept_by(tmp_path / "out")] == [10]
    shown = rendered(
        "prepared.html", prepared=own, choices=choices, base="", places=[], suggested="", current=0
    )
    assert "(12.5% for each of the 8 records with *)" in shown


def test_a_release_below_the_promise_is_chosen_with_a_reason_alone(bench: Bench) -> None:
    """The server refuses it, whatever the form says; certificate and report keep the reason."""
    piece = bench.begin()
    table = bench.state.parent / "allowed" / "patients.csv"
    bench.open(piece, str(table))
    bench.choose(piece, PROJECT.format(data=json.dumps(str(table))))
    session = WorkSession(piece.rpartition("/")[2], bench.folder(piece))
    tried = bench.post(f"{piece}/explore/try", kind="global", k="2")
    assert tried.status == 303
    bench.wait(piece, "trial")
    (name,) = (one["name"] for one in session.facts("tried")["all"])
    address = f"{piece}/explore/candidates/{name}/choose"
    page = bench.get(f"{piece}/explore").text
    assert "Does not meet your privacy requirements: 5-anonymity" in page
    assert "Choose anyway" in page
    for reason in ("", "yes", "ok ok ok", "\u202eno such reason here", "long words " * 40):
        assert bench.post(address, reason=reason).status == 422
        assert "below_promise" not in certificate_of(session, name)
    assert "k = 5" in bench.get(f"{piece}/chosen").text

    # A choice from outside the page, such as from a former version, is not written either.
    choose(session, name)
    out = bench.state.parent / "allowed" / "released"
    refused = bench.post(f"{piece}/release/write", out=str(out))
    assert refused.status == 422
    assert "does not meet your privacy requirements (5-anonymity)" in refused.text
    assert not out.exists()

    assert bench.post(address, reason=REASON).status == 303
    below = certificate_of(session, name)["below_promise"]
    assert below == {"declared": [{"kind": "k-anonymity", "k": 5}], "reason": REASON}
    header = bench.get(f"{piece}/chosen").text
    assert "2-anonymity of age, sex. However, 5-anonymity was declared and is not met" in header
    assert "k = 5" not in header
    assert bench.post(f"{piece}/release/write", out=str(out)).status == 303
    assert bench.wait(piece, "write")["state"] == "done"
    page = bench.get(f"{piece}/release").text
    assert "Written and verified" not in page
    assert "but 5-anonymity was declared and is not met" in page
    assert 'class="promised"' not in page
    assert "Agreed &lt;i&gt;by&lt;/i&gt; the steering board" in (out / "report.html").read_text()


def certificate_of(session: WorkSession, name: str) -> dict[str, object]:
    """Read the certificate of a candidate."""
    found: dict[str, object] = json.loads(
        (session.releases / name / "certificate.json").read_text()
    )
    return found


@pytest.fixture
def session(tmp_path: Path) -> WorkSession:
    """A piece of work whose table has a column that looks like an identifier."""
    own = Sessions(tmp_path).new("Untitled")
    own.project.write_text('data = "t.csv"\n[roles]\nquasi = ["age"]\n[privacy]\nk = 5\n')
    finding = {"number": 6, "why": "by its name", "remedy": "remove", "called": True, "share": None}
    own.find(
        "scan",
        {
            "columns": [{"name": name} for name in ("age", "email", "ward")],
            "safe_harbor": [{"column": "email", **finding}],
        },
    )
    return own


def test_a_column_that_looks_like_an_identifier_needs_a_reason(session: WorkSession) -> None:
    """It is kept in the project file, and goes when the column gets another role."""
    for reason in ("", "because", "a b c"):
        with pytest.raises(SettingError, match="reason"):
            decide(session, "email", "release_anyway", reason)
    assert "email" not in choices_of(session).roles
    decide(session, "email", "release_anyway", REASON)
    assert choices_of(session).reasons == {"email": REASON}
    assert choices_of(session).roles["email"] == "release_anyway"
    decide(session, "email", "identifiers")
    assert choices_of(session).reasons == {}
    assert "reasons" not in session.project.read_text()


def test_an_identifying_quasi_identifier_is_released_with_a_reason(session: WorkSession) -> None:
    """It stays a quasi-identifier; another role, or the same without a reason, withdraws this."""
    decide(session, "email", "quasi", REASON)
    found = choices_of(session)
    assert (found.roles["email"], set(found.forced)) == ("quasi", {"email"})
    assert found.reasons == {"email": REASON}
    decide(session, "email", "quasi")
    assert not choices_of(session).forced
    with pytest.raises(SettingError, match="reason"):
        decide(session, "email", "quasi", "", refused=["names"])


def test_a_refusal_uses_the_words_of_the_page_and_offers_its_control(session: WorkSession) -> None:
    """Also if only a check of the values objects to the column."""
    scan = session.facts("scan")
    against = {"ward": [{"kind": "text", "why": "names in 9 values", "others": []}]}
    session.find("scan", {**scan, "objections": against})
    for name, number in (("email", 2), ("ward", 3)):
        with pytest.raises(RoleError, match="with the role “Not sensitive”, it is released, but"):
            decide(session, name, "unchanged")
        assert column_row(session, choices_of(session), number).looks_like is not None


def test_a_column_that_was_refused_at_work_needs_a_reason_too(session: WorkSession) -> None:
    """A job may find what the scan missed: then the column needs a decision as well."""
    error = RoleError("must not be released", where="column 'ward'")
    error.refused = {"ward": ["determines age"]}
    assert _error_of(error)["refused"] == {"ward": ["determines age"]}
    with pytest.raises(SettingError, match="reason"):
        decide(session, "ward", "release_anyway", "", refused=["determines age"])
    decide(session, "ward", "release_anyway", REASON, refused=["determines age"])
    assert choices_of(session).roles["ward"] == "release_anyway"
    assert choices_of(session).reasons == {"ward": REASON}


def test_points_that_keep_less_are_drawn_apart(session: WorkSession) -> None:
    """By the smallest group, for the k of now; a point of an older search counts as one alone."""
    frontier = {
        "points": [[0, 0.1, 0.9, [], True, 7], [1, 0.2, 0.5, [], True, 4], [2, 0.9, 0.1, [], True]],
        "original": [None, 1.0, 0.0, [], True, 1],
    }
    declared = declared_of(choices_of(session))
    assert declared.words == "5-anonymity"
    found = chart(frontier, (), declared)
    assert found is not None
    assert (len(found.frontier), len(found.below)) == (1, 2)
    assert "2 of these do not meet the declared requirements (crosses)" in found.description
    assert [one[-1] for one in points(frontier, (), declared)["points"]] == [True, False, False]
    with session.changed() as document:
        document["privacy"]["k"] = 4
    assert len(chart(frontier, (), declared_of(choices_of(session))).below) == 1  # type: ignore[union-attr] # as above
    with session.changed() as document:
        model = {"kind": "distinct-l-diversity", "column": "ward", "l": 2}
        document["privacy"]["models"] = [model]
    stricter = declared_of(choices_of(session))
    assert len(chart(frontier, (), stricter).below) == 3  # type: ignore[union-attr] # as above


def test_a_declared_k_of_people_says_so(session: WorkSession) -> None:
    """As the release does; a model that the user adds has its own name."""
    assert declared_of(choices_of(session)).words == "5-anonymity"
    with session.changed() as document:
        document["roles"]["person"] = "patient"
        model = {"kind": "distinct-l-diversity", "column": "ward", "l": 2}
        document["privacy"]["models"] = [model]
    declared = declared_of(choices_of(session))
    assert declared.words.startswith("5-anonymity of people and ")
    assert declared.missing(3, [model]) == ("5-anonymity of people",)


def test_a_candidate_remembers_where_its_release_is(session: WorkSession) -> None:
    """That of a frontier is in a folder of the frontier's."""
    assert try_out(session, "One", "frontier", {}).release_in(session).name == "release"


def test_the_number_of_known_rows_includes_the_row_with_the_facts(bench: Bench) -> None:
    """Only if the table has such rows, and only for the columns that are quasi-identifiers."""
    rows = [
        line
        for at in range(1, 61)
        for line in (f"{at},{'fm'[at % 2]},", f"{at},,2024-0{at % 8 + 1}-11", f"{at},,2024-03-04")
    ]
    table = bench.state.parent / "allowed" / "instruments.csv"
    table.write_text("\n".join(["record_id,sex,visit_date", *rows, ""]))
    piece = bench.begin()
    bench.open(piece, str(table))
    card = bench.get(f"{piece}/columns/promise").text
    assert "an attacker who knows sex, and visit_date in two other rows, knows three rows" in card
    assert "use “Rows per person that an attacker may know”: 3 to protect" in card
    choice = '[roles]\nperson = "record_id"\nquasi = ["sex"]\nunchanged = ["visit_date"]\n'
    bench.choose(piece, f"data = {json.dumps(str(table))}\n{choice}")
    assert "knows three rows" not in bench.get(f"{piece}/columns/promise").text
