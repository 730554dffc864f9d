"""Every pair of choices on a small table, and some more.

Each works, or the module of combinations refuses it.
"""

from __future__ import annotations

from collections import ChainMap
from importlib.util import module_from_spec, spec_from_file_location
from itertools import combinations, product
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
import pytest
from pyarrow.csv import write_csv
from pyarrow.parquet import write_table as write_parquet

import roadstead as rs
from roadstead import capabilities
from roadstead.errors import NoPolicyError, RoadsteadError
from roadstead.privacy.settings import needs_column
from roadstead.quality.words import QUALITY_MODELS
from roadstead.search.recoding.registry import RECODINGS
from roadstead.search.registry import LEVELS, PARTITIONS
from roadstead.verbs.settings import AGGREGATES

Fields: TypeAlias = dict[str, Any]
FORMS = ("csv", "parquet", "duckdb")
MORE = [
    ("settings", "settings"),
    ("population", "search", "privacy"),
    ("persons", "search", "privacy"),
    ("search", "privacy", "store"),
    ("search", "privacy", "settings"),
]
DOCS = Path(__file__).parents[2] / "docs"


def page_of_combinations() -> ModuleType:
    """Load the script that writes the page."""
    spec = spec_from_file_location("make_combinations", DOCS / "make_combinations.py")
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


MADE = page_of_combinations()


def table() -> pa.Table:
    """Return sixty records of forty people."""
    chance = Random(7)  # noqa: S311 - for tests
    rows = range(60)
    return pa.table(
        {
            "patient": [f"p{row * 2 // 3}" for row in rows],
            "age": [str(chance.choice((20, 30, 40))) for _ in rows],
            "sex": [chance.choice("FM") for _ in rows],
            "illness": [chance.choice("abc") for _ in rows],
            "weight": [str(chance.randint(50, 99)) for _ in rows],
        }
    )


TABLE = table()


def choices() -> dict[str, list[Fields]]:
    """Return the possible choices, by kind: two choices of one kind are not a pair.

    Each recoding has searches of its own, so a search and a recoding are one choice.
    """
    models = [
        {"kind": kind, **more, **({"column": "illness"} if needs_column(kind) else {})}
        for kind, more in MADE.SAMPLES.items()
    ]
    target = {"quality": "classification", "target": "illness"}
    qualities = [{"quality": one} for one in QUALITY_MODELS.own if one != "classification"]
    cuts = {"quality": "discernibility"}
    persons = [
        {},
        {"knows": "2"},
        {"knows": "all"},
        {"link": "pseudonym"},
        {"leave_out": "persons"},
    ]
    rounding = {"kind": "rounding", "column": "weight", "base": 5}
    groups = {"kind": "microaggregation", "column": "weight", "k": 3}
    settings: list[Fields] = [
        {"gs_factor": 0.2},
        {"gs_factor": 0.2, "gs_formula": "arx"},
        {"monotone": True},
        {"weights": {"age": 2.0}},
        {"stakes": {"gain": 10.0}},
        {"attacker": "journalist"},
        {"min_level": {"age": 1}},
        {"suppressed": "mask"},
        *({"aggregate": one} for one in AGGREGATES),
        {"suppression": 0.0},
        {"intervals": "columns"},
    ]
    searches = [
        {"recoding": kind, **({} if name == known.own[0] else {"search": name})}
        for kind, known in RECODINGS.items()
        for name in known
    ]
    return {
        "search": [
            *({"search": one} for one in LEVELS),
            *({"search": one, **cuts} for one in PARTITIONS if one not in LEVELS),
            *searches,
        ],
        "privacy": [{"privacy": [one]} for one in models],
        "quality": [*qualities, target, {"quality": sum}],
        "persons": [{"person": "patient", **one} for one in persons],
        "population": [{"population": TABLE}],
        "store": [{"data": form} for form in FORMS],
        "engine": [{"combinations": 2}],
        "treat": [{"treat": [rounding]}, {"treat": [groups]}],
        "ledger": [{"ledger": True}],
        "proof": [{"proof": True}],
        "settings": settings,
    }


def stored(form: str, folder: Path) -> str:
    """Return where the table is, in a form."""
    path = folder / f"table.{form}"
    if form == "csv":
        write_csv(TABLE, path)
    elif form == "parquet":
        write_parquet(TABLE, path)
    else:
        with duckdb.connect(str(path)) as connection:
            connection.register("made", TABLE)
            connection.execute("CREATE TABLE t AS SELECT * FROM made")
    return str(path)


def pairs() -> list[tuple[Fields, Fields]]:
    """Return each pair of choices that set different fields."""
    return [
        (first, second)
        for one, other in combinations(choices().values(), 2)
        for first in one
        for second in other
        if not first.keys() & second.keys()
    ]


def from_declarations(error: RoadsteadError) -> bool:
    """Whether the one place that refuses combinations raised an error."""
    frames, frame = set(), error.__traceback__
    while frame is not None:
        frames.add(frame.tb_frame.f_code.co_filename)
        frame = frame.tb_next
    return capabilities.__file__ in frames


def works_or_is_refused(fields: Fields, folder: Path) -> None:
    """Anonymize, release if there is a ledger, and write SQL; fail if another place refuses it."""
    given: Fields = {"quasi": ["age", "sex"], "sensitive": ["illness"], "k": 2, "suppression": 0.9}
    data = stored(fields["data"], folder) if "data" in fields else TABLE
    if "ledger" in fields:
        ledger = folder / "ledger"
        ledger.mkdir(mode=0o700)
        fields = {**fields, "ledger": ledger, "out": folder / "out"}
    if "proof" in fields:
        fields = {**fields, "proof": folder / "proof.json.gz"}
    try:
        made = rs.anonymize(**{**given, **fields, "data": data})
        rs.as_sql(getattr(made, "policy", None) or folder / "out" / "policy.json", table="t")
    except NoPolicyError:
        return  # the combination went; this small table has too few records
    except RoadsteadError as error:
        if not from_declarations(error):
            raise


QUICK = pairs()[::151]
"""A few, from all over the list."""


@pytest.mark.quick(5)
@pytest.mark.parametrize("pair", QUICK, ids=str)
def test_some_pairs_work_or_are_refused_in_one_place(
    pair: tuple[Fields, Fields], tmp_path: Path
) -> None:
    """Nothing fails later, and no other place refuses a combination."""
    works_or_is_refused({**pair[0], **pair[1]}, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("kinds", [*combinations(choices(), 2), *MORE], ids="-".join)
def test_all_choices_work_or_are_refused_in_one_place(
    kinds: tuple[str, ...], tmp_path: Path
) -> None:
    """Every combination of choices of these kinds; a list of all that fail."""
    made = choices()
    wrong = []
    for number, chosen in enumerate(product(*(made[kind] for kind in kinds))):
        fields = dict(ChainMap(*chosen))
        if len(fields) < sum(map(len, chosen)):
            continue  # two choices set the same field
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            works_or_is_refused(fields, folder)
        except Exception as error:  # noqa: BLE001 - all are listed
            wrong.append((chosen, error))
    assert wrong == []


def test_the_page_of_combinations_says_what_is_declared() -> None:
    """``python docs/make_combinations.py`` writes it."""
    assert MADE.PAGE.read_text(encoding="utf-8") == MADE.page()


def test_every_feature_is_brought_by_something_or_needed_by_nothing() -> None:
    """A feature without a provider would be dead code."""
    brought = {feature for part in MADE.bringers() for feature in part.brings}
    concerned = {feature for feature in capabilities.Feature if feature.concerns}
    assert concerned <= brought
