"""Which weak releases fail the attacks, and which sound releases fail: the latter are false alarms.

    python benchmarks/attacks_convict.py [--sound 50] [--attack NAME ...]

The releases are those of the tests (`tests/support/planted.py`), made again. Every attack is run on
each release, and all attacks on one release are judged together.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import measuring
from roadstead.attacks.finding import Findings

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

import planted  # found on the path above

COLUMNS = ("release", "attacks", "not tried", "convicted by", "s")


def line(name: str, found: Findings, seconds: float) -> tuple[str, ...]:
    """Return the line of a release."""
    by = dict.fromkeys(_short(one) for one in found.found if one.convicted)
    tried = {one.attack for one in found.found}
    return (
        name,
        f"{len(tried)} ({len(found.found)} figures)",
        f"{len({one.attack for one in found.untried} - tried)}",
        "; ".join(by) or "none",
        f"{seconds:.1f}",
    )


def _short(one: object) -> str:
    share = f"{one.success:.0%} against {one.guessing:.0%}"  # type: ignore[attr-defined] # a CertifiedAttack
    return f"{one.attack} ({share})"  # type: ignore[attr-defined] # a CertifiedAttack


def main() -> None:
    """Make and attack all releases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sound", type=int, default=planted.SOUND, help="how many sound ones")
    parser.add_argument("--attack", nargs="+", default=None, help="names of attacks, default all")
    parser.add_argument("--planted", nargs="+", default=None, help="names of planted ones")
    given = parser.parse_args()
    measuring.show_machine()
    lines: list[tuple[str, ...]] = []

    def tried(name: str, found: Findings, begun: float) -> None:
        lines.append(line(name, found, time.process_time() - begun))
        print(*lines[-1], sep=", ", file=sys.stderr, flush=True)

    missed: list[str] = []
    alarms: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        if given.planted != []:
            for one in planted.planted(Path(place)):
                begun = time.process_time()
                found = one.attacked(given.attack)
                tried(one.name, found, begun)
                if not {f.attack for f in found.found if f.convicted} & {*one.convicted_by}:
                    missed.append(one.name)
            for name, broken in (("broken mechanism", True), ("the same, sound", False)):
                begun = time.process_time()
                found = planted.broken_mechanism(broken=broken)
                tried(name, found, begun)
                if broken != found.convicted:
                    missed.append(name)
        number = 0
        for one in planted.sound(Path(place), range(given.sound)):
            begun = time.process_time()
            found = one.attacked(given.attack)
            tried(one.name, found, begun)
            number += 1
            alarms.update({f.attack for f in found.found if f.convicted})
    print(file=sys.stderr)
    measuring.show_table(COLUMNS, lines)
    print(f"\nPlanted and not convicted as they should be: {', '.join(missed) or 'none'}.")
    print(f"Sound ones: {number}; false alarms: {dict(alarms) or 'none'}.")


if __name__ == "__main__":
    main()
