"""A contingency table compared with the list of all its cells."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from diffgen_by_hand import Scripted
from drawn_cuts import cuts, told
from effort import unhurried
from hypothesis import assume, given
from hypothesis import strategies as st
from private_tables import Case, Categories, Items, Numbers, cases, private_table, taxonomy

from roadstead.differential.budget import BudgetStep, Grant
from roadstead.differential.comparators import contingency_table, finest_cuts
from roadstead.differential.domains import (
    AttributeCut,
    CategoricalCut,
    NumericCut,
    NumericDomain,
    SetCut,
)
from roadstead.differential.synthesis import NoisyGroups
from roadstead.errors import SettingError

GRANT = Grant(BudgetStep("groups"), Fraction(1, 2))
Told = tuple[object, ...]


def two(epsilon: Fraction, tests: int) -> int:  # noqa: ARG001 - a threshold
    """List counts of 2."""
    return 2


def values(cut: AttributeCut) -> list[Told]:
    """List all that a cut can say; sets in the order of their nodes as bits, the first lowest."""
    match cut:
        case NumericCut(bounds=bounds):
            return [(pair,) for pair in pairwise(bounds)]
        case CategoricalCut():
            return [(label,) for label in cut.labels]
        case SetCut(nodes=nodes):
            if nodes == (0,):
                return [()]
            bits = product((False, True), repeat=len(nodes))
            return [tuple(reversed(one)) for one in bits]


def released(found: NoisyGroups) -> dict[tuple[Told, str], int]:
    """Give the listed cells and their counts."""
    groups, cells = found.groups, {}
    for row, counts in enumerate(found.counts.tolist()):
        said: list[object] = []
        for cut, codes, sets in zip(groups.cuts, groups.codes, groups.combinations, strict=True):
            code = int(codes[row])
            if sets is None:
                said.append(values(cut)[code])
            elif isinstance(cut, SetCut) and cut.is_specialized:
                said.append(tuple(place in sets[code] for place in range(len(cut.nodes))))
            else:
                said.append(())
        for label, count in zip(found.classes, counts, strict=True):
            if count:
                cells[tuple(said), label] = count
    return cells


@unhurried
@given(cases(), st.integers(0, 99), st.data())
def test_it_counts_all_cells_as_if_they_were_listed(
    case: Case, seed: int, data: st.DataObject
) -> None:
    """Cells with records get noise; other cells are listed only if the noise lifts them."""
    table, chosen = private_table(case), data.draw(cuts(case))
    combinations = list(product(*(values(cut) for cut in chosen)))
    assume(len(combinations) <= 5000)
    cells = list(product(combinations, case.classes))
    true = Counter(
        (tuple(told(cut, value) for cut, value in zip(chosen, record, strict=True)), label)
        for record, label in case.records
    )
    occupied = [cell for cell in cells if true[cell]]
    empty = [cell for cell in cells if not true[cell]]
    assert len(occupied) == len(true)
    chance = Scripted(seed)
    noisy = chance.count(GRANT, np.array([true[cell] for cell in occupied], dtype=np.int64))
    places, drawn = chance.exceeding(GRANT, len(empty), 2)
    expected = {c: int(n) for c, n in zip(occupied, noisy, strict=True) if n >= 2}
    expected |= {empty[place]: int(n) for place, n in zip(places, drawn, strict=True)}
    mechanisms = Scripted(seed)
    found = contingency_table(table, chosen, GRANT, two, mechanisms)
    assert mechanisms.asked == chance.asked
    assert released(found) == expected
    assert found.groups.size == len({said for said, _ in expected})
    assert (found.all_groups, found.least) == (len(combinations), 2)


def test_every_value_is_told_and_numbers_in_equal_bands() -> None:
    """10 steps in 3 bands are 3, 3 and 4; 2 steps in 3 bands are 2 bands."""
    tree = {"c": ("d", "e"), "d": ("f", "g"), "e": (), "f": (), "g": ()}
    case = Case(
        (Numbers("a", 10), Numbers("b", 2), Categories("c", tree), Items("c", tree)), ("1",), ()
    )
    found = finest_cuts(private_table(case).domains, 3)
    assert [cut.bounds for cut in found if isinstance(cut, NumericCut)] == [
        (0, 3, 6, 10),
        (0, 1, 2),
    ]
    assert [cut.labels for cut in found[2:]] == [("f", "g", "e")] * 2
    own = found[2]
    assert isinstance(own, CategoricalCut)
    leaves = own.domain.taxonomy.locate(taxonomy("c", tree).leaf_labels)
    assert own.of(leaves).tolist() == [0, 1, 2]


def test_more_cells_than_can_be_numbered_are_refused() -> None:
    """62 numbers of two halves and two classes are 2^63 cells."""
    case = Case(tuple(Numbers(f"x{at}", 2) for at in range(62)), ("1", "0"), ())
    table = private_table(case)
    with pytest.raises(SettingError, match=r"at least 10\^18 cells; release fewer attributes"):
        contingency_table(table, finest_cuts(table.domains, 2), GRANT, two, Scripted(0))


def test_a_range_has_a_band() -> None:
    """No band is an error."""
    with pytest.raises(SettingError, match="0 bands"):
        finest_cuts((NumericDomain("x", Decimal(0), Decimal(9)),), 0)
