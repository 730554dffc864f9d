"""Draw the number of released records for each label of one attribute, split by class.

The chart has one bar per label. A bracket at the end of a bar shows the noise in the sum of its
counts. In 95 of 100 cases, the noise changes the sum by at most the length of the bracket. The
bracket does not cover the records that are missing because their count is below the threshold, so
the bracket is not an error bar. Bars are split by class only if there are at most three classes.

Each count has discrete Laplace noise: an integer z with a probability proportional to
``a**abs(z)``, where ``a = exp(-epsilon)`` (Canonne, Kamath and Steinke 2020). If the noise of a sum
is small, the module computes its exact distribution. For this purpose, the module raises the
characteristic function of one count to the power of the number of counts, and transforms the result
back. Otherwise, the module uses a normal distribution with one correction for the heavier tails
(Cornish and Fisher 1938, one term). For a single count, this margin is 3% too large.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import ceil, exp, expm1, sqrt
from typing import NamedTuple

import numpy as np

from roadstead.reports.charts.svg import (
    AFTER,
    BEFORE,
    INK,
    LINE,
    SUPPRESSED,
    Block,
    Canvas,
    ChartLabel,
    Drawing,
    Rule,
    Scale,
    Shape,
)
from roadstead.reports.synthesis.facts import Label
from roadstead.reports.wording import counted, format_count, legible, shortened

COVERAGE = 0.95
"""The smallest probability that the noise is within the margin."""

_NORMAL = 1.959963984540054
"""The quantile of the normal distribution for this coverage."""
_WORKED_OUT = 1_000.0
"""The largest standard deviation for which the distribution is computed exactly."""
_DEVIATIONS = 40
"""A bound on the noise of a single count. The probability of larger noise is 1e-24."""
_SHORTEST = 64


@cache
def noise_margin(cells: int, epsilon: Fraction) -> int:
    """Return the smallest margin that the noise of a sum exceeds in at most 5% of cases.

    The sum consists of `cells` noisy counts. Each count has noise for the budget `epsilon`, which
    is above 0.
    """
    rate = float(epsilon)
    ratio = exp(-rate)
    of_one = ratio / expm1(-rate) ** 2
    deviation = sqrt(2 * cells * of_one)
    if deviation > _WORKED_OUT:
        heavier = (1 + 6 * of_one) / (2 * cells * of_one)
        return ceil(deviation * (_NORMAL + heavier * (_NORMAL**3 - 3 * _NORMAL) / 24))
    length = 1 << max(_SHORTEST, 2 * ceil(_DEVIATIONS * deviation)).bit_length()
    # 1 - 2 a cos(t) + a**2, written so that no digits are lost if a is near 1.
    waves = 4 * ratio * np.sin(np.pi * np.arange(length // 2 + 1) / length) ** 2
    of_sum = (expm1(-rate) ** 2 / (expm1(-rate) ** 2 + waves)) ** cells
    chances = np.fft.irfft(of_sum, length)
    within = np.cumsum(chances[: length // 2] * 2) - chances[0]
    return int(np.searchsorted(within, COVERAGE - 1e-12))


COLORS = (AFTER, BEFORE, SUPPRESSED)
"""The colors of the classes, in the order of the classes."""

NOT_LISTED = "not listed"
"""The text for a label without any listed count. The table can have records with this label."""
_BAR, _CAP = 16, 22
_VALUE = 165


class MarginalChart(NamedTuple):
    """The released records by label of an attribute. Each label has one bar."""

    name: str  # unique on the page
    attribute: str  # the column
    classes: tuple[str, ...]  # classes that split the bars; empty if the bars are not split
    bars: tuple[Label, ...]  # the displayed labels, in their order
    epsilon: Fraction  # budget used by the noise of each listed count
    hidden: int = 0  # number of labels that are not displayed
    # The number of released records with hidden labels. None if a record can have several labels.
    hidden_records: int | None = None
    of_sets: bool = False  # whether a record can have several labels

    @property
    def title(self) -> str:
        """The title of the chart, for readers who cannot see the chart."""
        return f"Bar chart of the released records by {legible(self.attribute)}"

    @property
    def description(self) -> str:
        """A description of the chart in words."""
        most = max(self.bars, key=lambda bar: bar.all_records)
        return (
            f"The most frequent value is {legible(most.label)}, with "
            f"{counted(most.all_records, 'record')}. The figures are in the table below."
        )

    @property
    def reach(self) -> int:
        """The end of the scale, which is the length of the longest bar plus its margin."""
        return max([1, *(bar.all_records + self.margin(bar) for bar in self.bars)])

    def margin(self, bar: Label) -> int:
        """Return the largest distance by which the noise probably moves the end of a bar."""
        return noise_margin(bar.cells, self.epsilon)

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw the bars, the brackets at their ends, and their names."""
        # Names are at the side of the bars, or above them in a narrow chart.
        left, pitch, letters, lift = (0, 50, 40, 9) if canvas.narrow else (200, 32, 26, 0)
        height = len(self.bars) * pitch
        scale = Scale(self.reach, left, canvas.width - _VALUE)
        short = shortened_distinctly([legible(bar.label) for bar in self.bars], letters)
        shapes: list[Shape] = [Rule(left, 0, 0, height, LINE)]
        for row, (bar, name) in enumerate(zip(self.bars, short, strict=True)):
            middle = row * pitch + pitch / 2
            at = middle + lift
            shapes.append(
                ChartLabel(0, middle - 12, name)
                if canvas.narrow
                else ChartLabel(left - 12, middle, name, "right")
            )
            noise = format_count(self.margin(bar))
            said = f"{format_count(bar.all_records)} (noise \N{PLUS-MINUS SIGN}{noise})"
            if not bar.cells:
                said = NOT_LISTED
            shapes += [*_drawn(self, bar, scale, at), ChartLabel(canvas.width, at, said, "right")]
        return Drawing(tuple(shapes), canvas.width, height)


def shortened_distinctly(names: Sequence[str], letters: int) -> list[str]:
    """Shorten names at the end. If the results would be identical, shorten names in the middle."""
    short = [shortened(name, letters) for name in names]
    alike, half = Counter(short), letters // 2
    return [
        f"{shortened(name, half)}{name[1 - half :]}" if name != cut and alike[cut] > 1 else cut
        for name, cut in zip(names, short, strict=True)
    ]


def _drawn(chart: MarginalChart, bar: Label, scale: Scale, at: float) -> Iterator[Shape]:
    """Draw the parts of a bar, and the range (above 0) within which noise can move its end."""
    end, margin = 0, chart.margin(bar)
    parts = bar.records if chart.classes else (bar.all_records,)
    for place, (number, color) in enumerate(zip(parts, COLORS, strict=False)):
        begin, end = end, end + number
        of = f", {legible(chart.classes[place])}" if chart.classes else ""
        told = f"{legible(bar.label)}{of}: {format_count(number)}"
        x, length = scale.place(begin), scale.length(number)
        yield Block(x, at - _BAR / 2, length, _BAR, color, told)
    if margin:
        left = scale.place(max(bar.all_records - margin, 0))
        right = scale.place(bar.all_records + margin)
        yield Rule(left, at, right - left, 0, INK)
        for x in (left, right):
            yield Rule(x, at - _CAP / 2, 0, _CAP, INK)
