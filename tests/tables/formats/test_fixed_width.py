"""A text with fields of fixed width is never read as one column, and its layout reads it."""

from __future__ import annotations

import gzip
import pickle
import random
from pathlib import Path

import pandas as pd
import pytest
from commands import run

import roadstead as rs
from roadstead.errors import RoadsteadError, SettingError, SourceError
from roadstead.places import Places
from roadstead.tables.reading import read
from roadstead.web.security.addresses import table_of

_NAMES = ("Ada", "Berta Ö.", "Zoë", "Li")
_WIDTHS = (8, 9, 4, 2)


def _lines(records: int = 200) -> list[str]:
    made = random.Random(5)  # noqa: S311 - reproducible test data
    return [
        f"P{made.randrange(10**6):06} {made.choice(_NAMES):9}{made.randrange(1, 100):>3} "
        f"{made.choice('MF ')}"
        for _ in range(records)
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "clinic.txt"
    file.write_text("\n".join(line.rstrip() for line in _lines()) + "\n", "utf-8")
    return file


def _columns(data: str, **reading: object) -> dict[str, list[str | None]]:
    with read(data, **reading) as source:  # type: ignore[arg-type] # of a test
        found: dict[str, list[str | None]] = source.table.to_pyarrow().to_pydict()
    return found


def test_a_layout_reads_what_pandas_reads(path: Path) -> None:
    named = ["id", "name", "age", "sex"]
    theirs = pd.read_fwf(path, widths=_WIDTHS, names=named, dtype=str, keep_default_na=False)
    expected = {name: [text or None for text in theirs[name]] for name in named}
    widths = ",".join(map(str, _WIDTHS))
    assert _columns(f"{path}?widths={widths}&names=id,name,age,sex") == expected
    path.with_name("layout.csv").write_text("name,start,width\nage,18,4\nsex,22,1\n", "utf-8")
    part = _columns(f"{path}?layout=layout.csv")
    assert part == {name: expected[name] for name in ("age", "sex")}
    zipped = path.with_suffix(".gz")
    zipped.write_bytes(gzip.compress(path.read_text("utf-8").encode("utf-16")))
    assert _columns(f"{zipped}?widths={widths}&names=id,name,age,sex") == expected


def test_a_header_names_the_fields(path: Path) -> None:
    header = "id      name     age sex\r\n"
    path.write_text(header + path.read_text("utf-8"), "utf-8", newline="")
    found = _columns(f"{path}?widths=8,9,4,3", header=True)
    assert [*found] == ["id", "name", "age", "sex"]
    assert len(found["id"]) == 200


def test_a_release_is_a_csv_file(path: Path, tmp_path: Path) -> None:
    widths = ",".join(map(str, _WIDTHS))
    result = rs.anonymize(
        f"{path}?widths={widths}&names=id,name,age,sex",
        quasi=["age", "sex"],
        identifiers=["id", "name"],
        k=5,
    )
    result.write(tmp_path / "out")
    assert (tmp_path / "out" / "clinic.csv").read_text("utf-8").startswith("age,sex\n")
    assert rs.verify(tmp_path / "out").passed


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(_lines()),
        "\n".join(["id      name     age sex", *_lines()]),
        "\n".join(f"SMITH, JO{'X' * (at % 5)}".ljust(16) + f"{20 + at} F" for at in range(40)),
        "\n".join(["id age sex", *(f"{at} {20 + at % 9}  M" for at in range(40))]),
        "\n".join(f"MRN{7204580 + at}M02115" for at in range(40)),
        "\n".join(f"{7204580 + at}{'MF'[at % 2]}02115{' .7'[at % 3]} 20040913" for at in range(40)),
        "\n".join(
            f"H{7204580 + at // 2}196208003000014"
            if at % 2 == 0
            else f"P{7204580 + at}04{at:02}81790217553"
            for at in range(40)
        ),
    ],
    ids=[
        *("aligned", "with a header", "commas in names", "blanks between", "without gaps"),
        *("with blank fields", "households and people"),
    ],
)
def test_a_first_patient_is_never_a_header(text: str, tmp_path: Path) -> None:
    file = tmp_path / "t.txt"
    file.write_text(text, "utf-8")
    with pytest.raises(SourceError) as refused:
        read(file)
    assert "header" in refused.value.message
    assert not any(line.split()[0] in refused.value.message for line in text.splitlines()[1:])
    read(file, header=False).close()


@pytest.mark.parametrize(
    "lines",
    [
        ["name", *_NAMES, "Zoë B", "Ada B", "Li C"],
        ["visit", *(f"2020-01-{day:02} 12:00" for day in range(1, 30))],
        ["sex, age", *(f"{'MF'[at % 2]}  , {at:02}" for at in range(20, 50))],
        ["icd", *(f"A{at:02}" for at in range(20))],
        ["patient", *(f"7f9c24e8-3b1f-4a27-9d{at:02}-1f0e5a6b7c8d" for at in range(40))],
        ["remark", *(f"seen on day {at} by {'Dr. ' * (at % 3)}" for at in range(30))],
    ],
)
def test_tables_with_delimiters_or_one_column_are_read(lines: list[str], tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("\n".join(lines), "utf-8")
    with read(file) as source:
        assert source.table.count().to_pyarrow().as_py() == len(lines) - 1


@pytest.mark.parametrize(
    ("options", "layout", "says"),
    [
        ("widths=8,9,4", "", "line 1"),
        ("widths=8,9,0,2", "", "'0' is not a number"),
        ("widths=8,9,4,2&names=a,b", "", "4 widths and 2 names"),
        ("widths=8,9,4,2&names=a,b,c,c", "", "'c'"),
        ("widths=8,9,4,2&sheet=1", "", "'sheet'"),
        ("layout=gone.csv", "", "gone.csv"),
        ("layout=layout.csv", "field,from\na,1\n", "name, start, width"),
        ("layout=layout.csv", "name,start,width\na,one,1\n", "'one'"),
        ("layout=layout.csv&widths=1", "name,start,width\na,1,1\n", "twice"),
        (f"widths={'9' * 5000}", "", "not a number of characters"),
    ],
)
def test_a_wrong_layout_is_refused_in_one_line(
    options: str, layout: str, says: str, path: Path
) -> None:
    path.with_name("layout.csv").write_text(layout, "utf-8")
    with pytest.raises((SettingError, SourceError), match=says) as refused:
        read(f"{path}?{options}").close()
    assert isinstance(refused.value, RoadsteadError)
    assert "\n" not in refused.value.message


def test_a_layout_may_be_longer_than_the_name_of_a_file(tmp_path: Path) -> None:
    """The page checks the same text. Fault class: a limit of the system."""
    names = [f"question_{at}" for at in range(120)]
    path = tmp_path / "survey.txt"
    path.write_text("\n".join(["123" * 40] * 9), "utf-8")
    address = f"{path}?widths={','.join(['1'] * 120)}&names={','.join(names)}"
    with read(table_of(Places.of((tmp_path,)), address)) as source:
        assert list(source.columns) == names
        assert source.table.count().to_pyarrow().as_py() == 9


def test_a_layout_in_another_folder_is_not_read(tmp_path: Path) -> None:
    """Fault class: an option that leads out of the folders that a program may read."""
    (tmp_path / "layout.csv").write_text("name,start,width\na,1,1\n", "utf-8")
    (tmp_path / "tables").mkdir()
    path = tmp_path / "tables" / "survey.txt"
    path.write_text("\n".join(["123"] * 9), "utf-8")
    for layout in ("..%2Flayout.csv", str(tmp_path / "layout.csv").replace("/", "%2F")):
        with pytest.raises(SourceError, match="without a folder"):
            read(f"{path}?layout={layout}").close()


def codebook(*variables: str, kinds: str = "") -> str:
    """Return a DDI codebook in the form of IPUMS."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<codeBook xmlns="ddi:codebook:2_5" version="2.5"><fileDscr><fileTxt>'
        f"<fileStrc>{kinds}</fileStrc></fileTxt></fileDscr><dataDscr>"
        f"{''.join(variables)}</dataDscr></codeBook>\n"
    )


SEX = '<var ID="SEX" dcml="0" name="SEX"><location StartPos="5" EndPos="5" width="1"/></var>'
WEIGHT = '<var ID="W" dcml="4" name="WT"><location StartPos="6" width="7"/></var>'
YEAR = '<var ID="Y" name="YEAR"><location StartPos="1" EndPos="4" width="4"/></var>'


def test_a_ddi_codebook_is_a_layout(tmp_path: Path) -> None:
    """Numbers have the decimal places that the codebook declares but the file does not show."""
    lines = [
        "202410012345",
        "202420000007",
        "202429999999",
        "20241  2.5  ",
        "2024       ",
        "20241-000012",
    ]
    data = tmp_path / "cps.dat.gz"
    data.write_bytes(gzip.compress("\n".join(lines).encode()))
    (tmp_path / "cps.xml").write_text(codebook(SEX, WEIGHT, YEAR), "utf-8")
    found = _columns(f"{data}?layout=cps.xml")
    assert [*found] == ["SEX", "WT", "YEAR"]
    assert found["SEX"] == ["1", "2", "2", "1", None, "1"]
    assert found["WT"] == ["1.2345", "0.0007", "999.9999", "2.5", None, "-0.0012"]
    assert found["YEAR"] == ["2024"] * 6


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (codebook(SEX, kinds='<recGrp rectype="H"/><recGrp rectype="P"/>'), "several kinds"),
        (codebook('<var name="SEX"/>'), "does not say where the fields"),
        (codebook('<var name="A"><location StartPos="7" EndPos="5"/></var>'), "cannot be read"),
        (codebook('<var name="A"><location StartPos="x"/></var>'), "cannot be read"),
        (codebook(SEX)[:-20], "damaged"),
    ],
)
def test_a_ddi_codebook_without_a_layout_is_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "d.dat").write_text("20241\n" * 9, "utf-8")
    (tmp_path / "d.xml").write_text(text, "utf-8")
    with pytest.raises(SourceError, match=said) as refused:
        read(f"{tmp_path / 'd.dat'}?layout=d.xml")
    assert "d.xml" in str(refused.value)


@pytest.mark.parametrize("other", ['fileid="F2" StartPos="6"', 'RecSegNo="2" StartPos="1"'])
def test_places_in_another_file_or_line_are_refused(other: str, tmp_path: Path) -> None:
    """Fault class: fields of a second file or of a second line, cut from every line."""
    text = codebook(YEAR, f'<var ID="S" name="SEX"><location {other} width="1"/></var>')
    (tmp_path / "d.dat").write_text("202411\n" * 9, "utf-8")
    (tmp_path / "d.xml").write_text(text, "utf-8")
    with pytest.raises(SourceError, match="several files, or several lines"):
        read(f"{tmp_path / 'd.dat'}?layout=d.xml")


def test_a_line_that_is_longer_than_all_places_is_refused(tmp_path: Path) -> None:
    """Where the first lines fit the codebook: the cells of a shifted line are wrong."""
    lines = ["20241"] * 3000
    lines[2500] = "x20241"
    (tmp_path / "d.dat").write_text("\n".join(lines), "utf-8")
    (tmp_path / "d.xml").write_text(codebook(SEX, YEAR), "utf-8")
    with pytest.raises(SourceError, match="line 2501"):
        read(f"{tmp_path / 'd.dat'}?layout=d.xml").close()


@pytest.mark.quick(5)
@pytest.mark.parametrize(
    ("notes", "rows"),
    [
        (["Total"], "201"),
        (["Total      200"], "201"),
        (["TOTAL 200"], "201"),
        (["N = 200"], "201"),
        (["", "Sum", "Source: registry"], "202-203"),
        (["P000001 Total      12 M"], None),
        (["Nora    Li         12 M"], None),
    ],
)
@pytest.mark.parametrize("layout", ["widths=8,9,4,2&names=id,name,age,sex", "layout=l.csv"])
def test_a_total_at_the_end_is_named(
    notes: list[str], rows: str | None, layout: str, path: Path
) -> None:
    """Fault class: a total was a record without a word, although a CSV file named it."""
    path.with_name("l.csv").write_text("name,start,width\nage,18,4\nsex,22,1\n", "utf-8")
    path.write_text(path.read_text("utf-8") + "\n".join(notes) + "\n", "utf-8")
    data = f"{path}?{layout}"
    with read(data) as source:
        assert [one.lines for one in source.suspect_rows] == ([] if rows is None else [rows])
    if rows is None:
        return
    ran = run("scan", data, "--out", path.with_name("s.toml"))
    assert "totals or notes, not like" in ran.out + ran.err
    assert f"leave them out with --skip-rows {rows}" in (ran.out + ran.err).replace(
        "it out", "them out"
    )
    with read(data, skip_rows=rows) as source:
        assert source.suspect_rows == ()
        assert source.table.count().to_pyarrow().as_py() == 200


def test_a_total_that_is_longer_than_the_layout_names_its_line(path: Path) -> None:
    """The widths are correct, so the error does not say that they are wrong."""
    path.write_text(path.read_text("utf-8") + "Total                        200\n", "utf-8")
    with pytest.raises(SourceError, match=r'line 201.*total or a note.*skip_rows="201"'):
        _columns(f"{path}?widths=8,9,4,2&names=id,name,age,sex")


AGE = '<var ID="A" name="AGE"><location StartPos="6" EndPos="7" width="2"/><labl>Age</labl></var>'


def survey(folder: Path, *, below: str = "", commas: bool = False) -> tuple[Path, Path]:
    """Write a file with fields of fixed width, and its DDI codebook, perhaps in a subfolder."""
    sign = "," if commas else "0"
    rows = [f"2024{at % 2 + 1}{20 + at % 60}{sign if at % 3 else '0'}" for at in range(200)]
    data, place = folder / "survey.DAT", folder / below / "survey.xml"
    data.write_text("\n".join(rows), "utf-8")
    place.parent.mkdir(exist_ok=True)
    note = '<var ID="N" name="NOTE"><location StartPos="8" EndPos="8" width="1"/></var>'
    place.write_text(codebook(YEAR, SEX, AGE, note), "utf-8")
    return data, place


@pytest.mark.quick(2)
@pytest.mark.parametrize("commas", [False, True], ids=["digits", "commas"])
@pytest.mark.parametrize("below", ["", "codebooks"], ids=["next to it", "elsewhere"])
def test_the_codebook_of_a_file_is_its_layout(below: str, tmp_path: Path, *, commas: bool) -> None:
    """Fault class: a codebook that gives the places of the fields, but nobody used these places."""
    data, place = survey(tmp_path, below=below, commas=commas)
    ran = run("scan", data, "--codebook", place, "--out", tmp_path / "p.toml")
    assert "survey.DAT: fixed width, 200 records, 4 columns" in ran.out
    assert "describes 4 of 4 columns" in ran.out
    assert "described in the codebook" in ran.out or "AGE" in ran.out
    written = run(
        "anonymize", "--project", tmp_path / "p.toml", "--k", "2", "--out", tmp_path / "o"
    )
    assert written.code == 0, written.err
    assert rs.verify(tmp_path / "o").passed
    scanned = rs.scan(data, codebook=place)
    assert [one.name for one in scanned.columns] == ["YEAR", "SEX", "AGE", "NOTE"]
    again = pickle.loads(pickle.dumps(scanned.source))  # noqa: S301 - our own
    assert again.columns == scanned.source.columns


def test_a_delimited_file_does_not_use_the_places_of_its_codebook(tmp_path: Path) -> None:
    """Archives publish one codebook with the places for the text file and for the CSV file."""
    _, place = survey(tmp_path)
    table = tmp_path / "survey.csv"
    rows = [f"2024,{at % 2 + 1},{20 + at % 60},0" for at in range(200)]
    for header in ("YEAR,SEX,AGE,NOTE", "year,sex,age,note"):
        table.write_text("\n".join([header, *rows]), "utf-8")
        assert "comma" in rs.scan(table, codebook=place).source.format.describe()
    table.write_text("\n".join(["AGE", *(str(20 + at % 60) for at in range(200))]), "utf-8")
    assert rs.scan(table, codebook=place).source.columns == ("AGE",)


def test_a_codebook_of_other_lines_is_not_the_layout(tmp_path: Path) -> None:
    """Fault class: a codebook of another file of the same survey, which cuts the wrong fields."""
    data, place = survey(tmp_path)
    rows = data.read_text("utf-8").splitlines()
    for lines in ([f"{row}7" for row in rows], [row[:7] for row in rows]):
        data.write_text("\n".join(lines), "utf-8")
        with pytest.raises(SourceError, match="describes lines with 8 characters") as refused:
            rs.scan(data, codebook=place)
        assert "?layout=survey.xml" in refused.value.message
        assert rows[0] not in refused.value.message


def test_a_codebook_does_not_describe_fields_without_names(tmp_path: Path) -> None:
    """The message does not call the codebook wrong, because it is right."""
    data, place = survey(tmp_path)
    with pytest.raises(SettingError, match="leave out the widths of the fields") as refused:
        rs.scan(f"{data}?widths=4,1,3", codebook=place)
    assert "use the codebook of" not in refused.value.message
    found = rs.scan(f"{data}?widths=4,1,3&names=YEAR,SEX,AGE", codebook=place)
    assert found.source.columns == ("YEAR", "SEX", "AGE")
    plain = tmp_path / "plain.csv"
    plain.write_text("name,label\nage,Age\n", "utf-8")
    with pytest.raises(SourceError, match="or give the columns the names that the codebook uses"):
        rs.scan(f"{data}?widths=4,1,3", codebook=plain)


def test_an_address_cannot_name_a_codebook_in_another_folder(tmp_path: Path) -> None:
    """Fault class: an option that leads out of the folders that a program may read."""
    data, place = survey(tmp_path, below="codebooks")
    for options in (f"codebook={place}", f"widths=4,4&codebook={place}"):
        with pytest.raises(RoadsteadError):
            read(f"{data}?{options.replace('/', '%2F')}").close()


def test_joined_fields_are_said_to_be_joined(path: Path) -> None:
    """Fault class: blanks show fewer fields than there are, and nothing says so."""
    with pytest.raises(
        SourceError, match=r"4 fields .*without a blank between them count as one"
    ) as refused:
        read(path).close()
    suggested = refused.value.message.partition("?widths=")[2].partition("&")[0]
    with read(f"{path}?widths={suggested}") as source:
        assert "4 fields between blanks (fields without a blank" in source.format.describe()
    with read(f"{path}?widths=8,9,3,2") as source:
        assert "blank" not in source.format.describe()
