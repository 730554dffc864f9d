"""Random choices and noise of private releases: floats compared with the exact decimals.

    python benchmarks/chance.py

Both columns of a row are measured in turns on the same draws, so that other work of the machine
affects both equally. The tests count that floats decide nearly all cases.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from time import perf_counter

import numpy as np

from roadstead.differential.chance.exact_choice import Ruler, Uniform, choose_weighted, system_words
from roadstead.differential.chance.sparse_noise import exceeding_cells

ROUNDS = 3
RATE = Fraction(1, 28)


def in_turns(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """Measure two ways in turns; return the least seconds of each."""
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for way, seconds in zip((one, other), took, strict=True):
            began = perf_counter()
            way()
            seconds.append(perf_counter() - began)
    return min(took[0]), min(took[1])


def choosing(count: int) -> tuple[float, float]:
    """Choose among as many intervals: by floats, and by decimals for one halving of two places."""
    random = np.random.default_rng(3)
    scores = random.integers(0, 1_000, count)
    lengths = random.integers(1, 2**40, count)
    ruler = Ruler(lengths, scores.max() - scores, RATE)
    return in_turns(
        lambda: choose_weighted(lengths, scores, RATE, system_words),
        lambda: ruler.narrow(0, 1, Uniform(int(system_words(1)[0]), system_words)),
    )


def main() -> None:
    """Print the tables."""
    print("Choice among intervals         floats, ms   decimals for one comparison, ms")
    for count in (1_000, 30_000, 1_500_000):
        floats, decimals = choosing(count)
        print(f"{count:>22,}       {1e3 * floats:12.2f} {1e3 * decimals:33.2f}")
    print()
    print("Cells whose noise exceeds a threshold   of 2**61 cells, ms   of 2**62 cells, ms")
    half, whole = in_turns(
        lambda: exceeding_cells(Fraction(1), 2**61, 31, system_words),
        lambda: exceeding_cells(Fraction(1), 2**62, 31, system_words),
    )
    print(f"{'':38} {1e3 * half:19.1f} {1e3 * whole:20.1f}")


if __name__ == "__main__":
    main()
