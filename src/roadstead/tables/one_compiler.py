"""Let Ibis load the compiler of the engine in use, and not those of twenty engines.

Ibis imports the compilers of all its engines, with a dialect of SQL for each, to offer them under
one name. That is most of the time to import it, so here the package that offers them loads each
when it is asked for.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec, module_from_spec
from typing import Any

_COMPILERS = "ibis.backends.sql.compilers"


def spare_compilers() -> None:
    """Put the package of compilers in place without importing any; do nothing if it is there."""
    if _COMPILERS in sys.modules:
        return
    spec = find_spec(_COMPILERS)
    if spec is None or spec.submodule_search_locations is None:
        return  # as it may be in another version of Ibis, which then loads what it needs

    def one(name: str) -> Any:  # noqa: ANN401 - a module or a class of Ibis
        """Give the module of an engine, or the compiler in it: `duckdb`, `DuckDBCompiler`."""
        engine = importlib.import_module(f"{_COMPILERS}.{name.removesuffix('Compiler').lower()}")
        return getattr(engine, name) if name.endswith("Compiler") else engine

    package = module_from_spec(spec)
    package.__getattr__ = one  # type: ignore[method-assign] # of modules, PEP 562
    sys.modules[_COMPILERS] = package
    setattr(sys.modules[_COMPILERS.rpartition(".")[0]], "compilers", package)  # noqa: B010 - a module's
