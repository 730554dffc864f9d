"""Write the page of a frontier, which shows the policies and lets a person choose one.

The page is one HTML file. Its chart is a static picture. The chart becomes interactive when two
scripts of the page run: Vega, and a small script that shows the policy under the pointer. The page
allows only these two scripts, which it identifies by their hashes, and loads no other files. If a
reader blocks scripts, or if vl-convert, which includes Vega, is missing, only the static picture
remains.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import log10
from typing import Any

import numpy as np
from markupsafe import Markup

from roadstead import __version__
from roadstead.reports.charts.frontier import (
    VIEWS,
    FrontierChart,
    chart_data,
    gather_frontier,
    letter,
    rounded,
    specification,
)
from roadstead.reports.charts.svg import FONT, WIDE, image, picture
from roadstead.reports.environment import template
from roadstead.reports.frontier.facts import FrontierFacts, PolicyGroup
from roadstead.reports.frontier.lines import POINTS, lines
from roadstead.reports.notebook import block, drawn, words
from roadstead.reports.numbers import percent
from roadstead.reports.sources import SOURCES
from roadstead.reports.wording import format_count, legible

NOT_LIVE = (
    "The chart is not interactive, because a required package was not installed on the "
    "computer that made this page. Install it with: pip install 'roadstead[charts]'."
)

_MOST_SHOWN = 1_000
"""The number of policies that the page describes. More policies would make the page slow."""
_DOTS = 2
"""The number of pixels of the PNG for each pixel of the drawing."""
_MOST_BITS = 10_000
"""The largest size of a number that is written with all its digits, in bits."""


@dataclass(frozen=True)
class ShownPolicy:
    """A policy on the page."""

    index: int
    risk: float
    loss: float
    better: bool
    words: Sequence[str]
    difference: Sequence[str]


def frontier_page(facts: FrontierFacts[Any], command: str, created: str) -> str:
    """Return the page as one HTML document, which must be written as UTF-8.

    Equal facts give equal documents. `command` is the command that finds this frontier again, so
    that the user can choose a policy. `created` is a time in ISO 8601.
    """
    shown = _shown(facts)
    policies = [_policy(facts, index) for index in shown]
    chart = gather_frontier(facts, shown)
    scripts = _scripts()
    prints = (base64.b64encode(hashlib.sha256(one.encode()).digest()) for one in scripts)
    data = _embedded(_script_data(facts, policies, chart, command)) if scripts else ""
    return template("frontier.html").render(
        facts=facts,
        policies=policies,
        by_index={policy.index: policy for policy in policies},
        version=__version__,
        created=created,
        command=command,
        chart=chart,
        picture=picture(chart),
        scripts=scripts,
        allowed=" ".join(f"'sha256-{one.decode()}'" for one in prints),
        data=data,
        views={name: VIEWS[name] for name in chart.views},
        notes=_notes(facts, live=bool(scripts)),
        sources=SOURCES,
        cited=("benitez", "xia"),
        letter=letter,
        space=_number(facts.policies.number),
        spans=[_span(facts, cluster) for cluster in facts.clusters],
    )


def frontier_png(facts: FrontierFacts[Any]) -> bytes | None:
    """Return the frontier as a PNG, or None if the package for drawing is missing."""
    try:
        import vl_convert  # noqa: PLC0415 - heavy, and only where something is drawn
    except ImportError:
        return None

    chart = gather_frontier(facts, _shown(facts))
    drawing = image(chart.draw(WIDE), "frontier", chart.title, chart.description)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE.width}" font-family="{FONT}" '
    white = '</desc><rect y="-100" width="100%" height="200%" fill="white"/>'
    svg = str(drawing).replace("<svg ", head, 1).replace("</desc>", white, 1)
    png: bytes = vl_convert.svg_to_png(svg, scale=_DOTS)
    return png


def in_notebook(facts: FrontierFacts[Any]) -> str:
    """Return the output for a notebook: the lines of the terminal, and the chart."""
    return block(words("\n".join(lines(facts))), drawn(gather_frontier(facts, _shown(facts))))


def _shown(facts: FrontierFacts[Any]) -> list[int]:
    """Choose the policies that the page describes.

    If there are too many policies, the function chooses policies at equal distances on the
    frontier. The choice includes the medoid, the first, and the last policy of each group.
    """
    number = len(facts.members)
    if number <= _MOST_SHOWN:
        return list(range(number))
    spread = np.linspace(0, number - 1, _MOST_SHOWN).round().astype(int).tolist()
    of_groups = {
        index for one in facts.clusters for index in (one.medoid, one.indices[0], one.indices[-1])
    }
    return sorted({*spread, *of_groups})


def _policy(facts: FrontierFacts[Any], index: int) -> ShownPolicy:
    member, reference = facts.members[index], facts.safe_harbor
    difference: Sequence[str] = ()
    if reference is not None:
        difference = facts.policies.difference(member.policy, reference.policy)
    return ShownPolicy(
        index,
        member.risk,
        member.loss,
        index in facts.dominating,
        facts.policies.words(member.policy),
        difference,
    )


def _notes(facts: FrontierFacts[Any], *, live: bool) -> tuple[str, ...]:
    notes = facts.notes
    if len(facts.members) > _MOST_SHOWN:
        notes = (
            *notes,
            f"The page shows {_MOST_SHOWN:,} of the policies, at equal steps along the "
            f"frontier. {POINTS} lists all policies, and you can choose each policy by its "
            "index.",
        )
    return notes if live else (*notes, NOT_LIVE)


def _number(size: int) -> str:
    """Write the number of policies. A very large number is written as the nearest power of ten."""
    if size.bit_length() <= _MOST_BITS:
        return format_count(size)
    return f"about 10 to the power of {round(size.bit_length() * log10(2)):,}"


def _span(facts: FrontierFacts[Any], cluster: PolicyGroup) -> tuple[str, str]:
    """Return the range of risk and loss in a cluster."""
    spots = [facts.members[index][:2] for index in cluster.indices]
    risks, losses = zip(*spots, strict=True)
    return _reach(risks), _reach(losses)


def _reach(shares: Sequence[float]) -> str:
    return f"{percent(min(shares))} to {percent(max(shares))}"


def _scripts() -> tuple[Markup, ...]:
    """Return Vega and the page's own script.

    The tuple is empty if Vega cannot be included in a page.
    """
    if (vega := _vega()) is None:
        return ()
    own = template("frontier.js").render()
    return Markup(vega), Markup(own)  # noqa: S704 - programs of ours, which hold no value


@cache
def _vega() -> str | None:
    """Return Vega as one script, or None.

    The result is cached, because bundling takes half a second.
    """
    try:
        import vl_convert  # noqa: PLC0415 - heavy, and only where something is drawn

        vega: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    except Exception:  # noqa: BLE001 - the still picture remains
        return None
    return None if "</script" in vega.lower() or "<!--" in vega else vega


def _script_data(
    facts: FrontierFacts[Any], policies: Sequence[ShownPolicy], chart: FrontierChart, command: str
) -> dict[str, Any]:
    """Return the data for the script. Policies share phrases, so each phrase is stored once."""
    phrases: dict[str, int] = {}

    def coded(texts: Sequence[str]) -> list[int]:
        return [phrases.setdefault(legible(text), len(phrases)) for text in texts]

    entries = [
        [
            policy.index,
            rounded(policy.risk),
            rounded(policy.loss),
            percent(policy.risk),
            facts.risk.amount(policy.risk),
            percent(policy.loss),
            int(policy.better),
            coded(policy.words),
            coded(policy.difference),
        ]
        for policy in policies
    ]
    return {
        "policies": entries,
        "phrases": list(phrases),
        "attributes": [legible(name) for name in facts.attributes],
        "command": legible(command),
        "first": _first(facts),
        "views": {name: specification(chart, WIDE, name) for name in chart.views},
        "datasets": chart_data(chart),
    }


def _first(facts: FrontierFacts[Any]) -> int:
    """Return the policy that the page shows first.

    This policy is in the largest cluster, or is the policy that is nearest to zero risk and loss.
    """
    if facts.clusters:
        return max(facts.clusters, key=lambda cluster: len(cluster.indices)).medoid
    members = facts.members
    return min(_shown(facts), key=lambda i: members[i].risk ** 2 + members[i].loss ** 2)


def _embedded(value: dict[str, Any]) -> Markup:
    """Return JSON in which no text can end a script or begin markup."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return Markup(text)  # noqa: S704 - holds no markup now
