"""``roadstead frontier`` from a user's view: points, files, releases, interrupts, full disks."""

from __future__ import annotations

import csv
import json
import os
import random
import resource
import shutil
from collections import Counter
from collections.abc import Callable
from math import fsum
from pathlib import Path
from signal import SIGINT
from typing import Any

import pytest
from by_hand import label
from commands import Ran, listing, run, run_apart, undrawn
from small_tables import Row, read_csv, write_csv

from roadstead.search.frontiers import steepest
from roadstead.search.frontiers.steepest import SteepestChain

HEADER = ("name", "age", "sex", "zip", "ill")
QUASI = "age,sex,zip"
ZIPS = ("02139", "02140", "03601", "59001")
POPULATION = ("--population", "people.csv", "--population-counts", "people")
KEYS = {
    "points",
    "area",
    "safe_harbor",
    "dominating_safe_harbor",
    "evaluated",
    "seconds",
    "seconds_total",
}
FILES = {"frontier.html", "frontier.png", "frontier.json"}


def rows() -> list[Row]:
    """Made-up patients; an age is missing now and then, and some are over 89."""
    chance = random.Random(12)  # noqa: S311 - no secret
    ages = ["", *map(str, [*range(30, 60, 2), 89, 90, 93])]
    return [
        (
            f"Name {i}",
            chance.choice(ages),
            chance.choice("FM"),
            chance.choice(ZIPS),
            chance.choice(("flu", "cold")),
        )
        for i in range(140)
    ]


def people() -> Counter[Row]:
    """The patients and others."""
    chance = random.Random(13)  # noqa: S311 - no secret
    found = Counter(row[1:4] for row in rows())
    for age in range(25, 95):
        for sex in "FM":
            for code in ZIPS:
                found[str(age), sex, code] += chance.randint(0, 9)
    return found


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with patients and people; pages are of one word, and no chart is drawn."""
    undrawn(monkeypatch)
    monkeypatch.setattr("roadstead.reports.frontier.page.frontier_page", lambda *_: "<p>page")
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "patients.csv", HEADER, rows())
    counted = [(*row, str(n)) for row, n in people().items() if n]
    write_csv(tmp_path / "people.csv", (*QUASI.split(","), "people"), counted)
    return tmp_path


def frontier(*more: str | Path) -> Ran:
    """Request the frontier of the patients; the chosen policy may fall short of 5-anonymity."""
    chooses = {"--choose", "--risk"} & set(map(str, more))
    why = ("--choose-reason", "These are made-up people of a test") if chooses else ()
    named = ("--quasi", QUASI, "--identifiers", "name")
    return run("frontier", "patients.csv", *named, *why, *more)


def names(folder: Path) -> set[str]:
    """The contents of a folder, with hidden entries."""
    return {entry.name for entry in folder.iterdir()}


def test_the_document_has_its_keys_and_stands_alone() -> None:
    """One JSON object on standard output; messages are on standard error."""
    ran = frontier(*POPULATION, "--json")
    assert ran.code == 0, ran
    document = ran.json
    assert document.keys() >= KEYS
    assert ran.out.count("\n") == 1
    first, *progress = ran.err.splitlines()
    assert first == "patients.csv: comma-separated, UTF-8, header, 5 columns"
    assert all("on the frontier, area" in line for line in progress)  # a busy machine takes long
    assert all(p.keys() == {"risk", "utility_loss", "policy"} for p in document["points"])
    assert document["safe_harbor"].keys() >= {"risk", "utility_loss"}
    assert isinstance(document["dominating_safe_harbor"], int)
    assert document["evaluated"] > 0


def test_words_are_on_standard_output_and_the_way_on_is_shown() -> None:
    """Where nothing is written that is said."""
    ran = frontier(*POPULATION)
    assert ran.code == 0
    for part in ("140 records of patients.csv", "the people in people.csv", "Safe Harbor: risk"):
        assert part in ran.out
    assert "give --out DIR" in ran.err
    with pytest.raises(json.JSONDecodeError):
        json.loads(ran.out)


@pytest.mark.nightly
def test_the_same_request_has_the_same_points() -> None:
    """So an index that was read off chooses what was read."""
    one, other = (frontier(*POPULATION, "--json").json["points"] for _ in range(2))
    assert one == other


@pytest.mark.quick(1)
@pytest.mark.parametrize("choice", ["--choose", "--risk"])
@pytest.mark.parametrize("known", [True, False], ids=["population", "sample"])
def test_a_release_has_the_risk_of_its_point(place: Path, choice: str, known: bool) -> None:  # noqa: FBT001 - a case
    """Counted from the files: labels of the release, and people under the same rules."""
    more = POPULATION if known else ()
    points = frontier(*more, "--json").json["points"]
    index = next(  # a policy that leaves the missing age by itself, and lists no ages
        i
        for i, point in enumerate(points)
        if point["risk"] > 0.4 and point["policy"]["age"][0] == "1"
    )
    value = index if choice == "--choose" else points[index]["risk"] + 1e-10
    ran = frontier(*more, choice, str(value), "--out", "out", "--json")
    assert ran.code == 0, ran
    assert ran.json["points"] == points
    assert names(place / "out") == {*FILES, "release"}
    verified = run("verify", "out/release")
    assert verified.code == 0
    assert "population risk" in verified.out
    policy = json.loads((place / "out" / "release" / "policy.json").read_text())
    rules = {a["name"]: a["rule"] for a in policy["attributes"]}

    def told(row: Row) -> Row:
        return tuple(_label(rules[n], v) for n, v in zip(QUASI.split(","), row, strict=True))

    header, *released = read_csv(place / "out" / "release" / "patients.csv")
    places = [header.index(name) for name in QUASI.split(",")]
    alike: Counter[Row] = Counter()
    everybody = people() if known else Counter(row[1:4] for row in rows())
    for row, n in everybody.items():
        alike[told(row)] += n
    risk = fsum(1 / alike[tuple(row[p] for p in places)] for row in released)
    before = fsum(1 / everybody[row[1:4]] for row in rows())
    assert len(released) == 140
    assert risk / before == pytest.approx(points[index]["risk"], abs=1e-9)
    certificate = (place / "out" / "release" / "certificate.json").read_text()
    assert "population-risk" in certificate
    assert "Name 1" not in certificate


def _label(rule: dict[str, Any], value: str) -> str:
    """Apply a rule by hand, those of intervals too."""
    match rule["kind"]:
        case "cuts" if value:
            return _cut([int(cut) for cut in rule["cuts"]], int(value))
        case "groups":
            groups = rule["groups"]
            found = [text for text, own in groups if value in own]
            return found[0] if found else value
        case "cuts":
            return ""
    return label(rule, value)


def _cut(cuts: list[int], value: int) -> str:
    """Write the interval of a whole number."""
    below = [cut for cut in cuts if cut <= value]
    above = [cut for cut in cuts if cut > value]
    if not below:
        return f"<{above[0]}"
    if not above:
        return f"{below[-1]}+"
    return str(value) if above[0] - below[-1] == 1 else f"{below[-1]}-{above[0] - 1}"


def test_a_risk_below_the_least_is_answered_with_no(place: Path) -> None:
    """Exit code 1, one line that names the least, and nothing written."""
    before = listing(place)
    least = frontier("--json").json["points"][0]["risk"]
    ran = frontier("--risk", "0.000001", "--out", "out", "--json")
    assert (ran.code, ran.out) == (1, "")
    assert f"the lowest risk found is {least:.6g}" in ran.error
    assert listing(place) == before


def test_a_former_frontier_is_replaced_with_force_and_nothing_else_is(place: Path) -> None:
    """An edited frontier is not replaced, and neither is another folder."""
    assert frontier("--out", "out").code == 0
    first = listing(place / "out")
    refused = frontier("--out", "out")
    assert refused.code == 2
    assert "already exists" in refused.error
    assert listing(place / "out") == first
    assert frontier("--out", "out", "--force", "--choose", "0").code == 0
    assert names(place / "out") == {*FILES, "release"}
    assert frontier("--out", "out", "--force").code == 0
    assert names(place / "out") == FILES
    for name in ("notes.txt", "frontier.html", "release"):
        (place / "out" / name).write_text("mine")
        kept = listing(place / "out")
        assert frontier("--out", "out", "--force").code == 2
        assert listing(place / "out") == kept
        shutil.rmtree(place / "out")
        assert frontier("--out", "out").code == 0
    (place / "other").mkdir()
    (place / "other" / "mine.csv").write_text("mine")
    assert frontier("--out", "other", "--force").code == 2
    assert (place / "other" / "mine.csv").read_text() == "mine"


@pytest.mark.usefixtures("place")
def test_what_is_told_of_a_chosen_policy_stands_on_lines_of_its_own() -> None:
    """Safe printing takes lines, each for itself.

    Fault class: a text of several lines, shown as one with escapes between them.
    """
    told = frontier("--out", "out", "--choose", "0").out
    assert "\\n" not in told
    assert any(line.startswith("Privacy requirements met: ") for line in told.splitlines())
    verified = "The release was written to out/release, and verified: "
    assert any(line.startswith(verified) for line in told.splitlines())
    assert verified not in frontier("--out", "out", "--force").out


def test_a_release_within_a_frontier_is_not_replaced_when_more_lies_in_it(place: Path) -> None:
    """A user put the original there."""
    assert frontier("--out", "out", "--choose", "0").code == 0
    shutil.copy(place / "patients.csv", place / "out" / "release" / "original.csv")
    kept = listing(place / "out")
    assert frontier("--out", "out", "--force").code == 2
    assert listing(place / "out") == kept


@pytest.mark.usefixtures("place")
def test_the_release_that_was_chosen_is_told_in_lines() -> None:
    """Each on its own, and none with escapes. Fault class: text printed as one strange line."""
    told = frontier("--out", "out", "--choose", "0").out.splitlines()
    assert "Direct identifiers, not released: name." in told
    assert not any("\\n" in line for line in told)


@pytest.mark.parametrize("out", ["patients.csv", "patients.csv/out", "."])
def test_an_output_that_cannot_be_is_refused_before_any_work(place: Path, out: str) -> None:
    """No source is read."""
    before = listing(place)
    ran = frontier("--out", out)
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1
    assert listing(place) == before


def test_a_project_file_says_what_options_do_not(place: Path) -> None:
    """Options override it, and the command on the page finds the same again."""
    (place / "project.toml").write_text(
        'data = "patients.csv"\n[roles]\nquasi = ["age", "sex", "zip"]\nidentifiers = ["name"]\n'
    )
    ran = run("frontier", "--project", "project.toml", "--json")
    assert ran.code == 0, ran
    assert ran.json["points"] == frontier("--json").json["points"]
    fewer = run("frontier", "--project", "project.toml", "--quasi", "age,sex", "--json")
    assert fewer.json["points"][0]["policy"].keys() == {"age", "sex"}


def test_the_command_on_the_page_finds_the_frontier_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the project file, the roles and the way to read the table."""
    seen: list[str] = []
    monkeypatch.setattr(
        "roadstead.reports.frontier.page.frontier_page",
        lambda _, command, __: f"<p>{seen.append(command)}",  # type: ignore[func-returns-value] # it notes
    )
    (place / "project.toml").write_text('data = "patients.csv"\n[roles]\nidentifiers = ["name"]\n')
    asked = ("--project", "project.toml", "--quasi", QUASI, "--order", "sex=M,F")
    more = ("--delimiter", ",", "--header", "--search", "steepest")
    assert run("frontier", *asked, *more, "--out", "out").code == 0
    row = next(csv.reader([seen[0]], delimiter=" "))
    again = run(*row[1:], "--json")
    assert again.code == 0, again
    written = json.loads((place / "out" / "frontier.json").read_text())
    assert again.json["points"] == written["points"]


@pytest.mark.nightly
def test_the_real_command_writes_page_picture_and_points(place: Path) -> None:
    """With charts drawn; the page describes the policies and holds no name of a patient."""
    request = ("--quasi", QUASI, "--identifiers", "name", "--search", "steepest")
    ran = run_apart("frontier", "patients.csv", *request, "--out", "out", folder=place)
    assert ran.code == 0, ran
    assert names(place) == {"patients.csv", "people.csv", "out"}
    page = (place / "out" / "frontier.html").read_text("utf-8")
    assert "Safe Harbor" in page
    assert "only to people who may see the table" in page
    assert "Name 1" not in page
    assert (place / "out" / "frontier.png").read_bytes().startswith(b"\x89PNG")
    assert "Name 1" not in (place / "out" / "frontier.json").read_text()


@pytest.mark.parametrize("room", [4, 1_000])
def test_without_room_on_the_disk_nothing_is_left(place: Path, room: int) -> None:
    """No file may grow beyond a few bytes: the page, or the points, cannot be written."""
    before = listing(place)
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, former[1]))
    try:
        ran = frontier("--search", "steepest", "--choose", "0", "--out", "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)
    assert (ran.code, ran.out) == (2, ""), ran
    assert "out" in ran.error
    assert listing(place) == before


@pytest.fixture
def struck(place: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Ran]:
    """Interrupt a search so many times after its first steps, and see that no scratch is left."""
    scratch = place / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    proceed = SteepestChain.go_on

    def strike(times: int) -> Ran:
        left = iter(range(times))

        def go_on(way: SteepestChain) -> None:
            monkeypatch.setattr(steepest, "_MOST_POINTS", 3 * way._walk.partition.rank)
            proceed(way)
            for _ in left:
                os.kill(os.getpid(), SIGINT)

        monkeypatch.setattr(SteepestChain, "go_on", go_on)
        ran = frontier("--search", "steepest", "--risk", "1", "--out", "out", "--json")
        assert names(scratch) == set()
        return ran

    return strike


def test_the_first_interrupt_keeps_the_frontier_so_far(
    place: Path, struck: Callable[[int], Ran]
) -> None:
    """It is written, and a policy of it is released and verifies."""
    ran = struck(1)
    assert ran.code == 0, ran
    assert "stopping the search and keeping the frontier so far" in ran.err
    assert (ran.json["ending"], ran.json["evaluated"]) == ("interrupted", 4)
    assert names(place / "out") == {*FILES, "release"}
    assert run("verify", "out/release").code == 0


def test_a_second_interrupt_ends_the_command(place: Path, struck: Callable[[int], Ran]) -> None:
    """With the code of an interrupt; nothing is left, not even hidden."""
    ran = struck(2)
    assert (ran.code, ran.out) == (130, "")
    assert ran.err.splitlines()[-1].startswith("roadstead: interrupted")
    assert "Traceback" not in ran.err
    assert names(place) == {"patients.csv", "people.csv", "scratch"}
