"""Chart: how much detail each quasi-identifier lost, and what was done to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from roadstead.reports.charts.canvas import AFTER, TRACK, Canvas, at, finished, rows, words
from roadstead.reports.content import ReportContent
from roadstead.reports.numbers import percent
from roadstead.reports.wording import legible, shortened

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
    import altair as alt  # noqa: PLC0415 - heavy, and only where something is drawn

    # Names stand beside the bars, or above them where it is narrow.
    left, pitch, longest = (0, 62, 40) if canvas.narrow else (232, 42, 29)
    name, does, bar = (-17, 0, 17) if canvas.narrow else (-9, 9, 0)
    data = _rows(chart, longest)
    scale = alt.Scale(domain=[0, 1], range=[left, canvas.width - _VALUE])
    x, track = (alt.X(f, type="quantitative", scale=scale, axis=None) for f in ("loss", "all"))
    y = alt.Y("row:O", scale=alt.Scale(padding=0), axis=None)
    told = alt.Description("told:N")
    bars = rows(data).mark_bar(size=_BAR, color=AFTER, yOffset=bar)
    tracks = rows(data).mark_bar(size=_BAR, color=TRACK, yOffset=bar)
    return finished(
        [
            words(data, "name", strong=True, dy=name, **at(x=0), y=y),
            words(data, "does", muted=True, dy=does, **at(x=0), y=y),
            tracks.encode(x=track, y=y, description=told),
            bars.encode(x=x, y=y, description=told),
            words(data, "said", align="right", dy=bar, **at(x=canvas.width), y=y),
        ],
        canvas,
        len(data) * pitch,
    )


def _rows(chart: LossChart, longest: int) -> list[dict[str, object]]:
    found = []
    for row, bar in enumerate(chart.bars):
        name, does, said = legible(bar.name), legible(bar.does), percent(bar.loss)
        found.append(
            {
                "row": row,
                "name": shortened(name, longest),
                "does": shortened(does, longest + 4),
                "loss": bar.loss,
                "all": 1.0,
                "said": said,
                "told": f"{name}, {does}: {said}",
            }
        )
    return found
