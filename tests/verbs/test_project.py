"""Project files: a request in a file, read strictly, overridden by the command line."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Ran, listing, run, without_charts
from small_tables import PATIENTS, patients, read_csv, write_csv

from roadstead.errors import SettingError
from roadstead.requests.project import places, read_project
from roadstead.verbs.catalog import REQUESTS as KINDS

GOOD = """
data = "data/patients.csv"

[roles]
quasi = ["age", "sex", "zip"]
identifiers = ["name", "record"]
sensitive = ["diagnosis"]

[privacy]
k = 7
suppression = 0.1
suppressed = "drop"

[hierarchies]
age = {kind = "intervals", widths = [5, 10, 20], top = 50}
zip = {kind = "prefix", keep = [5, 3]}
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with patients in another below it."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study" / "data").mkdir(parents=True)
    write_csv(tmp_path / "study" / "data" / "patients.csv", PATIENTS, patients())
    return tmp_path


def anonymize(content: str | bytes, *more: str) -> Ran:
    """Run a project file that lies in the folder ``study``."""
    raw = content if isinstance(content, bytes) else content.encode()
    Path("study/project.toml").write_bytes(raw)
    return run("anonymize", "--project", "study/project.toml", "--json", *more)


def test_a_project_file_is_a_whole_request(place: Path) -> None:
    """Its paths start where it lies."""
    ran = anonymize(f'out = "release"\n{GOOD}')
    assert ran.code == 0, ran
    policy = ran.json["policy"]
    assert policy["privacy"] == [{"kind": "k-anonymity", "k": 7}]
    assert policy["suppression"] == {"limit": 0.1, "records": "drop"}
    assert policy["columns"]["removed"] == ["name", "record"]
    assert policy["columns"]["sensitive"] == ["diagnosis"]
    levels = {attribute["name"]: attribute["levels"] for attribute in policy["attributes"]}
    assert levels == {"age": 5, "sex": 2, "zip": 3}
    rows = read_csv(place / "study" / "release" / "patients.csv")[1:]
    assert min(Counter(row[:3] for row in rows).values()) >= 7
    assert run("verify", "study/release").code == 0


def test_the_command_line_goes_before_the_project_file(place: Path) -> None:
    """Option by option."""
    more = ("--k", "3", "--quasi", "sex", "--suppressed", "mask", "--out", "elsewhere")
    project = GOOD.partition("[hierarchies]")[0]
    ran = anonymize(project.replace("[roles]", '[roles]\nundecided = "withhold"'), *more)
    assert ran.code == 0, ran
    policy = ran.json["policy"]
    assert [attribute["name"] for attribute in policy["attributes"]] == ["sex"]
    assert policy["privacy"][0]["k"] == 3
    assert policy["suppression"] == {"limit": 0.1, "records": "mask"}
    assert (place / "elsewhere" / "certificate.json").exists()
    other = write_csv(place / "other.csv", PATIENTS, patients(100, seed=2))
    Path("study/project.toml").write_text(GOOD)
    ran = run("anonymize", other, "--project", "study/project.toml", "--json")
    assert ran.json["records"] == 100


def test_every_part_of_a_project_file_is_used(place: Path) -> None:
    """Reading, weights, levels and search."""
    (place / "study" / "levels").mkdir()
    (place / "study" / "levels" / "sex.csv").write_text("F;person;*\nM;person;*\n")
    write_csv(place / "study" / "bare.txt", None, patients(), delimiter="|")
    ran = anonymize(
        """
        data = "bare.txt"
        hierarchy_folder = "levels"
        reading = {delimiter = "|", encoding = "utf-8", header = false}
        roles = {quasi = ["column_3", "column_4"], undecided = "withhold"}
        quality = {quality = "loss", aggregate = "arithmetic", weights = {column_3 = 2}}
        levels = {min = {column_3 = 1}, max = {column_3 = 3, column_4 = 1}}
        search = {search = "exact", time_limit = 60, seed = 11}
        """,
        "--out",
        "release",
    )
    assert ran.code == 0, ran
    found = ran.json
    assert found["quality"] == {"kind": "loss", "aggregate": "arithmetic", "weights": [2.0, 1.0]}
    assert found["lattice_size"] == 3 * 2
    assert 1 <= found["levels"]["column_3"] <= 3
    certificate = (place / "release" / "certificate.json").read_text("utf-8")
    assert '"seed": 11' in certificate
    assert '"time_limit": 60' in certificate


WRONG: dict[str, tuple[str | bytes, tuple[str, ...]]] = {
    "not TOML": ("quasi = = 3", ("not valid TOML", "line 1, column 9")),
    "not text": (b"\xff\xfe", ("the project file is not UTF-8; save it as UTF-8",)),
    "nested beyond reason": ("a = " + "[" * 5000, ("project.toml",)),
    "a number of a book's length": ("k = " + "1" * 5000, ("number is too long",)),
    "a key not known": ("quazi = 1", ("quazi is not known; did you mean roles.quasi?",)),
    "a key not known below": (
        "[privacy]\nsupression = 0.1",
        ("privacy.supression is not known; did you mean privacy.suppression?",),
    ),
    "a key in capitals": (
        "[privacy]\nK = 5",
        ("privacy.K is not known; did you mean privacy.k?",),
    ),
    "a key that stands above its table": ("k = 5", ("k is not known; did you mean privacy.k?",)),
    "a key that is a table's elsewhere": (
        "[quality]\nqualty = 1",
        ("did you mean quality.quality?",),
    ),
    "a key like no other": ("[search]\nxyz = 5", ("use one of time_limit, seed, recoding",)),
    "a key without a name": ('"" = 5', ('"" is not known; use one of data, ',)),
    "a table not known": ("[privcy]\nk = 5", ("privcy is not known; did you mean privacy?",)),
    "a number for a path": ("data = 3", ("data is not text; write it in quotes",)),
    "a number for a column": ('[roles]\nquasi = ["a", 3]', ("roles.quasi, item 2 is not text",)),
    "a word for a number": (
        '[privacy]\nk = "five"',
        ("privacy.k is not a whole number; write it without quotes, for example 5",),
    ),
    "half a record": ("[privacy]\nk = 5.5", ("privacy.k is not a whole number",)),
    "a word for a share": (
        '[privacy]\nsuppression = "few"',
        ("privacy.suppression is not a number; ", "for example 0.05"),
    ),
    "a word for yes": ('[reading]\nheader = "sure"', ("reading.header is not true or false",)),
    "a text for a list": (
        '[roles]\nquasi = "age"',
        ("roles.quasi is not a list; write it in brackets",),
    ),
    "a list for a table": (
        "roles = []",
        ("roles is not a table; write its keys below [roles], one line per key: key = value",),
    ),
    "a text for a table": (
        '[levels]\nmax = "age"',
        ("levels.max is not a table; write its keys below [levels.max]",),
    ),
    "a number for a model": (
        "[privacy]\nmodels = [5]",
        ("privacy.models, item 1 is not a table; write its keys below [[privacy.models]]",),
    ),
    "a choice not known": (
        '[privacy]\nsuppressed = "hide"',
        ("privacy.suppressed should be 'mask' or 'drop'",),
    ),
    "a heavy weight": ('[quality]\nweights = {age = "heavy"}', ("quality.weights.age",)),
    "a level that is none": ("[levels]\nmax = {age = 0.5}", ("levels.max.age",)),
    "a declaration that is none": (
        "[hierarchies]\nage = 5",
        ('hierarchies.age is not a table; write, for example, {kind = "flat"}',),
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_project_file_that_is_wrong_is_refused(place: Path, kind: str) -> None:
    """In one line that names the file and the entry."""
    content, says = WRONG[kind]
    before = listing(place) | {"study/project.toml": b""}
    ran = anonymize(content, "--out", "release")
    assert (ran.code, ran.out) == (2, "")
    for part in ("study/project.toml", *says):
        assert part in ran.error, ran.error
    assert listing(place).keys() == before.keys()


REQUESTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "k = 7": ("k = 1", ("k is 1",)),
    "suppression = 0.1": ("suppression = nan", ("between 0 and 1",)),
    '"data/patients.csv"': ('"data/patient.csv"', ("did you mean patients.csv?",)),
    '"age", "sex"': ('"age", "sexx"', ("'sexx'", "did you mean 'sex'?")),
    "[5, 10, 20]": ("[5, 12]", ("'age'", "12", "multiple")),
    "top = 50": ("tip = 50", ("'age'", "'tip'")),
    '"intervals"': ('"interval"', ("'age'", "did you mean 'intervals'?")),
    "zip = {": ("zipp = {", ("'zipp'", "did you mean 'zip'?")),
}


@pytest.mark.parametrize("right", REQUESTS)
def test_a_request_that_cannot_be_met_is_refused(place: Path, right: str) -> None:
    """As if it had been typed."""
    wrong, says = REQUESTS[right]
    assert right in GOOD
    ran = anonymize(GOOD.replace(right, wrong), "--out", "release")
    assert (ran.code, ran.out) == (2, "")
    for part in says:
        assert part in ran.error, ran.error
    assert not (place / "release").exists()


LIMITED = GOOD.replace("[hierarchies]", "[levels]\nmax = {zip = 1, age = 3}\n\n[hierarchies]")
OTHER_ROLES = {
    "in another role": ('["name", "record"]', '["name", "record", "zip"]'),
    "undecided": ("sensitive = [", 'undecided = ["zip"]\nsensitive = ['),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("role", OTHER_ROLES)
def test_a_hierarchy_of_a_column_in_another_role_is_not_used(place: Path, role: str) -> None:
    """Fault class: a person moves a column, and has to find its hierarchy and its limits, too."""
    moved = LIMITED.replace('"sex", "zip"]', '"sex"]').replace(*OTHER_ROLES[role])
    (place / "study" / "project.toml").write_text(moved)
    ran = run("anonymize", "--project", "study/project.toml", "--out", "release")
    assert ran.code == 0, ran.error
    assert (
        "Not used, because only quasi-identifiers have levels: a hierarchy for zip and a highest "
        "level for zip (in project.toml)." in ran.out
    )
    assert "zip" not in (place / "release" / "patients.csv").read_text().splitlines()[0]
    found = run("frontier", "--project", "study/project.toml")
    assert found.code == 0, found.error
    assert "have levels: a hierarchy for zip (in project.toml)." in found.out
    given = run(
        *("anonymize", "--project", "study/project.toml"), "--max-level", "zip=1", "--out", "again"
    )
    assert "a level limit names 'zip', which is not a quasi-identifier" in given.error


def test_a_role_on_the_command_line_replaces_the_role_of_a_column_with_a_hierarchy() -> None:
    """The project file does not have to be edited."""
    ran = anonymize(LIMITED, "--identifiers", "zip")
    assert ran.code == 0, ran.error


def test_a_project_file_that_is_not_there_is_refused(place: Path) -> None:
    """A folder is refused too."""
    for name, says in (
        ("nowhere.toml", "the project file does not exist"),
        ("study", "cannot be read (it is a folder); give"),
    ):
        ran = run("anonymize", "--project", name)
        assert (ran.code, ran.out) == (2, "")
        assert name in ran.error
        assert says in ran.error
    with pytest.raises(SettingError, match="the project file does not exist"):
        read_project(place / "nowhere.toml", KINDS)


def test_a_byte_order_mark_is_no_part_of_a_project_file(place: Path) -> None:
    """Some editors put one before everything."""
    path = place / "marked.toml"
    path.write_text("[privacy]\nk = 7\n", encoding="utf-8-sig")
    assert read_project(path, KINDS).get("privacy.k") == 7


def test_an_empty_project_file_asks_for_nothing(place: Path) -> None:
    """All is left to the defaults and the command line."""
    path = place / "empty.toml"
    path.write_text("")
    assert not read_project(path, KINDS).values


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[privacy]\nk = "2"', "privacy.k is not a whole number; write it without quotes"),
        ("[privacy]\nk = true", "privacy.k is not a whole number"),
        ("[privacy]\nk = 2.0", "privacy.k is not a whole number"),
        ('[privacy]\nsuppression = "5%"', "privacy.suppression is not a number; write it"),
        ('[privacy]\nsuppression = "0.05"', "privacy.suppression is not a number"),
        (
            '[[privacy.models]]\nkind = "k-map"\nk = "2"',
            "privacy.models.k, item 1 is not a number; write it without quotes",
        ),
        ('[reading]\nheader = "yes"', "reading.header is not true or false; write true or false"),
        ("[reading]\nheader = 1", "reading.header is not true or false"),
        ('[levels.min]\nage = "1"', "levels.min.age is not a whole number"),
        ('[quality.weights]\nage = "2"', "quality.weights.age is not a number"),
        ('[domains]\nage = {low = "1", high = 9}', "domains.age.low is not a number"),
        ('[advice]\nself_revealing = "true"', "advice.self_revealing is not true or false"),
    ],
)
def test_a_value_of_another_type_is_refused_and_not_converted(
    tmp_path: Path, text: str, says: str
) -> None:
    """A number in quotes is a mistake in the file, and the message says how to write it.

    Fault class: input that is guessed at.
    """
    (tmp_path / "study.toml").write_text(text, "utf-8")
    with pytest.raises(SettingError) as refused:
        read_project(tmp_path / "study.toml", KINDS)
    assert says in refused.value.message


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_regular_file_is_no_project_file(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """A pipe is not waited for, and a device not read to an end that it has not.

    Fault class: input without an end.
    """
    make(tmp_path / "study.toml")
    with pytest.raises(SettingError, match=r"it is (a folder|not a regular file)"):
        read_project(tmp_path / "study.toml", KINDS)


def test_a_project_file_beyond_the_size_limit_is_refused(tmp_path: Path) -> None:
    """A project file is written by people.

    Fault class: input without an end.
    """
    with (tmp_path / "study.toml").open("wb") as stream:
        stream.truncate(1 << 25)
    with pytest.raises(SettingError, match="it is larger than 16 MiB"):
        read_project(tmp_path / "study.toml", KINDS)


def test_former_names_of_keys_are_read_as_the_current_names() -> None:
    """A project file of an earlier version gives the same roles and the same loss."""
    former = GOOD.replace("identifiers =", "identifying =") + '[quality]\nweigh = "rows"\n'
    current = GOOD + '[quality]\naverage_over = "rows"\n'
    values = []
    for content in (former, current):
        Path("study/project.toml").write_text(content, "utf-8")
        values.append(read_project(Path("study/project.toml"), KINDS).values)
    assert values[0] == values[1]
    assert values[0]["roles.identifiers"] == ("name", "record")


def test_both_names_of_a_key_are_refused() -> None:
    """Roadstead does not choose between two lists of direct identifiers."""
    ran = anonymize(GOOD.replace("identifiers =", 'identifying = ["age"]\nidentifiers ='))
    assert ran.code == 2
    assert "has both roles.identifying and roles.identifiers" in ran.error


def test_a_folder_of_hierarchies_that_is_given_goes_before_the_file(place: Path) -> None:
    """The folder that the file itself names does not."""
    (place / "study" / "given").mkdir()
    rows = "".join(f"{sex};either;*\n" for sex in "FM")
    (place / "study" / "given" / "sex.csv").write_text(rows)
    declared = f'{GOOD}sex = {{kind = "flat"}}\n'
    for content, more, levels in (
        (declared, (), 2),
        (declared, ("--hierarchies", "study/given"), 3),
        (f'hierarchy_folder = "given"\n{declared}', (), 2),
    ):
        ran = anonymize(content, *more)
        found = {one["name"]: one["levels"] for one in ran.json["policy"]["attributes"]}
        assert found["sex"] == levels, ran
        assert found["age"] == 5


def test_the_page_about_the_project_file_has_every_key() -> None:
    """Each key is in the section of its table, or with the name of the table."""
    text = (Path(__file__).parents[2] / "docs" / "project-file.md").read_text(encoding="utf-8")
    sections = dict.fromkeys(("", *re.findall(r"`\[+(\w+)", text)), "")
    for part in re.split(r"\n(?=`\[)", text):
        named = re.match(r"`\[+(\w+)", part)
        sections[named[1] if named else ""] += part
    for place in places(tuple(KINDS)):
        table, _, key = place.rpartition(".")
        known = f"`{place}`" in text or f"`{key}`" in sections.get(table, "")
        assert known or (not table and key in sections), place
