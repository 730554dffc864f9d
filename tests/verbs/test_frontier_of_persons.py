"""The frontier if people are counted: every policy enumerated in plain Python."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache
from itertools import combinations, product
from math import fsum
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from commands import run, undrawn
from small_levels import AGES, LEVELS, NAMES, ZIPS, write_levels

import roadstead as rs
from roadstead.errors import Refusal, RoleError, SettingError
from roadstead.verbs.frontier.result import FrontierFinding
from roadstead.verbs.functions import frontier

Label = tuple[str, ...]
KNOWN = ["1", "2", "3", "all"]


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let charts be left out: they take longer to draw than all else together."""
    undrawn(monkeypatch)


@cache
def rows() -> tuple[tuple[str, ...], ...]:
    """Records of thirty people, who have one to four each."""
    chance = random.Random(8)  # noqa: S311 - no secret
    found = []
    for person in range(30):
        sex, home = chance.choice("FFM"), chance.choice(ZIPS)
        for _ in range(chance.choice([1, 1, 2, 3, 4])):
            age = chance.choice(AGES[: chance.randint(2, 8)])
            found.append((f"p{person}", age, sex, chance.choice([home, home, *ZIPS])))
    return tuple(found)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Hierarchy files."""
    return write_levels(tmp_path / "levels")


def table() -> pa.Table:
    """The records with a column of person IDs."""
    columns = map(list, zip(*rows(), strict=True))
    return pa.table(dict(zip(("patient", *NAMES), columns, strict=True)))


def find(folder: Path, **more: Any) -> FrontierFinding[Any]:  # noqa: ANN401 - as frontier
    """Search the lattice."""
    given: dict[str, Any] = {"person": "patient", "quality": "loss", **more}
    return frontier(table(), quasi=NAMES, hierarchies=folder, **given)


def known_of(own: list[Label], knows: str) -> set[tuple[Label, ...]]:
    """All possible knowledge about a person with these labels."""
    if knows == "all":
        return {tuple(sorted(own))}
    most = range(1, int(knows) + 1)
    return {chosen for many in most for chosen in combinations(sorted(own), many)}


def fitting(levels: tuple[int, ...], knows: str) -> list[int]:
    """For each person, the fewest people who match possible knowledge about that person."""
    labels: dict[str, list[Label]] = {}
    for person, *row in rows():
        label = tuple(LEVELS[n][v][at] for n, v, at in zip(NAMES, row, levels, strict=True))
        labels.setdefault(person, []).append(label)
    known = {person: known_of(own, knows) for person, own in labels.items()}
    having = Counter(one for own in known.values() for one in own)
    return [min(having[one] for one in own) for own in known.values()]


def every_policy() -> list[tuple[int, ...]]:
    """All combinations of levels."""
    return list(product(*(range(len(next(iter(LEVELS[n].values())))) for n in NAMES)))


@pytest.mark.parametrize("knows", KNOWN)
@pytest.mark.parametrize("measure", ["population", "at-risk"])
def test_the_points_are_those_of_all_policies(folder: Path, knows: str, measure: str) -> None:
    """None is missing, and each has the risk of people by the definition.

    Losses equal those of the same levels if records are counted: person IDs do not affect loss.
    """

    def risk(levels: tuple[int, ...]) -> float:
        found = fitting(levels, knows)
        if measure == "at-risk":
            return float(sum(n < 3 for n in found))
        return fsum(1 / n for n in found)

    k = 3 if measure == "at-risk" else None
    result = find(folder, knows=knows, risk_measure=measure, k=k)
    points = result.to_dict()["points"]
    greatest = risk((0, 0, 0))
    risks = {levels: risk(levels) / greatest for levels in every_policy()}
    losses = loss_of_each(folder)
    best = {
        (round(r, 8), round(losses[one], 8))
        for one, r in risks.items()
        if not any(
            r2 <= r + 1e-9
            and losses[two] <= losses[one] + 1e-9
            and (r2 < r - 1e-9 or losses[two] < losses[one] - 1e-9)
            for two, r2 in risks.items()
        )
    }
    assert {(round(p["risk"], 8), round(p["utility_loss"], 8)) for p in points} == best
    assert len(points) > 3
    for point in points:
        levels = tuple(point["policy"][name] for name in NAMES)
        assert risks[levels] == pytest.approx(point["risk"], abs=1e-9)
    assert result.search.gap == 0
    assert result.risk.greatest == pytest.approx(greatest)


def loss_of_each(folder: Path) -> dict[tuple[int, ...], float]:
    """Iyengar's loss of every policy, by the definition."""
    del folder
    found = {}
    for levels in every_policy():
        product_ = 1.0
        for i, name in enumerate(NAMES):
            covered = Counter(texts[levels[i]] for texts in LEVELS[name].values())
            widest = len(LEVELS[name]) - 1
            each = [(covered[LEVELS[name][r[i + 1]][levels[i]]] - 1) / widest for r in rows()]
            product_ *= 1 + fsum(each) / len(each)
        found[levels] = product_ ** (1 / 3) - 1
    return found


@pytest.mark.parametrize("quality", ["divergence", "entropy", "discernibility", "precision"])
def test_a_loss_is_the_same_whoever_the_records_are_of(folder: Path, quality: str) -> None:
    """The levels are the same, and people or records are counted.

    Fault class: one combination in several profiles counted as several combinations.
    """
    counted = [
        {
            tuple(point["policy"][name] for name in NAMES): point["utility_loss"]
            for point in find(folder, person=person, search="exact", quality=quality).to_dict()[
                "points"
            ]
        }
        for person in ("patient", None)
    ]
    both = counted[0].keys() & counted[1].keys()
    assert len(both) > 2
    for levels in both:
        assert counted[0][levels] == pytest.approx(counted[1][levels], abs=1e-9)


def test_what_is_counted_is_said(folder: Path, tmp_path: Path) -> None:
    """On the screen, in JSON, and on the page; a risk of people is never labeled as of records."""
    found = find(folder, knows="2", risk_measure="at-risk", k=3)
    lines = str(found).split("\n")
    assert lines[0].startswith(f"{len(rows())} records of 30 people of ")
    assert lines[1] == "This counts people, not records. The person ID column is patient."
    meaning = "number of people with fewer than 3 matching people (any two rows known)"
    assert meaning in str(found)
    document = found.to_dict()
    assert (document["persons"], document["population"]["basis"]) == (30, "persons")
    assert document["risk_measure"]["units"] == "persons"
    assert document["risk_measure"]["knows"] == "2"
    found.write(tmp_path / "out")
    page = (tmp_path / "out" / "frontier.html").read_text(encoding="utf-8")
    assert f"{len(rows())} records of 30 people" in page
    assert meaning in page
    assert "The risk is the number of people for whom this is true" in page
    assert "No population: the people of the table" in page
    assert "a record is compared with" not in page
    assert "The risk counts these records" not in page


@pytest.mark.quick(1)
@pytest.mark.parametrize("knows", KNOWN)
def test_a_policy_is_released_with_the_fewest_who_fit(
    folder: Path, tmp_path: Path, knows: str
) -> None:
    """The requirement is k-anonymity of people; no one is left out, and IDs are not released."""
    found = find(folder, knows=knows, risk_measure="at-risk", k=2, sensitive=[])
    assert found.members[0].risk == 0
    release = found.choose(0, reason="These are made-up people of a test")
    levels = tuple(release.policy.levels[name] for name in NAMES)
    fewest = min(fitting(levels, knows))
    (model,) = release.policy.privacy
    assert model["kind"] == "person-anonymity"
    assert (model["k"], str(model["knows"]), model["person"]) == (fewest, knows, "patient")
    assert release.draft.counts.released == len(rows())
    assert release.to_arrow().column_names == list(NAMES)
    release.write(tmp_path / "release")
    assert rs.verify(tmp_path / "release").passed
    again = rs.apply(release.policy, table())
    assert again.draft.counts.released == len(rows())
    written = json.loads((tmp_path / "release" / "policy.json").read_text("utf-8"))
    assert written["persons"] == {"column": "patient", "link": "none"}
    assert written["suppression"] == {"limit": 0.0, "records": "drop"}


def test_a_released_column_that_links_rows_needs_the_number_of_known_rows(folder: Path) -> None:
    """Fault class: `anonymize` refused such a column, but the choice from a frontier did not."""
    boxes = pa.array([f"box {person}" for person, *_ in rows()])
    asked: dict[str, Any] = {"quasi": NAMES, "hierarchies": folder, "person": "patient"}
    asked |= {"risk_measure": "at-risk", "k": 2, "release_anyway": ["box"], "sensitive": []}
    given = table().append_column("box", boxes)
    with pytest.raises(RoleError, match="An attacker can know several"):
        frontier(given, **asked).choose(0, reason="These are made-up people of a test")
    chosen = frontier(given, **asked, knows="1").choose(0, reason="These are made-up people")
    assert "box" in chosen.policy.columns.forced


def test_a_policy_under_which_somebody_is_alone_is_not_released(folder: Path) -> None:
    """It would promise nothing; what to do is said."""
    found = find(folder, risk_measure="at-risk", k=2)
    alone = len(found.members) - 1
    assert found.members[alone].risk > 0
    with pytest.raises(Refusal, match=r"match no other person.*choose a policy with less risk"):
        found.choose(alone)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"search": "combined"}, "combined cuts ordered domains and adds up the records"),
        ({"threshold": "safe-harbor"}, "a search at a threshold cuts ordered domains"),
        ({"population": pa.table({"age": ["40"]})}, "compares the population with records"),
        ({"margins": [pa.table({"age": ["40"]})]}, "compares the population with records"),
        ({"privacy": [{"kind": "k-anonymity", "k": 2}]}, "does not use privacy models"),
        ({"person": None, "knows": "2", "search": "exact"}, "requires a person ID column"),
    ],
)
def test_what_counts_records_is_refused(folder: Path, given: dict[str, Any], says: str) -> None:
    """Rather than counted so in silence."""
    with pytest.raises(SettingError) as caught:
        find(folder, **given)
    assert says in caught.value.message


def test_it_is_asked_for_on_the_command_line(folder: Path, tmp_path: Path) -> None:
    """The search for levels is the usual one then."""
    head = ("patient", *NAMES)
    pd.DataFrame(rows(), columns=list(head)).to_csv(tmp_path / "t.csv", index=False)
    told = run(
        "frontier",
        tmp_path / "t.csv",
        "--quasi",
        ",".join(NAMES),
        *("--hierarchies", folder),
        *("--person", "patient", "--knows", "all", "--json"),
    )
    assert told.code == 0, told
    assert told.json["search"] == "exact"
    assert told.json["counted"]["unit"] == "persons"
    assert told.json["gap"] == 0
