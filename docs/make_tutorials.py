# noqa: INP001 - a script, not a package
"""Run the tutorials, and write their outputs into the notebooks, for review before a commit.

The notebooks are edited in Jupyter, or in any editor, and are their own source. A cell whose output
changes with each run has the tag ``chance``. All other cells show the same in every run.

::

    python docs/make_tutorials.py
    python docs/make_tutorials.py release frontier
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

SUPPORT = Path(__file__).parents[1] / "tests" / "support"


def main(names: list[str]) -> None:
    """Execute the tutorials named, or all."""
    sys.path.insert(0, str(SUPPORT))
    import nbformat  # noqa: PLC0415 - of the tests
    from notebooks import TUTORIALS, execute, read, tidied  # noqa: PLC0415 - of the tests

    for file in sorted(TUTORIALS.glob("*.ipynb")):
        if names and file.stem not in names:
            continue
        notebook = read(file)
        with TemporaryDirectory() as folder:
            execute(notebook, Path(folder))
        tidied(notebook)
        nbformat.write(notebook, file)  # type: ignore[no-untyped-call] # of nbformat
        print(f"{file.name}: {file.stat().st_size / 1024:.0f} KiB")  # noqa: T201 - a script


if __name__ == "__main__":
    main(sys.argv[1:])
