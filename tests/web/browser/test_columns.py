"""The second step in a browser: decisions on columns by keyboard, and editing a hierarchy."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import LIGHT_FIRST, Theme, Visit, fits, violations, visiting
from workbench import Bench

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_NAMES = ("patient_id", "age", "sex", "zip", "diagnosis", "email", "score")
_ROWS = [
    (
        f"P{at // 2:05d}",
        20 + at // 2 % 60,
        "FM"[at // 2 % 2],
        f"{2100 + at // 2 % 9:05d}",
        ["I10", "E11", "J45"][at % 3],
        f"user{at}@example.org",
        at % 7,
    )
    for at in range(400)
]
_TABLE = "\n".join(",".join(map(str, row)) for row in (_NAMES, *_ROWS)) + "\n"


def _begun(visit: Visit, tables: Path) -> str:
    (tables / "people.csv").write_text(_TABLE)
    visit.begin()
    visit.open("people.csv")
    visit.page.get_by_role("link", name="Continue to the columns").click()
    visit.page.locator("#promise form").first.wait_for()
    return visit.piece


def _number(name: str) -> int:
    return _NAMES.index(name) + 1


@pytest.mark.nightly
def test_columns_are_decided_on_by_keyboard_alone(visit: Visit, tables: Path) -> None:
    """The focus stays where the answer was given; what is refused is said there."""
    page = visit.page
    _begun(visit, tables)
    assert "score" in page.locator("#asked h2").inner_text()
    page.locator("#asked button[value=unchanged]").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Continue to the risk").wait_for()
    assert page.evaluate("document.activeElement.id") == "asked-title"
    email = _number("email")
    page.locator(f"#role-{email}").focus()
    page.keyboard.type("Se")
    page.locator(f"#why-not-{email}").wait_for()
    assert (
        "HIPAA Safe Harbor requires its removal" in page.locator(f"#why-not-{email}").inner_text()
    )
    assert page.evaluate("document.activeElement.id") == f"role-{email}"
    assert page.locator(f"#role-{email}").input_value() == "identifiers"
    page.locator(f"#reason-{email}").focus()
    page.keyboard.type("Agreed in writing with the board")
    page.keyboard.press("Enter")
    page.get_by_text("Released unchanged, although").wait_for()
    page.locator(f"#role-{_number('patient_id')}").select_option("undecided")
    page.locator("#asked h2", has_text="patient_id").wait_for()
    assert "records" in page.locator("#chosen").inner_text()
    assert page.locator("#steps a").count() == 2


@pytest.mark.nightly
def test_a_role_is_undone_after_the_choices_at_the_top_were_updated(
    visit: Visit, tables: Path
) -> None:
    """The button was replaced with the choices; it must still send what the page sends."""
    page = visit.page
    _begun(visit, tables)
    role = page.locator(f"#role-{_number('sex')}")
    with page.expect_response(lambda answer: answer.url.endswith("/chosen")):
        role.select_option("sensitive")
    page.locator("#undo").wait_for()
    with page.expect_navigation():
        page.locator("#undo").click()
    assert page.url.endswith("/columns")
    assert role.input_value() == "quasi"


@pytest.mark.nightly
def test_a_hierarchy_is_edited_and_kept(visit: Visit, tables: Path) -> None:
    """Levels and bars follow the input; errors are at the form; the file has the same."""
    page = visit.page
    piece = _begun(visit, tables)
    page.get_by_role("link", name="age", exact=True).click()
    page.locator("#levels figure").wait_for()
    widths = page.get_by_label("Widths, one per level")
    widths.fill("10, 15")
    assert "is not a multiple" in visit.refused()
    widths.fill("10, 30")
    page.locator(".each-level", has_text="in bands of 30").wait_for()
    page.locator("#level-1").check()
    page.locator("figcaption", has_text="at level 1").wait_for()
    assert page.evaluate("document.activeElement.id") == "level-1"
    labels = page.locator("#levels .chart.wide svg text").all_text_contents()
    assert [one for one in labels if "-" in one] == [f"{at}-{at + 9}" for at in range(20, 80, 10)]
    page.locator("#keep").click()
    visit.looked("Saved in the project file")
    visit.go(f"{piece}/columns")
    page.get_by_text("Show the file").click()
    page.locator("pre.project", has_text="quasi").wait_for()
    shown = tomllib.loads(page.locator("pre.project").inner_text())
    assert shown["hierarchies"]["age"] == {"kind": "intervals", "widths": [10, 30]}


@pytest.fixture(params=LIGHT_FIRST)
def themed(request: pytest.FixtureRequest, browser: Browser, bench: Bench) -> Iterator[Visit]:
    """A visit in each theme, in a narrow window."""
    theme: Theme = request.param
    with visiting(browser, bench, theme=theme, size=(390, 800)) as begun:
        yield begun


@pytest.mark.nightly
def test_the_step_can_be_read_by_everybody(themed: Visit, tables: Path) -> None:
    """The list, and the page of a column."""
    page = themed.page
    piece = _begun(themed, tables)
    assert violations(page) == []
    assert fits(page)
    themed.go(f"{piece}/columns/{_number('age')}")
    page.locator("#levels figure").wait_for()
    assert violations(page) == []
    assert fits(page)
