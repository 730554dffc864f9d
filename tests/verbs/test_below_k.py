"""Texts about records with fewer than k people behind them.

Fault class: users read more into a promise than it says, and no text corrects them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from class_size_populations import population

import roadstead as rs
from roadstead.release.certificate import CERTIFICATE
from roadstead.release.documents import json_text
from roadstead.release.expectation import contradiction
from roadstead.release.verification.release import verify_release
from roadstead.risk.below_k import BelowK
from roadstead.risk.minimal_size import Estimator, minimal_size
from roadstead.verbs.anonymize.result import Anonymization

FRACTION, K = 0.1, 10


def sampled(shape: str = "geometric, mean 2.8") -> tuple[pd.DataFrame, pd.DataFrame]:
    """A table of a tenth of 200,000 people in cells of two columns, and all of the people."""
    people = population(shape, 200_000, 3)
    records = np.random.default_rng(1_003).binomial(people, FRACTION)
    cells = np.arange(people.size)
    columns = {"area": cells // 300, "place": cells % 300}
    whole = pd.DataFrame({**columns, "people": people})
    table = pd.DataFrame({name: np.repeat(column, records) for name, column in columns.items()})
    return table, whole


def released(
    table: pd.DataFrame, estimator: Estimator = "d4", k: int | None = None
) -> Anonymization:
    """Release the table with its original groups, under estimated 10-map."""
    rule = {"kind": "estimated-k-map", "k": K, "fraction": FRACTION, "estimator": estimator}
    found = rs.anonymize(
        table,
        quasi=["area", "place"],
        privacy=[rule],
        k=k,
        suppression=1.0,
        suppressed="drop",
        max_level={"area": 0, "place": 0},
    )
    assert isinstance(found, Anonymization)
    return found


def below_k(result: Anonymization) -> BelowK:
    """Give the expectation of a result."""
    assert result.draft.below_k is not None
    return result.draft.below_k


def truth(table: pd.DataFrame, whole: pd.DataFrame, least: int) -> tuple[int, int]:
    """Records of released classes of fewer than k people, and all released, by a plain count."""
    sizes = table.groupby(["area", "place"]).size().rename("records").reset_index()
    joined = sizes.merge(whole, on=["area", "place"])
    out = joined[joined.records >= least]
    return int(out[out.people < K].records.sum()), int(out.records.sum())


@pytest.fixture(scope="module")
def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Drawn once."""
    return sampled()


@pytest.fixture(scope="module")
def d4(tables: tuple[pd.DataFrame, pd.DataFrame]) -> Anonymization:
    """Searched once."""
    return released(tables[0])


def test_a_release_of_many_small_classes_says_so_before_it_speaks_of_risk(
    tables: tuple[pd.DataFrame, pd.DataFrame], d4: Anonymization
) -> None:
    """Terminal: what is expected, what the rule bounds, a warning with a way on; then the risk."""
    found = d4.to_dict()["expected_below_k"]
    below, out = truth(*tables, minimal_size(K, FRACTION, "d4"))
    assert below / out > 0.25
    assert found["released"] == out
    assert found["low"] <= below <= found["high"]
    assert found["share"] == pytest.approx(below / out, abs=0.1)
    lines = str(d4).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("About "))
    assert "expected to have fewer than 10 matching people in the population" in lines[at]
    assert "The rule d4 limits a different figure" in lines[at + 1]
    assert lines[at + 2].startswith("Warning: ")
    assert "10-anonymity, which leaves no such record (k=10)" in lines[at + 2]
    assert lines[at + 3].startswith("Re-identification risk")


@pytest.mark.nightly
def test_the_way_on_leads_there(
    tables: tuple[pd.DataFrame, pd.DataFrame], d4: Anonymization
) -> None:
    """The larger class size that is proposed brings the share to the significance or below."""
    warning = next(line for line in str(d4).splitlines() if line.startswith("Warning"))
    least = int(warning.partition("groups of at least ")[2].split()[0])
    stricter = released(tables[0], k=least)
    assert below_k(stricter).share <= 0.1
    assert "Warning" not in str(stricter)
    assert least == K or below_k(released(tables[0], k=least - 1)).share > 0.1


def test_apply_says_that_another_policy_is_needed(
    tables: tuple[pd.DataFrame, pd.DataFrame], d4: Anonymization, tmp_path: Path
) -> None:
    """It cannot require larger groups, because it has no option for the group size."""
    assert "To lower it, require groups of at least" in str(d4)
    d4.write(tmp_path / "out")
    applied = rs.apply(tmp_path / "out" / "policy.json", tables[0], suppression=1.0)
    assert "To lower it, run anonymize again, and require groups of at least" in str(applied)


@pytest.mark.parametrize("estimator", ["d2", "d3"])
def test_every_rule_has_its_expectation(
    estimator: Estimator, tables: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    """The less strict rules let more through, and say so; d4 is named as stricter."""
    result = released(tables[0], estimator)
    below, out = truth(*tables, minimal_size(K, FRACTION, estimator))
    found = below_k(result)
    assert found.low <= below <= found.high
    assert found.share == pytest.approx(below / out, abs=0.1)
    assert "use the rule d4, which requires groups of at least 4" in str(result)


def test_k_anonymity_of_k_expects_none(tables: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """The rule d1: k records are of k people, and no warning is due."""
    large = sampled("geometric, mean 20")[0]
    found = released(large, k=K)
    assert below_k(found).high == 0
    assert "None of the" in str(found)
    plain = rs.anonymize(tables[0].head(500), quasi=["area", "place"], k=2, suppression=1.0)
    assert plain.to_dict()["expected_below_k"] is None


def test_certificate_and_report_tell_it_and_a_check_reads_it(
    d4: Anonymization, tmp_path: Path
) -> None:
    """The figures go with the release; a release whose certificate contradicts them fails."""
    d4.write(tmp_path / "out")
    certificate = tmp_path / "out" / CERTIFICATE
    told = json.loads(certificate.read_text())
    assert told["expected_below_k"] == d4.to_dict()["expected_below_k"]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "fewer than 10 matching people in the population" in page
    assert verify_release(tmp_path / "out").passed
    told["expected_below_k"]["released"] += 1
    certificate.write_text(json_text(told), "utf-8")
    failed = verify_release(tmp_path / "out").failed
    assert [check.check for check in failed] == ["the expectation matches the groups"]


def test_an_expectation_that_cannot_be_is_found_out(d4: Anonymization) -> None:
    """Each part of it by itself."""
    sizes, models, found = d4.generalized.sizes, d4.models, d4.draft.below_k
    assert found is not None

    def wrong(**changed: object) -> str | None:
        return contradiction({**found.to_dict(), **changed}, found.released, sizes, models)

    assert wrong() is None
    for changed in (
        {"k": 5},
        {"k": "10"},
        {"low": found.records + 1},
        {"high": int(sizes.sum()) + 1},
        {"records": None},
        {"share": 0.0},
        {"share": "none"},
        {"more": 1},
    ):
        assert wrong(**changed), changed


def test_risk_expects_before_and_after_a_policy(
    tables: tuple[pd.DataFrame, pd.DataFrame], d4: Anonymization
) -> None:
    """With a sampling fraction; k is the policy's, or the least that the threshold accepts."""
    table, whole = tables
    found = rs.risk(table, policy=d4.policy, sampling_fraction=FRACTION)
    assert found.to_dict()["after"]["expected_below_k"] == d4.to_dict()["expected_below_k"]
    below, _ = truth(table, whole, 1)
    before = found.before.below_k
    assert before is not None
    assert before.k == K
    assert before.low <= below <= before.high
    assert "of the table" in str(found)
    assert "Under the policy, about " in str(found)
    plain = rs.risk(table, quasi=["area", "place"], sampling_fraction=FRACTION)
    assert plain.before.below_k is not None
    assert plain.before.below_k.k == 5


def test_risk_against_known_people_counts_exactly(
    tables: tuple[pd.DataFrame, pd.DataFrame], d4: Anonymization
) -> None:
    """No estimate where the people of each class are known."""
    table, whole = tables
    found = rs.risk(table, policy=d4.policy, population=whole, population_counts="people")
    assert found.after is not None
    assert found.after.below_k is not None
    below, out = truth(table, whole, 4)
    assert (found.after.below_k.records, found.after.below_k.released) == (below, out)
    assert not found.after.below_k.estimated
    assert f"{below:,} of the {out:,} records released" in str(found).replace("Under", "")


def test_a_known_population_is_counted_in_a_release(
    tables: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    """Under k-map none is below k, which the certificate says as a count."""
    table, whole = tables
    found = rs.anonymize(
        table,
        quasi=["area", "place"],
        privacy=[{"kind": "k-map", "k": K}],
        population=whole,
        population_counts="people",
        suppression=1.0,
        max_level={"area": 0, "place": 0},
    )
    told = found.to_dict()["expected_below_k"]
    assert (told["records"], told["high"], told["estimated"]) == (0, 0, False)


def test_without_a_population_nothing_is_told(tables: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """Nothing is known, so nothing is said."""
    found = rs.risk(tables[0], quasi=["area", "place"])
    assert found.before.below_k is None
    assert found.to_dict()["expected_below_k"] is None


@pytest.mark.nightly
def test_the_database_knows_as_much_of_suppressed_classes(
    tables: tuple[pd.DataFrame, pd.DataFrame], tmp_path: Path
) -> None:
    """Policies evaluated by the engine get the expectation that those in memory get."""
    tables[0].head(4_000).to_parquet(tmp_path / "table.parquet")
    asked: dict[str, Any] = {
        "quasi": ["area", "place"],
        "privacy": [{"kind": "estimated-k-map", "k": K, "fraction": FRACTION}],
        "suppression": 1.0,
        "max_level": {"area": 0, "place": 0},
    }
    memory, engine = (
        rs.anonymize(tmp_path / "table.parquet", **asked, combinations=most)
        for most in (1_000_000, 100)
    )
    assert engine.to_dict()["queries"] > 0
    assert below_k(memory).high > 0
    assert below_k(engine) == below_k(memory)
