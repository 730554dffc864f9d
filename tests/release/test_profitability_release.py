"""A release under profitability: its contents, its certificate, and how to check it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from math import floor, log
from pathlib import Path
from typing import Any

import pytest
from small_tables import Row, read_csv, write_csv

import roadstead as rs
from roadstead.errors import PolicyError, Refusal, VerificationError
from roadstead.policies.document import read_policy
from roadstead.privacy.settings import model_from
from roadstead.release.documents import json_text
from roadstead.release.generalization import generalize, without_attribute
from roadstead.tables.frequency import summarize
from roadstead.tables.reading import read
from roadstead.verbs.kept import with_kept_by

HEADER = ("word", "age", "note")
WORDS = {"red": "warm", "pink": "warm", "blue": "cold", "green": "cold"}
AGES = {str(age): "20-23" if age < 24 else "24-27" for age in range(20, 28)}
BITS = log(len(WORDS)) + log(len(AGES))
AMOUNTS = {"benefit": 100.0, "loss": 240.0, "gain": 40.0, "cost": 5.0}
"""Attacks pay on classes of up to 7; such a class has to keep 2.4 / f: three records at least."""
MODEL = {"kind": "profitability", **AMOUNTS}
FITS = "the certified shares match the groups"
WORKED_OUT = "the groups keep as much information as certified"
UNKNOWN = "how much information each group keeps"


def rows(number: int = 90) -> list[Row]:
    """Make up a table in which some combinations are frequent, and some are had by few."""
    words, ages = list(WORDS), list(AGES)
    return [
        (words[(i * i) % 7 % 4], ages[(i * i * i) % 11 % 8], f"n{i % 3}") for i in range(number)
    ]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the table, and hierarchies that list their values."""
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "table.csv", HEADER, rows())
    (tmp_path / "listed").mkdir()
    for name, groups in (("word", WORDS), ("age", AGES)):
        lines = [f"{value};{label};*\n" for value, label in groups.items()]
        (tmp_path / "listed" / f"{name}.csv").write_text("".join(lines), "utf-8")
    return tmp_path


def anonymized(place: Path, **more: Any) -> rs.Anonymization:  # noqa: ANN401 - any option
    """Anonymize the table, with only this model unless more is requested."""
    asked: dict[str, Any] = {
        "quasi": ["word", "age"],
        "sensitive": ["note"],
        "hierarchies": place / "listed",
        "privacy": [MODEL],
        "k": 1,
        "suppression": 0.5,
        **more,
    }
    return rs.anonymize(place / "table.csv", **asked)


def released_by_hand(levels: dict[str, int], table: list[Row], k: int = 1) -> Counter[Row]:
    """Classes that bring something at these levels, by the definition."""
    found: Counter[Row] = Counter()
    for word, age, _ in table:
        found[(word, WORDS[word], "*")[levels["word"]], (age, AGES[age], "*")[levels["age"]]] += 1
    widths = [(1, 2, 4)[levels["word"]], (1, 4, 8)[levels["age"]]]
    kept = 1 - sum(map(log, widths)) / BITS
    return Counter(
        {one: size for one, size in found.items() if size >= k and brings(kept, size) > 1e-9}
    )


def brings(kept: float, size: int) -> float:
    """Give the benefit of a record of a class with this size."""
    attacked = AMOUNTS["gain"] / size > AMOUNTS["cost"]
    return AMOUNTS["benefit"] * kept - (AMOUNTS["loss"] / size if attacked else 0.0)


def certificate(release: Path) -> dict[str, Any]:
    """Read the certificate as JSON."""
    document: dict[str, Any] = json.loads((release / "certificate.json").read_text("utf-8"))
    return document


@pytest.mark.quick(2)
@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("levels", [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)])
def test_a_release_holds_the_classes_that_bring_something(
    place: Path, levels: tuple[int, int], k: int
) -> None:
    """At any levels; the certificate says of each class what it has to keep, and no more."""
    at = dict(zip(("word", "age"), levels, strict=True))
    result = anonymized(place, min_level=at, max_level=at, k=k, suppression=1.0)
    expected = released_by_hand(at, rows(), k)
    result.write(place / "out")
    _, *lines = read_csv(place / "out" / "table.csv")
    assert Counter(line[:2] for line in lines) == expected
    document = certificate(place / "out")
    assert document["counts"]["suppressed"] == len(rows()) - expected.total()
    needed = [240 / (100 * size) if size <= 7 else 0.0 for _, size in sorted(expected.items())]
    assert document["kept_at_least"] == [(floor(1e6 * one + 1e-6) + 1) / 1e6 for one in needed]
    verification = rs.verify(place / "out")
    assert verification.passed
    assert {FITS, WORKED_OUT} <= {check.check for check in verification.checks}
    assert UNKNOWN not in verification.unchecked
    removed = [one for one in verification.unchecked if one.startswith("how many different values")]
    assert removed == (["how many different values age had"] if levels[1] == 2 else [])


def test_suppressed_records_are_never_kept_with_stars(place: Path) -> None:
    """As a class they keep nothing, and bring nothing, however many they are."""
    result = anonymized(place, max_level={"word": 0, "age": 0})
    assert result.suppressed > 7
    assert result.draft.counts.masked == 0


def test_the_policy_says_how_many_values_listed_hierarchies_have(place: Path) -> None:
    """And nothing of one that is read off the data."""
    (listed,) = anonymized(place).policy.privacy
    assert listed == {**MODEL, "domains": {"word": 4, "age": 8}}
    (plain,) = anonymized(place, hierarchies=None).policy.privacy
    assert plain == MODEL
    own = anonymized(place, privacy=[{**MODEL, "domains": {"word": 9, "age": 9}}])
    assert own.policy.privacy == (listed,)


def test_of_hierarchies_that_list_nothing_nobody_can_tell_what_is_kept(place: Path) -> None:
    """Verification checks what is certified, and says what it could not."""
    anonymized(place, hierarchies=None).write(place / "out")
    verification = rs.verify(place / "out")
    assert verification.passed
    assert FITS in {check.check for check in verification.checks}
    assert WORKED_OUT not in {check.check for check in verification.checks}
    assert UNKNOWN in verification.unchecked


def test_a_table_without_a_certificate_cannot_be_checked(place: Path) -> None:
    """A check that cannot be made fails."""
    from roadstead.release.verification.release import verify_table  # noqa: PLC0415 - here alone

    with read(place / "table.csv") as source:
        found = verify_table(source, ["word", "age"], [model_from(MODEL, where="test")])
    assert not found.passed
    assert "without a certificate, it is not known" in found.failed[0].detail


def nothing_listed(document: dict[str, Any]) -> None:
    """Leave the shares out."""
    del document["kept_at_least"]


def one_fewer(document: dict[str, Any]) -> None:
    """Leave one out."""
    document["kept_at_least"].pop()


def less(document: dict[str, Any]) -> None:
    """Say that the first class keeps next to nothing."""
    document["kept_at_least"][0] = 0.000001


def more_than_kept(document: dict[str, Any]) -> None:
    """Say that all of them keep everything."""
    document["kept_at_least"] = [1.0] * len(document["kept_at_least"])


def other_sizes(document: dict[str, Any]) -> None:
    """Say that there are more words than the policy lists."""
    document["policy"]["privacy"][0]["domains"]["word"] = 4000
    document["settings"]["privacy"] = document["policy"]["privacy"]


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("forge", "check", "detail"),
    [
        (nothing_listed, "profitability", "without a certificate, it is not known"),
        (one_fewer, FITS, "numbers for"),
        (less, "profitability", "fail"),
        (more_than_kept, WORKED_OUT, "keep less information"),
        (other_sizes, WORKED_OUT, "more or fewer values"),
    ],
)
def test_whatever_was_changed_in_the_shares_is_found(
    place: Path, forge: Callable[[dict[str, Any]], None], check: str, detail: str
) -> None:
    """By the certificate and the released table alone."""
    anonymized(place, min_level={"word": 1}, max_level={"age": 0}).write(place / "out")
    document = certificate(place / "out")
    forge(document)
    (place / "out" / "certificate.json").write_text(json_text(document), "utf-8")
    failed = {one.check: one.detail for one in rs.verify(place / "out").failed}
    assert any(name.startswith(check) and detail in failed[name] for name in failed)


def test_a_share_above_all_is_no_share(place: Path) -> None:
    """The document is refused."""
    anonymized(place).write(place / "out")
    document = certificate(place / "out")
    document["kept_at_least"][0] = 1.5
    (place / "out" / "certificate.json").write_text(json_text(document), "utf-8")
    with pytest.raises(VerificationError, match="kept_at_least"):
        rs.verify(place / "out")


def test_a_policy_that_lists_its_values_is_applied_to_another_table(place: Path) -> None:
    """The information in its labels follows from the policy; groups are decided again."""
    result = anonymized(place)
    result.write(place / "out")
    write_csv(place / "next.csv", HEADER, rows(70)[5:])
    applied = rs.apply(place / "out" / "policy.json", place / "next.csv", suppression=1.0)
    applied.write(place / "again")
    _, *lines = read_csv(place / "again" / "next.csv")
    levels = dict(result.levels or {})
    assert Counter(line[:2] for line in lines) == released_by_hand(levels, rows(70)[5:])
    assert rs.verify(place / "again").passed


def test_a_policy_without_lists_is_applied_where_the_table_has_the_same_levels(
    place: Path,
) -> None:
    """Else how much a class keeps is not known, and it is refused."""
    anonymized(place, hierarchies=None, max_level={"word": 0}).write(place / "out")
    same = rs.apply(place / "out" / "policy.json", place / "table.csv")
    assert same.draft.counts.records == len(rows())
    policy = json.loads((place / "out" / "policy.json").read_text("utf-8"))
    policy["attributes"][1] |= {
        "rule": {"kind": "bands", "width": "3", "origin": "0", "integer": True},
        "level": 1,
    }
    (place / "other.json").write_text(json.dumps(policy), "utf-8")
    with pytest.raises(PolicyError, match="the rule of 'age' does not record how much"):
        rs.apply(place / "other.json", place / "table.csv")


def test_what_would_be_released_without_an_attribute_keeps_nothing_of_it(place: Path) -> None:
    """Where a policy does not suit a table, each attribute is taken away by itself."""
    anonymized(place, max_level={"word": 0, "age": 0}).write(place / "out")
    policy = read_policy(place / "out" / "policy.json")
    models = [model_from(one, where="test") for one in policy.privacy]
    with read(place / "table.csv") as source:
        table = with_kept_by(summarize(source, policy.quasi), models, policy, where="test")
    without = without_attribute(generalize(table, policy, models), policy, models, 1)
    expected = released_by_hand({"word": 0, "age": 2}, rows()).total()
    assert without.suppressed == len(rows()) - expected


def test_a_journalist_counts_the_people_of_the_population(place: Path) -> None:
    """Classes of few records are released where many people share their labels."""
    write_csv(place / "people.csv", HEADER[:2], [row[:2] for row in rows() for _ in range(8)])
    model = {**MODEL, "kind": "profitability-journalist"}
    at = {"word": 0, "age": 0}
    told = anonymized(place, privacy=[model], population=place / "people.csv", max_level=at)
    assert told.suppressed == 0
    told.write(place / "out")
    document = certificate(place / "out")
    assert set(document["kept_at_least"]) == {0.000001}
    assert min(document["population"]) >= 8
    assert rs.verify(place / "out").passed
    few = write_csv(place / "few.csv", HEADER[:2], [row[:2] for row in rows()])
    with pytest.raises(Refusal, match="limit"):
        rs.apply(
            place / "out" / "policy.json", place / "table.csv", population=few, suppression=0.01
        )


@pytest.mark.parametrize("recoding", ["cells", "local", "intervals"])
def test_classes_that_differ_in_what_they_show_are_refused(place: Path, recoding: str) -> None:
    """Before the table is counted."""
    with pytest.raises(rs.SettingError, match="share of information that each group keeps"):
        anonymized(place, k=2, recoding=recoding)
