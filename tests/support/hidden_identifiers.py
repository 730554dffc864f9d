"""Columns that hide an identifier of each class, next to honest ones, in tables of a clinic.

A `Hidden` fills columns of a table. `texts` are the strings that must not be in a release. If it is
empty, for example for an age in months, the columns themselves must not be there.
"""

from __future__ import annotations

import datetime as dt
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from revealing_tables import Row

GIVEN = ("Brunhilde", "Oyvind", "Tadeusz", "Chiamaka", "Jorunn", "Xochitl", "Wanjiru", "Eberhard")
SURNAMES = (
    "Grzegorczyk",
    "Stensrud",
    "Uchendu",
    "Quintanilla",
    "Vollrath",
    "Mwangangi",
    "Ferrando",
)
DAY = dt.date(1951, 3, 4)
DANISH = (4, 3, 2, 7, 6, 5, 4, 3, 2, 1)
FINNISH = "0123456789ABCDEFHJKLMNPRSTUVWXY"
PEOPLE = 300
"""So many people have the records of a table, in turn."""

Make: TypeAlias = Callable[[int], str]
Class: TypeAlias = Literal["identifier", "person", "text", "date", "place", "undoes", "link"]


def person(at: int) -> str:
    """Give a name in two words."""
    return f"{GIVEN[at % 8]} {SURNAMES[at // 8 % 7]}"


def danish(at: int) -> str:
    """Give a Danish CPR number with a valid check digit."""
    day = DAY + dt.timedelta(days=53 * at % 9_000)
    for serial in range(1_000 + 37 * at % 900, 4_000):
        text = f"{day:%d%m%y}{serial:04d}"
        if sum(w * int(c) for w, c in zip(DANISH, text, strict=True)) % 11 == 0:
            return f"{text[:6]}-{text[6:]}"
    raise ValueError(at)


def finnish(at: int) -> str:
    """Give a Finnish HETU with a valid check character."""
    digits = f"{DAY + dt.timedelta(days=53 * at % 9_000):%d%m%y}{100 + at % 800:03d}"
    return f"{digits[:6]}-{digits[6:]}{FINNISH[int(digits) % 31]}"


def dutch(at: int) -> str:
    """Give a Dutch BSN, which passes the test of eleven."""
    number = 100_000_000 + 7_331 * at
    while True:
        digits = [int(one) for one in str(number)]
        if (sum(w * d for w, d in zip(range(9, 1, -1), digits, strict=False)) - digits[8]) % 11:
            number += 1
            continue
        return str(number)


ALL: dict[str, tuple[Make, Class]] = {
    "names": (person, "text"),
    "names in a diagnosis": (lambda at: f"C50 {person(at)}", "text"),
    "record numbers": (lambda at: str(200_003 + 7_717 * at % 700_000), "identifier"),
    "floats": (lambda at: f"{2.1e7 + at * 1e3 + 1:.1f}", "identifier"),
    "powers of ten": (lambda at: f"{3.4e8 + at * 1e5:.4e}", "identifier"),
    "numbers in text": (lambda at: f"folder {40_000 + 17 * at} closed", "identifier"),
    "German dates": (lambda at: f"{at % 28 + 1}. Oktober 19{at % 60 + 30}", "date"),
    "Finnish dates": (lambda at: f"{at % 28 + 1}. lokakuuta 19{at % 60 + 30}", "date"),
    "Roman dates": (lambda at: f"{at % 28 + 1}.XI.19{at % 60 + 30}", "date"),
    "weeks": (lambda at: "{}-W{:02}".format(*(DAY + dt.timedelta(7 * at)).isocalendar()), "date"),
    "spreadsheet days": (lambda at: str(41_000 + at), "date"),
    "seconds": (lambda at: str(1_400_000_000 + 86_400 * at), "date"),
    "Julian days": (lambda at: str(2_450_000 + at), "date"),
    "fractions of years": (lambda at: f"{1950 + at / 10 + 0.0123:.4f}", "date"),
    "ZIP codes": (lambda at: f"0{1801 + at % 60}", "place"),
    "UK postcodes": (lambda at: f"LS{at % 20 + 1} {at % 9 + 1}AB", "place"),
    "plus codes": (lambda at: f"9C3X{'23456789CFGHJMPQ'[at % 16]}V2+{at % 8 + 2}R", "place"),
    "geohashes": (lambda at: f"u4pru{'bcdefghj'[at % 8]}{at % 10}", "place"),
    "addresses": (lambda at: f"Ahornweg {at % 70 + 1}, 10115 Berlin", "place"),
}
"""Identifiers in every record, each person in several records, and the kind of objection."""
NUMBERED: dict[str, tuple[Make, Class]] = {
    "Danish numbers": (danish, "identifier"),
    "Finnish numbers": (finnish, "identifier"),
    "Dutch numbers": (dutch, "identifier"),
    "codes of people": (lambda at: f"QX{(at * 7_919 + 113) % 9_973:04d}K", "person"),
}
"""National numbers, and codes that mean nothing."""
RARE: dict[str, tuple[Make, Class]] = {
    "a name": (lambda at: f"VIP {person(at)}", "text"),
    "mail": (lambda at: f"q{at} (at) canary.org", "identifier"),
    "mail, accents": (lambda at: f"jöel{at}@canary.org", "identifier"),
    "a telephone": (lambda at: f"call 617555{4_127 + at}", "identifier"),
    "SSN": (lambda at: f"219\N{EN DASH}09\N{EN DASH}{3_107 + at}", "identifier"),
    "a date": (lambda at: f"seen {at % 28 + 1}.04.57", "date"),
    "an age": (lambda at: f"{at % 9 + 91}-year-old donor", "text"),
    "JSON": (lambda at: json.dumps({"who": {"named": person(at)}}), "text"),
    "a record number": (lambda at: f"transferred, chart no. {4_127 + at}", "identifier"),
    "a title": (lambda at: f"rang Frau {SURNAMES[at % 7]}", "text"),
}
"""Identifiers in one value among categories, and the kind of objection."""


def among(make: Make, rare: int, records: int) -> list[str]:
    """Hide rare values among categories."""
    values = [("usual care", "drug A", "drug B")[at % 3] for at in range(records)]
    places = random.Random(5).sample(range(records // 2, records), rare)  # noqa: S311 - no secret
    for at, place in enumerate(places):
        values[place] = make(at + 7)
    return values


Plant = Callable[[random.Random, list[Row]], Sequence[str]]


def _each(name: str, value: Callable[[random.Random, Row], object]) -> Plant:
    def plant(chance: random.Random, rows: list[Row]) -> Sequence[str]:
        for row in rows:
            row[name] = value(chance, row)
        return [name]

    return plant


def _dummies(chance: random.Random, rows: list[Row]) -> Sequence[str]:
    del chance
    for row in rows:
        row |= {f"is_{at}": int(row["region"] == at) for at in ("North", "South", "East", "West")}
    return [f"is_{at}" for at in ("North", "South", "East", "West")]


def _digits(chance: random.Random, rows: list[Row]) -> Sequence[str]:
    del chance
    for row in rows:
        row |= {"u": row["age"] // 10, "v": row["age"] % 10}
    return ["u", "v"]


def _date(chance: random.Random, rows: list[Row]) -> Sequence[str]:
    for row in rows:
        day = dt.date(1940, 1, 1) + dt.timedelta(days=chance.randrange(20_000))
        row |= {"p": day.day, "q": day.month, "r": day.year}
    return ["p", "q", "r"]


def _ids(chance: random.Random, rows: list[Row]) -> Sequence[str]:
    people = [chance.randrange(10**6, 10**7) for _ in range(len(rows) // 6)]
    for row in rows:
        row["w"] = chance.choice(people)
    return ["w"]


UNDOING: dict[str, Plant] = {
    "months": _each("k", lambda _, row: 12 * row["age"] + 6),
    "months within the year": _each("k", lambda r, row: 12 * row["age"] + r.randrange(12)),
    "age in days": _each("k", lambda r, row: 365 * row["age"] + r.randrange(365)),
    "birth year": _each("k", lambda r, row: 2024 - row["age"] - r.randrange(2)),
    "rounded conversion": _each("k", lambda _, row: round(row["age"] / 7.3, 2)),
    "path": _each("k", lambda r, row: f"area/{row['region']}/{r.randrange(10**6)}"),
    "code of a category": _each("k", lambda _, row: {"F": "x3", "M": "x9"}[row["sex"]]),
    "nearly exact": _each(
        "k", lambda r, row: row["region"][::-1] if r.random() < 0.97 else r.choice("NSEW")
    ),
    "two categories in one": _each("k", lambda _, row: f"{row['sex']}-{row['region'][:1]}"),
    "dummies": _dummies,
    "digits": _digits,
    "date in three columns": _date,
    "codes of persons": _ids,
}
"""Columns that undo what is generalized of the sex, the age, or the region."""


@dataclass(frozen=True)
class Hidden:
    """The columns that were planted, and the texts in them that identify."""

    columns: tuple[str, ...]
    texts: frozenset[str] = frozenset()


def kinds() -> list[str]:
    """Name all that can be planted."""
    found = [*ALL, *NUMBERED, *(f"rare: {one}" for one in RARE)]
    return sorted([*found, *(f"undoing: {one}" for one in UNDOING)])


def plant(kind: str, rows: list[Row], name: str, seed: int) -> Hidden:
    """Plant one kind into a table; columns of one value per record are called `name`."""
    if kind.startswith("undoing: "):
        chance = random.Random(seed)  # noqa: S311 - no secret
        return Hidden(tuple(UNDOING[kind.removeprefix("undoing: ")](chance, rows)))
    if kind.startswith("rare: "):
        make, _ = RARE[kind.removeprefix("rare: ")]
        values = among(lambda at: make(at + seed % 40), 1, len(rows))
        texts = {one for one in values if values.count(one) == 1}
    else:
        make, _ = (ALL | NUMBERED)[kind]
        values = [make((at + seed) % PEOPLE) for at in range(len(rows))]
        texts = set(values)
    for row, value in zip(rows, values, strict=True):
        row[name] = value
    return Hidden((name,), frozenset(texts))
