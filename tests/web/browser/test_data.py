"""The first step in a browser: a table is dropped, named, made up, or refused in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import LIGHT_FIRST, Theme, Visit, fits, violations, visiting
from workbench import Bench

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROWS = "age,sex,name\n" + "".join(f"{20 + i % 50},{'fm'[i % 2]},Person{i}\n" for i in range(120))


def test_a_table_is_named_looked_at_and_paged(visit: Visit, tables: Path) -> None:
    """From the list of work on, with random rows first, then all rows a screen at a time."""
    (tables / "visits.csv").write_text(ROWS)
    visit.begin()
    visit.open("visits.csv")
    caption = visit.page.locator("table.rows caption")
    assert caption.inner_text().startswith("8 random rows of 120.")
    visit.page.get_by_role("button", name="Show all rows in order").click()
    visit.looked("Rows 1 to 15 of 120")
    visit.page.get_by_role("button", name="Last", exact=True).click()
    visit.looked("Rows 106 to 120 of 120")
    assert "Person" not in visit.page.content()
    visit.go("/")
    assert visit.page.get_by_role("link", name="visits.csv").count() >= 1


def test_a_file_is_dropped_on_the_page(visit: Visit, tmp_path: Path) -> None:
    """With letters that no header holds; the page goes on by itself."""
    file = tmp_path / "Besuche März 100%.csv"
    file.write_text(ROWS)
    visit.begin()
    visit.page.set_input_files("#drop input[type=file]", file)
    visit.page.wait_for_selector("table.rows")
    assert "Besuche März 100_.csv" in visit.page.locator(".chosen").inner_text()


@pytest.mark.nightly
def test_folders_are_looked_through(visit: Visit, tables: Path) -> None:
    """A file in a folder in the allowed one is found by clicks alone."""
    (tables / "2024 'q1' & \"q2\"").mkdir(exist_ok=True)
    (tables / "2024 'q1' & \"q2\"" / "<b>t&amp;.csv").write_text(ROWS)
    visit.begin()
    visit.page.get_by_text("Browse the allowed folders").click()
    visit.page.get_by_role("button", name="2024 'q1' & \"q2\"/").click()
    visit.page.get_by_role("button", name="<b>t&amp;.csv").click()
    visit.page.get_by_role("button", name="Open", exact=True).click()
    visit.page.wait_for_selector("table.rows")
    visit.looked("<b>t&amp;.csv")


@pytest.mark.nightly
def test_a_file_of_200_megabytes_is_dropped(visit: Visit, tmp_path: Path) -> None:
    """It is copied as it comes in, so neither the page nor the server holds it whole."""
    file = tmp_path / "large.csv"
    row = "{},{},a note that is long enough to fill the row of a table of visits\n"
    with file.open("w") as written:
        written.write("age,sex,note\n")
        for _ in range(44):
            written.writelines(row.format(20 + at % 50, "fm"[at % 2]) for at in range(70_000))
    assert file.stat().st_size > 200_000_000
    visit.begin()
    visit.page.set_input_files("#drop input[type=file]", file)
    visit.page.wait_for_selector("table.rows")
    visit.looked("of 3,080,000")
    (copy,) = visit.bench.state.glob("raw-*/*/large.csv")
    assert (copy.stat().st_size, copy.stat().st_mode & 0o777) == (file.stat().st_size, 0o600)


def test_hostile_names_and_values_are_text(visit: Visit, tables: Path) -> None:
    """A column and cells that would be markup, a script or a template elsewhere."""
    hostile = "<img src=x onerror=alert(1)>"
    rows = "".join(f'"{hostile}{{{{ 7 * 7 }}}}",{20 + at % 9}\n' for at in range(60))
    (tables / "hostile.csv").write_text(f'"{hostile}",age\n{rows}')
    visit.begin()
    visit.open("hostile.csv")
    piece = visit.piece
    for step in ("columns", "columns/1", "data"):
        visit.go(f"{piece}/{step}")
        visit.page.wait_for_load_state("networkidle")
        assert visit.page.locator("img").count() == 0
        assert "49" not in visit.page.locator("main").inner_text()
    visit.go(f"{piece}/columns")
    visit.looked(hostile)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("/etc/passwd", "this path is outside the allowed folders"),
        ("nothing.csv", "there is no such file"),
        ("duckdb:///etc/x.duckdb?table=t", "this path is outside the allowed folders"),
        ("postgresql://me:secret@db/x?table=t", "contains a password"),
    ],
)
def test_what_cannot_be_opened_is_said_where_it_was_asked_for(
    visit: Visit, data: str, says: str
) -> None:
    """In words, and the page goes on."""
    visit.begin()
    visit.page.locator("#value").fill(data)
    visit.page.get_by_role("button", name="Open", exact=True).click()
    said = visit.refused()
    assert says in said
    assert "secret" not in said
    assert visit.page.locator("#value").is_visible()


def test_a_wrong_file_is_refused_and_the_next_taken(visit: Visit, tmp_path: Path) -> None:
    """A picture that is called a table."""
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    (tmp_path / "letter.doc").write_bytes(b"Dear all")
    (tmp_path / "visits.csv").write_text(ROWS)
    visit.begin()
    visit.page.set_input_files("#drop input[type=file]", tmp_path / "picture.csv")
    assert "Reading the table" in visit.refused()
    visit.page.set_input_files("#drop input[type=file]", tmp_path / "letter.doc")
    visit.looked("does not have the ending of a table")
    visit.page.set_input_files("#drop input[type=file]", tmp_path / "visits.csv")
    visit.page.wait_for_selector("table.rows")
    assert visit.page.locator(".refusal").count() == 0


@pytest.fixture(params=LIGHT_FIRST)
def themed(request: pytest.FixtureRequest, browser: Browser, bench: Bench) -> Iterator[Visit]:
    """A page in each theme."""
    theme: Theme = request.param
    with visiting(browser, bench, theme=theme) as visit:
        yield visit


def test_the_pages_have_no_barriers(themed: Visit, tables: Path) -> None:
    """The list of work, an empty step, one with a table, a refusal."""
    (tables / "visits.csv").write_text(ROWS)
    themed.go("/")
    assert violations(themed.page) == []
    themed.begin()
    assert violations(themed.page) == []
    themed.open("visits.csv")
    assert violations(themed.page) == []
    themed.page.get_by_text("Is the table wrong?").click()
    themed.page.locator("#value").fill("/etc/passwd")
    themed.page.get_by_role("button", name="Open", exact=True).click()
    themed.refused()
    assert violations(themed.page) == []


@pytest.mark.nightly
def test_nobody_scrolls_sideways_on_a_narrow_screen(
    browser: Browser, bench: Bench, tables: Path
) -> None:
    """390 points wide, as a telephone, or a window at 300%."""
    (tables / "visits.csv").write_text(ROWS)
    with visiting(browser, bench, size=(390, 800)) as visit:
        visit.begin()
        assert fits(visit.page)
        visit.open("visits.csv")
        assert fits(visit.page)
