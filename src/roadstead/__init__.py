"""Roadstead: share health data beyond Safe Harbor, and prove how safe that is.

::

    import roadstead as rs

    result = rs.anonymize("patients.csv", quasi=["age", "sex", "race", "zip"], k=5)
    print(result)
    result.write("release")

Names are imported when they are first used. So ``import roadstead`` is fast. The stub next to this
file, ``__init__.pyi``, lists the names for type checkers and for this module.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

TYPE_CHECKING = False  # so that signals work before `typing` is imported

if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"


def _listed() -> dict[str, str]:
    """Read the module of each exported name from the stub, one import per line.

    If the module was taken out of the package, the name is not exported.
    """
    stub = __spec__.loader.get_data(f"{__path__[0]}/__init__.pyi").decode()
    lines = (line.split() for line in stub.splitlines() if line.startswith("from "))
    return {words[-1]: words[1] for words in lines if _is_here(words[1])}


def _is_here(module: str) -> bool:
    return os.path.exists(f"{__path__[0]}/{'/'.join(module.split('.')[1:])}.py")  # noqa: PTH110 - pathlib is slow to import


_HOMES = _listed()
__all__ = sorted(_HOMES)  # noqa: PLE0605 - the stub lists them for checkers


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is exported
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - as all that is not needed at once

    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)


class _Top(ModuleType):
    """A module in which an exported name is never hidden by a subpackage of the same name.

    When Python imports a package, it makes the package an attribute of its parent. So the package
    `roadstead.risk` would hide the function `risk`.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Top
