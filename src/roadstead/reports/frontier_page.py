"""The page of a frontier: one HTML file that shows its policies and lets a person choose.

The file holds everything it shows. Its chart is a still picture that answers to the pointer once
the page's own two scripts run: Vega, which draws it, and a small one that tells of the policy
pointed at. The page allows itself these two, by their fingerprints, and nothing else: no other
script, nothing fetched. A reader who forbids scripts misses the pointer, and no figure.

Vega comes with vl-convert, so nothing is fetched when the page is made, either. Where that is not
installed or cannot draw, the figures are in the tables.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import log10
from typing import Any

from markupsafe import Markup

from roadstead.reports.charts.canvas import NARROW, WIDE
from roadstead.reports.charts.frontier import (
    VIEWS,
    FrontierChart,
    chart_data,
    gather_frontier,
    letter,
    rounded,
    specification,
)
from roadstead.reports.charts.svg import Picture
from roadstead.reports.charts.vega import inline
from roadstead.reports.environment import template
from roadstead.reports.frontier_view import ClusterView, FrontierView, Measure
from roadstead.reports.numbers import percent
from roadstead.reports.sources import SOURCES
from roadstead.reports.wording import decimal, legible, whole

NOT_DRAWN = (
    "The chart could not be drawn on this machine; its figures are shown as tables. What draws it "
    "comes with: pip install 'roadstead[charts]'."
)

_DOTS = 2
"""Pixels of a PNG for each of the drawing."""
_MOST_BITS = 10_000
"""Numbers of more bits are too long to be written with their digits."""


def frontier_page(view: FrontierView) -> str:
    """Make the page.

    Parameters
    ----------
    view
        All that is shown; at least one policy.

    Returns
    -------
    str
        A whole HTML document, to be written as UTF-8. Equal views give equal documents.
    """
    chart = gather_frontier(view)
    with ThreadPoolExecutor(1) as aside:
        programs = aside.submit(_scripts)
        picture = _picture(chart)
        scripts = programs.result() if picture else ()
    data = _embedded(_told(view, chart)) if scripts else ""
    return template("frontier.html").render(
        view=view,
        chart=chart,
        picture=picture,
        scripts=scripts,
        allowed=" ".join(f"'sha256-{_fingerprint(script)}'" for script in scripts),
        data=data,
        views={name: VIEWS[name] for name in chart.views},
        notes=view.notes if picture else (*view.notes, NOT_DRAWN),
        sources=SOURCES,
        cited=("benitez", "xia"),
        amount=amount,
        letter=letter,
        space=_number(view.search.size),
        spans=[_span(view, cluster) for cluster in view.clusters],
    )


def frontier_png(view: FrontierView) -> bytes | None:
    """Draw the frontier as a picture for a paper or a slide.

    Parameters
    ----------
    view
        What is shown; at least one policy.

    Returns
    -------
    bytes | None
        A PNG, in the light; None where what draws it is not installed.
    """
    try:
        import vl_convert  # noqa: PLC0415 - heavy, and only where something is drawn
    except ImportError:
        return None

    drawing = {**specification(gather_frontier(view), WIDE), "background": "white"}
    png: bytes = vl_convert.vegalite_to_png(drawing, scale=_DOTS)
    return png


def _number(size: int) -> str:
    """Write how many policies there are; where they are very many, to the nearest power of ten."""
    if size.bit_length() <= _MOST_BITS:
        return whole(size)
    return f"about 10 to the power of {round(size.bit_length() * log10(2)):,}"


def amount(measure: Measure, share: float) -> str:
    """Write a share in the units of its measure."""
    return decimal(share * measure.greatest)


def _span(view: FrontierView, cluster: ClusterView) -> tuple[str, str]:
    """Say from which to which risk and loss a cluster reaches."""
    spots = [view.by_index[index].spot for index in cluster.indices if index in view.by_index]
    risks, losses = zip(*spots, strict=True)
    return _reach(risks), _reach(losses)


def _reach(shares: Sequence[float]) -> str:
    return f"{percent(min(shares))} to {percent(max(shares))}"


def _picture(chart: FrontierChart) -> Picture | None:
    try:
        import vl_convert  # noqa: PLC0415 - heavy, and only where something is drawn

        images = [
            inline(
                vl_convert.vegalite_to_svg(specification(chart, canvas)),
                f"frontier-{canvas.name}",
                chart.title,
                chart.description,
            )
            for canvas in (WIDE, NARROW)
        ]
    except Exception:  # noqa: BLE001 - a chart is not worth a frontier
        return None
    return Picture(*map(Markup, images))  # escaped where it was drawn


def _scripts() -> tuple[Markup, ...]:
    """Give Vega and the page's own script; none where there is no Vega that can stand in a page."""
    try:
        import vl_convert  # noqa: PLC0415 - heavy, and only where something is drawn

        vega: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    except Exception:  # noqa: BLE001 - the still picture remains
        return ()
    if "</script" in vega.lower() or "<!--" in vega:
        return ()
    own = template("frontier.js").render()
    return Markup(vega), Markup(own)  # noqa: S704 - programs of ours, which hold no value


def _fingerprint(script: str) -> str:
    """Give the fingerprint by which the page allows itself a script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _told(view: FrontierView, chart: FrontierChart) -> dict[str, Any]:
    """Give what the script tells of: each phrase once, as many policies share most of them."""
    phrases: dict[str, int] = {}

    def coded(texts: Sequence[str]) -> list[int]:
        return [phrases.setdefault(legible(text), len(phrases)) for text in texts]

    policies = [
        [
            policy.index,
            rounded(policy.spot.risk),
            rounded(policy.spot.loss),
            percent(policy.spot.risk),
            amount(view.risk, policy.spot.risk),
            percent(policy.spot.loss),
            int(policy.index in view.dominating),
            coded(policy.words),
            coded(policy.difference),
        ]
        for policy in view.policies
    ]
    return {
        "policies": policies,
        "phrases": list(phrases),
        "attributes": [legible(name) for name in view.attributes],
        "command": legible(view.command),
        "first": _first(view),
        "views": {name: specification(chart, WIDE, name, data=False) for name in chart.views},
        "datasets": chart_data(chart, still=False),
    }


def _first(view: FrontierView) -> int:
    """Choose the policy shown first: of the largest cluster, or the nearest to no risk and loss."""
    if view.clusters:
        return max(view.clusters, key=lambda cluster: len(cluster.indices)).medoid
    return min(view.policies, key=lambda p: p.spot.risk**2 + p.spot.loss**2).index


def _embedded(value: dict[str, Any]) -> Markup:
    """Write JSON that ends no script and begins no markup, whatever the texts are."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return Markup(text)  # noqa: S704 - holds no markup now
