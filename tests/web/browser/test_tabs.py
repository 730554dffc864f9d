"""Two tabs, of one piece of work and of two: neither silently undoes the other's changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import Visit, visiting
from patience import wait_until
from workbench import Bench

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Opened = Callable[[str], Visit]
NOTICE = "Another tab changed a setting"


@pytest.fixture
def tab(browser: Browser, bench: Bench) -> Iterator[Opened]:
    """Open a tab at an address."""
    with ExitStack() as held:

        def opened(address: str) -> Visit:
            visit = held.enter_context(visiting(browser, bench))
            visit.go(address)
            visit.page.wait_for_load_state("networkidle")
            return visit

        yield opened


def piece_of(bench: Bench, file: Path, rows: int = 200) -> str:
    """Have a table with three columns, none of them decided on."""
    lines = [f"{20 + at % 40},{'fm'[at % 2]},{at % 7}" for at in range(rows)]
    file.write_text("\n".join(["age,sex,ward", *lines, ""]))
    piece = bench.begin()
    bench.open(piece, str(file))
    bench.choose(piece, f"data = '{file}'\n[roles]\nquasi = ['age', 'sex', 'ward']\n")
    return piece


def project(bench: Bench, piece: str) -> str:
    """Read the choices as they are kept."""
    return (bench.folder(piece) / "project.toml").read_text()


@pytest.mark.nightly
def test_a_role_that_another_tab_gave_is_not_undone_unseen(
    tab: Opened, bench: Bench, tables: Path
) -> None:
    """A role for another column is accepted; for the same column, it is refused and shown again."""
    piece = piece_of(bench, tables / "roles.csv")
    one, other = tab(f"{piece}/columns"), tab(f"{piece}/columns")
    one.page.locator("#role-1").select_option("sensitive")
    wait_until(lambda: 'sensitive = ["age"]' in project(bench, piece), "the role")
    other.page.locator("#role-2").select_option("unchanged")
    wait_until(lambda: 'unchanged = ["sex"]' in project(bench, piece), "the other role")
    assert 'sensitive = ["age"]' in project(bench, piece)
    other.page.locator("#role-1").select_option("identifiers")
    other.looked("another tab set the role of")
    assert 'sensitive = ["age"]' in project(bench, piece)
    assert other.page.locator("#role-1").input_value() == "sensitive"
    other.page.locator("#role-1").select_option("identifiers")
    wait_until(lambda: 'identifiers = ["age"]' in project(bench, piece), "the role, seen")


@pytest.mark.nightly
def test_a_promise_that_another_tab_made_is_shown_before_it_is_replaced(
    tab: Opened, bench: Bench, tables: Path
) -> None:
    """The form is refused with a sentence, and shows the present settings."""
    piece = piece_of(bench, tables / "promise.csv")
    one, other = tab(f"{piece}/columns"), tab(f"{piece}/columns")
    one.page.locator("#p-k").fill("7")
    one.page.get_by_role("button", name="Save settings").click()
    one.looked("Settings saved")
    other.page.locator("#p-suppression").fill("1")
    other.page.get_by_role("button", name="Save settings").click()
    assert "another tab changed the privacy requirements" in other.refused()
    assert other.page.locator("#p-k").input_value() == "7"
    other.page.locator("#p-suppression").fill("1")
    other.page.get_by_role("button", name="Save settings").click()
    other.looked("Settings saved")
    assert "k = 7" in project(bench, piece)


@pytest.mark.nightly
def test_a_tab_says_that_another_one_changed_something(
    tab: Opened, bench: Bench, tables: Path
) -> None:
    """The choices on top follow, and a notice covers the rest; a tab's own changes do not count."""
    piece = piece_of(bench, tables / "notice.csv")
    one, other = tab(f"{piece}/columns"), tab(f"{piece}/risk")
    one.page.locator("#role-3").select_option("unchanged")
    other.looked(NOTICE)
    assert "2 of 3 columns" in other.page.locator("#chosen").inner_text()
    other.page.get_by_role("button", name="Reload the page").click()
    other.page.wait_for_load_state("networkidle")
    assert not other.page.locator("#elsewhere").is_visible()
    assert not one.page.locator("#elsewhere").is_visible()


def test_a_tab_that_changes_something_at_once_still_says_that_another_one_did(
    tab: Opened, bench: Bench, tables: Path
) -> None:
    """Fault class: its own change brought the other change along, and no notice came."""
    piece = piece_of(bench, tables / "at once.csv")
    visit = tab(f"{piece}/columns")
    bench.post(f"{piece}/columns/3/role", role="unchanged")
    visit.page.locator("#role-2").select_option("sensitive")
    wait_until(lambda: 'sensitive = ["sex"]' in project(bench, piece), "the role")
    visit.looked(NOTICE)
    visit.page.get_by_role("button", name="Reload the page").click()
    visit.page.wait_for_load_state("networkidle")
    for at, role in ((1, "unchanged"), (2, "quasi"), (1, "quasi")):
        visit.page.locator(f"#role-{at}").select_option(role)
    visit.page.wait_for_load_state("networkidle")
    assert not visit.page.locator("#elsewhere").is_visible()


def test_only_the_release_that_was_looked_at_is_written(
    tab: Opened, bench: Bench, tables: Path
) -> None:
    """Fault class: another tab chooses another candidate, and this one writes it unseen."""
    piece = piece_of(bench, tables / "looked.csv")
    for k in ("5", "10"):  # 5 is promised: less needs a reason
        assert bench.post(f"{piece}/explore/try", kind="global", sizes=k).status == 303
        bench.wait(piece, "trial")
    releases = bench.folder(piece) / "releases"
    wait_until(lambda: len(list(releases.glob("anonymize-*"))) == 2, "both releases")
    made = sorted(releases.glob("anonymize-*"), key=lambda one: one.stat().st_mtime)
    first, second = (one.name for one in made)
    assert bench.post(f"{piece}/explore/candidates/{first}/choose").status < 400
    reading = tab(f"{piece}/release")
    assert bench.post(f"{piece}/explore/candidates/{second}/choose").status < 400
    out = tables / "never written"
    reading.page.locator("#out").fill(str(out))
    reading.page.get_by_role("button", name="Write and verify").click()
    assert "another tab chose" in reading.refused()
    assert not out.exists()


@pytest.mark.nightly
def test_two_pieces_of_work_are_at_work_at_once(tab: Opened, bench: Bench, tables: Path) -> None:
    """Each tab has its own result at the end, and knows nothing of the other."""
    both = [piece_of(bench, tables / f"both{at}.csv", 150 + 50 * at) for at in range(2)]
    tabs = [tab(f"{piece}/explore") for piece in both]
    for visit in tabs:
        visit.page.get_by_role("button", name="Search the frontier").click()
    for at, visit in enumerate(tabs):
        visit.page.locator("#walk").wait_for()
        visit.page.get_by_role("button", name="Compare").wait_for()
        assert f"of {150 + 50 * at} records" in visit.page.locator("#pinned").inner_text()
        assert visit.page.locator(".candidates tbody tr").count() == 1
