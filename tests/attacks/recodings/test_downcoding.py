"""Downcoding finds what it should, and claims nothing if there is nothing to find."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from attacked import drawing, in_order, problem_of
from effort import sparing
from hypothesis import given
from hypothesis import strategies as st
from small_tables import Row

from roadstead.attacks.recodings.attempt import attempt
from roadstead.attacks.recodings.downcoding import (
    CELLS,
    MINIMAL,
    ORDER,
    RECORDS,
    TIGHT,
    Downcoding,
    downcode,
)
from roadstead.attacks.recodings.gain import Gain
from roadstead.attacks.recodings.regions import regions, weights_of
from roadstead.attacks.recodings.view import PublishedView, truth_of, view_of
from roadstead.policies.axes import axis
from roadstead.reports.recoding_attacks import attacked
from roadstead.search.protocol import Control
from roadstead.search.recoding.first_fit import first_fit_classes

GROUPS = [f"g{number:02d}" for number in range(15)]


def by_what(found: Downcoding) -> dict[tuple[str, str], Gain]:
    """Gains by what is known and what is guessed."""
    return {(one.knowledge, one.target): one for one in found.gains}


def without_margins(view: PublishedView) -> PublishedView:
    """Show an attacker to whom all values are equally frequent."""
    return replace(view, margins=tuple(np.ones_like(own) for own in view.margins))


def clustered() -> list[Row]:
    """Rows of fifteen groups: a dense cluster in each, and three records around it.

    That is Cohen's construction in the small. A minimal release shows the cluster exactly and the
    others as "anything", and so it says of them that they are not in the cluster.
    """
    chance = drawing(5)
    return [
        (group, value, "flu")
        for group in GROUPS
        for value in ["x"] * 6 + [chance.choice("yz") for _ in range(3)]
    ]


def test_what_a_minimal_release_hides_is_found_by_what_it_shows() -> None:
    """Guessing always says x and is always wrong; the attack says y or z."""
    problem = problem_of(clustered(), 3)
    parts = [[(0, at), (0, 0)] for at in range(15)] + [[(0, at), (1, 0)] for at in range(15)]
    recoded = in_order(problem, parts)
    found = downcode(view_of(problem, recoded), truth_of(problem, recoded))
    gain = by_what(found)[ORDER, CELLS]
    assert gain.guessing == 0.0
    assert gain.success >= 0.4
    assert gain.above_noise
    assert found.narrowed == 1.0
    assert by_what(found)[ORDER, RECORDS].above_noise
    assert (
        "So the groups reveal more than their generalized values."
        in attacked(attempt(problem, recoded))[0]
    )


def test_our_own_search_is_convicted_on_the_same_table() -> None:
    """First fit opens the clusters first: the attack is on the search, not on a made-up policy."""
    problem = problem_of(clustered(), 3)
    found = first_fit_classes(problem, Control()).best
    assert found is not None
    assert any(one.above_noise for one in attempt(problem, found).downcoding.gains)


def test_global_recoding_tells_nothing_by_its_order() -> None:
    """Classes of one level vector have nothing in common, so nothing is left out of a box."""
    chance = drawing(3)
    rows = [(chance.choice(GROUPS), chance.choice("xyz"), "flu") for _ in range(400)]
    problem = problem_of(rows, 3)
    recoded = in_order(problem, [[(0, at), (1, 0)] for at in range(15)])
    view = view_of(problem, recoded)
    for seen in (view, without_margins(view)):
        found = downcode(seen, truth_of(problem, recoded))
        assert found.left == 1.0
        assert found.narrowed == 0.0
        assert not any(one.above_noise for one in found.gains)
        assert all(one.gain == 0.0 for one in found.gains if one.knowledge == ORDER)
    assert (
        "did not guess generalized values measurably better"
        in attacked(attempt(problem, recoded))[0]
    )


@pytest.mark.parametrize("seed", range(4))
def test_records_put_anywhere_give_no_gain(seed: int) -> None:
    """Each record is in any class that shows it, in any order: the order reveals nothing."""
    chance = drawing(seed)
    rows = [(chance.choice(GROUPS[:4]), chance.choice("uvwxyz"), "flu") for _ in range(600)]
    problem = problem_of(rows, 3, groups={1: ("uvw", "xyz")})
    parts = [[(0, at), (1, half)] for at in range(4) for half in (0, 1)]
    parts += [[(0, at), (2, 0)] for at in range(4)] + [[(1, 0), (1, half)] for half in (0, 1)]
    recoded = in_order(problem, parts)
    view, truth = view_of(problem, recoded), truth_of(problem, recoded)
    shown = (
        view.shows[0][truth.codes[0]][:, view.numbers[:, 0]]
        & view.shows[1][truth.codes[1]][:, view.numbers[:, 1]]
    )
    truth.rows[:] = [chance.choice(np.flatnonzero(own).tolist()) for own in list(shown)]
    view.sizes[:] = np.bincount(truth.rows, truth.counts, minlength=view.classes)
    for seen in (view, without_margins(view)):
        assert not any(one.above_noise for one in downcode(seen, truth).gains)


@given(st.data())
@sparing
def test_what_is_left_to_a_class_is_what_all_consistent_tables_say(data: st.DataObject) -> None:
    """All tables of two records that the policy puts as it did, weighed by the margins."""
    rows = [
        (a, b, "flu") for a in "pqr" for b in "xyz" for _ in range(data.draw(st.integers(1, 3)))
    ]
    problem = problem_of(rows, 2)
    shown = st.sampled_from([(0, 0), (0, 1), (0, 2), (1, 0)])
    parts = data.draw(st.lists(st.tuples(shown, shown), min_size=2, max_size=6))
    recoded = in_order(problem, parts)
    view = view_of(problem, recoded)
    numbers = np.unique(recoded.rows[recoded.rows >= 0]).tolist()
    weights = weights_of(view)
    cells = list(product(range(3), repeat=2))
    first = view.place(np.array(cells, dtype=np.uint32).T).tolist()
    for region in regions(view, weights, numbers):
        expected = np.zeros((2, 3))
        for pair in product(range(9), repeat=2):
            if [first[place] for place in pair] == [region.number, numbers[0]]:
                chance = np.prod([weights[at][cells[place][at]] for place in pair for at in (0, 1)])
                for at in (0, 1):
                    expected[at, cells[pair[0]][at]] += chance
        assert region.exact
        for at in (0, 1):
            assert region.likely[at] == pytest.approx(expected[at] / expected[at].sum())


def test_drawn_cells_come_near_to_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a box is too large, cells are sampled; the shares agree with those of all cells."""
    chance = drawing(2)
    rows = [(*(chance.choice("abcdef") for _ in range(4)), "flu") for _ in range(200)]
    problem = problem_of(rows, 2)
    wide = (1, 0)
    recoded = in_order(
        problem, [[(0, 0), wide, wide, wide], [wide, (0, 1), wide, wide], [wide] * 4]
    )
    view = view_of(problem, recoded)
    for seen in (view, without_margins(view)):
        weights = weights_of(seen)
        (exact,) = regions(seen, weights, [2])
        with monkeypatch.context() as fewer:
            fewer.setattr("roadstead.attacks.recodings.regions.MOST_CELLS", 1_000)
            (drawn,) = regions(seen, weights, [2])
        assert exact.exact
        assert not drawn.exact
        assert drawn.share == pytest.approx(exact.share, abs=0.05)
        for at in range(4):
            assert drawn.likely[at] == pytest.approx(exact.likely[at], abs=0.06)


def test_tight_intervals_tell_their_ends() -> None:
    """Every box has a record at either end, and mostly just there: the attack finds them."""
    chance = drawing(1)
    rows = []
    for group in range(30):
        low = group * 20 + 100
        rows += [(str(low + step), "flu") for step in (0, 0, 9, 9)]
        rows += [(str(low + chance.randint(1, 8)), "flu")]
    problem = problem_of(rows, 5, intervals=True)
    encoding = problem.encoding
    # As releases were made once, whose intervals end at any value.
    own = axis(encoding.hierarchies[0], encoding.table.domains[0])
    problem = replace(problem, axes=(own, *problem.axes[1:]))
    places = problem.axes[0].places[problem.encoding.codes[0]]
    values = np.array([int(text) for text in problem.encoding.table.domains[0]])
    parts = []
    for group in range(30):
        own = places[(values >= group * 20 + 100) & (values < group * 20 + 110)]
        parts.append([(int(own.min()), int(own.max()))])
    recoded = in_order(problem, parts)
    view = without_margins(view_of(problem, recoded))
    found = downcode(view, truth_of(problem, recoded))
    assert by_what(found)[ORDER, CELLS].gain == 0.0
    assert by_what(found)[TIGHT, CELLS].above_noise
    assert (MINIMAL, CELLS) in by_what(found)


def test_a_sample_of_classes_is_the_same_every_time() -> None:
    """And it is of no more classes than asked."""
    problem = problem_of(clustered(), 3)
    parts = [[(0, at), (0, 0)] for at in range(15)] + [[(0, at), (1, 0)] for at in range(15)]
    recoded = in_order(problem, parts)
    view, truth = view_of(problem, recoded), truth_of(problem, recoded)
    one, two = (downcode(view, truth, most_classes=20) for _ in range(2))
    assert one == two
    assert by_what(one)[ORDER, CELLS].guesses <= 45
