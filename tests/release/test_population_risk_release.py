"""A policy chosen on a frontier becomes a release that is checked from its files alone."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from promises import promise_in
from small_tables import Row, read_csv, write_csv

from roadstead import apply, verify
from roadstead.errors import Refusal, SettingError
from roadstead.hierarchies.defaults import default_hierarchy
from roadstead.hierarchies.ordered_domain import OrderedDomain, ordered_domain
from roadstead.policies.attribute_policy import AttributePolicy
from roadstead.policies.cells import Cells
from roadstead.policies.partition import OrderedDomains, Partition
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.models.population_risk import AveragePopulationRisk
from roadstead.privacy.protocol import PrivacyModel
from roadstead.release.documents import fingerprint, json_text
from roadstead.release.publish import publish_release
from roadstead.reports.frontier.facts import FrontierAxis, FrontierSearchFacts
from roadstead.reports.release.chosen import ChosenPolicy
from roadstead.search.frontiers.frontier import Frontier
from roadstead.search.frontiers.protocol import FrontierProblem
from roadstead.tables.frequency import FrequencyTable, summarize
from roadstead.tables.populations import read_population, with_population
from roadstead.tables.reading import read
from roadstead.tables.roles import Roles
from roadstead.tables.source import Source
from roadstead.verbs.declared_codes import policy_of
from roadstead.verbs.frontier.release import FrontierRelease, release_of

QUASI = ("age", "sex")
HEADER = ("number", "age", "sex", "note")
POPULATION = "the census of 2000, an estimate by age and sex"

DATA = {("1", "m"): 2, ("1", "f"): 1, ("2", "m"): 1, ("3", "m"): 1, ("3", "f"): 1, ("4", "f"): 1}
PEOPLE = {
    ("1", "m"): 5,
    ("1", "f"): 3,
    ("2", "m"): 2,
    ("2", "f"): 4,
    ("3", "m"): 6,
    ("3", "f"): 2,
    ("4", "m"): 1,
    ("4", "f"): 2,
}
"""The worked example: 16 policies, of which the sum over records of 1/g is known."""
SUMS = {"1111": "2.400000", "1110": "1.125000", "0101": "1.214286", "0000": "0.280000"}
"""By the boundaries kept, three of age and one of sex."""


def tables(folder: Path, data: Counter[Row], people: Counter[Row]) -> tuple[Path, Path]:
    """Write a table of records that are numbered, and one of people."""
    records = [row for row, number in sorted(data.items()) for _ in range(number)]
    return (
        write_csv(
            folder / "patients.csv",
            HEADER,
            [(f"N{i:03d}", *row, f"n{i % 2}") for i, row in enumerate(records)],
        ),
        write_csv(
            folder / "people.csv",
            ("sex", "age", "people"),
            [(sex, age, str(number)) for (age, sex), number in people.items()],
        ),
    )


def cells_of(table: FrequencyTable, ordered: Sequence[OrderedDomain]) -> Cells:
    """Put a table and its population into ordered domains."""
    codes = []
    for domain, values, column in zip(ordered, table.domains, table.codes, strict=True):
        place = domain.place_of()
        codes.append(np.array([place[v] for v in values], dtype=np.uint32)[column])
    people = table.counts if table.population is None else table.population
    domains = OrderedDomains(table.attributes, tuple(domain.size for domain in ordered))
    return Cells(domains, np.array(codes), table.counts, people)


def chosen_of(cells: Cells, partition: Partition, population: str | None) -> ChosenPolicy:
    """Put one policy on a frontier, and choose it."""
    problem, frontier = FrontierProblem(cells), Frontier[Partition]()
    point = problem.point(partition)
    assert frontier.insert(*point, partition)
    risk, loss = problem.risk, problem.loss
    classes = cells.classes(partition)
    return ChosenPolicy(
        risk=point.risk,
        loss=point.loss,
        axes=(
            FrontierAxis(risk.name, risk.meaning, risk.settings(), problem.greatest_risk),
            FrontierAxis(loss.name, loss.meaning, loss.settings(), problem.greatest_loss),
        ),
        search=FrontierSearchFacts("random-chain", "chains", 1, 0, 0.25, "budget", 1, None),
        members=1,
        area=frontier.area,
        lattice_size=1 << cells.domains.boundaries,
        sizes=classes.records,
        loss_by_attribute={
            name: float(np.dot(held, widths - 1)) / (cells.total * max(size - 1, 1))
            for name, size, (widths, held) in zip(
                cells.domains.attributes, cells.domains.sizes, classes.intervals, strict=True
            )
        },
        population=population,
    )


def release(
    source: Source,
    people: Path | None,
    kept: str,
    models: Sequence[PrivacyModel],
    *,
    label: str | None = POPULATION,
    roles: Roles | None = None,
) -> FrontierRelease:
    """Release the policy that keeps some boundaries."""
    table = summarize(source, QUASI)
    if people is not None:
        with read(people) as everybody:
            table = with_population(table, read_population(everybody, QUASI, "people")).table
    ordered = [
        ordered_domain(default_hierarchy(name, domain), domain)
        for name, domain in zip(QUASI, table.domains, strict=True)
    ]
    cells = cells_of(table, ordered)
    bits = kept[: cells.domains.boundaries]
    partition = Partition(sum(1 << i for i, bit in enumerate(bits) if bit == "1"))
    attributes = []
    for domain, intervals in zip(ordered, cells.domains.intervals(partition), strict=True):
        rule = domain.rule([first for first, _ in intervals])
        level = domain.size - len(intervals)
        attributes.append(AttributePolicy(domain.attribute, level, domain.size, rule))
    chosen = chosen_of(cells, partition, label)
    known = roles or Roles(QUASI, unchanged=("note",))
    policy = policy_of(attributes, models, known, source.columns, None)
    return release_of(source, known, policy, table, models, chosen, known=True)


def worked(
    folder: Path,
    kept: str,
    maximum: float,
    *,
    populated: bool = True,
    **settings: Any,  # noqa: ANN401 - as release
) -> FrontierRelease:
    """Release a policy of the worked example."""
    data, people = tables(folder, Counter(DATA), Counter(PEOPLE))
    models = settings.pop("models", [AveragePopulationRisk(maximum)])
    return release(read(data), people if populated else None, kept, models, **settings)


def document(folder: Path, name: str = "certificate") -> dict[str, Any]:
    """Read a JSON file of a release."""
    found: dict[str, Any] = json.loads((folder / f"{name}.json").read_text("utf-8"))
    return found


@pytest.mark.quick(2)
@pytest.mark.parametrize("kept", SUMS)
def test_the_worked_example_is_released_up_to_its_risk(tmp_path: Path, kept: str) -> None:
    """The mean of 1/g over seven records: that much may be promised, and nothing less."""
    share = float(SUMS[kept]) / 7
    result = worked(tmp_path, kept, share + 1e-6)
    assert result.write(tmp_path / "release").passed
    assert verify(tmp_path / "release").passed
    assert result.population_risk[0]["sum"] == pytest.approx(float(SUMS[kept]), abs=1e-6)
    _, *rows = read_csv(tmp_path / "release" / "patients.csv")
    assert len(rows) == 7
    with pytest.raises(Refusal, match="expected to be re-identified by guesses among") as told:
        worked(tmp_path, kept, share - 1e-6)
    assert f"({float(SUMS[kept]) / 7:.4g}"[:6] in told.value.message
    assert "suppress" not in told.value.message


def test_the_files_are_those_of_any_release(tmp_path: Path) -> None:
    """And the certificate says what the promise is, how it was chosen, and counts people."""
    result = worked(tmp_path, "1110", 0.2)
    out = tmp_path / "release"
    result.write(out)
    assert {path.name for path in out.iterdir()} == {
        *("patients.csv", "policy.json", "certificate.json", "report.html", "verify.html")
    }
    certified = document(out)
    assert certified["population"] == [8, 6, 8, 3]
    assert certified["policy"] == document(out, "policy")
    assert certified["policy"]["privacy"] == [
        {"kind": "population-risk", "maximum": 0.2, "gamma": 1.0}
    ]
    assert certified["policy"]["suppression"]["limit"] == 0.0
    assert [a["level"] for a in certified["policy"]["attributes"]] == [0, 1]
    assert [a["levels"] for a in certified["policy"]["attributes"]] == [4, 2]
    said = "expected share of released records that are re-identified is at most 0.2"
    assert said in promise_in(out)
    assert "anonymity" not in promise_in(out)
    assert certified["search"]["name"] == "random-chain"
    assert certified["search"]["risk"] == pytest.approx(0.468750)
    assert certified["loss"]["kind"] == "divergence"
    assert certified["loss"]["by_attribute"] == {"age": 0.0, "sex": 1.0}
    assert certified["settings"]["population"] == POPULATION
    assert certified["counts"]["suppressed"] == 0
    told = result.to_dict()
    assert json.loads(json.dumps(told)) == told
    assert told["released"] == 7
    checks = {check.check: check.detail for check in verify(out).checks}
    assert checks["population risk 0.2"] == (
        "4 groups, 1.125 of 7 records (0.160714) are expected to be re-identified by guesses among "
        "the people in the population; at most 0.2 is allowed"
    )


def test_the_report_tells_the_risk_and_claims_no_k(tmp_path: Path) -> None:
    """The population is described correctly."""
    result = worked(tmp_path, "1110", 0.2)
    result.write(tmp_path / "release")
    page = (tmp_path / "release" / "report.html").read_text("utf-8")
    assert "1.125 of 7 records (0.160714) are expected to be re-identified" in page
    assert f"Population: {POPULATION}." in page
    assert "What the frontier is" in page
    assert "In this release suppression was not allowed" in page
    for claim in (
        "k-anonymity limits",
        "in addition to k-anonymity",
        "is smaller than k",
        "Every group of the release has",
        "optimal”",
    ):
        assert claim not in page
    assert "The requirement is population risk 0.2." in page
    bare = worked(tmp_path, "1110", 0.2, label=None)
    bare.write(tmp_path / "release", force=True)
    assert "Population: " not in (tmp_path / "release" / "report.html").read_text("utf-8")
    assert "population" not in document(tmp_path / "release")["settings"]


def test_what_is_said_holds_the_figures(tmp_path: Path) -> None:
    """For the terminal."""
    said = str(worked(tmp_path, "1110", 0.2))
    assert "7 records of patients.csv. None are suppressed." in said
    assert (
        "1.125 of 7 records (0.160714) are expected to be re-identified by guesses among the people"
        in said
    )
    assert f"Population: {POPULATION}." in said
    assert "(level 1 of 0-1, loss 100%)" in said
    assert (
        "risk is 46.9% of the original data's risk, and the divergence is 67% of the maximum"
        in said
    )


def test_without_a_population_records_are_counted(tmp_path: Path) -> None:
    """Four classes of seven records: no list of people, and the report says so."""
    with pytest.raises(Refusal, match="population=FILE") as told:
        worked(tmp_path, "1110", 0.5, populated=False, label=None)
    assert "4 of 7 records (0.571429) are expected" in told.value.message
    result = worked(tmp_path, "1110", 0.6, populated=False, label=None)
    assert result.write(tmp_path / "release").passed
    assert "population" not in document(tmp_path / "release")
    page = (tmp_path / "release" / "report.html").read_text("utf-8")
    assert "No population is given" in page
    assert verify(tmp_path / "release").passed


def test_another_model_holds_only_if_it_is_asked_for(tmp_path: Path) -> None:
    """2-anonymity of four classes, of which two have one record."""
    models = [AveragePopulationRisk(0.2), KAnonymity(2)]
    with pytest.raises(Refusal, match="would suppress 2 of 7 records, but its limit is 0"):
        worked(tmp_path, "1110", 0.2, models=models)
    result = worked(tmp_path, "0100", 0.2, models=models)
    assert result.write(tmp_path / "release").passed
    assert "2-anonymity" in [check.check for check in verify(tmp_path / "release").checks]


def test_columns_without_a_role_that_single_out_are_withheld(tmp_path: Path) -> None:
    """As anonymize does; and a rule that names them is followed."""
    result = worked(tmp_path, "0000", 0.5, roles=Roles(QUASI, undecided="release"))
    assert set(result.withheld) == {"number"}
    assert result.policy.columns.removed == ("number",)
    result.write(tmp_path / "release")
    header, *_ = read_csv(tmp_path / "release" / "patients.csv")
    assert header == ("age", "sex", "note")
    said = worked(tmp_path, "0000", 0.5, roles=Roles(QUASI, identifiers=("number", "note")))
    assert not said.withheld
    assert set(worked(tmp_path, "0000", 0.5, roles=Roles(QUASI)).withheld) == {"number", "note"}
    assert set(said.policy.columns.removed) == {"number", "note"}


def test_rules_that_are_not_the_policy_s_are_a_defect(tmp_path: Path) -> None:
    """The search counted other classes than the rules make."""
    result = worked(tmp_path, "1110", 0.2)
    table, chosen = result.generalized.table, result.chosen
    other = replace(chosen, sizes=chosen.sizes[1:])
    with pytest.raises(RuntimeError, match="differ from the groups that the search found"):
        release_of(
            result.source,
            result.roles,
            result.policy,
            table,
            result.models,
            other,
            known=True,
        )


def next_month(folder: Path, data: dict[Row, int]) -> tuple[Path, Path]:
    """Write another extract of the same people."""
    later = folder / "later"
    later.mkdir()
    return tables(later, Counter(data), Counter(PEOPLE))


@pytest.mark.nightly
def test_the_policy_serves_the_next_extract_or_refuses_it(tmp_path: Path) -> None:
    """All or nothing: the share of another number of records, against the same bound."""
    worked(tmp_path, "1110", 0.17).write(tmp_path / "release")
    policy = tmp_path / "release" / "policy.json"
    data, people = next_month(tmp_path, {("1", "m"): 3, ("2", "f"): 1, ("3", "m"): 2})
    arguments = (str(policy), str(data), "--population", str(people), "--population-counts")
    done = run("apply", *arguments, "people", "--out", str(tmp_path / "next"), "--json")
    assert done.code == 0
    assert run("verify", str(tmp_path / "next")).code == 0
    assert document(tmp_path / "next")["population"] == [8, 6, 8]
    assert 3 / 8 + 1 / 6 + 2 / 8 < 0.17 * 6
    said = run("apply", *arguments, "people").out
    assert "0.791667 of 6 records (0.131944) are expected to be re-identified" in said
    alone = run("apply", str(policy), str(data))
    assert alone.code == 1
    assert "--population FILE" in alone.error


def test_an_extract_of_too_much_risk_is_refused_with_the_figures(tmp_path: Path) -> None:
    """Exit code 1, and nothing is written."""
    worked(tmp_path, "1110", 0.17).write(tmp_path / "release")
    policy = tmp_path / "release" / "policy.json"
    data, people = next_month(tmp_path, {("4", "f"): 2, ("1", "m"): 1})
    arguments = (str(policy), str(data), "--population", str(people), "--population-counts")
    refused = run("apply", *arguments, "people", "--out", str(tmp_path / "next"))
    assert refused.code == 1
    assert "0.791667 of 3 records (0.263889) are expected to be re-identified" in refused.error
    assert "at most 0.17 is allowed" in refused.error
    assert not (tmp_path / "next").exists()
    other = worked(tmp_path, "0000", 1.0, models=[KAnonymity(2)]).policy
    with pytest.raises(SettingError, match="no privacy model uses it"):
        apply(other, data, population=people)


MODEL = "population risk 0.17"
FITS = "the population matches the groups"
EDITS: dict[str, tuple[Callable[[dict[str, Any]], None], set[str]]] = {
    "none": (lambda found: found.pop("population"), {MODEL}),
    "fewer": (lambda found: found.update(population=[8, 4, 8, 3]), {MODEL}),
    "another order": (lambda found: found.update(population=[8, 8, 6, 3]), set()),
    "one class less": (lambda found: found.update(population=[8, 6, 8]), {FITS, MODEL}),
    "fewer than records": (lambda found: found.update(population=[2, 6, 80, 30]), {FITS, MODEL}),
    "a larger bound": (
        lambda found: found["policy"]["privacy"][0].update(maximum=0.9),
        {"the policy matches the certificate", "the privacy requirements match the policy"},
    ),
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("kind", EDITS)
def test_a_certificate_that_was_edited_is_found_out(tmp_path: Path, kind: str) -> None:
    """Without its list of people the records are counted; what still keeps the promise passes."""
    out = tmp_path / "release"
    worked(tmp_path, "1110", 0.17).write(out)
    assert document(out)["population"] == [8, 6, 8, 3]
    edit, expected = EDITS[kind]
    edited = document(out)
    edit(edited)
    (out / "certificate.json").write_text(json_text(edited), "utf-8")
    assert {check.check for check in verify(out).failed} == expected


def test_a_record_moved_to_a_smaller_class_is_found_out(tmp_path: Path) -> None:
    """One more among the three people of age 4 is too much."""
    out = tmp_path / "release"
    worked(tmp_path, "1110", 0.17).write(out)
    path = out / "patients.csv"
    header, *rows = read_csv(path)
    first = next(i for i, row in enumerate(rows) if row[0] == "1")
    rows[first] = ("4", *rows[first][1:])
    write_csv(path, header, rows)
    edited = document(out)
    edited["table"] = vars(fingerprint(path))
    (out / "certificate.json").write_text(json_text(edited), "utf-8")
    assert MODEL in {check.check for check in verify(out).failed}


ages = st.sampled_from(["", "0", "1", "2", "5", "40"])
rows = st.tuples(ages, st.sampled_from("mf"))


@examples(8)
@given(
    st.lists(rows, min_size=1, max_size=25),
    st.lists(rows, max_size=40),
    st.text("01", min_size=6, max_size=6),
    st.sampled_from(["1", "0.5", "0.25", "0.1"]),
    st.booleans(),
)
def test_a_release_holds_what_the_definition_says(
    inside: list[Row],
    outside: list[Row],
    kept: str,
    maximum: str,
    known: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """Labels are followed from the file back to the values, and people counted by hand."""
    data, people = Counter(inside), Counter([*inside, *(outside if known else [])])
    model = AveragePopulationRisk(float(maximum))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        patients, everybody = tables(folder, data, people)
        cut = cut_by_hand(people, kept)
        records, alike = Counter[Row](), Counter[Row]()
        for row, number in people.items():
            records[label(cut, row)] += data[row]
            alike[label(cut, row)] += number
        total = sum(Fraction(n, alike[c]) for c, n in records.items() if n)
        with read(patients) as source:
            if total > Fraction(maximum) * len(inside):
                with pytest.raises(Refusal, match="expected to be re-identified"):
                    release(source, everybody if known else None, kept, [model])
                return
            result = release(source, everybody if known else None, kept, [model])
            assert publish_release(result.draft, folder / "release", None, force=False).passed
        rules = [attribute.rule for attribute in result.policy.attributes]
        said = {
            label(cut, row): tuple(str(r.label(v)) for r, v in zip(rules, row, strict=True))
            for row in people
        }
        _, *written = read_csv(folder / "release" / "patients.csv")
        assert Counter(row[:2] for row in written) == {said[c]: n for c, n in records.items() if n}
        certified = document(folder / "release").get("population")
        expected = {said[c]: alike[c] for c, n in records.items() if n}
        assert certified == ([expected[c] for c in sorted(expected)] if known else None)


def cut_by_hand(people: Counter[Row], kept: str) -> list[dict[str, str]]:
    """Cut the sorted values where the boundaries are kept; each value's interval."""
    found, begin = [], 0
    for i in range(2):
        values = sorted({row[i] for row in people}, key=lambda v: (v != "", v.zfill(3)))
        bits = kept[begin : begin + len(values) - 1]
        begin += len(values) - 1
        found.append({v: str(bits[:at].count("1")) for at, v in enumerate(values)})
    return found


def label(cut: list[dict[str, str]], row: Row) -> Row:
    """Give a person's label."""
    return tuple(own[value] for own, value in zip(cut, row, strict=True))


@pytest.mark.parametrize("suppressed", ["mask", "drop"])
def test_anonymize_finds_a_policy_under_it(tmp_path: Path, suppressed: str) -> None:
    """With k-anonymity, and records suppressed until the mean is low; verified by hand."""
    data = Counter[Row]({(str(20 + i), "mf"[i % 2]): 1 + i % 4 for i in range(30)})
    people = Counter[Row](
        {row: number + 10 * (i % 7) for i, (row, number) in enumerate(data.items())}
    )
    patients, everybody = tables(tmp_path, data, people)
    out = tmp_path / "release"
    ran = run(
        *("anonymize", str(patients), "--quasi", "age,sex", "--k", "2", "--identifiers", "number"),
        *("--privacy", "population-risk:maximum=0.02", "--suppressed", suppressed, "--json"),
        *("--population", str(everybody), "--population-counts", "people", "--out", str(out)),
    )
    assert ran.code == 0, ran.err
    assert ran.json["optimal"]
    assert run("verify", str(out)).code == 0
    _, *rows = read_csv(out / "patients.csv")
    sizes = Counter(row[:2] for row in rows)
    certified = document(out)["population"]
    assert len(certified) == len(sizes)
    total = sum(Fraction(sizes[c], g) for c, g in zip(sorted(sizes), certified, strict=True))
    assert total <= Fraction("0.02") * len(rows)
    if suppressed == "mask":
        assert sum(certified) == sum(people.values())
