"""``synthesize --for everything``: a release for general use, from the request to the folder."""

from __future__ import annotations

import contextlib
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from commands import run
from pydantic import TypeAdapter
from small_tables import read_csv, write_csv

import roadstead as rs
from roadstead.errors import InputError
from roadstead.release.documents import fingerprint
from roadstead.release.private.certificate import PrivateCertificate, rendered, sealed
from roadstead.reports.synthesis.every_use import EveryUseFacts, PairRow, pair_lines

pytest.importorskip("opendp")

ADAPTER = TypeAdapter(PrivateCertificate)
ASKED: dict[str, Any] = {
    "purpose": "everything",
    "ranges": {"age": "20..59"},
    "values": {"sex": ("F", "M"), "codes": ("a", "b", "c", "d", "e"), "died": ("no", "yes")},
    "sets": {"codes": {"column": "codes", "delimiter": "|"}},
}


NAMES = ("age", "sex", "codes", "died")
Record = tuple[str, str, str, str]


def people(records: int = 400, seed: int = 1) -> list[Record]:
    """Make up people of whom the old and those with the code "a" die."""
    chance = random.Random(seed)  # noqa: S311 - made-up patients keep no secret
    made = []
    for _ in range(records):
        age, codes = chance.randint(20, 59), sorted(chance.sample("abcde", chance.randint(0, 3)))
        dies = age > 40 or "a" in codes
        made.append((str(age), chance.choice("FM"), "|".join(codes), "yes" if dies else "no"))
    return made


def table(records: Sequence[Record]) -> dict[str, list[str]]:
    """Put records into columns."""
    return {name: [record[at] for record in records] for at, name in enumerate(NAMES)}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with numbers, values, a set and no target."""
    out = tmp_path_factory.mktemp("original") / "release"
    rs.synthesize(table(people()), epsilon=2, **ASKED).write(out)
    return out


@pytest.fixture
def release(original: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    copy = tmp_path / "release"
    copy.mkdir()
    for file in original.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    return copy


def test_a_release_has_records_and_margins_and_passes(release: Path) -> None:
    """Each column as finely as it is declared; the command says so too."""
    assert rs.verify(release).passed
    assert run("verify", release).code == 0
    head, *records = read_csv(release / "records.csv")
    assert head == ("age", "sex", "died", "codes")
    assert {row[1] for row in records} <= {"F", "M"}
    assert {item for row in records for item in row[3].split("; ")} <= {*"abcde", "(none)"}
    first, *margins = read_csv(release / "margins.csv")
    assert first[5:] == ("noisy count", "standard error", "at least", "at most")
    assert {row[1] for row in margins if not row[3]} >= {"age", "sex", "died"}
    for row in margins:
        assert int(row[7]) <= max(int(row[5]), 0) <= int(row[8])


def test_with_hardly_any_noise_the_table_comes_out() -> None:
    """Columns and ties of records are unchanged, except for rounding in the ties."""
    rows = people()
    found = rs.synthesize(table(rows), epsilon=2**19, **ASKED)
    frame = found.to_arrow().to_pydict()
    assert len(frame["sex"]) == len(rows)
    died = Counter(frame["died"])["yes"]
    # In 200 runs it was off by 2 at most.
    assert abs(died - sum(row[3] == "yes" for row in rows)) <= 0.03 * len(rows)
    old = sum(int(a) > 40 and d == "yes" for a, d in zip(frame["age"], frame["died"], strict=True))
    assert abs(old - sum(int(row[0]) > 40 for row in rows)) < 0.08 * len(rows)


@pytest.mark.nightly
def test_a_target_is_told_as_any_other_column_and_can_be_predicted(tmp_path: Path) -> None:
    """With a target there are classes, so held-out records judge the release."""
    values = {name: own for name, own in ASKED["values"].items() if name != "died"}
    more = {**ASKED, "values": values, "target": "died", "classes": ("no", "yes")}
    out = tmp_path / "release"
    rs.synthesize(table(people()), epsilon=8, **more).write(out)
    assert rs.verify(out).passed
    write_csv(tmp_path / "more.csv", ["age", "sex", "codes", "died"], people(seed=2))
    judged = run(
        "evaluate", out, "--held-out", tmp_path / "more.csv", "--sets", "codes",
        "--delimiter-in-sets", "|", "--json",
    )  # fmt: skip
    assert judged.code == 0, judged.err
    assert json.loads(judged.out)["accuracy"]["tree"] > 0.6


def test_a_long_list_is_told_by_its_frequent_values_and_verified(tmp_path: Path) -> None:
    """The others are written down; a ledger that does not pay for them fails."""
    chance = random.Random(5)  # noqa: S311 - made-up patients keep no secret
    drugs = [f"d{min(int(chance.expovariate(0.2)), 199)}" for _ in range(600)]
    values = {"sex": ("F", "M"), "drug": tuple(f"d{at}" for at in range(200))}
    rows = {"sex": [chance.choice("FM") for _ in drugs], "drug": drugs}
    out = tmp_path / "release"
    found = rs.synthesize(rows, epsilon=3, purpose="everything", values=values)
    assert found.write(out).passed
    told = {row[1] for row in read_csv(out / "records.csv")[1:]}
    assert {"d0", "d1", "other values"} <= told
    assert "other values" in (out / "cut.json").read_text("utf-8")

    def renamed(document: dict[str, Any]) -> None:
        document["ledger"][0]["step"]["of"] = ["sax"]

    seal(out, renamed)
    failed = {one.check for one in rs.verify(out).failed}
    assert "the margins match the ledger" in failed


@pytest.fixture(scope="module")
def many_codes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of sets from a list of 200, most of which hardly any record has."""
    chance = random.Random(6)  # noqa: S311 - made-up patients keep no secret
    own = [{f"c{min(int(chance.expovariate(0.3)), 199)}" for _ in range(4)} for _ in range(900)]
    rows = {"sex": [chance.choice("FM") for _ in own], "codes": ["|".join(one) for one in own]}
    values = {"sex": ("F", "M"), "codes": tuple(f"c{at}" for at in range(200))}
    out = tmp_path_factory.mktemp("codes") / "release"
    found = rs.synthesize(rows, epsilon=3, purpose="everything", values=values, sets=ASKED["sets"])
    assert found.write(out).passed
    (line,) = (one for one in found.lines if "are combined" in one)
    assert line.startswith("  codes: ")
    return out


@pytest.mark.nightly
def test_a_set_from_a_long_list_is_told_by_its_frequent_items(many_codes: Path) -> None:
    """Each item released separately is in the records, and the page gives its number of records."""
    _, *records = read_csv(many_codes / "records.csv")
    items = {item for row in records for item in row[1].split("; ")} - {"(none)"}
    assert {"c0", "c1", "other items"} <= items
    (cut,) = (
        one
        for one in json.loads((many_codes / "cut.json").read_text("utf-8"))["attributes"]
        if one["attribute"] == "codes"
    )
    alone = len(cut["names"]) - 1
    assert cut["names"][-1] == "other items"
    assert len(cut["taxonomy"]["labels"]) == 202
    page = (many_codes / "report.html").read_text("utf-8")
    assert f"The list of codes is long. For {alone} items of it, the release shows whether" in page
    assert f"The other {200 - alone} are combined" in page


def test_a_ledger_that_skips_a_choice_of_items_fails(many_codes: Path, tmp_path: Path) -> None:
    """Choices are numbered, so a choice cannot be used for another set."""
    out = tmp_path / "release"
    out.mkdir()
    for file in many_codes.iterdir():
        (out / file.name).write_bytes(file.read_bytes())

    def renamed(document: dict[str, Any]) -> None:
        document["ledger"][0]["step"]["number"] = 9

    seal(out, renamed)
    failed = {one.check for one in rs.verify(out).failed}
    assert "the margins match the ledger" in failed


def test_without_a_target_held_out_records_are_refused(release: Path, tmp_path: Path) -> None:
    """There is nothing to predict, and the fix says what to do instead."""
    write_csv(tmp_path / "more.csv", ["age", "sex", "codes", "died"], people(seed=2))
    judged = run("evaluate", release, "--held-out", tmp_path / "more.csv")
    assert judged.code == 2
    assert "does not have a target to predict" in judged.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"specializations": 4}, "does not make specializations"),
        ({"score": "max"}, "does not make specializations"),
        ({"classes": ("a", "b")}, "no target is named"),
        ({"purpose": "anything"}, "anything"),
        ({"seed": "1"}, "cannot have a seed"),
    ],
)
def test_what_means_nothing_is_refused(more: dict[str, Any], said: str) -> None:
    """Each with what to do."""
    with pytest.raises(InputError, match=said):
        rs.synthesize(table(people(20)), epsilon=1, **{**ASKED, **more})


def test_persons_are_protected_with_all_their_rows(tmp_path: Path) -> None:
    """With at most two rows of each, noise is twice as large, and verified so."""
    rows = [(f"{at // 3}", *row) for at, row in enumerate(people(90))]
    names = ("who", "age", "sex", "codes", "died")
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    out = tmp_path / "release"
    found = rs.synthesize(columns, epsilon=1, person="who", rows_per_person=2, **ASKED)
    assert found.write(out).passed
    assert "person" in found.guarantee
    assert isinstance(found.shown, EveryUseFacts)
    assert all(one.grant.records == 2 for one in found.shown.margins)
    not_used = "did not use more than 2 rows per person or records with a value outside the"
    for said in (str(found), str(found.to_dict()), (out / "report.html").read_text("utf-8")):
        assert not_used in said
        assert "a count of the whole table can be outside its error bar" in said
        assert "true count" not in said
    capped: dict[str, Any] = {"person": "who", "rows_per_person": 2, "outside": "stop"}
    stopping = rs.synthesize(columns, epsilon=1, **capped, **ASKED)
    assert "did not use more than 2 rows per person. So" in str(stopping)


def test_a_ledger_refuses_what_is_spent(tmp_path: Path) -> None:
    """The epsilons of both kinds of releases add up."""
    book, rows = tmp_path / "book", tmp_path / "rows.csv"
    book.mkdir()
    write_csv(rows, ["age", "sex", "codes", "died"], people(60))
    asked = ("synthesize", rows, "--for", "everything", "--values", "sex=F,M",
             "--values", "died=no,yes", "--ledger", book, "--ledger-epsilon", "1")  # fmt: skip
    made = run(*asked, "--epsilon", "0.6", "--out", tmp_path / "one")
    assert made.code == 0
    assert "No earlier release was compared: the ledger is new." in made.out
    refused = run(*asked, "--epsilon", "0.6", "--out", tmp_path / "two")
    assert refused.code == 1
    assert not (tmp_path / "two").exists()


def test_the_document_is_as_its_schema_says(tmp_path: Path) -> None:
    """One JSON object, with the margins and their error bars."""
    rows = tmp_path / "rows.csv"
    write_csv(rows, ["age", "sex", "codes", "died"], people(60))
    said = run("synthesize", rows, "--for", "everything", "--values", "sex=F,M", "--values",
               "died=no,yes", "--epsilon", "1", "--json")  # fmt: skip
    assert said.code == 0, said.err
    document = json.loads(said.out)
    assert document["for"] == "everything"
    assert document["margins"][0]["columns"] == ["sex"]
    assert document["target"] is None


def test_a_gate_reads_epsilon_and_columns(release: Path, tmp_path: Path) -> None:
    """A rule about epsilon holds or not, whatever kind of private release it is."""
    for most, code in (("3", 0), ("1", 1)):
        rule = tmp_path / f"{most}.toml"
        rule.write_text(f"[promise]\nepsilon = {most}\n", encoding="utf-8")
        passed = run("gate", release, "--rules", rule)
        assert passed.code == code, passed.err


def seal(folder: Path, change: Callable[[dict[str, Any]], None] = lambda _: None) -> None:
    """Certify the files as they are now."""
    path = folder / "certificate.json"
    document = json.loads(path.read_text("utf-8"))
    change(document)
    document["files"] = [vars(fingerprint(folder / one["name"])) for one in document["files"]]
    path.write_bytes(rendered(sealed(ADAPTER.validate_python(document))))


def _narrower(rows: list[list[str]]) -> None:
    rows[1][7] = str(int(rows[1][7]) + 1)


def _another_count(rows: list[list[str]]) -> None:
    rows[1][5] = "one"


def _missing(rows: list[list[str]]) -> None:
    del rows[3]


def _swapped(rows: list[list[str]]) -> None:
    rows[1], rows[2] = rows[2], rows[1]


@pytest.mark.parametrize("forge", [_narrower, _another_count, _missing, _swapped])
def test_forged_margins_are_found_out_though_sealed(
    release: Path, forge: Callable[[list[list[str]]], None]
) -> None:
    """An error bar, a count, a line or an order that is another one."""
    rows = [list(row) for row in read_csv(release / "margins.csv")]
    forge(rows)
    write_csv(release / "margins.csv", rows[0], rows[1:])
    assert not rs.verify(release).passed
    seal(release)
    found = rs.verify(release)
    assert not found.passed
    assert all("SHA-256" not in one.check for one in found.failed)


def test_forged_records_and_numbers_are_found_out(release: Path) -> None:
    """Records in another order, one more, or another number of agreeing cells."""
    rows = read_csv(release / "records.csv")
    before = (release / "records.csv").read_bytes()
    for changed in ([*rows[1:], rows[-1]], rows[:0:-1]):
        write_csv(release / "records.csv", rows[0], changed)
        seal(release)
        assert not rs.verify(release).passed
    (release / "records.csv").write_bytes(before)

    def agreeing(document: dict[str, Any]) -> None:
        document["released"]["agreeing"] += 1

    seal(release, agreeing)
    assert [one.check for one in rs.verify(release).failed] == [
        "the agreement of records and margins matches the certificate"
    ]


def test_another_share_of_the_budget_is_found_out(release: Path) -> None:
    """Error bars follow from the ledger, so moving budget between two steps shows."""

    def moved(document: dict[str, Any]) -> None:
        one, other = document["ledger"][:2]
        one["exact"], other["exact"] = other["exact"], one["exact"]
        one["epsilon"], other["epsilon"] = other["epsilon"], one["epsilon"]

    seal(release, moved)
    failed = {one.check for one in rs.verify(release).failed}
    assert "the error bars follow from the ledger" in failed


def test_it_is_attacked_and_determined_like_any_private_release(
    release: Path, tmp_path: Path
) -> None:
    """No attack stumbles over a release without a target."""
    write_csv(tmp_path / "rows.csv", ["age", "sex", "codes", "died"], people())
    tried = run("attack", release, "--original", tmp_path / "rows.csv", "--json")
    assert tried.code in (0, 1), tried.err
    with contextlib.suppress(json.JSONDecodeError):
        assert json.loads(tried.out)["release"] is not None


def test_a_pair_that_is_counted_again_is_listed_once() -> None:
    """Fault class: one line three times, and nothing said why."""
    rows = [PairRow(("zip", "race"), (2, 2), 1.0, width, Fraction(1)) for width in (72, 24)]
    other = PairRow(("zip", "race"), (2, 5), 1.0, 15, Fraction(1))
    assert pair_lines([rows[0], other, rows[1]]) == [
        "zip and race, 2 by 2, counted 2 times, each count ± 72 and ± 24",
        "zip and race, 2 by 5, each count ± 15",
    ]
