"""What follows a choice is shown at once, where the user looks, and is not cut off."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import Visit, violations
from patience import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Dialog

_ROWS = [
    f"P{i // 2:04},2020-0{1 + i % 9}-1{i % 7},2020-0{1 + i % 9}-2{i % 8},{'fm'[i // 2 % 2]}"
    for i in range(240)
]
_CUT_SELECTS = """() => [...document.querySelectorAll("select")].filter((one) => {
  if (!one.checkVisibility()) return false;
  const other = one.cloneNode(true);
  other.style.cssText = "position: absolute; width: auto; max-width: none";
  one.parentElement.append(other);
  const natural = other.getBoundingClientRect().width;
  other.remove();
  return natural > one.getBoundingClientRect().width + 1;
}).map((one) => one.id || one.name)"""
"""Lists in which a choice is wider than the list."""
_OVERLAPS = """() => {
  const all = [...document.querySelectorAll(".fields :is(input, select, button)")]
    .filter((one) => one.checkVisibility())
    .map((one) => [one.id || one.name, one.getBoundingClientRect()]);
  return all.flatMap(([name, a], at) => all.slice(at + 1)
    .filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1
      && a.top < b.bottom - 1 && b.top < a.bottom - 1)
    .map(([other]) => `${name} and ${other}`));
}"""
"""Controls of forms that lie over each other."""


def _begun(visit: Visit, tables: Path) -> str:
    (tables / "stays.csv").write_text(
        "\n".join(["code,admitted,discharged,sex", *_ROWS, ""]), "utf-8"
    )
    visit.begin()
    visit.open("stays.csv")
    visit.page.get_by_role("link", name="Continue to the columns").click()
    visit.page.locator("#promise form").first.wait_for()
    return visit.piece


@pytest.mark.nightly
def test_a_person_id_brings_its_settings_and_levels_of_days(visit: Visit, tables: Path) -> None:
    """The requirements of people appear without a reload, and no list is cut or covered."""
    page = visit.page
    piece = _begun(visit, tables)
    link = page.get_by_label("Link between the rows of a person")
    page.locator("#role-1").select_option("quasi")
    page.get_by_label("Suppressed records").wait_for()
    page.locator("#role-1").select_option("person")
    link.wait_for()
    assert page.evaluate(_CUT_SELECTS) == []
    assert page.evaluate(_OVERLAPS) == []
    page.locator("#role-1").select_option("quasi")
    page.get_by_label("Suppressed records").wait_for()
    page.locator("#role-1").select_option("person")
    link.wait_for()
    visit.go(f"{piece}/columns/3")
    page.locator("#date-form").select_option("since:admitted")
    assert page.evaluate(_CUT_SELECTS) == []
    assert page.evaluate(_OVERLAPS) == []
    page.get_by_role("button", name="Save the dates").click()
    page.get_by_text("The levels below are ranges of days.").wait_for()
    page.locator("#editor").get_by_text("in bands of").first.wait_for()
    page.locator("#kind").select_option("flat")
    page.get_by_text("These levels are not saved yet.").wait_for()
    assert violations(page) == []


@pytest.mark.nightly
def test_progress_of_a_candidate_is_scrolled_into_view(visit: Visit, tables: Path) -> None:
    page = visit.page
    piece = _begun(visit, tables)
    page.locator("#role-1").select_option("identifiers")
    page.get_by_role("link", name="Continue to the risk").wait_for()
    visit.go(f"{piece}/explore")
    page.evaluate(
        """() => {
          window.shown = [];
          Element.prototype.scrollIntoView = function () { window.shown.push(this.className); };
        }"""
    )
    page.get_by_role("button", name="Try it").click()
    page.wait_for_function("() => window.shown.includes('job')")
    page.get_by_role("button", name=re.compile("^Remove ?: One level")).wait_for()
    page.wait_for_function("() => document.activeElement.id === 'candidates-head'")


@pytest.mark.nightly
def test_work_is_removed_only_after_a_question(visit: Visit, tables: Path) -> None:
    page, asked = visit.page, []
    piece = _begun(visit, tables)

    def refuse(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    visit.go("/")
    row = page.locator("tr", has=page.locator(f'a[href^="{piece}/"]'))
    page.once("dialog", refuse)
    row.get_by_role("button", name="Remove").click()
    wait_until(lambda: asked, "the question")
    assert visit.bench.folder(piece).exists()
    page.once("dialog", lambda dialog: dialog.accept())
    row.get_by_role("button", name="Remove").click()
    row.wait_for(state="detached")
    assert not visit.bench.folder(piece).exists()
