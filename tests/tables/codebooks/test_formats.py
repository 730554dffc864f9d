"""The formats of codebooks, each against a second reader of the same facts."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pandas as pd
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from roadstead.errors import RoadsteadError, SourceError
from roadstead.tables.codebooks.described import DescribedColumn, TableNotes, plain
from roadstead.tables.codebooks.document import LONGEST_TEXT, Document, clean
from roadstead.tables.codebooks.reading import read_codebook
from roadstead.tables.codebooks.registry import FORMATS
from roadstead.tables.formats.codebook import Code, ColumnNotes

HEADER = (
    "Variable / Field Name,Form Name,Section Header,Field Type,Field Label,"
    '"Choices, Calculations, OR Slider Labels",Field Note,'
    "Text Validation Type OR Show Slider Number,Text Validation Min,Text Validation Max,"
    "Identifier?,Branching Logic (Show field only if...)\n"
)
REDCAP = HEADER + (
    "study_id,intake,,text,Study ID,,,,,,,\n"
    "surname,intake,,text,<b>Surname</b>,,,,,,y,\n"
    "mail,intake,,text,Mail,,,email,,,,\n"
    'sex,intake,,radio,Sex,"1, Male | 2, Female, or other",,,,,,\n'
    "consent,intake,,yesno,Consent,,,,,,,\n"
    "born,intake,,text,Date of birth,,,date_dmy,,,,\n"
    'sign,visit,,checkbox,Signs,"1, Fever | B, Rash | -9, Unknown",,,,,[sex] = 1,\n'
    "bmi,visit,,calc,BMI,round([weight]/[height]),,,,,,\n"
    "intro,visit,,descriptive,Welcome,,,,,,,\n"
)
EXPORT = [
    "study_id",
    "redcap_event_name",
    "redcap_repeat_instrument",
    "surname",
    "mail",
    "sex",
    "consent",
    "born",
    "sign___1",
    "sign___b",
    "sign____9",
    "bmi",
    "intake_complete",
    "visit_complete",
    "site",
]

DDI = """<?xml version="1.0" encoding="ISO-8859-1"?>
<codeBook xmlns="ddi:codebook:2_5" version="2.5"><dataDscr>
 <var ID="V1" name="V012" intrvl="contin"><labl>Current age - respondent</labl>
  <invalrng><item VALUE="97"/><range min="98" max="99"/></invalrng>
  <varFormat type="numeric"/></var>
 <var ID="V2" name="V024"><labl level="variable">R\xe9gion</labl>
  <qstn><qstnLit>Where do you live?</qstnLit></qstn>
  <catgry><catValu>1</catValu><labl level="category">North &amp; East</labl>
   <catStat>5</catStat></catgry>
  <catgry><catValu>2</catValu><labl>South</labl></catgry>
  <catgry missing="Y"><catValu>9</catValu><labl>Missing</labl></catgry></var>
 <var ID="V3" name="CLUSTER" geog="Y"><labl>Cluster</labl></var>
</dataDscr></codeBook>""".encode("latin-1")  # fmt: skip


def write(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a codebook."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_data_dictionary_describes_an_export(tmp_path: Path) -> None:
    """Every column of an export is described, and pandas reads the same choices."""
    notes = read_codebook(write(tmp_path, "d.csv", REDCAP), EXPORT)
    assert (notes.kind, notes.lacking(EXPORT)) == ("REDCap data dictionary", ["site"])
    assert notes.absent(EXPORT) == []
    frame = pd.read_csv(io.StringIO(REDCAP)).set_index("Variable / Field Name")
    pairs = frame.loc["sex", "Choices, Calculations, OR Slider Labels"].split(" | ")
    wanted = dict(pair.split(", ", 1) for pair in pairs)
    assert dict(notes.columns["sex"].notes.labels) == wanted
    assert notes.faces("consent", ["0", "1", ""]) == {"0": "No", "1": "Yes", "": ""}
    roles = {name: one.role for name, one in notes.columns.items() if one.role}
    assert roles == {
        "study_id": "person",
        "surname": "identifiers",
        "mail": "identifiers",
        "redcap_survey_identifier": "identifiers",
        "redcap_event_name": "unchanged",
        "redcap_repeat_instrument": "unchanged",
        "redcap_repeat_instance": "unchanged",
        "intake_complete": "unchanged",
        "visit_complete": "unchanged",
    }
    assert notes.columns["surname"].reason == "the codebook marks the column as an identifier"
    assert notes.columns["surname"].notes.description == "Surname"
    assert notes.columns["sign___b"].notes.description == "Signs: Rash"
    assert (notes.columns["born"].type, notes.columns["bmi"].type) == ("date", "number")


def test_the_metadata_of_the_api_are_the_same_dictionary(tmp_path: Path) -> None:
    """REDCap's API names the same columns with underscores."""
    api = REDCAP.replace(HEADER.strip(), (
        "field_name,form_name,section_header,field_type,field_label,"
        "select_choices_or_calculations,field_note,text_validation_type_or_show_slider_number,"
        "text_validation_min,text_validation_max,identifier,branching_logic"
    ))  # fmt: skip
    one = read_codebook(write(tmp_path, "a.csv", api), EXPORT)
    other = read_codebook(write(tmp_path, "b.csv", REDCAP), EXPORT)
    assert one.columns == other.columns


def test_a_ddi_codebook_says_what_another_parser_reads(tmp_path: Path) -> None:
    """Labels, missing codes, and places of a survey; names may differ in capitals."""
    notes = read_codebook(write(tmp_path, "s.xml", DDI), ["v012", "v024", "cluster", "wt"])
    space = {"d": "ddi:codebook:2_5"}
    for var in ET.fromstring(DDI).iterfind(".//d:var", space):  # noqa: S314 - our own text
        found = notes.columns[var.attrib["name"].lower()].notes
        assert found.description == var.findtext("d:labl", namespaces=space)
        assert dict(found.labels) == {
            one.findtext("d:catValu", namespaces=space): one.findtext("d:labl", namespaces=space)
            for one in var.iterfind("d:catgry", space)
        }
    assert notes.columns["v012"].notes.missing == (("97", "97"), (98.0, 99.0))
    assert notes.columns["v024"].notes.missing == (("9", "9"),)
    assert notes.columns["cluster"].role == "quasi"


def test_metadata_in_json(tmp_path: Path) -> None:
    """CSVW and Frictionless: the table is chosen by its name, and missing codes are inherited."""
    csvw = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "null": "-",
        "tables": [
            {"url": "sites.csv", "tableSchema": {"columns": [{"name": "sex"}]}},
            {"url": "data/people.csv", "tableSchema": {"columns": [
                {"titles": {"en": "sex"}, "datatype": "string", "null": ["-", "x"]},
                {"titles": ["age", "years"], "datatype": {"base": "integer"}},
            ]}},
        ],
    }  # fmt: skip
    notes = read_codebook(write(tmp_path, "c.json", json.dumps(csvw)), ["sex", "age"], "people.csv")
    assert list(notes.columns) == ["sex", "age"]
    assert notes.columns["age"].notes.missing == (("-", "-"),)
    assert notes.columns["sex"].notes.missing == (("-", "-"), ("x", "x"))
    assert notes.columns["age"].type == "number"
    package = {"resources": [{"path": "people.csv", "schema": {
        "missingValues": ["", "NA"],
        "fields": [
            {"name": "sex", "type": "integer", "title": "Sex",
             "categories": [{"value": 1, "label": "male"}, {"value": 2, "label": "female"}]},
            {"name": "mail", "type": "string", "format": "email"},
            {"name": "age", "type": "integer", "missingValues": ["-9", {"value": "-8"}]},
        ],
    }}]}  # fmt: skip
    notes = read_codebook(write(tmp_path, "p.json", json.dumps(package)), ["sex", "age", "mail"])
    assert notes.missing == ("NA",)
    assert notes.faces("sex", ["1", "2.0", "02"]) is None, "two forms of one code"
    assert notes.faces("sex", ["1", "2.0"]) == {"1": "male", "2.0": "female"}
    assert notes.columns["age"].notes.missing == (("-9", "-9"), ("-8", "-8"))
    assert notes.columns["mail"].role == "identifiers"


def test_a_plain_codebook(tmp_path: Path) -> None:
    """Roles, missing codes, and values; an unknown role is refused by its record."""
    text = (
        "name;label;type;missing;role;values\n"
        'inc;Income;float;"-9; 97..99";sensitive;\n'
        'sx;Sex;factor;;quasi-identifier;"1=male; 2=female"\n'
    )
    notes = read_codebook(write(tmp_path, "p.csv", text), ["inc", "sx"])
    assert notes.columns["inc"].notes.missing == (("-9", "-9"), (97.0, 99.0))
    assert notes.faces("sx", ["2", "1"]) == {"2": "female", "1": "male"}
    assert [one.role for one in notes.columns.values()] == ["sensitive", "quasi"]
    wrong = write(tmp_path, "w.csv", text.replace("sensitive", "secret"))
    with pytest.raises(SourceError, match="record 2: the role 'secret' is not known"):
        read_codebook(wrong, ["inc"])


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE codeBook [<!ENTITY a "aaaaaaaaaa">'
    '<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><codeBook><dataDscr><var name="x">'
    "<labl>&b;</labl></var></dataDscr></codeBook>"
)
FILE = BOMB.replace('<!ENTITY a "aaaaaaaaaa">', '<!ENTITY a SYSTEM "file:///etc/passwd">')


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (BOMB, "declares entities"),
        (FILE, "declares entities"),
        ("<codeBook>" + "<a>" * 300, "nested too deeply"),
        (DDI[:300], "the XML is damaged at line 6"),
        ("<codeBook><dataDscr/></codeBook>", "does not describe any column"),
        ("[" * 100_000, "not a codebook"),
        ("", "not a codebook"),
        (b"\x00\x01\x02", "not a codebook"),
        ("a,b\n1,2\n", "not a codebook"),
        ("nome;papel\nSexo;quasi\n", "columns name, label, type, missing, role, values"),
        ('{"fields": [{"name": "other"}]}', "any column of this table"),
        ('{"resources": [{"path": "x", "schema": "s.json"}]}', "does not contain a table schema"),
    ],
)
def test_a_bad_codebook_is_refused_in_one_line(
    tmp_path: Path, content: str | bytes, said: str
) -> None:
    """No entity, no other file, no crash."""
    with pytest.raises(SourceError, match=said) as caught:
        read_codebook(write(tmp_path, "bad", content), ["x1"])
    assert "\n" not in str(caught.value)


@examples(200)
@given(st.data())
def test_damage_never_crashes(data: st.DataObject) -> None:
    """Any bytes, and any change of a good codebook, are read or refused."""
    good = data.draw(st.sampled_from([REDCAP.encode(), DDI, b'{"fields": [{"name": "x"}]}']))
    at = data.draw(st.integers(0, len(good)))
    piece = data.draw(st.binary(max_size=8))
    document = Document("bad", good[:at] + piece + good[at + data.draw(st.integers(0, 40)) :])
    for name in FORMATS.own:
        if FORMATS[name].recognizes(document):
            try:
                FORMATS[name].read(document)
            except RoadsteadError:
                continue


def test_texts_are_made_safe() -> None:
    """No HTML, no escape of a terminal, no line break, and no long text."""
    assert clean("<script>alert(1)</script>A &lt;b&gt;\n\x1b[31m\u202ered") == (
        "alert(1) A \\x1b[31m\\u202ered"
    )
    assert len(clean("x" * 10_000)) == LONGEST_TEXT
    assert clean({"en": ["a", "b"]}) == "a"
    assert clean({"en": {"a": "b"}}) == ""


@given(st.dictionaries(st.text(min_size=1, max_size=4), st.text(max_size=4), max_size=6))
def test_labels_have_one_code_each(labels: dict[str, str]) -> None:
    """Two codes never look the same, so that a hierarchy of labels is one of codes."""
    coded: dict[Code, str] = {code: label for code, label in labels.items()}  # noqa: C416 - types
    notes = TableNotes({"x": DescribedColumn(ColumnNotes(labels=coded))})
    faces = notes.faces("x", labels)
    if faces is not None:
        assert len(set(faces.values())) == len(labels)
        assert not {face for code, face in faces.items() if face != code} & set(labels)


def test_numbers_have_one_form() -> None:
    """Leading zeros and a decimal point without decimals do not matter."""
    assert [plain(one) for one in ("01", "1.0", "+1", "-09", "0", "00", "-0", "1.5", "a1")] == [
        "1", "1", "1", "-9", "0", "0", "0", "1.5", "a1",
    ]  # fmt: skip


def test_rows_survive_quotes_and_marks() -> None:
    """The rows of a CSV codebook are those of the standard library, with a mark and tabs."""
    rows = [["name", "label"], ["a", 'say "hi"\nthere'], ["b", ""]]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter="\t").writerows(rows)
    found = Document("x", b"\xef\xbb\xbf" + buffer.getvalue().encode()).rows
    assert [[*row.values()] for row in found] == rows[1:]
