"""A release under delta-presence is checked from its files alone; its people are certified."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from small_tables import Row, read_csv, write_csv

from roadstead import apply, verify
from roadstead.errors import Refusal, SettingError, VerificationError
from roadstead.hierarchies.rules import Bands, Everything, Identity
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.document import Policy, PolicyColumns, SuppressedRecords, Suppression
from roadstead.release.documents import fingerprint, json_text
from roadstead.release.publish import publish_release
from roadstead.verbs.apply.result import Application

HEADER = ("word", "age", "note")
WORDS = ["red", "blue", "*", "", "é"]
WORD = st.sampled_from(WORDS)
AGE = st.sampled_from(["", *map(str, range(20, 60, 5))])


def policy_of(
    *privacy: dict[str, Any], records: SuppressedRecords = "mask", general: bool = False
) -> Policy:
    """Keep known words, or take them all away, and put ages into bands of twenty."""
    word = Everything() if general else Identity(tuple(word for word in WORDS if word))
    ages = Everything() if general else Bands(Decimal(20))
    return Policy(
        attributes=(
            AttributePolicy("word", int(general), 2, word),
            AttributePolicy("age", 1 + general, 3, ages),
        ),
        privacy=privacy,
        suppression=Suppression(1.0, records),
        columns=PolicyColumns(sensitive=("note",), undecided=()),
    )


def presence(maximum: float, minimum: float = 0.0) -> dict[str, Any]:
    """Give the model's settings."""
    return {"kind": "delta-presence", "minimum": minimum, "maximum": maximum}


def label(policy: Policy, row: Row) -> Row:
    """Give the policy's label for a person; an uncovered person matches no other person."""
    made = [a.rule.label(value) for a, value in zip(policy.attributes, row, strict=True)]
    return tuple("?" if one is None else one for one in made)


@dataclass(frozen=True)
class Request:
    """People who are in the table, people who are not, and a policy."""

    inside: tuple[Row, ...]
    outside: tuple[Row, ...]
    policy: Policy
    limits: tuple[Fraction, Fraction]


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """Some people outside have a word that the policy does not know."""
    inside = draw(st.lists(st.tuples(WORD, AGE), min_size=1, max_size=25))
    strange = st.tuples(WORD | st.just("green"), AGE)
    outside = draw(st.lists(strange, max_size=60))
    shares = st.sampled_from([Fraction(n, 6) for n in range(1, 7)])
    maximum = draw(shares)
    minimum = draw(st.just(Fraction(0)) | shares.filter(lambda share: share <= maximum))
    records: SuppressedRecords = draw(st.sampled_from(["mask", "drop"]))
    model = presence(float(maximum), float(minimum))
    policy = policy_of(model, records=records, general=draw(st.integers(0, 9)) == 0)
    return Request(tuple(inside), tuple(outside), policy, (minimum, maximum))


def applied(request: Request, folder: Path) -> Application:
    """Apply the policy to the table, with a file of its population."""
    rows = [(*row, f"n{i % 3}") for i, row in enumerate(request.inside)]
    data = write_csv(folder / "patients.csv", HEADER, rows)
    everybody = Counter([*request.inside, *request.outside])
    people = write_csv(
        folder / "people.csv",
        ("number", "age", "word"),
        [(str(number), age, word) for (word, age), number in everybody.items()],
    )
    return apply(request.policy, data, population=people, population_counts="number")


def certificate(release: Path) -> dict[str, Any]:
    """Read the certificate as JSON."""
    document: dict[str, Any] = json.loads((release / "certificate.json").read_text("utf-8"))
    return document


@examples(10)
@given(requests())
def test_a_release_holds_what_the_definition_says(request: Request) -> None:
    """Classes are counted by hand, people too; the certificate has them in the file's order."""
    minimum, maximum = request.limits
    records = Counter(label(request.policy, row) for row in request.inside)
    people = records + Counter(label(request.policy, row) for row in request.outside)
    kept = {c for c in records if minimum <= Fraction(records[c], people[c]) <= maximum}
    lost = sum(records[c] for c in records if c not in kept)
    others = sum(people[c] for c in people if c not in kept)
    masks = (
        lost > 0
        and request.policy.suppression.records == "mask"
        and minimum <= Fraction(lost, others) <= maximum
    )
    classes = Counter({c: records[c] for c in kept})
    expected = Counter({c: people[c] for c in kept})
    if masks:
        classes["*", "*"] += lost
        expected["*", "*"] += others
    with tempfile.TemporaryDirectory() as name:
        result = applied(request, Path(name))
        release = Path(name) / "release"
        if not classes:
            with pytest.raises(Refusal, match="nothing would be released"):
                publish_release(result.draft, release, None, force=False)
            return
        assert publish_release(result.draft, release, None, force=False).passed
        assert verify(release).passed
        certified = certificate(release)
        _, *rows = read_csv(release / "patients.csv")
    assert Counter(row[:2] for row in rows) == classes
    assert certified["population"] == [expected[c] for c in sorted(expected)]
    assert certified["counts"]["suppressed"] == lost


INSIDE = (("red", "20"),) * 3 + (("blue", "25"),) * 2 + (("blue", "45"),) * 4
OUTSIDE = (("red", "30"),) * 27 + (("blue", "31"),) * 30 + (("green", "31"),) * 50
TOWN = Request(INSIDE, OUTSIDE, policy_of(presence(0.1)), (Fraction(0), Fraction(1, 10)))


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A release of two classes, and four masked records that could be any of 54 people."""
    publish_release(applied(TOWN, tmp_path).draft, tmp_path / "release", None, force=False)
    return tmp_path / "release"


def failures(release: Path) -> dict[str, str]:
    """Checks that fail, with their details."""
    return {check.check: check.detail for check in verify(release).failed}


MODEL = "(0, 0.1)-presence"
FITS = "the population matches the groups"
MASKED = "; 4 suppressed records form one more group"


def test_a_release_passes_as_it_was_written(release: Path) -> None:
    """The masked class holds everybody who is in no other, also whom the policy does not cover."""
    assert certificate(release)["population"] == [54, 32, 30]
    verification = verify(release)
    assert verification.passed
    checks = {check.check: check.detail for check in verification.checks}
    assert checks[FITS] == "3 groups, none with more records than people"
    assert checks[MODEL] == f"2 groups; the smallest has 2 records{MASKED}"


def without_population(document: dict[str, Any]) -> None:
    """Leave the people out."""
    del document["population"]


def with_people(*people: int) -> Callable[[dict[str, Any]], None]:
    """Certify other numbers of people."""
    return lambda document: document.update(population=list(people))


NOT_SAID = "the certificate does not say how many people are in each group"
EDITS: dict[str, tuple[Callable[[dict[str, Any]], None], dict[str, str]]] = {
    "none": (without_population, {MODEL: NOT_SAID}),
    "one class less": (
        with_people(54, 32),
        {FITS: "2 numbers for 3 groups", MODEL: NOT_SAID},
    ),
    "one class more": (
        with_people(54, 32, 30, 30),
        {FITS: "4 numbers for 3 groups", MODEL: NOT_SAID},
    ),
    "fewer people than records": (
        with_people(54, 1, 2),
        {FITS: "2 groups with more records than people", MODEL: NOT_SAID},
    ),
    "too few people": (
        with_people(54, 19, 30),
        {MODEL: f"1 of 2 groups fail (2 records); the smallest group has 2 records{MASKED}"},
    ),
    "another order": (
        with_people(30, 32, 54),
        {MODEL: f"1 of 2 groups fail (4 records); the smallest group has 2 records{MASKED}"},
    ),
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("kind", EDITS)
def test_a_population_that_was_edited_is_found_out(release: Path, kind: str) -> None:
    """Where it does not fit the table, or the table does not keep the promise with it."""
    edit, expected = EDITS[kind]
    document = certificate(release)
    edit(document)
    (release / "certificate.json").write_text(json_text(document), "utf-8")
    assert failures(release) == expected


@pytest.mark.quick(2)
@pytest.mark.parametrize("people", [-1, 2**63, "many"])
def test_a_number_of_people_that_is_none_is_damage(release: Path, people: object) -> None:
    """It names the entry."""
    document = certificate(release) | {"population": [54, people, 30]}
    (release / "certificate.json").write_text(json_text(document), "utf-8")
    with pytest.raises(VerificationError, match=r"damaged in the entry population\.1"):
        verify(release)


def test_a_record_moved_to_another_class_is_found_out(release: Path) -> None:
    """Two more among the blue make them more than a tenth of their people."""
    path = release / "patients.csv"
    rows = read_csv(path)
    assert Counter(row[0] for row in rows)["red"] == 3
    last = max(i for i, row in enumerate(rows) if row[0] == "red")
    moved = [i for i, row in enumerate(rows) if row[0] == "red" and i != last]
    write_csv(path, None, [("blue", *row[1:]) if i in moved else row for i, row in enumerate(rows)])
    document = certificate(release)
    document["table"] = vars(fingerprint(path))
    (release / "certificate.json").write_text(json_text(document), "utf-8")
    assert MODEL in failures(release)


def test_without_a_model_that_looks_at_it_no_population_is_taken(tmp_path: Path) -> None:
    """A user who gives one expects an effect; the certificate does not name it."""
    policy = policy_of({"kind": "k-anonymity", "k": 3})
    with pytest.raises(SettingError, match="no privacy model uses it"):
        applied(replace(TOWN, policy=policy), tmp_path)
    publish_release(
        apply(policy, tmp_path / "patients.csv").draft, tmp_path / "release", None, force=False
    )
    document = certificate(tmp_path / "release")
    assert "population" not in document
    assert document["risk"]["average_before"] == 3 / 9


def test_a_policy_that_compares_with_a_population_needs_one(tmp_path: Path) -> None:
    """The message says how to give it."""
    data = write_csv(tmp_path / "patients.csv", HEADER, [("red", "20", "n")] * 3)
    with pytest.raises(SettingError, match="population=FILE"):
        apply(TOWN.policy, data)


def test_people_outside_may_have_values_that_the_policy_does_not_cover(tmp_path: Path) -> None:
    """Records may not; only values of theirs are counted."""
    result = applied(TOWN, tmp_path)
    assert result.unseen == {}
    assert result.draft.risk.classes == 2
    assert result.generalized.sizes.tolist() == [2, 3]
    assert result.to_dict()["records"] == 9
