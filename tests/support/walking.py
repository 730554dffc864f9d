"""The five steps in a browser, by the texts that a person reads on the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from browsing import Visit

NEVER = "Direct identifier"
QUASI = "Quasi-identifier"


def decide(visit: Visit, answers: Mapping[str, str], *, other: str = NEVER) -> list[str]:
    """Choose a role for each undecided column, one after another; give their names."""
    page = visit.page
    visit.page.get_by_role("link", name="Continue to the columns").click()
    page.wait_for_url("**/columns")
    seen: list[str] = []
    title = page.locator("#asked-title")
    while (words := title.inner_text()).startswith("What is "):
        column = words.removeprefix("What is ").removesuffix("?")
        seen.append(column)
        role = answers.get(column, other)
        page.locator("#asked button", has_text=role).first.click()
        page.wait_for_function(
            "words => document.getElementById('asked-title').innerText !== words", arg=words
        )
    return seen


def assess(visit: Visit) -> None:
    """Answer the three questions, and have the risk worked out."""
    page = visit.page
    page.get_by_role("link", name="Continue to the risk").click()
    page.wait_for_url("**/risk")
    for one in page.locator("fieldset").all():
        one.get_by_label("Yes").check()
    page.get_by_role("button", name="Compute the risk").click()
    page.get_by_role("link", name="Continue to the releases").wait_for()


def explore(visit: Visit, kind: str) -> None:
    """Try a release of a kind, and choose it."""
    page = visit.page
    page.get_by_role("link", name="Continue to the releases").click()
    page.wait_for_url("**/explore")
    page.locator(f"input[name=kind][value={kind}]").check()
    page.get_by_role("button", name="Try it").click()
    page.get_by_role("button", name=re.compile("^Choose ?:")).first.click()
    page.get_by_role("link", name="Continue to the release").click()
    page.wait_for_url("**/release")


def release(visit: Visit, out: Path) -> None:
    """Prepare what was chosen if it is not yet, write it, and wait until it was verified."""
    page = visit.page
    prepare = page.get_by_role("button", name="Prepare the release")
    page.locator("#out").or_(prepare).first.wait_for()
    if prepare.count():
        prepare.click()
    page.locator("#out").fill(str(out))
    page.get_by_role("button", name="Write and verify").click()
    page.get_by_role("heading", name="Written and verified").wait_for()
