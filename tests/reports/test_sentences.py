"""The summary says what was measured, and no more than was proven."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roadstead.reports.content import (
    ClassSizes,
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
    records, columns, risk, lost = summary(content)
    assert records == (
        "Of the 1,000 records in stays.csv, 50 (5%) were suppressed because too few others look "
        "the same: 40 rows with * for every quasi-identifier stay and 10 are left out. The other "
        "950 are released with the values described below."
    )
    assert columns == (
        "Of the 3 quasi-identifiers (what others may know of a person), 1 is kept as it is, 1 is "
        "made coarser and 1 is removed altogether. Of the other columns, 3 are released unchanged "
        "and 2 are not released."
    )
    assert "at most 20% (1 in 5); in the source it was 100%." in risk
    assert lost.startswith("The release loses about 40% of the detail")
    assert "could avoid at most 2.5% of the loss" in lost


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (RecordCounts(1, 0, 0), "Of the 1 record in stays.csv, none had to be suppressed."),
        (
            RecordCounts(10, 1, 0),
            "1 (10%) was suppressed because too few others look the same: its row",
        ),
        (RecordCounts(10, 0, 1), "it is left out. The other 9 are"),
        (
            RecordCounts(10, 9, 0),
            "their rows stay, with * for every quasi-identifier. The other 1 is",
        ),
        (RecordCounts(10, 0, 10), "10 (100%) were suppressed"),
    ],
)
def test_what_became_of_the_suppressed_records(
    content: ReportContent, counts: RecordCounts, said: str
) -> None:
    """None, one, some or all, kept with stars or left out."""
    assert said in summary(replace(content, counts=counts))[0]


def test_nothing_is_said_of_the_others_when_there_are_none(content: ReportContent) -> None:
    """With everything suppressed there is no other record."""
    empty = replace(content, counts=RecordCounts(10, 0, 10), classes_after=ClassSizes(()))
    told = summary(empty)
    assert told[0].endswith("they are left out.")
    assert told[2].startswith("No record is released with its quasi-identifiers")


def test_columns_are_not_mentioned_where_there_are_none(content: ReportContent) -> None:
    """A table of quasi-identifiers alone."""
    assert "other columns" not in " ".join(summary(replace(content, columns=ReportedColumns())))


def test_without_quasi_identifiers_none_are_counted(content: ReportContent) -> None:
    """What is left to say is said of the other columns."""
    told = summary(replace(content, attributes=()))
    assert told[1].startswith("Of the other columns, 3 are")


def test_a_given_policy_claims_no_proof(content: ReportContent) -> None:
    """Neither a loss that was not measured nor a search that was not made is told of."""
    given = replace(content, loss=None, search=None)
    assert summary(given)[-1] == "What the release loses was not measured."
    measured = replace(content, search=None)
    assert summary(measured)[-1].endswith(
        f"the quasi-identifiers. This is rounded, because {WHY_ROUNDED}."
    )


def test_an_optimum_is_called_one() -> None:
    """With the number of policies it was chosen from."""
    said = proof(ReportedLoss("geometric", 0.2, 0.2, optimal=True), _SEARCH)
    assert said.startswith("The policy is optimal among the 12,960 policies")


@pytest.mark.parametrize(
    ("ending", "why"),
    [
        ("time limit", "because the time limit was reached"),
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
        "The search ended by itself, and proves no more: a better policy may exist, and by how "
        "much is not known."
    )


def test_a_search_that_ends_by_itself_says_what_it_proves() -> None:
    """It was not stopped."""
    said = proof(ReportedLoss("geometric", 0.4, 0.3), _SEARCH)
    assert said.startswith("The search ended by itself, and proves no more: ")
    assert said.endswith("could avoid at most 25% of the loss.")


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (
            RecordCounts(10, 0, 4, failing=4),
            "were suppressed because their class does not satisfy A or B: they",
        ),
        (
            RecordCounts(10, 1, 0, uncovered=1),
            "because the policy does not cover its values: its row",
        ),
        (
            RecordCounts(10, 0, 6, failing=1, uncovered=2),
            "suppressed, 3 because too few others look the same, 1 because its class does not "
            "satisfy A or B and 2 because the policy does not cover their values: they",
        ),
    ],
)
def test_the_reason_of_suppression_is_the_true_one(
    content: ReportContent, counts: RecordCounts, said: str
) -> None:
    """Too few others, another model, or a value that nobody foresaw; with a number for each."""
    models = (Guarantee("a", "A", ""), Guarantee("b", "B", ""))
    assert said in summary(replace(content, counts=counts, guarantees=models))[0]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("precision", "The release climbs about 25% of the levels of the hierarchies."),
        ("entropy", "The release loses about 25% of the entropy of the quasi-identifiers."),
        ("discernibility", "On average a record cannot be told from about 25% of all records."),
        ("class-size", "look the same holds about 25% of all records on average."),
        ("divergence", "loses about 25% of what there is to lose of the joint distribution"),
        ("classification", "do not have the value of {ward} that is most frequent in their class."),
        ("beauty", "The release loses about 25%."),
    ],
)
def test_what_was_lost_is_told_in_the_words_of_the_measure(kind: str, said: str) -> None:
    """A measure nobody has words for is told as a number."""
    assert said in lost(ReportedLoss(None, 0.25, kind=kind, target="{ward}"))
