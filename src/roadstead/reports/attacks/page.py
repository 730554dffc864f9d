"""Show the results of attacks as a page and as a section of a report.

The page says what was tested, and gives the results. It contains numbers and column names, but no
values and no scripts, and it loads no other files. So the page may be shared together with the
release. The section is inserted into an existing report between two marks, where it replaces any
earlier section about attacks. No value of a table can imitate a mark, because every `<` in a value
is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from markupsafe import Markup

from roadstead import __version__
from roadstead.errors import VerificationError
from roadstead.publications import Publication
from roadstead.release.certificate import ATTACKS_PAGE, REPORT
from roadstead.release.evidence import CertifiedAttack
from roadstead.reports.attacks.facts import AttackFacts
from roadstead.reports.attacks.words import (
    INTERVALS,
    ROUNDED,
    attack_words,
    difference_in_words,
    found_in_words,
    interval_in_words,
    judged_in_words,
    share_in_words,
    verdict_in_words,
)
from roadstead.reports.environment import template
from roadstead.reports.sources import ATTACKS, PRIVATE, SOURCES, TRIED

_BEGIN, _END = "<!-- attacks -->", "<!-- /attacks -->"
_FORMER = re.compile(f"{_BEGIN}.*?{_END}\n", re.DOTALL)
_TOP, _CONTENTS, _SOURCES = "</header>\n", "</ol></nav>", '<section id="sources"'
_SHOWN = 6
"""The number of results per attack that are visible before the reader expands the list."""


def render_attacks(facts: AttackFacts, created: str) -> str:
    """Return the page as an HTML document."""
    known = {**SOURCES, **ATTACKS, **PRIVATE, **TRIED}
    keys = [key for name in facts.names for key in attack_words(name).sources]
    cited: dict[str, Publication] = {key: known[key] for key in dict.fromkeys(keys) if key in known}
    return template("attacks.html").render(
        facts=facts,
        words=attack_words,
        **_words_for(facts),
        judged=judged_in_words,
        shown=max(_SHOWN, len(facts.convicted)),
        created=created,
        version=__version__,
        sources=cited,
        cited=tuple(cited),
    )


def attacks_section(facts: AttackFacts, *, page: str | None = None) -> Markup:
    """Return the section, which has a summary and one row per attack.

    `page` is the address of the page.
    """
    return _part("attacks_table.html", facts, page)


def report_with_attacks(report: str, facts: AttackFacts) -> str:
    """Insert the results of attacks into a report, and replace any earlier results."""
    made = _FORMER.sub("", report)
    if _SOURCES not in made or _TOP not in made:
        raise VerificationError(
            "this version of Roadstead did not write the report, so it cannot add the results",
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
            **_words_for(facts),
            judged=judged_in_words,
            verdict=verdict_in_words,
        )
    )


def _words_for(facts: AttackFacts) -> dict[str, Any]:
    """Return the functions that describe a result and say whether the figures are rounded."""
    functions: dict[str, Callable[..., str]] = {
        "says": found_in_words,
        "interval": interval_in_words,
        "difference": difference_in_words,
        "share": share_in_words,
    }
    made: dict[str, Any] = {
        key: partial(one, rounded=facts.rounded) for key, one in functions.items()
    }
    return {**made, "intervals": INTERVALS, "rounding": ROUNDED if facts.rounded else ""}


def _worst(facts: AttackFacts) -> tuple[CertifiedAttack, ...]:
    """Return all results that succeed, and the strongest result of every attack that fails."""
    others = (facts.of(name)[0] for name in facts.names)
    return (*facts.convicted, *(one for one in others if not one.convicted))
