"""Remove the time of writing from a file, so that the same release always has the same bytes."""

from __future__ import annotations

from pathlib import Path


def without_stamp(path: Path, place: slice, instead: bytes) -> None:
    """Replace some bytes of a file with the same number of other bytes."""
    assert place.stop - place.start == len(instead)  # noqa: S101 - constants of the formats
    with path.open("r+b") as file:
        file.seek(place.start)
        file.write(instead)
