"""Texts of the terminal about a result claim no more than is known."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

import roadstead as rs
from roadstead.reports.sentences import summary


def table() -> pd.DataFrame:
    """Forty pairs of records, and three that are like no other."""
    ages = [*(str(20 + i // 2) for i in range(80)), "71", "72", "73"]
    return pd.DataFrame({"age": ages, "sex": ["f"] * len(ages)})


def test_a_risk_of_100_percent_is_told_with_its_records() -> None:
    """The promise is about the population. Fault class: a promise described as more than it is."""
    people = pd.concat([table()] * 5)
    asked = [{"kind": "k-map", "k": 5}]
    found = rs.anonymize(table(), quasi=["age", "sex"], privacy=asked, population=people)
    said = next(
        line for line in str(found).splitlines() if line.startswith("Re-identification risk")
    )
    assert found.risk.uniques == 3
    assert "100% for 3 records that are unique" in said
    assert "at most 100%" not in said


def test_an_optimum_is_said_to_be_one_of_a_lattice() -> None:
    """The lattice is of these hierarchies, with one level per column; others could lose less."""
    said = str(rs.anonymize(table(), quasi=["age", "sex"], k=2))
    assert (
        "Proven optimal: no allowed policy with these hierarchies (one level per column for all rec"
        in said
    )
    assert "Another kind of recoding may have a lower loss." in said


def test_a_gap_is_rounded_up_and_a_lower_bound_down() -> None:
    """Fault class: a bound rounded inwards."""
    found = rs.anonymize(table(), quasi=["age", "sex"], k=2)
    assert found.outcome.best is not None
    best = replace(found.outcome.best, loss=0.1)
    stopped = replace(
        found.outcome, best=best, lower_bound=0.098765, ending="time limit", proven=False
    )
    said = str(replace(found, outcome=stopped))
    assert "has a loss of at least 9.87%" in said
    assert "Within 1.24% of the optimum" in said


def test_a_weighted_loss_names_the_weights() -> None:
    """Fault class: with one column counted 20 times, the loss read like that of all columns."""
    rows = [(str(20 + at % 60), "FM"[at // 7 % 2]) for at in range(300)]
    frame = pd.DataFrame(rows, columns=["age", "sex"])
    found = rs.anonymize(frame, quasi=["age", "sex"], k=5, weights={"age": 20})
    assert "(geometric mean, weighted: age counts 20 times, sex once)." in str(found)
    assert "The columns are weighted: age counts 20 times, sex once." in summary(found.content).loss
    alike = rs.anonymize(frame, quasi=["age", "sex"], k=5, weights={"age": 2, "sex": 2})
    assert "weighted" not in str(alike) + summary(alike.content).loss
