"""Chart: how much detail each quasi-identifier lost, and what was done to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from roadstead.reports.charts.canvas import AFTER, TRACK, Canvas, finished, rows, words
from roadstead.reports.content import ReportContent
from roadstead.reports.wording import legible, percent, shortened

if TYPE_CHECKING:
    import altair as alt

_BAR, _VALUE = 13, 58


class LossBar(NamedTuple):
    """The loss of one attribute, with what was done to it."""

    name: str
    does: str
    loss: float


class LossChart(NamedTuple):
    """Attributes by their loss, the largest first."""

    bars: tuple[LossBar, ...]

    @property
    def title(self) -> str:
        """The chart in a few words, for those who do not see it."""
        return "Bar chart of the loss by attribute, the largest first"

    @property
    def description(self) -> str:
        """What there is to see."""
        if not self.bars:
            return "There is no attribute to show."
        most, least = self.bars[0], self.bars[-1]
        return (
            f"From {percent(most.loss)} for {legible(most.name)} to {percent(least.loss)} for "
            f"{legible(least.name)}. The figures are in the table below."
        )


def gather_losses(content: ReportContent) -> LossChart:
    """Order the attributes whose loss is known by it; equal ones keep their order."""
    bars = [LossBar(a.name, a.does, a.loss) for a in content.attributes if a.loss is not None]
    return LossChart(tuple(sorted(bars, key=lambda bar: -bar.loss)))


def draw_losses(chart: LossChart, canvas: Canvas) -> alt.LayerChart:
    """Draw a bar for each attribute on a track that stands for everything lost."""
    import altair as alt  # noqa: PLC0415 - only where something is drawn

    longest, start, pitch = (40, 0, 62) if canvas.narrow else (29, 232, 42)
    drop = 17 if canvas.narrow else 0  # in a narrow chart, bars stand below their labels
    data = [
        {
            "row": row,
            "name": shortened(legible(bar.name), longest),
            "does": shortened(legible(bar.does), longest + 4),
            "loss": bar.loss,
            "all": 1.0,
            "said": percent(bar.loss),
            "told": f"{legible(bar.name)}, {legible(bar.does)}: {percent(bar.loss)}",
        }
        for row, bar in enumerate(chart.bars)
    ]
    y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))
    room = alt.Scale(domain=[0, 1], range=[start, canvas.width - _VALUE])

    def bars(field: str, color: str) -> alt.Chart:
        mark = rows(data).mark_bar(size=_BAR, color=color, yOffset=drop)
        x = alt.X(field, type="quantitative", scale=room, axis=None)
        return mark.encode(x=x, y=y, description="told:N")

    layers = [
        bars("all", TRACK),
        bars("loss", AFTER),
        words(data, "name", strong=True, dy=drop - (25 + 9 if canvas.narrow else 9), x=alt.value(0), y=y),
        words(data, "does", muted=True, dy=drop - (17 if canvas.narrow else -9), x=alt.value(0), y=y),
        words(data, "said", align="right", dy=drop, x=alt.value(canvas.width), y=y),
    ]
    return finished(layers, canvas, max(1, len(data)) * pitch)
