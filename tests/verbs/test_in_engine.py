"""Anonymize with more combinations than may be held in memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from published_tables import TABLES
from two_ways import FEW, facts, released_alike

from roadstead.cohort import generate
from roadstead.errors import NoPolicyError, SettingError
from roadstead.jobs import Observer
from roadstead.search.protocol import Progress
from roadstead.tables.frequency import summarize, summarize_within
from roadstead.tables.reading import read
from roadstead.verbs.anonymize import in_engine
from roadstead.verbs.anonymize.request import AnonymizeRequest
from roadstead.verbs.functions import anonymize

QUASI = ("sex", "birth_date", "zip", "race")


@pytest.fixture(scope="module")
def patients() -> pd.DataFrame:
    """The patients of the demonstration."""
    return pd.DataFrame(generate(3_000, 1))


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "request_of",
    [
        {},
        pytest.param(
            {"k": 11, "suppression": 0.02, "aggregate": "arithmetic", "suppressed": "drop"},
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            {"weights": {"zip": 3.0}, "min_level": {"zip": 1}, "max_level": {"race": 0}},
            marks=pytest.mark.nightly,
        ),
        {"privacy": [{"kind": "estimated-k-map", "k": 20, "fraction": 0.2, "estimator": "d2"}]},
    ],
    ids=["usual", "strict", "weighed", "estimated"],
)
def test_the_release_of_the_cohort_is_the_same(
    patients: pd.DataFrame, tmp_path: Path, request_of: dict[str, Any]
) -> None:
    """Policy, rows, counts, risk before and after, and loss."""
    memory, engine = released_alike(patients, tmp_path, quasi=QUASI, **request_of)
    assert engine.risk_before == memory.risk_before
    assert engine.to_arrow().equals(memory.to_arrow())


@pytest.mark.nightly
def test_the_release_of_adult_is_the_same(data_dir: Path, tmp_path: Path) -> None:
    """Seven quasi-identifiers, with the published hierarchies."""
    table = TABLES["adult"]
    memory, engine = released_alike(
        data_dir / table.file,
        tmp_path,
        quasi=table.first(7),
        hierarchies=data_dir / table.hierarchies,
    )
    assert engine.outcome.evaluated == memory.outcome.evaluated
    assert engine.outcome.queries < 100


@pytest.mark.nightly
def test_queries_are_told(patients: pd.DataFrame, tmp_path: Path) -> None:
    """In the summary, the JSON, the certificate and the report."""
    found = anonymize(patients, quasi=QUASI, combinations=FEW)
    queries = found.outcome.queries
    assert f"found with {queries} queries in the database" in str(found)
    assert found.to_dict()["queries"] == queries
    assert (found.draft.search or {})["queries"] == queries
    found.write(tmp_path / "release")
    report = (tmp_path / "release" / "report.html").read_text("utf-8")
    assert f"the search ran {queries} queries in the database" in report


def test_the_progress_line_tells_queries() -> None:
    """Where there are any."""
    usual = Progress(evaluated=7, seconds=2.0, best=None, lower_bound=0.0, open=3)
    assert AnonymizeRequest.progress_line(usual).endswith("7 policies evaluated")
    assert AnonymizeRequest.progress_line(replace(usual, queries=12)).endswith(
        "7 policies evaluated with 12 queries"
    )


def test_as_many_combinations_as_are_allowed_are_held(patients: pd.DataFrame) -> None:
    """One more, and the stream is ended."""
    source = read(patients)
    distinct = summarize(source, QUASI).distinct
    held = summarize_within(source, QUASI, most=distinct)
    assert held is not None
    assert held.distinct == distinct
    assert summarize_within(source, QUASI, most=distinct - 1) is None
    assert summarize(source, QUASI).distinct == distinct  # the engine still answers


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("request_of", "where", "fix"),
    [
        ({"search": "flash"}, "search", 'search="exact"'),
        ({"search": "datafly"}, "search", 'search="exact"'),
        ({"quality": "entropy"}, "quality", 'quality="loss"'),
        (
            {"privacy": [{"kind": "distinct-l-diversity", "column": "diagnosis", "l": 2}],
             "sensitive": ["diagnosis"]},
            "privacy",
            "k-anonymity alone",
        ),
    ],
    ids=["flash", "datafly", "quality", "privacy"],
)  # fmt: skip
def test_what_needs_the_rows_is_refused(
    patients: pd.DataFrame, request_of: dict[str, Any], where: str, fix: str
) -> None:
    """The option is named, and both ways out."""
    with pytest.raises(SettingError) as refused:
        anonymize(patients, quasi=QUASI, combinations=FEW, **request_of)
    assert refused.value.where == where
    assert "more than 100" in refused.value.what
    assert refused.value.fix == (f"raise combinations if memory allows, or use {fix}")
    anonymize(patients, quasi=QUASI, **request_of)


@pytest.mark.nightly
def test_a_population_is_refused(patients: pd.DataFrame) -> None:
    """No model that looks at one can be evaluated."""
    model = {"kind": "k-map", "k": 2}
    with pytest.raises(SettingError, match="2-map needs all distinct combinations"):
        anonymize(patients, quasi=QUASI, combinations=FEW, population=patients, privacy=[model])


@pytest.mark.parametrize("number", [0, -1, 2.5])
def test_no_number_of_combinations_is_refused(patients: pd.DataFrame, number: Any) -> None:  # noqa: ANN401 - not a number of combinations
    """The option is named."""
    with pytest.raises(SettingError, match="combinations"):
        anonymize(patients, quasi=QUASI, combinations=number)


def test_a_best_policy_of_too_many_classes_is_refused(
    patients: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The release must fit into memory."""
    monkeypatch.setattr(in_engine, "ALWAYS", 0)
    with pytest.raises(
        SettingError, match="more than 90 distinct values, which is too many for memory"
    ):
        anonymize(patients, quasi=("sex", "zip"), combinations=90, k=2, suppression=0.0)


@pytest.mark.nightly
def test_why_there_is_no_policy_is_told_as_from_memory(patients: pd.DataFrame) -> None:
    """Word for word."""
    told = []
    for combinations in (FEW, 10**6):
        with pytest.raises(NoPolicyError) as none:
            anonymize(
                patients,
                quasi=QUASI,
                k=50,
                suppression=0.0,
                max_level={"zip": 1, "birth_date": 1},
                combinations=combinations,
            )
        told.append(none.value.message)
    assert told[0] == told[1]
    assert "no policy meets 50-anonymity" in told[0]


@pytest.mark.nightly
def test_a_search_that_is_stopped_has_the_best_so_far(patients: pd.DataFrame) -> None:
    """And says how far it may be from the optimum."""
    asked = iter([False] * 3 + [True] * 1000)
    request = AnonymizeRequest(patients, quasi=QUASI, combinations=FEW)
    found = request.run(Observer(stopped=lambda: next(asked)))
    assert found.outcome.ending == "interrupted"
    assert not found.optimal
    assert found.outcome.lower_bound < found.loss
    whole = anonymize(patients, quasi=QUASI)
    assert found.outcome.lower_bound <= whole.loss <= found.loss
    assert facts(found)["records"] == len(patients)
