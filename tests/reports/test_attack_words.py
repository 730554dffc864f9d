"""The words of attacks: every finding becomes a sentence with all its places filled."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest

import roadstead.reports.attacks
from roadstead.attacks.finding import GUESSING, NOTHING, Untried, finding, promise
from roadstead.release.evidence import CertifiedAttack, for_sharing
from roadstead.reports.attacks.facts import AttackFacts, attack_lines, sentence
from roadstead.reports.attacks.page import attacks_section, render_attacks
from roadstead.reports.attacks.words import INTERVALS, ROUNDED, attack_words
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
        "An attacker who knows a person's age and <b>zip</b> picks the right record in 50% of "
        "1,000 attempts. An attacker without the release is right in 0.01%. The privacy "
        "requirements allow 20%: the attack SUCCEEDS."
    )
    held = finding("scan", {"looks_for": "identifiers", "columns": ()}, (0, 3), (0, 3), GUESSING)
    assert sentence(held).startswith("No identifier was found among 3 other columns. The")
    shown = finding("inference", {"known": ("a",), "secret": "b"}, (1, 9), (1, 9), NOTHING)
    assert sentence(shown).endswith("covers this attack. The result is for information only.")


def test_the_gist_names_the_limits_that_are_exceeded() -> None:
    """A usual limit is not a requirement of the release."""
    required, usual = linked(500), linked(500, bound="usual")
    for found, limits in (
        ((required,), "the privacy requirements"),
        ((usual,), "Roadstead's usual limits"),
        ((usual, required), "the privacy requirements or Roadstead's usual limits"),
    ):
        gist = AttackFacts("release", found, (), 0, "5-anonymity").gist
        assert gist.endswith(f"reveal more than {limits} allow.")


def test_what_is_not_covered_counts_attempts() -> None:
    """The attacked records of a table are not all of different people."""
    said = sentence(linked(500, beyond=True, covers=("age",)))
    assert "measured in 1,000 attempts" in said
    assert "1,000 people" not in said


def test_one_is_one() -> None:
    """The noun and the verb fit the number; also with one result that is not shown."""
    known: dict[str, Any] = {"looks_for": "identifiers", "columns": ("mrn",)}
    one = sentence(finding("scan", known, (1, 1), (0, 1), GUESSING))
    assert one.startswith("Columns that look like identifiers, among 1 other column: mrn.")
    small: dict[str, Any] = {
        "looks_for": "small-classes",
        "least": 5,
        "of": "records",
        "known": ("age",),
    }
    few = sentence(finding("scan", small, (1, 3000), (0, 9), GUESSING, counted=True))
    assert few.startswith("1 of 3,000 records is in a group")
    more = [
        attack_lines(AttackFacts("mine", (linked(10),) * number))[-1].strip()
        for number in range(2, 9)
    ]
    left = [line.removesuffix(".").split(" have ")[1] for line in more if " have " in line]
    assert left[:2] == ["1 more result", "2 more results"]


def test_an_attack_without_words_is_said_by_its_name_and_numbers() -> None:
    """As one of another package is."""
    own = finding("tea-leaves", {"cups": 3}, (50, 100), (10, 100), GUESSING)
    assert attack_words("tea-leaves").title == "Tea leaves"
    assert sentence(own) == (
        "Cups: 3. The attack is right in 50% of 100 attempts. Guessing is right in 10%. The attack "
        "should not be better than guessing: the attack SUCCEEDS."
    )


def test_the_page_says_what_convicts_first_and_escapes_names() -> None:
    """A column's name comes from a stranger."""
    facts = AttackFacts(
        "<i>mine</i>", (linked(10), linked(500)), (Untried("persons", "there are none"),)
    )
    page = render_attacks(facts, "2026-03-01T00:00:00+00:00")
    assert "<b>zip" not in page
    assert "<i>mine" not in page
    assert page.index("SUCCEED: 1 of 2") < page.index("50% of 1,000") < page.index("1% of")
    assert "Linkage of people: there are none." in page
    assert "<script" not in page
    assert attack_lines(facts)[0].startswith("ATTACKS SUCCEED: 1 of 2 attack variants")
    assert attack_lines(facts)[-1] == "Not run: linkage of people, because there are none."


def test_figures_rounded_for_sharing_say_so_next_to_each_figure() -> None:
    """Also zero, which is then no count. Figures of the release alone are exact."""
    right = replace(linked(485.6), needs=("original",))
    facts = AttackFacts("r", (for_sharing(right), linked(1)), rounded=True)
    for page in (
        render_attacks(facts, "now"),
        attacks_section(facts),
        "\n".join(attack_lines(facts)),
    ):
        assert "in about 48.5% of 1,000 attempts" in page
        assert "right in about 0%" in page
    assert "right record in 0.1% of 1,000 attempts" in render_attacks(facts, "now")
    assert ROUNDED in attacks_section(facts)
    assert INTERVALS in attacks_section(facts)
    assert INTERVALS in render_attacks(facts, "now")
    assert '<td class="number">about 48.5%</td>' in attacks_section(facts)
    exact = attacks_section(replace(facts, found=(right,), rounded=False))
    assert "about" not in exact
