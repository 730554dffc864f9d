# noqa: INP001 - a script, not a package
"""Take the pictures of the workbench that the pages show, from what the demonstration really finds.

A browser goes through the five steps as a person does, up to a verified release, and takes a
picture of each at 1280 x 800.

::

    python docs/make_screenshots.py

It needs what the browser tests need: Chromium, and what ``make test`` installs. Pictures are kept
in a palette, which is a third of their size.
"""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from browsing import Visit
    from numpy.typing import NDArray

FOLDER = Path(__file__).with_name("workbench")
STEPS = ("data", "columns", "risk", "explore", "release")
SUPPORT = Path(__file__).parents[1] / "tests" / "support"
_COLORS = 256
_BITS = 5
"""Of each channel, when colors are counted: finer differences nobody sees in a small picture."""


def main() -> None:
    """Go through the steps, and take a picture of each."""
    sys.path.insert(0, str(SUPPORT))
    from browsing import chromium, visiting  # noqa: PLC0415 - of the tests
    from workbench import served  # noqa: PLC0415 - of the tests

    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as place:
        tables = Path(place) / "tables"
        tables.mkdir()
        with (
            chromium() as browser,
            served(Path(place) / "state", [tables], folder=tables) as bench,
            visiting(browser, bench) as visit,
        ):
            _through_the_steps(visit, tables / "release")


def _through_the_steps(visit: Visit, out: Path) -> None:
    from walking import assess, decide, explore, release  # noqa: PLC0415 - of the tests

    visit.begin()
    visit.page.get_by_role("button", name="Use the demonstration").click()
    visit.page.wait_for_selector("table.rows")
    take(visit, "data")
    decide(visit, {})
    assess(visit)
    explore(visit, "global")
    release(visit, out)
    for step in STEPS[1:]:
        visit.go(f"{visit.piece}/{step}")
        take(visit, step)


def take(visit: Visit, step: str) -> None:
    """Take the picture of a step."""
    visit.page.wait_for_load_state("networkidle")
    picture = FOLDER / f"{step}.png"
    picture.write_bytes(with_palette(visit.page.screenshot()))
    print(f"{picture.name}: {picture.stat().st_size / 1024:.0f} KiB")  # noqa: T201 - a script


def with_palette(png: bytes) -> bytes:
    """Write a picture with the colors that most of its points have; others take the nearest."""
    points = _points(png)
    coarse = (points >> (8 - _BITS)).astype(np.uint32)
    key = (coarse[..., 0] << (2 * _BITS)) | (coarse[..., 1] << _BITS) | coarse[..., 2]
    found, place, many = np.unique(key, return_inverse=True, return_counts=True)
    place = place.reshape(key.shape)
    means = np.stack(
        [
            np.bincount(place.ravel(), points[..., one].ravel(), len(found)) / many
            for one in range(3)
        ],
        axis=1,
    )
    palette = means[np.argsort(-many, kind="stable")[:_COLORS]]
    nearest = np.argmin(((means[:, None, :] - palette[None]) ** 2).sum(axis=2), axis=1)
    return _written(nearest[place].astype(np.uint8), np.rint(palette).astype(np.uint8))


def _points(png: bytes) -> NDArray[np.uint8]:
    """Read a picture as Chromium writes it: 8 bits a channel, red, green, blue, not interlaced."""
    at, parts, width, height, channels = 8, [], 0, 0, 3
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", content[:8])
            channels = {2: 3, 6: 4}[content[9]]
        parts += [content] if kind == b"IDAT" else []
        at += size + 12
    lines = np.frombuffer(zlib.decompress(b"".join(parts)), np.uint8).reshape(height, -1)
    above = np.zeros((width, channels), np.uint8)
    rows = []
    for line in lines:
        above = _unfiltered(int(line[0]), line[1:].reshape(width, channels), above)
        rows.append(above)
    return np.stack(rows)[..., :3]


def _unfiltered(kind: int, line: NDArray[np.uint8], above: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Undo the filter of a line (PNG, section 9)."""
    if kind == 0:
        return line.copy()
    if kind == 1:
        return np.cumsum(line, axis=0, dtype=np.uint8)
    if kind == 2:  # noqa: PLR2004 - as the standard numbers them
        return line + above
    made = np.zeros_like(line)
    left = corner = np.zeros(line.shape[1], np.int32)
    for x in range(len(line)):
        up = above[x].astype(np.int32)
        if kind == 3:  # noqa: PLR2004 - as above
            guess = (left + up) // 2
        else:
            near = np.abs(np.stack([up - corner, left - corner, left + up - 2 * corner]))
            guess = np.where(
                (near[0] <= near[1]) & (near[0] <= near[2]),
                left,
                np.where(near[1] <= near[2], up, corner),
            )
        made[x] = (line[x] + guess) & 255
        left, corner = made[x].astype(np.int32), up
    return made


def _written(places: NDArray[np.uint8], palette: NDArray[np.uint8]) -> bytes:
    """Write a picture of places in a palette."""
    height, width = places.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), places], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (
        (b"IHDR", header),
        (b"PLTE", palette.tobytes()),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in parts
    )


if __name__ == "__main__":
    main()
