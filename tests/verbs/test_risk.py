"""Risks by their definitions, counted again in plain Python from the records."""

from __future__ import annotations

import csv
import importlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

import pandas as pd
import pytest
from commands import run
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from small_tables import write_csv

import roadstead as rs
from roadstead.errors import InputError, OutputError, PolicyError, SettingError
from roadstead.risk.special_uniques import largest_combination

Row: TypeAlias = tuple[str, ...]

COLUMNS = ("age", "sex", "zip")
few = examples(10)
ROWS = st.lists(
    st.tuples(st.sampled_from("1234"), st.sampled_from("fm"), st.sampled_from("XYZ")),
    min_size=1,
    max_size=25,
)


def frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Make a table in memory."""
    return pd.DataFrame(rows, columns=list(COLUMNS))


def by_hand(rows: list[Row], people: Counter[Row], threshold: float) -> dict[str, float]:
    """Maximum, average, and share above a threshold of 1 / matching people, record by record."""
    risks = [1 / people[row] for row in rows]
    return {
        "maximum": max(risks),
        "average": sum(risks) / len(risks),
        "share_above_threshold": sum(risk > threshold + 1e-9 for risk in risks) / len(risks),
    }


@few
@given(rows=ROWS, threshold=st.sampled_from([0.1, 0.2, 0.5]))
def test_prosecutor_risk_is_one_over_the_records_alike(rows: list[Row], threshold: float) -> None:
    """So are the sizes of classes, and the marketer's share without a population."""
    found = rs.risk(frame(rows), quasi=COLUMNS, threshold=threshold).to_dict()
    classes = Counter(rows)
    wanted = by_hand(rows, classes, threshold)
    assert found["prosecutor"] == pytest.approx(wanted)
    assert found["marketer"] == {"sample": pytest.approx(wanted["average"]), "population": None}
    assert found["classes"] == len(classes)
    assert found["sample_uniques"] == sum(size == 1 for size in classes.values())
    sizes = Counter(classes.values())
    assert found["class_sizes"] == [{"size": s, "classes": sizes[s]} for s in sorted(sizes)]
    assert "journalist" not in found
    assert found["population_uniques"] == {}


@few
@given(rows=ROWS, others=ROWS)
def test_journalist_risk_is_one_over_the_people_alike(rows: list[Row], others: list[Row]) -> None:
    """The population is the table and others; counted uniques are people without a match."""
    people = Counter(rows) + Counter(others)
    result = rs.risk(frame(rows), quasi=COLUMNS, population=frame([*rows, *others]))
    found = result.to_dict()
    wanted = by_hand(rows, people, 0.2)
    assert result.before.marketer == pytest.approx(by_hand(rows, Counter(rows), 0.2)["average"])
    assert {key: found["journalist"][key] for key in wanted} == pytest.approx(wanted)
    assert found["journalist"]["estimated"] is False
    assert found["journalist"]["population_unique_records"] == sum(people[r] == 1 for r in rows)
    assert found["marketer"]["population"] == pytest.approx(wanted["average"])
    alone = sum(size == 1 for size in people.values())
    counted = found["population_uniques"]["counted"]
    assert counted == {"uniques": alone, "share": pytest.approx(alone / people.total())}
    assert found["population"]["people"] == people.total()


@few
@given(rows=ROWS)
def test_contributions_are_of_smallest_combinations(rows: list[Row]) -> None:
    """A combination counts for a record that it singles out and no part of it does."""
    found = rs.risk(frame(rows), quasi=COLUMNS).before

    def singles_out(row: Row, places: tuple[int, ...]) -> bool:
        return sum(all(other[i] == row[i] for i in places) for other in rows) == 1

    every = [c for size in (1, 2, 3) for c in combinations(range(3), size)]
    smallest = Counter(
        places
        for row in rows
        for places in every
        if singles_out(row, places)
        and not any(set(part) < set(places) and singles_out(row, part) for part in every)
    )
    told = {tuple(map(COLUMNS.index, one.attributes)): one.records for one in found.combinations}
    assert told == smallest
    for one in found.contributions:
        place = COLUMNS.index(one.attribute)
        assert one.keys == sum(n for places, n in smallest.items() if place in places)
        rest = Counter(tuple(v for i, v in enumerate(row) if i != place) for row in rows)
        assert one.uniques_without == sum(number == 1 for number in rest.values())


def test_estimated_journalist_risk_has_the_worked_values() -> None:
    """Two unique records, and a class of two, of a tenth of the population."""
    rows = [("1", "f", "X"), ("2", "f", "X"), ("3", "m", "Y"), ("3", "m", "Y")]
    found = rs.risk(frame(rows), quasi=COLUMNS, sampling_fraction=0.1).to_dict()
    alone, pair = 0.25584279, 0.08268413
    assert found["journalist"]["maximum"] == pytest.approx(alone, abs=1e-8)
    assert found["journalist"]["average"] == pytest.approx((alone + pair) / 2, abs=1e-8)
    assert found["journalist"]["share_above_threshold"] == 0.5
    assert found["journalist"]["estimated"] is True
    assert found["population"] == {"basis": "fraction", "people": 40, "sampling_fraction": 0.1}


def test_a_page_says_that_a_risk_is_estimated(tmp_path: Path) -> None:
    """A share of the population alone does not say who is unique in it.

    Fault class: an expectation in a headline that reads as a count.
    """
    table = frame([("1", "f", "X"), ("2", "f", "X"), ("3", "m", "Y"), ("3", "m", "Y")])
    said = "The expected journalist risk is above this threshold"
    rs.risk(table, quasi=COLUMNS, sampling_fraction=0.1).write(tmp_path / "estimated")
    assert said in (tmp_path / "estimated" / "risk.html").read_text("utf-8")
    rs.risk(table, quasi=COLUMNS, population=table).write(tmp_path / "counted")
    counted = (tmp_path / "counted" / "risk.html").read_text("utf-8")
    assert said not in counted
    assert said.replace("expected ", "") in counted


def test_a_whole_population_makes_the_journalist_a_prosecutor() -> None:
    """With a fraction of 1, and with the table as its own population."""
    rows = [("1", "f", "X"), ("2", "f", "X"), ("3", "m", "Y"), ("3", "m", "Y")]
    whole = rs.risk(frame(rows), quasi=COLUMNS, sampling_fraction=1.0)
    itself = rs.risk(frame(rows), quasi=COLUMNS, population=frame(rows))
    for found in (whole, itself):
        assert found.journalist is not None
        assert found.journalist.maximum == found.prosecutor.maximum == 1.0
        assert found.journalist.average == pytest.approx(found.prosecutor.average)
        assert {one.uniques for one in found.before.population_uniques} == {2.0}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A population of 600, a sample of 150 of it, and a release of that under 4-anonymity."""
    folder = tmp_path_factory.mktemp("study")
    people = [(str(20 + 7 * i % 40), "fm"[i % 2], f"021{30 + i * i % 11}") for i in range(600)]
    write_csv(folder / "people.csv", COLUMNS, people)
    write_csv(folder / "sample.csv", COLUMNS, people[::4])
    rs.anonymize(folder / "sample.csv", quasi=COLUMNS, k=4, suppressed="drop").write(
        folder / "release"
    )
    return folder


def classes_of(path: Path) -> Counter[Row]:
    """Count the classes of a file with Python's own csv module."""
    with path.open(encoding="utf-8", newline="") as file:
        return Counter(tuple(row[name] for name in COLUMNS) for row in csv.DictReader(file))


def test_after_a_policy_the_risk_is_that_of_the_released_file(study: Path) -> None:
    """Classes are counted in the file that the release has; suppressed records are not in it."""
    policy = study / "release" / "policy.json"
    found = rs.risk(study / "sample.csv", policy=policy, population=study / "people.csv")
    assert found.quasi == COLUMNS
    assert found.after is not None
    (released,) = (study / "release").glob("sample*.csv")
    classes = classes_of(released)
    rows = list(classes.elements())
    assert found.after.to_dict()["prosecutor"] == pytest.approx(by_hand(rows, classes, 0.2))
    assert found.after.prosecutor.smallest >= 4
    assert found.after.suppressed == 150 - classes.total()
    applied = rs.apply(policy, study / "people.csv").generalized.merged
    people = {
        tuple(domain[code] for domain, code in zip(applied.domains, codes, strict=True)): number
        for *codes, number in zip(*applied.codes, applied.counts.tolist(), strict=True)
    }
    assert found.after.journalist is not None
    wanted = by_hand(rows, Counter({row: people[row] for row in classes}), 0.2)
    assert found.after.journalist.maximum == pytest.approx(wanted["maximum"])
    assert found.after.journalist.average == pytest.approx(wanted["average"])


def test_a_policy_that_suppresses_too_much_is_told(study: Path, tmp_path: Path) -> None:
    """If everything is suppressed, no one is at risk."""
    few = write_csv(tmp_path / "few.csv", COLUMNS, [("20", "f", "02130"), ("27", "m", "02131")])
    found = rs.risk(few, policy=study / "release" / "policy.json", sampling_fraction=0.5)
    assert found.after is not None
    assert found.after.suppressed == 2
    assert found.after.prosecutor.maximum == 0.0
    assert any("would refuse this table" in note for note in found.notes)
    assert "0 records in 0 groups, 2 records suppressed" in str(found)
    found.write(tmp_path / "out")
    assert json.loads((tmp_path / "out" / "risk.json").read_text("utf-8"))["after"]["classes"] == 0


def test_a_policy_wants_its_own_columns_and_values(study: Path) -> None:
    """Other columns and values would be a release that does not exist."""
    policy = study / "release" / "policy.json"
    with pytest.raises(SettingError, match="the policy has the quasi-identifiers age, sex, zip"):
        rs.risk(study / "sample.csv", quasi=["age"], policy=policy)
    with pytest.raises(PolicyError, match="no such file"):
        rs.risk(study / "sample.csv", policy=study / "none.json")
    same = rs.risk(study / "sample.csv", quasi=["zip", "age", "sex"], policy=policy)
    assert same.quasi == COLUMNS


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"quasi": ()}, "no quasi-identifier is named"),
        ({"quasi": "age"}, "a single string, not a list"),
        ({"threshold": 0.0}, "above 0 and below 1"),
        ({"threshold": 1.0}, "above 0 and below 1"),
        ({"threshold": float("nan")}, "above 0 and below 1"),
        ({"sampling_fraction": 0.0}, "sampling_fraction: the sampling fraction is 0"),
        ({"sampling_fraction": 1.5}, "sampling_fraction"),
        ({"sampling_fraction": 1e-200}, "would be larger than the population of the world"),
        ({"sampling_fraction": 0.5, "population": frame([("1", "f", "X")])}, "leave one of them"),
        ({"population_counts": "n"}, "population_counts: this setting requires a population"),
        ({"absent": "count"}, "absent: this setting requires a population"),
        ({"population": frame([("1", "m", "X")])}, "no one in the population has sex 'f'"),
    ],
)
def test_a_wrong_request_says_what_and_the_mend(settings: dict[str, object], says: str) -> None:
    """Each as an error of the input."""
    request = {"quasi": COLUMNS, **settings}
    with pytest.raises(InputError) as caught:
        rs.risk(frame([("1", "f", "X")]), **request)  # type: ignore[arg-type] # wrong on purpose
    assert says in caught.value.message


def test_absent_records_can_be_counted_as_people() -> None:
    """The note says how many."""
    found = rs.risk(
        frame([("1", "f", "X"), ("2", "f", "X")]),
        quasi=COLUMNS,
        population=frame([("1", "f", "X")] * 3),
        absent="count",
    )
    assert found.population.people == 4
    assert found.journalist is not None
    assert found.journalist.average == pytest.approx((1 / 3 + 1) / 2)
    assert any("For 1 record, no matching person is left" in note for note in found.notes)


def test_nothing_told_holds_a_value(tmp_path: Path) -> None:
    """Every value is a word of its own; page, figures and words name columns only."""
    rows = [(f"Qage{i % 7}", f"Qsex{i % 2}", f"Qzip{i * i % 5}") for i in range(40)]
    people = rows * 3
    found = rs.risk(frame(rows), quasi=COLUMNS, population=frame(people))
    advice = found.advise(whole_population=True, membership_known=True, self_revealing=True)
    found.write(tmp_path / "out", advice=advice)
    told = [path.read_text("utf-8") for path in (tmp_path / "out").iterdir()]
    for text in (*told, str(found), found._repr_html_()):
        assert not re.search("Q(age|sex|zip)", text)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"risk.html", "risk.json"}


def test_an_assessment_replaces_a_former_one_and_nothing_else(tmp_path: Path) -> None:
    """An edited page is a person's work."""
    found = rs.risk(frame([("1", "f", "X")]), quasi=COLUMNS)
    out = tmp_path / "out"
    found.write(out)
    with pytest.raises(OutputError, match="already exists"):
        found.write(out)
    found.write(out, force=True)
    (out / "risk.html").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match="not part of an earlier"):
        found.write(out, force=True)
    assert (out / "risk.html").read_text("utf-8") == "mine"


def test_class_sizes_can_be_taken_as_a_table() -> None:
    """By pandas, Polars and Arrow."""
    found = rs.risk(frame([("1", "f", "X")] * 3 + [("2", "m", "Y")]), quasi=COLUMNS)
    assert found.to_pandas().to_dict("list") == {
        "release": ["before", "before"],
        "size": [1, 3],
        "classes": [1, 1],
    }
    assert found.to_polars().shape == found.to_arrow().shape == (2, 3)


def test_very_many_columns_are_combined_less() -> None:
    """The number of combinations grows with a power of theirs."""
    assert [largest_combination(n) for n in (1, 2, 3, 30, 31, 120, 121)] == [1, 2, 3, 3, 2, 2, 1]


def test_the_function_is_not_hidden_by_the_room_of_its_name() -> None:
    """Python would put the package `roadstead.risk` in its place as soon as that is imported."""
    code = (
        "import roadstead as rs; import roadstead.risk.prosecutor; "
        "from roadstead import risk; assert callable(risk) and rs.risk is risk; "
        "from roadstead.risk.prosecutor import prosecutor_risk"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    importlib.import_module("roadstead.risk.prosecutor")
    assert callable(rs.risk)


@pytest.mark.nightly
@pytest.mark.skipif("ROADSTEAD_DATA" not in os.environ, reason="needs ROADSTEAD_DATA")
def test_adult_has_the_figures_of_another_implementation() -> None:
    """All nine quasi-identifiers; the reference figures were computed elsewhere."""
    path = Path(os.environ["ROADSTEAD_DATA"]) / "adult" / "adult.csv"
    with rs.read(path) as source:
        found = rs.risk(source, quasi=source.columns, sampling_fraction=0.1)
    document = found.to_dict()
    assert document["classes"] == 19_502
    assert document["sample_uniques"] == 15_512
    assert document["largest_class"] == 45
    assert document["prosecutor"] == {
        "maximum": 1.0,
        "average": pytest.approx(0.6465751607983555, rel=1e-12),
        "share_above_threshold": pytest.approx(0.7781314236456468, rel=1e-12),
    }
    sizes = {one["size"]: one["classes"] for one in document["class_sizes"]}
    assert [sizes[size] for size in range(1, 7)] == [15512, 2098, 754, 375, 189, 155]
    uniques = document["population_uniques"]
    assert uniques["zayatz"]["share"] == pytest.approx(0.320740239347, abs=1e-11)
    assert uniques["pitman"]["share"] == pytest.approx(0.276849938837, abs=1e-8)
    assert uniques["snb"]["uniques"] == pytest.approx(75_398, abs=1)
    assert uniques["dankar"] == uniques["pitman"] | {"takes": "pitman"}


def test_a_combination_counts_only_records_that_no_part_of_it_makes_unique(tmp_path: Path) -> None:
    """Three records are unique by a and b; one of them is already unique by a."""
    rows = [("1", "x"), ("2", "x"), ("2", "y"), ("3", "y"), ("3", "y"), ("4", "x"), ("4", "x")]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["a,b", *map(",".join, rows)]))
    lines = run("risk", str(table), "--quasi", "a,b").out.splitlines()
    first = lines.index("Smallest sets of columns that make records unique")
    assert lines[first + 1 : first + 3] == [
        "  a and b: 2 records with a unique combination of values",
        "  a: 1 record with a unique value",
    ]
