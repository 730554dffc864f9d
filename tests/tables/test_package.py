"""The package is cheap to import."""

from __future__ import annotations

import subprocess
import sys


def test_importing_the_room_imports_no_heavy_library() -> None:
    modules = "source reading frequency profile sinks roles dialect text stores.access"
    code = (
        "import importlib, sys\n"
        f"for name in '{modules}'.split(): importlib.import_module('roadstead.tables.' + name)\n"
        "heavy = {'ibis', 'duckdb', 'pyarrow', 'pandas', 'polars', 'numba'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
