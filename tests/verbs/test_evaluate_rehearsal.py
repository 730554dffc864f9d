"""A request rehearsed: the parts, the figures and their intervals, and how it stops."""

from __future__ import annotations

import csv
import json
import os
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from seeded_mechanisms import SeededMechanisms

import roadstead as rs
from roadstead.cohort.generate import generate
from roadstead.differential.comparators import can_be_tabulated, finest_cuts
from roadstead.differential.domains import Domain
from roadstead.differential.evaluation.classifiers import Majority, Prediction
from roadstead.differential.evaluation.features import Examples, Matrix
from roadstead.errors import InputError, MissingExtraError
from roadstead.hierarchies.taxonomy import from_branches
from roadstead.jobs import SILENT, Observer
from roadstead.reports.evaluation.facts import RehearsalFacts
from roadstead.tables.source import Source
from roadstead.verbs.evaluate.rehearsal import EvaluationProgress, rehearsed
from roadstead.verbs.evaluate.result import EvaluationFinding
from roadstead.verbs.evaluate.settings import (
    RehearsalSettings,
    classifiers_of,
    comparators_of,
    releases_of,
    share_of,
)
from roadstead.verbs.synthesize.domains import Declarations, numeric_domain, set_domain_of
from roadstead.verbs.synthesize.sets import item_sets
from roadstead_reproductions.mohammed2013.adult_domains import CLASSES, COLUMNS, GROUPS, RANGES

DECLARED = Declarations(
    ranges={"age": "20..59"},
    values={"sex": ("F", "M"), "codes": ("a", "b", "c", "d", "e")},
)
SETS = item_sets({"codes": {"column": "codes", "delimiter": "|"}})

Record = tuple[str, str, str, str]


def people(records: int, seed: int = 1) -> list[Record]:
    """Make up people of whom the old and those with the code "a" mostly die."""
    chance = random.Random(seed)  # noqa: S311 - made-up patients keep no secret
    made = []
    for _ in range(records):
        age, codes = chance.randint(20, 59), sorted(chance.sample("abcde", chance.randint(0, 3)))
        dies = (age > 40 or "a" in codes) != (chance.random() < 0.1)
        made.append((str(age), chance.choice("FM"), "|".join(codes), "yes" if dies else "no"))
    return made


@cache
def source_of(records: tuple[Record, ...]) -> Source:
    """Open records, once for all rehearsals."""
    names = ("age", "sex", "codes", "died")
    return rs.read({name: [one[at] for one in records] for at, name in enumerate(names)})


def rehearse(
    records: Sequence[Record],
    observer: Observer = SILENT,
    **more: Any,  # noqa: ANN401 - as asked
) -> RehearsalFacts:
    """Rehearse with noise that repeats itself."""
    asked = RehearsalSettings(
        releases=releases_of(
            more.pop("epsilon", 1),
            "died",
            more.pop("classes", ("no", "yes")),
            more.pop("specializations", 4),
            "max-gain",
            "leave-out",
        ),
        classifiers=more.pop("classifiers", (Majority(),)),
        comparators=more.pop("comparators", ()),
        runs=more.pop("runs", 2),
        share=share_of(more.pop("share", "1/3")),
        k=more.pop("k", 5),
        bands=more.pop("bands", 2),
        seed=more.pop("seed", 0),
    )
    mechanisms = SeededMechanisms(more.pop("noise", 3))
    sets = more.pop("sets", SETS)
    assert not more
    return rehearsed(
        source_of(tuple(records)), asked, replace(DECLARED, sets=sets), mechanisms, observer
    )


def test_a_request_is_judged_beside_all_it_is_compared_with() -> None:
    """Each method learns what can be learned; unchanged records are best."""
    found = rehearse(
        people(1500),
        epsilon="0.5,20",
        classifiers=classifiers_of("tree"),
        comparators=comparators_of("top-down,contingency"),
    )
    assert [way.name for way in found.ways] == [
        "synthesize, epsilon = 0.5, h = 4",
        "synthesize, epsilon = 20, h = 4",
        "contingency table, epsilon = 0.5",
        "contingency table, epsilon = 20",
        "top-down, k = 5, not private",
    ]
    best, lowest = found.baseline("tree").mean, found.lower_bound.mean
    assert best > 0.85
    assert lowest < 0.75
    assert found.accuracy(found.ways[1], "tree").mean > lowest + 0.1
    assert found.accuracy(found.ways[4], "tree").mean > lowest + 0.1
    first, other = (found.of(way, lambda one: one.one_way).mean for way in found.ways[:2])
    assert other < first


def test_sizes_are_those_of_the_parts() -> None:
    """Whole records; those without a place are in neither."""
    found = rehearse([*people(100), ("", "F", "a", "no")], share=Fraction(1, 4), runs=3)
    assert [(run.train, run.test) for run in found.runs] == [(75, 25)] * 3
    document = found.to_dict()
    assert (document["records"], document["left_out"]) == (101, 1)
    assert (document["train"], document["test"]) == (75, 25)


class Witness:
    """Predicts class 0, and writes down how many records it learned from and predicted."""

    name = "witness"

    def __init__(self) -> None:
        self.learned: list[int] = []
        self.predicted: list[int] = []

    def learn(self, examples: Examples, seed: int) -> Prediction:  # noqa: ARG002 - no chance
        """Write down the size."""
        self.learned.append(examples.records)

        def predict(matrix: Matrix) -> NDArray[np.int32]:
            self.predicted.append(matrix.shape[0])
            return np.zeros(matrix.shape[0], dtype=np.int32)

        return predict


def test_what_is_released_is_learned_and_what_is_held_out_is_predicted() -> None:
    """Of 30 people, 20 are for learning and 10 for prediction; identical people are one row."""
    records = [(str(20 + at), "F", "", "no") for at in range(30)]
    witness = Witness()
    rehearse(records, epsilon=10**6, classifiers=(witness,), comparators=("top-down",), runs=3)
    assert witness.learned == [20] * 9
    assert witness.predicted[::3] == [10] * 3
    assert all(0 < rows <= 10 for rows in witness.predicted)


def test_the_lower_bound_is_the_majority_of_the_records_held_out() -> None:
    """Over very many runs its mean is that of the table, within four standard errors."""
    records = people(300)
    share = max(sum(one[-1] == label for one in records) for label in ("no", "yes")) / 300
    found = rehearse(records, runs=100, specializations=0)
    # Of 100 held out of 300, hypergeometric.
    error = (share * (1 - share) / 100 * 200 / 299 / 100) ** 0.5
    assert abs(found.lower_bound.mean - share) < 4 * error
    assert len({run.lower_bound for run in found.runs}) > 10


def test_means_and_intervals_are_worked_out_over_the_runs() -> None:
    """Two runs: Student's t with one degree of freedom is 12.7062, so 6.3531 times the gap."""
    found = rehearse(people(400), classifiers=classifiers_of("tree"), seed=4)
    (way,) = found.ways
    document = found.to_dict()
    runs = document["by_run"]
    ca = [run["ways"][0]["accuracy"]["tree"] for run in runs]
    ba = [run["baseline"]["tree"] for run in runs]
    la = [run["lower_bound"] for run in runs]
    accuracy = document["ways"][0]["accuracy"]["tree"]
    for values, told in (
        (ca, accuracy["ca"]),
        ([b - c for b, c in zip(ba, ca, strict=True)], accuracy["ba_minus_ca"]),
        ([c - a for c, a in zip(ca, la, strict=True)], accuracy["ca_minus_la"]),
        (la, document["lower_bound"]),
        (ba, document["baseline"]["tree"]),
    ):
        assert told["mean"] == pytest.approx(fmean(values))
        assert told["margin"] == pytest.approx(6.3531 * abs(values[0] - values[1]), rel=1e-4)
        assert told["high"] == pytest.approx(told["mean"] + told["margin"])
    assert ca[0] != ca[1]
    assert found.cost(way, "tree").mean + found.gain(way, "tree").mean == pytest.approx(
        fmean(ba) - fmean(la)
    )


def test_the_same_seed_parts_alike_and_the_noise_has_none_of_it() -> None:
    """LA, BA and top-down specialization repeat themselves; what is noisy does not."""
    more: dict[str, Any] = {"classifiers": classifiers_of("tree"), "comparators": ("top-down",)}
    one, same, other = (
        rehearse(people(400), seed=seed, noise=noise, epsilon=1, **more).to_dict()
        for seed, noise in ((5, 1), (5, 2), (6, 1))
    )
    assert one["lower_bound"] == same["lower_bound"] != other["lower_bound"]
    assert one["baseline"] == same["baseline"]
    for key in ("accuracy", "groups", "one_way"):
        assert one["ways"][1][key] == same["ways"][1][key]
    assert one["ways"][0]["one_way"] != same["ways"][0]["one_way"]


def test_without_noise_the_marginals_of_what_was_released_are_kept() -> None:
    """Distances are to the records to learn from, not to those held out."""
    found = rehearse(people(300), epsilon=10**6, comparators=("top-down",), k=1)
    for way in found.ways:
        assert found.of(way, lambda one: one.one_way).mean == 0
        assert found.of(way, lambda one: one.two_way).mean == 0
        assert found.of(way, lambda one: one.records).mean == 200
        assert found.of(way, lambda one: one.groups).mean > 1


def test_each_budget_is_tried_with_each_number_of_specializations() -> None:
    """As lists or as texts; auto is one of them."""
    found = rehearse(people(200), epsilon=["1/2", 2], specializations="0, 2,auto", runs=1)
    asked = [(way.epsilon, way.specializations) for way in found.ways]
    assert asked == [(e, h) for e in (Fraction(1, 2), Fraction(2)) for h in (0, 2, None)]
    assert found.of(found.ways[4], lambda one: one.specializations).mean == 2
    settings = found.to_dict()["settings"]
    assert settings["epsilon"] == ["1/2", "2"]
    assert settings["specializations"] == [0, 2, "auto"]


def test_one_run_has_no_interval() -> None:
    """And says so."""
    found = rehearse(people(100), runs=1)
    assert found.lower_bound.margin is None
    assert found.notes == (
        "With a single run, the spread cannot be estimated, so there is no interval.",
    )
    document = found.to_dict()
    assert document["lower_bound"]["low"] is None
    json.dumps(document, allow_nan=False)
    assert "±" not in str(EvaluationFinding(found))


def test_a_class_that_nobody_learned_from_has_is_noted() -> None:
    """One dies of thirty, and is held out in some runs."""
    records = [("30", "F", "", "no")] * 29 + [("50", "M", "a", "yes")]
    found = rehearse(records, runs=12, classes=("no", "yes", "never"))
    (note,) = found.notes
    assert note.startswith("In 12 runs, no training record had the class yes and never")
    assert any("yes" not in run.absent for run in found.runs)
    assert all("never" in run.absent for run in found.runs)


def test_the_runs_so_far_are_kept_when_somebody_stops() -> None:
    """The request to stop comes after the second run; each step is reported."""
    told: list[EvaluationProgress] = []

    def stopped() -> bool:
        return bool(told) and told[-1].run == 2

    found = rehearse(people(100), Observer(told.append, stopped), runs=7)
    assert len(found.runs) == 2
    assert len(found.runs) < found.planned
    document = found.to_dict()
    assert (document["runs"], document["runs_asked"]) == (2, 7)
    assert found.notes == (
        "The evaluation stopped after 2 runs of 7. The figures are for the finished runs.",
    )
    assert [(one.run, one.runs) for one in told] == sorted((one.run, 7) for one in told)
    assert {one.step for one in told} == {
        "majority learns from the original records",
        "synthesize, epsilon = 1, h = 4",
        "majority learns from synthesize, epsilon = 1, h = 4",
    }


def test_words_begin_and_end_with_the_warning() -> None:
    """All methods and the classifier are listed between the warnings."""
    finding = EvaluationFinding(rehearse(people(200), comparators=("top-down", "contingency")))
    said = str(finding)
    assert said.startswith("NOT PRIVATE: ")
    assert said.splitlines()[-1].startswith("Not private: do not publish")
    for word in ("Accuracy of majority", "(BA)", "(LA)", "top-down, k = 5, not private", "± is"):
        assert word in said
    assert finding.to_dict()["private"] is False
    frame = finding.to_pandas()
    assert {"LA", "BA", "CA", "one_way", "seconds"}.issubset(frame["figure"])
    assert set(frame["run"]) == {1, 2}


def _domains(items: int, values: int) -> tuple[Domain, ...]:
    leaves = tuple(f"v{at}" for at in range(items))
    declared = Declarations(values={"set": leaves})
    return (numeric_domain("number", (0, values)), set_domain_of("set", None, declared)[0])


@unhurried
@given(st.integers(1, 70), st.integers(2, 66), st.integers(1, 99), st.integers(2, 9))
def test_what_can_be_tabulated_is_what_the_table_takes(
    bands: int, items: int, values: int, classes: int
) -> None:
    """The check beforehand and the table itself agree."""
    domains = _domains(items, values)
    cells = classes * min(bands, values + 1) * 2**items
    assert can_be_tabulated(finest_cuts(domains, bands), classes) == (cells <= 2**62)


def test_a_contingency_table_with_too_many_cells_is_left_out() -> None:
    """ICD-10 has more sets of codes than there are numbers; the rest is done."""
    declared = Declarations(ranges={"age": "20..59"}, taxonomies={"codes": "icd10"})
    asked = RehearsalSettings(
        releases_of(1, "died", ("no", "yes"), 2, "max", "leave-out"),
        (Majority(),),
        ("top-down", "contingency"),
        2,
        Fraction(1, 3),
        5,
        2,
        0,
    )
    found = rehearsed(
        source_of(tuple(people(60))), asked, replace(declared, sets=SETS), SeededMechanisms(1)
    )
    assert [way.method for way in found.ways] == ["diffgen", "top-down"]
    assert found.notes[0].startswith("The contingency table was left out")


GOOD: dict[str, Any] = {
    "epsilon": 1,
    "target": "died",
    "classes": ["no", "yes"],
    "ranges": {"age": "20..59"},
    "values": {"sex": ["F", "M"]},
}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            {"runs": 0},
            "runs: 0 is not a valid number of runs; give a whole number from 1 to 1,000",
        ),
        ({"runs": True}, "runs"),
        ({"held_out_share": 0}, "held_out_share: '0' is not a share"),
        ({"held_out_share": 1}, "held_out_share: '1' is not a share"),
        ({"held_out_share": "1/0"}, "held_out_share: '1/0' is not a share"),
        ({"held_out_share": "-1/3"}, "held_out_share"),
        (
            {"held_out_share": 0.001},
            "contain 60 records, and with this share, there would be no test",
        ),
        ({"held_out_share": 0.999}, "would be no training record"),
        ({"ranges": {"age": "20..59"}, "classes": ["x", "y"]}, "contain 0 records"),
        ({"k": 0}, "k: 0 is not a valid number of records"),
        ({"k": 41}, "k: 40 training records are too few for a group of 41"),
        ({"bands": 0}, "bands"),
        ({"epsilon": "1,0"}, "epsilon: epsilon is 0"),
        ({"epsilon": "1, 1.0"}, "given twice"),
        ({"epsilon": ","}, "epsilon: nothing is given"),
        ({"epsilon": None}, "epsilon: no epsilon is given"),
        ({"specializations": "2,many"}, "specializations"),
        ({"comparators": "bottom-up"}, "comparators: 'bottom-up' is not known"),
        ({"classifiers": "forest"}, "classifiers: 'forest' is not known"),
        ({"target": None}, "target"),
        ({"quasi": ["agee"]}, "did you mean 'age'?"),
        ({"outside": "stop", "classes": ["no", "maybe"]}, "is outside the declared domain"),
    ],
)
def test_a_request_that_cannot_be_rehearsed_says_what_to_mend(
    more: dict[str, Any], says: str
) -> None:
    """Before anything is made."""
    with pytest.raises(InputError) as caught:
        rs.evaluate(source_of(tuple(people(60))), **{**GOOD, **more})
    assert says in caught.value.message


@pytest.mark.parametrize("library", ["sklearn", "opendp"])
def test_a_library_that_is_missing_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With how to get it."""
    for module in ("evaluate.settings", "synthesize.synthesis"):
        monkeypatch.setattr(
            f"roadstead.verbs.{module}.find_spec", lambda name: None if name == library else True
        )
    with pytest.raises(MissingExtraError, match=r"roadstead\[dp\]"):
        rs.evaluate(source_of(tuple(people(60))), **GOOD)


@pytest.mark.nightly
def test_the_verb_rehearses_on_the_cohort_with_real_noise() -> None:
    """The diagnosis predicts sex a little; no release is better than chance allows."""
    found = rs.evaluate(
        generate(3000, 5),
        epsilon=5,
        target="sex",
        classes=["female", "male"],
        ranges={"length_of_stay": "1..365"},
        taxonomies={"diagnosis": "icd10"},
        runs=2,
    )
    document = found.to_dict()
    assert [one["method"] for one in document["ways"]] == ["diffgen", "contingency", "top-down"]
    for one in document["ways"]:
        low, ca = document["lower_bound"]["mean"], one["accuracy"]["tree"]["ca"]["mean"]
        assert low - 0.1 < ca < document["baseline"]["tree"]["mean"] + 0.05
    assert document["ways"][2]["differentially_private"] is False


@pytest.mark.nightly
@pytest.mark.skipif("ROADSTEAD_DATA" not in os.environ, reason="needs ROADSTEAD_DATA")
def test_figures_of_adult_are_near_those_published(tmp_path: Path) -> None:
    """BA 85.3%, LA 75.5%; Max with ten specializations 82.2% of paper 002, by real noise."""
    with (Path(os.environ["ROADSTEAD_DATA"]) / "adult_uci" / "adult.data").open() as file:
        read = list(csv.reader(file, skipinitialspace=True))
    rows = [row for row in read if len(row) == len(COLUMNS) and "?" not in row]
    path = tmp_path / "adult.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    found = rs.evaluate(
        path,
        epsilon=1,
        target="income",
        classes=CLASSES,
        ranges=RANGES,
        taxonomies={
            name: from_branches(name, "*", tree, origin="Adult") for name, tree in GROUPS.items()
        },
        specializations=10,
        score="max",
        runs=2,
    ).to_dict()
    assert found["train"] + found["test"] == 30_162
    assert found["baseline"]["tree"]["mean"] == pytest.approx(0.853, abs=0.01)
    assert found["lower_bound"]["mean"] == pytest.approx(0.751, abs=0.01)
    ours = found["ways"][0]
    assert ours["accuracy"]["tree"]["ca"]["mean"] == pytest.approx(0.825, abs=0.025)
    assert ours["one_way"]["mean"] < 0.03
