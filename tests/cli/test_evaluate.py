"""The command ``evaluate`` from a user's view: both questions, JSON, words, files, refusals."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from commands import Ran, listing, run
from small_tables import read_csv, write_csv

from roadstead.differential.evaluation.accuracy import lower_bound_accuracy
from roadstead.verbs.evaluate.rehearsal import EvaluationProgress
from roadstead.verbs.evaluate.request import EvaluateRequest

CANARY = "CANARY-CELL"
HEADER = ("name", "age", "sex", "codes", "died")
DOMAINS = ("--target", "died", "--classes", "0,1", "--range", "age=20..59", "--values", "sex=F,M")
FAST = ("--runs", "2", "--specializations", "2", "--comparators", "none")
GOOD = (*DOMAINS, "--epsilon", "1", *FAST)


def people(records: int, shift: int = 0) -> list[tuple[str, ...]]:
    """Make up people of whom the old die."""
    made: list[tuple[str, ...]] = []
    for at in range(records):
        age, codes = 20 + (at + shift) * 7 % 40, ("401.9", "250.83")[: at % 3]
        made.append((f"Q{at}", str(age), "FM"[at % 2], "|".join(codes), str(int(age > 40))))
    return made


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table, and one of other people."""
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "people.csv", HEADER, people(300))
    write_csv(tmp_path / "others.csv", HEADER, people(100, 3))
    return tmp_path


def released(*more: str) -> None:
    """Make a release to be judged."""
    ran = run(
        *("synthesize", "people.csv", *DOMAINS, "--epsilon", "20", "--specializations", "3"),
        *("--out", "release", *more),
    )
    assert ran.code == 0, ran


def evaluated(*arguments: str | Path) -> Ran:
    """Run a good evaluation."""
    ran = run("evaluate", *arguments)
    assert ran.code == 0, ran
    return ran


def test_a_release_is_judged_on_other_records() -> None:
    """The old die, and the release shows it; the JSON says that it is not private."""
    released()
    document = evaluated("release", "--held-out", "others.csv", "--json").json
    assert document["private"] is False
    assert "NOT PRIVATE" in document["warning"]
    assert document["accuracy"]["tree"] > document["lower_bound"]["majority_of_held_out"] + 0.1
    assert set(document["accuracy"]) == {"tree", "boosted"}
    assert (document["held_out"], document["tested"]) == ("others.csv", 100)
    ran = evaluated("release", "--held-out", "others.csv", "--classifiers", "tree")
    assert ran.out.startswith("NOT PRIVATE")
    assert "boosted" not in ran.out
    assert "give --out DIR" in ran.err


@pytest.mark.nightly
def test_a_request_is_rehearsed() -> None:
    """With every budget, and the comparators on the same parts."""
    more = ("--epsilon", "0.5,1", "--runs", "2", "--specializations", "2", "--k", "3", "--json")
    document = evaluated("people.csv", *DOMAINS, *more).json
    assert [one["method"] for one in document["ways"]] == [
        *("diffgen", "diffgen", "contingency", "contingency", "top-down"),
    ]
    assert document["private"] is False
    assert document["runs"] == len(document["by_run"]) == 2
    assert document["settings"]["k"] == 3
    assert (document["train"], document["test"]) == (200, 100)
    said = evaluated("people.csv", *GOOD, "--held-out-share", "1/4", "--seed", "7").out
    assert said.startswith("NOT PRIVATE")
    assert "225 records for training and 75 held out" in said


def test_a_folder_is_written_and_replaced_only_with_force(place: Path) -> None:
    """With all figures in one document, and one line each in a table."""
    ran = evaluated("people.csv", *GOOD, "--out", "out", "--json")
    assert set(listing(place / "out")) == {"evaluation.json", "evaluation.csv"}
    document = json.loads((place / "out" / "evaluation.json").read_text(encoding="utf-8"))
    assert document["private"] is False
    assert document["baseline"] == ran.json["baseline"]
    header, *lines = read_csv(place / "out" / "evaluation.csv")
    assert header == ("run", "way", "classifier", "figure", "value")
    ca = [float(one[-1]) for one in lines if one[3] == "CA"]
    assert sum(ca) / 2 == pytest.approx(ran.json["ways"][0]["accuracy"]["tree"]["ca"]["mean"])
    before = listing(place)
    again = run("evaluate", "people.csv", *GOOD, "--out", "out")
    assert again.code == 2
    assert "already exists" in again.error
    assert listing(place) == before
    assert "Written to out" in evaluated("people.csv", *GOOD, "--out", "out", "--force").out
    (place / "out" / "mine.txt").write_text("mine")
    foreign = run("evaluate", "people.csv", *GOOD, "--out", "out", "--force")
    assert foreign.code == 2
    assert "'mine.txt'" in foreign.error
    released()
    kept = listing(place / "release")
    wrong = run("evaluate", "people.csv", *GOOD, "--out", "release", "--force")
    assert wrong.code == 2
    assert listing(place / "release") == kept


PROJECT = """
data = "people.csv"

[synthesis]
epsilon = 2
target = "died"
classes = [0, 1]
specializations = 2

[domains.age]
low = 20
high = 59

[domains.dx]
taxonomy = "icd9"

[sets.dx]
column = "codes"
delimiter = "|"
"""


@pytest.mark.nightly
def test_a_project_file_serves_both_questions(place: Path) -> None:
    """It is the request; and it says where a held-out file has the release's sets."""
    (place / "study.toml").write_text(PROJECT)
    more = ("--project", "study.toml", "--json")
    document = evaluated(*more, "--runs", "2", "--comparators", "none").json
    assert document["settings"]["epsilon"] == ["2"]
    assert set(document["settings"]["domains"]) == {"age", "dx"}
    ran = run("synthesize", "--project", "study.toml", "--out", "release")
    assert ran.code == 0, ran
    without = run("evaluate", "release", "--held-out", "others.csv")
    assert without.code == 2
    assert "name these columns with --sets dx=COLUMN" in without.error
    document = evaluated("release", "--held-out", "others.csv", *more).json
    assert document["tested"] == 100
    sets = ("--sets", "dx=codes", "--delimiter-in-sets", "|", "--json")
    assert evaluated("release", "--held-out", "others.csv", *sets).json["tested"] == 100


WRONG: dict[str, tuple[tuple[str, ...], str]] = {
    "no runs": (("people.csv", *GOOD, "--runs", "0"), "--runs: 0 is not a valid number of runs"),
    "a share too large": (
        ("people.csv", *GOOD, "--held-out-share", "1"),
        "--held-out-share: '1' is not a share of the records",
    ),
    "no request": (("people.csv",), "--epsilon: no epsilon is given"),
    "no table": ((), "no table is given"),
    "no release": (("--held-out", "others.csv"), "no release is given"),
    "a table instead of a release": (
        ("people.csv", "--held-out", "others.csv"),
        "the folder of the release to evaluate is not given",
    ),
    "nothing to judge by": (("release",), "or --held-out FILE"),
    "a request for a release that is there": (
        ("release", "--held-out", "others.csv", "--target", "died"),
        "--target: this setting is for trial runs of a request",
    ),
    "a file that is not there": (("release", "--held-out", "none.csv"), "none.csv: there is no"),
    "columns that do not match": (
        ("release", "--held-out", "columns.csv"),
        "column 'died': the table has no such column",
    ),
    "nobody inside": (
        ("release", "--held-out", "outside.csv"),
        "outside.csv: no held-out record is within the domains of the release (all "
        "3 records are outside the domains; by column: age 3)",
    ),
    "an empty file": (("release", "--held-out", "empty.csv"), "empty.csv"),
}


@pytest.mark.quick(6)
@pytest.mark.parametrize(("arguments", "says"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_in_one_line(
    place: Path, arguments: tuple[str, ...], says: str
) -> None:
    """With exit code 2, nothing written, and no cell of the table."""
    if "release" in arguments:
        released()
    write_csv(place / "columns.csv", ("age", "sex"), [("30", "F")])
    write_csv(place / "outside.csv", HEADER, [("Q", CANARY, "F", "", "0")] * 3)
    write_csv(place / "empty.csv", HEADER, [])
    before = listing(place)
    ran = run("evaluate", *arguments, "--out", "out")
    assert ran.code == 2, ran
    assert says in ran.error
    assert CANARY not in ran.err
    assert ran.out == ""
    assert listing(place) == before


def test_a_k_anonymous_release_is_to_be_compared_with_its_original(place: Path) -> None:
    """And one that is damaged fails."""
    ran = run("anonymize", "people.csv", "--quasi", "sex", "--k", "2", "--out", "anonymous")
    assert ran.code == 0, ran
    ran = run("evaluate", "anonymous", "--held-out", "others.csv")
    assert ran.code == 2
    assert "not differentially private" in ran.error
    assert "--original FILE" in ran.error
    released()
    (place / "release" / "cut.json").write_text("{}")
    damaged = run("evaluate", "release", "--held-out", "others.csv")
    assert damaged.code == 1
    assert "cut.json" in damaged.error


def struck(monkeypatch: pytest.MonkeyPatch, *times: int) -> None:
    """Send an interrupt in the middle of these runs, as Ctrl-C does."""
    calls: list[int] = []

    def measured(*tables: Any) -> float:  # noqa: ANN401 - as accuracy
        calls.append(1)
        for _ in range(times.count(len(calls))):
            signal.raise_signal(signal.SIGINT)
        return lower_bound_accuracy(*tables)

    monkeypatch.setattr("roadstead.verbs.evaluate.rehearsal.lower_bound_accuracy", measured)


def test_an_interrupt_keeps_the_runs_so_far(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are written, and said not to be all."""
    struck(monkeypatch, 2)
    ran = evaluated("people.csv", *GOOD, "--runs", "5", "--out", "out", "--json")
    assert "stopping after this run" in ran.err
    assert (ran.json["runs"], ran.json["runs_asked"]) == (2, 5)
    assert ran.json["notes"] == [
        "The evaluation stopped after 2 runs of 5. The figures are for the finished runs."
    ]
    assert (place / "out" / "evaluation.json").exists()


def test_a_second_interrupt_ends_the_command(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written."""
    struck(monkeypatch, 2, 2)
    ran = run("evaluate", "people.csv", *GOOD, "--runs", "5", "--out", "out", "--json")
    assert (ran.code, ran.out) == (130, "")
    assert not (place / "out").exists()


def test_progress_says_which_run_it_is() -> None:
    """On one line."""
    progress = EvaluationProgress(3, 10, "tree learns from the original records", 12.3)
    assert (
        EvaluateRequest.progress_line(progress)
        == "run 3 of 10, 12 s: tree learns from the original records"
    )


def test_releases_are_compared_with_their_original(place: Path) -> None:
    """Two releases: words, JSON, files and page; and nothing without an original."""
    roles = ("--quasi", "age,sex", "--unchanged", "died", "--identifiers", "name,codes")
    for k in ("3", "9"):
        ran = run("anonymize", "people.csv", *roles, "--k", k, "--out", f"k{k}")
        assert ran.code == 0, ran
    both = ("k3", "k9", "--original", "people.csv")
    words = evaluated(*both, "--formula", "died ~ age", "--draws", "3", "--out", "compared")
    assert words.out.startswith("NOT FOR SHARING")
    assert words.out.endswith(
        "Written to compared: evaluation.json, evaluation.csv, evaluation.html.\n"
    )
    assert len(listing(place / "compared")) == 3
    told = evaluated(*both, "--target", "died", "--classifiers", "tree", "--runs", "1", "--json")
    document = told.json
    assert (document["question"], document["private"]) == ("comparison", False)
    assert [one["release"] for one in document["releases"]] == ["k3", "k9"]
    for one in document["releases"]:
        assert 0 <= one["accuracy"]["tree"]["ca"]["mean"] <= 1
    assert CANARY not in told.out + told.err
    for wrong in (("k3", "k9"), ("k3", "nowhere", "--original", "people.csv")):
        assert run("evaluate", *wrong).code == 2
