"""From an empty page to a verified release, by clicks alone, on tables of all kinds."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import LIGHT_FIRST, Theme, Visit, cut_off, fits, framed, violations, visiting
from patience import wait_until
from walking import QUASI, assess, decide, explore, release
from workbench import Bench, served

from roadstead.web.security.headers import DOCUMENT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

STEPS = ("data", "columns", "columns/3", "risk", "explore", "release")


def certified(out: Path) -> dict[str, object]:
    """Check a release as its recipient does; give its certificate."""
    command = [sys.executable, "-m", "roadstead", "verify", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, object] = json.loads((out / "certificate.json").read_text("utf-8"))
    return found


@pytest.fixture(scope="module")
def demonstration(browser: Browser, bench: Bench, tables: Path) -> str:
    """Release the demonstration, with a look at the risk on the way; give its address."""
    with visiting(browser, bench) as visit:
        visit.begin()
        visit.page.get_by_role("button", name="Use the demonstration").click()
        visit.page.wait_for_selector("table.rows")
        assert decide(visit, {}) == ["length_of_stay"]
        assess(visit)
        explore(visit, "global")
        release(visit, tables / "demonstration")
        return visit.piece


@pytest.mark.nightly
def test_the_demonstration_is_released(visit: Visit, demonstration: str, tables: Path) -> None:
    """The release verifies, and its report opens as a document that runs nothing."""
    assert certified(tables / "demonstration")
    visit.go(f"{demonstration}/release")
    link = visit.page.get_by_role("link", name="Read the report")
    address = link.get_attribute("href")
    assert address is not None
    answer = visit.bench.get(address)
    assert answer.headers.get_all("content-security-policy") == [DOCUMENT]
    with visit.page.context.expect_page() as opened:
        link.click()
    assert opened.value.locator("h1").first.inner_text()


@pytest.mark.nightly
@pytest.mark.parametrize("theme", LIGHT_FIRST)
def test_no_step_has_barriers(
    browser: Browser, bench: Bench, demonstration: str, theme: Theme
) -> None:
    """With everything on it that a release has by its end."""
    found = {}
    with visiting(browser, bench, theme=theme) as visit:
        for step in STEPS:
            visit.go(f"{demonstration}/{step}")
            visit.page.wait_for_load_state("networkidle")
            found[step] = violations(visit.page)
    assert found == {step: [] for step in STEPS}


@pytest.mark.nightly
@pytest.mark.parametrize("size", [(390, 800), (640, 400)], ids=["telephone", "200%"])
def test_every_step_fits_a_narrow_screen(
    browser: Browser, bench: Bench, demonstration: str, size: tuple[int, int]
) -> None:
    """Only tables and charts are scrolled sideways, each in its own frame; nothing is cut off."""
    with visiting(browser, bench, size=size) as visit:
        for step in STEPS:
            visit.go(f"{demonstration}/{step}")
            visit.page.wait_for_load_state("networkidle")
            visit.page.evaluate(
                "document.querySelectorAll('details').forEach((d) => d.open = true)"
            )
            visit.page.wait_for_load_state("networkidle")
            assert fits(visit.page), step
            assert cut_off(visit.page) == [], step
        visit.go("/")
        for word in visit.page.locator(".works :is(thead th, button):visible").all():
            box = word.bounding_box()
            assert box is not None
            assert box["height"] < 50, "a word is not broken into two lines"


@pytest.mark.nightly
def test_every_step_is_readable_on_paper(
    browser: Browser, bench: Bench, demonstration: str
) -> None:
    """As wide as A4 between its margins: what was chosen and found as text, and tables whole."""
    with visiting(browser, bench, size=(718, 1000)) as visit:
        page = visit.page
        for step in STEPS:
            visit.go(f"{demonstration}/{step}")
            page.wait_for_load_state("networkidle")
            page.emulate_media(media="print")
            page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
            assert fits(page), step
            assert cut_off(page) == [], step
            assert framed(page) == [], step
            shown = page.locator("button:visible, summary:visible, [type=file]:visible")
            words = {one.inner_text() for one in shown.all()}
            titles = page.locator("thead button:visible, summary:visible h2")
            assert words == {one.inner_text() for one in titles.all()}, step
            assert page.locator("main").inner_text().strip(), step
            page.emulate_media(media="screen")
        visit.go(f"{demonstration}/columns")
        page.emulate_media(media="print")
        assert page.locator("#role-2").is_visible()
        visit.go(f"{demonstration}/release")
        page.emulate_media(media="print")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert page.get_by_role("rowheader", name="5-anonymity").is_visible()


@pytest.mark.nightly
def test_work_goes_on_where_it_was(visit: Visit, demonstration: str) -> None:
    """From the list of work, in another profile, after everything was left."""
    visit.go("/")
    visit.page.locator(f"a[href^='{demonstration}/']").first.click()
    visit.page.wait_for_load_state("networkidle")
    assert "Demonstration" in visit.page.locator("#chosen").inner_text()
    visit.page.get_by_role("link", name="5 Release").click()
    visit.page.get_by_role("heading", name="Written and verified").wait_for()


PERSONS = 200


@pytest.fixture
def persons(tables: Path) -> Path:
    """A table with three records of each person."""
    rows = ["person_id,age,sex,city,illness"]
    for i in range(3 * PERSONS):
        who = i // 3
        rows.append(f"P{who},{30 + who % 5},{'fm'[who % 2]},city{who % 4},illness{i % 6}")
    file = tables / "visits of persons.csv"
    file.write_text("\n".join(rows) + "\n")
    return file


@pytest.mark.nightly
def test_a_table_with_persons_is_released(visit: Visit, persons: Path) -> None:
    """The release counts people, from the scan's proposal to the certificate."""
    visit.begin()
    visit.open(persons.name)
    answers = {"person_id": "Person ID", "city": QUASI, "illness": "Sensitive"}
    decide(visit, answers, other=QUASI)
    visit.looked("people, by person_id")
    assess(visit)
    explore(visit, "global")
    out = persons.parent / "persons"
    release(visit, out)
    assert "persons" in certified(out)
    for file in out.glob("*.csv"):
        assert "P1" not in file.read_text()


@pytest.mark.nightly
def test_a_search_is_reloaded_stopped_and_kept(visit: Visit) -> None:
    """The page shows the best result until then; other pages answer meanwhile."""
    visit.begin()
    visit.page.get_by_role("button", name="Use the demonstration").click()
    visit.page.wait_for_selector("table.rows")
    decide(visit, {})
    visit.go(f"{visit.piece}/explore")
    visit.page.locator("input[name=kind][value=local]").check()
    visit.page.get_by_role("button", name="Try it").click()
    visit.page.get_by_text("best result").wait_for()
    visit.page.reload()
    visit.page.get_by_text("best result").wait_for()
    piece = visit.piece
    visit.go(f"{piece}/data")
    visit.page.wait_for_selector("table.rows")
    visit.go(f"{piece}/explore")
    visit.page.get_by_role("button", name="Stop and keep the best result").click()
    visit.page.get_by_role("button", name="Choose").first.wait_for()
    visit.page.get_by_role("button", name=re.compile("^Search longer")).click()
    visit.looked("again from the start")
    visit.page.locator(".job .says").first.wait_for()
    assert visit.page.get_by_role("button", name=re.compile("^Choose")).count() == 1
    visit.page.get_by_role("button", name="Remove").last.click()
    visit.page.locator(".job").wait_for(state="detached")


@pytest.mark.nightly
def test_a_server_that_was_killed_leaves_the_work(
    browser: Browser, persons: Path, tables: Path, tmp_path: Path
) -> None:
    """The next one finds it, with all that was decided, and nothing raw is left behind."""
    shutil.copy(persons, tables / "again.csv")
    with served(tmp_path / "state", [tables], folder=tables) as first:
        with visiting(browser, first) as visit:
            visit.begin()
            visit.open("again.csv")
            decide(visit, {}, other=QUASI)
            piece = visit.piece
        first.end(signal.SIGKILL)
    with (
        served(tmp_path / "state", [tables], folder=tables) as second,
        visiting(browser, second) as visit,
    ):
        visit.go("/")
        visit.page.get_by_role("link", name="again.csv").click()
        visit.page.wait_for_load_state("networkidle")
        assert piece in visit.page.url
        visit.go(f"{piece}/columns")
        visit.page.get_by_role("link", name="Continue to the risk").wait_for()
    wait_until(lambda: not [*(tmp_path / "state").glob("raw-*")], "nothing raw to be left")


@pytest.fixture
def real(data_dir: Path, tmp_path: Path) -> Iterator[Bench]:
    """A workbench that may read the real data sets."""
    (tmp_path / "out").mkdir()
    with served(tmp_path / "state", [data_dir, tmp_path / "out"], folder=tmp_path) as bench:
        yield bench


@pytest.mark.nightly
def test_adult_is_released_with_its_hierarchies(
    browser: Browser, real: Bench, data_dir: Path, tmp_path: Path
) -> None:
    """Those of ARX, dropped on a column's page."""
    with visiting(browser, real) as visit:
        visit.begin()
        visit.open(str(data_dir / "adult" / "adult.csv"))
        decide(visit, {}, other="Not sensitive")
        visit.page.get_by_role("link", name="age", exact=True).click()
        file = next((data_dir / "adult" / "hierarchies").glob("*age*"))
        visit.page.get_by_text("Load or download a hierarchy file").click()
        visit.page.set_input_files(".files-of-hierarchy input[type=file]", file)
        visit.looked("These levels are in the project file")
        visit.page.wait_for_load_state("networkidle")
        visit.go(f"{visit.piece.removesuffix('/columns')}/columns")
        assess(visit)
        explore(visit, "global")
        release(visit, tmp_path / "out" / "adult")
        certified(tmp_path / "out" / "adult")


@pytest.mark.nightly
def test_eunomia_is_released(browser: Browser, real: Bench, data_dir: Path, tmp_path: Path) -> None:
    """A folder of the OMOP data model, named by its address."""
    with visiting(browser, real) as visit:
        visit.begin()
        visit.open(f"omop:{data_dir / 'eunomia_gibleed'}")
        decide(visit, {})
        assess(visit)
        explore(visit, "global")
        release(visit, tmp_path / "out" / "eunomia")
        certified(tmp_path / "out" / "eunomia")
