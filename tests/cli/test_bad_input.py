"""Bad input: exit code 2, one line with the place, the error, and the fix, and no files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from commands import Ran, listing, run, run_apart, without_charts
from small_tables import PATIENTS, QUASI, patients, write_csv

CANARY = "CANARY-CELL"
"""Text of cells that no message may repeat."""

HEADER = b"age,sex,zip,diagnosis\n"
GOOD = b"40,M,02139," + CANARY.encode() + b"\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a good table of patients."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "patients.csv", PATIENTS, patients())
    return tmp_path


def refused(
    place: Path, *arguments: str | Path, says: tuple[str, ...] = (), tells: str = ""
) -> Ran:
    """Run a command that must be refused, and check that it left only its one line.

    `tells` is the beginning of its standard output, if it prints more.
    """
    before = listing(place)
    ran = run(*arguments)
    assert ran.code == 2, ran
    assert ran.out.startswith(tells) if tells else ran.out == ""
    assert listing(place) == before
    assert CANARY not in ran.out + ran.err
    for part in says:
        assert part in ran.error, ran.error
    return ran


def anonymize(
    *more: str | Path, data: str = "patients.csv", quasi: str = QUASI
) -> list[str | Path]:
    """Arguments of a good request, and what spoils it."""
    return [
        "anonymize",
        data,
        "--quasi",
        quasi,
        "--identifiers",
        "name,record",
        "--out",
        "release",
        *more,
    ]


TABLES: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "an empty file": (b"", ("bad.csv", "empty")),
    "only blank lines": (b"\n\n\n", ("bad.csv", "empty")),
    "a header only": (HEADER, ("bad.csv", "no records")),
    "a row with too few cells": (
        HEADER + GOOD + b"41,F," + CANARY.encode() + b"\n" + GOOD,
        ("bad.csv, line 3", "3 cells", "4 cells", "--delimiter"),
    ),
    "a row with too many cells": (
        HEADER + GOOD + GOOD + b"41,F,02139," + CANARY.encode() + b",x\n",
        ("bad.csv, line 4", "5 cells", "4 cells"),
    ),
    "bytes that do not decode": (
        HEADER + GOOD + b"41,F\xe9" + CANARY.encode() + b",02139,flu\n",
        ("bad.csv, line 3", "0xE9", "--encoding"),
    ),
    "a NUL byte": (HEADER + GOOD + b"41,F,02139,\0\n", ("bad.csv, line 3", "NUL")),
    "a quote never closed": (
        HEADER + GOOD + b'41,F,"' + CANARY.encode() + b"\n" + GOOD,
        ("bad.csv, line 3", "never closed"),
    ),
    "a column twice": (
        b"age,sex,age,diagnosis\n" + GOOD,
        ("bad.csv", "2 columns are named 'age'", "rename"),
    ),
    "columns that differ in case": (b"age,sex,Age,zip\n" + GOOD, ("'age' and 'Age'", "rename")),
    "a column without a name": (b"age,sex,,zip\n" + GOOD, ("bad.csv",)),
    "a line for Excel": (b"sep=,\r\n" + HEADER + GOOD, ("bad.csv, line 1", "sep=,", "remove")),
    "a damaged workbook": (b"PK\x03\x04" + GOOD, ("bad.csv", "Excel", "get the file again")),
    "a damaged gzip stream": (b"\x1f\x8b\x08\x00" + GOOD, ("bad.csv", "gzip")),
    "a damaged Parquet file": (b"PAR1" + GOOD, ("bad.csv", "Parquet")),
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_that_cannot_be_read_is_refused(place: Path, kind: str) -> None:
    """The message names the file and, where there is one, the line and the byte."""
    content, says = TABLES[kind]
    (place / "bad.csv").write_bytes(content)
    for command in (
        ["anonymize", "bad.csv", "--quasi", "age,sex,zip", "--out", "release"],
        ["scan", "bad.csv", "--out", "project.toml"],
        ["verify", "bad.csv", "--quasi", "age", "--k", "5"],
    ):
        refused(place, *command, says=says)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("missing.dat", ("missing.dat", "no such file")),
        ("patient.csv", ("patient.csv", "no such file", "did you mean patients.csv?")),
        ("nowhere/patients.csv", ("nowhere/patients.csv", "the folder nowhere does not exist")),
        ("..", ("is a folder",)),
        ("/dev/null", ("/dev/null", "not a regular file")),
    ],
)
def test_a_file_that_is_not_there_or_not_a_file_is_refused(
    place: Path, data: str, says: tuple[str, ...]
) -> None:
    """A near miss in the same folder is suggested."""
    refused(place, *anonymize(data=data), says=says)
    refused(place, "scan", data, says=says)


@pytest.mark.parametrize(
    ("quasi", "says"),
    [
        ("age,sexx", ("'sexx'", "did you mean 'sex'?")),
        ("AGE", ("'AGE'", "did you mean 'age'?")),
        ("unknown", ("'unknown'", "its columns are name, record, age")),
        ("age,age", ("'age'", "twice")),
        ("", ("--quasi",)),
        (",", ("--quasi",)),
        ("age\nsex", ("line break",)),
    ],
)
def test_a_column_that_is_not_there_is_refused_with_a_near_miss(
    place: Path, quasi: str, says: tuple[str, ...]
) -> None:
    """No column is guessed."""
    refused(place, *anonymize(quasi=quasi), says=says)


def test_a_column_with_two_roles_is_refused(place: Path) -> None:
    """It cannot be released and withheld."""
    says = ("'sex'", "as a quasi-identifier and as a direct identifier")
    refused(place, *anonymize("--identifiers", "sex"), says=says)
    refused(place, *anonymize("--sensitive", "diagnosis", "--unchanged", "diagnosis"))


@dataclass(frozen=True)
class Spoiled:
    """A hierarchy file for the attribute sex, and what the message says of it."""

    content: str
    says: tuple[str, ...]
    name: str = "sex.csv"
    encoding: str = field(default="utf-8")


HIERARCHIES = {
    "a value is missing": Spoiled("M;*\n", ("sex.csv", "'F' of 'sex'", "not in the hierarchy")),
    "levels do not nest": Spoiled(
        "M;x;a;*\nF;x;b;*\n", ("'sex'", "are not nested", "'M' and 'F'"), "t_hierarchy_sex.csv"
    ),
    "the top is not one value": Spoiled("M;x\nF;y\n", ("sex.csv", "last level", "'M'", "'F'")),
    "a ragged row": Spoiled("M;x;*\nF;*\n", ("sex.csv, row 2", "has 2 columns", "has 3")),
    "a value twice": Spoiled("M;*\nF;*\nM;*\n", ("'M' of 'sex'", "two rows")),
    "an empty file": Spoiled("", ("sex.csv", "empty")),
    "not UTF-8": Spoiled("M;é\nF;é\n", ("sex.csv, line 1", "0xE9"), encoding="latin-1"),
}


@pytest.mark.parametrize("kind", HIERARCHIES)
def test_a_hierarchy_that_is_none_is_refused(place: Path, kind: str) -> None:
    """The message names the file, the attribute and the values."""
    spoiled = HIERARCHIES[kind]
    (place / "levels").mkdir()
    (place / "levels" / spoiled.name).write_text(spoiled.content, encoding=spoiled.encoding)
    refused(place, *anonymize("--hierarchies", "levels"), says=(spoiled.name, *spoiled.says))


def test_two_hierarchies_for_one_attribute_are_refused(place: Path) -> None:
    """Both are named, none is chosen."""
    (place / "levels").mkdir()
    for name in ("sex.csv", "a_hierarchy_sex.csv"):
        (place / "levels" / name).write_text("M;*\nF;*\n")
    says = ("sex.csv", "a_hierarchy_sex.csv", "keep one")
    refused(place, *anonymize("--hierarchies", "levels"), says=says)


def test_a_folder_of_hierarchies_that_is_not_there_is_refused(place: Path) -> None:
    """A file is not a folder either."""
    refused(place, *anonymize("--hierarchies", "nowhere"), says=("nowhere",))
    refused(place, *anonymize("--hierarchies", "patients.csv"), says=("patients.csv",))


OPTIONS: dict[str, tuple[str, ...]] = {
    "--k=1": ("--k", "k is 1", "at least 2"),
    "--k=0": ("--k", "at least 2"),
    "--k=-5": ("--k", "at least 2"),
    "--k=201": ("--k", "201", "patients.csv has only 200 records", "at most 200"),
    "--k=2.5": ("--k", "'2.5' is not a whole number"),
    "--k=": ("--k",),
    "--suppression=-0.01": ("--suppression", "between 0 and 1", "0.05"),
    "--suppression=1.01": ("--suppression", "between 0 and 1"),
    "--suppression=1500": ("--suppression", "1500", "between 0 and 1"),
    "--suppression=nan": ("--suppression", "nan", "between 0 and 1"),
    "--suppression=inf": ("--suppression", "inf", "between 0 and 1"),
    "--suppression=5%": ("--suppression", "number"),
    "--time-limit=-1": ("--time-limit", "-1"),
    "--time-limit=nan": ("--time-limit", "nan"),
    "--time-limit=inf": ("--time-limit", "inf"),
    "--time-limit=soon": ("--time-limit", "number"),
    "--weight=age": ("--weight", "'age'", "age=2"),
    "--weight=age=": ("--weight age", "number"),
    "--weight==2": ("--weight", "'=2'"),
    "--weight=age=heavy": ("--weight age", "'heavy'", "number"),
    "--weight=age=-1": ("--weight", "not negative"),
    "--weight=age=nan": ("--weight", "finite"),
    "--weight=age=0,sex=0,zip=0": ("--weight", "at least one must be above zero"),
    "--weight=diagnosis=1": ("--weight", "'diagnosis'", "age, sex, zip"),
    "--weight=height=1": ("--weight", "'height'", "age, sex, zip"),
    "--max-level=age": ("--max-level", "'age'"),
    "--max-level=age=-1": ("--max-level age", "'-1'"),
    "--max-level=age=1.5": ("--max-level age", "'1.5'"),
    "--max-level=age=99": ("'age'", "0 to 99", "0 to 4"),
    "--max-level=height=1": ("'height'", "age, sex, zip"),
    "--min-level=age=99": ("'age'", "0 to 4"),
    "--min-level=diagnosis=0": ("'diagnosis'", "age, sex, zip"),
    "--aggregate=median": ("--aggregate", "'median'", "geometric or arithmetic"),
    "--quality=nothing": ("--quality", "'nothing'", "loss"),
    "--search=magic": ("--search", "'magic'", "exact"),
    "--suppressed=hide": ("--suppressed", "'hide'", "mask or drop"),
    "--seed=x": ("--seed", "'x' is not a whole number"),
    "--delimiter=ab": ("delimiter", "'ab'"),
    "--delimiter=;": ("'age'", "no such column"),
    "--encoding=klingon": ("encoding", "'klingon'", "utf-8"),
    "--encoding=utf-16": (
        "patients.csv: the file does not start with the byte-order mark",
        "utf-16-le",
    ),
    "--encoding=utf-32": (
        "patients.csv: the file does not start with the byte-order mark",
        "utf-32-be",
    ),
    "--encoding=utf-16-le": ("patients.csv",),
    "--encoding=utf-32-be": ("patients.csv, line 1, byte 1",),
    "--encoding=punycode": ("encoding: punycode is not a file encoding",),
    "--quas=age": ("--quas", "--quasi"),
    "--hierarchy=x": ("--hierarchy", "--hierarchies"),
    "--bogus": ("--bogus", "roadstead anonymize --help"),
    "surplus": ("surplus", "roadstead anonymize --help"),
}


@pytest.mark.quick(24)
@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_out_of_its_range_is_refused(place: Path, option: str) -> None:
    """The message names the option, the value and what it may be."""
    refused(place, *anonymize(option), says=OPTIONS[option])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("anonymise", "patients.csv"), ("anonymise", "anonymize")),
        (("--bogus",), ("--bogus",)),
        (("anonymize", "patients.csv", "--out", "r", "--quasi"), ("--quasi",)),
        (("anonymize", "patients.csv", "--quasi", "age", "--k"), ("--k",)),
        (("anonymize", "--quasi", "age", "--out", "r"), ("no table", "--project")),
        (("anonymize", "patients.csv", "--out", "r"), ("--quasi",)),
        (("scan",), ("DATA",)),
        (("apply", "policy.json"), ("DATA",)),
        (("verify",), ("RELEASE",)),
        (("verify", "nowhere"), ("nowhere", "no such file or folder")),
        (("verify", "patients.csv"), ("patients.csv", "--quasi and --k")),
        (("verify", "patients.csv", "--quasi", "age"), ("--quasi and --k",)),
        (("verify", "patients.csv", "--k", "5"), ("--quasi and --k",)),
        (("verify", "patients.csv", "--quasi", "age", "--k", "1"), ("k is 1",)),
        (("verify", "patients.csv", "--quasi", "agee", "--k", "5"), ("did you mean 'age'?",)),
        (("verify", ".", "--quasi", "age", "--k", "5"), ("--quasi and --k",)),
        (("demo", "--patients", "0"), ("patients",)),
    ],
)
def test_a_request_that_is_not_whole_is_refused(
    place: Path, arguments: tuple[str, ...], says: tuple[str, ...]
) -> None:
    """A command, an option's value, the table or a setting is missing."""
    refused(place, *arguments, says=says)


@pytest.mark.parametrize(
    ("out", "says"),
    [
        ("patients.csv", ("patients.csv", "exists, but is not a folder")),
        ("patients.csv/release", ("patients.csv/release", "is not a folder", "--out")),
        (".", ("'patients.csv'", "not part of an earlier release")),
        ("/proc/nothing/release", ("/proc/nothing/release", "--out")),
    ],
)
def test_an_output_that_cannot_be_is_refused(place: Path, out: str, says: tuple[str, ...]) -> None:
    """Nothing is shown either, for nothing was released."""
    arguments = ("anonymize", "patients.csv", "--quasi", QUASI)
    refused(place, *arguments, "--out", out, says=says)
    refused(place, *arguments, "--out", out, "--force", says=says)


def test_without_room_for_temporary_files_nothing_is_done(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fix is to say where there is some."""
    monkeypatch.setattr("tempfile.tempdir", str(place / "nowhere"))
    says = ("temporary files", "No such file or directory", "set TMPDIR")
    refused(place, *anonymize(), says=says)
    refused(place, "scan", "patients.csv", says=says)


def test_an_output_that_exists_is_refused_without_force(place: Path) -> None:
    """By every command that writes."""
    assert run(*anonymize()).code == 0
    assert run("scan", "patients.csv", "--out", "project.toml").code == 0
    says = ("already exists", "--force")
    refused(place, *anonymize(), says=("release", *says))
    refused(place, "apply", "release/policy.json", "patients.csv", "--out", "release", says=says)
    refused(place, "scan", "patients.csv", "--out", "project.toml", says=("project.toml", *says))


Change = Callable[[dict[str, Any]], object]


def put(*path: str | int, value: object) -> Change:
    """Change one entry of a document."""

    def change(document: Any) -> None:  # noqa: ANN401 - JSON
        for part in path[:-1]:
            document = document[part]
        document[path[-1]] = value

    return change


def rule(**parameters: object) -> Change:
    """Change the rule of the first attribute, age."""
    return put("attributes", 0, "rule", value=parameters)


DOCUMENTS: dict[str, tuple[Change, tuple[str, ...]]] = {
    "another version": (
        put("roadstead_policy", value=1),
        ("this version reads format 2", "make the policy again"),
    ),
    "a key too many": (put("surplus", value=1), ("surplus",)),
    "no attribute": (put("attributes", value=[]), ("attributes",)),
    "an attribute twice": (put("attributes", 0, "name", value="sex"), ("'sex'", "twice")),
    "a level too high": (put("attributes", 0, "level", value=99), ("level 99 of 'age'",)),
    "no privacy model": (put("privacy", value=[]), ("privacy",)),
    "a model not known": (
        put("privacy", value=[{"kind": "l-diversity", "l": 2}]),
        ("'l-diversity'", "did you mean entropy-l-diversity"),
    ),
    "a model that is a list": (put("privacy", value=[{"kind": []}]), ("k-anonymity",)),
    "a k of 1": (put("privacy", 0, "k", value=1), ("k is 1",)),
    "no k": (put("privacy", value=[{"kind": "k-anonymity"}]), ("'k'",)),
    "a k that is half": (put("privacy", 0, "k", value=5.5), ("'k'",)),
    "an l for k-anonymity": (put("privacy", 0, "l", value=2), ("'l'",)),
    "a limit of 1500%": (put("suppression", "limit", value=15), ("suppression.limit",)),
    "a negative limit": (put("suppression", "limit", value=-0.1), ("suppression.limit",)),
    "a limit that is no number": (
        put("suppression", "limit", value=float("nan")),
        ("suppression.limit",),
    ),
    "a column released and removed": (
        put("columns", "removed", value=["age"]),
        ("'age'", "twice"),
    ),
    "bands of width 0": (rule(kind="bands", width="0"), ("bands of width 0",)),
    "bands of no width": (rule(kind="bands", width="NaN"), ("width",)),
    "bands too narrow for numbers": (rule(kind="bands", width="1e-200"), ("'1E-200'", "bands")),
    "bands from beyond": (rule(kind="bands", width="5", origin="1e999999"), ("'1E+999999'",)),
    "bands from infinity": (rule(kind="bands", width="5", origin="-inf"), ("bands.origin",)),
    "bands up to no number": (rule(kind="bands", width="5", top="NaN"), ("bands.top",)),
    "cuts beyond": (rule(kind="cuts", cuts=["1", "1e999999"]), ("'1E+999999'", "cuts")),
    "bands that end where they begin": (
        rule(kind="bands", width="5", bottom="9", top="9"),
        ("from 9 up to 9",),
    ),
    "a prefix of nothing": (rule(kind="prefix", keep=0), ("prefix with 0",)),
    "a mask of two": (rule(kind="prefix", keep=1, mask="xx"), ("'xx'",)),
    "a calendar of eons": (rule(kind="calendar", unit="eon"), ("calendar.unit",)),
    "cuts at words": (rule(kind="cuts", cuts=["here"]), ("cuts",)),
    "a rule not known": (rule(kind="magic"), ("'magic'",)),
    "no rule": (rule(), ("attributes.0.rule",)),
}


@pytest.fixture(scope="module")
def good_policy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of a policy for the patients."""
    folder = tmp_path_factory.mktemp("good")
    data = write_csv(folder / "patients.csv", PATIENTS, patients())
    roles = ("--quasi", QUASI, "--identifiers", "name,record", "--unchanged", "diagnosis")
    assert run("anonymize", data, *roles, "--out", folder / "release").code == 0
    return (folder / "release" / "policy.json").read_text()


@pytest.fixture
def policy(place: Path, good_policy: str) -> dict[str, Any]:
    """A good policy, in ``policy.json`` and as a document to be spoiled."""
    (place / "policy.json").write_text(good_policy)
    document: dict[str, Any] = json.loads(good_policy)
    return document


@pytest.mark.quick(14)
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_policy_that_is_none_is_refused(place: Path, policy: dict[str, Any], kind: str) -> None:
    """The message names the document and the entry."""
    change, says = DOCUMENTS[kind]
    change(policy)
    (place / "spoiled.json").write_text(json.dumps(policy))
    arguments = ("apply", "spoiled.json", "patients.csv", "--out", "again")
    refused(place, *arguments, says=("spoiled.json", *says))


@pytest.mark.parametrize(
    "content", ["", "age in bands", "{", "[]", "{}", "null", "3", "[" * 100_000, '{"a":' * 5000]
)
def test_a_file_that_is_no_policy_is_refused(place: Path, content: str) -> None:
    """The file is not JSON, not a policy, or nested beyond reason."""
    (place / "spoiled.json").write_text(content)
    refused(place, "apply", "spoiled.json", "patients.csv", "--out", "x", says=("spoiled.json",))


def test_a_policy_file_that_is_not_there_or_not_text_is_refused(place: Path) -> None:
    """A folder is not a policy either."""
    (place / "bytes.json").write_bytes(b"\xff\xfe\x00")
    for name in ("nowhere.json", "bytes.json", "."):
        refused(place, "apply", name, "patients.csv", "--out", "x", says=(name,))


def test_a_policy_for_other_columns_is_refused(place: Path, policy: dict[str, Any]) -> None:
    """The column that is missing is named, with a near miss."""
    assert policy["columns"]["unchanged"] == ["diagnosis"]
    write_csv(
        place / "other.csv", ("age", "sex", "zipp", "diagnosis"), [("40", "M", "02139", CANARY)]
    )
    arguments = ("apply", "policy.json", "other.csv", "--out", "again")
    refused(place, *arguments, says=("'zip'", "did you mean 'zipp'?"))


def test_a_value_that_the_policy_does_not_cover_is_refused(
    place: Path, policy: dict[str, Any]
) -> None:
    """The table, the value, the attribute and the way out are named."""
    assert policy["attributes"][0]["rule"]["kind"] == "bands"
    rows = [row[2:] for row in patients(50)] + [("many", "M", "02139", CANARY)]
    write_csv(place / "other.csv", PATIENTS[2:], rows)
    arguments = ("apply", "policy.json", "other.csv", "--out", "again")
    says = ("other.csv", "'many' of 'age'", "--unseen suppress")
    refused(place, *arguments, says=says, tells="  column ")
    refused(place, *arguments, "--unseen", "ignore", says=("--unseen", "'ignore'"))


def test_the_real_command_refuses_in_the_same_words(place: Path) -> None:
    """In a process of its own: the code, one line, nothing on standard output."""
    (place / "bad.csv").write_bytes(HEADER + GOOD + b"41,F," + CANARY.encode() + b"\n")
    before = listing(place)
    for arguments in (
        ["anonymize", "bad.csv", "--quasi", "age", "--out", "release", "--json"],
        ["anonymize", "patients.csv", "--quasi", "age", "--out", "patients.csv/x"],
    ):
        ran = run_apart(*arguments, folder=place)
        assert ran.code == 2
        assert ran.out == ""
        assert ran.error == run(*arguments).error
        assert CANARY not in ran.err
    assert listing(place) == before
