"""What a file says besides its cells does not leave, and a forger cannot put it back.

The canaries are in each place of a file that is not a cell of the table: titles, notes, authors,
other sheets, comments, formulas, labels of values that nobody or almost nobody has.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from commands import run
from openpyxl.comments import Comment
from program_files import LABELS, labeled, people, write

import roadstead as rs
from roadstead.policies.document import Policy
from roadstead.release.apply import released_batches
from roadstead.release.documents import fingerprint, json_text
from roadstead.tables.formats.arrow import ARROW
from roadstead.tables.formats.codebook import Codebook
from roadstead.tables.source import Source

CANARY = "Zebedee Quillfeather"
QUASI = ["sex", "age", "region"]
FORGED = "written by Roadstead"


def _workbook(path: Path) -> None:
    frame = labeled(people())
    frame.to_excel(path, index=False, sheet_name="Visits")
    book = openpyxl.load_workbook(path)
    book.properties.creator = book.properties.title = book.properties.description = CANARY
    sheet = book["Visits"]
    sheet["A2"].comment = Comment(CANARY, CANARY)
    sheet["A3"].hyperlink = f"mailto:{CANARY.replace(' ', '.')}@example.org"
    sheet.oddHeader.center.text = CANARY
    hidden = book.create_sheet("Notes")
    hidden["A1"] = CANARY
    hidden.sheet_state = "hidden"
    book.defined_names["who"] = openpyxl.workbook.defined_name.DefinedName(
        "who", attr_text=f'"{CANARY}"'
    )
    book.save(path)


def _package(path: Path) -> None:
    frame = people()
    frame["dose"] = frame["dose"].round()
    labels: dict[str, dict[Any, str]] = {name: dict(one) for name, one in LABELS.items()}
    labels["sex"][7] = CANARY
    settings: dict[str, Any] = {}
    if path.suffix == ".sav":
        settings = {"missing_ranges": {"region": [9]}, "note": CANARY}
    if path.suffix == ".dta":
        frame = frame.astype({"sex": int, "region": int, "age": int})
        frame = frame.drop(columns=[name for name in frame if len(name) > 32])
    writer = pyreadstat.write_sav if path.suffix == ".sav" else pyreadstat.write_dta
    writer(frame, str(path), file_label=CANARY, variable_value_labels=labels, **settings)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("name", "make"), [("v.xlsx", _workbook), ("v.sav", _package), ("v.dta", _package)]
)
def test_no_canary_is_in_a_release(name: str, make: Callable[[Path], None], tmp_path: Path) -> None:
    """No file of the folder has it, packed or not, nor does the terminal."""
    make(tmp_path / name)
    assert CANARY.encode() in _content(tmp_path / name)
    out = tmp_path / "out"
    ran = run(
        *("anonymize", str(tmp_path / name), "--quasi", ",".join(QUASI), "--k", "3"),
        *("--sensitive", "diagnosis", "--out", str(out)),
    )
    assert ran.code == 0, ran.error
    for path in out.iterdir():
        content = _content(path)
        for word in CANARY.split():
            assert word.encode() not in content, path.name
            assert word.encode("utf-16-le") not in content, path.name
    assert "Zebedee" not in ran.out + ran.err
    if name.endswith("xlsx"):
        assert "1 hidden sheet not read" in ran.err


def _content(path: Path) -> bytes:
    """Return the bytes of a file, and those of its parts if it is an archive."""
    if not zipfile.is_zipfile(path):
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        parts = [archive.read(name) for name in archive.namelist()]
        return b"\n".join(
            [archive.comment, *(name.encode() for name in archive.namelist()), *parts]
        )


def test_the_label_of_a_value_that_few_records_have_does_not_leave(tmp_path: Path) -> None:
    """The code takes its place; labels of frequent values stay."""
    frame = people()
    frame["ward"] = 1.0
    frame.loc[3, "ward"] = 2.0
    labels: dict[str, Any] = {**LABELS, "ward": {1: "Surgery", 2: "Room QX7731"}}
    pyreadstat.write_sav(frame, str(tmp_path / "v.sav"), variable_value_labels=labels)
    found = rs.anonymize(tmp_path / "v.sav", quasi=QUASI, unchanged=["ward"], k=3)
    found.write(tmp_path / "out")
    content = (tmp_path / "out" / "v.sav").read_bytes()
    assert b"QX7731" not in content
    said = "The release leaves out 1 label of ward, and shows the code instead"
    report = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "QX7731" not in report
    for text in (str(found), report, " ".join(found.to_dict()["noticed"])):
        assert said in text
    released, notes = pyreadstat.read_sav(str(tmp_path / "out" / "v.sav"))
    assert notes.variable_value_labels["ward"] == {1: "Surgery", 2: "2"}
    assert (released["ward"] == 2).sum() == 1
    assert rs.verify(tmp_path / "out").passed


def test_a_description_with_a_name_in_it_does_not_leave(tmp_path: Path) -> None:
    """Other descriptions do."""
    told: dict[str, str | None] = {"sex": "Sex of John Smith", "age": "Age in years"}
    pyreadstat.write_sav(people(), str(tmp_path / "v.sav"), column_labels=told)
    rs.anonymize(tmp_path / "v.sav", quasi=QUASI, k=3).write(tmp_path / "out")
    _, notes = pyreadstat.read_sav(str(tmp_path / "out" / "v.sav"))
    assert notes.column_names_to_labels["sex"] is None
    assert notes.column_names_to_labels["age"] == "Age in years"


def _remembering(table: pa.Table) -> pa.RecordBatchReader:
    """Return the same cells; the memory of missing numbers holds the canary, as it can any bytes.

    The engine does not clear it: after other work, it holds addresses and values of that work.
    """
    columns = []
    for column in table.columns:
        whole = column.combine_chunks()
        if not pa.types.is_int64(whole.type):
            columns.append(whole)
            continue
        filled = np.array(whole.fill_null(np.frombuffer(CANARY[:8].encode(), dtype="<i8")[0]))
        present = np.packbits(np.array(whole.is_valid()), bitorder="little")
        parts = [pa.py_buffer(present.tobytes()), pa.py_buffer(filled.tobytes())]
        columns.append(pa.Array.from_buffers(whole.type, len(whole), parts))
    return pa.table(columns, names=table.column_names).to_reader()


def _with_gaps() -> pa.Table:
    dose = [None if at % 3 == 0 else at * at % 7 for at in range(400)]
    return pa.table({"age": [at % 40 for at in range(400)], "dose": pa.array(dose, pa.int64())})


def test_the_memory_of_a_missing_value_is_not_in_an_arrow_file(tmp_path: Path) -> None:
    """Fault class: an Arrow array has bytes for a missing value; so a file had any bytes there."""
    kept = _remembering(_with_gaps()).read_all()["dose"].chunk(0).buffers()[1]
    assert CANARY[:8].encode() in bytes(kept)
    ARROW.write(_with_gaps().to_reader(), tmp_path / "a.arrow", Codebook())
    ARROW.write(_remembering(_with_gaps()), tmp_path / "b.arrow", Codebook())
    assert (tmp_path / "a.arrow").read_bytes() == (tmp_path / "b.arrow").read_bytes()
    assert CANARY[:8].encode() not in (tmp_path / "b.arrow").read_bytes()


def test_the_memory_of_a_missing_value_is_not_in_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever writes the Arrow table of a result to a file writes this memory, too."""

    def batches(source: Source, policy: Policy, own: Any, mask: Any) -> pa.RecordBatchReader:  # noqa: ANN401 - passed on
        return _remembering(released_batches(source, policy, own, mask=mask).read_all())

    monkeypatch.setattr("roadstead.verbs.released.released_batches", batches)
    found = rs.anonymize(_with_gaps(), quasi=["age"], unchanged=["dose"], k=3).to_arrow()
    buffers = [part for chunk in found["dose"].chunks for part in chunk.buffers()]
    assert found["dose"].null_count == 134
    assert all(CANARY[:8].encode() not in bytes(part) for part in buffers if part is not None)


def _in_a_sheet(path: Path) -> None:
    book = openpyxl.load_workbook(path)
    book.create_sheet("Names")["A1"] = CANARY
    book.save(path)


def _in_a_comment(path: Path) -> None:
    book = openpyxl.load_workbook(path)
    book.active["A2"].comment = Comment(CANARY, CANARY)
    book.save(path)


def _in_the_archive(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("names.txt", CANARY)


def _in_the_comment_of_the_archive(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = CANARY.encode()


def _at_the_end(path: Path) -> None:
    path.write_bytes(path.read_bytes() + CANARY.encode())


def _as_a_note(path: Path) -> None:
    frame, notes = pyreadstat.read_sav(
        str(path), user_missing=True, disable_datetime_conversion=True
    )
    pyreadstat.write_sav(
        frame, str(path), note=CANARY, variable_value_labels=notes.variable_value_labels
    )


def _as_a_label(path: Path) -> None:
    frame, notes = pyreadstat.read_sav(
        str(path), user_missing=True, disable_datetime_conversion=True
    )
    labels = {name: {**one, 99: CANARY} for name, one in notes.variable_value_labels.items()}
    pyreadstat.write_sav(frame, str(path), variable_value_labels=labels)


def _in_the_header(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[109 : 109 + len(CANARY)] = CANARY.encode()
    path.write_bytes(content)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("name", "forge"),
    [
        ("v.xlsx", _in_a_sheet),
        ("v.xlsx", _in_a_comment),
        ("v.xlsx", _in_the_archive),
        ("v.xlsx", _in_the_comment_of_the_archive),
        ("v.ods", _in_the_archive),
        ("v.sav", _as_a_note),
        ("v.sav", _as_a_label),
        ("v.sav", _in_the_header),
        ("v.sav", _at_the_end),
        ("v.feather", _at_the_end),
        ("v.jsonl", lambda path: path.write_text(path.read_text("utf-8").replace(": ", ":  ", 1))),
    ],
)
def test_a_forged_file_does_not_pass(
    name: str, forge: Callable[[Path], Any], tmp_path: Path
) -> None:
    """The forger writes the fingerprint of the forged file into the certificate."""
    write(people(), tmp_path / name)
    out = tmp_path / "out"
    rs.anonymize(tmp_path / name, quasi=QUASI, sensitive=["diagnosis"], k=3).write(out)
    assert rs.verify(out).passed
    forge(out / name)
    certificate = json.loads((out / "certificate.json").read_text("utf-8"))
    certificate["table"] = vars(fingerprint(out / name))
    (out / "certificate.json").write_text(json_text(certificate), encoding="utf-8")
    found = rs.verify(out)
    assert not found.passed


def test_a_release_of_another_version_of_the_library_says_what_to_install(tmp_path: Path) -> None:
    """Its bytes may differ, so they cannot be compared."""
    write(people(), tmp_path / "v.xlsx")
    out = tmp_path / "out"
    rs.anonymize(tmp_path / "v.xlsx", quasi=QUASI, k=3).write(out)
    frame = pd.read_excel(out / "v.xlsx", dtype=str, keep_default_na=False, engine="openpyxl")
    frame.to_excel(out / "v.xlsx", index=False)
    certificate = json.loads((out / "certificate.json").read_text("utf-8"))
    certificate["table"] = vars(fingerprint(out / "v.xlsx"))
    certificate["format"]["writer"] = "XlsxWriter 0.1"
    (out / "certificate.json").write_text(json_text(certificate), encoding="utf-8")
    ran = run("verify", str(out))
    assert ran.code == 1
    assert (
        "XlsxWriter 0.1 wrote this file, so its bytes cannot be compared with the bytes that "
        "XlsxWriter" in ran.out
    )
