"""The witness of the recoding searches, compared with cases computed by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from lattices import Attribute
from recodings_by_definition import Tiny, drawn, least_loss

from roadstead.search.protocol import Control
from roadstead.search.recoding.first_fit import first_fit_classes

AGES = Attribute("age", tuple("12345"), (tuple("12345"), tuple("AABBB"), ("*",) * 5), (1,) * 5)


def tiny(records: str, k: int, limit: int = 0, levels: tuple[int, int] = (0, 2)) -> Tiny:
    """Make a table of ages."""
    return Tiny((AGES,), tuple((one,) for one in records), k, limit, (1,), (levels,))


@pytest.mark.parametrize(
    ("case", "nodes", "intervals"),
    [
        (tiny("1122", 2), Fraction(0), Fraction(0)),
        (tiny("1122", 3), Fraction(1, 4), Fraction(1, 4)),
        (tiny("1234", 2), Fraction(3, 8), Fraction(1, 4)),  # 1-2 and 3-4, which is of B: 3-5
        (tiny("2233", 4), Fraction(1), Fraction(1, 4)),
        (tiny("115", 2), Fraction(1), Fraction(1)),
        (tiny("115", 2, limit=1), Fraction(1, 3), Fraction(1, 3)),
        (tiny("15", 3), None, None),
        (tiny("15", 3, limit=2), Fraction(1), Fraction(1)),
        (tiny("1122", 2, levels=(1, 1)), Fraction(1, 4), Fraction(0)),
        (tiny("1155", 4, levels=(0, 1)), None, Fraction(1)),
    ],
)
def test_by_hand(case: Tiny, nodes: Fraction | None, intervals: Fraction | None) -> None:
    """Small enough to be seen."""
    assert least_loss(case, intervals=False) == nodes
    assert least_loss(case, intervals=True) == intervals


def test_first_fit_is_never_better_than_the_best() -> None:
    """And what it finds loses what the definition says is possible at all."""
    alike = 0
    for seed in range(60):
        case = drawn(seed, 7)
        found = first_fit_classes(case.problem(intervals=False), Control())
        best = least_loss(case, intervals=False)
        if found.best is None or found.best.suppressed(case.problem(intervals=False)) > case.limit:
            continue
        assert best is not None
        assert found.loss >= float(best) - 1e-12
        alike += bool(np.isclose(found.loss, float(best)))
    assert alike > 10
