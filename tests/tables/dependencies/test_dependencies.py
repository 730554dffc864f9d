"""Information that columns reveal about each other, and insufficient evidence for it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from revealing_tables import Row, clinic, looked_at, reasons

from roadstead.tables.dependencies import rows as drawn
from roadstead.tables.dependencies.agreement import agreement, agreement_in
from roadstead.tables.dependencies.examined import with_dependencies
from roadstead.tables.identifiers.judgment import examine
from roadstead.tables.reading import read


@examples(40)
@given(
    st.lists(
        st.tuples(st.sampled_from(["", "a", "b", "c"]), st.sampled_from(["", "x", "y", "z"])),
        max_size=20,
    )
)
def test_agreement_is_that_of_all_pairs_of_records(pairs: list[tuple[str, str]]) -> None:
    """In memory, of a text file in DuckDB's words, and through Ibis."""
    there = [pair for pair in pairs if all(pair)]
    shares = []
    for at, (first, second) in enumerate(there):
        others = [s for b, (f, s) in enumerate(there) if b != at and f == first]
        if others:
            shares.append(sum(other == second for other in others) / len(others))
    any_two = [one[1] == other[1] for one, other in permutations(there, 2)]
    chance = sum(any_two) / len(any_two) if any_two else 1.0
    codes = [
        np.array([values.index(pair[at]) - 1 for pair in pairs], dtype=np.int64)
        for at, values in enumerate((["", "a", "b", "c"], ["", "x", "y", "z"]))
    ]
    table = pa.table(
        {
            "one": pa.array([p[0] for p in pairs], pa.string()),
            "two": [*map(str, (p[1] for p in pairs))],
        }
    )
    for found in (
        agreement(*codes),
        agreement_in(read(table), "one", "two") if pairs else agreement(*codes),
    ):
        assert found.records == len(there)
        assert found.shared == len(shares)
        assert found.agreeing == pytest.approx(sum(shares))
        if there:
            assert found.chance == pytest.approx(chance)


@pytest.mark.nightly
def test_the_reason_names_both_columns_and_counts_records() -> None:
    """And shows no value."""
    rows = [
        row | {"k": 12 * row["age"] + 6, "path": f"a/{row['region']}"} for row in clinic(900, 3)
    ]
    told = reasons(rows)
    assert told["k"] == (
        "k determines age: records with the same k have the same age (900 of 900 records)"
    )
    assert told["path"].startswith("path contains region (")
    assert "North" not in " ".join(told.values())


@pytest.mark.nightly
def test_a_table_too_large_to_be_taken_whole_is_counted_in_its_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The count in the reason is that of all records, from a file and from memory."""
    monkeypatch.setattr(drawn, "MOST_ROWS", 1_500)
    rows = [row | {"k": f"c{row['age'] * 37 % 97}x"} for row in clinic(6_000, 8)]
    table = pa.table({name: [row[name] for row in rows] for name in ("sex", "age", "k", "charges")})
    place = tmp_path / "clinic.csv"
    lines = ["sex,age,k,charges", *(",".join(map(str, row.values())) for row in table.to_pylist())]
    place.write_text("\n".join(lines), encoding="utf-8")
    for source in (read(table), read(place)):
        found = with_dependencies(source, examine(source, source.columns), ["sex", "age"])
        (told,) = found.objections["k"]
        assert told.why.endswith("(6,000 of 6,000 records)")
        assert list(found.objections) == ["k"]


@pytest.mark.nightly
def test_a_column_of_twice_recorded_visits_is_no_evidence() -> None:
    """Exact charges of 2% of the records occur twice, for these are recorded twice."""
    rows = clinic(1_500, 4)
    assert not reasons([*rows, *rows[:30]])


def test_columns_of_one_place_are_named_together() -> None:
    """Either of two coarser forms alone does not determine it."""
    rows: list[Row] = [
        row
        | {
            "coast": int(row["region"] in ("North", "West")),
            "cold": int(row["region"] in ("North", "East")),
        }
        for row in clinic(900, 6)
    ]
    told = reasons(rows)
    assert set(told) == {"coast", "cold"}
    assert told["cold"] == "coast and cold determine region together"
    assert not reasons([{k: v for k, v in row.items() if k != "cold"} for row in rows])


def test_a_code_of_a_hidden_id_is_objected_to() -> None:
    """Where the ID repeats, and so does its code."""
    chance = random.Random(2)  # noqa: S311 - no secret
    rows = []
    for row in clinic(1_200, 2):
        person = chance.randrange(300)
        rows.append(row | {"mrn": f"M{person * 37:06d}", "slot": f"s{(person * 101) % 307}"})
    told = looked_at(rows, hidden=["mrn"]).objections["slot"]
    assert told[0].kind == "person"
    assert told[0].others == ("mrn",)


def _patients(ids: list[str], seed: int = 3) -> list[Row]:
    """One record of each of some patients, with who infected each."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    return [
        row | {"patient": own, "infected_by": chance.choice(ids[:9]) if at > 8 else ""}
        for at, (own, row) in enumerate(zip(ids, clinic(len(ids), seed), strict=True))
    ]


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "ids",
    [
        [f"P{7 * at:05d}" for at in range(400)],
        [str(90_000 + 13 * at) for at in range(400)],
        [str(at) for at in range(1, 401)],
    ],
    ids=["codes", "numbers with gaps", "numbers without gaps"],
)
def test_values_that_are_person_ids_are_links(ids: list[str]) -> None:
    """Counts and ages are not, though they are among the numbers from 1 on."""
    found = looked_at(_patients(ids), ["sex", "region"], person="patient").objections
    others = {name: ones[0].kind for name, ones in found.items() if name != "patient"}
    assert others == {"infected_by": "link"}


def _linked(
    naming: Callable[[random.Random, int, int], object], name: str, rows_of_each: int = 6
) -> set[str]:
    """Return the columns with person IDs, if 300 people have the numbers 1 to 300."""
    chance = random.Random(4)  # noqa: S311 - no secret
    people = [(own, at) for own in range(1, 301) for at in range(chance.randint(1, rows_of_each))]
    rows: list[Row] = [
        row | {"patient": own, name: str(naming(chance, own, at))}
        for (own, at), row in zip(people, clinic(len(people), 4), strict=True)
    ]
    found = looked_at(rows, ["sex", "region"], person="patient").objections
    return {name for name, ones in found.items() if any(one.kind == "link" for one in ones)}


def test_numbers_that_many_people_share_are_not_person_ids() -> None:
    """Fault class: visits 1 to 6 refused, because people have the numbers 1 to 300."""
    assert not _linked(lambda _, __, at: at + 1, "visit_no")
    assert not _linked(lambda _, __, at: at + 1 if at else "", "visit_no")
    assert not _linked(lambda chance, *_: chance.choice([*range(1, 9), 12]), "ward_id", 1)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("name", "naming"),
    [
        ("mother", lambda _, own, __: 1 + own // 4),  # values of few people
        ("referred_by", lambda chance, *_: chance.choice([2, 57, 131, 190, 288])),
        ("head_no", lambda _, own, __: own % 9 or 9),  # the first nine are their own heads
        ("infected_by", lambda chance, own, _: chance.randint(1, min(9, own - 1 or 1))),
        ("contact_no", lambda _, own, __: own % 40 + 1),
    ],
)
def test_numbers_of_other_people_are_still_found(
    name: str, naming: Callable[[random.Random, int, int], object]
) -> None:
    """Their values are rare, or not the first numbers, or the first people name earlier ones."""
    assert _linked(naming, name, 1) == {name}


def test_people_who_name_each_other_are_still_found() -> None:
    """Fault class: mutual contacts among the first people, taken for numbers of visits."""
    assert _linked(lambda chance, *_: chance.randint(1, 12), "contact_id", 1) == {"contact_id"}


def test_an_id_under_any_header_is_found_by_what_is_the_same_within_it() -> None:
    """Whole numbers may be written as floats; a column of visits is left out."""
    chance = random.Random(9)  # noqa: S311 - no secret
    rows: list[Row] = []
    for at, one in enumerate(clinic(150, 9)):
        for _ in range(chance.randint(2, 5)):
            fixed = {name: one[name] for name in ("age", "region")}
            rows.append(
                fixed
                | {"zz": 5.0e7 + 113 * at, "visit_id": len(rows) // 2, "n": chance.randrange(9)}
            )
    found = looked_at(rows, ["age", "region"])
    assert [key.column for key in found.persons] == ["zz"]
    assert found.judgments["zz"].identifier
    (key,) = found.persons
    assert key.why == "its values repeat; age and region are the same for each value"


def test_codes_that_repeat_like_an_id_are_found_though_all_else_differs() -> None:
    """Common codes of diagnoses, round amounts and postal codes of cities are not.

    Fault class: one wrong entry, 9999, made whole numbers look like codes that are far apart.
    """
    chance = random.Random(1)  # noqa: S311 - no secret
    people = [
        f"{letter}K{year}{at % 7}"
        for at in range(7)
        for letter in "ABCDEFGH"
        for year in range(1940, 1960)
    ]
    numbers = [str(chance.randrange(10**6)) for _ in range(300)]
    common = [f"{chr(65 + at % 20)}{at:02d}.{at % 9}" for at in range(150)]
    often = [1.0 / (at + 1) for at in range(150)]
    rows = [
        row
        | {
            "v1": chance.choice(people),
            "icd": chance.choices(common, often)[0],
            "amount": 1_000 * chance.randrange(10, 160),
            "creatinine": chance.randrange(40, 220) if at else 9_999,
            "v2": chance.choice(numbers),
        }
        for at, row in enumerate(clinic(4_000, 1))
    ]
    found = looked_at(rows).objections
    assert {name: [one.kind for one in ones] for name, ones in found.items()} == {
        "v1": ["identifier", "person"],
        "v2": ["person"],
    }
    assert Counter(row["v1"] for row in rows).most_common(1)[0][1] < 20
