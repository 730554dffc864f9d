"""The command ``risk`` from a user's view: JSON, words, questions, files, and refusals."""

from __future__ import annotations

import io
import json
import re
import shlex
from pathlib import Path

import pytest
from commands import listing, run, without_charts
from small_tables import write_csv

from roadstead.reports.risk.questions import QUESTIONS

HEADER = ("name", "age", "sex", "zip", "illness")
QUASI = ("--quasi", "age,sex,zip")
NO = ("--no-whole-population", "--no-membership-known", "--no-self-revealing")
RISKS = {"maximum", "average", "share_above_threshold"}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a population of 600 people and a sample of 150 of them."""
    without_charts(monkeypatch)
    monkeypatch.chdir(tmp_path)
    people = [
        (
            f"Qname{i}",
            str(20 + 7 * i % 40),
            "fm"[i % 2],
            f"021{30 + i * i % 11}",
            "Qflu" if i % 3 else "Qcold",
        )
        for i in range(600)
    ]
    write_csv(tmp_path / "people.csv", HEADER, people)
    write_csv(tmp_path / "sample.csv", HEADER, people[::4])
    return tmp_path


def test_the_json_is_one_object_with_the_promised_keys() -> None:
    """Journalist risk is there where a population is known, and only there."""
    alone = run("risk", "sample.csv", *QUASI, "--json")
    assert alone.code == 0
    assert set(alone.json["prosecutor"]) == RISKS
    assert "journalist" not in alone.json
    assert {"classes", "sample_uniques", "population_uniques", "marketer"} <= set(alone.json)
    both = run("risk", "sample.csv", *QUASI, "--population", "people.csv", "--json")
    assert set(both.json["journalist"]) >= RISKS
    assert set(both.json["population_uniques"]) >= {"counted", "pitman", "zayatz", "snb", "dankar"}
    assert both.json["journalist"]["average"] <= both.json["prosecutor"]["average"]


def test_sampling_weights_are_not_counts_of_people(place: Path) -> None:
    """Fault class: with the weights of the sample itself, all risks were near zero."""
    rows = [(str(at % 40), "fm"[at % 2], str(900_000 + at)) for at in range(150)]
    write_csv(place / "weighted.csv", ("age", "sex", "v005"), rows)
    asked = ("risk", "weighted.csv", "--quasi", "age,sex", "--population")
    ran = run(*asked, "weighted.csv", "--population-counts", "v005")
    assert "weighted.csv has the same rows as the table, so 'v005' seems to contain" in ran.out
    assert "run risk with --sampling-fraction" in ran.out
    write_csv(place / "other.csv", ("age", "sex", "hhweight"), [*rows, ("41", "f", "7")])
    ran = run(*asked, "other.csv", "--population-counts", "hhweight")
    assert "'hhweight' of other.csv seems to contain sampling weights" in ran.out
    write_csv(place / "other.csv", ("age", "sex", "number"), [*rows, ("41", "f", "7")])
    assert "Warning" not in run(*asked, "other.csv", "--population-counts", "number").out
    write_csv(place / "other.csv", ("age", "sex", "v005"), [(*row[:2], "1.25") for row in rows])
    ran = run(*asked, "other.csv", "--population-counts", "v005")
    assert "'1.25' is not a whole number" in ran.error
    assert "run risk with --sampling-fraction instead" in ran.error


def test_a_value_that_the_policy_does_not_cover_leads_to_an_option_that_exists(place: Path) -> None:
    """Fault class: the advice was an option of apply, which risk does not have."""
    (place / "levels").mkdir()
    (place / "levels" / "illness.csv").write_text("Qflu;ill;*\nQcold;ill;*\n", "utf-8")
    args = ("sample.csv", "--quasi", "illness", "--hierarchies", "levels")
    fixed = ("--min-level", "illness=1", "--max-level", "illness=1")
    assert run("anonymize", *args, *fixed, "--out", "release").code == 0
    people = (place / "sample.csv").read_text("utf-8").replace("Qcold", "Qnew")
    (place / "new.csv").write_text(people, "utf-8")
    ran = run("risk", "new.csv", "--policy", "release/policy.json")
    assert "when you apply the policy to the table: --unseen suppress" in ran.error


def test_nothing_is_written_without_a_folder(place: Path) -> None:
    """And the terminal says how to have it."""
    before = listing(place)
    ran = run("risk", "sample.csv", *QUASI)
    assert ran.code == 0
    assert listing(place) == before
    assert "Nothing was written" in ran.err
    for word in ("prosecutor", "marketer", "Group size", "Unique in the table", "make records"):
        assert word in ran.out


def test_a_folder_holds_the_page_and_the_figures(place: Path) -> None:
    """The figures are those on standard output."""
    ran = run("risk", "sample.csv", *QUASI, "--sampling-fraction", "0.25", "--out", "out", "--json")
    assert set(listing(place / "out")) == {"risk.html", "risk.json"}
    document = json.loads((place / "out" / "risk.json").read_text("utf-8"))
    assert {**document, "out": "out"} == {**ran.json, "files": document["files"]}
    again = run("risk", "sample.csv", *QUASI, "--out", "out")
    assert again.code == 2
    assert "already exists" in again.error
    assert run("risk", "sample.csv", *QUASI, "--out", "out", "--force").code == 0


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("more", "model"),
    [
        (("--whole-population", "--no-membership-known", "--no-self-revealing"), "k-anonymity"),
        ((*NO, "--sampling-fraction", "0.25"), "estimated-k-map"),
        ((*NO, "--population", "people.csv"), "k-map"),
        (NO, "k-anonymity"),
    ],
)
def test_the_advised_command_makes_such_a_release(
    place: Path, more: tuple[str, ...], model: str
) -> None:
    """It is run as it is printed, and the release has the promised risk."""
    ran = run("risk", "sample.csv", *QUASI, "--advise", *more, "--json")
    advice = ran.json["advice"]
    assert advice["model"] == model
    assert advice["k"] == 5
    program, *arguments = shlex.split(advice["command"])
    assert program == "roadstead"
    assert run(*arguments, "--suppression", "1").code == 0
    policy = json.loads((place / "release" / "policy.json").read_text("utf-8"))
    assert [one["kind"] for one in policy["privacy"]] == [model]
    known = ("--population", "people.csv") if model == "k-map" else ()
    after = run("risk", "sample.csv", "--policy", "release/policy.json", *known, "--json")
    released = after.json["after"]
    if model == "k-map":
        assert released["journalist"]["maximum"] <= 0.2
    else:
        assert released["smallest_class"] >= advice["least_class_size"]


def test_open_questions_are_asked_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """On standard error, so that standard output stays one JSON object."""
    monkeypatch.setattr("roadstead.cli.carrying_out._on_a_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n\ny\n"))  # an empty line is not an answer
    ran = run("risk", "sample.csv", *QUASI, "--advise", "--no-self-revealing", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["advice"]["answers"] == {
        "whole_population": False,
        "membership_known": True,
        "self_revealing": False,
    }
    assert ran.err.count("[y/n]") == 3


def test_without_a_terminal_all_outcomes_are_told() -> None:
    """With the questions, the flags that answer them, and the command that each leads to.

    Fault class: an example of the README that ends in an error.
    """
    asked = ("risk", "sample.csv", *QUASI, "--sampling-fraction", "0.25", "--advise")
    ran = run(*asked)
    assert ran.code == 0, ran
    for question in QUESTIONS:
        name = question.name.replace("_", "-")
        assert f"{question.asks}  --{name} or --no-{name}" in ran.out
    found = run(*asked, "--json").json["advice"]
    assert [one["name"] for one in found["questions"]] == [q.name for q in QUESTIONS]
    yes, no = found["outcomes"]
    assert (yes["attacker"], no["attacker"]) == ("prosecutor", "journalist")
    for one, answers in (
        (yes, ("--membership-known", "--no-whole-population", "--no-self-revealing")),
        (no, ("--no-membership-known", "--no-whole-population", "--no-self-revealing")),
    ):
        answered = run(*asked, *answers, "--json").json["advice"]
        assert one["command"] == answered["command"]
        assert one["command"] in ran.out


def test_one_yes_leaves_nothing_open() -> None:
    """The other answers do not matter; they are requested for the record."""
    ran = run("risk", "sample.csv", *QUASI, "--advise", "--membership-known", "--json")
    assert ran.code == 0, ran
    (only,) = ran.json["advice"]["outcomes"]
    assert (only["when"], only["attacker"]) == (
        "For any answers to the open questions",
        "prosecutor",
    )
    names = [one["name"] for one in ran.json["advice"]["questions"]]
    assert names == ["whole_population", "self_revealing"]


def test_a_project_file_can_say_it_all(place: Path) -> None:
    """Table, columns, fraction and answers; what of it the advice is not for is noted."""
    (place / "study.toml").write_text(
        'data = "sample.csv"\nsampling_fraction = 0.25\n[roles]\nquasi = ["age", "sex"]\n'
        "[privacy]\nk = 7\n"
        "[advice]\nwhole_population = false\nmembership_known = false\nself_revealing = false\n",
        encoding="utf-8",
    )
    ran = run("risk", "--project", "study.toml", "--advise", "--json")
    assert ran.json["quasi"] == ["age", "sex"]
    assert ran.json["population"]["sampling_fraction"] == 0.25
    advice = ran.json["advice"]
    assert advice["model"] == "estimated-k-map"
    assert "k = 7" in advice["notes"][-1]
    assert advice["command"].startswith("roadstead anonymize --project study.toml --privacy ")
    other = run("risk", "--project", "study.toml", "--advise", "--self-revealing", "--json")
    assert other.json["advice"]["attacker"] == "prosecutor"
    people = run("risk", "--project", "study.toml", "--population", "people.csv", "--json")
    assert people.json["population"]["basis"] == "file"


def test_a_misspelled_answer_in_a_project_file_is_refused(place: Path) -> None:
    """With the key that was meant."""
    text = 'data = "sample.csv"\n[advice]\nself_reveal = true\n'
    (place / "study.toml").write_text(text, encoding="utf-8")
    ran = run("risk", "--project", "study.toml", *QUASI)
    assert ran.code == 2
    assert "did you mean advice.self_revealing?" in ran.error


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("sample.csv",), "--quasi: no quasi-identifier is named"),
        ((), "no table is given"),
        (("sample.csv", "--quasi", "age,nope"), "'nope'"),
        (("sample.csv", *QUASI, "--threshold", "1"), "--threshold"),
        (("sample.csv", *QUASI, "--sampling-fraction", "2"), "--sampling-fraction"),
        (("sample.csv", *QUASI, "--self-revealing"), "--self-revealing: an answer is given"),
        (("sample.csv", *QUASI, "--no-self-revealing"), "--no-self-revealing: an answer"),
        (("sample.csv", *QUASI, "--policy", "sample.csv"), "the JSON is not valid"),
        (("sample.csv", *QUASI, "--population", "none.csv"), "none.csv"),
        (
            ("people.csv", *QUASI, "--population", "sample.csv"),
            "no matching person is left",
        ),
        (("sample.csv", *QUASI, "--absent", "maybe"), "use stop or count"),
    ],
)
def test_a_wrong_request_is_one_line_and_leaves_nothing(
    place: Path, arguments: tuple[str, ...], says: str
) -> None:
    """Exit code 2, and no folder."""
    before = listing(place)
    ran = run("risk", *arguments, "--out", "out")
    assert ran.code == 2, ran
    assert says in ran.error
    assert ran.out == ""
    assert listing(place) == before
    assert "Qname" not in ran.err


def test_no_cell_is_told(place: Path) -> None:
    """No cell of any column; ZIP codes are long enough to recognize."""
    ran = run("risk", "sample.csv", *QUASI, "--population", "people.csv", "--out", "out")
    told = ran.out + "".join(path.read_text("utf-8") for path in (place / "out").iterdir())
    assert not re.search(r"(?<![\d.])021(3\d|40)(?!\d)", told)
    assert "Qflu" not in told
    assert "Qname" not in told
