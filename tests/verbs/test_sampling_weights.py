"""A survey's weight is withheld with its reason; the weight of a body is a quasi-identifier."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import roadstead as rs
from roadstead.reports.scan.facts import ColumnProposal

RECORDS = 500
_CHANCE = random.Random(8)  # noqa: S311 - made-up values keep no secret


def drawn(draw: Callable[[], float]) -> list[float]:
    return [draw() for _ in range(RECORDS)]


SURVEY = {
    "normalized": drawn(lambda: _CHANCE.lognormvariate(-0.1, 0.5)),
    "people represented": drawn(lambda: 2_500 * _CHANCE.lognormvariate(0, 0.6)),
    "people in a small country": drawn(lambda: 85 * _CHANCE.lognormvariate(0, 0.3)),
}
BODIES = {
    "kilograms": drawn(lambda: round(_CHANCE.gauss(76, 14), 1)),
    "single precision": [float(np.float32(round(_CHANCE.gauss(76, 14), 1))) for _ in range(500)],
    "from pounds": drawn(lambda: round(_CHANCE.gauss(168, 30)) * 0.45359237),
    "from tenths of a pound": drawn(lambda: round(_CHANCE.gauss(168, 30), 1) / 2.2),
    "whole pounds": drawn(lambda: round(_CHANCE.gauss(168, 30))),
    "newborns in grams": drawn(lambda: round(_CHANCE.gauss(3_400, 500))),
}


def scanned(
    folder: Path, name: str, values: Sequence[float], label: str = "", kind: str = "sav"
) -> ColumnProposal:
    """Scan a made-up health survey with a column of weights."""
    chance = random.Random(1)  # noqa: S311 - made-up values keep no secret
    table = pd.DataFrame(
        {
            "age": [chance.randint(18, 80) for _ in values],
            "sex": [chance.choice((1.0, 2.0)) for _ in values],
            "smoker": [chance.choice((0.0, 1.0)) for _ in values],
            name: values,
        }
    )
    path = folder / f"survey.{kind}"
    if kind == "csv":
        table.to_csv(path, index=False)
    elif kind == "sav":
        pyreadstat.write_sav(table, path, column_labels={name: label})
    else:
        pyreadstat.write_dta(table, path, column_labels={name: label})
    (found,) = (one for one in rs.scan(path).columns if one.name == name)
    return found


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", ["sav", "dta", "csv"])
@pytest.mark.parametrize("values", SURVEY)
@pytest.mark.parametrize("name", ["weight", "WT", "wgt"])
def test_the_values_show_that_a_weight_is_of_a_survey(
    name: str, values: str, kind: str, tmp_path: Path
) -> None:
    """Fault class: an SPSS survey's `weight` was proposed as a quasi-identifier."""
    found = scanned(tmp_path, name, SURVEY[values], kind=kind)
    assert found.role is None
    assert found.reason.startswith("its values look like a sampling weight")


@pytest.mark.quick(4)
@pytest.mark.parametrize("kind", ["sav", "csv"])
@pytest.mark.parametrize("values", BODIES)
def test_the_weight_of_a_body_is_not_withheld(values: str, kind: str, tmp_path: Path) -> None:
    """In kilograms or pounds, or converted from one to the other."""
    found = scanned(tmp_path, "weight", BODIES[values], kind=kind)
    assert found.role == "quasi"


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", ["sav", "dta"])
@pytest.mark.parametrize("name", ["weight", "w12"])
@pytest.mark.parametrize("label", ["Household weight", "Cross-sectional weight, all adults"])
def test_a_label_shows_the_weight_of_a_survey(
    label: str, name: str, kind: str, tmp_path: Path
) -> None:
    """Also if its values could be of a body."""
    found = scanned(tmp_path, name, BODIES["kilograms"], label, kind)
    assert found.role is None
    assert found.reason.startswith("a sampling weight; ")
    assert found.reason.endswith("(by its label in the file)")


@pytest.mark.nightly
def test_a_label_shows_the_weight_of_a_body(tmp_path: Path) -> None:
    """Preterm newborns weigh about as much as a normalized weight of a survey."""
    values = drawn(lambda: round(_CHANCE.gauss(1.3, 0.2), 3))
    assert scanned(tmp_path, "weight", values).role is None
    assert scanned(tmp_path, "weight", values, "Weight on admission (kg)").role == "quasi"
    examined = scanned(tmp_path, "exwt", BODIES["kilograms"], "Examination weight (kg)")
    assert not examined.reason.startswith("a sampling weight")


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", ["pweight", "hv005", "WTSSALL", "panel_weight", "ponderacion"])
def test_the_names_of_public_surveys_are_known(name: str, tmp_path: Path) -> None:
    """Whatever their values are."""
    found = scanned(tmp_path, name, [*map(round, SURVEY["people represented"])])
    assert found.role is None
    assert found.reason.startswith("a sampling weight; ")
