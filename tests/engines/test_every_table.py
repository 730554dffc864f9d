"""Every table is scanned, measured, released, applied, and verified the same way in any store.

The witness is a file of texts. An engine has the same records. A column has a type if its texts are
those of the type's values. Roadstead then reads the same, and must find and release the same. If it
refuses, it refuses everywhere, in the same words.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from commands import Ran, run, without_charts
from stores import Duckdb

from roadstead.tables.reading import read
from roadstead.tables.text import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from postgres_server import Server
    from spark_tables import Spark

Row = tuple[str | None, ...]
Table = tuple[list[str], list[Row]]

_FORMS = {
    "bigint": re.compile(r"0|-?[1-9][0-9]{0,17}"),
    "date": re.compile(r"(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])"),
    "boolean": re.compile(r"true|false"),
    "decimal(18,2)": re.compile(r"(0|-?[1-9][0-9]{0,9})\.[0-9]{2}"),
}
"""Types, and the texts that are the same after they were values of it."""
_READ_AS = {
    "adult_uci/adult.data": ("--no-header",),
    "adult_uci/adult.test": ("--no-header",),
}
_OF_SAMPLE = re.compile(r"[0-9]+ ?% of sampled")
_MOST = 20_000
"""Records of a table that are compared; what differs, differs in the first of them."""
_MADE_UP: Table = (
    ["select", 'a "quoted"; name', "ärztin 'x'", "Day", "day of birth", "paid", "note", "a.b"],
    [
        (
            ("F", "M", "?", "Unknown")[at % 4],
            (None, "n/a", "N/A ", "35", "36")[at % 5],
            ("true", "false", None)[at % 3],
            f"2024-0{1 + at % 3}-1{at % 5}",
            None if at % 7 == 0 else f"19{50 + at % 9}-07-04",
            f"{at % 6}.{at % 4}0",
            ("ä", "a\u0308", "Ä", "-", "none", "ß")[at % 6],
            str(at % 11 - 3),
        )
        for at in range(240)
    ],
)


class _Made:
    """A table of texts in a file, and what is requested of it."""

    def __init__(self, folder: Path, table: Table) -> None:
        self.columns, self.rows = table
        self.path = folder / "witness.csv"
        with self.path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([self.columns, *self.rows])
        few = sorted(
            (len(set(values)), at)
            for at, values in enumerate(zip(*self.rows, strict=True))
            if 1 < len(set(values)) <= len(self.rows) // 4
        )
        quasi = [self.columns[at] for _, at in few[-3:]]
        others = [self.columns[at] for most, at in few[:-3] if most <= _FEW][:5]
        self.asked = (
            "--quasi",
            _listed(quasi),
            *(("--release-anyway", _listed(others)) * bool(others)),
        )
        self.quasi = self.asked[:2]

    def typed(self) -> list[str]:
        """Give the names of columns, with the type that their texts allow."""
        return [
            f"{name}::{_type_of(values)}"
            for name, values in zip(self.columns, zip(*self.rows, strict=True), strict=True)
        ]


_FEW = 40


def _listed(names: Sequence[str]) -> str:
    return ",".join(f'"{name.replace(chr(34), chr(34) * 2)}"' for name in names)


def _type_of(values: Sequence[str | None]) -> str:
    there = {value for value in values if value is not None}
    fits = (kind for kind, form in _FORMS.items() if all(map(form.fullmatch, there)))
    return next(fits, "text") if there else "text"


def _answers(place: str | Path, made: _Made, out: Path) -> dict[str, Any]:
    """Ask everything of a table, and give the answers without what differs from place to place."""
    out.mkdir()
    answers = {
        "scan": _told(run("scan", place, "--out", out / "project.toml", "--json"), place),
        "risk": _told(run("risk", place, *made.quasi, "--json"), place),
    }
    into = ("--out", out / "first", "--json")
    first = run("anonymize", place, *made.asked, "--suppression", "1", *into)
    answers["anonymize"] = _told(first, place)
    if first.code:
        return answers
    answers["released"] = _content(out / "first")
    again = run("apply", out / "first" / "policy.json", place, "--out", out / "again", "--json")
    answers["apply"] = _told(again, place)
    if not again.code:
        answers["again"] = _content(out / "again")
    for folder in ("first", "again")[: 1 if again.code else 2]:
        verified = run("verify", out / folder)
        assert verified.code == 0, f"{verified.out}{verified.err}"
    return answers


_OWN = (
    "seconds",
    "out",
    "data",
    "source",
    "table",
    "format",
    "file",
    "project",
    "type",
    "distinct",
)


def _told(ran: Ran, place: str | Path) -> Any:  # noqa: ANN401 - a JSON document or an error
    if ran.code:
        return ran.code, _plain(ran.error, place)
    return _without(ran.json)


def _plain(error: str, place: str | Path) -> str:
    """Take the name of the table out of a message."""
    for name in (
        str(place),
        "witness.csv",
        *(f"{s}.witness" for s in ("public", "main", "clinic")),
    ):
        error = error.replace(name, "witness")
    return error


def _without(found: Any) -> Any:  # noqa: ANN401 - a JSON value
    if isinstance(found, dict):
        return {k: _without(v) for k, v in found.items() if not k.startswith(_OWN)}
    if isinstance(found, str):
        return _OF_SAMPLE.sub("some of sampled", found)
    return [_without(one) for one in found] if isinstance(found, list) else found


def _content(folder: Path) -> Counter[tuple[str, ...]]:
    (path,) = (p for p in folder.iterdir() if p.suffix in (".csv", ".parquet"))
    with read(path) as source:
        texts = {f"c{at}": as_text(source.table[name]) for at, name in enumerate(source.columns)}
        table = source.table.select(**texts).to_pyarrow()
    return Counter(zip(*(column.to_pylist() for column in table.columns), strict=True))


def _place(made: _Made, engine: str, request: pytest.FixtureRequest, folder: Path) -> str:
    if engine == "duckdb":
        return Duckdb(folder / "clinic.duckdb").load("witness", made.typed(), made.rows)
    server: Server | Spark = request.getfixturevalue(engine)
    server.load("witness", made.typed(), made.rows)
    return server.address("witness")


def _compare(table: Table, engine: str, request: pytest.FixtureRequest, folder: Path) -> bool:
    """Compare an engine with the file; give whether something was released."""
    made = _Made(folder, table)
    wanted = _answers(made.path, made, folder / "file")
    found = _answers(_place(made, engine, request, folder), made, folder / engine)
    for step, answer in wanted.items():
        assert found[step] == answer, step
    assert found.keys() == wanted.keys()
    return "released" in wanted


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "engine", ["postgres", "duckdb", pytest.param("spark", marks=pytest.mark.nightly)]
)
def test_markers_blanks_types_and_odd_names_are_read_alike_in_every_engine(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A made-up table has what the demonstration's clean table lacks."""
    without_charts(monkeypatch)
    assert _compare(_MADE_UP, engine, request, tmp_path)


_TABLES = (
    *("adult/adult.csv", "adult_uci/adult.data", "adult_uci/adult.test", "cup/cup.csv.gz"),
    *("census/st-est00int-agesex.csv.gz", "census/tn_tract_sf1_2000.csv.gz"),
    *("census/zcta_county_rel_2010.csv.gz", "census/zcta_pop_2010.csv.gz"),
    *("census/zcta_race_18plus_2010.csv.gz", "census/zip3_restricted.csv"),
    *("diabetes130/diabetic_data.csv.gz", "diabetes130/IDs_mapping.csv", "fars/fars.csv.gz"),
    *("icd/icd10cm2019.csv.gz", "icd/icd9cm_hierarchy.csv.gz", "icd/vermont_dx.csv"),
    *(
        f"eunomia_gibleed/{name}"
        for name in (
            *("CDM_SOURCE.csv", "CONCEPT.csv", "CONCEPT_ANCESTOR.csv.gz", "CONDITION_ERA.csv.gz"),
            *("DRUG_ERA.csv.gz", "OBSERVATION.csv", "OBSERVATION_PERIOD.csv.gz", "PERSON.csv.gz"),
            *("PROCEDURE_OCCURRENCE.csv.gz", "VISIT_OCCURRENCE.csv", "VOCABULARY.csv"),
        )
    ),
    *(
        f"mimic3_demo/{name}"
        for name in (
            *("ADMISSIONS.csv", "DIAGNOSES_ICD.csv", "DRGCODES.csv", "D_ICD_DIAGNOSES.csv.gz"),
            *("D_ICD_PROCEDURES.csv.gz", "ICUSTAYS.csv", "PATIENTS.csv", "PROCEDURES_ICD.csv"),
            "SERVICES.csv",
        )
    ),
    *(f"synthea/{name}.csv.gz" for name in ("allergies", "conditions", "patients")),
)


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ["duckdb", "postgres", "spark"])
@pytest.mark.parametrize("name", _TABLES)
def test_every_table_of_the_data_folder_is_read_alike_in_every_engine(
    name: str,
    engine: str,
    data_dir: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Real tables have surprises: markers, leading zeros, mixed kinds of numbers."""
    without_charts(monkeypatch)
    with read(data_dir / name, header=None if name not in _READ_AS else False) as source:
        texts = {f"c{at}": as_text(source.table[own]) for at, own in enumerate(source.columns)}
        first = source.table.select(**texts).limit(_MOST).to_pyarrow()
        columns = list(source.columns)
    cells = ([cell or None for cell in column.to_pylist()] for column in first.columns)
    _compare((columns, list(zip(*cells, strict=True))), engine, request, tmp_path)
