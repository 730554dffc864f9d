"""Weak releases fail the attack that finds their weakness, and sound ones fail none."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import without_charts
from planted import SOUND, broken_mechanism, planted, sound

from roadstead.attacks.protocol import AttackSettings


def test_planted_releases_are_convicted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by one of the attacks that it was planted for."""
    without_charts(monkeypatch)
    for one in planted(tmp_path):
        found = one.attacked(one.convicted_by)
        assert found.convicted, one.name


def test_a_broken_mechanism_is_convicted_and_a_sound_one_is_not() -> None:
    """The same counts, with the noise that is claimed and with half of it."""
    (broken,) = broken_mechanism(runs=2_000).found
    (kept,) = broken_mechanism(broken=False, runs=2_000).found
    assert broken.convicted
    assert float(str(broken.knowledge["epsilon_at_least"])) > 1.0
    assert not kept.convicted
    assert float(str(kept.knowledge["epsilon_at_least"])) <= 1.0


@pytest.mark.quick(1)
@pytest.mark.parametrize("number", [0, 6])
def test_sound_releases_are_not_convicted(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A private and a local one, by no attack."""
    without_charts(monkeypatch)
    (one,) = sound(tmp_path, [number])
    found = one.attacked(settings=AttackSettings(attempts=200))
    assert found.found
    assert not found.convicted, [f for f in found.found if f.convicted]


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(SOUND))
def test_no_sound_release_is_convicted(number: int, tmp_path: Path) -> None:
    """Fifty of all kinds; none is a false alarm."""
    (one,) = sound(tmp_path, [number])
    found = one.attacked()
    assert not found.convicted, [f for f in found.found if f.convicted]
