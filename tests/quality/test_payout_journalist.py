"""The payout against a journalist: its definition, its bounds, and requests for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log, prod
from pathlib import Path

import definition
import pytest
from commands import run
from definition import Judged
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from lattices import chains
from peopled import Peopled, peopled
from small_tables import write_csv

from roadstead.privacy.models.k_map import KMap
from roadstead.quality.models.payout import JOURNALIST, Payout
from roadstead.search.evaluation import FullDomainProblem, evaluate, start

GAME = Payout(5.0, 4.0, 7.0, 1.5, JOURNALIST)
"""An attack pays on classes of four people or fewer."""


def asked(one: Peopled) -> FullDomainProblem:
    """The payout with 2-map."""
    made = replace(one.case, limit=one.case.records).problem(KMap(2).bind(one.table))
    return replace(made, encoding=one.encoding, quality=GAME.bind(one.encoding))


def judged(one: Peopled, levels: tuple[int, ...]) -> Judged:
    """The classes of a policy that have a record and two people."""

    def admits(rows: Sequence[int]) -> bool:
        return one.records_of(rows) > 0 and one.people_of(rows) >= 2

    return definition.judge(replace(one.case, limit=one.case.records), levels, admits)


def by_definition(one: Peopled, known: Judged) -> float:
    """The loss of the payout, from the labels themselves."""
    case = one.case
    everything = prod(
        definition.covered(case, i, a.height - 1, case.rows[0][i])
        for i, a in enumerate(case.attributes)
    )
    total = 0.0
    for rows in known.classes:
        volume = prod(
            definition.covered(case, i, level, case.rows[rows[0]][i])
            for i, level in enumerate(known.levels)
        )
        left_open = log(volume) / log(everything) if everything > 1 else 0.0
        people = one.people_of(rows)
        attack = 4.0 / people if people <= 4 else 0.0
        total += one.records_of(rows) * (5.0 * (1.0 - left_open) - attack)
    return min(1.0, max(0.0, 1.0 - total / (5.0 * case.records)))


def loss_at(known: FullDomainProblem, levels: tuple[int, ...]) -> float:
    """The engine's loss of one policy."""
    found = evaluate(known, levels, start(known)).candidate
    assert found is not None
    return found.loss


@examples(25)
@given(peopled(), st.data())
def test_a_policy_loses_what_the_definition_says(one: Peopled, data: st.DataObject) -> None:
    """By people, not by records; and no policy of a sublattice loses less than its bound."""
    known = asked(one)
    lower, between, upper = data.draw(chains(one.case))
    found = loss_at(known, between)
    assert found == pytest.approx(by_definition(one, judged(one, between)), abs=1e-10)
    top = evaluate(known, upper, start(known))
    assert known.quality.lower_bound(lower, upper, top.tally, top.kept) <= found + 1e-11
    raised = known.quality.raised_bounds(lower, upper, top.tally, top.kept)
    for at, bounds in enumerate(raised):
        for level, bound in enumerate(bounds, start=lower[at] + 1):
            if between[at] >= level:
                assert bound <= found + 1e-11


def test_by_hand() -> None:
    """10 records of 100 people are not attacked where 10 records alone are."""
    game = Payout(attacker=JOURNALIST)
    assert game.gain / 100 < game.cost < game.gain / 10
    assert game.settings()["attacker"] == JOURNALIST
    assert "attacker" not in Payout().settings()


def test_it_is_asked_for_with_a_population(tmp_path: Path) -> None:
    """Without one it is refused with what to do; a measure without attacks says so."""
    rows = [("a", "x")] * 10 + [("b", "y")] * 12
    write_csv(tmp_path / "rows.csv", ["one", "two"], rows)
    write_csv(tmp_path / "people.csv", ["one", "two"], rows * 10)
    asked = ("anonymize", tmp_path / "rows.csv", "--quasi", "one,two", "--attacker", "journalist")
    refused = run(*asked, "--quality", "payout")
    assert (refused.code, "--population" in refused.error) == (2, True)
    assert "precision does not use stakes" in run(*asked, "--quality", "precision").error
    with_people = ("--population", tmp_path / "people.csv", "--privacy", "k-map:k=2")
    found = run(*asked, "--quality", "payout", *with_people, "--json", "--out", tmp_path / "out")
    assert found.code == 0, found.err
    assert found.json["loss"] == 0.0
    assert found.json["quality"]["attacker"] == "journalist"
    alone = run(*asked[:-2], "--quality", "payout", *with_people, "--json")
    assert alone.json["loss"] > 0.0
    assert run("verify", tmp_path / "out").code == 0
