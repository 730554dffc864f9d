"""Draw the probability of re-identification before and after a policy, by risk or attacker.

The scale has powers of ten ("1 in 10", "1 in 100"), because readers compare risks as ratios. Labels
extend toward the middle of the scale, so no label crosses the line of the acceptable risk. A risk
of zero is at the end of the scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor, log10
from typing import NamedTuple

from roadstead.reports.charts.svg import (
    AFTER,
    BEFORE,
    LINE,
    MUTED,
    TRACK,
    Block,
    Canvas,
    ChartLabel,
    Dot,
    Drawing,
    Rule,
    Shape,
)
from roadstead.reports.content import ReportContent
from roadstead.reports.numbers import Bound
from roadstead.reports.wording import format_count, odds

_LEAST_DECADES = 2
_MIDDLE = 0.5
_HEAD, _FOOT = 24, 24
_LARGE, _SMALLER = 190**0.5 / 2, 110**0.5 / 2
"""The radii of the dot before, and of the smaller dot after. The two dots may overlap."""


class RiskStyle(NamedTuple):
    """The style of a risk chart, for releases or for assessments."""

    name: str  # unique on the page
    title: str  # the title, for readers who cannot see the chart
    pair: str  # text about a risk before and after, for the chart's description
    tooltip: str  # the tooltip of a dot in a pair
    left: int  # room for names at the side of the dots
    raised: int  # distance of a name above the upper end of its row, in a narrow chart
    above: int  # position of the label of the dot before
    below: int  # position of the label of the dot after
    most_decades: int | None = None


RELEASE = RiskStyle(
    name="risks",
    title="Chart of the highest and the average re-identification risk, before and after",
    pair="before {before}, after {after}",
    tooltip="{when} {said}",
    left=150,
    raised=13,
    above=-17,
    below=18,
)
ATTACKS = RiskStyle(
    name="attacks",
    title="Chart of the re-identification risk for each kind of attacker",
    pair="{before} before, {after} after",
    tooltip="{name}, {when}: {said}",
    left=170,
    raised=14,
    above=-16,
    below=17,
    most_decades=12,
)


class RiskBar(NamedTuple):
    """The risks before and after a policy. `after` is None if no policy was given."""

    name: str
    before: float
    after: float | None = None
    bound: Bound | None = None

    @property
    def risks(self) -> tuple[tuple[str, float], ...]:
        """The risks, each labeled with the word "before" or "after"."""
        both = (("before", self.before), ("after", self.after))
        return tuple((when, risk) for when, risk in both if risk is not None)


class RiskChart(NamedTuple):
    """A set of risks, and the highest acceptable risk."""

    bars: tuple[RiskBar, ...]
    threshold: float
    style: RiskStyle = RELEASE

    @property
    def paired(self) -> bool:
        """Indicates whether the chart has risks after a policy."""
        return any(bar.after is not None for bar in self.bars)

    @property
    def decades(self) -> int:
        """The number of powers of ten below 100% on the scale. No risk is below the scale."""
        found = [risk for bar in self.bars for _, risk in bar.risks if risk > 0]
        decades = max(_LEAST_DECADES, -floor(log10(min([*found, self.threshold])) + 1e-9))
        return min(decades, self.style.most_decades or decades)

    @property
    def name(self) -> str:
        """The name of the chart, unique on the page."""
        return self.style.name

    @property
    def title(self) -> str:
        """The title of the chart, for readers who cannot see the chart."""
        return self.style.title

    @property
    def description(self) -> str:
        """A description of the chart in words."""
        told = []
        for bar in self.bars:
            said = {when: odds(risk, bound=bar.bound) for when, risk in bar.risks}
            pair = self.style.pair.format(**said) if "after" in said else said["before"]
            told.append(f"{bar.name}: {pair}")
        limit = f" Up to {odds(self.threshold)} is acceptable." if self.threshold < 1.0 else ""
        return f"{'. '.join(told)}.{limit}"

    def draw(self, canvas: Canvas) -> Drawing:
        """Draw each risk as a dot, or as a step between two dots. Shade unacceptable risks."""
        style, paired = self.style, self.paired
        # Names are next to the dots, or above them in a narrow chart.
        pitch = (68 if canvas.narrow else 44) + (24 if paired else 0)
        left, right, name_at, dots_at = (
            (26, 26, style.raised - pitch // 2, 10) if canvas.narrow else (style.left, 34, 0, 0)
        )
        height = pitch * len(self.bars)
        ladder = _Ladder(self.decades, left, canvas.width - right)
        limit = ladder.place(self.threshold)
        shapes: list[Shape] = [
            *_steps(ladder, height, canvas),
        ]
        if self.threshold < 1.0:  # a risk of 100% is not a limit
            shapes += [
                Block(limit, 0, ladder.end - limit, height, TRACK),
                Rule(limit, -5, 0, height + 5, MUTED),
                ladder.label(self.threshold, -14, f"acceptable: {odds(self.threshold)}"),
            ]
        looks = ((_LARGE, BEFORE), (_SMALLER, AFTER)) if paired else ((_LARGE, AFTER),)
        for place, bar in enumerate(self.bars):
            middle = pitch * (place + 0.5)
            at = middle + dots_at
            shapes.append(ChartLabel(0, middle + name_at, bar.name, strong=True))
            lying = [ladder.place(risk) for _, risk in bar.risks if risk > 0]
            if len(lying) > 1:
                shapes.append(Rule(lying[0], at, lying[1] - lying[0], 0, BEFORE, 2))
            for (when, risk), (radius, color), shift in zip(
                bar.risks, looks, (style.above, style.below), strict=False
            ):
                said = odds(risk, bound=bar.bound)
                label, told = said, f"{bar.name}: {said}"
                if paired:
                    label = f"{when} {said}"
                    told = style.tooltip.format(name=bar.name, when=when, said=said)
                if risk > 0:
                    shapes.append(Dot(ladder.place(risk), at, radius, color, told))
                shapes.append(ladder.label(risk, at + shift, label))
        return Drawing(tuple(shapes), canvas.width, height, _HEAD, _FOOT)


def gather_risks(content: ReportContent) -> RiskChart:
    """Pair the risks before and after. If people are counted, use the risks of people."""
    before, after = content.risk_before, content.risk_after
    bars: tuple[RiskBar, ...] = (
        RiskBar("Highest risk", before.maximum, after.maximum, "upper"),
        RiskBar("Average risk", before.average, after.average),
    )
    persons = content.persons
    if persons is not None and persons.before is not None:
        was, now = persons.before, persons.after
        bars = (
            RiskBar("Person, highest", was.maximum, now.maximum, "upper"),
            RiskBar("Person, average", was.average, now.average),
            RiskBar("Record, average", before.average, after.average),
        )
    return RiskChart(bars, content.promise.threshold)


class _Ladder(NamedTuple):
    """A scale of powers of ten from the smallest displayed risk to certainty."""

    decades: int
    start: float
    end: float

    def _share(self, risk: float) -> float:
        return min(max(1 + log10(risk) / self.decades, 0.0), 1.0) if risk > 0 else 0.0

    def place(self, risk: float) -> float:
        return self.start + (self.end - self.start) * self._share(risk)

    def label(self, risk: float, y: float, said: str) -> ChartLabel:
        """Place a label next to its risk. The label extends toward the middle of the scale."""
        if self._share(risk) < _MIDDLE:
            return ChartLabel(self.place(risk) + 5, y, said)
        return ChartLabel(self.place(risk) - 5, y, said, "right")


def _steps(ladder: _Ladder, height: float, canvas: Canvas) -> Iterator[Shape]:
    """Draw as many powers of ten of the scale as there is space for."""
    for power in range(0, ladder.decades + 1, ceil(ladder.decades / (3 if canvas.narrow else 6))):
        x = ladder.place(10.0**-power)
        yield Rule(x + 0.5, 0.5, 0, height, LINE)
        said = f"1 in {format_count(10**power)}" if power else "certain"
        yield ChartLabel(x + 0.5, height + 7.5, said, "center", muted=True)
