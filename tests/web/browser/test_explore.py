"""The fourth step in a browser: from an empty map to a chosen candidate, by pointer and by keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import LIGHT_FIRST, Theme, Visit, fits, violations, visiting
from workbench import Bench

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

ROWS = "age,sex,diagnosis\n" + "".join(
    f"{20 + (i * 7) % 41},{'fm'[i % 2]},{'flu' if i % 3 else 'gout'}\n" for i in range(240)
)
ROLES = """
[roles]
quasi = ["age", "sex"]
sensitive = ["diagnosis"]
[privacy]
k = 5
"""
MANY = 5_000


def decided(visit: Visit, tables: Path) -> str:
    """Open a table whose columns are decided on; give the address of the piece of work."""
    table = tables / "explored.csv"
    table.write_text(ROWS)
    piece = visit.begin()
    visit.open(str(table))
    project = visit.bench.state / piece.rpartition("/")[2] / "project.toml"
    project.write_text(f"data = {json.dumps(str(table))}\n{ROLES}")
    return piece


@pytest.fixture(scope="module")
def mapped(browser: Browser, bench: Bench, tables: Path) -> Iterator[str]:
    """A piece of work with a map, a candidate of each kind that is quick, and one chosen."""
    with visiting(browser, bench) as visit:
        piece = decided(visit, tables)
        visit.go(f"{piece}/explore")
        page = visit.page
        page.get_by_role("button", name="Search the frontier").click()
        page.wait_for_selector(".map[data-ready]")
        page.wait_for_selector(".badge.global")
        page.get_by_label("Own ranges per group").check()
        page.get_by_role("button", name="Try it").click()
        page.wait_for_selector(".badge.local")
        page.wait_for_selector(".map[data-ready]")  # the map is drawn anew with the candidate
        page.wait_for_load_state("networkidle")
        page.locator("#walk").focus()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        assert page.locator("#picked-title").inner_text().startswith("Policy 1 of")
        page.get_by_role("button", name="Try this policy").click()
        page.locator(".candidates").get_by_text("Policy 1 of the frontier").first.wait_for()
        page.locator(".candidates .badge:not(.none)").nth(2).wait_for()
        yield piece


@pytest.mark.nightly
def test_what_is_pointed_at_is_said_in_words(visit: Visit, mapped: str) -> None:
    """Near the pointer, not from further away; a click keeps it when the pointer leaves."""
    visit.go(f"{mapped}/explore")
    page = visit.page
    page.wait_for_selector(".map[data-ready]")
    dot = page.locator(".chart.wide svg circle:not(.here)").last.bounding_box()
    assert dot is not None
    page.mouse.move(dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2)
    page.locator("#picked-title").filter(has_text=re.compile(r"^\d ")).wait_for()
    said = page.locator("#picked").inner_text()
    assert "age" in said
    assert "records" in said
    page.mouse.down()
    page.mouse.up()
    page.mouse.move(5, 5)
    assert page.locator("#picked").inner_text() == said


@pytest.mark.nightly
def test_a_candidate_is_chosen_and_seen_next_to_others(visit: Visit, mapped: str) -> None:
    """Two columns are counted together, and the choice is there when the page is read again."""
    visit.go(f"{mapped}/explore")
    page = visit.page
    assert page.locator(".attribute").count() == 2
    page.get_by_label("Second column").select_option("diagnosis")
    page.get_by_role("button", name="Show the table").click()
    page.wait_for_selector("table.heat")
    captions = page.locator("table.heat caption").all_inner_texts()
    assert "error" not in captions[0]
    assert all("error" in one for one in captions[1:])
    row = page.locator(".candidates tr", has_text="Own ranges per group")
    row.get_by_role("button", name=re.compile("^Choose")).click()
    page.wait_for_selector(".is-chosen")
    page.reload()
    assert "Own ranges per group" in page.locator(".is-chosen").inner_text()
    page.get_by_role("link", name="Continue to the release").wait_for()


@pytest.mark.nightly
def test_the_map_keeps_what_is_picked_when_a_candidate_arrives(visit: Visit, tables: Path) -> None:
    """The same is true if its slider has the focus: the next key continues from its position."""
    piece = decided(visit, tables)
    visit.go(f"{piece}/explore")
    page = visit.page
    page.get_by_role("button", name="Search the frontier").click()
    page.wait_for_selector(".map[data-ready]")
    page.wait_for_selector(".badge.global")
    held: list[Route] = []
    page.route("**/explore/ended/*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks what it is given
    page.get_by_label("Own ranges per group").check()
    with page.expect_request("**/explore/ended/*"):
        page.get_by_role("button", name="Try it").click()
    page.locator("#walk").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    picked = page.locator("#picked-title")
    assert picked.inner_text().startswith("Policy 1 of")
    assert len(held) == 1
    with page.expect_response("**/explore/points"):
        held[0].continue_()
    page.wait_for_selector(".badge.local")
    page.wait_for_selector(".map[data-ready]")
    assert picked.inner_text().startswith("Policy 1 of")
    page.locator("#walk").focus()
    page.keyboard.press("ArrowRight")
    assert picked.inner_text().startswith("Policy 2 of")


@pytest.mark.nightly
def test_a_refusal_is_read_where_the_step_is(visit: Visit, mapped: str) -> None:
    """No k, and no formula."""
    visit.go(f"{mapped}/explore")
    visit.page.get_by_label("Another k").fill("one")
    visit.page.get_by_role("button", name="Try it").click()
    assert "whole number" in visit.refused()
    visit.page.get_by_role("button", name="Fit to each release").click()
    visit.page.get_by_text("the formula of the regression is missing").wait_for()


@pytest.mark.nightly
def test_earlier_choices_are_said_to_be_such(visit: Visit, tables: Path) -> None:
    """After a role was changed the frontier is not shown as if it were of now."""
    piece = decided(visit, tables)
    visit.go(f"{piece}/explore")
    visit.page.get_by_role("button", name="Search the frontier").click()
    visit.page.wait_for_selector(".map[data-ready]")
    visit.page.wait_for_selector(".badge.global")
    project = visit.bench.state / piece.rpartition("/")[2] / "project.toml"
    changed = project.read_text().replace('["age", "sex"]', '["age"]')
    project.write_text(changed.replace('["diagnosis"]', '["diagnosis", "sex"]'))
    visit.page.reload()
    visit.looked("frontier uses earlier settings")
    visit.looked("uses earlier settings, so it is not")
    assert visit.page.get_by_role("button", name="Choose").count() == 0


@pytest.mark.nightly
def test_thousands_of_points_are_looked_through_in_few_steps(
    visit: Visit, mapped: str, bench: Bench
) -> None:
    """Of 5,000 policies a pointer is compared with those nearby, and they are placed once."""
    facts = bench.state / mapped.rpartition("/")[2] / "facts" / "frontier.json"
    before = facts.read_text()
    many = json.loads(before)
    phrases = many["points"][0][3]
    many["points"] = [
        [n, 10 ** (-4 + 3.9 * n / MANY), 1 - n / MANY, phrases, True] for n in range(MANY)
    ]
    many["number"] = MANY
    facts.write_text(json.dumps(many))
    try:
        visit.go(f"{mapped}/explore")
        page = visit.page
        page.wait_for_selector(".map[data-ready]")
        assert int(page.locator(".map").get_attribute("data-ready") or 0) > MANY
        box = page.locator(".chart.wide svg").bounding_box()
        assert box is not None
        placed = page.evaluate("() => roadsteadMap.placed")
        start = page.evaluate("() => roadsteadMap.compared")
        moves = 20
        for step in range(moves):
            page.mouse.move(box["x"] + 80 + step * 20, box["y"] + box["height"] / 3)
            page.evaluate("() => new Promise(requestAnimationFrame)")
        assert page.evaluate("() => roadsteadMap.placed") == placed
        compared = page.evaluate("() => roadsteadMap.compared") - start
        assert 0 < compared < moves * MANY / 4
        assert page.locator(".chart.wide svg *").count() < 200
    finally:
        facts.write_text(before)


@pytest.mark.nightly
@pytest.mark.parametrize("theme", LIGHT_FIRST)
def test_the_map_can_be_used_by_everybody(
    theme: Theme, browser: Browser, bench: Bench, mapped: str
) -> None:
    """By axe, in both themes."""
    with visiting(browser, bench, theme=theme) as visit:
        visit.go(f"{mapped}/explore")
        visit.page.wait_for_selector(".map[data-ready]")
        assert violations(visit.page) == []


@pytest.mark.nightly
@pytest.mark.parametrize("width", [1280, 640, 390])
def test_the_map_fits_into_the_window(
    width: int, browser: Browser, bench: Bench, mapped: str
) -> None:
    """The page needs no sideways scrolling, on a phone or at 200%."""
    with visiting(browser, bench, size=(width, 800)) as visit:
        visit.go(f"{mapped}/explore")
        visit.page.wait_for_selector(".map[data-ready]")
        assert fits(visit.page)
        for button in visit.page.locator(".doing button").all():
            box = button.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= width, "the button is in sight"
