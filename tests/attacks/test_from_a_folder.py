"""The data read from a release's folder are the released ones; verdicts of many attacks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from attacked import drawing, in_order, problem_of
from commands import without_charts
from planted import RECODINGS, optimal_local_recoding, sound

from roadstead.attacks.attacked_release import opened_release
from roadstead.attacks.finding import GUESSING, NOTHING, Findings, finding, interval_of_difference
from roadstead.attacks.kinds.differencing import rows_of
from roadstead.attacks.kinds.downcoding import single_out
from roadstead.attacks.recodings.published import published
from roadstead.attacks.recodings.view import truth_of, view_of
from roadstead.attacks.registry import together
from roadstead.attacks.target import Target
from roadstead.release.evidence import wrong_with
from roadstead.search.recoding.protocol import OUT
from roadstead.tables.reading import read


@pytest.mark.quick(1)
@pytest.mark.parametrize("number", [4, 1, 2, 3])
def test_classes_of_a_folder_are_those_that_were_released(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The original put by the policy has the records of each class that the table has."""
    without_charts(monkeypatch)
    (one,) = sound(tmp_path, [number])
    assert one.name.startswith(RECODINGS[number % 4])
    with opened_release(one.release) as release, read(one.original) as original:
        seen = published(Target(release, original), ("diagnosis",))
        assert seen is not None
        assert release.policy is not None
        rows = rows_of(release, release.policy.quasi, ["diagnosis"])
    own = seen.table.histogram("diagnosis")
    placed: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    for row, code, count in zip(own.row_of_entry, own.codes, own.counts, strict=True):
        if seen.truth.rows[row] != OUT:
            placed[seen.labels[seen.truth.rows[row]], (own.domain[code],)] += int(count)
    assert placed == rows
    # And each class shows the values of its records.
    for at, shows in enumerate(seen.view.shows):
        inside = seen.truth.rows != OUT
        parts = seen.view.numbers[seen.truth.rows[inside], at]
        assert shows[seen.truth.codes[at, inside], parts].all()


def test_singling_out_is_what_counting_by_hand_says() -> None:
    """In each class, the combination that is most probably one person's, for both attackers."""
    chance = drawing(4)
    rows = [(chance.choice("pqrs"), chance.choice("wxyz"), "flu") for _ in range(40)]
    problem = problem_of(rows, 2, groups={1: ("wx", "yz")})
    parts = [[(0, at), (0, at)] for at in range(4)] + [[(0, at), (1, 0)] for at in range(4)]
    recoded = in_order(problem, [*parts, [(1, 0), (2, 0)]])
    view, truth = view_of(problem, recoded), truth_of(problem, recoded)
    found = single_out(view, truth, most_classes=100)
    times = Counter(row[:2] for row in rows)
    share = [{v: n / len(rows) for v, n in Counter(r[at] for r in rows).items()} for at in (0, 1)]
    cells = list(product("pqrs", "wxyz"))
    domains = problem.encoding.table.domains
    codes = np.array([[domains[at].index(c[at]) for c in cells] for at in (0, 1)], dtype=np.uint32)
    first = view.place(codes).tolist()
    right = guessed = number = 0.0
    for c in range(view.classes):
        box = [
            cell
            for cell, code in zip(cells, codes.T, strict=True)
            if all(view.shows[at][code[at], view.numbers[c, at]] for at in (0, 1))
        ]
        if len(box) == 1 or not view.sizes[c]:
            continue
        left = [cell for cell, own in zip(cells, first, strict=True) if own == c]
        number += 1
        for those, by in ((box, "guess"), (left, "attack")):
            total = sum(share[0][a] * share[1][b] for a, b in those)
            n = int(view.sizes[c])
            alone = {}
            for a, b in those:
                q = share[0][a] * share[1][b] / total
                alone[a, b] = n * q * (1 - q) ** (n - 1)
            best = [cell for cell, own in alone.items() if own >= max(alone.values()) * (1 - 1e-9)]
            won = sum(times[cell] == 1 for cell in best) / len(best)
            right, guessed = (right, guessed + won) if by == "guess" else (right + won, guessed)
    assert found.guesses == number
    assert found.success == pytest.approx(right / number)
    assert found.guessing == pytest.approx(guessed / number)


def test_a_release_attacked_from_its_folder_tells_as_much_as_its_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The strays of the planted clusters are undone for half, as two values are left to them."""
    without_charts(monkeypatch)
    found = optimal_local_recoding(tmp_path).attacked(["downcoding"])
    (records,) = (one for one in found.found if one.knowledge["guess"] == "record")
    assert records.guessing == 0.0
    assert 0.4 < records.success < 0.7
    assert records.convicted
    assert all(wrong_with(one) is None for one in found.found)


def test_attacks_are_judged_together() -> None:
    """Ten attacks, each with a tenth of the error; results that cannot fail are unchanged."""
    one = finding("a", {}, (60, 100), (43, 100), GUESSING)
    shown = finding("b", {}, (60, 100), (43, 100), NOTHING)
    counted = finding("c", {}, (60, 100), (43, 100), GUESSING, counted=True)
    assert one.convicted
    alone = together(Findings((one, shown, counted)))
    assert alone.found == (one, shown, counted)
    many = together(Findings((*[one] * 10, shown, counted)))
    assert many.found[-2:] == (shown, counted)
    expected = interval_of_difference((60, 100), (43, 100), 0.995)
    assert (many.found[0].low, many.found[0].high) == pytest.approx(expected, abs=1e-8)
    assert not many.found[0].convicted
    assert all(wrong_with(own) is None for own in many.found)


def test_an_interval_of_its_own_is_widened() -> None:
    """By as much as that of a normal distribution: 2.81 to 1.96 for ten attacks."""
    one = replace(finding("a", {}, (60, 100), (40, 100), GUESSING), low=0.1, high=0.4)
    wider = together(Findings((one,) * 10)).found[0]
    assert wider.low == pytest.approx(0.2 - 0.1 * 2.807 / 1.960, abs=1e-3)
    assert wider.high == pytest.approx(0.2 + 0.2 * 2.807 / 1.960, abs=1e-3)


def test_undone_records_are_held_against_the_risk_that_is_promised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As linkage is: the bound was fixed by the release, not after looking at results."""
    without_charts(monkeypatch)
    made = optimal_local_recoding(tmp_path)
    (records,) = (
        one for one in made.attacked(["downcoding"]).found if one.knowledge["guess"] == "record"
    )
    linked = made.attacked(["linkage"]).found[0]
    assert (records.against, records.tolerance) == ("promise", linked.tolerance)
    assert records.allowed == pytest.approx(linked.allowed)
