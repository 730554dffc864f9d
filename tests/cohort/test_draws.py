from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roadstead.cohort.draws import Table, running_sum, total

ROWS = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from([0.0, 0.1, 1.0, 7.3, 1e6]), min_size=width, max_size=width).filter(
            any
        ),
        min_size=1,
        max_size=6,
    )
)
UNIFORM = st.one_of(
    st.floats(0, 1, exclude_max=True), st.sampled_from([0.0, float(np.nextafter(1, 0))])
)


@given(rows=ROWS, uniform=st.lists(UNIFORM, min_size=1, max_size=20), data=st.data())
def test_a_draw_stays_in_its_row_and_never_picks_a_weight_of_zero(
    rows: list[list[float]], uniform: list[float], data: st.DataObject
) -> None:
    """Whatever the weights and the uniform number, the column drawn is possible in that row."""
    weights = np.array(rows)
    chosen = np.array([data.draw(st.integers(0, len(rows) - 1)) for _ in uniform])
    columns = Table(weights).draw(np.array(uniform), chosen)
    assert ((columns >= 0) & (columns < weights.shape[1])).all()
    assert (weights[chosen, columns] > 0).all()


def test_draws_are_in_proportion_to_the_weights() -> None:
    """Evenly spaced uniform numbers fall on the columns exactly as the weights say."""
    table = Table(np.array([[1.0, 0.0, 3.0], [2.0, 2.0, 4.0]]))
    uniform = (np.arange(800) + 0.5) / 800
    first = np.bincount(table.draw(uniform), minlength=3)
    second = np.bincount(table.draw(uniform, np.full(800, 1)), minlength=3)
    assert first.tolist() == [200, 0, 600]
    assert second.tolist() == [200, 200, 400]


def test_sums_run_from_left_to_right() -> None:
    """The order of addition is fixed, so a small first value is lost in the same way everywhere."""
    values = [1.0, 1e16, -1e16, 1.0]
    assert running_sum(values).tolist() == [1.0, 1e16, 0.0, 1.0]
    assert total(values) == 1.0
