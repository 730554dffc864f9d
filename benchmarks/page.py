"""How quickly the workbench answers: its first page, other steps during a search, and the pointer.

    ROADSTEAD_DATA=folder python benchmarks/page.py [--seconds 60] [--points 5000]

A browser opens Adult with its hierarchies. Measured are: from the command to the first page that is
painted, with bytecode written before; each step's answer while the frontier is searched for so many
seconds; and, on a map of so many policies (those that were found, many times over), how long the
page takes from a movement of the pointer to the words of the policy, until these are painted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import measuring
from problems import ADULT, data_folder

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from browsing import Visit, chromium, visiting
from workbench import Bench, served

if TYPE_CHECKING:
    from collections.abc import Iterator

QUASI = tuple(name for name in ADULT.columns if name != "salary-class")
STEPS = ("data", "columns", "risk", "explore", "release", "data/rows")
_POINTED = """
([count]) => new Promise((done) => {
  const drawing = document.querySelector('[data-scale=wide] svg');
  const box = drawing.getBoundingClientRect(), times = [];
  const somewhere = (from, size) => from + size * (.1 + .8 * Math.random());
  const painted = (then) => requestAnimationFrame(() => requestAnimationFrame(then));
  const next = (left) => {
    if (!left) { done(times); return; }
    const clientX = somewhere(box.left, box.width), clientY = somewhere(box.top, box.height);
    const began = performance.now();
    drawing.dispatchEvent(new PointerEvent('pointermove', { clientX, clientY, bubbles: true }));
    painted(() => { times.push(performance.now() - began); next(left - 1); });
  };
  next(count);
})
"""


@contextmanager
def opened(folder: Path) -> Iterator[tuple[Bench, Visit]]:
    """Start the workbench and a browser; say how long the first page takes."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    data = data_folder()
    with chromium() as browser:
        for way in ("cold", "warm"):
            began = time.perf_counter()
            with (
                served(folder / way, [data], enter=False) as bench,
                visiting(browser, bench) as visit,
            ):
                visit.page.goto(bench.entrance)
                visit.page.get_by_role("button", name="Open a table").wait_for()
                print(f"first page, {way}: {time.perf_counter() - began:.2f} s from the command")
                if way == "warm":
                    yield bench, visit


def decided(bench: Bench, piece: str, table: Path) -> None:
    """Open the table and decide on its columns, as a project file does."""
    bench.open(piece, str(table))
    project = f"""data = {json.dumps(str(table))}
hierarchy_folder = {json.dumps(str(ADULT.hierarchy_folder))}
reading = {{delimiter = ";"}}
[roles]
quasi = {json.dumps(list(QUASI))}
unchanged = ["salary-class"]
"""
    bench.choose(piece, project)


def answers(bench: Bench, piece: str) -> dict[str, list[float]]:
    """Request every step, again and again, while a search is running."""
    found: dict[str, list[float]] = {step: [] for step in STEPS}
    while "data-events" in bench.get(f"{piece}/explore").text:
        for step in STEPS:
            began = time.perf_counter()
            bench.get(f"{piece}/{step}")
            found[step].append(time.perf_counter() - began)
    return found


def many(bench: Bench, piece: str, points: int) -> None:
    """Put so many drawing the map: those found, each many times, a little apart."""
    path = bench.folder(piece) / "facts" / "frontier.json"
    facts: dict[str, Any] = json.loads(path.read_text("utf-8"))
    own = facts["points"]
    facts["points"] = [
        [at, one[1] * (1 + at / points / 50), one[2], *one[3:]]
        for at in range(points)
        for one in [own[at * len(own) // points]]
    ]
    path.write_text(json.dumps(facts), "utf-8")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60, help="how long the search takes")
    parser.add_argument("--points", type=int, default=5000, help="drawing the map")
    given = parser.parse_args()
    measuring.show_machine()
    with TemporaryDirectory() as place, opened(Path(place)) as (bench, visit):
        bench.cookies = {
            one["name"]: one["value"] for one in visit.page.context.cookies(bench.address)
        }
        piece = visit.begin()
        decided(bench, piece, ADULT.path)
        bench.get(f"{piece}/data/rows")
        bench.post(f"{piece}/explore/frontier", policies="cuts", time_limit=str(given.seconds))
        for step, times in answers(bench, piece).items():
            shown = ", ".join(f"{1000 * one:.0f}" for one in (median(times), max(times)))
            print(f"{step}: median and longest answer {shown} ms, of {len(times)}, while searching")
        bench.wait(piece, "frontier")
        many(bench, piece, given.points)
        visit.go(f"{piece}/explore")
        visit.page.locator("#walk").wait_for()
        visit.page.wait_for_load_state("networkidle")
        times = visit.page.evaluate(_POINTED, [300])
        print(
            f"pointer on {given.points:,} policies: median {median(times):.0f} ms, "
            f"longest {max(times):.0f} ms to the painted words, of {len(times)}"
        )


if __name__ == "__main__":
    main()
