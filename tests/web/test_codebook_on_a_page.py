"""A codebook on the page: dropped next to a table, with labels in hierarchies, to a release."""

from __future__ import annotations

import tomllib
from pathlib import Path

from workbench import Bench, served

import roadstead as rs
from roadstead.jobs import SILENT
from roadstead.web.sessions.candidate_requests import facts_of, tried_of
from roadstead.web.sessions.session import WorkSession
from roadstead.web.work.attacking import attack

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


def put(bench: Bench, address: str, path: Path) -> None:
    """Drop a file on the page."""
    headers = {"X-File-Name": path.name, "HX-Request": "true"}
    answer = bench.request("PUT", address, path.read_bytes(), headers)
    assert answer.location, answer.text


def ddi(path: Path) -> Path:
    """Write a DDI codebook with the places of three fields without blanks between them."""
    fields = (("V1", 1, 6, "Case"), ("V2", 7, 1, "Sex"), ("V3", 8, 2, "Respondent's current age"))
    variables = "".join(
        f'<var name="{name}"><location StartPos="{at}" width="{width}"/><labl>{label}</labl></var>'
        for name, at, width, label in fields
    )
    path.write_text(f"<codeBook><dataDscr>{variables}</dataDscr></codeBook>", "utf-8")
    return path


def test_a_dropped_ddi_codebook_is_the_layout_of_a_dropped_file(tmp_path: Path) -> None:
    """Only by clicks: the file, its codebook, and a release that can be attacked.

    Fault class: a file with fields of fixed width could be read only from a typed address.
    """
    data, codebook = tmp_path / "SURVEY.DAT", ddi(tmp_path / "survey.xml")
    rows = [f"{1000 + at:06}{at % 2 + 1}{20 + at % 3 * 10}" for at in range(120)]
    data.write_text("\n".join(rows), "utf-8")
    with served(tmp_path / "state", [tmp_path]) as bench:
        piece = bench.begin()
        assert ">SURVEY.DAT<" in bench.get(f"{piece}/data/browse").text
        put(bench, f"{piece}/data/drop", data)
        assert bench.wait(piece, "scan")["state"] == "failed"
        put(bench, f"{piece}/data/codebook", codebook)
        assert bench.wait(piece, "scan")["state"] == "done"
        assert "fixed width; 120 records, 3 columns" in bench.get(f"{piece}/data").text
        assert "<td>20</td>" in bench.get(f"{piece}/data/rows").text
        assert "Respondent&#39;s current age" in bench.get(f"{piece}/columns").text
        project = bench.folder(piece) / "project.toml"
        found = rs.anonymize(data, codebook=codebook, quasi=["V3"], identifiers=["V1", "V2"])
        found.write(tmp_path / "out")
        given = {"release": str(tmp_path / "out"), "certify": False}
        given |= {"project": str(project), "exported": str(project)}
        assert "piece" in attack(given, SILENT)


def test_widths_give_way_to_the_places_in_a_codebook(tmp_path: Path) -> None:
    """The suggested widths join fields, and one click uses the codebook instead."""
    data, codebook = tmp_path / "survey.dat", ddi(tmp_path / "survey.xml")
    rows = [f"{at % 9 + 1:4}  {at % 2 + 1}{20 + at % 60}" for at in range(120)]
    data.write_text("\n".join(rows), "utf-8")
    with served(tmp_path / "state", [tmp_path]) as bench:
        piece = bench.begin()
        put(bench, f"{piece}/data/drop", data)
        assert bench.wait(piece, "scan")["state"] == "failed"
        assert "2 fields of fixed width" in bench.get(f"{piece}/data").text
        bench.post(f"{piece}/data/suggestion", key="widths", value="6,3")
        assert bench.wait(piece, "scan")["state"] == "done"
        assert "2 fields between blanks" in bench.get(f"{piece}/data").text
        put(bench, f"{piece}/data/codebook", codebook)
        assert bench.wait(piece, "scan")["state"] == "failed"
        shown = bench.get(f"{piece}/data").text
        assert "leave out the widths of the fields" in shown
        assert "use the codebook of" not in shown
        assert "<button>Read the fields at the places in the codebook</button>" in shown
        bench.post(f"{piece}/data/suggestion", key="layout", value="widths", refused="yes")
        assert bench.wait(piece, "scan")["state"] == "done"
        assert "120 records, 3 columns" in bench.get(f"{piece}/data").text


def test_a_dropped_codebook_joins_dropped_households_and_people(tmp_path: Path) -> None:
    """Fault class: a hierarchical extract could be read only from a typed address."""
    fields = "".join(
        f'<var name="{name}" rectype="{kinds}"><location StartPos="{at}" width="2"/></var>'
        for at, (name, kinds) in enumerate(
            (("RECTYPE", "H P"), ("SERIAL", "H P"), ("STATE", "H"), ("AGE", "P")), 1
        )
    )
    types = '<recGrp recidvar="RECTYPE" rectype="H"/>'
    types += '<recGrp keyvar="SERIAL" recidvar="RECTYPE" rectype="P"/>'
    codebook, data = tmp_path / "cps.xml", tmp_path / "cps.csv"
    codebook.write_text(
        f"<codeBook><fileDscr>{types}</fileDscr><dataDscr>{fields}</dataDscr></codeBook>", "utf-8"
    )
    rows = [f"H,{at},{at % 3},\nP,{at},,{20 + at % 4}\nP,{at},,30" for at in range(60)]
    data.write_text("\n".join(["RECTYPE,SERIAL,STATE,AGE", *rows]), "utf-8")
    with served(tmp_path / "state", [tmp_path]) as bench:
        piece = bench.begin()
        put(bench, f"{piece}/data/drop", data)
        assert bench.wait(piece, "scan")["state"] == "failed"
        assert "name the DDI codebook of the file" in bench.get(f"{piece}/data").text
        put(bench, f"{piece}/data/codebook", codebook)
        assert bench.wait(piece, "scan")["state"] == "done"
        shown = bench.get(f"{piece}/data").text
        assert "records joined to 60" in shown
        assert "120 records, 3 columns" in shown
        assert "<td>0</td><td>30</td>" in bench.get(f"{piece}/data/rows").text
