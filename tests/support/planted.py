"""Releases that an attack must fail, and releases that no attack may fail, made as users do.

*Planted*: each has one weakness, inserted on purpose or known for a method. *Sound*: small random
tables with independent columns, released by each recoding, with and without l-diversity, and
privately. Each sound release has as many people held out, drawn the same way.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, timedelta
from math import log
from pathlib import Path
from typing import Literal, TypeAlias

import roadstead as rs
from roadstead.attacks.attacked_release import opened_release
from roadstead.attacks.catalog import ATTACKS
from roadstead.attacks.finding import Findings
from roadstead.attacks.membership.audit import audited
from roadstead.attacks.protocol import AttackSettings
from roadstead.attacks.registry import try_all
from roadstead.attacks.target import Target
from roadstead.policies.document import SUPPRESSED
from roadstead.release.certificate import CERTIFICATE, read_certificate
from roadstead.release.documents import fingerprint
from roadstead.tables.reading import read

RecodingName: TypeAlias = Literal["global", "cells", "local", "intervals"]

SOUND = 50
RECODINGS: tuple[RecodingName, ...] = ("global", "cells", "local", "intervals")
QUICKEST: dict[RecodingName, str] = {
    "global": "exact",
    "cells": "exact",
    "local": "first-fit",
    "intervals": "mondrian",
}
QUASI = ("age", "sex", "zip")
SENSITIVE = "diagnosis"
_HEADER = (*QUASI, SENSITIVE)
_GROUPS = 40
_HIDDEN = {"age": 4, "zip": 1}
"""The levels at which nothing is shown of a column."""
_ONE_PRIVATE_IN = 5

Row = tuple[str, ...]


@dataclass(frozen=True)
class Attacked:
    """A release with the further information for the judge.

    `convicted_by`: at least one of these attacks must fail it; empty for a sound release.
    """

    name: str
    release: Path
    original: Path
    second: Path | None = None
    held_out: Path | None = None
    convicted_by: tuple[str, ...] = ()

    def attacked(
        self, names: Sequence[str] | None = None, settings: AttackSettings | None = None
    ) -> Findings:
        """Try attacks on it, all of them by default."""
        with ExitStack() as opened:
            second = held_out = None
            if self.second is not None:
                second = opened.enter_context(opened_release(self.second))
            if self.held_out is not None:
                held_out = opened.enter_context(read(self.held_out))
            release = opened.enter_context(opened_release(self.release))
            original = opened.enter_context(read(self.original))
            target = Target(release, original, held_out=held_out, second=second)
            return try_all(list(names or ATTACKS), target, settings or AttackSettings())


def drawing(seed: int | str) -> random.Random:
    """Draw people, always the same."""
    return random.Random(seed)  # noqa: S311 - made-up people keep no secret


def write(path: Path, header: Sequence[str], rows: Sequence[Row]) -> Path:
    """Write a table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


def people(number: int, seed: int | str) -> list[Row]:
    """Draw people with independent columns."""
    chance = drawing(seed)
    return [
        (
            str(chance.randint(20, 79)),
            chance.choice("FM"),
            f"021{chance.randint(30, 39)}",
            chance.choice(("flu", "cold", "asthma", "none")),
        )
        for _ in range(number)
    ]


def planted(folder: Path) -> Iterator[Attacked]:
    """Make the releases that an attack must fail, one after another."""
    for make in (
        small_classes_in_a_corner,
        unlisted_identifier,
        shift_without_truncation,
        optimal_local_recoding,
        one_extract_after_another,
        two_policies,
    ):
        yield make(folder / make.__name__)


def small_classes_in_a_corner(folder: Path) -> Attacked:
    """Keep 5-anonymity for all but a few, who should have been suppressed and were not."""
    rows = people(400, "corner") + [("99", "F", f"9990{at}", "asthma") for at in range(6)]
    data = write(folder / "data.csv", _HEADER, rows)
    out = folder / "release"
    rs.anonymize(
        data,
        quasi=QUASI,
        sensitive=[SENSITIVE],
        k=5,
        suppression=0.05,
        max_level={"zip": 2},
        out=out,
    )
    _, policy = read_certificate(out / CERTIFICATE)
    labels = [
        tuple(str(a.rule.label(value)) for a, value in zip(policy.attributes, row, strict=False))
        for row in rows
    ]
    shown = [(*own, row[-1]) for own, row in zip(labels, rows, strict=True)]
    with (out / "data.csv").open(encoding="utf-8") as stream:
        assert SUPPRESSED * 3 in stream.read().replace(",", ""), "nobody was suppressed"
    write(out / "data.csv", _HEADER, sorted(shown))
    certified_again(out)
    return Attacked("k = 1 in a corner", out, data, convicted_by=("scan",))


def certified_again(folder: Path) -> None:
    """Let the certificate of a release say that its table is as it was made."""
    path = folder / CERTIFICATE
    document = json.loads(path.read_text("utf-8"))
    own = fingerprint(folder / document["table"]["name"])
    document["table"] |= {"sha256": own.sha256, "bytes": own.bytes}
    path.write_text(json.dumps(document), "utf-8")


def unlisted_identifier(folder: Path) -> Attacked:
    """Release a measurement that differs for nearly everyone, as if no attacker knew it."""
    chance = drawing("grams")
    grams = chance.sample(range(2_000, 5_000), 400)
    rows = [(*row, str(own)) for row, own in zip(people(400, "grams"), grams, strict=True)]
    data = write(folder / "data.csv", (*_HEADER, "birth_grams"), rows)
    out = folder / "release"
    rs.anonymize(
        data, quasi=QUASI, sensitive=[SENSITIVE], release_anyway=["birth_grams"], k=5, out=out
    )
    return Attacked("unlisted identifier", out, data, convicted_by=("linkage",))


def shift_without_truncation(folder: Path) -> Attacked:
    """Shift the days of one year by up to thirty, and release those at its ends too."""
    chance = drawing("shift")
    rows = []
    for person in range(120):
        age, sex, _, diagnosis = people(1, f"shift {person}")[0]
        days = sorted(chance.sample(range(365), 8))
        days[0], days[-1] = chance.randint(0, 9), chance.randint(355, 364)
        rows += [(f"P{person}", age, sex, diagnosis, f"2023-{_month_and_day(day)}") for day in days]
    data = write(folder / "data.csv", ("patient", "age", "sex", SENSITIVE, "visit"), rows)
    out = folder / "release"
    rs.anonymize(
        data,
        person="patient",
        link="pseudonym",
        quasi=["age", "sex"],
        sensitive=[SENSITIVE],
        release_anyway=["visit"],
        dates={"visit": "shift"},
        shift_days=30,
        k=5,
        out=out,
    )
    # Roadstead leaves out what is near the ends; here it is put back, shifted by hand.
    _, policy = read_certificate(out / CERTIFICATE)
    shifts = {row[0]: timedelta(chance.randint(-30, 30)) for row in rows}
    names = dict(zip(shifts, chance.sample(range(10**6, 10**7), len(shifts)), strict=True))
    shown = []
    for patient, age, sex, diagnosis, day in rows:
        labels = [
            str(a.rule.label(own)) for a, own in zip(policy.attributes, (age, sex), strict=True)
        ]
        moved = date.fromisoformat(day) + shifts[patient]
        shown.append((str(names[patient]), *labels, diagnosis, moved.isoformat()))
    header = ("patient", "age", "sex", SENSITIVE, "visit")
    write(out / "data.csv", header, sorted(shown))
    certified_again(out)
    return Attacked("shift without truncation", out, data, convicted_by=("scan",))


def _month_and_day(day: int) -> str:
    lengths = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    for month, length in enumerate(lengths, 1):
        if day < length:
            return f"{month:02d}-{day + 1:02d}"
        day -= length
    raise ValueError(day)


def optimal_local_recoding(folder: Path) -> Attacked:
    """Let first fit open dense clusters first, with a few people around each (Cohen 2022)."""
    chance = drawing("clusters")
    rows = [
        (f"ward {group:02d}", value, "flu")
        for group in range(_GROUPS)
        for value in ["usual"] * 6 + chance.choices(["red", "blue"], k=3)
    ]
    data = write(folder / "data.csv", ("ward", "color", SENSITIVE), rows)
    out = folder / "release"
    rs.anonymize(
        data,
        quasi=["ward", "color"],
        sensitive=[SENSITIVE],
        k=3,
        recoding="local",
        search="first-fit",
        out=out,
    )
    return Attacked("optimal local recoding", out, data, convicted_by=("downcoding",))


def one_extract_after_another(folder: Path) -> Attacked:
    """Release the same table a month later under the same policy, with a few people more."""
    rows = people(600, "months")
    earlier = write(folder / "earlier.csv", _HEADER, rows[:580])
    later = write(folder / "later.csv", _HEADER, rows)
    first, second = folder / "first", folder / "second"
    rs.anonymize(earlier, quasi=QUASI, sensitive=[SENSITIVE], k=5, out=first)
    rs.apply(first / "policy.json", later, unseen="suppress", out=second)
    return Attacked(
        "one extract after another", second, later, second=first, convicted_by=("differencing",)
    )


def two_policies(folder: Path) -> Attacked:
    """Release one table twice, once by age and once by place, each 5-anonymous."""
    chance = drawing("two policies")
    rows = [(*row[:-1], str(chance.randint(1, 400))) for row in people(1_500, "two policies")]
    data = write(folder / "data.csv", _HEADER, rows)
    first, second = folder / "first", folder / "second"
    for out, hidden in ((first, "zip"), (second, "age")):
        rs.anonymize(
            data,
            quasi=QUASI,
            sensitive=[SENSITIVE],
            k=5,
            min_level={hidden: _HIDDEN[hidden]},
            out=out,
        )
    return Attacked("two policies", first, data, second=second, convicted_by=("intersection",))


def broken_mechanism(epsilon: float = 1.0, *, broken: bool = True, runs: int = 4_000) -> Findings:
    """Count people with the noise of twice the epsilon that is claimed; audit it."""

    def noisy(table: int, run: int) -> int:
        chance = drawing(f"{table} {run} {broken}")
        rate = epsilon * (2 if broken else 1)
        # The difference of two geometric numbers is discrete Laplace noise.
        one, other = (int(-log(1.0 - chance.random()) / rate) for _ in range(2))
        return table + one - other

    return Findings((audited("mechanism-audit", noisy, (100, 101), epsilon, runs),))


def sound(folder: Path, numbers: Sequence[int] = range(SOUND)) -> Iterator[Attacked]:
    """Make releases that no attack may fail, one after another."""
    for number in numbers:
        make = _private if number % _ONE_PRIVATE_IN == 0 else _recoded
        yield make(folder / f"sound{number:02d}", number)


def _recoded(folder: Path, number: int) -> Attacked:
    kind = RECODINGS[number % len(RECODINGS)]
    k, diverse = (3, 5, 10)[number % 3], number % 2 == 1
    original = write(folder / "data.csv", _HEADER, people(300, f"in {number}"))
    others = write(folder / "others.csv", _HEADER, people(300, f"out {number}"))
    out = folder / "release"
    rs.anonymize(
        original,
        quasi=QUASI,
        sensitive=[SENSITIVE],
        k=k,
        privacy=[{"kind": "distinct-l-diversity", "column": SENSITIVE, "l": 2}] if diverse else [],
        recoding=kind,
        search=QUICKEST[kind],
        out=out,
    )
    name = f"{kind}, k = {k}{', 2-diverse' if diverse else ''}, {number}"
    return Attacked(name, out, original, held_out=others)


def _private(folder: Path, number: int) -> Attacked:
    epsilon = ("1", "2", "4")[number % 3]
    original = write(folder / "data.csv", _HEADER, people(900, f"in {number}"))
    others = write(folder / "others.csv", _HEADER, people(900, f"out {number}"))
    out = folder / "release"
    rs.synthesize(
        original,
        target=SENSITIVE,
        classes=["flu", "cold", "asthma", "none"],
        quasi=QUASI,
        ranges={"age": "20..79"},
        values={"sex": ["F", "M"], "zip": [f"021{at}" for at in range(30, 40)]},
        epsilon=epsilon,
        specializations=2,
        out=out,
    )
    return Attacked(f"private, epsilon {epsilon}, {number}", out, original, held_out=others)
