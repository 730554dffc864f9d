"""Build both distributions twice, compare the bytes, check them, and list what belongs to them.

Run ``make dist``. The folder ``dist`` then has a wheel and an sdist of ``roadstead`` and of
``roadstead-reproductions``, an archive of the manual pages, a bill of materials (CycloneDX), and
``SHA256SUMS``. The time of the last commit stands for the time of every file, so that a build of
the same commit has the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
TOOLS = Path(sys.executable).parent
PROJECTS = (ROOT, ROOT / "reproductions")


def main(man_pages: Path) -> None:
    """Make the folder ``dist``; end with an error if a check fails."""
    version = _version()
    shutil.rmtree(DIST, ignore_errors=True)
    for project in PROJECTS:
        _build(project, DIST)
    with tempfile.TemporaryDirectory() as again:
        for project in PROJECTS:
            _build(project, Path(again))
        _same_bytes(DIST, Path(again))
    built = sorted(map(str, DIST.iterdir()))
    _run("twine", "check", "--strict", *built)
    _run("check-wheel-contents", *(one for one in built if one.endswith(".whl")))
    _bundle(man_pages, DIST / f"roadstead-{version}-man.tar.gz")
    _bill_of_materials(DIST / f"roadstead-{version}.cdx.json")
    sums = [f"{_sha256(one)}  {one.name}\n" for one in sorted(DIST.iterdir())]
    (DIST / "SHA256SUMS").write_text("".join(sums), "utf-8")
    print("".join(sums), end="")


def _version() -> str:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    return text.split('version = "', 1)[1].partition('"')[0]


def _build(project: Path, into: Path) -> None:
    """Build the sdist, and the wheel from the sdist."""
    _run("pyproject-build", "--outdir", str(into), str(project))


def _same_bytes(one: Path, other: Path) -> None:
    """End with an error if a file of the two folders differs."""
    first, second = ({file.name: _sha256(file) for file in at.iterdir()} for at in (one, other))
    if first != second:
        differing = sorted(name for name in first | second if first.get(name) != second.get(name))
        sys.exit(f"two builds of the same commit differ: {', '.join(differing)}")


def _bundle(pages: Path, archive: Path) -> None:
    """Pack the manual pages for share/man, with the same bytes on every machine."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for page in sorted(pages.iterdir()):
            entry = tarfile.TarInfo(f"man1/{page.name}")
            content = page.read_bytes()
            entry.size, entry.mtime = len(content), _built_at()
            tar.addfile(entry, io.BytesIO(content))
    archive.write_bytes(gzip.compress(packed.getvalue(), mtime=_built_at()))


def _bill_of_materials(to: Path) -> None:
    """List what an installation of the core consists of, with hashes."""
    _run(
        *("cyclonedx-py", "requirements", "--output-reproducible", "--of", "JSON"),
        *("--pyproject", str(ROOT / "pyproject.toml"), "-o", str(to)),
        str(ROOT / "requirements.txt"),
    )


def _built_at() -> int:
    return int(os.environ["SOURCE_DATE_EPOCH"])


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _run(tool: str, *arguments: str) -> None:
    print(f"{tool} ...", flush=True)
    done = subprocess.run(
        [str(TOOLS / tool), *arguments], check=False, capture_output=True, text=True, cwd=ROOT
    )
    if done.returncode:
        sys.exit(f"{tool} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    os.environ.setdefault(
        "SOURCE_DATE_EPOCH",
        subprocess.run(
            ["git", "log", "-1", "--format=%ct"],  # noqa: S607 - git as the developer has it
            check=True,
            capture_output=True,
            text=True,
            cwd=ROOT,
        ).stdout.strip(),
    )
    main(Path(sys.argv[1]))
