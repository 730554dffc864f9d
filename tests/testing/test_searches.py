"""Every search that can be asked for keeps the contract, and the contract notices what does not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from roadstead.errors import SettingError
from roadstead.policies.full_domain import Levels
from roadstead.search import registry
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.protocol import Control, Outcome
from roadstead.search.registry import FRONTIERS, LEVELS, PARTITIONS, THRESHOLDS, SearchEntry
from roadstead.search.registry import Searches as SearchesOfAKind
from roadstead.testing import searches

KINDS: tuple[SearchesOfAKind[Any], ...] = (
    LEVELS,
    PARTITIONS,
    FRONTIERS,
    THRESHOLDS,
    SearchesOfAKind("frontier of levels"),
)
ENTRIES = [entry for kind in KINDS for entry in kind.values()]


@pytest.mark.parametrize(
    ("entry", "check"),
    [(entry, check) for entry in ENTRIES for check in searches.checks(entry)],
    ids=lambda one: one.name if isinstance(one, SearchEntry) else one.__name__,
)
def test_every_search_keeps_the_contract(entry: SearchEntry[Any], check: searches.Check) -> None:
    """Each check by itself."""
    check(entry)


@dataclass(frozen=True)
class Wrong:
    """Exact search whose outcome is changed."""

    change: dict[str, Any]
    name: str = "wrong"
    guarantee: str = "none"

    def refusal(self, problem: FullDomainProblem) -> str | None:  # noqa: ARG002 - takes all
        """It takes every model."""
        return None

    def run(self, problem: FullDomainProblem, control: Control) -> Outcome[Levels]:
        """Search, and say something else."""
        return replace(Exact().run(problem, control), **self.change)


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ({"best": None}, searches.proof_is_true),
        ({"lower_bound": 0.9}, searches.bound_is_true),
        ({"ending": "asleep"}, searches.ends_when_stopped),
    ],
)
def test_a_search_that_breaks_the_contract_is_noticed(
    change: dict[str, Any], check: searches.Check
) -> None:
    """Each promise by its check."""
    with pytest.raises(AssertionError):
        check(SearchEntry("levels", lambda _: Wrong(change), "every model"))


def adding(monkeypatch: pytest.MonkeyPatch, loaded: object) -> None:
    """Install another package's entry point."""

    def load() -> object:
        if isinstance(loaded, Exception):
            raise loaded
        return loaded

    point = SimpleNamespace(name="wrong", value="other.package:ENTRY", load=load)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point][: group == registry.GROUP])
    registry.added.cache_clear()
    monkeypatch.setattr(registry, "added", registry.added.__wrapped__)
    monkeypatch.setattr(registry, "_offered", registry._offered.__wrapped__)


def test_another_package_adds_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is known by its name, after those of ours."""
    entry = SearchEntry("levels", lambda _: Wrong({}), "every model")
    adding(monkeypatch, entry)
    assert list(LEVELS)[-1] == "wrong"
    assert LEVELS["wrong"] is entry
    assert "wrong" not in PARTITIONS


@pytest.mark.parametrize(
    ("loaded", "why"),
    [
        (ImportError("gone"), "cannot be loaded \\(ImportError\\)"),
        (Exact, "is no SearchEntry"),
        (SearchEntry("levels", lambda _: Exact(), "every model"), "calls itself 'exact'"),
    ],
)
def test_what_cannot_be_used_is_refused_and_ours_still_found(
    monkeypatch: pytest.MonkeyPatch, loaded: object, why: str
) -> None:
    """Only where its name is asked for is it looked at."""
    adding(monkeypatch, loaded)
    assert LEVELS["exact"].name == "exact"
    assert list(LEVELS)[-1] == "wrong"
    with pytest.raises(SettingError, match=why):
        _ = LEVELS["wrong"]


def test_each_entry_says_what_it_is() -> None:
    """Names are unique in a kind, and every guarantee and range is in words."""
    assert len({(entry.kind, entry.name) for entry in ENTRIES}) == len(ENTRIES)
    assert all(entry.guarantee and entry.carries for entry in ENTRIES)
    assert {entry.name for entry in ENTRIES if not entry.ends} == {
        "random-chain",
        "sublattice-heuristic",
    }
