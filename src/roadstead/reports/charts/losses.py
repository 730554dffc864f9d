"""Chart: how much detail each quasi-identifier lost, and what was done to it."""

from __future__ import annotations

from typing import NamedTuple

from roadstead.reports.charts.canvas import (
    AFTER,
    TRACK,
    Block,
    Canvas,
    ChartLabel,
    Drawing,
    Scale,
    Shape,
)
from roadstead.reports.content import ReportContent
from roadstead.reports.numbers import percent
from roadstead.reports.wording import legible, shortened

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


def draw_losses(chart: LossChart, canvas: Canvas) -> Drawing:
    """Draw a bar for each attribute on a track that stands for everything lost."""
    # Names stand at the side of the bars, or above them where it is narrow.
    left, pitch, longest = (0, 62, 40) if canvas.narrow else (232, 42, 29)
    name_at, does_at, bar_at = (-17, 0, 17) if canvas.narrow else (-9, 9, 0)
    scale = Scale(1, left, canvas.width - _VALUE)
    shapes: list[Shape] = []
    for row, bar in enumerate(chart.bars):
        middle = row * pitch + pitch / 2
        name, does, said = legible(bar.name), legible(bar.does), percent(bar.loss)
        told, top = f"{name}, {does}: {said}", middle + bar_at - _BAR / 2
        shapes += [
            ChartLabel(0, middle + name_at, shortened(name, longest), strong=True),
            ChartLabel(0, middle + does_at, shortened(does, longest + 4), muted=True),
            Block(left, top, scale.length(1), _BAR, TRACK, told),
            Block(left, top, scale.length(bar.loss), _BAR, AFTER, told),
            ChartLabel(canvas.width, middle + bar_at, said, "right"),
        ]
    return Drawing(tuple(shapes), canvas.width, len(chart.bars) * pitch)
