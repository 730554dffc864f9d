"""A risk is compared with the threshold as written, and with no threshold that was not set."""

from __future__ import annotations

from fractions import Fraction

import pytest

from roadstead.determination.answers import AllAnswers
from roadstead.determination.figures import MeasuredRelease
from roadstead.determination.thresholds import compared, rounds_to
from roadstead.release.facts import CertifiedFigure


def release(**figures: object) -> MeasuredRelease:
    """Make a release with these figures."""
    made = {
        name.replace("_", "-"): CertifiedFigure(
            name.replace("_", "-"), "certificate.json", "risk", value
        )
        for name, value in figures.items()
    }
    return MeasuredRelease("table", "a" * 64, "0", "2026-01-01", made, (), ())


def answers(**given: dict[str, object]) -> AllAnswers:
    """Make answers."""
    return AllAnswers.model_validate(given)


NONE = answers()


@pytest.mark.parametrize("k", range(1, 31))
def test_a_group_of_k_is_within_nine_percent_from_twelve_on(k: int) -> None:
    """By fractions; a group of eleven is above 0.09, and is it when rounded."""
    found = compared(release(risk_maximum=1 / k, risk_average=1 / (2 * k)), NONE, 0.09)
    maximum, average = found["threshold-maximum"].value, found["threshold-average"].value
    assert maximum["under"] == (Fraction(1, k) <= Fraction(9, 100)) == (k >= 12)
    assert average["under"] == (Fraction(1, 2 * k) <= Fraction(9, 100))
    assert maximum["rounds"] == (k == 11)


def test_a_risk_that_is_the_threshold_is_within_it() -> None:
    """And one a little above is not."""
    for risk, under in ((0.09, True), (0.0900001, False), (0.0899999, True)):
        found = compared(release(risk_maximum=risk), NONE, 0.09)
        assert found["threshold-maximum"].value["under"] is under
    assert rounds_to(0.0949, 0.09)
    assert not rounds_to(0.0951, 0.09)
    assert not rounds_to(0.09, 0.09)
    assert not rounds_to(0.0851, 0.09)


def test_nothing_is_compared_where_something_is_missing() -> None:
    """No risk, no threshold, no measure, no probability."""
    assert compared(release(epsilon=[1.0, "a record"]), NONE, 0.09) == {}
    assert compared(release(risk_maximum=0.2), NONE, None) == {}
    only = answers(threshold={"value": 0.1})
    assert compared(release(risk_maximum=0.2), only, None) == {}
    measure = answers(threshold={"measure": "average"})
    assert compared(release(risk_maximum=0.2), measure, None) == {}
    likely = answers(attackers={"probability": 0.5})
    assert compared(release(epsilon=[1.0, "a record"]), likely, None) == {}


def test_a_column_that_undoes_groups_raises_the_highest_risk() -> None:
    """Fault class: only the groups of the release were compared with the threshold."""
    undone = {"maximum": 0.5, "at_least": False}
    found = compared(release(risk_maximum=0.05, risk_undone=undone), NONE, 0.09)
    value = found["threshold-maximum"].value
    assert (value["risk"], value["under"]) == (0.5, False)
    lower = release(risk_maximum=0.05, risk_undone={"maximum": 0.5, "at_least": True})
    assert compared(lower, NONE, 0.09) == {}  # the highest risk is not known


@pytest.mark.parametrize("measure", ["maximum", "average"])
def test_people_s_own_threshold_is_of_the_measure_they_chose(measure: str) -> None:
    """Not of the other."""
    given = answers(threshold={"value": 0.1, "measure": measure})
    found = compared(release(risk_maximum=0.2, risk_average=0.05), given, None)
    assert found["own-threshold"].value["under"] is (measure == "average")
    assert found["own-threshold"].value["risk"] == {"maximum": 0.2, "average": 0.05}[measure]


@pytest.mark.parametrize(
    ("threshold", "probability", "under"),
    [({}, 0.3, None), ({"value": 0.05}, 0.3, False), ({"value": 0.07}, 0.3, True)],
)
def test_the_risk_over_all_is_a_product(
    threshold: dict[str, object], probability: float, *, under: bool | None
) -> None:
    """The maximum is used by default, instead of the average."""
    given = answers(threshold=threshold, attackers={"probability": probability})
    value = compared(release(risk_maximum=0.2, risk_average=0.05), given, None)["overall"].value
    assert value["overall"] == pytest.approx(0.06)
    assert value["under"] is under


@pytest.mark.parametrize(
    ("model", "probability", "wrong"),
    [("public", 0.3, True), ("public", 1.0, False), ("outside", 0.3, False)],
)
def test_in_public_an_attack_is_certain(model: str, probability: float, *, wrong: bool) -> None:
    """Fault class: a public release within the threshold because no attack is assumed."""
    given = answers(recipient={"model": model}, attackers={"probability": probability})
    value = compared(release(risk_maximum=0.2), given, None)["overall"].value
    assert value["not_certain"] is wrong


def test_of_a_whole_database_the_risk_is_a_bound() -> None:
    """It was promised and not measured; of the average nothing is known."""
    found = compared(release(k_of_tables=[20, 1]), NONE, 0.09)
    assert set(found) == {"threshold-maximum"}
    value = found["threshold-maximum"].value
    assert (value["risk"], value["under"], value["bound"]) == (0.05, True, True)
