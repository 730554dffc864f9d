"""Bad input to ``frontier``: exit code 2, one line with the fix, and no files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import Ran, listing, run, undrawn
from small_tables import PATIENTS, QUASI, patients, write_csv

CANARY = "CANARY-CELL"
"""Text of cells that no message may repeat."""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table, its population and margins of it; pages are of one word."""
    undrawn(monkeypatch)
    monkeypatch.setattr("roadstead.reports.frontier.page.frontier_page", lambda *_: "<p>page")
    monkeypatch.chdir(tmp_path)
    rows = patients()
    write_csv(tmp_path / "patients.csv", PATIENTS, rows)
    names = tuple(QUASI.split(","))
    people = [(*row[2:5], "3") for row in sorted({row[2:5]: row for row in rows}.values())]
    write_csv(tmp_path / "people.csv", (*names, "people"), people)
    write_csv(tmp_path / "sexes.csv", ("sex", "people"), [("F", "300"), ("M", "300")])
    return tmp_path


WHY = "--choose-reason=These are made-up people of a test"


def frontier(*more: str | Path, data: str = "patients.csv", quasi: str = QUASI) -> list[str | Path]:
    """Arguments of a good request, and what spoils it."""
    request: list[str | Path] = ["frontier", data, "--quasi", quasi]
    identifiers = ["--identifiers", "name,record"] if data == "patients.csv" else []
    return [*request, *identifiers, "--search", "steepest", "--out", "out", "--json", *more]


def refused(place: Path, *arguments: str | Path, says: tuple[str, ...] = ()) -> Ran:
    """Run a command that must be refused, and see that it left no trace but its one line."""
    before = listing(place)
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, ""), ran
    assert listing(place) == before
    assert CANARY not in ran.err
    for part in says:
        assert part in ran.error, ran.error
    return ran


OPTIONS: dict[str, tuple[str, ...]] = {
    "--gamma=0": ("gamma is 0", "above 0"),
    "--gamma=-1": ("gamma is -1",),
    "--gamma=nan": ("gamma is nan",),
    "--gamma=inf": ("gamma is inf",),
    "--gamma=much": ("--gamma", "number"),
    "--k=5": ("--k", "--risk-measure at-risk"),
    "--risk-measure=at-risk --gamma=1": ("--gamma", "--risk-measure population"),
    "--risk-measure=at-risk --k=1": ("k is 1", "from 2"),
    "--risk-measure=magic": ("'magic'", "population, at-risk"),
    "--quality=magic": ("'magic'", "divergence"),
    "--search=magic": ("'magic'", "combined", "exact"),
    "--search=bisecting": ("'bisecting'", "combined"),
    "--search=bisecting --threshold=0": ("the threshold is 0",),
    "--search=bisecting --threshold=2": ("the threshold is 2", "at most 1"),
    "--threshold=5%": ("'5%'", "safe-harbor, models"),
    "--search=directed --threshold=models": ("no privacy model", "--privacy"),
    "--privacy=k-anonymity:k=5": ("--privacy", "--threshold models"),
    "--iterations=0": ("--iterations", "1 or more"),
    "--iterations=3": ("--iterations", "--threshold"),
    "--evaluations=0": ("--evaluations", "1 or more"),
    "--evaluations=many": ("--evaluations", "whole number"),
    "--time-limit=-1": ("--time-limit", "-1"),
    "--time-limit=nan": ("--time-limit", "nan"),
    "--seed=-1": ("--seed", "0 or more"),
    "--choose=100000": ("--choose", "choose a number from 0 to"),
    "--choose=-1": ("--choose", "choose a number from 0 to"),
    "--choose=x": ("--choose", "whole number"),
    "--choose=0 --risk=0.5": ("--choose, --risk", "leave one of them out"),
    "--risk=5": ("--risk", "between 0 and 1"),
    "--risk=nan": ("--risk", "between 0 and 1"),
    "--risk=-0.1": ("--risk", "between 0 and 1"),
    "--order=sex": ("'sex'", "race=White"),
    "--order==F,M": ("'=F,M'",),
    "--order=sex=F": ("does not include 'M'",),
    "--order=sex=F,M,F": ("'F' twice",),
    "--order=diagnosis=flu": ("'diagnosis'", "not a quasi-identifier"),
    "--order=sex=F,M --order=sex=M,F": ("two orders", "'sex'"),
    "--population=nowhere.csv": ("nowhere.csv", "no such file"),
    "--population=people.csv": ("people.csv", "--absent count"),
    "--population=people.csv --population-counts=persons": ("'persons'", "no such column"),
    "--population=people.csv --population-counts=zip": ("'zip'", "twice"),
    "--population=sexes.csv --population-counts=people": ("'age'", "has no column"),
    "--population-counts=people": ("--population-counts", "--population FILE"),
    "--margin=sexes.csv": ("--margin", "--population-counts"),
    "--margin=sexes.csv --population-counts=people": ("sexes.csv", "no margin has age, zip"),
    "--margin=sexes.csv --population=people.csv --population-counts=people": (
        "--population, --margin",
    ),
    "--absent=ignore": ("--absent", "stop or count"),
    "--sensitive=sex": ("'sex'",),
    "--hierarchies=nowhere": ("nowhere",),
    "--hierarchy=x": ("--hierarchy", "--hierarchies"),
    "--bogus": ("--bogus", "roadstead frontier --help"),
}


@pytest.mark.quick(20)
@pytest.mark.parametrize("options", OPTIONS)
def test_an_option_out_of_its_range_is_refused(place: Path, options: str) -> None:
    """The message names the option, the value and what it may be."""
    refused(place, *frontier(*options.split()), says=OPTIONS[options])


@pytest.mark.parametrize("choice", ["--choose=0", "--risk=0.5"])
def test_a_choice_without_a_place_for_it_is_refused(place: Path, choice: str) -> None:
    """Before the table is read: it need not even be there."""
    ran = refused(place, "frontier", "nowhere.csv", "--quasi", QUASI, choice)
    assert "add --out DIR" in ran.error
    assert len(ran.err.splitlines()) == 1


def test_a_request_without_a_table_or_quasi_identifiers_is_refused(place: Path) -> None:
    """Neither is guessed."""
    refused(place, "frontier", "--quasi", "age", says=("no table", "--project"))
    refused(place, "frontier", "patients.csv", says=("--quasi",))
    refused(place, *frontier(quasi="age,sexx"), says=("'sexx'", "did you mean 'sex'?"))


TABLES: dict[str, tuple[str, list[str], tuple[str, ...]]] = {
    "an empty file": ("age", [], ("bad.csv", "no records")),
    "numbers and more": ("age", ["40", "41", "unknown"], ("'age'", "'unknown'", "--order age=")),
    "too old": ("age", ["40", "41", "121"], ("'age'", "'121'", "above 120")),
    "not born": ("age", ["40", "41", "-1"], ("'age'", "'-1'", "negative")),
    "letters": ("zip", ["02139", "02140", "0213A"], ("'zip'", "'0213A'", "five digits")),
    "no zero": ("zip", ["02139", "02140", "2139"], ("'zip'", "'2139'", "leading zeros")),
    "half of ZIP+4": ("zip", ["02139", "02140", "02139-12"], ("'zip'", "'02139-12'")),
    "no date": ("born", ["2001-01-01", "2001-01-02", "soon"], ("'born'", "'soon'", "dates")),
    "too many": ("ward", [str(7 * n) for n in range(20_000)], ("19,999 possible cuts", "'ward'")),
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_column_without_an_order_is_refused(place: Path, kind: str) -> None:
    """The column and the one value are named; no other cell is shown."""
    name, values, says = TABLES[kind]
    rows = [(value, CANARY) for value in values]
    write_csv(place / "bad.csv", (name, "note"), rows)
    refused(place, *frontier(data="bad.csv", quasi=name), says=says)


ODD: dict[str, tuple[str, list[str]]] = {
    "one record": ("age", ["40"]),
    "equal records": ("age", ["40"] * 6),
    "nothing but missing values": ("age", [""] * 6),
    "a name with quotes, signs and other letters": (
        'a"ge; \N{LATIN SMALL LETTER U WITH DIAERESIS}',
        ["40", "41", "42", "42"],
    ),
    "a name like an option": ("--age", ["40", "41"]),
    "ZIP+4": ("zip", ["02139-1234", "02139-1235", "02140"]),
    "markup": ("ward", ["<script>alert(1)</script>", "b&b"] * 6),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", ODD)
def test_an_odd_table_is_taken(place: Path, kind: str) -> None:
    """From a release of the most general policy to a release of the original data."""
    name, values = ODD[kind]
    write_csv(place / "odd.csv", (name, "sex"), [(value, "F") for value in values])
    quasi = '"' + name.replace('"', '""') + '",sex'
    ran = run(*frontier("--choose=0", WHY, data="odd.csv", quasi=quasi))
    assert ran.code == 0, ran
    assert ran.json["points"][-1]["utility_loss"] == pytest.approx(0.0, abs=1e-9)
    assert run("verify", "out/release").code == 0


def test_no_message_or_document_holds_more_than_it_must(place: Path) -> None:
    """Names, numbers of records, and diagnoses of patients are only in the release.

    Domains of the quasi-identifiers are listed, because policies cut them; the output says so.
    """
    ran = run(*frontier("--risk", "0.5", WHY))
    words = run("frontier", "patients.csv", "--quasi", QUASI, "--search", "steepest")
    assert (ran.code, words.code) == (0, 0)
    documents = [
        ran.out,
        ran.err,
        words.out,
        words.err,
        (place / "out" / "frontier.json").read_text(),
        (place / "out" / "release" / "policy.json").read_text(),
        (place / "out" / "release" / "certificate.json").read_text(),
    ]
    secret = {cell for row in patients() for cell in (row[0], row[1], row[5])}
    for text in documents:
        assert not any(re.search(rf"(?<!\w){re.escape(cell)}(?!\w)", text) for cell in secret)
        assert str(place) not in text
    codes = {row[4] for row in patients()}
    assert not any(code in ran.err + words.err for code in codes)
    note = "only to people who may see the table"
    assert note in words.out
    assert any(note in told for told in json.loads(documents[4])["notes"])


def test_rare_values_are_not_listed_in_a_release(place: Path) -> None:
    """Neither in the refusal: it says how many there are."""
    rows = [(ward, "FM"[i % 2]) for ward in ("a", "b", "c", "d") for i in range(8)]
    write_csv(place / "wards.csv", ("ward", "sex"), [*rows, (CANARY, "F"), ("e", "M")])
    points = run("frontier", "wards.csv", "--quasi", "ward,sex", "--json").json["points"]
    index = next(i for i, point in enumerate(points) if {"0", "1"} <= set(point["policy"]["ward"]))
    more = (f"--choose={index}", "--search=combined")
    request = frontier(*more, data="wards.csv", quasi="ward,sex")
    ran = refused(place, *request, says=("'ward'", "fewer than 5 records", "(2 of 6 values)"))
    assert CANARY not in ran.err
    assert run(*request, f"--order=ward=a,b,c,d,e,{CANARY}").code in (0, 2)
