"""The simulation of paper 001: many samples of every fraction of every population.

The work is divided into pieces of a few dozen samples, which several processes compute and store
(`checkpoints`). A few samples at the beginning give the expected time of the simulation.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from roadstead_reproductions.elemam2008.checkpoints import Checkpoints
from roadstead_reproductions.elemam2008.lattices import Lattice
from roadstead_reproductions.elemam2008.samples import Releases, sampled
from roadstead_reproductions.parallel import spread
from roadstead_reproductions.tables import Tell

_PIECE = 50
"""The number of samples in a piece of work, which takes a few seconds at most."""
_TRIED = 3


@dataclass(frozen=True)
class Series:
    """Samples of one population under one set of policies.

    `name` is unique, `fractions` are shares of the population, and `repetitions` is the number of
    samples of each fraction.
    """

    name: str
    lattice: Lattice
    fractions: tuple[float, ...]
    repetitions: int

    @property
    def samples(self) -> int:
        """Return the number of all samples."""
        return len(self.fractions) * self.repetitions


@dataclass(frozen=True)
class Draws:
    """The seed, the largest minimum class size, and the folder of stored results."""

    seed: int
    largest: int
    kept: Checkpoints | None = None


@dataclass(frozen=True)
class Simulated:
    """The results of a simulation, by series and fraction.

    `taken_over` is the number of pieces that come from an interrupted run. `sample_seconds` is the
    mean time of a sample.
    """

    releases: Mapping[tuple[str, float], Releases]
    taken_over: int
    pieces: int
    seconds: float
    sample_seconds: float


@dataclass(frozen=True)
class _Piece:
    series: int
    fraction: float
    repetitions: range

    @property
    def name(self) -> str:
        return (
            f"{self.series}-{round(1000 * self.fraction):04}"
            f"-{self.repetitions.start}-{self.repetitions.stop}"
        )


def simulate(all_series: Sequence[Series], draws: Draws, workers: int, tell: Tell) -> Simulated:
    """Draw and anonymize all samples."""
    began = time.perf_counter()
    pieces = [piece for i, series in enumerate(all_series) for piece in _pieces(i, series)]
    found = {piece.name: _kept(piece, draws) for piece in pieces}
    left = [piece for piece in pieces if found[piece.name] is None]
    taken_over = len(pieces) - len(left)
    _announce(all_series, draws, pieces, left, workers, tell)
    lattices = tuple(series.lattice for series in all_series)
    done = spread((lattices, draws), _work, left, workers, partial(_told, tell, len(left)))
    found.update({piece.name: one for piece, one in zip(left, done, strict=True)})
    together: dict[tuple[str, float], list[Releases]] = {}
    for piece in pieces:
        key = all_series[piece.series].name, piece.fraction
        one = found[piece.name]
        if one is None:
            raise AssertionError(piece.name)
        together.setdefault(key, []).append(one)
    releases = {key: _joined(parts) for key, parts in together.items()}
    spent = sum(one.seconds for one in releases.values())
    return Simulated(
        releases,
        taken_over,
        len(pieces),
        time.perf_counter() - began,
        spent / sum(series.samples for series in all_series),
    )


def seconds_a_sample(series: Series, draws: Draws) -> float:
    """Measure the time per sample for a few samples at a medium fraction."""
    middling = series.fractions[len(series.fractions) // 2]
    tried = sampled(series.lattice, middling, range(_TRIED), draws.seed, draws.largest)
    return tried.seconds / _TRIED


def _pieces(number: int, series: Series) -> Iterator[_Piece]:
    for fraction in series.fractions:
        for begin in range(0, series.repetitions, _PIECE):
            end = min(begin + _PIECE, series.repetitions)
            yield _Piece(number, fraction, range(begin, end))


def _kept(piece: _Piece, draws: Draws) -> Releases | None:
    if draws.kept is None:
        return None
    return draws.kept.get(piece.name, (len(piece.repetitions), draws.largest))


def _announce(
    all_series: Sequence[Series],
    draws: Draws,
    pieces: Sequence[_Piece],
    left: Sequence[_Piece],
    workers: int,
    tell: Tell,
) -> None:
    """Report the amount of work, the expected time, and the folder of results."""
    sampled(all_series[0].lattice, 0.5, range(1), draws.seed, draws.largest)  # loads the kernels
    cost = [seconds_a_sample(series, draws) for series in all_series]
    total = sum(cost[piece.series] * len(piece.repetitions) for piece in left)
    samples = sum(len(piece.repetitions) for piece in left)
    tell(
        f"{samples:,} samples to take and anonymize: about {total / workers:,.0f} seconds in "
        f"{workers} process{'es' if workers > 1 else ''}"
    )
    if len(left) < len(pieces):
        tell(f"{len(pieces) - len(left)} of {len(pieces)} pieces are reused")
    if draws.kept is not None:
        tell(f"an interrupted run continues from {draws.kept.folder}")


def _told(tell: Tell, every: int, number: int) -> None:
    if number % max(1, every // 20) == 0 or number == every:
        tell(f"simulation: {number} of {every} pieces")


def _work(shared: tuple[tuple[Lattice, ...], Draws], piece: _Piece) -> Releases:
    lattices, draws = shared
    lattice = lattices[piece.series]
    found = sampled(lattice, piece.fraction, piece.repetitions, draws.seed, draws.largest)
    if draws.kept is not None:
        with contextlib.suppress(OSError):  # a missing file is computed again
            draws.kept.put(piece.name, found)
    return found


def _joined(parts: Sequence[Releases]) -> Releases:
    return Releases(
        np.concatenate([part.losses for part in parts]),
        np.concatenate([part.suppressed for part in parts]),
        np.concatenate([part.classes for part in parts]),
        np.concatenate([part.fewest for part in parts]),
        np.concatenate([part.policies for part in parts]),
        sum(part.seconds for part in parts),
    )
