"""Store the finished parts of a simulation, so that an interrupted run can continue.

Each part is one file in a folder of the user's cache, written completely or not at all. The name of
the folder is a fingerprint of everything that a result depends on: the populations with their
policies, the seed, the largest class, and the random number generator. An unreadable file counts as
missing. When the reproduction is complete, the folder is removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from roadstead_reproductions.elemam2008.lattices import Lattice
from roadstead_reproductions.elemam2008.samples import Releases

_FORMAT = 1
_TABLES = ("losses", "suppressed", "classes", "fewest", "policies")
_SHOWN = 16


@dataclass(frozen=True)
class Checkpoints:
    """A folder of results, which is created for the first result."""

    folder: Path

    def get(self, name: str, shape: tuple[int, int]) -> Releases | None:
        """Return the result stored under a name, or None if there is no result of this shape."""
        try:
            content = io.BytesIO(self._path(name).read_bytes())
            with np.load(content, allow_pickle=False) as kept:
                found = Releases(
                    **{table: kept[table] for table in _TABLES}, seconds=float(kept["seconds"])
                )
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        tables = [getattr(found, table) for table in _TABLES]
        right = all(table.shape == shape and table.dtype == np.int64 for table in tables)
        return found if right else None

    def put(self, name: str, found: Releases) -> None:
        """Store a result, or raise an OSError if the result cannot be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, written = tempfile.mkstemp(dir=self.folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                tables = {table: getattr(found, table) for table in _TABLES}
                np.savez_compressed(stream, seconds=np.float64(found.seconds), **tables)
            Path(written).replace(self._path(name))
        except BaseException:
            with contextlib.suppress(OSError):
                Path(written).unlink()
            raise

    def forget(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.npz"


def checkpoints(paper: str, lattices: Sequence[Lattice], seed: int, largest: int) -> Checkpoints:
    """Return the folder for a simulation, in the user's cache."""
    digest = hashlib.sha256(repr((_FORMAT, seed, largest, np.__version__)).encode())
    for lattice in lattices:
        digest.update(repr(lattice.policies).encode())
        for own in (lattice.first, lattice.source, lattice.links, lattice.above, lattice.people):
            digest.update(np.ascontiguousarray(own).tobytes())
    return Checkpoints(cache_folder() / paper / digest.hexdigest()[:_SHOWN])


def cache_folder() -> Path:
    """Return the folder for cached files: XDG_CACHE_HOME, or .cache in the home folder."""
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(chosen) if Path(chosen).is_absolute() else Path.home() / ".cache"
    return base / "roadstead"
