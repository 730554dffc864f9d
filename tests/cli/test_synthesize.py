"""The command ``synthesize`` from a user's view: JSON, words, files, and refusals.

Chance is not repeatable, so the samples are compared with facts that are true for any sample.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import Ran, listing, run
from small_tables import read_csv, write_csv

from roadstead.verbs.synthesize.synthesis import synthesized

CANARY = "CANARY-CELL"
HEADER = ("name", "age", "sex", "codes", "dx1", "dx2", "died")
PROMISED = {"epsilon", "ledger", "specializations", "groups", "records", "seconds"}
SEX = ("--values", "sex=F,M")
BASE = ("--epsilon", "1", "--target", "died", "--classes", "0,1")
GOOD = (*BASE, "--range", "age=20..59", *SEX, "--specializations", "3")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with 600 people, and a second table of their codes."""
    monkeypatch.chdir(tmp_path)
    people = []
    for at in range(600):
        age, codes = 20 + at * 7 % 40, ("401.9", "250.83")[: at % 3]
        row = (f"Q{at}", str(age), "FM"[at % 2], "|".join(codes), *(*codes, "?", "?")[:2])
        people.append((*row, str(int(age > 40))))
    write_csv(tmp_path / "people.csv", HEADER, people)
    visits = [(row[0], code, "1") for row in people for code in row[3].split("|") if code]
    write_csv(tmp_path / "codes.csv", ("name", "code", "visit"), visits)
    return tmp_path


def released(*more: str | Path, good: tuple[str, ...] = GOOD) -> Ran:
    """Run a good request, and more."""
    ran = run("synthesize", "people.csv", *good, *more)
    assert ran.code == 0, ran
    return ran


def test_the_json_is_one_object_with_the_promised_keys() -> None:
    """And the ledger adds up."""
    document = released("--json").json
    assert set(document) >= PROMISED
    assert document["epsilon"] == 1
    assert sum(one["epsilon"] for one in document["ledger"]) == pytest.approx(1)
    assert document["specializations"] == len(document["steps"]) == 3
    assert "epsilon = 1" in document["guarantee"]
    assert document["settings"]["domains"] == {
        "age": "declared: 20 to 59",
        "sex": "declared: 2 values",
    }


def test_words_tell_the_guarantee_the_cut_and_the_budget() -> None:
    """And that what was not written is gone."""
    ran = released()
    for word in ("e^1 = 2.72", "3 specializations", "Budget", "together", "groups", "lists"):
        assert word in ran.out
    assert "choice of specialization  " in ran.out
    assert "Nothing was written" in ran.err
    assert "The next run draws new noise" in ran.err


def test_a_number_of_specializations_is_chosen_where_none_is_given() -> None:
    """Privately: the choice is in the ledger."""
    for more in ((), ("--specializations", "auto")):
        document = released("--json", *more, good=GOOD[:-2]).json
        steps = [one["step"] for one in document["ledger"]]
        assert "choice of the number of specializations" in steps
        assert document["settings"]["specializations"] == "auto"


def test_a_folder_is_written_verified_and_replaced_only_with_force(place: Path) -> None:
    """The folder has the same tables as the JSON."""
    ran = released("--out", "out", "--json")
    assert ran.json["verified"] is True
    assert set(listing(place / "out")) >= {"groups.csv", "records.csv", "cut.json", "report.html"}
    header, *records = read_csv(place / "out" / "records.csv")
    assert header == ("age", "sex", "died")
    assert len(records) == ran.json["records"]
    assert {record[-1] for record in records} <= {"0", "1"}
    verified = run("verify", "out")
    assert verified.code == 0
    last = verified.out.splitlines()[-1]
    assert last.startswith("Passed: differential privacy with epsilon ")
    assert "whether the random choices were made as stated, so this depends on the people" in last
    before = listing(place)
    again = run("synthesize", "people.csv", *GOOD, "--out", "out")
    assert again.code == 2
    assert "already exists" in again.error
    assert listing(place) == before
    assert (
        "Read out/report.html. Check the release with: roadstead verify out"
        in released("--out", "out", "--force").out
    )
    (place / "out" / "mine.txt").write_text("mine")
    foreign = run("synthesize", "people.csv", *GOOD, "--out", "out", "--force")
    assert foreign.code == 2
    assert "'mine.txt'" in foreign.error


def test_what_is_private_is_told_on_standard_error_alone(place: Path) -> None:
    """How many records were left out, and how many there were."""
    rows = read_csv(place / "people.csv")[1:]
    odd = [("Q", "104", "F", "", "", "", "1")] * 83 + [("Q", "30", CANARY, "", "", "", "1")] * 97
    write_csv(place / "people.csv", HEADER, [*rows, *odd])
    noiseless = ("--epsilon", "1000000")  # or noise might show one of the numbers by chance
    ran = released("--out", "out", *noiseless)
    assert "for your eyes only: 97 records of 780 were left out" in ran.err
    assert "for your eyes only: age is outside its range in 83 records" in ran.err
    assert CANARY not in ran.out + ran.err
    written = "".join(
        (place / "out" / name).read_text()
        for name in ("certificate.json", "cut.json", "report.html")
    )
    assert CANARY not in written
    document = released("--json", *noiseless).json
    assert document["records"] == 683
    for number in (97, 780, 83):
        assert f": {number}," not in json.dumps(document)
        assert f" {number} " not in f" {written} ".replace(",", " ")


def test_a_run_told_to_stop_names_one_cell(place: Path) -> None:
    """With exit code 2."""
    rows = read_csv(place / "people.csv")[1:]
    odd = [("Q", "30", "X", "", "", "", "1"), (CANARY, "30", "Y", "", "", "", "1")]
    write_csv(place / "people.csv", HEADER, [*rows, *odd])
    before = listing(place)
    ran = run("synthesize", "people.csv", *GOOD, "--outside", "stop", "--out", "out")
    assert ran.code == 2
    assert "column 'sex': 'X' is outside the declared domain" in ran.error
    assert "'Y'" not in ran.err
    assert CANARY not in ran.err
    assert listing(place) == before


SETS: dict[str, tuple[str, ...]] = {
    "a text with delimiters": ("--sets", "dx=codes", "--delimiter-in-sets", "|"),
    "columns": ("--sets", "dx=dx1+dx2"),
    "a second table": ("--sets", "dx=codes.csv:name:code"),
    "a second table in order": (
        *("--sets", "dx=codes.csv:name:code:visit"),
        *("--sequence", "dx", "--longest", "2"),
    ),
    "columns in order": ("--sets", "dx=dx1+dx2", "--sequence", "dx", "--longest", "2"),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("form", SETS.values(), ids=SETS)
def test_sets_are_taken_in_every_form(place: Path, form: tuple[str, ...]) -> None:
    """By a code book that needs no file."""
    more = ("--taxonomy", "dx=icd9", "--fanout", "dx=3", "--out", "out", "--json")
    document = released(*form, *more).json
    assert list(document["cut"]) == ["age", "sex", "dx"]
    origin = document["settings"]["domains"]["dx"]
    assert origin.startswith("ICD-9-CM")
    assert "at most 3 below a node" in origin
    assert ("positions 1 to 2" in origin) == ("--sequence" in form)
    assert ("codes.csv" in document["unit"]) == ("codes.csv" in form[1])
    assert read_csv(place / "out" / "records.csv")[0] == ("age", "sex", "dx", "died")


def test_a_negative_range_and_a_step_are_read() -> None:
    """As any other range."""
    good = (*BASE, "--range", "age=-10..99.5/0.5", "--specializations", "1")
    document = released("--json", good=good).json
    assert document["settings"]["domains"] == {"age": "declared: -10 to 99.5 in steps of 0.5"}


def test_classes_may_be_named_with_the_target_and_have_equals_signs(place: Path) -> None:
    """As the incomes of the census do."""
    rows = [(str(at % 40 + 20), "<=50K" if at % 3 else ">50K") for at in range(300)]
    write_csv(place / "people.csv", ("age", "income"), rows)
    for classes in ("<=50K,>50K", "income=<=50K,>50K"):
        good = ("--epsilon", "9", "--target", "income", "--classes", classes)
        document = released("--json", "--range", "age=20..59", good=good).json
        assert document["classes"] == ["<=50K", ">50K"]


def test_hierarchy_files_are_domains(place: Path) -> None:
    """As `anonymize` takes them."""
    (place / "levels").mkdir()
    (place / "levels" / "sex.csv").write_text("F;person;*\nM;person;*\n")
    document = released("--json", "--hierarchies", "levels", good=BASE).json
    assert document["settings"]["domains"] == {"sex": "sex.csv"}


PROJECT = """
data = "people.csv"

[roles]
identifiers = ["name"]

[synthesis]
epsilon = 0.1
target = "died"
classes = [0, 1]
specializations = 2
score = "info-gain"
outside = "stop"

[domains.age]
low = 20
high = 59.5
step = 0.5

[domains.sex]
values = ["F", "M"]

[domains.dx]
taxonomy = "icd9"
fanout = 5

[sets.dx]
file = "codes.csv"
key = "name"
code = "code"
order = "visit"
longest = 2
"""


def test_a_project_file_is_a_whole_request(place: Path) -> None:
    """Its paths start at its folder; options override it."""
    study = place / "study"
    study.mkdir()
    for name in ("people.csv", "codes.csv"):
        (place / name).rename(study / name)
    (study / "study.toml").write_text(PROJECT)
    ran = run("synthesize", "--project", "study/study.toml", "--json")
    assert ran.code == 0, ran
    assert ran.json["epsilon"] == 0.1
    assert ran.json["settings"] == {
        "epsilon": "1/10",
        "specializations": 2,
        "score": "info-gain",
        "outside": "stop",
        "target": "died",
        "classes": ["0", "1"],
        "domains": {
            "age": "declared: 20 to 59.5 in steps of 0.5",
            "sex": "declared: 2 values",
            "dx": "ICD-9-CM, at positions 1 to 2, at most 5 below a node",
        },
    }
    more = ("--epsilon", "1/3", "--range", "age=0..99", "--values", "dx=401.9,250.83", "--score")
    ran = run(
        "synthesize", "--project", "study/study.toml", "--json", *more, "max", "--fanout", "2"
    )
    assert ran.code == 0, ran
    assert (ran.json["epsilon"], ran.json["settings"]["score"]) == (1 / 3, "max")
    assert ran.json["settings"]["domains"]["age"] == "declared: 0 to 99"
    assert ran.json["settings"]["domains"]["dx"].startswith("declared: 2 values")


WRONG_PROJECTS: dict[str, tuple[str, str]] = {
    "a key not known": ("[domains.age]\nlowest = 1", "domains.age.lowest is not known"),
    "a near miss": ("[domains.age]\nhigt = 1", "did you mean domains.age.high?"),
    "a near miss in a set": ("[sets.dx]\ncolum = 'a'", "did you mean sets.dx.column?"),
    "one end": ("[domains.age]\nlow = 1", "domains.age: a range requires both ends"),
    "no number": ("[domains.age]\nlow = 'x'\nhigh = 2", "domains.age.low is not a number"),
    "no table": ("[domains]\nage = 5", "domains.age is not a table; write its keys below"),
    "no list": ("[domains.sex]\nvalues = 'FM'", "domains.sex.values is not a list"),
    "an epsilon that is none": ("[synthesis]\nepsilon = [1]", "synthesis.epsilon is not text"),
    "the target an identifier": (
        "[roles]\nidentifiers = ['died']",
        "'died': this column is a direct identifier, but",
    ),
}


@pytest.mark.parametrize(("content", "says"), WRONG_PROJECTS.values(), ids=WRONG_PROJECTS)
def test_a_project_file_with_a_mistake_says_where(place: Path, content: str, says: str) -> None:
    """In its own words."""
    (place / "wrong.toml").write_text(content)
    ran = run("synthesize", "people.csv", *BASE, *SEX, "--project", "wrong.toml")
    assert ran.code == 2, ran
    assert says in ran.error


REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "no epsilon": (("--target", "died", "--classes", "0,1", *SEX), "no epsilon is given"),
    "an epsilon of 0": ((*GOOD, "--epsilon", "0"), "epsilon is 0, but must be above 0"),
    "a negative epsilon": ((*GOOD, "--epsilon", "-1"), "but must be above 0"),
    "nan": ((*GOOD, "--epsilon", "nan"), "'nan' is not a valid epsilon"),
    "infinity": ((*GOOD, "--epsilon", "inf"), "'inf' is not a valid epsilon"),
    "a seed": ((*GOOD, "--seed", "7"), "an attacker who knows the seed could remove the noise"),
    "no target": (("--epsilon", "1", "--classes", "0,1", *SEX), "--for everything"),
    "a target not there": ((*GOOD, "--target", "dide"), "did you mean 'died'?"),
    "no classes": (
        ("--epsilon", "1", "--target", "died", *SEX),
        "declare --classes died=A,B, based on what the column can contain, not on this table",
    ),
    "classes of another": ((*GOOD, "--classes", "sex=0,1"), "the target is 'died'"),
    "one class": (("--epsilon", "1", "--target", "died", "--classes", "1", *SEX), "nothing to pre"),
    "the target in quasi": ((*GOOD, "--quasi", "age,died"), "is the target and also an attribute"),
    "the target in a set": ((*GOOD, "--sets", "dx=dx1+died"), "part of the set 'dx'"),
    "an undeclared column": (
        (*GOOD, "--quasi", "age,dx1"),
        "column 'dx1': no domain is declared for this column; declare --range dx1=LOW..HIGH "
        "or --values dx1=A,B,C, based on what the column can contain, not on this table",
    ),
    "an undeclared set": ((*GOOD, "--sets", "dx=dx1+dx2"), "declare --taxonomy dx=icd9"),
    "nothing declared": (BASE, "no attribute has a declared domain"),
    "no range": ((*GOOD, "--range", "dx1=1-2"), "write LOW..HIGH, such as 15..95"),
    "a range of nothing": ((*GOOD, "--range", "1..2"), "'1..2' is not NAME=LOW..HIGH"),
    "values of nothing": ((*GOOD, "--values", "F,M"), "'F,M' is not NAME=A,B,C"),
    "a column twice": ((*GOOD, "--range", "age=1..2"), "'age' is given twice"),
    "values twice": ((*GOOD, *SEX), "'sex' is given twice"),
    "range and values": ((*GOOD, "--values", "age=1,2"), "leave one of them out"),
    "a negative number of steps": (
        (*GOOD, "--specializations", "-1"),
        "-1 is not a valid number of specializations",
    ),
    "no number of steps": ((*GOOD, "--specializations", "few"), "'few' is not a number of spec"),
    "a score not known": ((*GOOD, "--score", "gini"), "use max or max-gain or info-gain"),
    "a policy not known": ((*GOOD, "--outside", "drop"), "use leave-out or stop"),
    "a fan-out of one": ((*GOOD, "--fanout", "1"), "allow at least 2"),
    "no fan-out": ((*GOOD, "--fanout", "sex=x"), "is not a number of children"),
    "a set of nothing": ((*GOOD, "--sets", "=dx1"), "a set requires a name and a place"),
    "a set twice": ((*GOOD, "--sets", "dx=dx1+dx2,dx=codes"), "'dx' is given twice"),
    "a delimiter of nothing": (
        (*GOOD, "--delimiter-in-sets", "|"),
        "this setting is for sets in a single column",
    ),
    "a sequence of no set": ((*GOOD, "--sequence", "dx"), "'dx' is not a set"),
    "an endless sequence": (
        (*GOOD, "--sets", "dx=dx1+dx2", "--sequence", "dx"),
        "give --longest N",
    ),
    "an order without length": ((*GOOD, "--sets", "dx=codes.csv:name:code:visit"), "--longest N"),
    "a sequence without order": (
        (*GOOD, "--sets", "dx=codes.csv:name:code", "--sequence", "dx", "--longest", "2"),
        "write --sets dx=DATA:KEY:CODE:ORDER",
    ),
    "a length of nothing": ((*GOOD, "--longest", "2"), "no sequence is named"),
    "a second table not there": (
        (*GOOD, "--sets", "dx=no.csv:name:code", "--taxonomy", "dx=icd9"),
        "no.csv",
    ),
    "a taxonomy not there": ((*GOOD, "--taxonomy", "dx1=no.csv"), "no.csv"),
    "a table not there": (("--data-is-missing",), "No such option"),
}


@pytest.mark.parametrize(("request_", "says"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_request_is_refused_in_one_line(
    place: Path, request_: tuple[str, ...], says: str
) -> None:
    """With exit code 2, a fix, and nothing written."""
    before = listing(place)
    ran = run("synthesize", "people.csv", *request_, "--out", "out")
    assert ran.code == 2, ran
    assert ran.out == ""
    assert says in ran.error, ran.error
    assert listing(place) == before


def test_a_large_epsilon_is_warned_of() -> None:
    """On standard error and in the result."""
    ran = released("--epsilon", "12", "--json")
    assert "warning: An epsilon of 12 gives hardly any protection" in ran.err
    assert any("e^12 = 162,755" in note for note in ran.json["notes"])


def test_a_large_delta_is_noted() -> None:
    """Where it is not much smaller than one divided by the records; a usual one is not."""
    sample = ("--for", "sample", "--epsilon", "2", "--range", "age=20..59", *SEX)
    ran = released("--delta", "0.5", "--json", good=sample)
    assert any(
        "A delta of 0.5 is not much smaller than one divided" in one for one in ran.json["notes"]
    )
    assert not released("--delta", "1e-6", "--json", good=sample).json["notes"]


def test_no_specialization_tells_the_classes_alone() -> None:
    """And says so."""
    ran = released("--specializations", "0")
    assert "0 specializations" in ran.out
    assert "only the distribution of the target classes" in ran.out


def test_without_the_library_the_command_that_installs_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before the table is read."""
    monkeypatch.setitem(sys.modules, "opendp", None)
    ran = run("synthesize", "nowhere.csv", *GOOD)
    assert ran.code == 2
    ran = run("synthesize", "people.csv", *GOOD)
    assert ran.code == 2
    assert ran.error == "differential privacy requires OpenDP; pip install 'roadstead[dp]'"


def test_an_interrupt_writes_nothing_and_says_what_that_means(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the budget may be spent, but no one saw an answer."""

    def interrupted(*given: Any, **more: Any) -> None:  # noqa: ANN401 - as what it stands for
        assert synthesized(*given, **more).facts.records > 0
        raise KeyboardInterrupt

    monkeypatch.setattr("roadstead.verbs.synthesize.run.synthesized", interrupted)
    before = listing(place)
    ran = run("synthesize", "people.csv", *GOOD, "--out", "out")
    assert (ran.code, ran.out) == (130, "")
    assert "used none of the privacy budget" in ran.err
    assert listing(place) == before
