"""A change can be undone, and candidates return when the choices are the same again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from workbench import Bench, served

from roadstead.errors import OutputError
from roadstead.web.sessions.candidate_requests import basis_of, try_out
from roadstead.web.sessions.choices import set_value
from roadstead.web.sessions.session import Sessions, WorkSession
from roadstead.web.steps.columns.roles import decide

_COLUMNS = ("age", "sex", "zip.code", "diagnosis")


@pytest.fixture
def session(tmp_path: Path) -> WorkSession:
    """A piece of work with decided columns."""
    own = Sessions(tmp_path).new("patients")
    own.find("scan", {"columns": [{"name": name} for name in _COLUMNS]})
    with own.changed() as document:
        set_value(document, "roles.quasi", ["age", "sex", "zip.code"])
        set_value(document, "roles.sensitive", ["diagnosis"])
        set_value(document, "levels.max", {"zip.code": 2})
        set_value(document, "hierarchies", {"sex": {"kind": "flat"}})
    return own


def test_a_role_that_is_changed_back_gives_the_same_choices(session: WorkSession) -> None:
    """The order of the columns, the hierarchy, and the limits come back with the role."""
    before, choices = basis_of(session), session.choices().unwrap()
    for name in ("age", "sex", "zip.code"):
        for role in ("sensitive", "identifiers", "quasi"):
            decide(session, name, role)
            assert (basis_of(session) == before) is (role == "quasi"), (name, role)
    for key in ("hierarchies", "levels"):
        assert session.choices().unwrap()[key] == choices[key]


def test_saving_the_defaults_changes_no_candidate(session: WorkSession) -> None:
    """The form of the privacy requirements writes what is the default anyway."""
    before = basis_of(session)
    with session.changed() as document:
        set_value(document, "privacy.suppressed", "mask")
        set_value(document, "privacy.suppression", 0.05)
    assert basis_of(session) == before
    with session.changed() as document:
        set_value(document, "privacy.suppression", 0.1)
    assert basis_of(session) != before


def test_changes_are_undone_one_by_one(session: WorkSession) -> None:
    """The last one first; a new change after that can be undone, too."""
    texts = [session.project.read_text()]
    for role in ("sensitive", "identifiers"):
        decide(session, "age", role)
        texts.append(session.project.read_text())
    assert session.undo()
    assert session.project.read_text() == texts[1]
    decide(session, "sex", "sensitive")
    assert session.undo()
    assert session.undo()
    assert session.project.read_text() == texts[0]
    assert not session.undo() or session.former() == []


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A workbench with a table."""
    rows = [f"{20 + i % 50},{'fm'[i % 2]},{i % 3}" for i in range(100)]
    (tmp_path / "patients.csv").write_text("\n".join(["age,sex,score", *rows, ""]))
    with served(tmp_path / "state", [tmp_path], folder=tmp_path) as started:
        yield started


def test_the_page_offers_to_undo_once_something_was_changed(bench: Bench) -> None:
    """In the frame of each step; another table begins without former choices."""
    piece = bench.begin()
    bench.open(piece, "patients.csv")
    assert "Undo the last change" not in bench.get(f"{piece}/columns").text
    before = (bench.folder(piece) / "project.toml").read_text()
    bench.post(f"{piece}/columns/1/role", role="unchanged")
    assert (bench.folder(piece) / "project.toml").read_text() != before
    assert "Undo the last change" in bench.get(f"{piece}/columns").text
    answer = bench.request("POST", f"{piece}/undo", b"", {"HX-Request": "true"})
    assert answer.headers["HX-Refresh"] == "true"
    assert (bench.folder(piece) / "project.toml").read_text() == before
    assert bench.post(f"{piece}/undo").status == 422


def test_a_list_that_cannot_be_read_is_not_written_anew(session: WorkSession) -> None:
    """Otherwise, the candidates in the list would be lost."""
    (session.folder / "facts" / "tried.json").mkdir()
    with pytest.raises(OutputError, match="cannot be read"):
        try_out(session, "k = 5", "anonymize", {"k": 5})
