"""Properties that a search relies on if a model names its monotone part."""

from __future__ import annotations

import numpy as np
import pytest
from effort import unhurried
from hypothesis import given
from hypothesis import strategies as st
from lattices import Case, cases, chains
from toy_models import Balanced, DistinctValues, EvenClasses, Histogram, histograms

from roadstead.policies.classes import Classes, classes_at, keep
from roadstead.privacy.models.k_anonymity import KAnonymity
from roadstead.privacy.protocol import BoundPrivacy


def model_of(kind: str, case: Case, histogram: Histogram) -> BoundPrivacy:
    """Make one of the models for a case."""
    if kind == "k-anonymity":
        return KAnonymity(case.k)
    if kind == "even":
        return EvenClasses()
    return DistinctValues(2, histogram) if kind == "distinct" else Balanced(histogram)


def kept_rows(model: BoundPrivacy, classes: Classes) -> set[int]:
    """Rows of the classes that satisfy a model."""
    return set(keep(classes, model.satisfied(classes))[0].rows.tolist())


@pytest.mark.parametrize("kind", ["k-anonymity", "even", "distinct", "balanced"])
@unhurried
@given(cases(), st.data())
def test_the_monotone_part_is_weaker_and_monotone(
    kind: str, case: Case, data: st.DataObject
) -> None:
    """If classes satisfy the model, they satisfy the part, also after they merge."""
    model = model_of(kind, case, data.draw(histograms(case)))
    specific, _, general = data.draw(chains(case))
    encoding = case.encoding()
    fine, coarse = classes_at(encoding, specific), classes_at(encoding, general)
    part = model.monotone_part
    assert part.monotone_part is part
    assert not (model.satisfied(fine) & ~part.satisfied(fine)).any()
    assert kept_rows(part, fine) <= kept_rows(part, coarse)


@pytest.mark.parametrize("kind", ["k-anonymity", "even", "distinct", "balanced"])
@unhurried
@given(cases(), st.data())
def test_no_classes_get_no_answers(kind: str, case: Case, data: st.DataObject) -> None:
    """A policy may suppress everything; the model is called nevertheless."""
    model = model_of(kind, case, data.draw(histograms(case)))
    classes = classes_at(case.encoding(), tuple(a.height - 1 for a in case.attributes))
    nothing, _ = keep(classes, np.zeros(classes.sizes.size, dtype=np.bool_))
    assert model.satisfied(nothing).tolist() == []
