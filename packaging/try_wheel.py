"""Install the built wheel into an empty environment, with hashes, and run the demonstration.

Run ``make try-wheel`` after ``make dist``. It prints the size of the environment and of its largest
packages.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LARGEST = 10
"""Number of packages that are listed with their size."""


def main() -> None:
    """Install, run, and verify; end with an error if a step fails."""
    (wheel,) = (ROOT / "dist").glob("roadstead-*.whl")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        venv.create(place / "env", with_pip=True)
        programs = place / "env" / ("Scripts" if sys.platform == "win32" else "bin")
        python, roadstead = str(programs / "python"), str(programs / "roadstead")
        pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        _run(*pip, "--require-hashes", "--only-binary", ":all:", "-r", ROOT / "requirements.txt")
        _run(*pip, "--no-deps", wheel)
        _run(python, "-m", "pip", "check")
        _run(roadstead, "demo", "--out", place / "demo")
        _run(roadstead, "verify", place / "demo" / "release")
        _print_sizes(place / "env")


def _print_sizes(environment: Path) -> None:
    (packages,) = environment.glob("**/site-packages")
    sizes = {one.name: _size(one) for one in packages.iterdir()}
    print(f"{sum(sizes.values()) / 1e6:,.0f} MB in all")
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True)[:LARGEST]:
        print(f"{sizes[name] / 1e6:8,.1f} MB  {name}")


def _size(place: Path) -> int:
    if place.is_file():
        return place.stat().st_size
    return sum(one.stat().st_size for one in place.rglob("*") if one.is_file())


def _run(*command: str | Path) -> None:
    subprocess.run([str(one) for one in command], check=True)


if __name__ == "__main__":
    main()
