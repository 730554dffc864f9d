"""The words of attacks: every finding becomes a sentence with all its places filled."""

from __future__ import annotations

from importlib.resources import files

import pytest

import roadstead.reports.attacks
from roadstead.attacks.finding import GUESSING, NOTHING, Untried, finding, promise
from roadstead.release.evidence import CertifiedAttack
from roadstead.reports.attacks.facts import AttackFacts, attack_lines, sentence
from roadstead.reports.attacks.page import render_attacks
from roadstead.reports.attacks.words import attack_words
from roadstead.reports.sources import ATTACKS, PRIVATE, SOURCES, TRIED

WORDS = sorted(
    file.name.removesuffix(".toml")
    for file in (files(roadstead.reports.attacks) / "words").iterdir()
    if file.name.endswith(".toml")
)


def linked(right: float, **more: object) -> CertifiedAttack:
    """Make a finding of linkage."""
    given = {"known": ("age", "<b>zip</b>"), "matching": "exact", **more}
    return finding("linkage", given, (right, 1_000), (0.1, 1_000), promise(0.2))  # type: ignore[arg-type] # as each test says


def test_there_are_words_of_the_attacks_of_this_house() -> None:
    """By file."""
    assert {"scan", "linkage", "persons", "singling-out", "linkability", "inference"} <= {*WORDS}


@pytest.mark.parametrize("name", WORDS)
def test_words_are_whole(name: str) -> None:
    """A title, what is tried, known sources, and sentences."""
    words = attack_words(name)
    assert words.title
    assert words.about.endswith(".")
    assert {*words.sources} <= {*SOURCES, *ATTACKS, *PRIVATE, *TRIED}
    assert all(one["says"].endswith(".") for one in words.variants)


def test_a_finding_is_said_with_what_it_is_held_against() -> None:
    """In one sentence each."""
    assert sentence(linked(500)) == (
        "Somebody who knows age and <b>zip</b> of a person picks the right record in 50% of 1,000 "
        "attempts; somebody who has no release to look at, in 0.01%. The promise allows 20%: "
        "CONVICTED."
    )
    held = finding("scan", {"looks_for": "identifiers", "columns": ()}, (0, 3), (0, 3), GUESSING)
    assert sentence(held).startswith("Of 3 other columns, none looks like an identifier. Nobody")
    shown = finding("inference", {"known": ("a",), "secret": "b"}, (1, 9), (1, 9), NOTHING)
    assert sentence(shown).endswith("The release promises nothing of this, so it convicts nobody.")


def test_an_attack_without_words_is_said_by_its_name_and_numbers() -> None:
    """As one of another package is."""
    own = finding("tea-leaves", {"cups": 3}, (50, 100), (10, 100), GUESSING)
    assert attack_words("tea-leaves").title == "Tea leaves"
    assert sentence(own) == (
        "Cups: 3. It was right in 50% of 100 attempts; guessing, in 10%. Nobody was to be better "
        "than by guessing: CONVICTED."
    )


def test_the_page_says_what_convicts_first_and_escapes_names() -> None:
    """A column's name comes from a stranger."""
    facts = AttackFacts(
        "<i>mine</i>", (linked(10), linked(500)), (Untried("persons", "there are none"),)
    )
    page = render_attacks(facts, "2026-03-01T00:00:00+00:00")
    assert "<b>zip" not in page
    assert "<i>mine" not in page
    assert page.index("CONVICTED: 1 of 2 ways") < page.index("50% of 1,000") < page.index("1% of")
    assert "Linkage of persons: there are none." in page
    assert "<script" not in page
    assert attack_lines(facts)[0].startswith("CONVICTED: 1 of 2 ways")
    assert attack_lines(facts)[-1] == "Not tried: linkage of persons, because there are none."
