# noqa: INP001 - a script, not a package
"""Draw the README's picture from the results of the demonstration.

The left half shows how many patients share their quasi-identifiers with how many others, before and
after. The right half shows the loss. All numbers are computed: run the script again to update the
picture.

::

    python docs/make_picture.py

The background is opaque, so that the picture is equally readable on a light and on a dark page.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from roadstead import Anonymization, anonymize, scan
from roadstead.cohort import write_csv

if TYPE_CHECKING:
    import altair as alt
    import numpy as np
    from numpy.typing import NDArray

PICTURE = Path(__file__).with_name("picture.svg")
K = 5
EDGES = (1, 2, K, 10, 20, 50, 100, 200)
"""Edges of the bins of group sizes; k is an edge, so no bar includes sizes on both sides of k."""

PAPER, FRAME = "#fbfaf7", "#d9d6cf"
INK, QUIET, GRID = "#22303c", "#66727d", "#e7e4dd"
BEFORE, AFTER, DANGER = "#d9694f", "#1f7a8c", "#f7e6e0"
FONT = "Helvetica Neue, Helvetica, Arial, sans-serif"
HEIGHT = 270


@dataclass(frozen=True)
class Bar:
    """The share of all records in a bin of class sizes, before or after."""

    place: int
    when: str
    share: float


@dataclass(frozen=True)
class Cost:
    """The treatment of an attribute, and its loss."""

    name: str
    does: str
    loss: float


def demonstration() -> Anonymization:
    """De-identify the demonstration's patients, as ``roadstead demo`` does."""
    with TemporaryDirectory() as folder:
        table = write_csv(Path(folder) / "patients.csv")
        proposed = scan(table)
        return anonymize(
            table,
            quasi=proposed.names("quasi"),
            sensitive=proposed.names("sensitive"),
            identifiers=proposed.names("identifiers"),
            unchanged=proposed.names("unchanged"),
            k=K,
            suppression=0.05,
        )


def bars(result: Anonymization) -> list[Bar]:
    """Sort records into bins; place 0 is that of suppressed records."""
    found = [Bar(0, "after", result.suppressed / result.records)]
    for when, sizes in (
        ("before", result.generalized.table.counts),
        ("after", result.generalized.sizes),
    ):
        found += [
            Bar(place, when, share)
            for place, share in enumerate(_shares(sizes, result.records), start=1)
            if share
        ]
    return found


def _shares(sizes: NDArray[np.int64], records: int) -> list[float]:
    inside = [
        sizes[(sizes >= low) & (sizes < high)].sum()
        for low, high in pairwise([*EDGES, sizes.max(initial=EDGES[-1]) + 1])
    ]
    return [float(number / records) for number in inside]


def names_of_bins() -> list[str]:
    """Name the bins as the axis shows them."""
    closed = [
        str(low) if low + 1 == high else f"{low}\N{EN DASH}{high - 1}"
        for low, high in pairwise(EDGES)
    ]
    return ["suppressed", *closed, f"{EDGES[-1]}+"]


def costs(result: Anonymization) -> list[Cost]:
    """Gather the attributes in their order."""
    return [
        Cost(a.name.replace("_", " "), a.does, result.loss_by_attribute[a.name])
        for a in result.policy.attributes
    ]


def draw_sizes(found: list[Bar], result: Anonymization) -> alt.LayerChart | alt.FacetChart:
    """Draw the bins; in a bin with two bars, the bar of before is left of the bar of after."""
    import altair as alt  # noqa: PLC0415 - heavy

    names = names_of_bins()
    axis = alt.Axis(
        values=list(range(len(names))),
        labelExpr=f"{names}[datum.value]",
        title="number of patients with the same values (size of the group)",
        grid=False,
        ticks=False,
        domainColor=FRAME,
    )
    scale = alt.Scale(domain=[-0.6, len(names) - 0.4], nice=False)
    y = alt.Y(
        "share:Q",
        axis=alt.Axis(format="%", title="share of all patients", tickCount=5, domain=False),
        scale=alt.Scale(domain=[0, 1.08], nice=False),
    )
    small = alt.Chart(alt.InlineData([{"from": 0.5, "to": 2.5, "share": 1.08}]))
    columns = alt.Chart(alt.InlineData(_columns(found)))
    said = [
        {"at": 2.62, "share": 0.95, "text": f"k = {K}", "color": INK},
        {
            "at": 2.62,
            "share": 0.87,
            "text": "No group left of this line is released.",
            "color": INK,
        },
        {"at": 2.62, "share": 0.7, "text": "\N{BLACK SQUARE} before", "color": BEFORE},
        {"at": 3.72, "share": 0.7, "text": "\N{BLACK SQUARE} after", "color": AFTER},
    ]
    uniques = f"{_percent(_alone(result, 'before'))} before, {_percent(_alone(result, 'after'))}"
    return alt.layer(
        small.mark_rect(color=DANGER).encode(
            x=alt.X("from:Q", axis=axis, scale=scale), x2="to:Q", y=y, y2=alt.Y2Datum(0)
        ),
        columns.mark_rect(cornerRadiusTopLeft=2, cornerRadiusTopRight=2).encode(
            x="left:Q", x2="right:Q", y=y, y2=alt.Y2Datum(0), color=alt.Color("color:N", scale=None)
        ),
        columns.mark_text(dy=-8, fontSize=11.5, color=INK).encode(
            x="middle:Q", y="share:Q", text="label:N"
        ),
        small.mark_rule(color=INK, strokeDash=[5, 4], strokeWidth=1.5).encode(x="to:Q"),
        alt.Chart(alt.InlineData(said))
        .mark_text(align="left", fontSize=12.5)
        .encode(x="at:Q", y="share:Q", text="text:N", color=alt.Color("color:N", scale=None)),
    ).properties(width=520, height=HEIGHT, title=f"Unique patients: {uniques} after")


def _columns(found: list[Bar]) -> list[dict[str, Any]]:
    rows = []
    for bar in found:
        shared = sum(other.place == bar.place for other in found) > 1
        shift = (0.2 if bar.when == "after" else -0.2) if shared else 0.0
        half = 0.18 if shared else 0.3
        rows.append(
            {
                "left": bar.place + shift - half,
                "right": bar.place + shift + half,
                "middle": bar.place + shift,
                "share": bar.share,
                "label": _percent(bar.share),
                "color": QUIET if not bar.place else BEFORE if bar.when == "before" else AFTER,
            }
        )
    return rows


def _alone(result: Anonymization, when: str) -> float:
    risk = result.risk_before if when == "before" else result.risk
    share: float = risk.uniques / result.records
    return share


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share in (0.0, 1.0) else f"{100 * share:.1f}%"


def draw_costs(found: list[Cost], result: Anonymization) -> alt.LayerChart | alt.FacetChart:
    """Draw the loss of each attribute and, below a line, of all together."""
    import altair as alt  # noqa: PLC0415 - heavy

    whole = Cost("all together", "geometric mean", result.loss)
    rows = [
        {
            "place": place + (0.35 if cost is whole else 0.0),
            "name": cost.name,
            "does": cost.does,
            "loss": cost.loss,
            "label": _percent(cost.loss),
            "color": INK if cost is whole else AFTER,
        }
        for place, cost in enumerate([*found, whole])
    ]
    y = alt.Y("place:Q", axis=None, scale=alt.Scale(domain=[-0.7, len(rows) - 0.4], reverse=True))
    x = alt.X(
        "loss:Q",
        axis=alt.Axis(format="%", title="detail lost", tickCount=3, domain=False),
        scale=alt.Scale(domain=[0, 1], nice=False),
    )
    chart = alt.Chart(alt.InlineData(rows))
    return alt.layer(
        alt.Chart(alt.InlineData([{"at": len(rows) - 1.33}]))
        .mark_rule(color=FRAME)
        .encode(y=alt.Y("at:Q", axis=None, scale=y["scale"])),
        chart.mark_bar(orient="horizontal", height=11, cornerRadiusEnd=2).encode(
            x=x, y=y, color=alt.Color("color:N", scale=None)
        ),
        chart.mark_text(align="left", dx=5, fontSize=11, color=INK).encode(
            x="loss:Q", y="place:Q", text="label:N"
        ),
        chart.mark_text(align="left", dy=-15, fontSize=12, fontWeight=600, color=INK).encode(
            x=alt.datum(0), y="place:Q", text="name:N"
        ),
        chart.mark_text(align="right", dy=-15, fontSize=11.5, color=QUIET).encode(
            x=alt.datum(1), y="place:Q", text="does:N"
        ),
    ).properties(width=240, height=HEIGHT, title="Detail lost, by column")


def draw(result: Anonymization) -> alt.HConcatChart:
    """Draw both halves under a title that says what they show."""
    import altair as alt  # noqa: PLC0415 - heavy

    size = result.space.size
    proven = (
        f"Proven: among {size:,} policies, no permitted policy loses less detail."
        if result.optimal
        else f"A better policy could avoid at most {100 * result.outcome.gap:.1f}% of the loss."
    )
    picture: alt.HConcatChart = (
        alt.hconcat(draw_sizes(bars(result), result), draw_costs(costs(result), result), spacing=46)
        .properties(
            title=alt.Title(
                f"{result.records:,} made-up patients, de-identified by Roadstead",
                subtitle=[proven],
                anchor="start",
                fontSize=19,
                subtitleFontSize=13.5,
                subtitlePadding=6,
                subtitleColor=QUIET,
                offset=20,
            ),
            background=PAPER,
            padding=24,
        )
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_title(color=INK, fontSize=14, fontWeight=600, anchor="start", offset=12)
        .configure_axis(
            labelColor=QUIET,
            titleColor=QUIET,
            titleFontWeight="normal",
            titleFontSize=12,
            titlePadding=10,
            labelFontSize=11.5,
            gridColor=GRID,
            tickColor=GRID,
        )
    )
    return picture


def framed(svg: str) -> str:
    """Round the paper's corners and give it a thin frame."""
    start = svg.index("<rect")
    end = svg.index("/>", start)
    frame = f' rx="10" stroke="{FRAME}"'
    return f"{svg[:end]}{frame}{svg[end:]}"


def main(target: Path) -> None:
    """Write the picture."""
    import vl_convert  # noqa: PLC0415 - heavy

    specification: dict[str, Any] = draw(demonstration()).to_dict()
    target.write_text(framed(vl_convert.vegalite_to_svg(specification)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
