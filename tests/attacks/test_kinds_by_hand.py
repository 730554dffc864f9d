"""Each attack compared with a count by the definition, with loops, on small releases.

The tests know the owner of a released row in another way than the judge does: by the tag of each
person, which is released there anyway.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attacked_releases import HEADER, QUASI, TABLE, attacked, people, target_of, write_release
from small_tables import read_csv, write_csv

from roadstead.attacks.matching.known_people import drawn, strangers, with_errors
from roadstead.attacks.protocol import AttackSettings
from roadstead.release.evidence import CertifiedAttack
from roadstead.reports.attacks.words import found_in_words, judged_in_words

EVERYBODY = AttackSettings(attempts=10_000, errors=0.0)
RECODINGS = ("global", "cells", "local", "intervals")


@pytest.fixture(scope="module", params=RECODINGS)
def tagged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 150 people and their release, by each recoding, with everybody's tag."""
    folder = tmp_path_factory.mktemp(request.param)
    recoding = {} if request.param == "global" else {"recoding": request.param, "time_limit": 2}
    write_release(folder, people(100, 3), identifiers=[], release_anyway=["tag"], **recoding)
    return folder


def table(path: Path) -> list[dict[str, str]]:
    """Read a table."""
    header, *rows = read_csv(path)
    return [dict(zip(header, row, strict=True)) for row in rows]


def sides(folder: Path) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Give the people, and the released row of each by the tag."""
    released = {row["tag"]: row for row in table(folder / "release" / TABLE)}
    everybody = table(folder / TABLE)
    return everybody, [released.get(row["tag"], {}) for row in everybody]


def is_masked(row: dict[str, str]) -> bool:
    """Whether a row shows no quasi-identifier; one that was left out shows none either."""
    return all(row.get(name, "*") == "*" for name in QUASI)


def one_of(found: Sequence[CertifiedAttack], **knowledge: object) -> CertifiedAttack:
    """Find the one finding of such knowledge."""
    (own,) = [
        one
        for one in found
        if all(one.knowledge.get(key) == value for key, value in knowledge.items())
    ]
    return own


@pytest.mark.quick(1)
def test_who_has_the_policy_picks_among_the_class(tagged: Path) -> None:
    """Each class is hit once for all its records: as many successes as classes."""
    _, released = sides(tagged)
    shown = [row for row in released if not is_masked(row)]
    classes = {tuple(row[name] for name in QUASI) for row in shown}
    masked = any(is_masked(row) for row in released)
    found = attacked("linkage", tagged / "release", tagged / TABLE, settings=EVERYBODY).found
    several = any(one.knowledge["matching"] == "policy" for one in found)
    own = one_of(found, known=QUASI, matching="policy" if several else "exact")
    assert own.attempts == 100
    assert own.successes == pytest.approx(len(classes) + masked)
    assert own.base_successes == pytest.approx(1.0)
    assert not own.convicted


def test_an_exact_link_picks_among_all_rows_that_can_be_the_person_s(
    tmp_path: Path,
) -> None:
    """Under cells a label is the policy's own or a star, so what can be whose is read off it."""
    write_release(
        tmp_path, people(150, 4), identifiers=[], release_anyway=["tag"], recoding="cells"
    )
    everybody, released = sides(tmp_path)
    labels_of: dict[tuple[str, str], set[str]] = defaultdict(set)
    for person, row in zip(everybody, released, strict=True):
        for name in QUASI:
            labels_of[name, person[name]].add(row.get(name, "*"))
    shown = [row for row in released if not is_masked(row)]
    total = 0.0
    for person, own in zip(everybody, released, strict=True):
        can = [
            row
            for row in shown
            if all(row[n] == "*" or row[n] in labels_of[n, person[n]] for n in QUASI)
        ]
        if own in can:
            total += 1 / len(can)
        elif not can and own:
            total += 1 / sum(is_masked(row) for row in released)
    found = attacked("linkage", tmp_path / "release", tmp_path / TABLE, settings=EVERYBODY).found
    assert one_of(found, known=QUASI, matching="exact").successes == pytest.approx(total)


@pytest.mark.quick(1)
def test_a_tag_that_is_released_links_everybody(tagged: Path) -> None:
    """The tag alone is enough, so a release that promises 1/5 fails."""
    found = attacked("linkage", tagged / "release", tagged / TABLE, settings=EVERYBODY).found
    own = one_of(found, known=("tag",))
    _, released = sides(tagged)
    assert own.successes == sum(bool(row) for row in released)
    assert own.convicted
    assert own.allowed == pytest.approx(0.2)


def test_a_sensitive_value_is_guessed_by_the_class(tmp_path: Path) -> None:
    """The most frequent value of the class, or one of the most frequent."""
    write_release(tmp_path, people(150, 5), identifiers=[], release_anyway=["tag"])
    everybody, released = sides(tmp_path)
    classes: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    shown = Counter(row["diagnosis"] for row in released if row and not is_masked(row))
    for row in released:
        if not is_masked(row):
            classes[tuple(row[name] for name in QUASI)][row["diagnosis"]] += 1
    frequent = certain = picked = by_any = 0.0
    (best, often), *_ = shown.most_common()
    assert [often] == [number for number in shown.values() if number == often]
    for person, row in zip(everybody, released, strict=True):
        own = classes.get(tuple(row.get(name, "*") for name in QUASI))
        by_any += shown[person["diagnosis"]] / shown.total()
        if own is None:
            frequent += person["diagnosis"] == best
            continue
        most = [value for value, number in own.items() if number == max(own.values())]
        frequent += (person["diagnosis"] in most) / len(most)
        certain += len(own) == 1
        picked += own[person["diagnosis"]] / own.total()
    target = tmp_path / "release", tmp_path / TABLE
    found = attacked("attribute-inference", *target, settings=EVERYBODY).found
    own_guess = one_of(found, guess="frequent")
    assert own_guess.successes == pytest.approx(frequent)
    assert own_guess.base_successes == sum(row["diagnosis"] == best for row in everybody)
    assert one_of(found, guess="certain").successes == certain
    (inferred,) = attacked("inference", *target, settings=EVERYBODY).found
    assert inferred.base_successes == pytest.approx(by_any)
    masked = sum(is_masked(row) for row in released)
    assert picked <= inferred.successes <= picked + masked


@pytest.mark.quick(1)
@pytest.mark.parametrize("privacy", ["none", "distinct", "blank=value", "t-closeness"])
def test_an_empty_cell_is_not_a_value_that_is_guessed(privacy: str, tmp_path: Path) -> None:
    """People without a value are not counted, unless a model counts empty cells as values."""
    diverse = {"kind": "distinct-l-diversity", "column": "diagnosis", "l": 2}
    models: dict[str, list[dict[str, Any]]] = {
        "none": [],
        "distinct": [diverse],
        "blank=value": [{**diverse, "blank": "value"}],
        "t-closeness": [{"kind": "t-closeness", "column": "diagnosis", "t": 0.9}],
    }
    at = HEADER.index("diagnosis")
    rows = [
        (*row[:at], row[at] if number % 2 == 0 else "", *row[at + 1 :])
        for number, row in enumerate(people(150, 5))
    ]
    write_release(tmp_path, rows, identifiers=[], release_anyway=["tag"], privacy=models[privacy])
    target = tmp_path / "release", tmp_path / TABLE
    found = attacked("attribute-inference", *target, settings=EVERYBODY).found
    frequent, certain = (one_of(found, guess=guess) for guess in ("frequent", "certain"))
    filled = sum(bool(row[at]) for row in rows)
    if privacy in {"none", "distinct"}:
        assert (frequent.attempts, certain.attempts) == (filled, filled)
        assert frequent.knowledge["without_value"] == len(rows) - filled
        said = found_in_words(frequent)
        assert f"is empty are not counted ({len(rows) - filled} of the sample)" in said
        assert 0 < frequent.successes <= filled
    else:
        assert (frequent.attempts, certain.attempts) == (len(rows), len(rows))
        assert frequent.base_successes == len(rows) - filled  # empty is the most frequent value
    (inferred,) = attacked("inference", *target, settings=EVERYBODY).found
    assert inferred.attempts == inferred.base_attempts == filled
    # Each guess names a value, so guessing at random is right as often as values are frequent.
    counts = Counter(row[at] for row in rows if row[at])
    assert inferred.base_successes <= counts.most_common(1)[0][1]


def test_two_halves_are_joined_as_often_as_both_picks_are_the_same(tmp_path: Path) -> None:
    """By all pairs of rows, if no record is masked."""
    write_release(tmp_path, people(150, 6), identifiers=[], release_anyway=["tag"], suppression=0)
    _, released = sides(tmp_path)
    total = 0.0
    for own in released:
        one = [row for row in released if row["age"] == own["age"] and row["zip"] == own["zip"]]
        other = [row for row in released if row["sex"] == own["sex"]]
        both = sum(row in other for row in one)
        total += both / (len(one) * len(other))
    target = tmp_path / "release", tmp_path / TABLE
    (found,) = attacked("linkability", *target, settings=EVERYBODY).found
    assert found.knowledge["known"] == ("age", "zip")
    assert found.successes == pytest.approx(total)
    assert not found.convicted


@pytest.mark.quick(2)
def test_a_statement_of_a_tag_is_true_of_one_person(tagged: Path) -> None:
    """And none of the quasi-identifiers is."""
    found = attacked("singling-out", tagged / "release", tagged / TABLE).found
    quasi = [one for one in found if one.knowledge["columns"] == QUASI]
    every = [one for one in found if one.knowledge["columns"] != QUASI]
    assert all(one.successes == 0 and not one.convicted for one in quasi)
    single = one_of(every, statements="univariate")
    assert single.successes >= 0.9 * single.attempts
    assert not single.convicted
    assert one_of(every, statements="multivariate").successes > 0


@pytest.mark.quick(2)
def test_the_judge_finds_everybody_s_own_row(tagged: Path) -> None:
    """By the policy, without the tag that the test goes by."""
    everybody, released = sides(tagged)
    with target_of(tagged / "release", tagged / TABLE) as target:
        rows, table_ = target.truth, target.people
        there = target.release.rows
        tags = table_.domains[table_.attributes.index("tag")]
        own_tags = there.domains[there.attributes.index("tag")]
        for row, code in zip(rows, table_.codes[table_.attributes.index("tag")], strict=True):
            found = next(
                r for p, r in zip(everybody, released, strict=True) if p["tag"] == tags[code]
            )
            if row < 0:
                assert not found
            else:
                released_code = there.codes[there.attributes.index("tag")][row]
                assert own_tags[released_code] == tags[code]


def test_people_are_drawn_with_mistakes_and_strangers_are_nobody(tmp_path: Path) -> None:
    """The requested number of cells are wrong, and every value is some person's."""
    release = write_release(tmp_path, people(300, 7))
    with target_of(release, tmp_path / TABLE) as target:
        chance = AttackSettings().chance("test")
        known = drawn(target.people, target.truth, 10_000, chance)
        assert known.number == 300
        wrong = with_errors(known, ["age"], 0.5, chance)
        share = (wrong.of("age") != known.of("age")).mean()
        assert 0.35 < share < 0.55
        assert (wrong.of("sex") == known.of("sex")).all()
        made_up = strangers(known, chance)
        assert (made_up.rows == -1).all()
        assert Counter(made_up.of("zip").tolist()) == Counter(known.of("zip").tolist())


def test_same_seed_same_findings(tmp_path: Path) -> None:
    """And another seed tries other people."""
    release = write_release(tmp_path, people(300, 8))
    few = AttackSettings(attempts=40)
    first = attacked("linkage", release, tmp_path / TABLE, settings=few)
    assert attacked("linkage", release, tmp_path / TABLE, settings=few) == first
    other = AttackSettings(attempts=40, seed=1)
    assert attacked("linkage", release, tmp_path / TABLE, settings=other) != first


def test_diversity_is_promised_to_who_knows_quasi_identifiers_alone(tmp_path: Path) -> None:
    """An attacker who knows a unique tag is certain, and this is outside the requirements."""
    diverse = [{"kind": "distinct-l-diversity", "column": "diagnosis", "l": 2}]
    asked: dict[str, Any] = {"identifiers": [], "release_anyway": ["tag"], "privacy": diverse}
    write_release(tmp_path, people(150, 7), **asked)
    target = tmp_path / "release", tmp_path / TABLE
    more = AttackSettings(attempts=10_000, errors=0.0, known=(*QUASI, "tag"))
    own = one_of(attacked("attribute-inference", *target, settings=more).found, guess="certain")
    assert own.success > 0.9
    assert (own.against, own.convicted) == ("nothing", False)
    usual = one_of(
        attacked("attribute-inference", *target, settings=EVERYBODY).found, guess="certain"
    )
    assert (usual.against, usual.allowed, usual.successes) == ("promise", 0.0, 0.0)


def test_where_no_risk_is_promised_no_promise_is_named(tmp_path: Path) -> None:
    """A map of a population does not cover an attacker who knows that a person is in the table."""
    write_csv(tmp_path / "all.csv", HEADER, people(150, 8) + people(600, 9))
    mapped = [{"kind": "k-map", "k": 5}]
    asked: dict[str, Any] = {"privacy": mapped, "population": tmp_path / "all.csv"}
    write_release(tmp_path, people(150, 8), k=None, release_anyway=["tag"], identifiers=[], **asked)
    found = attacked("linkage", tmp_path / "release", tmp_path / TABLE, settings=EVERYBODY).found
    own = one_of(found, known=("tag",))
    assert own.convicted
    assert judged_in_words(own).startswith("No privacy requirement covers this. Above 20%")
    assert one_of(found, known=QUASI, matching="exact").against == "nothing"


def test_a_limit_on_other_columns_is_not_called_a_requirement(tmp_path: Path) -> None:
    """Fault class: the requirement was said to cover a column that is no quasi-identifier."""
    asked: dict[str, Any] = {"release_anyway": ["tag"], "identifiers": []}
    write_release(tmp_path, people(150, 8), **asked)
    target = tmp_path / "release", tmp_path / TABLE
    found = attacked("linkage", *target, settings=EVERYBODY).found
    said = judged_in_words(one_of(found, known=("tag",)))
    assert said.startswith("No privacy requirement covers this. Above ")
    own = judged_in_words(one_of(found, known=QUASI, matching="exact"))
    assert own.startswith("The privacy requirements allow ")


@pytest.mark.quick(2)
def test_statements_of_single_values_are_all_made_where_they_are_few(tagged: Path) -> None:
    """So nothing is left to chance; drawn from many, it is."""
    release, original = tagged / "release", tagged / TABLE
    few = AttackSettings(attempts=5)
    for settings, counted in ((EVERYBODY, True), (few, False)):
        found = attacked("singling-out", release, original, settings=settings).found
        every = [one for one in found if one.knowledge["statements"] == "univariate"]
        assert every[-1].counted is counted
        assert not any(one.convicted for one in found)
