"""Contents of a release with treated columns, counted again from the written rows."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import without_charts
from microaggregated import textbook
from small_tables import read_csv
from treated_tables import HEADER, QUASI, anonymized, groups_by, released, stays, written

from roadstead.errors import SettingError
from roadstead.release.treatments.values import TreatedLoss


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    without_charts(monkeypatch)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("columns", "within"),
    [
        (["glucose"], "table"),
        (["glucose", "bmi"], "classes"),
        pytest.param(["glucose"], "classes", marks=pytest.mark.nightly),
        pytest.param(["glucose", "bmi"], "table", marks=pytest.mark.nightly),
    ],
)
def test_the_mean_of_each_group_is_that_of_the_textbook(
    columns: list[str], within: str, tmp_path: Path
) -> None:
    """Which records share a value, and the value: against MDAV on the records themselves."""
    rows = stays(260)
    result = anonymized(
        written(tmp_path, rows),
        [{"kind": "microaggregation", "columns": columns, "within": within}],
    )
    result.write(tmp_path / "out")
    shown = released(tmp_path / "out")
    assert result.draft.counts.dropped == 0
    before = {row[0]: [float(row[HEADER.index(name)]) for name in columns] for row in rows}
    spread = [
        1.0
        if len(columns) == 1
        else (sum((own[at] - mean) ** 2 for own in before.values()) / len(before)) ** 0.5
        for at in range(len(columns))
        for mean in [sum(own[at] for own in before.values()) / len(before)]
    ]
    classes = groups_by(shown, *(QUASI if within == "classes" else ()))
    expected: dict[str, list[float]] = {}
    for tickets in classes.values():
        ordered = sorted(tickets, key=before.__getitem__)
        scaled = [tuple(a / b for a, b in zip(before[t], spread, strict=True)) for t in ordered]
        for group in textbook(scaled, 4):
            own = [before[ordered[at]] for at in group]
            mean = [sum(column) / len(own) for column in zip(*own, strict=True)]
            expected |= {ordered[at]: mean for at in group}
    assert max(map(len, classes.values())) > 8  # so that some class is split
    for row in shown:
        for name, mean_ in zip(columns, expected[row["ticket"]], strict=True):
            step = 0.005 if name == "glucose" else 0.00005
            assert float(row[name]) == pytest.approx(mean_, abs=step + 1e-9)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("function", "within", "suppressed"),
    [
        ("median", "classes", "mask"),
        ("interval", "table", "drop"),
        *(
            pytest.param(*one, marks=pytest.mark.nightly)
            for one in product(
                ("mean", "median", "mode", "interval"), ("table", "classes"), ("mask", "drop")
            )
        ),
    ],
)
def test_what_is_shown_is_shared_by_k(
    function: str, within: str, suppressed: str, tmp_path: Path
) -> None:
    """Counted among the released records, also if some lack a value and some are left out."""
    table = written(tmp_path, stays(200, 2, gaps=True))
    treat: list[dict[str, Any]] = [
        {"kind": "microaggregation", "column": column, "function": function, "within": within}
        for column in ("glucose", "stay")
    ]
    result = anonymized(table, treat, k=5, suppressed=suppressed, min_level={"age": 0})
    assert result.write(tmp_path / "out").passed
    rows = released(tmp_path / "out")
    by = QUASI if within == "classes" else ()
    for column in ("glucose", "stay"):
        sizes = Counter((*(row[name] for name in by), row[column]) for row in rows if row[column])
        assert not sizes or min(sizes.values()) >= 5
        if function != "mode":
            assert sizes
    found = {one.column: one for own in result.generalized.treated for one in own.losses}
    lacking = {row[0] for row in stays(200, 2, gaps=True) if not row[4]}
    empty = {row["ticket"] for row in rows if not row["glucose"]}
    there = {row["ticket"] for row in rows}
    assert lacking & there <= empty
    assert found["glucose"].emptied == len(empty - lacking)


@pytest.mark.nightly
def test_nothing_but_the_treated_columns_changes(tmp_path: Path) -> None:
    """Every other cell of every record is what it is without treatments."""
    table = written(tmp_path, stays(150))
    anonymized(table, [], unchanged=["glucose", "bmi", "stay"]).write(tmp_path / "plain")
    anonymized(table, [{"kind": "rounding", "column": "stay", "base": 4}]).write(tmp_path / "out")
    anonymized(
        table,
        [{"kind": "microaggregation", "column": "bmi", "within": "classes"}],
        unchanged=["stay", "glucose"],
    ).write(tmp_path / "other")
    plain = {row["ticket"]: row for row in released(tmp_path / "plain")}
    for row in released(tmp_path / "out"):
        own = plain[row["ticket"]]
        assert int(row["stay"]) % 4 == 0
        assert abs(int(row["stay"]) - int(own["stay"])) <= 2
        assert {**row, "stay": ""} == {name: own[name] for name in row} | {"stay": ""}
    for row in released(tmp_path / "other"):
        assert {**row, "bmi": ""} == {**plain[row["ticket"]], "bmi": ""}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("link", "within"),
    [
        ("pseudonym", "classes"),
        pytest.param("none", "table", marks=pytest.mark.nightly),
        pytest.param("none", "classes", marks=pytest.mark.nightly),
        pytest.param("pseudonym", "table", marks=pytest.mark.nightly),
    ],
)
def test_persons_are_counted_where_rows_are_theirs(link: str, within: str, tmp_path: Path) -> None:
    """Each value is shared by the records of k people, whatever each person has."""
    rows = stays(300, 3)
    treat: list[dict[str, Any]] = [
        {"kind": "microaggregation", "columns": ["glucose", "stay"], "within": within}
    ]
    result = anonymized(
        written(tmp_path, rows), treat, person="who", link=link, suppression=0.6, k=3
    )
    found = result.write(tmp_path / "out")
    shown, whose = released(tmp_path / "out"), {row[0]: row[1] for row in rows}
    by = QUASI if within == "classes" else ()
    for (*_, glucose, stay), tickets in groups_by(shown, *by, "glucose", "stay").items():
        assert glucose == stay == "" or len({whose[one] for one in tickets}) >= 3
    checks = [one for one in found.checks if "is shared" in one.check]
    assert ("people" in checks[0].detail) == (link == "pseudonym")
    told = "how many people share" in " ".join(found.unchecked)
    assert told == (link == "none")


def test_the_order_of_records_does_not_show(tmp_path: Path) -> None:
    """The same release, whichever way the rows came, with ties and gaps."""
    rows = stays(160, 4, gaps=True)
    treat: list[dict[str, Any]] = [
        {"kind": "microaggregation", "columns": ["stay", "glucose"], "within": "classes"},
        {"kind": "microaggregation", "column": "bmi", "function": "interval", "k": 7},
    ]
    made = []
    for number in range(2):
        table = written(tmp_path, rows, f"{number}.csv")
        anonymized(table, treat).write(tmp_path / str(number))
        made.append(read_csv(tmp_path / str(number) / f"{number}.csv"))
        random.Random(5).shuffle(rows)  # noqa: S311 - of a test
    assert made[0] == made[1]


@pytest.mark.nightly
def test_types_of_columns_stay(tmp_path: Path) -> None:
    """Whole numbers stay whole, and others of their type; an interval is a text."""
    rows = stays(120, 6, gaps=True)
    table = pa.table(
        {
            "ticket": [row[0] for row in rows],
            "age": pa.array([int(row[2]) for row in rows], pa.int16()),
            "sex": [row[3] for row in rows],
            "glucose": pa.array([float(row[4]) if row[4] else None for row in rows]),
            "bmi": pa.array([float(row[5]) for row in rows], pa.float32()),
            "stay": pa.array([int(row[6]) for row in rows], pa.int64()),
            "who": [row[1] for row in rows],
            "outcome": [row[7] for row in rows],
        }
    )
    pq.write_table(table, tmp_path / "stays.parquet")
    treat: list[dict[str, Any]] = [
        {"kind": "microaggregation", "column": "stay"},
        {"kind": "microaggregation", "column": "glucose", "within": "classes"},
        {"kind": "microaggregation", "column": "bmi", "function": "interval"},
    ]
    result = anonymized(tmp_path / "stays.parquet", treat)
    assert result.write(tmp_path / "out").passed
    found = pq.read_table(tmp_path / "out" / "stays.parquet")
    assert found.schema.field("stay").type == pa.int64()
    assert found.schema.field("glucose").type == pa.float64()
    assert found.schema.field("bmi").type == pa.string()
    assert result.to_arrow().column("stay").null_count == 0
    with pytest.raises(SettingError, match="whole numbers"):
        anonymized(
            tmp_path / "stays.parquet", [{"kind": "rounding", "column": "stay", "base": 2.5}]
        )


@pytest.mark.nightly
@pytest.mark.parametrize("recoding", ["cells", "local", "intervals"])
def test_classes_that_differ_in_what_they_show(recoding: str, tmp_path: Path) -> None:
    """Groups are formed within the classes that are released."""
    table = written(tmp_path, stays(160, 9))
    result = anonymized(
        table,
        [{"kind": "microaggregation", "columns": ["bmi", "stay"], "within": "classes"}],
        recoding=recoding,
    )
    assert result.write(tmp_path / "out").passed
    groups = groups_by(released(tmp_path / "out"), *QUASI, "bmi", "stay")
    assert min(map(len, groups.values())) >= 4


@pytest.mark.nightly
def test_whole_classes_share_all_that_is_treated(tmp_path: Path) -> None:
    """However many columns: a class is one group, of texts by their mode."""
    table = written(tmp_path, stays(160, 9))
    own = {"kind": "microaggregation", "within": "classes", "groups": "whole"}
    result = anonymized(
        table,
        [
            {**own, "column": "bmi", "function": "median"},
            {**own, "column": "glucose", "function": "interval"},
            {**own, "column": "stay"},
            {**own, "column": "outcome", "function": "mode"},
        ],
    )
    result.write(tmp_path / "out")
    rows = released(tmp_path / "out")
    shown = ("bmi", "glucose", "stay", "outcome")
    classes = groups_by(rows, *QUASI)
    assert groups_by(rows, *QUASI, *shown).keys() == {
        (*label, *(next(r[n] for r in rows if r["ticket"] == tickets[0]) for n in shown))
        for label, tickets in classes.items()
    }
    assert {row["outcome"] for row in rows} <= {"well", "ill"}


def test_the_loss_is_that_of_the_records(tmp_path: Path) -> None:
    """Squares within groups over those from the mean, counted again from both tables."""
    rows = stays(150, 10)
    result = anonymized(
        written(tmp_path, rows), [{"kind": "microaggregation", "column": "bmi", "k": 10}]
    )
    result.write(tmp_path / "out")
    before = {row[0]: float(row[5]) for row in rows}
    after = {row["ticket"]: float(row["bmi"]) for row in released(tmp_path / "out")}
    mean = sum(before[one] for one in after) / len(after)
    whole = sum((before[one] - mean) ** 2 for one in after)
    lost = sum((before[one] - after[one]) ** 2 for one in after)
    ((found,),) = [one.losses for one in result.generalized.treated]
    assert isinstance(found, TreatedLoss)
    assert found.lost == pytest.approx(lost / whole, rel=1e-9)
    between = sum((one - mean) ** 2 for one in after.values())
    assert (lost + between) / whole == pytest.approx(1.0, abs=1e-3)
