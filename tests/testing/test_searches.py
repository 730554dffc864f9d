"""Every search that users can choose meets the contract, and the contract detects faults."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from roadstead.errors import SettingError
from roadstead.policies.full_domain import Levels
from roadstead.registry import Registry
from roadstead.search.evaluation import FullDomainProblem
from roadstead.search.exact import Exact
from roadstead.search.frontiers.full_domain import FullDomainFrontier
from roadstead.search.protocol import Control, Outcome
from roadstead.search.registry import FRONTIERS, LEVELS, PARTITIONS, THRESHOLDS, SearchEntry
from roadstead.testing import searches

KINDS: tuple[Registry[SearchEntry[Any]], ...] = (LEVELS, PARTITIONS, FRONTIERS, THRESHOLDS)
OF_LEVELS = SearchEntry("frontier of levels", lambda _: FullDomainFrontier(), "every quality model")
ENTRIES = [entry for kind in KINDS for entry in kind.values()] + [OF_LEVELS]


@pytest.mark.quick(28)
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


def offer(folder: Path, monkeypatch: pytest.MonkeyPatch, group: str, code: str) -> None:
    """Install another package that offers the search `wrong`."""
    metadata = folder / "other_searches-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    module = f"other_{folder.name}"
    (metadata / "entry_points.txt").write_text(f"[roadstead.{group}]\nwrong = {module}:ENTRY\n")
    (folder / f"{module}.py").write_text(code)
    monkeypatch.syspath_prepend(folder)


_EXACT = """
from roadstead.search.exact import Exact
from roadstead.search.registry import SearchEntry
"""


def test_another_package_adds_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is known by its name among searches of its kind, after those of the project."""
    code = _EXACT + 'ENTRY = SearchEntry("levels", lambda _: Exact(name="wrong"), "every model")'
    offer(tmp_path, monkeypatch, "searches.levels", code)
    assert next(iter(LEVELS)) == "exact"
    assert list(LEVELS)[-1] == "wrong"
    assert LEVELS["wrong"].name == "wrong"
    assert str(LEVELS.plugin("wrong")) == "wrong of the package other 1.0"
    assert "wrong" not in PARTITIONS


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise ImportError('gone')", "cannot be loaded \\(ImportError\\)"),
        (_EXACT + "ENTRY = Exact", "is not a SearchEntry"),
        (
            _EXACT + 'ENTRY = SearchEntry("levels", lambda _: Exact(), "every model")',
            "its name is 'exact'",
        ),
        (
            _EXACT + 'ENTRY = SearchEntry("frontier", lambda _: Exact(name="wrong"), "all")',
            "is a search of the kind 'frontier'",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_and_ours_still_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, why: str
) -> None:
    """It is checked only if its name is requested."""
    offer(tmp_path, monkeypatch, "searches.levels", code)
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
