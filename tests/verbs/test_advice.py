"""The guidelines of paper 001: three answers and the known facts give an attacker and a model."""

from __future__ import annotations

from itertools import product

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import roadstead as rs
from roadstead.errors import SettingError
from roadstead.privacy.settings import model_from
from roadstead.reports.risk.advice import Advice, Circumstances, least_k
from roadstead.reports.risk.questions import QUESTIONS, Answers
from roadstead.verbs.risk.advice import advise
from roadstead.verbs.risk.settings import check_threshold

NONE_APPLIES = Answers(whole_population=False, membership_known=False, self_revealing=False)


def told(advice: Advice) -> str:
    """All that is said."""
    return " ".join(advice.statement)


@pytest.mark.parametrize("answers", [a for a in product([True, False], repeat=3) if any(a)])
@pytest.mark.parametrize("population", [None, "the people in census.csv"])
@pytest.mark.parametrize("fraction", [None, 0.1])
def test_any_yes_means_the_prosecutor(
    answers: tuple[bool, bool, bool], population: str | None, fraction: float | None
) -> None:
    """Whatever is known about the population, the answer is k-anonymity, with each reason."""
    found = advise(Answers(*answers), Circumstances(0.2, fraction, population))
    assert (found.attacker, found.model, found.k, found.least) == (
        "prosecutor",
        "k-anonymity",
        5,
        5,
    )
    assert found.options == ("--k", "5")
    for question, answer in zip(QUESTIONS, answers, strict=True):
        assert (question.yes in told(found)) is answer
    assert "5-anonymity" in told(found)
    assert found.says == "5-anonymity"


def test_a_known_population_means_k_map() -> None:
    """The journalist's own criterion, where it can be checked."""
    found = advise(NONE_APPLIES, Circumstances(0.2, 0.1, "the people in census.csv"))
    assert (found.attacker, found.model, found.k, found.least) == ("journalist", "k-map", 5, 1)
    assert found.options == ("--privacy", "k-map:k=5")
    assert "census.csv" in told(found)
    for question in QUESTIONS:
        assert question.no in told(found)


# FACTS of paper 001, method D4 at a significance of 0.1: the least class by fraction and k.
D4 = {
    (0.01, 5): 2,
    (0.05, 5): 3,
    (0.1, 5): 3,
    (0.1, 10): 4,
    (0.1, 20): 5,
    (0.2, 15): 6,
    (0.3, 20): 10,
    (0.4, 10): 8,
    (0.5, 5): 5,
    (0.6, 15): 14,
}


@pytest.mark.parametrize(("fraction", "k"), D4)
def test_a_known_size_means_the_test_d4(fraction: float, k: int) -> None:
    """With the k' of its table, and the option makes that very model."""
    found = advise(NONE_APPLIES, Circumstances(1 / k, fraction))
    assert (found.attacker, found.model, found.k) == ("journalist", "estimated-k-map", k)
    assert found.least == D4[fraction, k]
    assert f"k' = {found.least} " in told(found)
    assert len(found.notes) == 1
    assert ("k' equals k" in found.notes[0]) is (found.least == k)
    assert ("does not limit how many of the groups that pass have fewer" in found.notes[0]) is (
        found.least < k
    )
    kind, _, parameters = found.options[1].partition(":")
    settings = dict(part.split("=") for part in parameters.split(","))
    model = model_from({"kind": kind, **settings}, where="test")
    assert model.threshold == pytest.approx(1 / found.least)


def test_a_population_of_unknown_size_means_caution() -> None:
    """With as many matching records as people, the notes say which setting would lose less."""
    found = advise(NONE_APPLIES, Circumstances(0.1))
    assert (found.attacker, found.model, found.k) == ("journalist", "k-anonymity", 10)
    assert "sampling_fraction" in found.notes[0]


@given(threshold=st.floats(min_value=1e-6, max_value=0.999))
def test_k_is_the_least_that_keeps_the_threshold(threshold: float) -> None:
    """The least k is never 1, because 1 would protect no one."""
    k = least_k(threshold)
    assert 1 / k <= threshold * (1 + 1e-6)
    assert k == 2 or 1 / (k - 1) > threshold * (1 - 1e-6)


def test_a_threshold_of_one_over_k_means_k() -> None:
    """Whatever rounding makes of it."""
    assert [least_k(1 / k) for k in range(2, 2_000)] == list(range(2, 2_000))


@pytest.mark.parametrize("threshold", [0.0, 1.0, -0.1, float("inf"), float("nan")])
def test_a_threshold_is_above_0_and_below_1(threshold: float) -> None:
    """Others accept nothing, or everything."""
    with pytest.raises(SettingError, match="threshold"):
        check_threshold(threshold)


def test_missing_answers_are_named_by_their_options() -> None:
    """Both ways to answer, and only of those that are missing."""
    with pytest.raises(SettingError) as caught:
        advise(Answers(membership_known=True), Circumstances(0.2))
    message = caught.value.message
    for name in ("whole_population=True", "whole_population=False", "self_revealing=False"):
        assert name in message
    assert "membership" not in message


def test_a_fraction_of_1_is_the_whole_population() -> None:
    """An answer that says otherwise is a mistake somewhere."""
    with pytest.raises(SettingError, match="correct one of them"):
        advise(NONE_APPLIES, Circumstances(0.2, 1.0))


def test_a_finding_advises_by_what_it_knows() -> None:
    """Its threshold and its sampling fraction; the command names the columns."""
    table = pd.DataFrame({"age": ["1", "2"], "home town": ["X", "X"]})
    found = rs.risk(table, quasi=["age", "home town"], threshold=0.1, sampling_fraction=0.1)
    advice = found.advise(whole_population=False, membership_known=False, self_revealing=False)
    assert (advice.k, advice.least) == (10, 4)
    assert advice.to_dict()["least_class_size"] == 4
    assert found.command(advice).startswith(
        "roadstead anonymize DATA --quasi 'age,home town' --privacy estimated-k-map:k=10,"
    )
    with pytest.raises(SettingError, match="membership_known=True or membership_known=False"):
        found.advise(whole_population=False)
