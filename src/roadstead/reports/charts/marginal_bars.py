"""Chart: the released records of one attribute, a bar for each label, parted by class.

At the end of a bar a bracket shows how far the noise of the counts in it moves their sum. That is
no error bar: what the threshold left out is not in it. Beyond three classes the bars are not
parted, as more colors could not be told apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from roadstead.reports.charts.canvas import (
    AFTER,
    BEFORE,
    INK,
    LINE,
    SUPPRESSED,
    Canvas,
    at,
    finished,
    rows,
    words,
)
from roadstead.reports.wording import counted, legible, shortened, whole

if TYPE_CHECKING:
    import altair as alt

COLORS = (AFTER, BEFORE, SUPPRESSED)
"""Of the classes, in their order."""

_BAR, _CAP = 16, 22
_PITCH, _PITCH_NARROW = 32, 50
_LABEL, _VALUE = 200, 165
_LETTERS, _LETTERS_NARROW = 26, 40


class MarginalBar(NamedTuple):
    """One label.

    Attributes
    ----------
    name
        What it is called.
    records
        Released records, by class if they are parted.
    noisy, cells
        Sum of the noisy counts that they were made of, and how many these are.
    margin
        How far the noise of these moves it.
    """

    name: str
    records: tuple[int, ...]
    noisy: int
    cells: int
    margin: int

    @property
    def all_records(self) -> int:
        """Of all classes."""
        return sum(self.records)

    @property
    def said(self) -> str:
        """The number, and apart from it the margin of its noise."""
        return f"{whole(self.all_records)} (noise \N{PLUS-MINUS SIGN}{whole(self.margin)})"


class MarginalChart(NamedTuple):
    """An attribute.

    Attributes
    ----------
    name
        The chart's own, which no other on the page has.
    attribute
        The column.
    classes
        The classes that bars are parted by; none where they are not parted.
    bars
        The labels that are shown, in the order they stand in.
    hidden
        How many are not shown.
    hidden_records
        Released records of those together; None where records may have several labels.
    of_sets
        Whether they may.
    """

    name: str
    attribute: str
    classes: tuple[str, ...]
    bars: tuple[MarginalBar, ...]
    hidden: int = 0
    hidden_records: int | None = None
    of_sets: bool = False

    @property
    def title(self) -> str:
        """The chart in a few words, for those who do not see it."""
        return f"Bar chart of the released records by {legible(self.attribute)}"

    @property
    def description(self) -> str:
        """What there is to see."""
        most = max(self.bars, key=lambda bar: bar.all_records)
        return (
            f"Most have {legible(most.name)}: {counted(most.all_records, 'record')}. "
            "The figures are in the table below."
        )

    @property
    def reach(self) -> int:
        """Where the scale ends: the end of the longest bar, with its margin."""
        return max([1, *(bar.all_records + bar.margin for bar in self.bars)])


def draw_marginal(chart: MarginalChart, canvas: Canvas) -> alt.LayerChart:
    """Draw the bars, the brackets at their ends, and what they are."""
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    # Labels stand beside the bars, or above them where it is narrow.
    left, pitch, letters, lift = (
        (0, _PITCH_NARROW, _LETTERS_NARROW, 9) if canvas.narrow else (_LABEL, _PITCH, _LETTERS, 0)
    )
    height = len(chart.bars) * pitch
    scale = alt.Scale(domain=[0, chart.reach], range=[left, canvas.width - _VALUE])
    places = alt.Scale(domain=list(range(len(chart.bars))), range=[0, height], padding=0)
    begin = alt.X("begin:Q", scale=scale, axis=None)
    end, x2 = alt.X("end:Q", scale=scale, axis=None), alt.X2("end:Q")
    y = alt.Y("row:O", scale=places, axis=None)
    colors = alt.Scale(domain=list(range(len(COLORS))), range=list(COLORS))
    color = alt.Color("class:O", scale=colors, legend=None)
    short = told_apart([legible(bar.name) for bar in chart.bars], letters)
    names = [{"row": row, "said": said} for row, said in enumerate(short)]
    values = [{"row": row, "said": bar.said} for row, bar in enumerate(chart.bars)]
    brackets = _brackets(chart)
    ends = [{"row": one["row"], "end": one[end]} for one in brackets for end in ("begin", "end")]
    zero = rows([{}]).mark_rule(aria=False, color=LINE)
    return finished(
        [
            zero.encode(**at(x=left, y=0, y2=height)),
            words(names, "said", dy=-12, y=y, **at(x=0))
            if canvas.narrow
            else words(names, "said", align="right", y=y, **at(x=left - 12)),
            rows(_parts(chart))
            .mark_bar(size=_BAR, yOffset=lift)
            .encode(x=begin, x2=x2, y=y, color=color, description=alt.Description("told:N")),
            rows(brackets)
            .mark_rule(aria=False, color=INK, yOffset=lift)
            .encode(x=begin, x2=x2, y=y),
            rows(ends)
            .mark_tick(aria=False, color=INK, size=_CAP, thickness=1, yOffset=lift)
            .encode(x=end, y=y),
            words(values, "said", align="right", dy=lift, **at(x=canvas.width), y=y),
        ],
        canvas,
        height,
    )


def told_apart(names: Sequence[str], letters: int) -> list[str]:
    """Shorten names; where that makes them alike, in their middle and not at their end."""
    short = [shortened(name, letters) for name in names]
    alike, half = Counter(short), letters // 2
    return [
        f"{shortened(name, half)}{name[1 - half :]}" if name != cut and alike[cut] > 1 else cut
        for name, cut in zip(names, short, strict=True)
    ]


def _parts(chart: MarginalChart) -> list[dict[str, object]]:
    """Give the parts of each bar, one behind the other."""
    found: list[dict[str, object]] = []
    for row, bar in enumerate(chart.bars):
        end = 0
        for place, number in enumerate(bar.records):
            begin, end = end, end + number
            of = f", {legible(chart.classes[place])}" if chart.classes else ""
            told = f"{legible(bar.name)}{of}: {whole(number)}"
            found.append({"row": row, "class": place, "begin": begin, "end": end, "told": told})
    return found


def _brackets(chart: MarginalChart) -> list[dict[str, int]]:
    """Tell from where to where noise may have moved the end of a bar; no bar ends below 0."""
    return [
        {
            "row": row,
            "begin": max(bar.all_records - bar.margin, 0),
            "end": bar.all_records + bar.margin,
        }
        for row, bar in enumerate(chart.bars)
        if bar.margin
    ]
