"""The synthetic survey: always the same, skewed, correlated, and of the stated size."""

from __future__ import annotations

import numpy as np

from roadstead_reproductions.survey import QUESTIONS, RECORDS, Survey, demographics_and, survey


def column(made: Survey, name: str) -> np.ndarray:
    """Codes of an attribute, one a record."""
    codes = made.table.codes[made.table.attributes.index(name)]
    return np.repeat(codes, made.table.counts)


def test_a_seed_makes_one_survey_and_another_seed_another() -> None:
    """On every machine."""
    one, same, other = survey(2_000, seed=1), survey(2_000, seed=1), survey(2_000, seed=2)
    assert all((a == b).all() for a, b in zip(one.table.codes, same.table.codes, strict=True))
    assert any((column(one, name) != column(other, name)).any() for name in QUESTIONS)


def test_it_has_the_lattice_that_it_promises() -> None:
    """Sixteen attributes, 3^10 * 1440 policies, and almost as many combinations as records."""
    made = survey()
    assert made.table.records == RECORDS
    assert np.prod([h.height for h in made.hierarchies]) == 3**10 * 1440
    assert made.table.distinct > 0.99 * RECORDS


def test_answers_are_skewed_and_lean_the_same_way() -> None:
    """No difficulty is the most frequent answer; difficulties come together, and with age."""
    made = survey(20_000)
    answers = np.stack([column(made, name) for name in QUESTIONS])
    for own in answers:
        shares = np.bincount(own, minlength=4) / own.size
        assert (np.diff(shares) < 0).all()
    between = np.corrcoef(np.vstack([answers, column(made, "age")]))
    assert (between > 0.02).all()


def test_fewer_attributes_are_the_same_people() -> None:
    """The table is projected, the hierarchies are those of the attributes left."""
    part = survey(2_000).of(demographics_and(2))
    assert part.table.attributes == (*demographics_and(0), *QUESTIONS[:2])
    assert [h.attribute for h in part.hierarchies] == list(part.table.attributes)
    assert part.table.records == 2_000
