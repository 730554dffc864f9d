"""Policies at a threshold: each is acceptable, by counts of its groups in plain Python."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import accumulate
from math import fsum
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from commands import run, undrawn

from roadstead.errors import NoPolicyError, SettingError
from roadstead.jobs import SILENT, Observer
from roadstead.verbs.frontier.request import FrontierRequest
from roadstead.verbs.frontier.result import FrontierFinding

NAMES = ("age", "sex", "zip")
Row = tuple[str, ...]


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let charts be left out: they take longer to draw than all else together."""
    undrawn(monkeypatch)


@cache
def rows() -> tuple[Row, ...]:
    """Ages, some over 89, a sex, a ZIP code and a diagnosis."""
    chance = random.Random(2)  # noqa: S311 - no secret
    return tuple(
        (
            str(min(max(round(chance.gauss(70, 14)), 40), 95)),
            chance.choice("FM"),
            chance.choice(("02139", "02140", "02210")),
            chance.choice(("flu", "flu", "cold", "gout")),
        )
        for _ in range(160)
    )


def find(observer: Observer = SILENT, **more: Any) -> FrontierFinding[Any]:  # noqa: ANN401 - as frontier
    """Find policies at a threshold."""
    columns = map(list, zip(*rows(), strict=True))
    table = pa.table(dict(zip((*NAMES, "ill"), columns, strict=True)))
    settings: dict[str, Any] = {"iterations": 12, "sensitive": ("ill",), **more}
    return FrontierRequest(table, quasi=NAMES, **settings).run(observer)


def classes(domains: Mapping[str, list[str]], policy: Mapping[str, str]) -> dict[Row, list[str]]:
    """The diagnoses of each class of a policy."""
    interval = {}
    for name, order in domains.items():
        numbers = accumulate((int(bit) for bit in policy[name]), initial=0)
        interval[name] = dict(zip(order, map(str, numbers), strict=True))
    groups: dict[Row, list[str]] = defaultdict(list)
    for row in rows():
        groups[tuple(interval[n][v] for n, v in zip(NAMES, row, strict=False))].append(row[3])
    return groups


def policies(found: FrontierFinding[Any]) -> list[dict[str, str]]:
    """All policies found."""
    return [point["policy"] for point in found.to_dict()["points"]]


@pytest.mark.quick(1)
@pytest.mark.parametrize("search", ["bisecting", "directed"])
@pytest.mark.parametrize("threshold", ["safe-harbor", 0.4])
def test_every_policy_has_an_acceptable_risk(search: str, threshold: Any, tmp_path: Path) -> None:  # noqa: ANN401 - a word or a number
    """The risk is that of the records; one more boundary of some attribute exceeds the limit."""
    found = find(search=search, threshold=threshold)
    document = found.to_dict()
    domains = document["domains"]
    original = len(Counter(row[:3] for row in rows()))
    allowed = document["safe_harbor"]["risk"] if threshold == "safe-harbor" else threshold
    assert 1 <= len(document["points"]) <= 12
    for point in document["points"]:
        risk = len(classes(domains, point["policy"])) / original
        assert risk == pytest.approx(point["risk"], abs=1e-12)
        assert risk <= allowed + 1e-9
        assert any(
            len(classes(domains, {**point["policy"], n: b[:i] + "1" + b[i + 1 :]})) / original
            > allowed - 1e-9
            for n, b in point["policy"].items()
            for i, bit in enumerate(b)
            if bit == "0"
        )
    assert document["search"] == search
    assert f"{allowed:.6g}" in document["threshold"]
    assert "at the threshold, " in str(found)
    out = tmp_path / "release"
    assert found.choose(0, reason="These are made-up people of a test").write(out).passed
    assert run("verify", out).code == 0


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("models", "accepts"),
    [
        ([{"kind": "k-anonymity", "k": 5}], lambda ill: len(ill) >= 5),
        (
            [{"kind": "k-anonymity", "k": 3}, {"kind": "distinct-l-diversity", "l": 2}],
            lambda ill: len(ill) >= 3 and len(set(ill)) >= 2,
        ),
    ],
    ids=["k", "k and l"],
)
def test_every_class_of_every_policy_satisfies_the_models(
    models: list[dict[str, Any]],
    accepts: Any,  # noqa: ANN401 - a function
    tmp_path: Path,
) -> None:
    """The certificate of a release also reports it, in addition to the risk."""
    found = find(threshold="models", privacy=models)
    domains = found.to_dict()["domains"]
    for policy in policies(found):
        assert all(map(accepts, classes(domains, policy).values()))
    document = found.choose(
        len(found.members) - 1, reason="These are made-up people of a test"
    ).to_dict()
    assert len(document["models"]) == len(models) + 1
    assert document["models"][-1].startswith("population risk")
    out = tmp_path / "release"
    assert found.choose(0, reason="These are made-up people of a test").write(out).passed
    ran = run("verify", out)
    assert ran.code == 0
    assert f"{models[0]['k']}-anonymity" in ran.out


def test_more_iterations_find_more() -> None:
    """The search looks for the requested number of policies; some may be identical."""
    assert len(policies(find(threshold=0.5, iterations=1))) == 1
    assert len(policies(find(threshold=0.5, iterations=25))) > 5


@pytest.mark.nightly
def test_the_same_seed_finds_the_same() -> None:
    """Another one finds others."""
    one, same, other = (policies(find(threshold=0.5, seed=seed)) for seed in (3, 3, 4))
    assert one == same
    assert one != other


def test_the_area_is_of_what_no_other_policy_betters() -> None:
    """Policies at a threshold lie close to one risk, and some better others."""
    document = find(threshold=0.5).to_dict()
    points = sorted((p["risk"], p["utility_loss"]) for p in document["points"])
    steps, loss, left = [], 1.0, 0.0
    for risk, lost in points:
        steps.append((risk - left) * loss)
        left, loss = risk, min(loss, lost)
    assert document["area"] == pytest.approx(fsum([*steps, (1 - left) * loss]), abs=1e-12)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threshold": 0}, "the threshold is 0, but must be above 0 and at most 1"),
        ({"threshold": 2.0}, "the threshold is 2"),
        ({"threshold": float("nan")}, "the threshold is nan"),
        ({"threshold": "models"}, "no privacy model is given"),
        (
            {"threshold": 0.5, "privacy": [{"kind": "k-anonymity", "k": 5}]},
            "privacy models are given, but the threshold is a risk",
        ),
        ({"threshold": 0.5, "iterations": 0}, "iterations: 0 policies"),
        ({"threshold": 0.5, "search": "steepest"}, "'steepest' is not known; use bisecting or"),
    ],
)
def test_a_threshold_that_is_none_is_refused(settings: dict[str, Any], message: str) -> None:
    """With what it may be."""
    with pytest.raises(SettingError, match=message):
        find(**settings)


def test_where_nothing_is_acceptable_that_is_said() -> None:
    """Not even one class of all records, or none was found before the end."""
    models = [{"kind": "k-anonymity", "k": 161}]
    for settings in ({"threshold": "models", "privacy": models}, {"threshold": 1e-9}):
        with pytest.raises(
            NoPolicyError, match=r"is acceptable, .*; give orders with coarser values"
        ):
            find(**settings)
    with pytest.raises(NoPolicyError, match=r"no policy was found in time.*allow more time"):
        find(Observer(stopped=lambda: True), threshold=0.5)
