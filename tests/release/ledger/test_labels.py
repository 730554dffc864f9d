"""Columns whose cells are written in another way than in an earlier release."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from roadstead.release.ledger.classes import CellsOfClasses, ReleasedClasses
from roadstead.release.ledger.labels import column_without_common_labels


@pytest.mark.parametrize(
    ("labels", "unlike"),
    [
        (("female", "male"), "sex"),
        (("F", "*"), None),
        (("*",), None),
        (("*", "", None), None),
        ((), None),
    ],
)
def test_a_column_without_values_is_not_written_in_another_way(
    labels: Sequence[str | None], unlike: str | None
) -> None:
    """Fault class: a new release with only * in a column led to a warning about its values."""
    rows = CellsOfClasses((), (), (), (), (0, 1), (5, 5))
    earlier = ReleasedClasses(("sex",), (("F", "M"),), ((0, 1),), (5, 5), rows)
    assert column_without_common_labels(earlier, {"sex": labels}) == unlike
