"""Requirements on the page: a weaker candidate is drawn separately, and needs a reason."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import Visit, visiting
from workbench import Bench

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

ROWS = "age,sex,charges\n" + "".join(
    f"{20 + (i * 7) % 61},{'fm'[i % 2]},{1000 + i * 37}.{i % 10}5\n" for i in range(240)
)
ROLES = """
[roles]
quasi = ["age", "sex"]
sensitive = ["charges"]
[privacy]
k = 5
"""
REASON = "The ethics board asked for the <b>raw</b> ages"


@pytest.fixture(scope="module")
def walked(browser: Browser, bench: Bench, tables: Path) -> Iterator[tuple[Visit, str]]:
    """A map is drawn, and the policy at the far end of the frontier is tried."""
    table = tables / "promised.csv"
    table.write_text(ROWS)
    with visiting(browser, bench) as visit:
        piece = visit.begin()
        visit.open(str(table))
        project = visit.bench.state / piece.rpartition("/")[2] / "project.toml"
        project.write_text(f"data = {json.dumps(str(table))}\n{ROLES}")
        visit.go(f"{piece}/explore")
        page = visit.page
        page.get_by_role("button", name="Search the frontier").click()
        page.wait_for_selector(".map[data-ready]")
        page.wait_for_selector(".badge.global")
        page.wait_for_load_state("networkidle")
        page.locator("#walk").focus()
        page.keyboard.press("End")
        yield visit, piece


@pytest.mark.nightly
def test_the_raw_table_is_not_released_by_five_clicks(
    walked: tuple[Visit, str], tables: Path
) -> None:
    """Drawn apart, chosen with a typed reason alone, and never called passed or verified."""
    visit, piece = walked
    _chosen_with_a_reason(visit)
    out = tables / "below"
    _written(visit, out)
    certificate = json.loads((out / "certificate.json").read_text())
    assert certificate["below_promise"] == {
        "declared": [{"kind": "k-anonymity", "k": 5}],
        "reason": REASON,
    }
    report = (out / "report.html").read_text()
    assert "The ethics board asked for the &lt;b&gt;raw&lt;/b&gt; ages" in report
    assert "<b>raw</b>" not in report
    _older_below(visit, piece)


def _chosen_with_a_reason(visit: Visit) -> None:
    """Try what the slider ends at; neither the browser nor the server takes it without a reason."""
    page = visit.page
    page.locator("#picked-short").wait_for()
    assert "5-anonymity" in page.locator("#picked-short").inner_text()
    assert page.locator(".key .short").inner_text() == "does not meet 5-anonymity"
    assert page.locator('.chart.wide path[stroke="#a4161a"]').count() >= 1

    page.get_by_role("button", name="Try this policy").click()
    row = page.locator(".candidates tr", has_text="of the frontier")
    row.get_by_text("Does not meet your privacy requirements: 5-anonymity").wait_for()
    assert row.get_by_role("button", name=re.compile("^Choose ?:")).count() == 0
    anyway = row.get_by_role("button", name="Choose anyway")
    anyway.click()  # the browser requires the reason
    assert page.locator(".mark-chosen").count() == 0
    row.get_by_label("Reason to release it although").fill("ok ok ok")
    anyway.click()  # the server requires a longer one
    page.locator("#refusal").get_by_text("the reason is too short").wait_for()
    row.get_by_label("Reason to release it although").fill(REASON)
    anyway.click()
    page.locator(".mark-chosen").wait_for()
    first = page.locator(".candidates tbody tr").first
    assert "of the frontier" in first.inner_text()  # what was chosen last is on top
    assert REASON in first.inner_text()

    page.locator("#chosen").get_by_text("is not met").wait_for()
    header = page.locator("#chosen").inner_text()
    assert "5-anonymity was declared and is not met" in header
    assert "the highest risk is 100%" in header
    assert "k = 5" not in header


def _written(visit: Visit, out: Path) -> None:
    """Write it; every word says what it is."""
    page = visit.page
    page.get_by_role("link", name="Continue to the release").click()
    page.wait_for_url("**/release")
    warning = page.locator("#added").inner_text()
    assert "an attacker who also knows charges can single out" in warning
    assert (
        "charges adds most. Make it a quasi-identifier, withhold it, or, if it contains numbers, "
        "round it." in warning
    )
    assert page.locator("p.promised").count() == 0
    page.locator("#out").fill(str(out))
    page.get_by_role("button", name="Write and verify").click()
    page.get_by_role("heading", name="Written and checked, but records are at risk").wait_for()
    verdict = page.locator("#verdict").inner_text()
    assert verdict.startswith("Checked: ")
    assert "5-anonymity was declared and is not met" in verdict
    content = page.locator("main").inner_text()
    assert "Passed" not in content
    assert "Written and verified" not in content
    assert page.locator("p.promised").count() == 0

    again = page.locator("#again-command").text_content() or ""
    assert "--choose-reason" in again


def _older_below(visit: Visit, piece: str) -> None:
    """Choose another: it is on top, and what was written before says that it is older."""
    page = visit.page
    visit.go(f"{piece}/explore")
    best = page.locator(".candidates tr", has_text="One level per column")
    best.get_by_role("button", name=re.compile("^Choose ?:")).click()
    page.locator(".candidates tr.is-chosen", has_text="One level per column").wait_for()
    assert "One level per column" in page.locator(".candidates tbody tr").first.inner_text()
    page.locator("#chosen").get_by_text("Privacy requirement: 5-anonymity of age, sex.").wait_for()
    visit.go(f"{piece}/release")
    headings = page.locator("main h2").all_inner_texts()
    older = next(at for at, words in enumerate(headings) if words.startswith("Earlier: "))
    chosen = next(at for at, words in enumerate(headings) if words.startswith("One level per"))
    assert chosen < older
    written = page.get_by_role("region", name="Earlier: ")
    assert "This release is older" in written.inner_text()


@pytest.mark.nightly
def test_the_requirements_follow_a_role(visit: Visit, tables: Path) -> None:
    """The sensitive columns without a model are listed again, and a typed number stays."""
    (tables / "followed.csv").write_text(ROWS)
    piece = visit.begin()
    visit.open("followed.csv")
    visit.go(f"{piece}/columns")
    page = visit.page
    page.locator("#role-3").select_option("sensitive")
    page.locator("#p-unprotected", has_text="the values of charges").wait_for()
    page.get_by_label("Smallest group (k)").fill("7")
    page.locator("#role-2").select_option("sensitive")
    page.locator("#p-unprotected", has_text="sex").wait_for()
    assert page.get_by_label("Smallest group (k)").input_value() == "7"
    page.get_by_text("Add a privacy model").click()
    page.locator("summary", has_text="distinct-l-diversity").click()
    model = page.locator("details.model[open]")
    assert "sex" in model.get_by_label("Sensitive column").inner_text()
    model.get_by_label("l", exact=True).fill("2")
    model.get_by_label("Sensitive column").select_option("charges")
    model.get_by_role("button", name="Add").click()
    page.locator(".models", has_text="distinct-l-diversity").wait_for()
    page.get_by_text("must now also meet distinct-l-diversity").wait_for()
