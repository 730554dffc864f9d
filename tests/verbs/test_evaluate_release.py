"""A release evaluated on other records: from its files and in plain Python, and with errors.

The witness reads only ``records.csv``. It generalizes a held-out record by the labels there, and
predicts the most frequent class of the released records with the same labels.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from seeded_mechanisms import SeededMechanisms
from small_tables import read_csv, write_csv

import roadstead as rs
from roadstead.differential.evaluation.classifiers import Prediction
from roadstead.differential.evaluation.features import Examples, Matrix
from roadstead.errors import InputError, VerificationError
from roadstead.reports.evaluation.facts import JudgmentFacts
from roadstead.verbs.evaluate.judgment import judged
from roadstead.verbs.synthesize.domains import Declarations
from roadstead.verbs.synthesize.sets import item_sets
from roadstead.verbs.synthesize.settings import settings_of
from roadstead.verbs.synthesize.synthesis import synthesized

COLUMNS = ("age", "sex", "codes", "died")
DECLARED = Declarations(
    ranges={"age": "20..59"},
    values={"sex": ("F", "M"), "codes": ("a", "b", "c", "d", "e")},
)
SETS: dict[str, Any] = {"codes": {"column": "codes", "delimiter": "|"}}

Record = tuple[str, str, str, str]


class ByHeart:
    """Predicts the majority class of equal examples, and class 0 of what it has not seen."""

    name = "by heart"

    def learn(self, examples: Examples, seed: int) -> Prediction:  # noqa: ARG002 - no chance
        """Learn all rows by heart."""
        seen: dict[tuple[float, ...], Counter[int]] = {}
        for row, target, weight in zip(
            examples.matrix.tolist(), examples.target.tolist(), examples.weights, strict=True
        ):
            seen.setdefault(tuple(row), Counter())[target] += int(weight)

        def predict(matrix: Matrix) -> NDArray[np.int32]:
            rows = [seen.get(tuple(row), Counter()) for row in matrix.tolist()]
            return np.array([_most(row[0], row[1]) for row in rows], dtype=np.int32)

        return predict


def _most(no: int, yes: int) -> int:
    return int(yes > no)


def people(records: int, seed: int) -> list[Record]:
    """Make up people of whom the old and those with the code "a" mostly die."""
    chance = random.Random(seed)  # noqa: S311 - made-up patients keep no secret
    made = []
    for _ in range(records):
        age, codes = chance.randint(20, 59), sorted(chance.sample("abcde", chance.randint(0, 3)))
        dies = (age > 40 or "a" in codes) != (chance.random() < 0.1)
        made.append((str(age), chance.choice("FM"), "|".join(codes), "yes" if dies else "no"))
    return made


def table(records: Sequence[Record]) -> dict[str, list[str]]:
    """Put records into columns."""
    return {name: [record[at] for record in records] for at, name in enumerate(COLUMNS)}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of 2,000 people."""
    out = tmp_path_factory.mktemp("released") / "release"
    request = settings_of(8, "died", ("no", "yes"), 6, "max-gain", "leave-out")
    sets = item_sets(SETS)
    found = synthesized(
        table(people(2000, 1)), request, replace(DECLARED, sets=sets), SeededMechanisms(3)
    )
    found.write(out)
    return out


def labels_of(record: Record, labels: Sequence[set[str]]) -> tuple[str, str, str]:
    """Give a release's labels for a record."""
    (age,) = [one for one in labels[0] if _spans(one, record[0])]
    sex = record[1] if record[1] in labels[1] else "*"
    if labels[2] == {"*"}:
        return age, sex, "*"
    told = {part for one in labels[2] for part in one.split("; ")} - {"(none)"}
    items = record[2].split("|") if record[2] else []
    under = sorted(one for one in told if any(_within(one, item) for item in items))
    return age, sex, "; ".join(under) or "(none)"


def _spans(label: str, age: str) -> bool:
    low, _, high = label.partition(" to ")
    return int(low) <= int(age) <= int(high or low)


def _within(label: str, item: str) -> bool:
    first, _, last = label.partition(" to ")
    return first <= item <= (last or first)


def test_accuracies_are_those_that_the_files_give(release: Path) -> None:
    """By labels, in plain Python; LA of the release's majority and of the held-out records'."""
    document = json.loads((release / "cut.json").read_text(encoding="utf-8"))
    labels = [set(one["names"]) for one in document["attributes"]]
    _, *rows = read_csv(release / "records.csv")
    seen: dict[tuple[str, ...], Counter[str]] = {}
    for row in rows:
        seen.setdefault(row[:-1], Counter())[row[-1]] += 1
    others = people(300, 2)
    right = 0
    for one in others:
        counts = seen.get(labels_of(one, labels), Counter())
        right += ("yes" if counts["yes"] > counts["no"] else "no") == one[-1]
    found = judge(release, others, classifiers=(ByHeart(),))
    assert found.accuracy["by heart"] == pytest.approx(right / 300)
    assert right > 200
    released = Counter(row[-1] for row in rows)
    tested = Counter(one[-1] for one in others)
    assert found.released == (released["no"], released["yes"])
    assert found.tested == (tested["no"], tested["yes"])
    assert found.majority_of_release == tested[released.most_common(1)[0][0]] / 300
    assert found.majority_of_held_out == max(tested.values()) / 300


def judge(release: Path, records: Sequence[Record], **more: Any) -> JudgmentFacts:  # noqa: ANN401 - whatever is given
    """Judge a release on records."""
    sets = more.pop("sets", SETS)
    with rs.read(table(records)) as source:
        return judged(release, source, item_sets(sets), more.pop("classifiers", ()), 0)


def test_marginals_are_compared_with_those_of_the_held_out_records(release: Path) -> None:
    """The marginal of the class, counted by hand, and the marginal of a released attribute."""
    others = people(300, 2)
    found = judge(release, others)
    rows = read_csv(release / "records.csv")[1:]
    of_class = next(one.distance for one in found.kept.ones if one.variable == "class")
    released = sum(row[-1] == "yes" for row in rows) / len(rows)
    assert of_class == pytest.approx(abs(released - sum(o[-1] == "yes" for o in others) / 300))
    ages = Counter(row[0] for row in rows)
    true = Counter(next(label for label in ages if _spans(label, one[0])) for one in others)
    distance = sum(abs(ages[label] / len(rows) - true[label] / 300) for label in ages) / 2
    assert distance == pytest.approx(
        next(one.distance for one in found.kept.ones if one.variable == "age")
    )


def test_the_verb_learns_and_says_that_nothing_of_it_is_private(release: Path) -> None:
    """In words, in the document, and in a notebook."""
    found = rs.evaluate(release, held_out=table(people(300, 2)), sets=SETS)
    document = found.to_dict()
    assert document["private"] is False
    assert document["question"] == "release"
    assert set(document["accuracy"]) == {"tree", "boosted"}
    assert min(document["accuracy"].values()) > document["lower_bound"]["majority_of_held_out"]
    assert document["epsilon"] == 8
    assert document["tested"] == 300
    said = str(found)
    assert said.startswith("NOT PRIVATE")
    assert said.splitlines()[-1].startswith("Not private")
    assert "use up privacy budget, and no ledger would record it" in document["warning"]
    assert "NOT PRIVATE" in found._repr_html_()
    frame = found.to_pandas()
    assert list(frame.columns) == ["run", "way", "classifier", "figure", "value"]
    assert found.to_polars().height == len(frame)
    json.dumps(document, allow_nan=False)


def test_records_without_a_place_are_counted_and_left_out(release: Path) -> None:
    """By column; a number beyond its range and an item not listed are not left out."""
    odd: list[Record] = [
        ("", "F", "a", "no"),
        ("30", "X", "a", "no"),
        ("30", "F", "a", "maybe"),
        ("99", "F", "a|zzz", "yes"),
    ]
    found = judge(release, [*people(50, 2), *odd])
    document = found.to_dict()
    assert (document["held_out_records"], document["left_out"], document["tested"]) == (54, 3, 51)
    assert document["outside"] == {
        "left_out": {"age": 1, "sex": 1, "died": 1},
        "clamped": {"age": 1},
        "unlisted": {"codes": 1},
    }
    said = str(rs.evaluate(release, held_out=table([*people(50, 2), *odd]), sets=SETS))
    assert "3 records of 54 were left out" in said
    assert "zzz" not in said


@pytest.mark.nightly
def test_few_records_inside_and_missing_classes_are_noted(release: Path) -> None:
    """These are not errors."""
    lost = [("30", "?", "", "no")] * 60
    (absent, few) = judge(release, [("30", "F", "", "no"), *lost]).notes
    assert absent == "No held-out record has the class yes."
    assert few.startswith("Most held-out records are outside the domains")
    assert judge(release, people(100, 2)).notes == ()


def test_a_release_that_lacks_a_class_says_so(tmp_path: Path) -> None:
    """As nothing that learned from it can predict the class."""
    records = [("30", "F", "", "no")] * 200
    request = settings_of(1, "died", ("no", "yes", "never"), 2, "max", "leave-out")
    made = synthesized(
        table(records), request, replace(DECLARED, sets=item_sets(SETS)), SeededMechanisms(1)
    )
    made.write(tmp_path / "out")
    found = judge(tmp_path / "out", [("30", "F", "", "no"), ("31", "M", "", "yes")])
    assert any("no record of the class" in note and "never" in note for note in found.notes)
    assert found.majority_of_release == 0.5


def test_a_release_of_nothing_predicts_the_first_class(tmp_path: Path) -> None:
    """With a tiny budget and no records, there may be no group."""
    request = settings_of("1/1000", "died", ("no", "yes"), 0, "max", "leave-out")
    for seed in range(20):
        made = synthesized(
            table(people(1, 1)),
            request,
            replace(DECLARED, sets=item_sets(SETS)),
            SeededMechanisms(seed),
        )
        if not made.facts.records:
            break
    assert not made.facts.records
    made.write(tmp_path / "out")
    found = judge(tmp_path / "out", people(30, 2), classifiers=(ByHeart(),))
    assert found.notes[0] == "The release has no records, so no classifier can learn from it."
    assert found.accuracy["by heart"] == found.majority_of_release
    assert found.kept.one_way == 1
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_file_of_the_same_name_is_asked_about(release: Path, tmp_path: Path) -> None:
    """Records that were in the release make it look too good."""
    source = json.loads((release / "certificate.json").read_text(encoding="utf-8"))["source"]
    path = write_csv(tmp_path / source, COLUMNS, people(50, 2))
    found = rs.evaluate(release, held_out=path, sets=SETS, classifiers="tree")
    assert any("the same name as the table" in note for note in found.to_dict()["notes"])


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            {"sets": {}},
            "set 'codes': the release has this set, but you did not say which columns",
        ),
        (
            {"sets": {**SETS, "drugs": {"column": "sex", "delimiter": "|"}}},
            "set 'drugs': the release has no such set; its sets are codes",
        ),
        ({"runs": 3}, "runs: this setting is for trial runs"),
        ({"epsilon": 1}, "epsilon: this setting is for trial runs"),
        ({"ranges": {"age": "1..2"}}, "ranges: this setting is for trial runs"),
        ({"seed": -1}, "seed: the seed is -1"),
        (
            {"classifiers": "majority"},
            "classifiers: 'majority' is not known; use tree or boosted",
        ),
        ({"classifiers": ["tree", "tree"]}, "classifiers: the same item is given twice"),
        ({"classifiers": []}, "classifiers: no classifier is named"),
        ({"held_out": {"age": ["30"], "sexx": ["F"], "codes": ["a"], "died": ["no"]}}, "'sex'?"),
        ({"held_out": table([("?", "F", "", "no")] * 3)}, "no held-out record is within"),
        ({"held_out": None}, "is given without records for the evaluation"),
    ],
)
def test_what_does_not_fit_the_release_is_said(
    release: Path, more: dict[str, Any], says: str
) -> None:
    """With what to fix."""
    request: dict[str, Any] = {"held_out": table(people(20, 2)), "sets": SETS, **more}
    says = says if says != "'sex'?" else "column 'sex': the table has no such column"
    with pytest.raises(InputError) as caught:
        rs.evaluate(release, **request)
    assert says in caught.value.message


def test_a_release_of_another_kind_is_refused(tmp_path: Path) -> None:
    """The message names the right commands; a folder without a release is also refused."""
    frame = {"sex": ["F", "M"] * 10, "age": ["30"] * 20}
    rs.anonymize(frame, quasi=["sex", "age"], k=2).write(tmp_path / "anonymous")
    with pytest.raises(InputError, match=r"not differentially private.* compare it with the table"):
        rs.evaluate(tmp_path / "anonymous", held_out=frame)
    with pytest.raises(VerificationError, match="the certificate is missing"):
        rs.evaluate(tmp_path, held_out=frame)
    with pytest.raises(InputError, match="the folder of the release to evaluate is not given"):
        rs.evaluate(frame, held_out=frame)
