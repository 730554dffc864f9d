"""Every privacy model, quality model, and search by its name on the command line, end to end.

The witness reads the released file with Python's own csv module and computes the definitions.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from math import inf, log, log2
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from commands import run, undrawn, without_charts
from small_tables import Row, read_csv, write_csv

from roadstead.privacy.registry import MADE_FOR_PERSONS, PRIVACY_MODELS
from roadstead.quality.words import QUALITY_MODELS
from roadstead.search.registry import LEVELS

HEADER = ("name", "age", "sex", "zip", "illness", "severity")
ROLES = ("--quasi", "age,sex,zip", "--identifiers", "name", "--sensitive", "illness,severity")
ILLNESSES = ("Qflu", "Qcold", "Qasthma", "Qgout")
RECORDS = 240

Values: TypeAlias = Counter[str]
Holds: TypeAlias = Callable[[Values, Values], bool]


def rows() -> list[Row]:
    """Patients of whom most are like many others."""
    return [
        (
            f"Qname{i}",
            str(20 + 7 * i % 40),
            "fm"[i % 2],
            f"021{30 + i * i % 11}",
            ILLNESSES[(i % 7 + i % 5) % 4],
            str(1 + (i * 3) % 5),
        )
        for i in range(RECORDS)
    ]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a table of patients."""
    undrawn(monkeypatch)
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "patients.csv", HEADER, rows())
    return tmp_path


@dataclass(frozen=True)
class Plain:
    """A release of which nothing is asked but k-anonymity."""

    release: Path
    told: dict[str, Any]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Plain:
    """It is made once."""
    folder = tmp_path_factory.mktemp("plain")
    with pytest.MonkeyPatch.context() as patch:
        undrawn(patch)
        patch.chdir(folder)
        write_csv(folder / "patients.csv", HEADER, rows())
        return Plain(folder / "release", anonymize())


def anonymize(*options: str) -> dict[str, Any]:
    """Write a release and verify it; return its JSON."""
    ran = run("anonymize", "patients.csv", *ROLES, *options, "--out", "release", "--json")
    assert ran.code == 0, ran.err
    assert run("verify", "release").code == 0
    return ran.json


def refused(*options: str) -> str:
    """Run a refused request, with exit code 2 and one line; return the line."""
    ran = run("anonymize", "patients.csv", *ROLES, *options)
    assert (ran.code, ran.out) == (2, "")
    return ran.error


def classes(
    column: str = "illness", release: Path = Path("release")
) -> dict[tuple[str, ...], Values]:
    """Values of a column in each class of a release."""
    header, *released = read_csv(release / "patients.csv")
    quasi = [header.index(name) for name in ("age", "sex", "zip")]
    found: dict[tuple[str, ...], Values] = {}
    for row in released:
        key = tuple(row[i] for i in quasi)
        found.setdefault(key, Counter())[row[header.index(column)]] += 1
    return found


def whole(column: str = "illness") -> Values:
    """Values of a column in the source."""
    header, *records = read_csv(Path("patients.csv"))
    return Counter(row[header.index(column)] for row in records)


def shares(values: Values) -> dict[str, float]:
    """Values as shares."""
    return {value: number / values.total() for value, number in values.items()}


def distance(values: Values, table: Values) -> float:
    """Half the sum of the differences of shares."""
    p, q = shares(values), shares(table)
    return sum(abs(p.get(value, 0.0) - q[value]) for value in q) / 2


def ordered_distance(values: Values, table: Values) -> float:
    """Mean difference of cumulative shares over the steps between numbers in order."""
    p, q = shares(values), shares(table)
    steps = list(accumulate(p.get(v, 0.0) - q[v] for v in sorted(q, key=int)))[:-1]
    return sum(map(abs, steps)) / len(steps)


def entropy(values: Values) -> float:
    """Shannon entropy in nats."""
    return -sum(p * log(p) for p in shares(values).values())


def gain(values: Values, table: Values) -> float:
    """Share nearest to what enhanced likeness with beta = 0.5 allows, as a share of that."""
    p, q = shares(values), shares(table)
    return max(p[v] / (q[v] * (1 + min(0.5, -log(q[v])))) for v in p)


def estimated(values: Values) -> float:
    """Grassberger's estimate of the entropy: a sum of reciprocals in the place of the logarithm."""

    def g(n: int) -> float:
        return sum(2.0 / (2 * k - 1) for k in range(1, n // 2 + 1))  # less one and the same number

    return g(values.total()) - sum(n * g(n) for n in values.values()) / values.total()


def disclosed(values: Values, table: Values) -> float:
    """Largest change of a share, as a logarithm to base 2; infinite where a value is absent."""
    p, q = shares(values), shares(table)
    return max(abs(log2(p[v] / q[v])) if v in p else inf for v in q)


_PRIVACY: list[tuple[str, str, Holds]] = [
    ("distinct-l-diversity:column=illness,l=4", "illness", lambda c, _: len(c) >= 4),
    ("entropy-l-diversity:column=illness,l=3", "illness", lambda c, _: entropy(c) >= log(3) - 1e-9),
    (
        "grassberger-l-diversity:column=illness,l=3.3",
        "illness",
        lambda c, _: len(c) >= 4 and estimated(c) >= log(3.3) - 1e-9,
    ),
    (
        "recursive-cl-diversity:column=illness,c=0.8,l=2",
        "illness",
        lambda c, _: max(c.values()) < 0.8 * (c.total() - max(c.values())),
    ),
    ("t-closeness:column=illness,t=0.2", "illness", lambda c, q: distance(c, q) <= 0.2 + 1e-9),
    (
        "t-closeness:column=severity,t=0.1,distance=ordered",
        "severity",
        lambda c, q: ordered_distance(c, q) <= 0.1 + 1e-9,
    ),
    ("beta-likeness:column=illness,beta=0.5", "illness", lambda c, q: gain(c, q) <= 1 + 1e-9),
    ("delta-disclosure:column=illness,delta=1", "illness", lambda c, q: disclosed(c, q) < 1),
]


@pytest.mark.quick(1)
@pytest.mark.parametrize(("model", "column", "holds"), _PRIVACY)
def test_a_model_of_a_sensitive_column_holds_of_every_class(
    plain: Plain, model: str, column: str, holds: Holds
) -> None:
    """And costs something here: without it, it would not hold."""
    told = anonymize("--privacy", model)
    assert told["verified"] is True
    assert len(told["models"]) == len(told["policy"]["privacy"]) == 2
    assert told["policy"]["privacy"][1]["kind"] == model.partition(":")[0]
    assert all(holds(values, whole(column)) for values in classes(column).values())
    without = classes(column, plain.release)
    assert not all(holds(values, whole(column)) for values in without.values())


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("model", "average", "smallest"),
    [
        ("average-risk:average=0.02", 0.02, 5),
        ("strict-average-risk:average=0.1,maximum=0.05", 0.1, 20),
        ("records-at-risk:maximum=0.05,at_risk=0,average=0.1", 0.1, 20),
    ],
)
def test_a_bound_on_the_mean_risk_holds_of_the_release(
    model: str, average: float, smallest: int
) -> None:
    """The mean of 1/f over the records is classes / records."""
    anonymize("--privacy", model)
    sizes = [values.total() for values in classes().values()]
    assert len(sizes) / sum(sizes) <= average
    assert min(sizes) >= smallest


@pytest.mark.quick(2)
@pytest.mark.parametrize("share", [0.0, 0.01, pytest.param(0.04, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("kind", ["sample", "population"])
def test_few_are_alone_where_uniqueness_is_bounded(kind: str, share: float) -> None:
    """No k-anonymity is added to it; and without the bound more would be alone."""
    model = f"{kind}-uniqueness:maximum={share / 10 if kind == 'population' else share}"
    model += ",people=100000" if kind == "population" else ""
    told = anonymize("--privacy", model)
    assert len(told["models"]) == 1
    assert told["verified"] is True
    sizes = [values.total() for values in classes().values()]
    alone = sizes.count(1) / sum(sizes)
    assert alone == 0.0 or share > 0.0
    if kind == "sample":
        assert alone <= share


def test_no_class_is_so_small_that_an_attack_pays() -> None:
    """A gain of 60 at a cost of 10: the expected gain is below 10 from classes of seven on."""
    told = anonymize("--privacy", "no-attack:gain=60,cost=10")
    assert told["models"] == [
        "no attack pays with a gain of 60 and a cost of 10 (groups of 7 or more)"
    ]
    assert told["verified"] is True
    assert min(values.total() for values in classes().values()) >= 7


def test_all_kinds_of_models_are_tried() -> None:
    """All models except those that --k and --person set, and those that use a population."""
    tried = {model.partition(":")[0] for model, _, _ in _PRIVACY}
    asked_for = {"k-anonymity", *MADE_FOR_PERSONS}
    others = asked_for | {"delta-presence", "average-risk", "strict-average-risk"}
    others |= {"no-attack", "profitability"}
    others |= {"records-at-risk", "sample-uniqueness", "population-uniqueness"}
    of_people = {"population-risk", "k-map", "estimated-k-map", "no-attack-journalist"}
    of_people |= {"profitability-journalist"}
    assert tried | others | of_people == {*PRIVACY_MODELS}


def test_several_models_hold_together() -> None:
    """Each option is one."""
    told = anonymize(
        *("--privacy", "distinct-l-diversity:column=illness,l=3"),
        *("--privacy", "t-closeness:column=severity,t=0.35"),
    )
    assert told["models"] == [
        "5-anonymity",
        "distinct 3-diversity of illness",
        "0.35-closeness of severity, equal distance",
    ]
    assert all(len(values) >= 3 for values in classes().values())
    assert all(distance(v, whole("severity")) <= 0.35 for v in classes("severity").values())


def loss_of_classes(quality: str, suppressed: int) -> float:
    """Losses of classes by their definition, from the released file and the number of records."""
    groups = classes()
    groups.pop(("*", "*", "*"), None)
    sizes = [values.total() for values in groups.values()]
    if quality == "discernibility":
        return (sum(n * n for n in sizes) + RECORDS * suppressed) / RECORDS**2
    if quality == "class-size":
        return 1 / (len(sizes) + bool(suppressed))
    minorities = sum(v.total() - max(v.values()) for v in groups.values())
    return (minorities + suppressed) / RECORDS


_LOST = {
    "loss": "% (geometric mean).",
    "precision": "% of the levels of the hierarchies (geometric mean).",
    "entropy": "% of the entropy (geometric mean).",
    "discernibility": "cannot be distinguished from",
    "ambiguity": "of all possible combinations of values, on a logarithmic scale",
    "bits": "% of the bits of a record.",
    "payout": "% of the publisher's largest possible payout.",
    "class-size": "a group of identical records has",
    "divergence": "% of the information in the joint distribution.",
    "classification": "do not have the most frequent illness of their group",
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("quality", QUALITY_MODELS)
def test_a_quality_model_is_minimized_and_told_in_its_own_words(quality: str) -> None:
    """On the terminal, in the report, and in the certificate; losses of columns are listed once."""
    target = ("--target", "illness") if quality == "classification" else ()
    options = ("--quality", quality, *target)
    told = anonymize(*options)
    assert (told["quality"]["kind"], told["optimal"]) == (quality, True)
    assert told["loss"] == pytest.approx(told["lower_bound"])
    assert told["evaluated"] + told["pruned"] == max(told["lattice_size"], told["evaluated"])
    if quality in {"discernibility", "class-size", "classification"}:
        assert told["loss"] == pytest.approx(loss_of_classes(quality, told["suppressed"]))
    said = run("anonymize", "patients.csv", *ROLES, *options).out
    assert _LOST[quality] in said
    by_class = quality not in {"loss", "precision", "entropy", "bits"}
    assert said.count("Iyengar's") == by_class
    certificate = json.loads(Path("release/certificate.json").read_text("utf-8"))
    assert certificate["loss"]["kind"] == quality
    assert set(certificate["loss"]["by_attribute"]) == {"age", "sex", "zip"}
    report = Path("release/report.html").read_text("utf-8")
    assert ("which was not minimized" in report) == by_class


def test_weights_and_the_mean_reach_the_measures_that_have_them() -> None:
    """Precision and entropy too."""
    for quality in ("precision", "entropy"):
        told = anonymize(
            *("--quality", quality, "--aggregate", "arithmetic", "--weight", "age=3", "--force")
        )
        assert told["quality"] == {
            "kind": quality,
            "aggregate": "arithmetic",
            "weights": [3.0, 1.0, 1.0],
        }
        losses = told["loss_by_attribute"]
        mean = (3 * losses["age"] + losses["sex"] + losses["zip"]) / 5
        assert told["loss"] == pytest.approx(mean)


PROVING = {"exact", "best-first", "flash", "lattice-based"}


@pytest.mark.quick(1)
@pytest.mark.parametrize("search", LEVELS)
def test_a_search_finds_a_policy_and_claims_what_it_proves(plain: Plain, search: str) -> None:
    """The proven ones find the same; an end without a proof is never called complete."""
    best = plain.told
    told = anonymize("--search", search, "--seed", "3")
    assert told["search"] == search
    assert told["loss"] >= best["loss"]
    assert told["lower_bound"] <= best["loss"]
    if search in PROVING:
        assert (told["optimal"], told["levels"]) == (True, best["levels"])
    said = run("anonymize", "patients.csv", *ROLES, "--search", search, "--seed", "3").out
    assert ("Proven optimal: no allowed policy with these hierarchies" in said) == told["optimal"]
    assert (f"Not proven optimal by the {search} search: " in said) == (not told["optimal"])
    assert "(complete" not in said
    assert ("pruned, " in said) == (told["pruned"] > 0)
    report = Path("release/report.html").read_text("utf-8")
    assert ("The policy is optimal" in report) == told["optimal"]
    assert ("does not prove that this policy has the lowest loss" in report) == (
        not told["optimal"]
    )
    assert "ended early" not in report


def test_some_searches_prove_nothing_here() -> None:
    """Else the tests of what is then said would be empty."""
    assert not anonymize("--search", "datafly")["optimal"]


@pytest.mark.nightly
def test_the_seed_settles_the_genetic_search(place: Path) -> None:
    """The same seed gives the same release."""
    options = ("--search", "genetic", "--seed", "5")
    first = anonymize(*options)
    table = (place / "release" / "patients.csv").read_bytes()
    assert anonymize(*options, "--force")["levels"] == first["levels"]
    assert (place / "release" / "patients.csv").read_bytes() == table


@pytest.mark.quick(1)
@pytest.mark.parametrize("search", ["ola", "incognito"])
def test_a_search_that_cannot_take_a_model_refuses_it(search: str) -> None:
    """With suppression; without, two close classes are close together, and it can."""
    model = ("--search", search, "--privacy", "t-closeness:column=illness,t=0.4")
    assert "--search" in refused(*model, "--suppression", "0.1")
    assert anonymize(*model, "--suppression", "0")["optimal"] is True


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--privacy", "m-invariance:m=2"), "there is no privacy model 'm-invariance'"),
        (("--privacy", "t-closeness:column=illness"), "parameter 't' of t-closeness"),
        (("--privacy", "t-closeness:column=illness,t=lots"), "parameter 't' of t-closeness"),
        (("--privacy", "t-closeness:column=illness,t=2"), "t is 2.0"),
        (("--privacy", "t-closeness:column=illness,t"), "'t' is not a parameter"),
        (("--privacy", "t-closeness:t=0.2"), "2 are given"),
        (("--privacy", "t-closeness:column=age,t=0.2"), "'age' is not listed as sensitive"),
        (("--privacy", "distinct-l-diversity:column=illness,l=1"), "l is 1"),
        (
            ("--privacy", "distinct-l-diversity:column=illness,k=3"),
            "distinct-l-diversity has no parameter 'k'",
        ),
        (("--privacy", "beta-likeness:column=illness,beta=-1"), "beta is -1.0"),
        (("--privacy", "average-risk:average=0"), "average is 0.0"),
        (("--privacy", "t-closeness:column=illness,t=0.2,distance=ordered"), "is not a number"),
        (("--privacy", "t-closeness:column=illness,t=0.2,distance=hierarchical"), "no hierarchy"),
        (("--quality", "beauty"), "'beauty' is not known"),
        (("--quality", "classification"), "--target"),
        (("--quality", "classification", "--target", "ilness"), "'ilness'"),
        (("--search", "luck"), "'luck' is not known"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(options: tuple[str, ...], said: str) -> None:
    """Naming what is wrong."""
    assert said in refused(*options)


@pytest.mark.nightly
def test_a_project_file_may_ask_for_two_models(place: Path) -> None:
    """And for a measure and a search."""
    (place / "study.toml").write_text(
        """
data = "patients.csv"
out = "release"
[roles]
quasi = ["age", "sex", "zip"]
identifiers = ["name"]
sensitive = ["illness", "severity"]
[privacy]
k = 4
[[privacy.models]]
kind = "recursive-cl-diversity"
column = "illness"
c = 2
l = 2
[[privacy.models]]
kind = "t-closeness"
column = "severity"
t = 0.4
distance = "ordered"
order = ["1", "2", "3", "4", "5"]
[quality]
quality = "classification"
target = "illness"
[search]
search = "best-first"
""",
        encoding="utf-8",
    )
    ran = run("anonymize", "--project", "study.toml", "--json")
    assert ran.code == 0, ran.err
    assert [model["kind"] for model in ran.json["policy"]["privacy"]] == [
        "k-anonymity",
        "recursive-cl-diversity",
        "t-closeness",
    ]
    assert (ran.json["search"], ran.json["quality"]["target"]) == ("best-first", "illness")
    assert run("verify", "release").code == 0
    for values in classes().values():
        assert max(values.values()) < 2 * (values.total() - max(values.values()))
    for values in classes("severity").values():
        assert ordered_distance(values, whole("severity")) <= 0.4
    again = run("anonymize", "--project", "study.toml", "--search", "exact", "--force", "--json")
    assert (again.json["search"], again.json["levels"]) == ("exact", ran.json["levels"])


def documents(place: Path) -> dict[str, str]:
    """Documents that are written with the table."""
    names = ("report.html", "certificate.json", "policy.json")
    return {name: (place / "release" / name).read_text("utf-8") for name in names}


@pytest.mark.quick(2)
@pytest.mark.parametrize("model", [model for model, _, _ in _PRIVACY])
def test_no_document_holds_a_sensitive_value(place: Path, model: str) -> None:
    """Where all records are released."""
    told = anonymize("--privacy", model, "--suppression", "0")
    assert told["dropped"] == 0
    for name, text in documents(place).items():
        assert not [value for value in ILLNESSES if value in text], name


def test_what_is_left_out_is_told_nowhere(place: Path) -> None:
    """Its number is hidden too: with the number and the release, a reader could subtract."""
    rows = [("Qname", "90", "f", "99999", "Qgout", "1"), *read_csv(place / "patients.csv")[1:]]
    write_csv(place / "patients.csv", HEADER, rows)
    for model in ("distinct-l-diversity:column=illness,l=2", "t-closeness:column=illness,t=0.9"):
        told = anonymize("--privacy", model, "--suppressed", "drop", "--force")
        assert told["dropped"] > 0
        for name, text in documents(place).items():
            assert not [value for value in ILLNESSES if value in text], (model, name)


@pytest.mark.usefixtures("place")
def test_a_release_that_its_reader_could_not_check_is_refused() -> None:
    """The records left out changed the distribution that a group is compared with."""
    models = (
        *("--privacy", "distinct-l-diversity:column=illness,l=3"),
        *("--privacy", "t-closeness:column=severity,t=0.3"),
    )
    ran = run("anonymize", "patients.csv", *ROLES, *models, "--out", "release")
    assert ran.code == 1
    assert "groups do not meet 0.3-closeness of severity" in ran.error
    assert not Path("release").exists()


@pytest.mark.usefixtures("place")
def test_a_column_that_is_not_released_cannot_be_predicted() -> None:
    """A column that the requested measure does not predict is refused too."""
    for quality, target, part in (
        ("classification", "name", "'name' is not released unchanged"),
        ("classification", "age", "'age' is not released unchanged"),
        ("loss", "illness", "but loss does not use it"),
    ):
        ran = refused("--quality", quality, "--target", target)
        assert part in ran, ran


def text_of(page: str) -> str:
    """A page without its markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_records_of_a_large_class_are_said_to_fail_the_model(place: Path) -> None:
    """Not to be too few; and kept with ``*`` they would fail it again."""
    rows = [("Qname", "30", "f", "02139", "Qgout", "1")] * 10
    rows += [("Qname", "40", "m", "02139", ILLNESSES[i % 4], "1") for i in range(100)]
    write_csv(place / "patients.csv", HEADER, rows)
    options = ("--privacy", "distinct-l-diversity:column=illness,l=2", "--suppression", "0.1")
    ran = run("anonymize", "patients.csv", *ROLES, *options, "--out", "release")
    assert ran.code == 0
    unmet = "does not meet distinct 2-diversity of illness"
    assert f", left out, because the records with * would form a group that {unmet}." in ran.out
    report = text_of(documents(place)["report.html"])
    assert f"were suppressed because their group {unmet}. They are left out." in report
    assert "group is too small" not in report
    assert "10 suppressed records were left out instead of kept with *" in report


def test_a_few_suppressed_records_would_stand_out(place: Path) -> None:
    """Under k-anonymity alone it is their number."""
    rows = [("Qname", "30", "f", "02139", "Qgout", "1")]
    rows += [("Qname", "40", "m", "02139", "Qflu", "1")] * 100
    write_csv(place / "patients.csv", HEADER, rows)
    ran = run("anonymize", "patients.csv", *ROLES, "--out", "release")
    assert ", left out, because a group of so few records with * would be too small." in ran.out
    report = text_of(documents(place)["report.html"])
    assert "was suppressed because its group is too small. It is left out." in report
    kept = "1 suppressed record was left out instead of kept with *, because a group of"
    assert kept in report


def test_the_report_measures_the_models(place: Path) -> None:
    """The class that comes nearest to the bound, as the released file has it."""
    anonymize("--privacy", "t-closeness:column=illness,t=0.2")
    largest = max(distance(values, whole()) for values in classes().values())
    report = text_of(documents(place)["report.html"])
    assert "Further privacy requirements" in report
    found = re.search(
        r"([\d.]+) largest distance of a group from the whole table at most 0.2", report
    )
    assert found is not None
    assert float(found[1]) == pytest.approx(largest, rel=0.01)


def test_without_charts_is_for_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports here are whole, except for their pictures."""
    anonymize()
    assert len(Path("release/report.html").read_text("utf-8")) > 10_000
    without_charts(monkeypatch)
    anonymize("--force")
    assert len(Path("release/report.html").read_text("utf-8")) < 100
