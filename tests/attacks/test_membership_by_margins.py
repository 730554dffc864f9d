"""Membership by the margins of a release for general use: broken noise shows, sound noise not.

Fault class: a mechanism that adds half of its claimed noise, or none; and an attack that counts the
shared noise of a whole cell as many independent proofs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attacked_releases import attacked
from numpy.typing import NDArray
from small_tables import write_csv

import roadstead as rs
from roadstead.attacks.protocol import AttackSettings
from roadstead.differential.budget import Grant
from roadstead.differential.chance.mechanisms import Mechanisms
from roadstead.release.evidence import CertifiedAttack, wrong_with

pytest.importorskip("opendp")

CODES = tuple(f"c{at:03d}" for at in range(120))
ONE, TWO = ("code",), ("code", "cause")
VALUES = dict.fromkeys(TWO, CODES)


def drawn(path: Path, columns: Sequence[str], seed: int, records: int = 900) -> Path:
    """Make up people."""
    chance = np.random.default_rng(seed)
    cells = [chance.choice(VALUES[name], records).tolist() for name in columns]
    write_csv(path, columns, zip(*cells, strict=True))
    return path


def told(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    columns: Sequence[str],
    times: float | None,
    seed: int = 1,
) -> CertifiedAttack:
    """Release with noise of so many times the rate that is claimed, None with no noise; attack."""
    chance = np.random.default_rng(seed)

    def count(_: Mechanisms, grant: Grant, counts: Any) -> NDArray[np.int64]:  # noqa: ANN401 - cells
        cells = np.asarray(counts, dtype=np.int64)
        if times is None:
            return cells
        share = 1.0 - np.exp(-float(grant.each) * times)
        one, other = chance.geometric(share, (2, *cells.shape))
        return np.asarray(cells + one - other)

    monkeypatch.setattr(Mechanisms, "count", count)
    folder.mkdir()
    data = drawn(folder / "people.csv", columns, seed)
    values = {name: VALUES[name] for name in columns}
    out = folder / "release"
    rs.synthesize(data, purpose="everything", epsilon=1, values=values, out=out)
    others = drawn(folder / "others.csv", columns, seed + 1_000)
    settings = AttackSettings(attempts=800, seed=seed)
    name = "private-membership"
    found = attacked(name, out, data, held_out=others, settings=settings).found
    (one,) = found
    assert one.knowledge["by"] == "margins"
    assert one.allowed == pytest.approx(np.e / (1 + np.e))
    assert wrong_with(one) is None
    return one


@pytest.mark.parametrize("columns", [ONE, TWO])
def test_no_noise_is_convicted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: Sequence[str]
) -> None:
    """Every person is revealed."""
    found = told(tmp_path / "a", monkeypatch, columns, None)
    assert found.success == 1.0
    assert found.convicted


def test_half_of_the_noise_is_convicted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one margin, which all of epsilon was spent on."""
    assert told(tmp_path / "a", monkeypatch, ONE, 2.0).convicted


@pytest.mark.nightly
def test_sound_noise_is_convicted_no_more_often_than_is_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One margin reveals membership as often as epsilon allows, and no more often."""
    found = [told(tmp_path / f"{at}", monkeypatch, ONE, 1.0, at) for at in range(10)]
    assert sum(one.convicted for one in found) <= 1
    assert np.mean([one.success for one in found]) == pytest.approx(np.e / (1 + np.e), abs=0.03)
    # People of one cell share its noise: the interval is wider than of as many draws.
    assert all(one.high - one.low > 0.06 for one in found)
    assert not any(
        told(tmp_path / f"two{at}", monkeypatch, TWO, 1.0, at).convicted for at in (0, 1)
    )
