"""Records of households and of persons in one file become a table of persons."""

from __future__ import annotations

import csv
import gzip
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from commands import run

import roadstead as rs
from roadstead.errors import RoadsteadError, SettingError, SourceError
from roadstead.tables.reading import read

_TYPES = (
    '<recGrp keyvar="SERIAL" recidvar="RECTYPE" rectype="P"><labl>Person Record</labl></recGrp>'
    '<recGrp recidvar="RECTYPE" rectype="H"><labl>Household Record</labl></recGrp>'
)
_FIELDS = (
    ("RECTYPE", 1, 1, "H P"),
    ("YEAR", 2, 4, "H P"),
    ("SERIAL", 6, 3, "H P"),
    ("STATE", 9, 2, "H"),
    ("HWT", 11, 4, "H"),
    ("PERNUM", 9, 1, "P"),
    ("AGE", 10, 2, "P"),
    ("SEX", 12, 1, "P"),
)


def _codebook(types: str = _TYPES) -> str:
    variables = "".join(
        f'<var name="{name}" dcml="{2 if name == "HWT" else 0}" rectype="{kinds}">'
        f'<location StartPos="{start}" EndPos="{start + width - 1}" width="{width}"/></var>'
        for name, start, width, kinds in _FIELDS
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<codeBook xmlns="ddi:codebook:2_5"><fileDscr>'
        f'<fileTxt><fileStrc type="hierarchical">{types}</fileStrc></fileTxt></fileDscr>'
        f"<dataDscr>{variables}</dataDscr></codeBook>"
    )


def _records(households: int = 60) -> list[dict[str, str]]:
    """Return households with 0 to 2 persons. Two households in a row have the same serial."""
    made: list[dict[str, str]] = []
    for at in range(households):
        both = {"YEAR": "2024", "SERIAL": f"{at // 2:03}"}
        made.append({"RECTYPE": "H", **both, "STATE": f"{at % 3 + 10}", "HWT": f"{at * 7:04}"})
        for person in range(at % 3):
            age = f"{20 + (at * 3 + person) % 5:02}"
            own = {"PERNUM": str(person + 1), "AGE": age, "SEX": str(at % 2 + 1)}
            made.append({"RECTYPE": "P", **both, **own})
    return made


def _line(record: dict[str, str]) -> str:
    kind = "P" if record["RECTYPE"] == "P" else "H"
    return "".join(record.get(name, "") for name, *_, kinds in _FIELDS if kind in kinds)


def _expected() -> list[dict[str, str]]:
    rows, household = [], {}
    for record in _records():
        if record["RECTYPE"] == "H":
            household = record
        else:
            joined = {**household, **record}
            del joined["RECTYPE"]
            rows.append(joined)
    return rows


def _fixed(folder: Path, records: list[dict[str, str]] | None = None, types: str = _TYPES) -> Path:
    data = folder / "cps.dat"
    found = _records() if records is None else records
    data.write_text("\n".join(map(_line, found)) + "\n", "utf-8")
    (folder / "cps.xml").write_text(_codebook(types), "utf-8")
    return data


def _csv(folder: Path, records: list[dict[str, str]] | None = None) -> Path:
    _fixed(folder)
    data, names = folder / "cps.csv", [name for name, *_ in _FIELDS]
    rows = [
        ",".join(one.get(name, "") for name in names)
        for one in (_records() if records is None else records)
    ]
    data.write_text("\n".join([",".join(names), *rows]) + "\n", "utf-8")
    return data


def _rows(source: rs.Source) -> list[dict[str, str]]:
    with source:
        found: list[dict[str, str]] = source.table.to_pyarrow().to_pylist()
    return found


def test_persons_have_the_columns_of_their_households(tmp_path: Path) -> None:
    """Fault class: a hierarchical extract was refused, or a household was a person."""
    data = _fixed(tmp_path)
    wanted = [{**one, "HWT": f"{int(one['HWT']) / 100:.2f}"} for one in _expected()]
    assert _rows(read(f"{data}?layout=cps.xml")) == wanted
    ran = run("scan", data, "--codebook", tmp_path / "cps.xml", "--out", tmp_path / "p.toml")
    assert ran.code == 0, ran.err
    assert (
        "cps.dat: fixed width, 'P' records joined to 60 'H' records, 20 'H' without 'P', "
        "60 records, 7 columns" in ran.out
    )
    result = rs.anonymize(
        f"{data}?layout=cps.xml", quasi=["STATE", "AGE"], unchanged=["SEX"], k=3, suppression=0.5
    )
    result.write(tmp_path / "out")
    assert rs.verify(tmp_path / "out").passed


@pytest.mark.parametrize("given", ["codebook", "option", "gzip", "elsewhere"])
def test_a_csv_file_is_joined_in_the_same_way(given: str, tmp_path: Path) -> None:
    """Fault class: in a CSV file, each household was one more person with empty cells."""
    data: Path | str = _csv(tmp_path)
    if given == "gzip":
        zipped = tmp_path / "cps.csv.gz"
        zipped.write_bytes(gzip.compress((tmp_path / "cps.csv").read_bytes()))
        data = zipped
    place = tmp_path / "cps.xml"
    if given == "elsewhere":
        (tmp_path / "books").mkdir()
        place = place.rename(tmp_path / "books" / "cps.xml")
    source = (
        read(f"{data}?records=P") if given == "option" else rs.scan(data, codebook=place).source
    )
    assert "'P' records joined to 60 'H' records, 20 'H' without 'P'" in source.format.describe()
    assert _rows(source) == _expected()


def test_a_mixed_table_without_a_codebook_is_refused(tmp_path: Path) -> None:
    """Fault class: in a table of any kind, each household was one more person."""
    data = _csv(tmp_path)
    with pytest.raises(SourceError, match=r"households \(H\) and of people .*cps.csv\?records=P"):
        read(data)
    frame = pd.read_csv(data, dtype=str)
    frame.to_parquet(tmp_path / "cps.parquet")
    with closing(sqlite3.connect(tmp_path / "cps.sqlite")) as connection:
        frame.fillna("").to_sql("cps", connection, index=False)
    blank = frame.assign(RECTYPE=frame["RECTYPE"] + " ").fillna("  ")
    for other in (frame, blank, tmp_path / "cps.parquet", tmp_path / "cps.sqlite"):
        with pytest.raises(SourceError, match="'RECTYPE' shows; give each person the columns"):
            read(other)
    ran = run("scan", tmp_path / "cps.parquet", "--out", tmp_path / "p.toml")
    assert (ran.code, "households (H)" in ran.err) == (2, True)


def test_other_tables_with_a_type_of_record_are_read(tmp_path: Path) -> None:
    """Only the people of an extract, or types that have the same columns."""
    only = [one for one in _records() if one["RECTYPE"] == "P"]
    with read(_csv(tmp_path, only)) as source:
        assert "RECTYPE" in source.columns
    both = pd.DataFrame({"rectype": ["H", "P"] * 20, "ward": ["a", "b", "c", None] * 10})
    assert read(both).columns == ("rectype", "ward")


def test_the_households_can_be_the_records(tmp_path: Path) -> None:
    data = _fixed(tmp_path)
    found = rs.scan(f"{data}?records=H", codebook=tmp_path / "cps.xml").source
    assert found.columns == ("YEAR", "SERIAL", "STATE", "HWT")
    assert "60 records of other types left out" in found.format.describe()
    assert len(_rows(read(f"{_csv(tmp_path)}?records=H"))) == 60


def _without_household() -> list[dict[str, str]]:
    return [one for one in _records() if one["RECTYPE"] == "P"]


def _sorted_by_type() -> list[dict[str, str]]:
    return sorted(_records(), key=lambda one: one["RECTYPE"])


def _unknown_type() -> list[dict[str, str]]:
    return [*_records(), {**_records()[0], "RECTYPE": "X"}]


@pytest.mark.parametrize(
    ("records", "line", "says"),
    [
        (_without_household(), 1, "no 'H' record above"),
        (_sorted_by_type(), 61, "'SERIAL' differs from the 'H' record above"),
        (_unknown_type(), 121, "unknown type"),
    ],
    ids=["no household", "another order", "unknown type"],
)
def test_records_that_cannot_be_joined_are_refused(
    records: list[dict[str, str]], line: int, says: str, tmp_path: Path
) -> None:
    """The error shows a line, but no value."""
    data = _fixed(tmp_path, records)
    with pytest.raises(SourceError, match=says) as refused:
        read(f"{data}?layout=cps.xml")
    assert f"cps.dat, line {line}:" in refused.value.message
    assert "\n" not in refused.value.message


def test_another_order_of_a_csv_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"cps.csv, line 62: 'SERIAL' differs"):
        read(f"{_csv(tmp_path, _sorted_by_type())}?records=P")
    apart = [
        {key: text for key, text in one.items() if one["RECTYPE"] == "H" or key not in
         ("YEAR", "SERIAL")} for one in _records()
    ]  # fmt: skip
    with pytest.raises(SourceError, match="no column in common"):
        read(f"{_csv(tmp_path, apart)}?records=P")


@pytest.mark.parametrize(
    ("types", "options", "says"),
    [
        (_TYPES.replace("<recGrp recid", '<recGrp keyvar="S" recid'), "", "2 record types"),
        (_TYPES + '<recGrp keyvar="SERIAL" recidvar="RECTYPE" rectype="A"/>', "", "records=P"),
        (_TYPES, "&records=X", "no record type 'X'"),
        (_TYPES.replace("RECTYPE", "KIND"), "", "does not say which field"),
        ("", "&records=P", "only one type of records"),
    ],
    ids=["no top", "three types", "no such type", "no field", "one type"],
)
def test_an_unclear_type_of_records_is_refused(
    types: str, options: str, says: str, tmp_path: Path
) -> None:
    data = _fixed(tmp_path, types=types)
    with pytest.raises((SourceError, SettingError), match=says) as refused:
        read(f"{data}?layout=cps.xml{options}")
    assert isinstance(refused.value, RoadsteadError)
    assert "\n" not in refused.value.message


def test_a_codebook_elsewhere_is_the_layout_of_the_requested_records(tmp_path: Path) -> None:
    """Fault class: with the option records, such a file was read as a file with delimiters."""
    data = _fixed(tmp_path)
    (tmp_path / "books").mkdir()
    place = (tmp_path / "cps.xml").rename(tmp_path / "books" / "cps.xml")
    ran = run("scan", f"{data}?records=P", "--codebook", place, "--out", tmp_path / "p.toml")
    assert ran.code == 0, ran.err


def test_a_cell_that_is_too_long_is_refused_without_its_text(tmp_path: Path) -> None:
    """Fault class: the reader of CSV files raised an error without a place."""
    data = tmp_path / "cps.csv"
    data.write_text(f"RECTYPE,SERIAL,AGE\nH,1,\nP,1,{'4' * 140_000}\n", "utf-8")
    usual = csv.field_size_limit(100_000)  # of the process, which other tests share
    try:
        with pytest.raises(SourceError, match=r"cps\.csv, line 3: a cell has more than") as refused:
            read(f"{data}?records=P")
    finally:
        csv.field_size_limit(usual)
    assert "444" not in str(refused.value)


@pytest.mark.parametrize("elsewhere", [False, True], ids=["next to it", "elsewhere"])
def test_a_zipped_file_is_read_with_the_codebook(tmp_path: Path, *, elsewhere: bool) -> None:
    """Fault class: options of an archive were ignored, and its codebook was not the layout."""
    data, archive = _fixed(tmp_path), tmp_path / "cps.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.write(data, "cps.dat")
    data.unlink()
    place = tmp_path / "cps.xml"
    if elsewhere:
        (tmp_path / "books").mkdir()
        place = place.rename(tmp_path / "books" / "cps.xml")
    else:
        assert len(_rows(read(f"{archive}?layout=cps.xml"))) == 60
        assert len(_rows(read(f"{archive}?layout=cps.xml&records=P"))) == 60
    project = tmp_path / "p.toml"
    for table in (archive, f"{archive}?records=P"):
        ran = run("scan", table, "--codebook", place, "--out", project, "--force")
        assert ran.code == 0, ran.err
    assert "'P' records joined to 60 'H' records" in ran.out
    released = run(
        *("anonymize", "--project", project, "--quasi", "STATE,AGE", "--k", "2"),
        *("--suppression", "0.5", "--out", tmp_path / "o"),
    )
    assert released.code == 0, released.err


def test_a_codebook_with_entities_is_refused_by_name(tmp_path: Path) -> None:
    """Fault class: the codebook was ignored, and the error was about the lines of the table."""
    data = _fixed(tmp_path)
    place = tmp_path / "cps.xml"
    bomb = '<!DOCTYPE codeBook [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>\n<codeBook'
    place.write_text(place.read_text("utf-8").replace("<codeBook", bomb, 1), "utf-8")
    with pytest.raises(SourceError, match=r"cps.xml: the XML declares entities"):
        rs.scan(data, codebook=place)
    system = '<!DOCTYPE codeBook SYSTEM "http://localhost/Version1-3.dtd">\n<codeBook'
    place.write_text(_codebook().replace("<codeBook", system, 1), "utf-8")
    assert len(_rows(rs.scan(data, codebook=place).source)) == 60  # nothing is loaded
    place.write_text(_codebook()[:-30], "utf-8")
    with pytest.raises(SourceError, match=r"cps.xml: the XML is damaged"):
        rs.scan(data, codebook=place)


def test_people_above_their_household_are_refused(tmp_path: Path) -> None:
    """Fault class: the people were read without the columns of their households."""
    data = tmp_path / "cps.csv"
    data.write_text("RECTYPE,SERIAL,STATE,AGE\nP,1,,40\nH,1,6,\nP,2,,30\n", "utf-8")
    with pytest.raises(SourceError, match="the first record is not a household record"):
        read(f"{data}?records=P")
