"""Notes about settings of a project file that the recommended model does not use."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from roadstead.front_end import naming
from roadstead.reports.risk.advice import Advice, not_in_model
from roadstead.reports.risk.questions import Answers
from roadstead.web.words import PageNaming


def _notes(model: str, k: int | None = 5, *, population: bool = False) -> Sequence[str]:
    advice = Advice("journalist", model, 5, 5, 0.2, None, Answers(), (), (), ())
    return [*not_in_model(advice, k, population=population)]


@pytest.mark.parametrize("model", ["k-anonymity", "person-anonymity"])
def test_the_k_of_records_and_of_people_is_used(model: str) -> None:
    """If a person ID is named, the k of the file is the number of people."""
    assert _notes(model) == []


def test_the_page_names_its_own_fields() -> None:
    """A user of the page may have no project file."""
    assert "Remove it there" in _notes("k-map")[0]
    with naming(PageNaming()):
        notes = [*_notes("estimated-k-map", population=True)]
    assert notes[0].startswith("“Smallest group (k)” also requires")
    assert not any("project file" in one for one in notes)
