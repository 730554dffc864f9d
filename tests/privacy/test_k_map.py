"""k-map compared with counts of people, estimated k-map with counts of records; and requests."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import definition
import numpy as np
import pytest
from commands import run
from effort import examples, sparing, unhurried
from hypothesis import given, note
from hypothesis import strategies as st
from lattices import Admits, Case, cases, chains
from measures import MEASURES, problem
from peopled import Peopled, peopled
from promises import promise_in
from small_tables import read_csv, write_csv
from toy_models import histograms

from roadstead.errors import PolicyError, SettingError
from roadstead.policies.classes import classes_at, keep
from roadstead.policies.full_domain import Levels
from roadstead.privacy.combination import bind_all, needs_population
from roadstead.privacy.models.estimated_k_map import EstimatedKMap
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.k_map import KMap
from roadstead.privacy.protocol import PrivacyModel
from roadstead.privacy.settings import model_from
from roadstead.release.documents import json_text
from roadstead.risk.minimal_size import Estimator, minimal_size
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control, Outcome
from roadstead.search.registry import LevelSearch
from roadstead.verbs.settings import k_alongside, smallest_class
from roadstead_reproductions.searches.best_first import best_first
from roadstead_reproductions.searches.flash import flash
from roadstead_reproductions.searches.lattice_based import lattice_based
from roadstead_reproductions.searches.minimal import incognito, ola

PROVING: tuple[LevelSearch, ...] = (
    Exact(),
    best_first(),
    flash(),
    lattice_based(),
    ola(),
    incognito(),
)


def estimates() -> st.SearchStrategy[EstimatedKMap]:
    """Any of the three methods, with smallest classes from 1 to 12."""
    return st.builds(
        EstimatedKMap,
        k=st.integers(2, 12),
        fraction=st.sampled_from([0.05, 0.1, 0.3, 0.6, 1.0]),
        estimator=st.sampled_from(["d2", "d3", "d4"]),
        significance=st.sampled_from([0.01, 0.1]),
    )


def with_people(town: Peopled, k: int) -> Admits:
    """Say in plain Python which classes have records, and k people."""
    return lambda rows: town.records_of(rows) > 0 and town.people_of(rows) >= k


def with_records(case: Case, model: EstimatedKMap) -> Admits:
    """Say in plain Python which classes have the records that the method requires."""
    least = minimal_size(model.k, model.fraction, model.estimator, model.significance)
    return lambda rows: sum(case.counts[row] for row in rows) >= least


@unhurried
@given(peopled(), st.integers(2, 40), st.data())
def test_a_class_is_released_if_it_has_k_people(town: Peopled, k: int, data: st.DataObject) -> None:
    """Those who are not in the table count; records alone do not."""
    levels, _, _ = data.draw(chains(town.case))
    classes = classes_at(town.encoding, levels)
    found = KMap(k).bind(town.table).satisfied(classes)
    rows: list[list[int]] = [[] for _ in range(classes.sizes.size)]
    for row, number in zip(classes.rows.tolist(), classes.ids.tolist(), strict=True):
        rows[number].append(row)
    assert found.tolist() == [with_people(town, k)(own) for own in rows]


@unhurried
@given(cases(), estimates(), st.data())
def test_a_class_is_released_if_it_has_the_records_of_a_class_of_k_people(
    case: Case, model: EstimatedKMap, data: st.DataObject
) -> None:
    """The method's number of records is never more than k."""
    levels, _, _ = data.draw(chains(case))
    classes = classes_at(case.encoding(), levels)
    least = minimal_size(model.k, model.fraction, model.estimator, model.significance)
    assert model.satisfied(classes).tolist() == [n >= least for n in classes.sizes.tolist()]
    assert (model.satisfied(classes) | ~KAnonymity(model.k).satisfied(classes)).all()


@unhurried
@given(peopled(), st.integers(2, 40), estimates(), st.data())
def test_both_are_monotone(
    town: Peopled, k: int, estimate: EstimatedKMap, data: st.DataObject
) -> None:
    """A row that is released is released under every more general policy."""
    specific, _, general = data.draw(chains(town.case))
    fine, coarse = (classes_at(town.encoding, levels) for levels in (specific, general))
    for model in (KMap(k).bind(town.table), estimate.bind(town.table)):
        assert model.monotone_part is model
        assert model.merges
        assert model.per_class
        below = set(keep(fine, model.satisfied(fine))[0].rows.tolist())
        assert below <= set(keep(coarse, model.satisfied(coarse))[0].rows.tolist())


@unhurried
@given(peopled(), st.integers(2, 20), st.data())
def test_k_anonymity_is_more_than_k_map(town: Peopled, k: int, data: st.DataObject) -> None:
    """There are no fewer people than records."""
    levels, _, _ = data.draw(chains(town.case))
    classes = classes_at(town.encoding, levels)
    mapped = KMap(k).bind(town.table).satisfied(classes)
    assert (mapped | ~KAnonymity(k).satisfied(classes)).all()


def check(
    search: LevelSearch, outcome: Outcome[Levels], expected: definition.Judged | None
) -> None:
    """The same policy, records and loss; or a heuristic's word that it proves nothing."""
    if not outcome.proven:
        assert search.name in {"ola", "incognito"}
        return
    if expected is None:
        assert outcome.best is None
        return
    assert outcome.best is not None
    assert outcome.best.policy == expected.levels
    assert outcome.best.suppressed == expected.suppressed
    assert outcome.best.loss == pytest.approx(expected.loss, rel=0, abs=1e-12)


def check_all(given_: FullDomainProblem, case: Case, admits: Admits) -> None:
    """Every search finds the optimum of the problem, or says beforehand why it cannot."""
    expected = definition.best(case, admits)
    for search in PROVING:
        if search.refusal(given_) is not None:
            assert search.name in {"ola", "incognito"}
        else:
            note(search.name)
            check(search, search.run(given_, Control()), expected)


@examples(25)
@given(peopled(), st.integers(2, 40), st.sampled_from(["alone", "alongside k-anonymity"]))
def test_the_optimum_under_k_map_is_that_of_enumeration(town: Peopled, k: int, how: str) -> None:
    """By every search; alone, and with k-anonymity."""
    models: list[PrivacyModel] = [KMap(k), *([KAnonymity(town.case.k)] if how != "alone" else [])]
    given_ = town.case.problem(bind_all(models, town.table))
    large, peopled_ = definition.large_enough(town.case), with_people(town, k)

    def admits(rows: Sequence[int]) -> bool:
        return peopled_(rows) and (how == "alone" or large(rows))

    check_all(given_, town.case, admits)


@sparing
@given(cases(), estimates())
def test_the_optimum_under_estimated_k_map_is_that_of_enumeration(
    case: Case, model: EstimatedKMap
) -> None:
    """By every search: classes below k' are lost, and no others."""
    check_all(case.problem(model), case, with_records(case, model))


@pytest.mark.parametrize("measure", ["discernibility", "classification", "divergence"])
@examples(15)
@given(cases(most_attributes=3), estimates(), st.data())
def test_measures_of_classes_count_those_below_as_suppressed(
    measure: str, case: Case, model: EstimatedKMap, data: st.DataObject
) -> None:
    """Discernibility: squares of what is released, and all records for each that is not."""
    histogram = data.draw(histograms(case))
    outcome = Exact().run(problem(case, measure, histogram, model), Control())
    admits = with_records(case, model)
    judged = [definition.judge(case, levels, admits) for levels in definition.policies(case)]
    losses = [
        MEASURES[measure].loss(case, one, histogram)
        for one in judged
        if one.suppressed <= case.limit
    ]
    assert (outcome.best is None) == (not losses)
    if outcome.best is not None:
        assert outcome.best.loss == pytest.approx(min(losses), rel=0, abs=1e-9)


def test_they_say_what_they_are() -> None:
    """To people and to the certificate; the prosecutor's risk is bounded by k' or not at all."""
    mapped, estimated = KMap(5), EstimatedKMap(5, 0.1)
    assert (mapped.name, mapped.threshold, mapped.columns) == ("5-map", 1.0, ())
    assert "at most 1/5" in mapped.promise
    assert (
        "does not limit the risk from an attacker who knows that a person is in the table"
        in mapped.promise
    )
    assert estimated.name == "estimated 5-map (d4 at 0.1, fraction 0.1: groups of 3 or more)"
    assert estimated.threshold == 1 / 3
    assert "at most 1/3" in estimated.promise
    assert "fewer than 5 people with at least one record" in estimated.promise
    assert "at most 1/5" in estimated.promise
    d2 = EstimatedKMap(5, 0.1, "d2")
    assert d2.name == "estimated 5-map (d2, fraction 0.1: groups of 2 or more)"
    assert "estimated probability of at most 1/5 (d2)" in d2.promise
    d3 = EstimatedKMap(20, 0.3, "d3", 0.05)
    assert "with at least one record" not in d3.promise
    assert "at most 0.05 (d3)" in d3.promise
    for estimator in (estimated, d2, d3):
        assert (
            "This does not limit how many of the released groups have fewer than"
            in estimator.promise
        )
    certain = EstimatedKMap(5, 0.9)
    assert "does not limit how many" not in certain.promise
    assert certain.threshold == 1 / 5
    assert "At least 5 people in the population share these" in certain.promise
    assert "0.9" not in certain.promise
    assert needs_population([mapped])
    assert not needs_population([estimated])


@pytest.mark.parametrize(
    "model",
    [KMap(7), EstimatedKMap(5, 0.1), EstimatedKMap(20, 1 / 3, "d2"), EstimatedKMap(9, 1, "d3")],
)
def test_settings_come_back_from_a_file_as_the_same_model(model: KMap | EstimatedKMap) -> None:
    """Through JSON."""
    again = model_from(json.loads(json.dumps(model.settings())), where="here")
    assert again == model
    assert (again.name, again.promise) == (model.name, model.promise)


def test_a_policy_says_which_classes_are_released_and_must_say_it_truly() -> None:
    """The settings show the smallest class; users cannot choose it."""
    stated = EstimatedKMap(5, 0.1).settings()
    assert stated == {
        "kind": "estimated-k-map",
        "k": 5,
        "fraction": 0.1,
        "estimator": "d4",
        "significance": 0.1,
        "smallest": 3,
    }
    with pytest.raises(
        PolicyError, match="the parameter smallest is 2, but the other parameters give 3"
    ):
        model_from({**stated, "smallest": 2}, where="here")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"kind": "k-map", "k": 1}, "k-map: k is 1, but must be at least 2"),
        ({"kind": "k-map"}, "parameter 'k' of k-map"),
        ({"kind": "k-map", "k": 5, "fraction": 0.1}, "k-map has no parameter 'fraction'"),
        ({"kind": "estimated-k-map", "k": 5}, "parameter 'fraction'"),
        ({"kind": "estimated-k-map", "k": 1, "fraction": 0.1}, "k is 1"),
        ({"kind": "estimated-k-map", "k": 5, "fraction": 10}, "the sampling fraction is 10"),
        (
            {"kind": "estimated-k-map", "k": 5, "fraction": 0.1, "significance": 0.95},
            "the significance is 0.95",
        ),
        (
            {"kind": "estimated-k-map", "k": 5, "fraction": 0.1, "estimator": "d1"},
            "parameter 'estimator'",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(asked: dict[str, Any], said: str) -> None:
    """Naming the model and the value."""
    with pytest.raises(PolicyError, match=said):
        model_from(asked, where="here")


@unhurried
@given(peopled())
def test_without_a_population_people_cannot_be_counted(town: Peopled) -> None:
    """The message says what can be done."""
    table = replace(town.table, population=None)
    with pytest.raises(SettingError, match=r"population=FILE, or use estimated-k-map"):
        KMap(5).bind(table)
    assert np.array_equal(KMap(5).bind(town.table).population, town.people)


@pytest.mark.parametrize(
    ("k", "models", "alongside", "smallest"),
    [
        (None, [], 5, 1),
        (None, [KMap(9)], None, 1),
        (3, [KMap(9)], 3, 1),
        (None, [EstimatedKMap(9, 0.1)], None, 4),
        (2, [EstimatedKMap(9, 0.1), KAnonymity(6)], 2, 6),
    ],
)
def test_k_anonymity_is_beside_them_only_if_it_is_asked_for(
    k: int | None, models: list[PrivacyModel], alongside: int | None, smallest: int
) -> None:
    """It would leave nothing of them."""
    assert k_alongside(k, models) == alongside
    assert smallest_class(models) == smallest


HEADER = ("age", "sex", "note")
QUASI = ("--quasi", "age,sex", "--unchanged", "note")


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sixty people, of whom nineteen are patients; five of these are like no other patient."""
    monkeypatch.chdir(tmp_path)
    alone = [(str(age), "f") for age in (21, 22, 23, 24, 25)]
    others = [("30", "m")] * 4 + [("31", "m")] * 3 + [("32", "f")] * 7
    patients = [(*row, f"n{i % 3}") for i, row in enumerate(alone + others)]
    write_csv(tmp_path / "patients.csv", HEADER, patients)
    people = [*(row for row in alone for _ in range(6)), *others, *[("30", "m")] * 16]
    write_csv(tmp_path / "people.csv", HEADER[:2], people)
    return tmp_path


def anonymize(*options: str) -> dict[str, Any]:
    """Write a release, verify it, and return its JSON."""
    ran = run("anonymize", "patients.csv", *QUASI, *options, "--out", "release", "--json")
    assert ran.code == 0, ran.err
    assert run("verify", "release").code == 0
    return ran.json


def classes(file: str = "release/patients.csv") -> Counter[tuple[str, ...]]:
    """Count records by what they show."""
    return Counter(row[:2] for row in read_csv(Path(file))[1:])


def test_k_map_releases_records_that_are_alone_among_many_people(town: Path) -> None:
    """All records are unchanged except three, which match three people; k-anonymity would fail."""
    peopled_ = ("--population", "people.csv", "--suppression", "0.2")
    told = anonymize("--privacy", "k-map:k=5", *peopled_, "--max-level", "age=0")
    assert told["models"] == ["5-map"]
    assert told["policy"]["privacy"] == [{"kind": "k-map", "k": 5}]
    assert told["levels"] == {"age": 0, "sex": 0}
    assert told["suppressed"] == 3
    found = classes()
    assert [found[str(age), "f"] for age in (21, 22, 23, 24, 25)] == [1] * 5
    certificate = json.loads((town / "release/certificate.json").read_text("utf-8"))
    # In the order of the classes' labels, the dropped three left out.
    assert certificate["population"] == [6, 6, 6, 6, 6, 20, 7]
    assert certificate["counts"]["dropped"] == 3
    assert told["risk"]["maximum"] == 1.0
    report = (town / "release/report.html").read_text("utf-8")
    assert "smallest number of people in the population who belong to a group" in report
    assert "Privacy requirements in detail" in report
    assert "Further privacy requirements" not in report
    strict = anonymize("--privacy", "k-map:k=5", *peopled_, "--k", "2", "--force")
    assert strict["models"] == ["2-anonymity", "5-map"]
    assert min(classes().values()) >= 2


def test_estimated_k_map_releases_classes_below_k(town: Path) -> None:
    """In a sample of a tenth of the population, three records are enough for five people."""
    model = ("--privacy", "estimated-k-map:k=5,fraction=0.1")
    told = anonymize(*model, "--suppression", "0.3", "--max-level", "age=0", "--max-level", "sex=0")
    assert told["models"] == ["estimated 5-map (d4 at 0.1, fraction 0.1: groups of 3 or more)"]
    assert sorted(classes().values()) == [3, 4, 5, 7]
    assert told["risk"]["maximum"] == pytest.approx(1 / 3)
    certificate = json.loads((town / "release/certificate.json").read_text("utf-8"))
    assert "population" not in certificate
    assert "1/3" in promise_in(town / "release")


def edited(change: Callable[[dict[str, Any]], None]) -> list[str]:
    """Change the certificate and return the checks that fail."""
    path = Path("release/certificate.json")
    document = json.loads(path.read_text("utf-8"))
    change(document)
    path.write_text(json_text(document), "utf-8")
    ran = run("verify", "release", "--json")
    assert ran.code == 1
    return [check["check"] for check in ran.json["checks"] if not check["passed"]]


@pytest.mark.usefixtures("town")
def test_people_who_were_taken_out_of_a_certificate_are_missed() -> None:
    """A class of four fails."""
    options = ("--population", "people.csv", "--suppression", "0.2", "--max-level", "age=0")
    anonymize("--privacy", "k-map:k=5", *options)
    assert edited(lambda one: one.update(population=[6, 6, 4, 6, 6, 20, 7])) == ["5-map"]
    assert edited(lambda one: one.pop("population")) == ["5-map"]


@pytest.mark.quick(1)
@pytest.mark.usefixtures("town")
@pytest.mark.parametrize("estimator", ["d2", "d3", "d4"])
def test_partitions_are_searched_for_the_smallest_class(estimator: Estimator) -> None:
    """k-Optimize knows sizes alone, and this is one."""
    model = f"estimated-k-map:k=5,fraction=0.2,estimator={estimator}"
    options = ("--quality", "discernibility", "--search", "k-optimize", "--suppression", "0")
    told = anonymize("--privacy", model, *options)
    assert told["optimal"]
    least = minimal_size(5, 0.2, estimator)
    assert min(classes().values()) >= least
    wider = anonymize(*options, "--k", "5", "--force")
    assert told["loss"] <= wider["loss"]


@pytest.mark.usefixtures("town")
def test_k_anonymity_is_told_apart_from_k_map() -> None:
    """A population is required, and a search by sizes alone is not enough."""
    ran = run("anonymize", "patients.csv", *QUASI, "--privacy", "k-map:k=5")
    assert (ran.code, ran.out) == (2, "")
    assert "--population FILE" in ran.error
    options = ("--population", "people.csv", "--quality", "discernibility")
    mapped = ("--privacy", "k-map:k=5", *options, "--search", "k-optimize")
    ran = run("anonymize", "patients.csv", *QUASI, *mapped)
    assert (ran.code, ran.out) == (2, "")
    assert "not enough for 5-map" in ran.error


@pytest.mark.quick(1)
@pytest.mark.usefixtures("town")
@pytest.mark.parametrize(
    ("model", "size"), [("k-map:k=5", 1), ("estimated-k-map:k=5,fraction=0.1", 3)]
)
def test_bounds_take_no_class_for_larger_than_it_may_be(model: str, size: int) -> None:
    """The mean size of classes is bounded by the smallest that the models let through."""
    options = ("--suppression", "0.3", "--quality", "class-size")
    people = ("--population", "people.csv") if model.startswith("k-map") else ()
    proven = anonymize("--privacy", model, *options, *people)
    assert proven["optimal"]
    assert min(classes().values()) >= size
    other = anonymize("--privacy", model, *options, *people, "--search", "flash", "--force")
    assert other["loss"] == proven["loss"]
