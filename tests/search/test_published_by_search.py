"""Every search that claims a proof finds the published optimum, which the exact search is held to.

`test_published_optima` compares the exact search with what is published; here the others are
compared with it, on the same tables, other k and limits included.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from published_tables import published

from roadstead.search.exact import Exact
from roadstead.search.protocol import Control
from roadstead.search.registry import LevelSearch
from roadstead_reproductions.searches.best_first import best_first
from roadstead_reproductions.searches.flash import flash
from roadstead_reproductions.searches.lattice_based import lattice_based
from roadstead_reproductions.searches.minimal import incognito, ola

PROVING: tuple[LevelSearch, ...] = (best_first(), flash(), lattice_based())
MINIMAL: tuple[LevelSearch, ...] = (ola(), incognito())


@dataclass(frozen=True)
class Setting:
    """A table with its first attributes, k and a limit."""

    data: str
    number: int
    k: int = 5
    suppression: str = "0.05"

    def __str__(self) -> str:
        return f"{self.data} {self.number}, k = {self.k}, {self.suppression}"


SMALL = [
    *(Setting("adult", number) for number in range(3, 8)),
    *(Setting("cup", number) for number in range(3, 7)),
    *(Setting("fars", number) for number in range(3, 7)),
]
LARGE = [
    *(Setting("adult", number) for number in (8, 9)),
    *(Setting("cup", number) for number in (7, 8)),
    *(Setting("fars", number) for number in (7, 8)),
    Setting("adult", 9, k=2),
    Setting("adult", 9, k=100),
    Setting("adult", 9, suppression="0"),
    Setting("adult", 9, suppression="1"),
]
SETTINGS = [*SMALL, *(pytest.param(one, marks=pytest.mark.slow) for one in LARGE)]


@pytest.mark.quick(2)
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_all_proofs_agree(data_dir: Path, setting: Setting) -> None:
    """With the same policy, loss and suppressed records; exact with the fewest evaluations."""
    given = published(
        data_dir, setting.data, setting.number, k=setting.k, suppression=setting.suppression
    )
    exact = Exact().run(given, Control())
    claiming = PROVING if given.limit else (*PROVING, *MINIMAL)
    for search in claiming:
        outcome = search.run(given, Control())
        assert outcome.proven, search.name
        assert outcome.best == exact.best, search.name
        if setting.number >= 6:
            assert exact.evaluated <= outcome.evaluated, search.name
