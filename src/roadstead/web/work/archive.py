"""Send the files of a folder as a ZIP that is created during the download.

No copy is written to disk.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from roadstead.regular_files import opened

_BLOCK = 1 << 20
_UNSAFE = str.maketrans(dict.fromkeys('/\\:*?"<>|', "_") | dict.fromkeys(range(32), "_"))


class _Sent(io.RawIOBase):
    """A buffer without `seek` that keeps written bytes until the bytes are read."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, part: object) -> int:
        self.parts.append(bytes(part))  # type: ignore[call-overload] # bytes, or a view of some
        return len(self.parts[-1])

    def fetched(self) -> bytes:
        found = b"".join(self.parts)
        self.parts.clear()
        return found


def zipped(folder: Path, names: Sequence[str]) -> Iterator[bytes]:
    """Yield a ZIP of these files in pieces. The ZIP contains one folder, named like `folder`."""
    sent = _Sent()
    with zipfile.ZipFile(sent, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        for name in names:
            entry = zipfile.ZipInfo.from_file(
                folder / name, f"{_plain(folder.name)}/{_plain(name)}"
            )
            entry.compress_type = zipfile.ZIP_DEFLATED
            with (
                opened(folder / name, own=True) as stream,
                made.open(entry, "w", force_zip64=True) as inside,
            ):
                while block := stream.read(_BLOCK):
                    inside.write(block)
                    yield sent.fetched()
    yield sent.fetched()


def _plain(name: str) -> str:
    """Return a file name that is valid on every system, and that is never a path."""
    return name.translate(_UNSAFE).strip(" .") or "file"
