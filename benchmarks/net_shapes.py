"""Hide identifiers in two hundred shapes, and list which of them the net lets through, and why.

    python benchmarks/net_shapes.py

Each shape is a column of 4,000 records next to sex, age and region, as a recipient would see it:
one kind of content, written one way, in one place (every record, several records per person, rare
values among categories, inside a text, in JSON). What is let through has its reason next to it.
"""

from __future__ import annotations

import datetime as dt
import json
import random
from collections.abc import Callable, Iterator

import pyarrow as pa

from roadstead.tables.identifiers.judgment import examine
from roadstead.tables.reading import read

N = 4_000
GIVEN = (
    *("Zbigniew", "Thandiwe", "Xiuying", "Oluwaseun", "Gudrun"),
    *("Dragoslav", "Ngozi", "Yerzhan", "Ismini", "Haingo"),
)
SURNAMES = (
    *("Kanarienvogt", "Zbylutowicz", "Oyelaran", "Quispemamani", "Hrafnsdottir"),
    *("Szczepaniuk", "Vaitkeviciute", "Rakotomalala", "Ashkenazidze", "Okonkwoeze"),
)
DAY = dt.date(1944, 1, 2)
DIGITS = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
UNSEEN = {
    "surname": "a single surname is a word like any other",
    "small name": "small letters: two words of a vocabulary look the same",
    "short number": "numbers of four digits or fewer look like measurements",
    "year": "a year alone is not a date that Safe Harbor forbids",
    "month": "a month without a day in a text of its own is a period",
    "case number": "five digits in one value look like a dose",
    "number": "one number of six digits among texts looks like a count",
    "number, float": "one number of six digits among texts looks like a count",
    "number, scientific": "a number with a power of ten looks like a measurement",
    "day of the year": "a year with three digits behind it looks like a code",
    "town": "the name of a town is a word like any other",
}


def full(at: int) -> str:
    """Give the name of a person."""
    return f"{GIVEN[at % 10]} {SURNAMES[at // 10 % 10]}"


def day(at: int) -> dt.date:
    """Give a date."""
    return DAY + dt.timedelta(days=17 * at % 9_000)


CONTENTS: dict[str, Callable[[int], str]] = {
    "name": full,
    "name, surname first": lambda at: ", ".join(reversed(full(at).split())),
    "surname": lambda at: SURNAMES[at % 10],
    "small name": lambda at: full(at).lower(),
    "titled": lambda at: f"Frau {SURNAMES[at % 10]}",
    "relative": lambda at: f"daughter {GIVEN[at % 10]}",
    "email": lambda at: f"p{at}@canary.org",
    "email, full-width": lambda at: f"p{at}@canary.org",
    "email, spoken": lambda at: f"p{at} at canary dot org",
    "email, escaped": lambda at: f"p{at}%40canary.org",
    "phone": lambda at: f"617-555-{1000 + at}",
    "phone, abroad": lambda at: f"+44 20 7946 {1000 + at}",
    "phone, bare": lambda at: f"617555{1000 + at}",
    "SSN": lambda at: f"078-05-{1100 + at}",
    "SSN, en dash": lambda at: f"078–05–{1100 + at}",  # noqa: RUF001 - as people write it
    "SSN, Arabic digits": lambda at: f"078-05-{1100 + at}".translate(DIGITS),
    "SSN, zero width": lambda at: f"078-05\u200b-{1100 + at}",
    "record number": lambda at: f"MRN{12_000 + 7 * at}",
    "case number": lambda at: f"case {70_000 + 13 * at}",
    "number": lambda at: str(104_729 + 7_919 * at % 890_000),
    "number, float": lambda at: f"{104_729 + 7_919 * at % 890_000}.0",
    "number, scientific": lambda at: f"{1.2e8 + at * 1e5:.4e}",
    "short number": lambda at: str(at % 900),
    "web address": lambda at: f"https://portal.canary.org/p/{at}",
    "UUID": lambda at: f"{at:08x}-1111-4222-8333-444455556666",
    "initials and year": lambda at: f"ZK{1930 + at % 60}{at % 7}{at % 5}",
    "ISO date": lambda at: day(at).isoformat(),
    "dotted date": lambda at: day(at).strftime("%d.%m.%y"),
    "German date": lambda at: f"{day(at).day}. Dezember {day(at).year}",
    "Polish date": lambda at: f"{day(at).day} grudnia {day(at).year}",
    "Roman date": lambda at: f"{day(at).day}.XII.{day(at).year}",
    "week": lambda at: "{}-W{:02}-{}".format(*day(at).isocalendar()),
    "compact date": lambda at: day(at).strftime("%Y%m%d"),
    "day of the year": lambda at: day(at).strftime("%Y-%j"),
    "weekday and date": lambda at: day(at).strftime("%A %d %B %Y"),
    "month": lambda at: f"{1 + at % 12}/{1950 + at % 40}",
    "year": lambda at: str(1930 + at % 70),
    "age over 89": lambda at: f"{90 + at % 9}-year-old",
    "UK postcode": lambda at: f"SW{1 + at % 20} {1 + at % 9}AA",
    "German address": lambda at: f"Lindenstraße {1 + at % 80}",
    "French address": lambda at: f"{1 + at % 80} rue de la Paix",
    "plus code": lambda at: f"8FWH4{'23456789CFGHJMPQRVWX'[at % 20]}Q2+{2 + at % 8}X",
    "point": lambda at: f"48.1{at % 90:04}, 11.5{at % 80:04}",
    "town": lambda at: SURNAMES[at % 10] + "stadt",
}
"""What is hidden: of each person or record, by number."""


def _among(make: Callable[[int], str], rare: int) -> list[str]:
    """Give categories with rare values among them."""
    values = [("standard", "arm A", "arm B")[at % 3] for at in range(N)]
    places = random.Random(3).sample(range(N), rare)  # noqa: S311 - the same every time
    for at, place in enumerate(places):
        values[place] = make(at + 13)
    return values


PLACES: dict[str, Callable[[Callable[[int], str]], list[str]]] = {
    "every record": lambda make: [make(at % 400) for at in range(N)],
    "one rare value": lambda make: _among(make, 1),
    "rare values": lambda make: _among(make, 60),
    "within a text": lambda make: _among(lambda at: f"seen {make(at)} today", 60),
    "in JSON": lambda make: _among(lambda at: json.dumps({"note": [make(at)]}), 60),
}
"""Where it is hidden."""


def shapes() -> Iterator[tuple[str, str, list[str]]]:
    """Give each content in each place."""
    for content, make in CONTENTS.items():
        for place, fill in PLACES.items():
            yield content, place, fill(make)


def main() -> None:
    """Print what is let through, and how many are found."""
    drawing = random.Random(1)  # noqa: S311 - the same every time
    sex = [drawing.choice("FM") for _ in range(N)]
    found = through = 0
    for content, place, values in shapes():
        with read(pa.table({"sex": sex, "x9": values})) as source:
            seen = examine(source, ["x9"])
        judged = seen.judgments["x9"]
        if seen.objections.get("x9") or judged.identifier or judged.findings:
            found += 1
            continue
        through += 1
        print(f"{content:20} {place:16} {UNSEEN.get(content, 'not seen')}")
    print(f"{found + through} shapes: {found} found, {through} let through")


if __name__ == "__main__":
    main()
