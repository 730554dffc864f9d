# noqa: INP001 - a script, not a package
"""Take the pictures of the workbench for the pages, with the results of the demonstration.

A browser goes through the five steps as a person does, up to a verified release, and takes a
picture of each at 1280 x 800.

::

    python docs/make_screenshots.py

The script requires the same as the browser tests: Chromium, and the packages of ``make test``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from browsing import Visit

FOLDER = Path(__file__).with_name("workbench")
STEPS = ("data", "columns", "risk", "explore", "release")
SUPPORT = Path(__file__).parents[1] / "tests" / "support"
ALSO = ("cells", "local", "intervals")
"""Further candidates, so that the map has points to compare."""
_SECONDS = "10"
"""The time limit of each candidate, because some searches take minutes."""


def main() -> None:
    """Go through the steps, and take a picture of each."""
    sys.path.insert(0, str(SUPPORT))
    from browsing import chromium, visiting  # noqa: PLC0415 - of the tests
    from workbench import served  # noqa: PLC0415 - of the tests

    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as place:
        tables = Path(place) / "tables"
        tables.mkdir()
        with (
            chromium() as browser,
            served(Path(place) / "state", [tables], folder=tables) as bench,
            visiting(browser, bench) as visit,
        ):
            _through_the_steps(visit, tables / "release")


def _through_the_steps(visit: Visit, out: Path) -> None:
    from walking import assess, decide, explore, release  # noqa: PLC0415 - of the tests

    visit.begin()
    visit.page.get_by_role("button", name="Use the demonstration").click()
    visit.page.wait_for_selector("table.rows")
    take(visit, "data")
    decide(visit, {})
    assess(visit)
    explore(visit, "global")
    release(visit, out)
    _compared(visit)
    for step in STEPS[1:]:
        visit.go(f"{visit.piece}/{step}")
        take(visit, step)


def _compared(visit: Visit) -> None:
    """Draw the frontier, and other kinds of releases on the same map."""
    visit.go(f"{visit.piece}/explore")
    page = visit.page
    page.get_by_role("button", name="Search the frontier").click()
    page.locator("#walk").wait_for()
    for at, kind in enumerate(ALSO):
        page.locator(f"input[name=kind][value={kind}]").check()
        page.get_by_label("Time limit per release").fill(_SECONDS)
        page.get_by_role("button", name="Try it").click()
        page.get_by_role("button", name="Compare").nth(at + 1).wait_for()


def take(visit: Visit, step: str) -> None:
    """Take the picture of a step."""
    visit.page.wait_for_load_state("networkidle")
    picture = FOLDER / f"{step}.png"
    visit.page.screenshot(path=picture)
    print(f"{picture.name}: {picture.stat().st_size / 1024:.0f} KiB")  # noqa: T201 - a script


if __name__ == "__main__":
    main()
