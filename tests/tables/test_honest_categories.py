"""Categories that have a form of dates, names, or remarks are neither undecided nor refused."""

from __future__ import annotations

import random
from collections import Counter
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import roadstead as rs
from roadstead.tables.identifiers.asides import bare_days
from roadstead.tables.identifiers.named import names_of_people
from roadstead.tables.identifiers.net import _of_values
from roadstead.tables.identifiers.normal import normal
from roadstead.tables.identifiers.partial_dates import partial_dates
from roadstead.tables.identifiers.prose import held
from roadstead.tables.identifiers.tally import ColumnTally, _suspect

R: Final = random.Random(8)  # noqa: S311 - no secret
CATEGORIES: Final = {
    "congenital diagnoses": "Q210 Q211 Q213 Q220 Q231 Q250 Q251 Q262",
    "generations": "Gen 1,Gen 2,Gen 3",
    "sets": "3 SET,4 SET,5 SET",
    "genes": "MAR1 SEPT7 MAR2",
    "phases": "Week 1-12,Week 13-24,Week 25-36",
    "codes with a suffix": "1400-5 1410-7 1420-3",
    "versions": "H1.1.1 H1.1.2 H1.2.1",
    "sections": "1.1. 1.2. 2.1. 2.2.",
    "drugs": "амоксициллин ванкомицин гентамицин доксициклин азитромицин",
    "tests": "гемоглобин альбумин билирубин креатинин мочевина ферритин",
    "Chinese diagnoses": "糖尿病 肺炎 哮喘 冠心病 脑梗死 贫血 胃炎 骨折 癫痫",
    "Chinese departments": ",".join(f"高血压科{ward}病区住院部" for ward in "一二三四五六七八"),
    "Korean diagnoses": "당뇨병 폐렴 치매 뇌경색 빈혈 골절 두통 위염 간암",
    "images": "MR Brain,MR Urography,MR Knee,DR Chest",
}


def _split(values: str) -> list[str]:
    return values.split("," if "," in values else " ")


@pytest.mark.parametrize("values", CATEGORIES.values(), ids=CATEGORIES)
def test_categories_are_not_partial_dates(values: str) -> None:
    """Fault class: three codes that look like months were dates."""
    assert not partial_dates(_split(values), called_a_time=False)


@pytest.mark.parametrize(
    "values",
    [
        "Gen 21,Feb 21,Mag 22",
        "Q1'21 Q2'21 Q3'21",
        "KW 5/22,KW 40/22,KW 2/23",
        "January 1,January 2,January 4",
        "Jun 3,Jun 4,Jul 5",
        "Mai 21,Mai 22,Mrz 21",
    ],
)
def test_a_few_partial_dates_are_found(values: str) -> None:
    """Three months of one language, quarters, and weeks of two years."""
    assert partial_dates(_split(values), called_a_time=False)


def _role(name: str, values: list[str]) -> str | None:
    own = [R.choice(values) for _ in range(900)]
    proposal = rs.scan(pa.table({"sex": [R.choice("FM") for _ in own], name: own}))
    assert not proposal.objections
    return proposal.columns[1].role


@pytest.mark.parametrize("values", CATEGORIES.values(), ids=CATEGORIES)
def test_categories_are_proposed_as_sensitive(values: str) -> None:
    """The whole scan has no objection to them."""
    assert _role("diagnosis", _split(values)) == "sensitive"


@pytest.mark.parametrize(
    "values", ["Иванов Петров Пушкин Никитин Волкова", "MR SMITH,MR GARCIA,DR OKONJO,MR NOVAK"]
)
def test_names_are_not_proposed_as_sensitive(values: str) -> None:
    """Surnames of which only some end like drugs, and names with a title in capitals."""
    assert names_of_people(Counter(_split(values)), ColumnTally("diagnosis", 5, 5, {}))


IDENTIFYING: Final = [
    *("433.12.6321", "123_45_6789", "xxx-xx-4554", "617_555_9845", "1236 mo old", "94F", "90M"),
    *("42°42'N 71°3'W", "42d12m N 71d3m W", "virtanen @ gmail . com", "since feb 6", "on 6 feb"),
    *("given by ms haddad", "w ms haddad", "ASK MRS HADDAD", "with ms quillfeather"),
    *("2.3 called to Quillfeather RN", "called to haddad", "per Okonjo, MD"),
    *("nowak, oskar", "E.O. 1931", "Ingrid's iPhone", "Quill's iPhone", "KAREN-PC"),
    *("Delgado-Home-5G", "c:/users/pedro", "/home/pedro"),
]
ORDINARY: Final = [
    *("98.6F", "walk 110m", "mild, stable", "see mr spectroscopy", "treated for ms relapse"),
    *("U.S. 1990", "patient's phone", "nursing-home", "HIV-home", "mini-pc", "120/80/2019"),
    *("seen @ clinic", "mar 1", "on may 2 tablets", "1200 mg daily", "20 days old", "90° flexion"),
    *("Consult MD", "called to ward", "Nurse RN", "Attending MD"),
    *("14 weeks", "E. coli 1990", "c:/users/public", "900.12.50"),
]


@pytest.mark.parametrize("text", IDENTIFYING)
def test_an_identifier_in_another_spelling_is_held(text: str) -> None:
    """Fault class: rare values of a column with a clinical name left in these spellings."""
    assert held(normal(text))
    assert pc.match_substring_regex(pa.array([normal(text)]), _suspect()).to_pylist() == [True]


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_remark_holds_nothing(text: str) -> None:
    """Temperatures, distances, devices without an owner, and abbreviations."""
    assert not held(normal(text))


@pytest.mark.parametrize("text", ["see dr smith", "asked mr. brown", "https://intranet/patient/1"])
def test_a_remark_in_lowercase_holds_a_name(text: str) -> None:
    """Names after a title, and web addresses without a point."""
    assert held(text)


@pytest.mark.parametrize(
    "ones",
    [
        "5/7 7/7 10/7 14/7 28/7 3/12 6/12",
        "6/4 6/5 6/6 6/9 6/12 6/18 6/24",
        "12/8 13/8 14/9 16/10 15/9 18/11",
        "9/15 12/15 10/30 11/15 8/15",
    ],
)
def test_durations_and_scores_are_not_days(ones: str) -> None:
    """Fault class: durations as in the United Kingdom, acuity, blood pressure, and scores."""
    assert not bare_days(dict.fromkeys(ones.split(), 1), 10)


def test_one_name_of_a_score_is_not_enough() -> None:
    """A name after "see" counts if several values have one, or a thousandth of the records."""
    usual = {"stable": 5_000}
    score, other = {"see Hamilton score": 1}, {"ask Garcia": 1}
    for odd, found in ((score, 0), (score | other, 1), ({"Maria Garcia": 1}, 1)):
        tally = ColumnTally("result", 1 + len(odd), 5_000 + len(odd), usual | odd)
        assert sum("frequent names" in why for _, why, _ in _of_values(tally)) == found


def test_weeks_of_a_study_and_answers_are_not_parts_of_a_date() -> None:
    """Without a year, only a calendar week and its weekday are parts of a date."""
    numbers = [(week, R.randrange(1, 8)) for week in range(1, 53) for _ in range(60)]
    weeks, answers = ([pair[at] for pair in numbers] for at in (0, 1))
    honest = pa.table({"study_week": weeks, "likert": answers, "birth_year": [1980, 1981] * 1_560})
    assert "date" not in _kinds(honest)
    assert _kinds(pa.table({"epi_week": weeks, "dow": answers})) == ["date"] * 2


def _kinds(table: pa.Table) -> list[str]:
    return [one.kind for own in rs.scan(table).objections.values() for one in own]


@pytest.mark.parametrize(
    "text",
    [
        *("saw garcia", "spoke to garcia", "siehe garcia", "talked with garcia", "cousin maria"),
        *(
            "insta maria_12",
            "rm 12",
            "apt 4",
            "zimmer 210",
            "bett 3",
            "see dr smith",
            "frère maria",
        ),
        *("May 3", "3. März", "14 march", "4 de agosto", "3rd of march", "3 décembre"),
    ],
)
def test_remarks_are_kept_in_a_column_with_many_values(text: str) -> None:
    """Fault class: the first search of a large column knew fewer words than the detectors."""
    assert held(text)
    assert pc.match_substring_regex(pa.array([text]), _suspect()).to_pylist() == [True]


def test_ordinary_texts_are_not_kept_first() -> None:
    """The pattern does not match most texts."""
    texts = ["stable", "2.5 mg", "no change", "mild asthma", "3 tablets", "grade 2", "5 days"]
    assert not any(pc.match_substring_regex(pa.array(texts), _suspect()).to_pylist())
