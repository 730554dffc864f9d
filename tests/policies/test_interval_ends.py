"""Intervals name no value that fewer than k records have, and lose what their labels cover."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import roadstead as rs
from roadstead.hierarchies.declare import build_declared
from roadstead.hierarchies.hierarchy import from_columns
from roadstead.policies.encoding import encode
from roadstead.policies.full_domain import full_domain
from roadstead.policies.interval_ends import enough_of
from roadstead.policies.recodings.document import Recoding
from roadstead.policies.recodings.from_search import recoding_of
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.search.protocol import Control
from roadstead.search.recoding.bounds.boxes import box_bound
from roadstead.search.recoding.intervals import IntervalSearch
from roadstead.search.recoding.protocol import OUT, RecodingProblem, recoding_problem
from roadstead.search.recoding.solve import solve
from roadstead.tables.frequency import FrequencyTable
from roadstead.tables.persons.profiles import counted_by
from roadstead.tables.reading import read
from roadstead_reproductions.searches.mondrian import Mondrian

FIRST = date(2020, 1, 1)
WIDTH = 10


@dataclass(frozen=True)
class Column:
    """Cells, the hierarchy of a column, and what a label of it covers, by the definition."""

    cells: tuple[str, ...]
    kind: str
    declared: Any
    domain: tuple[str, ...]  # all values, in their order

    @property
    def by_rules(self) -> bool:
        """Whether the hierarchy is made from the cells."""
        return isinstance(self.declared, dict)

    def covered(self, label: str) -> int:
        """Count the values of the domain that a label covers."""
        return sum(self._holds(label, value) for value in self.domain)

    def _holds(self, label: str, value: str) -> bool:
        if label == "*":
            return True
        if self.kind in ("whole", "listed numbers"):
            least, most = numbers_of(label)
            return least <= int(value) <= most
        low, high = ends_of(label)
        if self.kind == "listed":
            place = self.domain.index
            return (not low or place(low) <= place(value)) and (
                not high or place(value) <= place(high)
            )
        return low.rstrip("*") <= value and (
            not high or value <= high or value.startswith(high.rstrip("*"))
        )


def numbers_of(label: str) -> tuple[float, float]:
    """Read an interval of whole numbers."""
    if label.endswith("+"):
        return int(label[:-1]), float("inf")
    if label.startswith("<"):
        return -float("inf"), int(label[1:]) - 1
    low, _, high = label.partition("-")
    return int(low), int(high or low)


def ends_of(label: str) -> tuple[str, str]:
    """Read the ends of another interval, empty where it is open."""
    if label.startswith("up to "):
        return "", label.removeprefix("up to ")
    if label.startswith("from "):
        return label.removeprefix("from "), ""
    low, _, high = re.sub(" to ", " .. ", label).partition(" .. ")
    return low, high or low


def drawn_column(chance: random.Random, records: int) -> Column:
    """Draw a column whose hierarchy mostly has values that the table lacks."""
    kind = chance.choice(("whole", "listed numbers", "listed", "days", "codes", "names"))
    most = chance.choice((2, 4, 12))
    if kind == "whole":
        low, high = chance.randint(0, 30), chance.randint(70, 100)
        pool = [str(chance.randint(low, high)) for _ in range(most)]
        domain = tuple(map(str, range(low, high + 1)))
        declared: Any = {"kind": "intervals", "widths": [WIDTH], "lowest": low, "highest": high}
    elif kind == "days":
        pool = [(FIRST + timedelta(chance.randint(0, 200))).isoformat() for _ in range(most)]
        domain, declared = (), {"kind": "dates", "units": ["day", "month"]}
    elif kind == "codes":
        pool = [f"{chance.randint(100, 400):05d}" for _ in range(most)]
        domain, declared = (), {"kind": "prefix", "keep": [4, 3]}
    elif kind == "names":
        pool = [chance.choice("abcdefgh") * 2 for _ in range(most)]
        domain, declared = (), {"kind": "flat"}
    else:
        number = chance.randint(4, 14)
        domain = tuple(
            str(at + 1) if kind == "listed numbers" else f"v{at}" for at in range(number)
        )
        pool = [chance.choice(domain) for _ in range(most)]
        groups = [f"g{at // 3}" for at in range(number)]
        columns = [list(domain), groups, ["*"] * number]
        declared = from_columns("x", columns, origin="listed.csv")
    cells = tuple(chance.choice(pool) for _ in range(records))
    if kind == "days":
        known = sorted(map(date.fromisoformat, cells))
        days = (known[-1] - known[0]).days
        domain = tuple((known[0] + timedelta(at)).isoformat() for at in range(days + 1))
    elif not domain:
        domain = tuple(sorted(set(cells)))
    return Column(cells, kind, declared, domain)


def problem_of(columns: Sequence[Column], k: int) -> RecodingProblem:
    """Make the problem of some columns."""
    counted = Counter(zip(*(own.cells for own in columns), strict=True))
    rows = sorted(counted)
    domains = tuple(tuple(sorted(set(own.cells))) for own in columns)
    codes = tuple(
        np.array([domain.index(row[at]) for row in rows], dtype=np.int32)
        for at, domain in enumerate(domains)
    )
    names = tuple(f"c{at}" for at in range(len(columns)))
    table = FrequencyTable(names, domains, codes, np.array([counted[row] for row in rows]))
    hierarchies = [
        build_declared(name, own.declared, domain)
        if isinstance(own.declared, dict)
        else own.declared
        for name, own, domain in zip(names, columns, domains, strict=True)
    ]
    encoding = encode(table, hierarchies)
    space = full_domain(encoding.hierarchies)
    return recoding_problem(encoding, space, KAnonymity(k), k=k, limit=0, intervals=True)


def released(problem: RecodingProblem, recoding: Recoding) -> Iterator[tuple[tuple[str, ...], int]]:
    """Give the labels of each row as a reader of the policy finds them, and its records."""
    rows = recoding.place(problem.encoding.table)
    for row, records in zip(rows.tolist(), problem.encoding.counts.tolist(), strict=True):
        parts = recoding.classes[row]
        yield (
            tuple(own.labels[part] for own, part in zip(recoding.attributes, parts, strict=True)),
            records,
        )


def assert_it_loses_what_it_says(seed: int) -> None:
    """Draw a table, recode it, and hold the loss and the names against the definition."""
    chance = random.Random(seed)  # noqa: S311 - of test cases
    records, k = chance.randint(4, 40), chance.randint(2, 5)
    columns = [drawn_column(chance, max(records, k)) for _ in range(chance.randint(1, 2))]
    problem = problem_of(columns, k)
    search = IntervalSearch(moves=200) if chance.random() < 0.7 else Mondrian()
    found = solve(problem, search, Control())
    assert found.best is not None
    recoding = recoding_of("intervals", problem.encoding, found.best.parts, problem.axes)
    assert recoding.wrong is None
    assert np.array_equal(recoding.place(problem.encoding.table), found.best.rows)
    assert (found.best.rows != OUT).all()
    lost, total = 0.0, 0
    for labels, number in released(problem, recoding):
        for label, own in zip(labels, columns, strict=True):
            covered = own.covered(label)
            lost += number * (covered - 1) / max(len(own.domain) - 1, 1)
        total += number * len(columns)
    assert found.loss == pytest.approx(lost / total), seed
    assert found.lower_bound <= found.loss + 1e-9
    for own, parts in zip(columns, recoding.attributes, strict=True):
        assert_it_names_nobody(own, parts.labels, k)


def assert_it_names_nobody(column: Column, labels: Sequence[str], k: int) -> None:
    """No end is a value that fewer than k records have, unless the hierarchy says it anyway."""
    counts = Counter(column.cells)
    rare = {value for value, number in counts.items() if number < k}
    if column.kind in ("listed", "listed numbers"):
        return  # a file lists all of its values, and says of none that the table has it
    for label in labels:
        if column.kind == "whole":
            ends = [] if label == "*" else [x for x in numbers_of(label) if abs(x) < 1e9]
            named = {str(int(one)) for one in ends}
            bounds = {value for value in rare if int(value) % WIDTH in (0, WIDTH - 1)}
        else:
            named, bounds = {*ends_of(label)}, set()
            if column.kind == "days":
                days = {value: date.fromisoformat(value) for value in rare}
                bounds = {v for v, day in days.items() if 1 in (day.day, (day + timedelta(1)).day)}
        assert not named & (rare - bounds), label


def test_an_interval_loses_what_its_label_covers_and_names_nobody() -> None:
    """Random tables, and hierarchies that mostly are wider than these."""
    for seed in range(60):
        assert_it_loses_what_it_says(seed)


@pytest.mark.nightly
def test_intervals_of_many_tables_lose_what_their_labels_cover() -> None:
    """The same of many more."""
    for seed in range(100, 500):
        assert_it_loses_what_it_says(seed)


def smallest(values: Sequence[int], cells: Sequence[int], k: int, low: int, high: int) -> int:
    """Count what the smallest interval around some whole numbers covers, by the definition."""
    counts = Counter(cells)
    starts = {value for value, number in counts.items() if number >= k}
    stops = set(starts)
    for band in range(low // WIDTH, high // WIDTH + 1):
        inside = sum(number for value, number in counts.items() if value // WIDTH == band)
        if inside >= k:
            starts |= {band * WIDTH, (band + 1) * WIDTH}
            stops |= {band * WIDTH - 1, (band + 1) * WIDTH - 1}
    first = max((one for one in starts if one <= min(values)), default=low)
    last = min((one for one in stops if one >= max(values)), default=high)
    return min(last, high) - max(first, low) + 1


def partitions(records: list[int], k: int) -> Iterator[list[list[int]]]:
    """Go through all ways to part records into groups of at least k."""
    if not records:
        yield []
        return
    first, others = records[0], records[1:]
    for chosen in product((False, True), repeat=len(others)):
        group = [first, *(one for one, own in zip(others, chosen, strict=True) if own)]
        rest = [one for one, own in zip(others, chosen, strict=True) if not own]
        if len(group) >= k:
            yield from ([group, *more] for more in partitions(rest, k))


def test_no_partition_loses_less_than_is_proven() -> None:
    """Every partition of up to seven ages: the bound is never above the best of them."""
    alike = 0
    for seed in range(25):
        chance = random.Random(seed)  # noqa: S311 - of test cases
        low, high = chance.randint(0, 30), chance.randint(60, 90)
        pool = [chance.randint(low, high) for _ in range(4)]
        ages, k = [chance.choice(pool) for _ in range(chance.randint(4, 7))], chance.randint(2, 3)
        declared = {"kind": "intervals", "widths": [WIDTH], "lowest": low, "highest": high}
        column = Column(
            tuple(map(str, ages)), "whole", declared, tuple(map(str, range(low, high + 1)))
        )
        problem = problem_of([column], k)
        best = min(
            sum(len(group) * (smallest(group, ages, k, low, high) - 1) for group in own)
            for own in partitions(ages, k)
        ) / ((high - low) * len(ages))
        found = IntervalSearch().run(problem, Control())
        assert box_bound(problem, Control()).value <= best + 1e-9
        assert found.loss >= best - 1e-9
        alike += found.loss == pytest.approx(best)
    assert alike > 15


def test_a_file_wider_than_the_table_counts_in_full(tmp_path: Path) -> None:
    """Among the ages 1 to 10, 1-4 and 9-10 lose 3/9 and 1/9, whichever of them occur."""
    file = tmp_path / "age.csv"
    file.write_text("".join(f"{age};*\n" for age in range(1, 11)))
    table = pa.table({"age": [1, 4, 9, 10]})
    found = rs.anonymize(
        table, quasi=["age"], k=2, recoding="intervals", hierarchies={"age": str(file)}
    )
    assert found.loss == pytest.approx(2 / 9)


def test_what_shows_nothing_loses_everything() -> None:
    """Eight ages of which no band has eight records: each is a star, and that loses 100%."""
    ages = [40, 45, 50, 55, 60, 41, 42, 58]
    declared = {"age": {"kind": "intervals", "widths": [10], "lowest": 0, "highest": 100}}
    asked: dict[str, Any] = {"quasi": ["age"], "recoding": "intervals", "declared": declared}
    found = rs.anonymize(pa.table({"age": ages}), k=8, **asked)
    assert found.loss == 1.0
    assert set(found.to_arrow()["age"].to_pylist()) == {"*"}
    more = rs.anonymize(pa.table({"age": ages}), k=3, **asked)
    assert {*more.to_arrow()["age"].to_pylist()} == {"40-49", "50+"}


def test_an_extreme_number_and_a_rare_name_are_in_no_file(tmp_path: Path) -> None:
    """One record has each; what is released is open at that end, as text and in two columns."""
    ages = [20 + at % 30 for at in range(120)] + [987654]
    names = ["white"] * 80 + ["black"] * 40 + ["Zephyrine"]
    rows = "\n".join(f"{age},{name}" for age, name in zip(ages, names, strict=True))
    (tmp_path / "t.csv").write_text(f"age,race\n{rows}\n")
    for form in ("text", "columns"):
        out = tmp_path / form
        asked: dict[str, Any] = {"recoding": "intervals", "intervals": form, "suppression": 0}
        rs.anonymize(tmp_path / "t.csv", quasi=["age", "race"], k=4, out=out, **asked)
        said = b"".join(file.read_bytes() for file in out.rglob("*") if file.is_file())
        assert b"987654" not in said
        assert b"Zephyrine" not in said
        rs.verify(out)  # which refuses what does not hold


def test_where_persons_are_counted_a_value_of_one_person_is_no_end() -> None:
    """One person has ten records of 77, and no other has any."""
    ages = [str(20 + at % 30) for at in range(120)] + ["77"] * 10
    who = [f"p{at}" for at in range(120)] + ["q"] * 10
    found = rs.anonymize(
        pa.table({"who": who, "age": ages}),
        quasi=["age"],
        person="who",
        knows=1,
        k=4,
        recoding="intervals",
        suppression=0,
    )
    labels = set(found.to_arrow()["age"].to_pylist())
    assert not any("77" in label for label in labels)
    recoding = found.policy.recoding
    assert recoding is not None
    assert not any("77" in str(own) for own in recoding.attributes)


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["local", "cells"])
def test_a_value_that_is_released_as_it_is_has_k_records(kind: str) -> None:
    """Nodes of hierarchies: only a class of k records that all have a value shows it."""
    for seed in range(6):
        chance = random.Random(seed)  # noqa: S311 - of test cases
        columns = [drawn_column(chance, 40) for _ in range(2)]
        names = ("first", "second")
        held = pa.table({name: own.cells for name, own in zip(names, columns, strict=True)})
        declared = {
            name: own.declared if own.by_rules else {"kind": "flat"}
            for name, own in zip(names, columns, strict=True)
        }
        asked: dict[str, Any] = {"recoding": kind, "declared": declared, "suppression": 0.3}
        found = rs.anonymize(held, quasi=list(names), k=3, **asked).to_arrow()
        for name, own in zip(names, columns, strict=True):
            counts = Counter(own.cells)
            shown = set(found[name].to_pylist()) & set(counts)
            assert all(counts[value] >= 3 for value in shown)


@pytest.mark.parametrize("person", [None, "who"])
def test_a_group_of_exactly_k_is_enough_and_one_less_is_not(person: str | None) -> None:
    """Of a table of people, each person counts once, however many records the person has."""
    people = [f"p{at}" for at in range(5)]
    rows = [(who, "a") for who in people] + [(who, "b") for who in people[:4]]
    again = rows + [("p0", "b")] * 3 if person else rows
    columns = dict(zip(("who", "town"), zip(*again, strict=True), strict=True))
    source = read(pa.table({name: list(values) for name, values in columns.items()}))
    table = counted_by(source, person, ["town"])
    groups = np.arange(len(table.domains[0]), dtype=np.int64)
    assert enough_of(table, 0, 5)(groups).tolist() == [True, False]
    assert enough_of(table, 0, 4)(groups).tolist() == [True, True]


def test_missing_is_named_once_in_an_interval_with_an_open_end() -> None:
    """Fault class: "missing or missing or up to 1939-12-31" if many births are missing."""
    births = [""] * 6 + ["1921-03-04", "1932-05-06", "1938-01-01"] * 2
    births += [f"19{40 + at // 10}-0{1 + at % 9}-11" for at in range(400)]
    table = {"birth_date": births, "sex": ["f", "m"] * (len(births) // 2)}
    made = rs.anonymize(table, quasi=["birth_date", "sex"], k=5, recoding="intervals", time_limit=5)
    cells = {str(one) for one in made.to_pandas()["birth_date"]}
    assert {one for one in cells if "up to" in one} == {"missing or up to 1939-12-31"}
