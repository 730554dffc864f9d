"""All planted weaknesses fail, each by the attack made for it; sound releases never fail.

Fault class: an attack that checks nothing, and so never finds anything; or an attack that fails
releases by chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attacked_releases import (
    HEADER,
    QUASI,
    TABLE,
    attacked,
    people,
    promising,
    rewritten,
    write_release,
)
from person_tables import read_visits, rows_of, visits, write_visits
from small_tables import Row, read_csv

import roadstead as rs
from roadstead.attacks.protocol import AttackSettings
from roadstead.release.evidence import CertifiedAttack
from roadstead.reports.attacks.words import found_in_words

OURS = (
    "scan",
    "linkage",
    "persons",
    "singling-out",
    "linkability",
    "inference",
    "attribute-inference",
)
LONE = ("99", "F", "02131", "gout", "x0000q")


def convicting(
    release: Path, original: Path, names: Sequence[str] = OURS
) -> dict[str, list[CertifiedAttack]]:
    """Run attacks, and list the failures by attack."""
    found: dict[str, list[CertifiedAttack]] = {}
    for name in names:
        for one in attacked(name, release, original).found:
            if one.convicted:
                found.setdefault(name, []).append(one)
    return found


def test_one_alone_in_a_corner_is_found_by_the_scan(tmp_path: Path) -> None:
    """A record that was to be left out is released: one of 401, which a sample may miss."""
    release = write_release(tmp_path, [*people(400, 1), LONE])
    age, _, place = (one.rule.label for one in rs.read_policy(release / "policy.json").attributes)
    alone = (str(age("99")), "F", str(place("02131")), "gout")
    shown = {row[:3] for row in read_csv(release / TABLE)}
    assert alone[:3] not in shown
    assert not convicting(release, tmp_path / TABLE, ("scan",))
    weak = rewritten(release, lambda rows: [*rows, alone])
    found = convicting(weak, tmp_path / TABLE, ("scan",))
    (own,) = found["scan"]
    assert own.knowledge["looks_for"] == "small-classes"
    assert (own.successes, own.knowledge["least"]) == (1.0, 5)


def test_classes_of_two_are_not_those_of_five(tmp_path: Path) -> None:
    """The policy claims more than the classes have: linkage finds it too."""
    release = promising(write_release(tmp_path, people(120, 2), k=2), 20)
    found = convicting(release, tmp_path / TABLE, ("scan", "linkage"))
    assert found.keys() == {"scan", "linkage"}
    classes = Counter(row[:3] for row in read_csv(release / TABLE)[1:])
    expected = sum(number for number in classes.values() if number < 20)
    assert found["scan"][0].successes == expected


def test_an_identifier_that_nobody_listed_is_found_by_linkage(tmp_path: Path) -> None:
    """A tag that differs for each person, released because the request says so."""
    release = write_release(tmp_path, people(300, 3), identifiers=[], release_anyway=["tag"])
    found = convicting(release, tmp_path / TABLE, ("linkage",))
    assert ("tag",) in [one.knowledge["known"] for one in found["linkage"]]


def test_a_number_that_looks_like_an_identifier_is_found_by_the_scan(tmp_path: Path) -> None:
    """The number was added to the table afterwards, under the name of a harmless column."""
    release = write_release(tmp_path, people(300, 4), sensitive=[], unchanged=["diagnosis"])

    def with_numbers(rows: list[Row]) -> list[Row]:
        return [(*row[:3], f"{at % 900 + 100:03d}-45-{at:04d}") for at, row in enumerate(rows)]

    (own,) = attacked("scan", rewritten(release, with_numbers)).found[1:]
    assert own.convicted
    assert own.knowledge["columns"] == ("diagnosis",)


def test_a_class_of_one_sensitive_value_breaks_a_promise_of_several(tmp_path: Path) -> None:
    """A violation of l-diversity fails; without the requirement, the same finding is only shown."""
    asked: dict[str, Any] = {
        "privacy": [{"kind": "distinct-l-diversity", "column": "diagnosis", "l": 2}]
    }
    release = write_release(tmp_path, people(300, 5), **asked)
    only = ("attribute-inference",)
    assert not convicting(release, tmp_path / TABLE, only)

    def all_alike(rows: list[Row]) -> list[Row]:
        return [(*row[:3], "flu" if row[1] == "F" else row[3]) for row in rows]

    found = convicting(rewritten(release, all_alike), tmp_path / TABLE, only)
    assert [one.knowledge["guess"] for one in found["attribute-inference"]] == ["certain"]


def test_persons_are_convicted_where_fewer_fit_than_was_promised(tmp_path: Path) -> None:
    """The release is made for five people who match two rows, and claims two hundred."""
    write_visits(tmp_path / "visits.csv", visits(300))
    quasi = ["age", "sex", "ward"]
    rs.anonymize(
        tmp_path / "visits.csv",
        person="patient",
        quasi=quasi,
        k=5,
        suppression=0.3,
        link="pseudonym",
        knows=2,
        out=tmp_path / "release",
    )
    everybody = AttackSettings(attempts=10_000)
    original = tmp_path / "visits.csv"
    found = attacked("persons", tmp_path / "release", original, settings=everybody).found
    assert [one.knowledge["rows"] for one in found] == [1, 2, 3, "all"]
    assert [one.against for one in found] == ["promise", "promise", "nothing", "nothing"]
    assert not any(one.convicted for one in found)
    assert all(one.success <= 0.2 for one in found[:2])
    assert found[0].success <= found[1].success <= found[2].success
    # An attacker who knows all rows finds one of the people with the same rows: one success per
    # kind.
    released = rows_of(read_visits(tmp_path / "release" / "visits.csv"), "patient", quasi)
    kinds = {tuple(sorted(rows)) for rows in released.values()}
    assert found[3].successes == pytest.approx(len(kinds))
    weak = promising(tmp_path / "release", 200)
    found = attacked("persons", weak, original, settings=everybody).found
    assert found[1].convicted
    assert [one.convicted for one in found[2:]] == [False, False]


def test_people_are_found_by_a_column_that_no_requirement_covers(tmp_path: Path) -> None:
    """The rows are not linked, but few people have the same code in one of two rows."""
    rows = [(f"P{at % 90}", "FM"[at % 2], f"C{at * at % 97}") for at in range(270)]
    original = tmp_path / "visits.csv"
    original.write_text("\n".join(map(",".join, (("patient", "sex", "code"), *rows))) + "\n")
    known: dict[str, Any] = {
        "quasi": ["sex"],
        "sensitive": ["code"],
        "person": "patient",
        "knows": 2,
    }
    rs.anonymize(original, **known, k=5, out=tmp_path / "release")
    *inside, one = attacked("persons", tmp_path / "release", original).found
    assert [each.against for each in inside] == ["promise"] * 4
    assert one.success > 0.2
    assert (one.against, one.knowledge["rows"], one.knowledge["beyond"]) == ("nothing", 2, True)
    assert "The privacy requirements cover only sex." in found_in_words(one)


DATED = ("patient", "sex", "seen")


def dated(persons: int) -> list[Row]:
    """Make up visits over two years, each person with three."""
    days = [
        f"{2020 + day // 360}-{day % 360 // 30 + 1:02d}-{day % 28 + 1:02d}" for day in range(720)
    ]
    return [
        (f"P{number:03d}", "FM"[number % 2], days[(number * 7 + 200 * visit) % 720])
        for number in range(persons)
        for visit in range(3)
    ]


@pytest.mark.quick(1)
@pytest.mark.parametrize("form", ["shift", "shift-time"])
def test_a_date_beyond_the_ends_shows_by_how_much_it_was_shifted(form: str, tmp_path: Path) -> None:
    """A person whose first visit was on the first day, released with the longest shift back."""
    write_visits(tmp_path / "visits.csv", dated(90), DATED)
    rs.anonymize(
        tmp_path / "visits.csv",
        person="patient",
        quasi=["sex"],
        k=3,
        link="pseudonym",
        dates={"seen": form},
        release_anyway=["seen"],
        shift_days=60,
        out=tmp_path / "release",
    )
    original = tmp_path / "visits.csv"
    sound = attacked("scan", tmp_path / "release", original).found
    (own,) = [one for one in sound if one.knowledge["looks_for"] == "shifts"]
    assert own.knowledge["shifts"] == 121
    assert own.success == pytest.approx(1 / 121)
    assert not any(one.convicted for one in sound)
    header = read_csv(tmp_path / "release" / "visits.csv")[0]
    first = min(row[2] for row in dated(90))
    assert first == "2020-01-01"

    def not_cut_off(rows: list[Row]) -> list[Row]:
        at = header.index("seen")
        return [(*rows[0][:at], "2019-11-02", *rows[0][at + 1 :]), *rows[1:]]

    weak = rewritten(tmp_path / "release", not_cut_off, "visits.csv")
    found = [one for one in attacked("scan", weak, original).found if one.convicted]
    (own,) = found
    assert own.knowledge["looks_for"] == "shifts"
    assert own.successes == pytest.approx((own.attempts - 1) / 121 + 1)


SOUND = [
    (seed, k, recoding)
    for seed in range(13)
    for k, recoding in zip((3, 5, 5, 8), ("global", "cells", "local", "intervals"), strict=True)
][:50]
QUICK = SOUND[::17]


def sound(folder: Path, seed: int, k: int, recoding: str) -> dict[str, list[CertifiedAttack]]:
    """Release people soundly and try everything."""
    how: dict[str, Any] = {} if recoding == "global" else {"recoding": recoding, "time_limit": 1}
    release = write_release(folder, people(150 + 20 * seed, seed), k=k, **how)
    return convicting(release, folder / TABLE)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("seed", "k", "recoding"), QUICK)
def test_a_sound_release_is_not_convicted(tmp_path: Path, seed: int, k: int, recoding: str) -> None:
    """A few of the fifty."""
    assert not sound(tmp_path, seed, k, recoding)


@pytest.mark.nightly
def test_none_of_fifty_sound_releases_is_convicted(tmp_path: Path) -> None:
    """False alarms are counted, and there is none."""
    alarms = [case for at, case in enumerate(SOUND) if sound(tmp_path / str(at), *case)]
    assert len(SOUND) == 50
    assert not alarms


def test_the_tables_here_have_what_the_tests_speak_of() -> None:
    """Everybody has a tag of their own."""
    rows = people(300, 3)
    assert len({row[HEADER.index("tag")] for row in rows}) == 300
    assert HEADER[:3] == QUASI
