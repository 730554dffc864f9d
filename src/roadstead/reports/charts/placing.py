"""Place the name of a point in the first spot where the name does not cover anything else.

The width of text is estimated, not measured. Every letter counts as a wide letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

LETTER, LINE_HIGH = 7.5, 14
"""The approximate width of a letter, and the height of a line."""
AROUND = (
    *((9, -9), (9, 9), (-9, -9), (-9, 9), (0, -16), (0, 16)),
    *((9, -23), (-9, -23), (9, 23), (-9, 23), (9, -37), (-9, -37), (9, 37), (-9, 37)),
)
"""The positions of a name relative to its point (right, down), from best to worst.

A name to the right begins at this position, and a name to the left ends there. Any other name is
centered at this position.
"""


class Box(NamedTuple):
    """A rectangle in a drawing."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Return whether the two boxes overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def within(self, other: Box) -> bool:
        """Return whether this box lies entirely inside another box."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )

    def moved_into(self, other: Box) -> Box:
        """Move the box sideways, as little as possible, until it is between another box's sides."""
        aside = max(other.left - self.left, 0.0) + min(other.right - self.right, 0.0)
        return self._replace(left=self.left + aside, right=self.right + aside)

    def holds(self, x: float, y: float) -> bool:
        """Return whether the box contains a point."""
        return self.left < x < self.right and self.top < y < self.bottom

    @property
    def middle(self) -> tuple[float, float]:
        """The vertical middle of a line of text in the box."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


def around(x: float, y: float, radius: float) -> Box:
    """Return the box around a dot."""
    return Box(x - radius, y - radius, x + radius, y + radius)


def free_box(
    said: str,
    x: float,
    y: float,
    *,
    inside: Box,
    taken: Sequence[Box],
    specks: Iterable[tuple[float, float]] = (),
    places: Sequence[tuple[float, float]] = AROUND,
) -> Box:
    """Return the place for a name where it covers as few other names and dots as possible."""
    width, dots = len(said) * LETTER, tuple(specks)
    best: tuple[tuple[int, int], Box] | None = None
    for right, down in places:
        box = _placed(x + right, y + down, width, float(right < 0) if right else 0.5)
        if not right:  # A name above or below its point may move to the side.
            box = box.moved_into(inside)
        if not box.within(inside):
            continue
        hidden = (sum(box.meets(one) for one in taken), sum(box.holds(*dot) for dot in dots))
        if best is None or hidden < best[0]:
            best = (hidden, box)
        if hidden == (0, 0):
            break
    if best is not None:
        return best[1]
    right, down = places[0]
    return _placed(x + right, y + down, width, 0)


def _placed(x: float, y: float, width: float, before: float) -> Box:
    """Return the box around a line of text.

    `before` is the share of the box's width that is to the left of the point.
    """
    left = x - before * width
    return Box(left, y - LINE_HIGH / 2, left + width, y + LINE_HIGH / 2)
