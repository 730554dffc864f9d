"""The pages of reports as a browser shows them: in both themes, wide, narrow and printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import THEMES, Theme, fits, violations

import roadstead as rs
from roadstead.cohort import write_csv

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Make = Callable[[Path, Path], Path]
"""Makes a page of some patients in a folder, and names it."""

_KNOWN = ["sex", "race", "zip"]
_OTHERS = ["record_number", "name", "birth_date", "admission_date", "diagnosis"]
_CLASSES = ["discharged home", "transferred", "died", "left against advice"]
_BROKEN = r"""() => {
  const broken = [], range = document.createRange();
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (!node.parentElement.checkVisibility()) continue;
    for (const word of node.data.matchAll(/\b[A-Za-z0-9]{2,12}\b/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].map((one) => Math.round(one.top)));
      if (tops.size > 1) broken.push(word[0]);
    }
  }
  return broken;
}"""
"""Words of up to twelve letters that begin in one line and end in another."""


def _anonymized(patients: Path, folder: Path, **more: object) -> Path:
    declared = {"quasi": _KNOWN, "identifiers": _OTHERS, "sensitive": ["outcome"], **more}
    rs.anonymize(patients, k=3, suppression=0.2, **declared).write(folder / "release")  # type: ignore[arg-type] # by name
    return folder / "release" / "report.html"


def _frontier(patients: Path, folder: Path) -> Path:
    rs.frontier(
        patients,
        quasi=["sex", "race", "zip", "length_of_stay"],
        identifiers=_OTHERS,
        search="exact",
        risk_measure="at-risk",
    ).write(folder / "frontier")
    return folder / "frontier" / "frontier.html"


def _by_intervals(patients: Path, folder: Path) -> Path:
    return _anonymized(patients, folder, recoding="intervals", time_limit=2)


def _cuts(patients: Path, folder: Path) -> Path:
    rs.frontier(patients, quasi=["sex", "length_of_stay"], identifiers=_OTHERS).write(
        folder / "cuts"
    )
    return folder / "cuts" / "frontier.html"


def _risk(patients: Path, folder: Path) -> Path:
    rs.risk(patients, quasi=_KNOWN, sampling_fraction=0.1).write(folder / "risk")
    return folder / "risk" / "risk.html"


def _private(patients: Path, folder: Path) -> Path:
    rs.synthesize(
        patients,
        epsilon=1,
        target="outcome",
        classes=_CLASSES,
        values={"sex": ["female", "male"]},
        ranges={"length_of_stay": "1..60"},
        specializations=3,
    ).write(folder / "private")
    return folder / "private" / "report.html"


def _compared(patients: Path, folder: Path) -> Path:
    _anonymized(patients, folder)
    rs.evaluate(folder / "release", original=patients, formula="length_of_stay ~ sex").write(
        folder / "compared"
    )
    return folder / "compared" / "evaluation.html"


def _visits(folder: Path) -> Path:
    table = folder / "visits.csv"
    rows = [f"p{p},{'FM'[p % 2]},{20 + p % 7},{v}" for p in range(90) for v in range(1 + p % 3)]
    table.write_text("\n".join(["patient,sex,age,ward", *rows]) + "\n")
    return table


def _persons(_: Path, folder: Path) -> Path:
    rs.anonymize(
        _visits(folder), quasi=["sex", "age"], sensitive=["ward"], person="patient", k=3
    ).write(folder / "persons")
    return folder / "persons" / "report.html"


def _risk_of_persons(_: Path, folder: Path) -> Path:
    found = rs.risk(_visits(folder), quasi=["sex", "age", "ward"], person="patient", knows="2")
    found.write(folder / "persons")
    return folder / "persons" / "risk.html"


QUICK: tuple[Make, ...] = (_anonymized, _frontier)
OTHERS: tuple[Make, ...] = (
    *(_by_intervals, _cuts, _risk, _private, _compared, _persons, _risk_of_persons),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Make], Path]:
    """Each page, made once."""
    folder = tmp_path_factory.mktemp("pages")
    patients = write_csv(folder / "patients.csv", patients=600)
    pages: dict[Make, Path] = {}

    def page(make: Make) -> Path:
        if make not in pages:
            own = folder / make.__name__
            own.mkdir()
            pages[make] = make(patients, own)
        return pages[make]

    return page


def _look(
    browser: Browser, path: Path, theme: Theme, width: int, look: Callable[[Page], None]
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=theme)
    try:
        page, said = context.new_page(), []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(path.as_uri())
        if page.locator(".views").count():
            page.wait_for_selector("figure.live svg")
        look(page)
        assert said == []
    finally:
        context.close()


def _everybody(page: Page) -> None:
    for folded in page.locator("details").all():
        folded.evaluate("one => { one.open = true }")
    assert violations(page) == []
    assert fits(page)
    assert page.evaluate(_BROKEN) == []


def _on_paper(page: Page) -> None:
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 672, "height": 950})
    assert fits(page)
    assert page.evaluate(_BROKEN) == []
    assert page.locator(".scrolls").evaluate_all(
        "every => every.every((one) => one.scrollWidth <= one.clientWidth)"
    )
    assert not page.locator(".chart.narrow").first.is_visible()


@pytest.mark.quick(1)
@pytest.mark.parametrize("make", QUICK)
def test_a_report_can_be_read_by_everybody(
    make: Make, browser: Browser, made: Callable[[Make], Path]
) -> None:
    """By axe; on a telephone in the dark, and no word is broken."""
    _look(browser, made(make), "dark", 390, _everybody)


@pytest.mark.quick(1)
@pytest.mark.parametrize("make", QUICK)
def test_a_report_can_be_printed(
    make: Make, browser: Browser, made: Callable[[Make], Path]
) -> None:
    """On a sheet of paper nothing scrolls, so everything has to fit."""
    _look(browser, made(make), "light", 1280, _on_paper)


@pytest.mark.nightly
@pytest.mark.parametrize("width", [1280, 640, 390])
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("make", [*QUICK, *OTHERS])
def test_every_report_can_be_read_by_everybody(
    make: Make, theme: Theme, width: int, browser: Browser, made: Callable[[Make], Path]
) -> None:
    """Also at 200%, as which 640 pixels show a window of 1280."""
    _look(browser, made(make), theme, width, _everybody)


@pytest.mark.nightly
@pytest.mark.parametrize("make", OTHERS)
def test_every_report_can_be_printed(
    make: Make, browser: Browser, made: Callable[[Make], Path]
) -> None:
    """As those above."""
    _look(browser, made(make), "light", 1280, _on_paper)


@pytest.mark.nightly
def test_the_frontier_has_a_switch_to_even_steps(
    browser: Browser, made: Callable[[Make], Path]
) -> None:
    """Which is gone to by the keyboard, and says so no more that steps are of ten."""

    def look(page: Page) -> None:
        assert page.locator("input[value=log]").is_checked()
        assert page.locator(".of-log").is_visible()
        page.locator("input[value=log]").press("ArrowRight")
        page.wait_for_selector("figure[data-view=whole]")
        assert page.locator("input[value=whole]").is_checked()
        assert not page.locator(".of-log").is_visible()

    _look(browser, made(_frontier), "light", 1280, look)
