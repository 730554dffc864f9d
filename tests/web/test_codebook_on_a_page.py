"""A codebook on the page: dropped next to a table, with labels in hierarchies, to a release."""

from __future__ import annotations

import tomllib
from pathlib import Path

from workbench import served

from roadstead.web.sessions.candidate_requests import facts_of, tried_of
from roadstead.web.sessions.session import WorkSession

DICTIONARY = """\
Variable / Field Name,Form Name,Field Type,Field Label,\
"Choices, Calculations, OR Slider Labels",Identifier?
record_id,enrolment,text,Record ID,,
contact,enrolment,text,Contact,,y
q4,enrolment,dropdown,Highest education,"1, Gymnasium | 2, Lehre",
"""


def test_a_dropped_dictionary_gives_roles_and_labels(tmp_path: Path) -> None:
    """The roles of the dictionary are used, its labels are shown, and the copy is private."""
    rows = [f"{at // 2},x{at % 70},{at % 2 + 1}" for at in range(140)]
    (tmp_path / "export.csv").write_text("\n".join(["record_id,contact,q4", *rows]))
    with served(tmp_path / "state", [tmp_path]) as bench:
        piece = bench.begin()
        bench.open(piece, str(tmp_path / "export.csv"))
        headers = {"X-File-Name": "dictionary.csv", "HX-Request": "true"}
        bench.request("PUT", f"{piece}/data/codebook", DICTIONARY.encode(), headers)
        assert bench.wait(piece, "scan")["state"] == "done"
        shown = bench.get(f"{piece}/data").text
        assert "dictionary.csv: REDCap data dictionary." in shown
        assert "Gymnasium" in bench.get(f"{piece}/data/rows").text
        project = tomllib.loads((bench.folder(piece) / "project.toml").read_text())
        assert project["roles"]["person"] == "record_id"
        assert project["roles"]["identifiers"] == ["contact"]
        assert project["roles"]["quasi"] == ["q4"]
        copy = Path(project["reading"]["codebook"])
        assert copy.stat().st_mode & 0o077 == 0
        saved = bench.get(f"{piece}/columns/project/file").text
        assert "# Copy dictionary.csv into the folder of this file." in saved
        assert tomllib.loads(saved)["reading"]["codebook"] == "dictionary.csv"
        assert str(bench.state) not in saved
        levels = bench.post(f"{piece}/columns/3/levels", kind="flat")
        assert "Lehre" in levels.text
        bench.post(f"{piece}/explore/try", kind="global", k="5")
        assert bench.wait(piece, "trial")["state"] == "done"
        session = WorkSession(piece.rpartition("/")[2], bench.folder(piece))
        (tried,) = tried_of(session)
        (column,) = session.facts(facts_of(tried))["attributes"]
        labeled = {"1 = Gymnasium", "2 = Lehre"}
        assert {one["label"] for one in column["bands"]} == {*column["labels"]} == labeled
        other = bench.request("PUT", f"{piece}/data/codebook", b"x", {"X-File-Name": "a.exe"})
        assert "does not have the ending of a codebook" in other.text
        outside = bench.post(f"{piece}/data/reading", codebook="/etc/passwd")
        assert "outside" in outside.text or outside.status != 303
