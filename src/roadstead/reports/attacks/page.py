"""The page of attacks: what was tried on a release, what was found, what it is held against.

One HTML file, no script, nothing fetched. It holds numbers and names of columns, and no value, so
it may go with the release.
"""

from __future__ import annotations

from roadstead import __version__
from roadstead.publications import Publication
from roadstead.reports.attacks.facts import AttackFacts
from roadstead.reports.attacks.words import (
    attack_words,
    found_in_words,
    interval_in_words,
    judged_in_words,
)
from roadstead.reports.environment import template
from roadstead.reports.sources import ATTACKS, PRIVATE, SOURCES, TRIED

_SHOWN = 6
"""Findings of an attack that are shown before one asks for more."""


def render_attacks(facts: AttackFacts, created: str) -> str:
    """Make the page, a whole HTML document."""
    known = {**SOURCES, **ATTACKS, **PRIVATE, **TRIED}
    keys = [key for name in facts.names for key in attack_words(name).sources]
    cited: dict[str, Publication] = {key: known[key] for key in dict.fromkeys(keys) if key in known}
    return template("attacks.html").render(
        facts=facts,
        words=attack_words,
        says=found_in_words,
        judged=judged_in_words,
        interval=interval_in_words,
        shown=max(_SHOWN, len(facts.convicted)),
        created=created,
        version=__version__,
        sources=cited,
        cited=tuple(cited),
    )
