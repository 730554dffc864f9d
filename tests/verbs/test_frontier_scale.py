"""A frontier on the scale of releases: a policy's place is that of its release."""

from __future__ import annotations

from pathlib import Path

import pytest

import roadstead as rs
from roadstead.verbs.frontier.request import FrontierRequest
from roadstead.verbs.frontier.scale import placed

ROWS = "age,sex,zip\n" + "".join(
    f"{20 + (i * 7) % 23},{'fm'[i % 2]},{10115 + (i * i) % 5}\n" for i in range(120)
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of whole numbers, with gaps, of two values, and of codes."""
    path = tmp_path / "table.csv"
    path.write_text(ROWS)
    return path


@pytest.mark.quick(1)
@pytest.mark.parametrize("search", [None, "exact"])
@pytest.mark.parametrize("quality", ["loss", "discernibility"])
def test_a_policy_stands_where_its_release_is_measured(
    search: str | None, quality: str, table: Path, tmp_path: Path
) -> None:
    """Whatever it was searched by, cuts or levels: risk and loss are those of `evaluate`."""
    quasi = ["age", "sex", "zip"]
    found = FrontierRequest(data=str(table), quasi=quasi, search=search, quality=quality).run()
    frontier = placed(found, 5_000)
    assert [one.index for one in frontier.members] == list(range(len(found.members)))
    for one in frontier.members[:: max(len(frontier.members) // 4, 1)]:
        assert one.index is not None
        out = tmp_path / f"release-{one.index}"
        found.choose(one.index, reason="These are made-up people of a test").write(out)
        measured = rs.evaluate(str(out), original=str(table)).facts.releases[0]  # type: ignore[union-attr] # a comparison
        assert one.risk == pytest.approx(measured.mean_risk)
        assert one.loss == pytest.approx(measured.left_open)


def test_the_table_as_it_is_loses_nothing(table: Path) -> None:
    """Its risk is that of its own classes, and nothing on the frontier has more."""
    found = FrontierRequest(data=str(table), quasi=["age", "sex", "zip"]).run()
    frontier = placed(found, 5_000)
    assert frontier.original.loss == 0
    distinct = len(set(ROWS.splitlines()[1:]))
    assert frontier.original.risk == pytest.approx(distinct / 120)
    assert max(one.risk for one in frontier.members) <= frontier.original.risk + 1e-12


@pytest.mark.parametrize("search", [None, "exact"])
def test_safe_harbor_stands_in_one_place_whatever_was_searched(
    search: str | None, table: Path
) -> None:
    """It merges ZIP codes of the same first three digits: two areas here, and no ages of 90."""
    found = FrontierRequest(data=str(table), quasi=["age", "sex", "zip"], search=search).run()
    harbor = placed(found, 5_000).safe_harbor
    assert harbor is not None
    rows = [row.split(",") for row in ROWS.splitlines()[1:]]
    assert harbor.risk == pytest.approx(len({(a, s, z[:3]) for a, s, z in rows}) / 120)


def test_many_policies_are_spread_over_the_frontier(table: Path) -> None:
    """Both ends are among those that are placed."""
    found = FrontierRequest(data=str(table), quasi=["age", "sex", "zip"]).run()
    few = placed(found, 5).members
    assert len(few) == 5
    assert (few[0].index, few[-1].index) == (0, len(found.members) - 1)
