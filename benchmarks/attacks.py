"""Every attack on releases of real tables: success, baseline, and interval, by protection.

    ROADSTEAD_DATA=folder python benchmarks/attacks.py [--data Adult] [--protection none k=5 ...]

Two thirds of the people of each table are released, and the others are held out. Each release is
made in the usual way and attacked from its folder, with all attacks judged together. For each
attack the figure that speaks most against the release is shown: a figure for which the release
fails, or else the one with the highest lower end. `--all` shows all figures; `--json` saves them.
Lines are printed as they are found, so the script can run in pieces.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import measuring
import roadstead as rs
from problems import data_folder
from roadstead.attacks.attacked_release import opened_release
from roadstead.attacks.catalog import ATTACKS
from roadstead.attacks.finding import Findings
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.registry import try_all
from roadstead.attacks.target import Target
from roadstead.errors import RoadsteadError
from roadstead.release.evidence import CertifiedAttack, is_undecided
from roadstead.tables.reading import read

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

import planted  # found on the path above

_SHARE = 2 / 3
_SEARCH_SECONDS = 20.0


@dataclass(frozen=True)
class Data:
    """A table, and the roles of its columns.

    `most`: the largest number of records used; records of the same person stay together.
    """

    name: str
    file: str
    quasi: tuple[str, ...]
    sensitive: str
    diverse: int
    delimiter: str = ","
    person: str | None = None
    hierarchies: str | None = None
    numbers: dict[str, str] = field(default_factory=dict)
    most: int | None = None
    also: str | None = None  # a table of the persons, to be joined


TABLES = (
    Data(
        "Adult",
        "adult/adult.csv",
        ("sex", "age", "race", "marital-status", "education"),
        "occupation",
        3,
        delimiter=";",
        hierarchies="adult/hierarchies",
        numbers={"age": "17..90"},
    ),
    Data(
        "diabetes, rows",
        "diabetes130/diabetic_data.csv.gz",
        ("age", "gender", "race", "time_in_hospital", "medical_specialty"),
        "readmitted",
        2,
        numbers={"time_in_hospital": "1..14"},
        most=30_000,
    ),
    Data(
        "diabetes, persons",
        "diabetes130/diabetic_data.csv.gz",
        ("age", "gender", "race", "time_in_hospital"),
        "readmitted",
        2,
        person="patient_nbr",
        numbers={"time_in_hospital": "1..14"},
        most=30_000,
    ),
    Data(
        "MIMIC demo",
        "mimic3_demo/ADMISSIONS.csv",
        ("gender", "admission_type", "insurance", "marital_status"),
        "hospital_expire_flag",
        2,
        person="subject_id",
        also="mimic3_demo/PATIENTS.csv",
    ),
)

PROTECTIONS: dict[str, dict[str, Any]] = {
    "none": {},  # 2-anonymity is claimed
    "k = 5": {"k": 5},
    "k = 20": {"k": 20},
    "k = 5, l-diverse": {"k": 5, "diverse": True},
    "k = 5, cells": {"k": 5, "recoding": "cells"},
    "k = 5, local": {"k": 5, "recoding": "local"},
    "k = 5, intervals": {"k": 5, "recoding": "intervals"},
    "epsilon = 1": {"epsilon": 1},
}
COLUMNS = (
    "data",
    "protection",
    "attack",
    "figures",
    "what is known",
    "success",
    "guessing",
    "difference",
    "verdict",
)


@dataclass(frozen=True)
class Taken:
    """The released records, and the held-out records."""

    data: Data
    inside: Path
    outside: Path
    values: dict[str, list[str]]


def taken(data: Data, folder: Path) -> Taken:
    """Write the needed columns of the people who are released, and of the others."""
    rows = list(_rows(data))
    chance = random.Random(data.name)  # noqa: S311 - a sample that anybody can draw again
    columns = (*([data.person] if data.person else []), *data.quasi, data.sensitive)
    whose = [row[data.person] if data.person else str(at) for at, row in enumerate(rows)]
    people = sorted(set(whose))
    chance.shuffle(people)
    number = {one: at for at, one in enumerate(people)}
    last = int(len(people) * min(1.0, (data.most or len(rows)) / len(rows)))
    parts = (range(int(last * _SHARE)), range(int(last * _SHARE), last))
    paths = []
    for part, name in zip(parts, ("inside", "outside"), strict=True):
        paths.append(folder / f"{name}.csv")
        with paths[-1].open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(columns)
            for row, who in zip(rows, whose, strict=True):
                if number[who] in part:
                    writer.writerow([row[name] for name in columns])
    values = {name: sorted({row[name] for row in rows}) for name in (*data.quasi, data.sensitive)}
    return Taken(data, paths[0], paths[1], values)


def _rows(data: Data) -> Iterator[dict[str, str]]:
    path = data_folder() / data.file
    of_person = {}
    if data.also is not None:
        with (data_folder() / data.also).open(encoding="utf-8") as stream:
            of_person = {row[str(data.person)]: row for row in csv.DictReader(stream)}
    how = gzip.open if path.suffix == ".gz" else open
    with how(path, "rt", encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter=data.delimiter):
            yield {**of_person.get(row.get(str(data.person), ""), {}), **row}


def released(of: Taken, asked: dict[str, Any], out: Path) -> None:
    """Make a release of a table with this protection."""
    data = of.data
    if "epsilon" in asked:
        values = {name: own for name, own in of.values.items() if name not in data.numbers}
        persons: dict[str, Any] = {}
        if data.person is not None:
            persons = {"person": data.person, "rows_per_person": 3}
        rs.synthesize(
            of.inside,
            target=data.sensitive,
            classes=values.pop(data.sensitive),
            quasi=data.quasi,
            ranges=data.numbers,
            values=values,
            epsilon=asked["epsilon"],
            specializations=6 if data.also is None else 2,
            **persons,
            out=out,
        )
        return
    settings: dict[str, Any] = {"quasi": data.quasi, "sensitive": [data.sensitive], "out": out}
    if data.hierarchies is not None:
        settings["hierarchies"] = data_folder() / data.hierarchies
    if data.person is not None:
        settings |= {"person": data.person, "link": "none"}
    if not asked:
        settings |= {"k": 2, "max_level": dict.fromkeys(data.quasi, 0), "suppression": 1.0}
    else:
        settings |= {"k": asked["k"], "recoding": asked.get("recoding", "global")}
        settings["time_limit"] = _SEARCH_SECONDS
    if "diverse" in asked:
        settings["privacy"] = [
            {"kind": "distinct-l-diversity", "column": data.sensitive, "l": data.diverse}
        ]
    rs.anonymize(of.inside, **settings)
    if not asked:
        unprotected(of, out)


def unprotected(of: Taken, out: Path) -> None:
    """Replace the records released as 2-anonymous by the unchanged records."""
    columns = (*of.data.quasi, of.data.sensitive)
    with of.inside.open(encoding="utf-8") as stream:
        rows = [tuple(row[name] for name in columns) for row in csv.DictReader(stream)]
    planted.write(out / of.inside.name, columns, sorted(rows))
    planted.certified_again(out)


def attacked(of: Taken, folder: Path, names: Sequence[str], settings: AttackSettings) -> Findings:
    """Attack a release from its folder."""
    with ExitStack() as opened:
        target = Target(
            opened.enter_context(opened_release(folder)),
            opened.enter_context(read(of.inside)),
            held_out=opened.enter_context(read(of.outside)),
        )
        return try_all(names, target, settings)


def lines(data: str, protection: str, found: Findings, *, every: bool) -> Iterator[tuple[str, ...]]:
    """Return the lines of a release."""
    for name in dict.fromkeys(one.attack for one in found.found):
        own = [one for one in found.found if one.attack == name]
        own.sort(key=lambda one: (-one.convicted, one.against == "nothing", -one.low))
        for one in own if every else own[:1]:
            yield (
                data,
                protection,
                name,
                str(len(own)),
                _known(one),
                f"{one.success:.1%}",
                f"{one.guessing:.1%}",
                f"{100 * one.gain:+.1f} ({100 * one.low:+.1f} to {100 * one.high:+.1f})",
                _verdict(one),
            )


def _known(one: CertifiedAttack) -> str:
    def text(value: object) -> str:
        if isinstance(value, tuple):
            return f"{len(value)} columns" if len(value) > 1 else "".join(value)
        return f"{value:g}" if isinstance(value, float) else str(value)

    return ", ".join(f"{key} {text(value)}" for key, value in one.knowledge.items())


def _verdict(one: CertifiedAttack) -> str:
    if one.against == "nothing":
        return "shown"
    if is_undecided(one):
        return "not shown either way"
    return "convicted" if one.convicted else "holds"


def main() -> None:
    """Run all attacks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = {one.name: one for one in TABLES}
    parser.add_argument("--data", nargs="+", default=list(known), choices=list(known))
    parser.add_argument(
        "--protection", nargs="+", default=list(PROTECTIONS), choices=list(PROTECTIONS)
    )
    parser.add_argument("--attack", nargs="+", default=list(ATTACKS), choices=list(ATTACKS))
    parser.add_argument("--attempts", type=int, default=1_000)
    parser.add_argument("--most", type=int, help="records taken at most, of people at random")
    parser.add_argument("--all", action="store_true", help="show all figures")
    parser.add_argument("--json", type=Path, help="write all figures here too")
    given = parser.parse_args()
    measuring.show_machine()
    table: list[tuple[str, ...]] = []
    figures: list[dict[str, object]] = []
    for name in given.data:
        with tempfile.TemporaryDirectory() as place:
            own = known[name]
            of = taken(replace(own, most=given.most or own.most), Path(place))
            for number, protection in enumerate(given.protection):
                out, begun = Path(place) / str(number), time.process_time()
                try:
                    released(of, PROTECTIONS[protection], out)
                    made = time.process_time() - begun
                    found = attacked(of, out, given.attack, AttackSettings(attempts=given.attempts))
                except RoadsteadError as error:
                    print(f"{name}, {protection}: not to be had: {error}", file=sys.stderr)
                    continue
                spent = time.process_time() - begun - made
                print(f"{name}, {protection}: {made:.0f} s + {spent:.0f} s", file=sys.stderr)
                for line in lines(name, protection, found, every=given.all):
                    table.append(line)
                    print(*line, sep=" | ", file=sys.stderr, flush=True)
                for one in found.untried:
                    print(name, protection, one.attack, "not tried:", one.why, file=sys.stderr)
                figures += [
                    {"data": name, "protection": protection, **asdict(one)} for one in found.found
                ]
    measuring.show_table(COLUMNS, table)
    measuring.save(given.json, figures)


if __name__ == "__main__":
    main()
