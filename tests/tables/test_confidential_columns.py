"""A confidential name releases no dates, ages, names, or places that nobody decided to release."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

import pyarrow as pa
import pytest
from commands import run

import roadstead as rs
from roadstead.tables.identifiers.dated import holds_day
from roadstead.tables.identifiers.prose import held

R: Final = random.Random(15)  # noqa: S311 - no secret
ROMAN: Final = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
RUSSIAN: Final = [
    "янв",
    "фев",
    "мар",
    "апр",
    "май",
    "июн",
    "июл",
    "авг",
    "сен",
    "окт",
    "ноя",
    "дек",
]
GIVEN: Final = [
    "Maria",
    "James",
    "Olga",
    "Pedro",
    "Karen",
    "Susan",
    "Robert",
    "Linda",
    "Emma",
    "Noah",
]
FAMILY: Final = [
    "Johnson",
    "Smith",
    "Garcia",
    "Nagy",
    "Walsh",
    "Chen",
    "Patel",
    "Novak",
    "Okafor",
    "Murphy",
    "Weber",
    "Rossi",
]
DOCTORS: Final = [(one, other) for one in GIVEN for other in FAMILY]

SPECIES: Final = [
    *("E. coli", "S. aureus", "K. pneumoniae", "P. aeruginosa", "E. faecalis", "C. albicans"),
    *("S. pyogenes", "H. influenzae", "A. baumannii", "P. mirabilis", "none"),
]

DAYS: Final[dict[str, Callable[[date], object]]] = {
    "Apr-21": lambda e: e.strftime("%b-%y"),
    "Jan22": lambda e: e.strftime("%b%y"),
    "jan/21": lambda e: e.strftime("%b/%y").lower(),
    "01/22": lambda e: e.strftime("%m/%y"),
    "22/01": lambda e: e.strftime("%y/%m"),
    "2201": lambda e: e.strftime("%y%m"),
    "L2201": lambda e: e.strftime("L%y%m"),
    "2021M1": lambda e: f"{e.year}M{e.month}",
    "2021m01": lambda e: e.strftime("%Ym%m"),
    "W05/22": lambda e: f"W{e.isocalendar()[1]:02}/{e.isocalendar()[0] % 100}",
    "KW 5/2022": lambda e: "KW {1}/{0}".format(*e.isocalendar()[:2]),
    "Q1/22": lambda e: f"Q{(e.month + 2) // 3}/{e.year % 100}",
    "2021Q1": lambda e: f"{e.year}Q{(e.month + 2) // 3}",
    "2022-Q1": lambda e: f"{e.year}-Q{(e.month + 2) // 3}",
    "FY21 P1": lambda e: f"FY{e.year % 100} P{e.month}",
    "2021年1月": lambda e: f"{e.year}年{e.month}月",
    "янв 2021": lambda e: f"{RUSSIAN[e.month - 1]} {e.year}",
    "I/21": lambda e: f"{ROMAN[e.month - 1]}/{e.year % 100}",
    "Jan": lambda e: e.strftime("%b"),
    "01/02": lambda e: e.strftime("%m/%d"),
    "05-Mar": lambda e: e.strftime("%d-%b"),
    "5.3.": lambda e: f"{e.day}.{e.month}.",
    "3月15日": lambda e: f"{e.month}月{e.day}日",
    "May 3": lambda e: e.strftime("%b %-d"),
    "3. März": lambda e: f"{e.day}. {['Januar', 'März', 'Mai'][e.month % 3]}",
    "day of year": lambda e: e.timetuple().tm_yday,
    "months since 1960": lambda e: (e.year - 1960) * 12 + e.month - 1,
    "110/03/15": lambda e: f"{e.year - 1911}/{e:%m/%d}",
    "R3.3.15": lambda e: f"R{e.year - 2018}.{e.month}.{e.day}",
    "15/3/2564": lambda e: f"{e.day}/{e.month}/{e.year + 543}",
    "stable (Jan 21)": lambda e: e.strftime("stable (%b %y)"),
}
PEOPLE: Final[dict[str, Callable[[], str]]] = {
    "J.Smith": lambda: "{[0]}.{}".format(*R.choice(DOCTORS)),
    "smithj": lambda: "{1}{0[0]}".format(*R.choice(DOCTORS)).lower(),
    "dr.smith": lambda: f"dr.{R.choice(FAMILY).lower()}",
    "SMITH^JOHN": lambda: "{1}^{0}".format(*R.choice(DOCTORS)).upper(),
    "maria_garcia": lambda: "{}_{}".format(*R.choice(DOCTORS)).lower(),
    "MariaGarcia": lambda: "{}{}".format(*R.choice(DOCTORS)),
    "<b>Okafor</b>": lambda: f"<b>{R.choice(FAMILY)}</b>",
    "Practitioner/okafor": lambda: f"Practitioner/{R.choice(FAMILY).lower()}",
    "Chinese": lambda: R.choice("王李張劉陳楊黃趙") + R.choice("偉芳娜敏靜") + R.choice("麗強磊軍"),
    "Korean": lambda: R.choice("김이박최정") + R.choice("민서지우") + R.choice("도윤하은"),
    "Hebrew": lambda: (
        f"{R.choice(['דוד', 'משה', 'שרה', 'רחל'])} {R.choice(['כהן', 'לוי', 'מזרחי'])}"
    ),
    "Greek": lambda: (
        f"{R.choice(['Νίκος', 'Ελένη'])} {R.choice(['Γεωργίου', 'Νικολάου', 'Δήμου'])}"
    ),
    "Thai": lambda: R.choice(["สมชาย ใจดี", "สมหญิง รักไทย", "วิชัย ทองดี", "มาลี ศรีสุข", "บุญมี ดีมาก"]),
    "Hindi": lambda: f"{R.choice(['राहुल', 'प्रिया', 'अमित'])} {R.choice(['शर्मा', 'वर्मा'])}",
}
CELLS: Final[dict[str, Callable[[], str]]] = {
    "dead 8/25": lambda: f"dead {R.randrange(1, 13)}/{R.randrange(1, 29)}",
    "asked for garcia": lambda: f"asked for {R.choice(['garcia', 'johnson', 'novak'])}",
    "NOVAK^PEDRO": lambda: "{1}^{0}".format(*R.choice(DOCTORS)).upper(),
    "call 555 8338": lambda: f"call 555 {R.randrange(1000, 9999)}",
    "see Maria": lambda: f"neg, see {R.choice(GIVEN)}",
    "J.Smith": lambda: "{[0]}.{}".format(*R.choice(DOCTORS)),
    "son of Johnson": lambda: f"son of {R.choice(['Johnson', 'Novak', 'Okafor'])}",
    "wife maria": lambda: f"wife {R.choice(GIVEN).lower()}",
    "@maria12": lambda: f"@{R.choice(GIVEN).lower()}{R.randrange(99)}",
    "last4 1234": lambda: f"last4 {R.randrange(1000, 9999)}",
    "chart 4711": lambda: f"chart {R.randrange(1000, 9999)}",
    "x4711": lambda: f"x{R.randrange(1000, 9999)}",
    "bed 3 room 210": lambda: f"bed {R.randrange(9)} room {R.randrange(100, 400)}",
    "06.12.34.56.78": lambda: "06." + ".".join(f"{R.randrange(100):02}" for _ in range(4)),
    "johnsonfamily.com": lambda: f"{R.choice(FAMILY).lower()}family.com",
    "Hebrew": lambda: f"{R.choice(['דוד', 'משה', 'שרה', 'רחל'])} {R.choice(['כהן', 'לוי', 'פרץ'])}",
}
CALLED: Final[dict[str, Callable[[date], object]]] = {
    "dx_week": lambda e: e.isocalendar()[1],
    "dx_weekday": lambda e: e.isocalendar()[2],
    "dx_year": lambda e: e.year,
    "result_hh": lambda _: R.randrange(24),
    "result_mm": lambda _: R.randrange(60),
    "outcome_dow": lambda e: e.strftime("%a"),
    "therapy_start": lambda _: R.randrange(20, 80),
    "treatment_site": lambda _: R.choice(["Ann Arbor", "Flint", "Alpena"]),
    "dx_area": lambda _: R.choice(["N16", "E14", "N22", "W12"]),
    "treatment_hosp": lambda _: R.choice(["Mercy General", "Oak Hill"]),
    "diagnosed_by": lambda _: R.choice(["K.", "B.", "C."]),
    "icd_note": lambda e: '{{"m": "{}"}}'.format(e.strftime("%b-%y")),
}
HONEST: Final[dict[str, Callable[[], object]]] = {
    "diagnosis": lambda: R.choice(["flu", "copd", "asthma"]),
    "first_diagnosis": lambda: R.choice(["I25.10", "E11.9", "J45.909"]),
    "dx_code": lambda: R.choice(["250.00", "401.9", "428.0"]),
    "treatment": lambda: R.choice(["surgery", "insulin glargine", "watchful waiting"]),
    "result": lambda: R.choice(["neg", "pos", "unclear"]),
    "result_value": lambda: round(R.gauss(5, 1), 1),
    "outcome": lambda: R.choice(["alive", "dead"]),
    "died_last_year": lambda: R.choice("01"),
    "condition_severity": lambda: R.choice(["1/10", "5/10", "7/10"]),
    "cancer_site": lambda: R.choice(["breast", "colon", "lung"]),
    "culture_result": lambda: R.choice(SPECIES),
    "drug_name": lambda: R.choice(["metformin", "Aspirin 81 mg", "heparin"]),
}
RECORDS: Final = 3_000
PLANTS: Final = ("birch", "grass", "ragweed", "none")


def _columns(before: str) -> dict[str, list[object]]:
    """Make the columns under names that begin with a word."""
    days = [date(2021, 1, 1) + timedelta(R.randrange(1_095)) for _ in range(RECORDS)]
    usual = ["stable", "good", "poor"]
    rare: dict[str, list[object]] = {
        name: [R.choice(usual) if R.random() > 0.02 else cell() for _ in days]
        for name, cell in CELLS.items()
    }
    forms = [[make(day) for day in days] for make in DAYS.values()]
    forms += [[make() for _ in days] for make in PEOPLE.values()]
    return {f"{before}{at}": own for at, own in enumerate([*forms, *rare.values()])}


FORMS: Final = [*DAYS, *PEOPLE, *CELLS]


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Scan and release a table without editing the project file, and return the columns."""
    folder = tmp_path_factory.mktemp("default")
    days = [date(2021, 1, 1) + timedelta(R.randrange(1_095)) for _ in range(RECORDS)]
    columns = {
        "sex": [R.choice("FM") for _ in days],
        **_columns("outcome_v"),
        **_columns("v"),
        **{name: [make(day) for day in days] for name, make in CALLED.items()},
        **{name: [make() for _ in days] for name, make in HONEST.items()},
    }
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    assert run("scan", folder / "t.csv", "--out", folder / "t.toml").code == 0
    assert run("anonymize", "--project", folder / "t.toml", "--out", folder / "rel").code == 0
    return (folder / "rel" / "t.csv").read_text("utf-8").splitlines()[0].split(",")


@pytest.mark.quick(1)
@pytest.mark.parametrize("before", ["outcome_v", "v"])
def test_dates_names_and_numbers_do_not_leave_by_default(before: str, released: list[str]) -> None:
    """Fault class: a confidential name released months, names of doctors, and remarks."""
    assert [form for at, form in enumerate(FORMS) if f"{before}{at}" in released] == []


def test_a_name_with_a_second_meaning_does_not_decide(released: list[str]) -> None:
    """Times, places, and people in the names of confidential columns."""
    assert [name for name in CALLED if name in released] == []


def test_honest_confidential_columns_leave(released: list[str]) -> None:
    """Diagnoses, results, and outcomes keep their role."""
    assert [name for name in HONEST if name not in released] == []


def test_ages_at_death_have_one_band_for_90_and_over() -> None:
    """Fault class: `died_at` was released unchanged, with ages over 89."""
    table = pa.table(
        {
            "sex": [R.choice("FM") for _ in range(RECORDS)],
            "died_at": [max(30, min(104, round(R.gauss(74, 13)))) for _ in range(RECORDS)],
        }
    )
    proposal = rs.scan(table)
    assert [one.number for one in proposal.safe_harbor if one.column == "died_at"] == [3]
    result = rs.anonymize(table, quasi=["sex", "died_at"])
    assert not any(
        "9" in band[:1] and band != "90+" for band in result.to_arrow()["died_at"].to_pylist()
    )


def test_weeks_and_days_of_a_year_are_parts_of_a_date() -> None:
    """Fault class: a week, a weekday, and a year gave the day."""
    days = [date(2021, 1, 1) + timedelta(R.randrange(1_095)) for _ in range(RECORDS)]
    parts = [day.isocalendar() for day in days]
    table = pa.table(
        {
            "sex": [R.choice("FM") for _ in days],
            "a": [part[1] for part in parts],
            "b": [part[2] for part in parts],
            "c": [part[0] for part in parts],
            "d": [day.timetuple().tm_yday for day in days],
            "stay": [min(60, int(R.expovariate(0.2))) for _ in days],
        }
    )
    assert {*rs.scan(table).objections} == {"a", "b", "c", "d"}


def test_a_column_that_follows_from_the_month_of_a_date_gives_the_month_back() -> None:
    """Fault class: a date was released by year, next to a code that changes every month."""
    days = [date(2021, 1, 1) + timedelta(R.randrange(1_095)) for _ in range(RECORDS)]
    lots = [f"{R.choice('ABC')}{R.randrange(1_000)}x" for _ in range(36)]
    table = pa.table(
        {
            "sex": [R.choice("FM") for _ in days],
            "admitted": [str(day) for day in days],
            "allergen_lot": [lots[12 * (day.year - 2021) + day.month - 1] for day in days],
            "drug_version": [f"v{day.year - 2020}" for day in days],
            "diagnosis": [R.choice(["flu", "copd", "asthma", "gout"]) for _ in days],
        }
    )
    found = rs.scan(table).objections
    assert any("the month of admitted" in one.why for one in found["allergen_lot"])
    assert not {"drug_version", "diagnosis"} & {*found}


@pytest.mark.quick(1)
@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y"])
def test_a_season_of_many_years_is_more_than_the_year(form: str) -> None:
    """Fault class: a table of many years has more years than seasons, so no season was found."""
    days = [date(2001, 1, 1) + timedelta(R.randrange(7_300)) for _ in range(6_000)]
    table = pa.table(
        {
            "sex": [R.choice("FM") for _ in days],
            "admitted": [day.strftime(form) for day in days],
            "allergen": [PLANTS[day.month % 12 // 3] for day in days],
            "form_used": [f"{'FGHIJKLMNOPQ'[day.month - 1]}x" for day in days],
            "drug_version": [f"v{day > date(2007, 4, 30)}{day > date(2015, 8, 9)}" for day in days],
            "diagnosis": [R.choice(["flu", "copd", "asthma", "gout"]) for _ in days],
        }
    )
    found = rs.scan(table).objections
    for name in ("allergen", "form_used"):
        assert any("the month of admitted" in one.why for one in found.get(name, ()))
    assert not {"drug_version", "diagnosis"} & {*found}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("Jan 21", True),
        ("May 3", True),
        ("14-OCT", False),
        ("may 3 doses", False),
        ("OCT4", False),
    ],
)
def test_a_bare_day_is_a_date(*, text: str, holds: bool) -> None:
    """Short names in uppercase are codes."""
    assert holds_day(text) == holds


@pytest.mark.parametrize(
    "text",
    [
        "see chart",
        "asked for water",
        "CBC^Complete Blood Count",
        "BP @ 120",
        "2 x 1000 mg",
        "E. coli",
    ],
)
def test_ordinary_remarks_hold_nothing(text: str) -> None:
    """Words that are not names, and numbers that are amounts."""
    assert not held(text)
