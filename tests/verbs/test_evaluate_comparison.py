"""Releases compared with their original, and with the texts of the releases.

The witness reads only the released CSV, and reads a cell as a person does: `20-39` as a range,
`0213*` as a prefix, and `*` as everything.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from seeded_mechanisms import SeededMechanisms
from small_tables import Row, read_csv, write_csv

import roadstead as rs
from roadstead.errors import InputError, SettingError, VerificationError
from roadstead.reports.evaluation.comparison import ComparisonFacts
from roadstead.reports.evaluation.comparison_lines import comparison_lines
from roadstead.search.recoding.registry import RECODINGS as SEARCHES
from roadstead.verbs.synthesize.domains import Declarations
from roadstead.verbs.synthesize.settings import settings_of
from roadstead.verbs.synthesize.synthesis import synthesized

HEADER = ("age", "sex", "zip", "stay", "died")
TOLD: dict[str, Any] = {"target": "died", "classifiers": ["tree"], "runs": 1}
QUASI = ["age", "sex", "zip"]
RECODINGS = ["global", *(kind for kind, searches in SEARCHES.items() if searches)]


def people(records: int = 240) -> list[Row]:
    """Make up people of whom the old stay long and die."""
    chance = random.Random(4)  # noqa: S311 - made-up patients keep no secret
    made: list[Row] = []
    for _ in range(records):
        age = min(chance.randint(20, 59), chance.randint(20, 59))
        stay = max(age // 10 + chance.randint(-2, 2), 0)
        died = "yes" if age + chance.randint(-15, 15) > 45 else "no"
        zip_code = f"02{chance.choice((130, 131, 133, 139, 140, 141))}"
        made.append((str(age), chance.choice("FM"), zip_code, str(stay), died))
    return made


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The original table of all releases here."""
    return write_csv(tmp_path_factory.mktemp("original") / "people.csv", HEADER, people())


@pytest.fixture(scope="module")
def releases(original: Path) -> dict[str, Path]:
    """A release of each recoding."""
    found = {}
    for recoding in RECODINGS:
        found[recoding] = original.parent / recoding
        released(original, found[recoding], recoding=recoding)
    return found


def released(original: Path, out: Path, **more: Any) -> None:  # noqa: ANN401 - whatever is given
    """Release the table."""
    settings = {"k": 4, "suppression": 0.1, "unchanged": ["stay", "died"], **more}
    rs.anonymize(original, quasi=QUASI, **settings).write(out)


def compare(first: Path, *others: Path, original: Path, **more: Any) -> ComparisonFacts:  # noqa: ANN401 - whatever is given
    """Compare releases."""
    facts = rs.evaluate(first, [str(one) for one in others], original=original, **more).facts
    assert isinstance(facts, ComparisonFacts)
    return facts


def says(cell: str, values: list[str]) -> list[str]:
    """List the values that a cell of a release can be."""
    if cell == "*":
        return values
    if cell.endswith("*"):
        kept = cell.rstrip("*")
        return [one for one in values if one.startswith(kept)]
    low, dash, high = cell.partition(" .. " if " .. " in cell else "-")
    if not dash:
        return [cell]
    if cell.startswith("0"):
        return [one for one in values if low <= one <= high]
    return [one for one in values if int(low) <= int(one) <= int(high)]


def loss_of(cell: str, values: list[str]) -> float:
    """Say how much of a column's domain a cell leaves open."""
    found = says(cell, values)
    if values[0].isdigit() and not values[0].startswith("0"):
        numbers, every = sorted(map(int, found)), sorted(map(int, values))
        return (numbers[-1] - numbers[0]) / (every[-1] - every[0])
    return (len(found) - 1) / (len(values) - 1)


@pytest.mark.quick(1)
@pytest.mark.parametrize("recoding", RECODINGS)
def test_risk_loss_and_distances_are_those_that_the_texts_give(
    recoding: str, original: Path, releases: dict[str, Path]
) -> None:
    """Worked out cell by cell; records left out are spread over everything."""
    facts = compare(releases[recoding], original=original)
    (found,) = facts.releases
    _, *rows = read_csv(releases[recoding] / "people.csv")
    before = [row[:3] for row in people()]
    shown = [row[:3] for row in rows]
    masked = sum(row == ("*",) * 3 for row in shown)
    sizes = Counter(row for row in shown if row != ("*",) * 3)
    assert (found.recoding, found.records, found.masked) == (recoding, len(rows), masked)
    assert found.left_out == 240 - len(rows)
    assert found.largest_risk == 1 / min(sizes.values())
    assert found.mean_risk == pytest.approx(len(sizes) / sizes.total())
    domains = [sorted({row[at] for row in before}) for at in range(3)]
    every = [*shown, *[("*",) * 3] * found.left_out]
    losses = [loss_of(row[at], domains[at]) for row in every for at in range(3)]
    assert found.left_open == pytest.approx(sum(losses) / len(losses))
    for at in [(0,), (1,), (2,), *combinations(range(3), 2)]:
        old = Counter(tuple(row[one] for one in at) for row in before)
        new: Counter[tuple[str, ...]] = Counter()
        for row in every:
            cells = list(product(*(says(row[one], domains[one]) for one in at)))
            for one in cells:
                new[one] += 1 / len(cells)  # type: ignore[assignment] # shares of records
        wanted = sum(abs(old[one] - new[one]) for one in {*old, *new}) / 2 / 240
        named = tuple(QUASI[one] for one in at)
        kept = found.distances
        got = kept.columns[named[0]] if len(named) == 1 else kept.pairs[named[0], named[1]]
        assert got == pytest.approx(wanted), named


@pytest.mark.nightly
def test_the_original_released_as_it_is_loses_nothing(tmp_path: Path) -> None:
    """Four of each record: no distance, the same accuracy in every fold, the same intervals."""
    out = tmp_path / "same"
    original = write_csv(tmp_path / "people.csv", HEADER, people() * 4)
    released(original, out, k=4)
    facts = compare(original=original, formula="stay ~ age + sex", first=out, **TOLD)
    (found,) = facts.releases
    assert (found.left_open, found.distances.one_way, found.distances.two_way) == (0, 0, 0)
    assert facts.predictions is not None
    assert found.accuracy is not None
    own = found.accuracy["tree"]
    assert own.as_they_are == own.alike == facts.predictions.original["tree"]
    assert facts.regression is not None
    for share in found.overlaps(facts.regression.coefficients):
        assert share == pytest.approx(1)
    assert (facts.largest_risk, facts.mean_risk) == (found.largest_risk, found.mean_risk)


@pytest.mark.nightly
def test_finer_releases_tell_more(original: Path, releases: dict[str, Path]) -> None:
    """Classes of their own levels are nearer to the original, and do not predict it worse."""
    facts = compare(
        *(releases[one] for one in ("global", "local")),
        original=original,
        formula="died ~ age",
        draws=5,
        **TOLD,
    )
    coarse, fine = facts.releases
    assert fine.left_open < coarse.left_open
    assert fine.distances.two_way < coarse.distances.two_way
    assert facts.regression is not None
    assert (facts.regression.kind, facts.regression.event) == ("logistic", "yes")
    assert [one.name for one in facts.releases] == ["global", "local"]


def test_a_private_release_stands_beside_others(original: Path, releases: dict[str, Path]) -> None:
    """Its groups are of the original's records, and its counts are what is learned from."""
    out = original.parent / "noisy"
    declared = Declarations(
        ranges={"age": "20..59"},
        values={"sex": ("F", "M"), "zip": tuple(sorted({row[2] for row in people()}))},
    )
    request = settings_of(20, "died", ("no", "yes"), 3, "max-gain", "leave-out")
    synthesized(original, request, declared, SeededMechanisms(3)).write(out)
    facts = compare(releases["global"], out, original=original, formula="stay ~ age", **TOLD)
    private = facts.releases[1]
    assert (private.recoding, private.promise) == ("noisy counts", "epsilon = 20")
    assert (private.loss, private.coefficients) == (None, None)
    stays = Counter(row[3] for row in people())
    unknown = sum(abs(number / 240 - 1 / len(stays)) for number in stays.values()) / 2
    assert private.distances.columns["stay"] == pytest.approx(unknown)
    assert "stay" in private.distances.removed
    (line,) = [one for one in comparison_lines(facts) if re.match(" +stay ", one)]
    assert line.split() == ["stay", "0%", "removed"]
    names = json.loads((out / "cut.json").read_text(encoding="utf-8"))["attributes"]
    ages = next(one["names"] for one in names if one["attribute"] == "age")
    _, *rows = read_csv(out / "records.csv")
    before, after = Counter(int(row[0]) for row in people()), Counter[int]()
    at = [one["attribute"] for one in names].index("age")
    for row in rows:
        assert row[at] in ages
        low, _, high = row[at].partition(" to ")
        within = [age for age in before if int(low) <= age <= int(high or low)]
        for age in within:
            after[age] += 1 / len(within)  # type: ignore[assignment] # shares of records
    wanted = sum(abs(before[age] / 240 - after[age] / len(rows)) for age in before) / 2
    assert private.distances.columns["age"] == pytest.approx(wanted)
    assert any("protected by noise in the counts" in note for note in facts.notes)


def test_notes_say_that_the_records_of_a_person_are_not_independent(tmp_path: Path) -> None:
    """Only for the parts that ran; without a test of accuracy, nothing is said about its parts."""
    rows = [(f"P{number // 3}", *row) for number, row in enumerate(people())]
    table = write_csv(tmp_path / "visits.csv", ("patient", *HEADER), rows)
    without = write_csv(tmp_path / "other.csv", HEADER, people())
    released(table, tmp_path / "persons", person="patient", link="none", suppression=1)
    released(table, tmp_path / "records", identifiers=["patient"])
    more = {"formula": "stay ~ age"}
    for out, original, told, wanted in (
        ("persons", table, {}, (False, True, False)),
        ("persons", table, more, (False, True, True)),
        ("persons", without, more, (False, True, True)),
        ("persons", table, TOLD, (True, True, False)),
        ("persons", without, TOLD, (False, True, False)),
        ("records", table, {**TOLD, **more}, (False, False, False)),
    ):
        notes = " ".join(compare(tmp_path / out, original=original, **told).notes)
        said = ("In each test of accuracy", "per record, not per person", "are independent")
        assert tuple(one in notes for one in said) == wanted, (out, original, told)


def test_a_release_of_other_records_is_found_out(original: Path, tmp_path: Path) -> None:
    """By how many records there are, by classes they do not make, and by labels."""
    out, other = tmp_path / "release", tmp_path / "other.csv"
    released(original, out)
    for rows in (
        people()[1:],
        [*people()[1:], next(one for one in people() if one[1] != people()[0][1])],
        [("19", *row[1:]) for row in people()],
    ):
        write_csv(other, HEADER, rows)
        with pytest.raises(SettingError):
            compare(out, original=other)


def test_a_table_changed_after_it_was_certified_is_not_compared(
    original: Path, tmp_path: Path
) -> None:
    """Whatever was changed."""
    out = tmp_path / "release"
    released(original, out)
    table = out / "people.csv"
    table.write_text(table.read_text(encoding="utf-8").replace("yes", "no", 1), encoding="utf-8")
    with pytest.raises(VerificationError):
        compare(out, original=original)


@pytest.mark.nightly
def test_suppressed_records_are_those_of_the_release(original: Path, tmp_path: Path) -> None:
    """Masked records stay with all values open, and dropped ones do not; distances are equal."""
    kept, gone = tmp_path / "kept", tmp_path / "gone"
    for out, records in ((kept, "mask"), (gone, "drop")):
        released(original, out, suppressed=records, suppression=0.9, max_level={"age": 1, "zip": 0})
    facts = compare(kept, gone, original=original)
    mask, drop = facts.releases
    assert mask.masked == drop.left_out > 0
    assert mask.left_open == pytest.approx(drop.left_open)
    assert mask.distances.columns["age"] == pytest.approx(drop.distances.columns["age"])
    assert (mask.largest_risk, mask.mean_risk) == (drop.largest_risk, drop.mean_risk)


def test_a_folder_that_does_not_exist_is_named(original: Path, releases: dict[str, Path]) -> None:
    """As the first release, as a further one, and with held-out records."""
    gone = original.parent / "nosuch"
    for one in (
        lambda: compare(gone, original=original),
        lambda: compare(releases["global"], gone, original=original),
        lambda: rs.evaluate(gone, held_out=original),
    ):
        with pytest.raises(InputError) as caught:
            one()
        assert (caught.value.where, caught.value.what) == (str(gone), "there is no such folder")
    with pytest.raises(InputError, match="can compare only folders"):
        compare(original, original=original)


@pytest.mark.parametrize(
    "more",
    [
        {"formula": "stay"},
        {"formula": "stay ~ weight"},
        {"target": "weight"},
        {"draws": 3},
        {"runs": 3},
        {"classifiers": ["tree"]},
        {"epsilon": 1},
        {"held_out": "people.csv"},
        {"formula": "stay ~ age", "draws": 0},
        {"formula": "stay ~ age", "drawn_from": "air"},
    ],
)
def test_a_wrong_request_is_refused(
    more: dict[str, Any], original: Path, releases: dict[str, Path]
) -> None:
    """In one line."""
    with pytest.raises(InputError):
        compare(releases["global"], original=original, **more)


@pytest.mark.parametrize("kind", [pd.DataFrame, pa.table, rs.read])
def test_a_table_among_releases_is_the_original(
    releases: dict[str, Path], kind: Callable[[Any], Any]
) -> None:
    """Fault class: pandas refused to say whether its table is empty."""
    table = pa.table({"age": ["1"], "sex": ["f"]})
    with pytest.raises(SettingError, match=r"others: .* is a table, .* write original=TABLE"):
        rs.evaluate(releases["global"], kind(table.to_pandas() if kind is pd.DataFrame else table))


def test_releases_need_their_original(original: Path, releases: dict[str, Path]) -> None:
    """Several releases, a formula and a table in the place of a release are refused without it."""
    own = releases["global"]
    wrong: list[tuple[Path, dict[str, Any]]] = [
        (own, {"others": [str(releases["local"])]}),
        (own, {"formula": "stay ~ age"}),
        (own, {"held_out": original}),
        (original, {"original": original}),
    ]
    for first, more in wrong:
        with pytest.raises(InputError):
            rs.evaluate(first, **more)


def test_everything_that_is_written_says_that_it_is_not_for_sharing(
    original: Path, releases: dict[str, Path], tmp_path: Path
) -> None:
    """Words, JSON and page; and the page has no text that runs."""
    found = rs.evaluate(
        releases["global"],
        [str(releases["local"])],
        original=original,
        formula="died ~ age",
        draws=3,
    )
    out = tmp_path / "figures"
    found.write(out)
    found.write(out, force=True)
    document = json.loads((out / "evaluation.json").read_text(encoding="utf-8"))
    page = (out / "evaluation.html").read_text(encoding="utf-8")
    assert document["private"] is False
    for text in (document["warning"], str(found), page):
        assert "NOT FOR SHARING" in text
    assert "<script" not in page
    lines = read_csv(out / "evaluation.csv")
    assert len(lines) - 1 == len(found.facts.rows())
    first = document["releases"][0]
    assert first["coefficients"][1]["term"] == "age"
    assert 0 <= first["mean_overlap"] <= 1
    with pytest.raises(InputError):
        found.write(out)
