"""One report that uses every part of a content, and a way to change all its texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeAlias

import pytest
from prosecutors import prosecutor

from roadstead.reports.content import (
    Attribute,
    Guarantee,
    Measured,
    Promise,
    RecordCounts,
    ReportContent,
    ReportedColumns,
    ReportedLoss,
    ReportedPersons,
    ReportedSearch,
    Setting,
    Withheld,
)
from roadstead.risk.persons.prosecutor import PersonRisk
from roadstead.risk.persons.unicity import Share, Singled

Rewrite: TypeAlias = Callable[[ReportContent, Callable[[str], str]], ReportContent]


@pytest.fixture(scope="session")
def content() -> ReportContent:
    """A release of 1,000 records: 40 masked, 10 dropped, three quasi-identifiers."""
    return ReportContent(
        title="Stays of 2024",
        source="stays.csv",
        created="2025-03-04T05:06:07Z",
        version="0.1.0",
        promise=Promise(
            sentence="Every released record shares its quasi-identifiers with 4 others.",
            models=("5-anonymity",),
            k=5,
            limit_share=0.05,
            limit_records=50,
        ),
        counts=RecordCounts(records=1000, masked=40, dropped=10),
        attributes=(
            Attribute("sex", 0, 2, "kept as it is", 0.05),
            Attribute("age", 2, 5, "in bands of 10", 0.25, 2.0),
            Attribute("zip", 3, 4, "removed", 1.0),
        ),
        columns=ReportedColumns(
            sensitive=("diagnosis",),
            unchanged=("ward", "shift"),
            identifiers=("name",),
            withheld=(Withheld("remarks", "free text"),),
        ),
        classes_before=((1, 300), (2, 200), (5, 100), (40, 400)),
        classes_after=((5, 50), (9, 90), (10, 10), (100, 800)),
        risk_before=prosecutor(maximum=1.0, average=0.43, share_above_threshold=0.5, uniques=300),
        risk_after=prosecutor(maximum=0.2, average=29 / 950, share_above_threshold=0.0, uniques=0),
        loss=ReportedLoss("geometric", 0.4, 0.39),
        search=ReportedSearch("exact", "the best, proven", 77, 12_960, "time limit", 1.5),
        guarantees=(
            Guarantee(
                "t-closeness",
                "0.2-closeness of diagnosis",
                "In every class the diagnoses are much as in the whole table.",
                ("diagnosis",),
                Measured("largest distance", "0.191", "at most 0.2"),
            ),
            Guarantee("entropy-l-diversity", "entropy 2-diversity", "They are mixed."),
        ),
        settings=(Setting("k", "5", "records that look the same"),),
        notes=("Hierarchies were proposed from the columns alone.",),
        assumptions=("Each record is about another person.",),
    )


@pytest.fixture(scope="session")
def content_of_persons(content: ReportContent) -> ReportContent:
    """The same for 400 people, with two known rows each."""
    before = PersonRisk(2, 1.0, 0.4, 0.3, 0.2, 400, 120, 60, 1, 9, ((1, 60), (4, 60), (9, 280)))
    after = PersonRisk(2, 0.2, 0.1, 0.0, 0.2, 380, 0, 0, 5, 10, ((5, 80), (10, 300)))
    return replace(
        content,
        persons=ReportedPersons(
            column="patient",
            known="any two rows",
            k=5,
            persons=400,
            released=380,
            in_part=0,
            all_rows=None,
            whole=True,
            before=before,
            after=after,
            unicity_before=(
                Singled(1, Share(0.1, 0.1, 0.1), Share(0.02, 0.02, 0.02)),
                Singled(2, Share(0.3, 0.28, 0.32), Share(0.1, 0.08, 0.12)),
                Singled(None, Share(0.5, 0.5, 0.5), Share(0.4, 0.4, 0.4)),
            ),
            unicity_after=(
                Singled(1, Share(0.0, 0.0, 0.0), Share(0.0, 0.0, 0.0)),
                Singled(None, Share(0.2, 0.2, 0.2), Share(0.1, 0.1, 0.1)),
            ),
        ),
    )


@pytest.fixture(scope="session")
def rewrite() -> Rewrite:
    """Make a content in which every text is the given function of the original."""

    def change(value: Any, function: Callable[[str], str]) -> Any:  # noqa: ANN401 - any field
        if isinstance(value, str):
            return function(value)
        if isinstance(value, tuple):
            return tuple(change(item, function) for item in value)
        if is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in fields(value)]
            return replace(value, **{n: change(getattr(value, n), function) for n in names})
        return value

    def changed(content: ReportContent, function: Callable[[str], str]) -> ReportContent:
        result = change(content, function)
        assert isinstance(result, ReportContent)
        return result

    return changed
