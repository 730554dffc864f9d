"""Attacks as a page, and as a section: what was tried on a release, found, and held against it.

The page is one HTML file, no script, nothing fetched. It holds numbers and names of columns, and no
value, so it may go with the release.

A report is written when the release is made, and attacks are certified later. So the section is put
into the report that is there, between marks by which the next one finds it. No value of a table can
look like a mark, or like the places that these stand at: every `<` in a value is escaped.
"""

from __future__ import annotations

import re

from markupsafe import Markup

from roadstead import __version__
from roadstead.errors import VerificationError
from roadstead.publications import Publication
from roadstead.release.certificate import ATTACKS_PAGE, REPORT
from roadstead.release.evidence import CertifiedAttack
from roadstead.reports.attacks.facts import AttackFacts
from roadstead.reports.attacks.words import (
    attack_words,
    difference_in_words,
    found_in_words,
    interval_in_words,
    judged_in_words,
    verdict_in_words,
)
from roadstead.reports.environment import template
from roadstead.reports.sources import ATTACKS, PRIVATE, SOURCES, TRIED

_BEGIN, _END = "<!-- attacks -->", "<!-- /attacks -->"
_FORMER = re.compile(f"{_BEGIN}.*?{_END}\n", re.DOTALL)
_TOP, _CONTENTS, _SOURCES = "</header>\n", "</ol></nav>", '<section id="sources"'
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


def attacks_section(facts: AttackFacts, *, page: str | None = None) -> Markup:
    """Make the section: the gist, and a row for each attack; `page` is where all of it is."""
    return _part("attacks_table.html", facts, page)


def report_with_attacks(report: str, facts: AttackFacts) -> str:
    """Put what attacks found into a report, in the place of what it has of them."""
    made = _FORMER.sub("", report)
    if _SOURCES not in made or _TOP not in made:
        raise VerificationError(
            "was not written by this version of Roadstead, so the results cannot be added to it",
            where=REPORT,
            fix="make the release again",
        )
    if facts.convicted:
        made = made.replace(_TOP, _TOP + _marked(_part("attacks_alarm.html", facts, None)), 1)
    entry = Markup('<li><a href="#attacks">Attacks on this release</a></li>\n')
    made = made.replace(_CONTENTS, _marked(entry) + _CONTENTS, 1)
    section = _marked(attacks_section(facts, page=ATTACKS_PAGE))
    before, _, after = made.rpartition(_SOURCES)
    return before + section + _SOURCES + after


def _marked(part: Markup) -> str:
    return f"{_BEGIN}{part}{_END}\n"


def _part(name: str, facts: AttackFacts, page: str | None) -> Markup:
    return Markup(  # noqa: S704 - our template
        template(name).render(
            facts=facts,
            page=page,
            rows=[(one, facts.of(one.attack)) for one in _worst(facts)],
            words=attack_words,
            says=found_in_words,
            judged=judged_in_words,
            difference=difference_in_words,
            verdict=verdict_in_words,
        )
    )


def _worst(facts: AttackFacts) -> tuple[CertifiedAttack, ...]:
    """Give all that convicts, and of each other attack the way that came nearest to it."""
    others = (facts.of(name)[0] for name in facts.names)
    return (*facts.convicted, *(one for one in others if not one.convicted))
