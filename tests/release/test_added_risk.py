"""The risk that released columns add is counted, reported, and checked."""

from __future__ import annotations

import csv
import html
import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
import second_opinion
from commands import undrawn
from persons_by_definition import fits
from persons_by_definition import known as may_be_known
from pyarrow import csv as csv_file
from pyarrow import parquet

import roadstead as rs
from roadstead.policies.document import SuppressedRecords
from roadstead.privacy.models.person_anonymity import Known
from roadstead.release import added_risk
from roadstead.release.added_risk import added_in_release
from roadstead.release.documents import json_text

QUASI = ("age", "sex")
FREE = ("answer", "score")


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    undrawn(monkeypatch)


def table() -> pa.Table:
    """Records of which some are suppressed, with two harmless columns, one half empty."""
    chance = random.Random(4)  # noqa: S311 - no secret
    ages = [str(chance.choice((30, 31, 40, 41, 41, 52))) for _ in range(300)] + ["97"] * 3
    return pa.table(
        {
            "age": ages,
            "sex": [chance.choice("FM") for _ in ages],
            "answer": [chance.choice("abcd") for _ in ages],
            "score": [chance.choice((1.0, 2.0, None)) for _ in ages],
        }
    )


def small(rows: Sequence[tuple[object, ...]], k: int) -> tuple[int, int]:
    """Count by hand the records that are unique, and those in groups of fewer than k."""
    sizes = Counter(rows).values()
    return sum(s for s in sizes if s == 1), sum(s for s in sizes if s < k)


@pytest.mark.quick(1)
@pytest.mark.parametrize("suppressed", ["mask", "drop"])
def test_the_counts_are_those_of_the_released_table(
    tmp_path: Path, suppressed: SuppressedRecords
) -> None:
    """Alone, with each column and with all, before and after it is written.

    Fault class: a figure that speaks of fewer columns than are released.
    """
    result = rs.anonymize(table(), quasi=QUASI, unchanged=FREE, k=5, suppressed=suppressed)
    out = tmp_path / "release"
    assert result.write(out).passed
    columns = parquet.read_table(out / "release.parquet").to_pydict()
    rows = list(zip(*(columns[name] for name in (*QUASI, *FREE)), strict=True))
    added = result.added
    by_hand = {
        "quasi": small([row[:2] for row in rows], 5),
        "together": small(rows, 5),
        "answer": small([row[:3] for row in rows], 5),
        "score": small([(*row[:2], row[3]) for row in rows], 5),
    }
    found = {"quasi": added.quasi, "together": added.together, **added.columns}
    assert {name: (own.unique, own.below_k) for name, own in found.items()} == by_hand
    assert by_hand["together"] > (0, 0)
    certified = json.loads((out / "certificate.json").read_text("utf-8"))["added"]
    assert certified["records"] == len(rows)
    assert certified["columns"]["score"]["below_k"] == by_hand["score"][1]
    assert certified["together"]["unique"] == by_hand["together"][0]


def test_an_empty_text_is_not_a_missing_value(tmp_path: Path) -> None:
    """A reader of the release distinguishes them, so the counts do too; verify counts the same way.

    Fault class: different records counted as identical.
    """
    chance = random.Random(9)  # noqa: S311 - no secret
    sex = [chance.choice("FM") for _ in range(400)]
    notes = [chance.choice(("", None)) if i > 1 else ("", None)[i] for i in range(400)]
    sex[:2] = ["X", "X"]
    free = pa.table({"sex": sex, "answer": notes})
    result = rs.anonymize(free, quasi=["sex"], unchanged=["answer"], k=2)
    out = tmp_path / "release"
    assert result.write(out).passed
    columns = parquet.read_table(out / "release.parquet").to_pydict()
    rows = list(zip(columns["sex"], columns["answer"], strict=True))
    told = json.loads((out / "certificate.json").read_text())["added"]["together"]
    assert (told["unique"], told["below_k"]) == small(rows, 2) == (2, 2)


def test_a_certificate_that_tells_less_does_not_pass(tmp_path: Path) -> None:
    """The recipient's check counts again, for each column."""
    out = tmp_path / "release"
    rs.anonymize(table(), quasi=QUASI, unchanged=FREE).write(out)
    path = out / "certificate.json"
    for place in ("together", "answer"):
        document = json.loads(path.read_text("utf-8"))
        whole = path.read_text("utf-8")
        own = document["added"]["columns"].get(place) or document["added"][place]
        own["below_k"] -= 1
        path.write_text(json_text(document), "utf-8")
        failed = [check.check for check in rs.verify(out).failed]
        assert failed == ["the risk from the released columns matches the certificate"]
        path.write_text(whole)
    assert rs.verify(out).passed


def test_without_other_columns_nothing_is_added(tmp_path: Path) -> None:
    """No query, no group, and a sentence that says so."""
    result = rs.anonymize(table(), quasi=QUASI, identifiers=FREE)
    assert result.added.columns == {}
    assert result.added.together == result.added.quasi
    assert "No other column is released" in str(result)
    assert result.write(tmp_path / "release").passed


@pytest.mark.nightly
def test_where_rows_are_linked_groups_are_of_persons(tmp_path: Path) -> None:
    """Ten records of one patient match, and hide no person among them."""
    chance = random.Random(6)  # noqa: S311 - no secret
    people = [("FM"[at % 2], chance.choice("abcd"), chance.choice("vwxyz")) for at in range(60)]
    rows = [(f"P{at:02}", *of) for at, of in enumerate(people) for _ in range(chance.randint(1, 9))]
    names = ("patient", "sex", "answer", "score")
    made = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    result = rs.anonymize(
        made,
        quasi=["sex"],
        unchanged=["answer", "score"],
        person="patient",
        link="pseudonym",
    )
    found = result.added
    assert found.groups_of == "persons"
    for known, counts in (
        ((), found.quasi),
        (("answer",), found.columns["answer"]),
        (("answer", "score"), found.together),
    ):
        columns = [names.index(name) for name in ("sex", *known)]
        persons: dict[tuple[str, ...], set[str]] = {}
        for row in rows:
            persons.setdefault(tuple(row[at] for at in columns), set()).add(row[0])
        sizes = [len(persons[tuple(row[at] for at in columns)]) for row in rows]
        assert counts.unique == sum(size == 1 for size in sizes)
        assert counts.below_k == sum(size < found.k for size in sizes)
    assert found.together.unique > 0
    result.write(tmp_path / "out")
    assert rs.verify(tmp_path / "out").passed
    certified = json.loads((tmp_path / "out" / "certificate.json").read_text())["added"]
    assert certified["groups_of"] == "persons"
    assert found.people is not None
    singled = f"{found.people.unique} of {found.people.persons} people"
    said = f"answer and score in any two rows of a person can single out {singled}"
    assert said in str(result)


@pytest.mark.quick(1)
@pytest.mark.parametrize("knows", [2, 3, "all"])
def test_several_known_rows_single_out_people(tmp_path: Path, knows: Known) -> None:
    """Each row alone has many matches, but few people have the same two rows.

    Fault class: a warning about one known row, where the requirement is about several.
    """
    chance = random.Random(3)  # noqa: S311 - no secret
    names = ("patient", "sex", "answer")
    rows = [
        (f"P{at:02}", "FM"[at % 2], chance.choice("abcdef"))
        for at in range(60)
        for _ in range(chance.randint(2, 4))
    ]
    made = tmp_path / "made.csv"
    made.write_text("\n".join(map(",".join, (names, *rows))) + "\n", "utf-8")
    result = rs.anonymize(
        made,
        quasi=["sex"],
        unchanged=["answer"],
        person="patient",
        link="pseudonym",
        knows=knows,
        k=3,
        suppression=0.5,
    )
    out = tmp_path / "out"
    assert result.write(out).passed
    left: dict[str, list[tuple[str, ...]]] = {}
    with next(out.glob("*.csv")).open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            left.setdefault(row["patient"], []).append((row["sex"], row["answer"]))
    fewest = [
        min(
            sum(fits(others, what, knows) for others in left.values())
            for what in may_be_known(own, knows)
        )
        for own in left.values()
    ]
    people = result.added.people
    assert people is not None
    few = sum(one < 3 for one in fewest)
    assert (people.persons, people.unique, people.below_k) == (len(left), fewest.count(1), few)
    assert few > 0
    said = f"can single out {people.unique} of {people.persons} people"
    assert said in str(result)
    assert said in html.unescape((out / "report.html").read_text("utf-8"))
    certificate = json.loads((out / "certificate.json").read_text("utf-8"))
    certificate["added"]["people"]["below_k"] = 0
    (out / "certificate.json").write_text(json_text(certificate), "utf-8")
    wrong = [one.detail for one in rs.verify(out).failed]
    assert any("people with several known rows" in one for one in wrong)
    assert second_opinion.verdict(out, signed=False) == "refused"


@pytest.mark.parametrize("knows", [1, 2])
def test_people_with_unlinked_rows_are_counted_as_the_requirement_does(
    tmp_path: Path, knows: Known
) -> None:
    """An attacker who knows two rows singles out people whose single records are not rare.

    Fault class: a warning about records, where the requirement is about people.
    """
    chance = random.Random(3)  # noqa: S311 - no secret
    rows = [
        (f"P{at:02}", "FM"[at % 2], chance.choice("abcdefghijklmnop"))
        for at in range(60)
        for _ in range(chance.randint(2, 4))
    ]
    names = ("patient", "sex", "answer")
    made = tmp_path / "made.csv"
    made.write_text("\n".join(map(",".join, (names, *rows))) + "\n", "utf-8")
    result = rs.anonymize(
        made, quasi=["sex"], unchanged=["answer"], person="patient", knows=knows, k=5
    )
    out = tmp_path / "out"
    assert result.write(out).passed
    own: dict[str, list[tuple[str, ...]]] = {}
    for who, *row in rows:
        own.setdefault(who, []).append(tuple(row))
    fewest = [
        min(
            sum(fits(others, what, knows) for others in own.values())
            for what in may_be_known(mine, knows)
        )
        for mine in own.values()
    ]
    people, below = result.added.people, sum(one < 5 for one in fewest)
    assert people is not None
    assert (people.persons, people.unique, people.below_k) == (60, fewest.count(1), below)
    assert below > 0
    said = f"of a person can single out {people.unique} of 60 people"
    assert said in str(result)
    assert said in html.unescape((out / "report.html").read_text("utf-8"))
    certificate = json.loads((out / "certificate.json").read_text("utf-8"))
    assert certificate["added"]["people"]["below_k"] == below
    assert second_opinion.verdict(out, signed=False) == "verified in part"
    certificate["added"]["people"]["persons"] = 61  # more people than the release has
    (out / "certificate.json").write_text(json_text(certificate), "utf-8")
    assert any("added.people" in one.detail for one in rs.verify(out).failed)
    assert second_opinion.verdict(out, signed=False) == "refused"


def test_texts_of_several_columns_do_not_run_into_each_other() -> None:
    """Two records that are equal without the ends of their cells are two groups."""
    cells = pa.table({"sex": ["F", "F"], "one": ["a=b", "a"], "other": ["c", "b=c"]})
    with rs.read(cells) as source:
        found = added_in_release(source, ["sex"], k=2)
    assert (found.together.unique, found.quasi.unique) == (2, 0)


@pytest.mark.parametrize("linked", [None, "who"])
@pytest.mark.parametrize("written", [True, False])
def test_a_large_table_is_counted_in_several_queries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linked: str | None, *, written: bool
) -> None:
    """The groups of all columns of a large table do not fit in memory together."""
    rows = table()
    rows = rows.append_column("who", pa.array([f"P{at % 90}" for at in range(rows.num_rows)]))
    path = tmp_path / "t.csv"
    csv_file.write_csv(rows, path)
    with rs.read(path if written else rows) as source:
        together = added_in_release(source, QUASI, k=5, linked_by=linked)
        monkeypatch.setattr(added_risk, "_MOST_CELLS", 2 * rows.num_rows)
        assert added_in_release(source, QUASI, k=5, linked_by=linked) == together
    assert together.together.below_k > together.quasi.below_k
