"""The summary gives the measured figures, and claims no more than was proven."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roadstead.reports.content import (
    Guarantee,
    RecordCounts,
    ReportContent,
    ReportedColumns,
    ReportedLoss,
    ReportedSearch,
)
from roadstead.reports.rounded import WHY_ROUNDED
from roadstead.reports.sentences import lost, proof, summary

_SEARCH = ReportedSearch("exact", "", 10, 12_960, "complete", 0.1)


def test_a_release_in_four_paragraphs(content: ReportContent) -> None:
    """Records, columns, risk, loss."""
    said = summary(content)
    assert said.removed == (
        "50 of 1,000 records in stays.csv (5%) were suppressed because their group is too small. "
        "40 suppressed records are kept with * in every quasi-identifier, and 10 are left out. "
        "The other 950 records are released with the values described below."
    )
    assert said.columns == (
        "Quasi-identifiers are columns that an attacker may know about a person. The release has 3 "
        "quasi-identifiers: 1 is released unchanged, 1 is made coarser and 1 is removed "
        "completely. Other columns: 3 are released unchanged and 2 are not released."
    )
    assert "at most 20% (1 in 5). The average probability is 3.05% (about 1 in 33)." in said.risk
    assert "In the source, the probability was up to 100%, and the average was 43%" in said.risk
    assert "about 40%" in said.loss
    assert "could avoid at most 2.5% of the loss" in said.loss


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (RecordCounts(1, 0, 0), "No record of stays.csv was suppressed."),
        (
            RecordCounts(10, 1, 0),
            "records in stays.csv (10%) was suppressed because its group is too small. It is",
        ),
        (RecordCounts(10, 0, 1), "It is left out. The other 9 records are"),
        (
            RecordCounts(10, 9, 0),
            "They are kept with * in every quasi-identifier. The other 1 record is",
        ),
        (RecordCounts(10, 0, 10), "10 of 10 records in stays.csv (100%) were suppressed"),
    ],
)
def test_what_became_of_the_suppressed_records(
    content: ReportContent, counts: RecordCounts, said: str
) -> None:
    """None, one, some or all, kept with stars or left out."""
    assert said in summary(replace(content, counts=counts)).removed


def test_nothing_is_said_of_the_others_when_there_are_none(content: ReportContent) -> None:
    """With everything suppressed there is no other record."""
    empty = replace(content, counts=RecordCounts(10, 0, 10), classes_after=())
    told = summary(empty)
    assert told.removed.endswith("They are left out.")
    assert told.risk.startswith("No record is released with its quasi-identifiers")


def test_columns_are_not_mentioned_where_there_are_none(content: ReportContent) -> None:
    """A table of quasi-identifiers alone."""
    said = summary(replace(content, columns=ReportedColumns())).columns
    assert "Other columns" not in said


def test_without_quasi_identifiers_none_are_counted(content: ReportContent) -> None:
    """The remaining sentences are about the other columns."""
    told = summary(replace(content, attributes=()))
    assert told.columns.startswith("Other columns: 3 are")


def test_a_given_policy_claims_no_proof(content: ReportContent) -> None:
    """Neither an unmeasured loss nor a missing search is mentioned."""
    given = replace(content, loss=None, search=None)
    assert summary(given).loss == "The loss was not measured."
    measured = replace(content, search=None)
    assert summary(measured).loss.endswith(
        f" The report rounds this figure, because {WHY_ROUNDED}. The columns are weighted: age "
        "counts twice, sex once, zip once."
    )


def test_an_optimum_is_called_one() -> None:
    """With the number of policies it was chosen from."""
    said = proof(ReportedLoss("geometric", 0.2, 0.2, optimal=True), _SEARCH)
    assert said.startswith("The policy is optimal among the 12,960 policies")


@pytest.mark.parametrize(
    ("ending", "why"),
    [
        ("time limit", "because it reached the time limit"),
        ("interrupted", "because it was interrupted"),
        ("memory", "(memory)"),
    ],
)
def test_a_stopped_search_says_why_and_within_how_much(ending: str, why: str) -> None:
    """It is not called optimal."""
    said = proof(ReportedLoss("geometric", 0.4, 0.3), replace(_SEARCH, ending=ending))
    assert why in said
    assert "at most 25% of the loss" in said
    assert "optimal" not in said


@pytest.mark.parametrize("bound", [None, 0.0])
def test_without_a_bound_nothing_is_proven(bound: float | None) -> None:
    """A heuristic's answer may be far from the best."""
    said = proof(ReportedLoss("geometric", 0.4, bound), _SEARCH)
    assert said == (
        "The search is complete, but it does not prove that the policy is optimal. A better policy "
        "may exist. It is not known how much better it is."
    )


def test_a_search_that_ends_by_itself_says_what_it_proves() -> None:
    """It was not stopped."""
    said = proof(ReportedLoss("geometric", 0.4, 0.3), _SEARCH)
    assert said.startswith(
        "The search is complete, but it does not prove that the policy is optimal."
    )
    assert said.endswith("could avoid at most 25% of the loss.")


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (
            RecordCounts(10, 0, 4, failing=4),
            "were suppressed because their group does not meet A or B. They",
        ),
        (
            RecordCounts(10, 1, 0, uncovered=1),
            "because the policy does not cover its values. It is kept",
        ),
        (
            RecordCounts(10, 0, 6, failing=1, uncovered=2),
            "suppressed: 3 because their group is too small, 1 because its group does not meet A "
            "or B and 2 because the policy does not cover their values. They",
        ),
    ],
)
def test_the_reason_of_suppression_is_the_true_one(
    content: ReportContent, counts: RecordCounts, said: str
) -> None:
    """Too few others, another model, or an unforeseen value; with a number for each."""
    models = (Guarantee("a", "A", ""), Guarantee("b", "B", ""))
    assert said in summary(replace(content, counts=counts, guarantees=models)).removed


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("precision", "On average, the release uses about 25% of the levels of the hierarchies."),
        ("entropy", "The release loses about 25% of the entropy of the quasi-identifiers."),
        (
            "discernibility",
            "On average, a record cannot be distinguished from about 25% of all records.",
        ),
        ("class-size", "On average, a group of identical records has about 25% of all records."),
        ("divergence", "loses about 25% of the information in the joint distribution"),
        ("classification", "do not have the most frequent value of {ward} in their group."),
        ("beauty", "The release loses about 25%."),
    ],
)
def test_what_was_lost_is_told_in_the_words_of_the_measure(kind: str, said: str) -> None:
    """A measure without words is written as a number."""
    assert said in lost(ReportedLoss(None, 0.25, kind=kind, target="{ward}"))
